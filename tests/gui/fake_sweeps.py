"""Sweeps without an engine: what a test puts in is there at once, commands only change what is on show."""

from types import SimpleNamespace

from engine.precision.scheme import FP16, INT4, INT8
from engine.session.changes import What
from engine.session.sweeps import OneOut, Sweeps
from engine.text import say
from engine.tuning.estimate import EstimatedCell, Estimates
from engine.tuning.metrics import Metric, Point
from engine.tuning.store import Figures


def output_figures(sqnr_db: float, kl: float | None = None) -> Figures:
    return Figures(sqnr_db, None, kl, 1 - 10 ** (-sqnr_db / 10) / 2, 1e-3, 0.2, 0.95, 1.0, None, 0.01)


def estimates_without(session, kernel: str) -> Estimates:
    """A table that has no cell of one kernel."""
    cells = {
        key: EstimatedCell(*key, cell.kl, cell.kl, 1.0) for key, cell in session.sensitivity.items() if key[0] != kernel
    }
    blocked = {kernel: say("There is no rule for {op}.", op="GridSample")}
    point = Point(Metric.KL, ("logits",))
    return Estimates(Metric.KL, point, cells, blocked, 1, 8, True, False, False, 0.4, schemes=(FP16, INT8, INT4))


class FakeSweeps:
    """What `engine.session.sweeps.Sweeps` shows to views."""

    def __init__(self, session) -> None:
        self.job = None
        self._session = session
        self._host = SimpleNamespace(plan=lambda: session.plan)
        self.metric: Metric | None = Metric.KL
        self.metrics = (Metric.SQNR, Metric.KL, Metric.COSINE, Metric.TOP1)
        self.own = None
        self.schemes = (FP16, INT8, INT4)
        self.estimates = None
        self.one_out: OneOut | None = None
        self.why_no_estimate = None
        self.mode = None
        self.running = self.paused = self.estimating = False
        self.done = self.total = 0
        self.seconds_left: float | None = None

    @property
    def exact(self):
        return {
            key: output_figures(cell.sqnr_db, cell.kl)
            for key, cell in self._session.sensitivity.items()
            if cell.kind == "exact"
        }

    @property
    def estimated_cells(self):
        return {key: cell for key, cell in self._session.sensitivity.items() if cell.kind == "estimated"}

    def harm(self):
        return {key: cell.kl for key, cell in self._session.sensitivity.items()}

    gains, change_db = Sweeps.gains, Sweeps.change_db

    @property
    def out_is_current(self) -> bool:
        return self.one_out is not None and self.one_out.plan == self._session.plan

    def missing(self):
        network = self._session.network
        return [(k.id, s) for k in network.tunable for s in self.schemes if (k.id, s) not in self.exact]

    def estimate(self) -> None:
        self.estimating = True

    def confirm(self) -> None:
        pass

    def start(self, mode="one-in") -> None:
        self.mode, self.running, self.paused = mode, True, False
        self._changed()

    def stop(self) -> None:
        self.running = self.paused = False
        self._changed()

    def pause(self) -> None:
        self.paused = True
        self._changed()

    def resume(self) -> None:
        self.paused = False
        self._changed()

    def set_metric(self, metric) -> None:
        self.metric = metric
        self._changed()

    def set_schemes(self, schemes) -> None:
        self.schemes = tuple(schemes)
        self._changed()

    def _changed(self) -> None:
        self._session.emit(What.SENSITIVITY)
