"""The facade that the window and the command line share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.session.session import Session

__all__ = ["Session"]


def __getattr__(name: str) -> Any:
    """Load the session, and ONNX Runtime with it, only when it is asked for: a window can show itself before."""
    if name == "Session":
        from engine.session.session import Session

        return Session
    raise AttributeError(name)
