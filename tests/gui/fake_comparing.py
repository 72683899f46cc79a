"""Sources of Compare without an engine: the real choices over a bench on which nothing runs."""

from types import SimpleNamespace

from engine.session.changes import What
from engine.session.comparing import Comparing, Host


def comparing_of(session) -> Comparing:
    work = SimpleNamespace(jobs=session.jobs, on_bench=lambda *_, **__: None)
    return Comparing(
        work,
        Host(
            lambda: session.network,
            lambda: session.plan,
            lambda: {kept.name: kept.plan for kept in session.kept.plans},
            lambda: session.ranges,
            lambda captured: None,
            lambda: session.emit(What.CAPTURE),
            lambda text: None,
            lambda text: None,
            None,
        ),
    )
