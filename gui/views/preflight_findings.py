"""What will hurt on the device, worded: the engine finds it, here it gets the language in use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from engine.session.checks import check
from gui.i18n import text

if TYPE_CHECKING:
    from engine.session import Session

Severity = Literal["bad", "warn", "info"]
_SEVERITIES: dict[str, Severity] = {"error": "bad", "warning": "warn", "info": "info"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One entry: a hazard, its price, what to do, and the kernels it is about."""

    severity: Severity
    title: str
    detail: str
    kernels: tuple[int, ...]
    """Kernel indices, the most telling one first."""
    advice: str = ""
    place: str = ""
    """Dock or dialog where something can be done about it."""


def findings(session: Session) -> list[Finding]:
    """All entries, worst first."""
    return [
        Finding(
            _SEVERITIES[found.severity],
            text(found.title),
            text(found.detail),
            found.kernels,
            text(found.advice),
            found.place,
        )
        for found in check(session)
    ]
