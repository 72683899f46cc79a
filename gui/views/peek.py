"""Looking back: a session as views read it, with the compared plan in the place of the current one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.precision.plan import Plan
from engine.session.state import Figures, Staleness

if TYPE_CHECKING:
    from engine.session import Session


class PreviousPlan:
    """Reads like the session, but plan and figures are those before the last edit. Only for reading."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def plan(self) -> Plan:
        """The compared plan."""
        return self._session.previous_plan

    @property
    def previous_plan(self) -> Plan:
        """The current plan: what differs is marked from this side too."""
        return self._session.plan

    @property
    def figures(self) -> Figures:
        """The compared plan's figures."""
        return self._session.previous or self._session.figures

    @property
    def previous(self) -> Figures:
        """The current plan's figures."""
        return self._session.figures

    @property
    def staleness(self) -> Staleness:
        """What was measured of the compared plan holds."""
        return Staleness()

    def __getattr__(self, name: str) -> Any:
        """Everything else is the session's."""
        return getattr(self._session, name)
