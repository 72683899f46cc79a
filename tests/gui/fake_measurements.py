"""Measurements without a session: the real ones over the fake's jobs and simulation."""

from engine.session.changes import What
from engine.session.measured import Host, Measurements


def measurements_of(session) -> Measurements:
    return Measurements(
        session.jobs,
        Host(
            lambda: session.network,
            lambda: session.plan,
            lambda: session.figures.simulation,
            lambda: session.device,
            session.set_device,
            lambda: session.emit(What.MEASURED),
            lambda text: None,
            lambda text: None,
        ),
    )
