"""Searches without an engine: made-up plans with figures that follow simple rules."""

from dataclasses import replace

from fake_results import simulation_of, size_of

from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8
from engine.session.changes import What
from engine.session.wishes import Found, Wishes
from engine.tuning.search import PlanCosts, Step
from engine.tuning.search.rules import rules_of


def found_of(session, plan: Plan, sqnr_db: float, measured: bool = True, **more) -> Found:
    simulation = simulation_of(session.network, plan)
    costs = PlanCosts(
        size_of(session.network, plan).total, 0.0, simulation.latency_us, simulation.energy_uj,
        simulation.memory.peak_bytes,
    )  # fmt: skip
    return Found(plan, costs, sqnr_db + 0.4, sqnr_db if measured else None, **more)


class FakeSearches:
    """What `engine.session.searches.Searches` shows to views."""

    def __init__(self, session) -> None:
        self._session = session
        self.proposals: tuple[Found, ...] = ()
        self.front: tuple[Found, ...] = ()
        self.steps: tuple[Step, ...] = ()
        self.additive = True
        self.problem_text = None
        self.job = None
        self.running = self.exploring = False
        self.asked: list[Wishes] = []
        self.explored = 0

    def rules(self, plan: Plan):
        return rules_of(self._session.network, plan)

    def start(self, wishes: Wishes) -> None:
        self.asked.append(wishes)
        self.running = True
        self.changed()

    def stop(self) -> None:
        self.running = False
        self.changed()

    def explore_once(self) -> None:
        self.explored += 1

    def explore(self) -> None:
        self.explored += 1

    def look_ahead(self) -> None:
        pass

    def fill(self) -> None:
        """A front from all INT4 to all FP16, two proposals, two steps."""
        ids = [k.id for k in self._session.network.tunable]
        front = []
        for at in range(0, len(ids) + 1, 6):
            plan = Plan({k: FP16 if i < at else INT4 for i, k in enumerate(ids)})
            front.append(found_of(self._session, plan, 12 + at / 2, measured=at % 12 == 0))
        self.front = tuple(front)
        plan = Plan({k: INT8 if i % 2 else INT4 for i, k in enumerate(ids)})
        good = found_of(self._session, plan, 22.1, number=1, wishes=Wishes(size_bytes=9e6), binding=("size_bytes",))
        short = {"min_sqnr_db": 60.0, "latency_us": 10.0}
        bad = replace(found_of(self._session, plan.with_schemes({ids[0]: FP16}), 23.0, number=2, accuracy=0.7),
                      wishes=Wishes(**short), overdrawn={"latency_us": 0.25, "damage": 3.0})  # fmt: skip
        self.proposals = (good, bad)
        self.steps = (
            Step((ids[3],), INT4, INT8, 1.2, 3.1, 2048), Step((ids[4], ids[5]), INT8, FP16, 0.9, 0.2, 90_000),
            Step((ids[6],), INT4, FP16, 0.1, -2.0, 10),
        )  # fmt: skip
        self.changed()

    def changed(self) -> None:
        self._session.emit(What.SEARCH)
