"""What will hurt on the device, worded: the engine finds it, here it gets the language in use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from engine.interop.preflight import Finding as Found
from engine.interop.preflight import in_order
from engine.session.checks import check_steps
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
    return worded(found for step in finding_steps(session) for found in step)


def finding_steps(session: Session) -> Iterator[list[Found]]:
    """What each check finds, check by check."""
    return check_steps(session)


def worded(found: Iterable[Found]) -> list[Finding]:
    """Entries in the language in use, worst first."""
    return [
        Finding(
            _SEVERITIES[one.severity],
            text(one.title),
            text(one.detail),
            one.kernels,
            text(one.advice),
            one.place,
        )
        for one in in_order(found)
    ]
