"""A session without an engine: the same face, made-up results at once. Views are tested and looked at with it."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from fake_comparing import comparing_of
from fake_measurements import measurements_of
from fake_network import mobilenet
from fake_refining import FakeRefining
from fake_results import cell_of, evaluation_of, figures_of, local_db, simulation_of, size_of, sums, sustained_of
from fake_searches import FakeSearches
from fake_sweeps import FakeSweeps

from engine.fusion.types import Kind, Network
from engine.interop.samples import SYNTHETIC
from engine.jobs import Job, Jobs
from engine.npu.profiles import list_devices, load_device
from engine.npu.results import Scenario
from engine.precision.plan import Plan
from engine.precision.presets import PRESET_TITLES, preset, spread
from engine.precision.scheme import FP16, INT4, INT8, Scheme, family
from engine.quant.ranges import Range, Ranges
from engine.session.changes import Change, Listener, What
from engine.session.exports import Snapshot
from engine.session.history import History
from engine.session.keeping import Host as KeptHost
from engine.session.keeping import KeptPlans
from engine.session.state import (
    Budgets,
    Captured,
    DataInfo,
    Figures,
    LogEntry,
    SampleModel,
    SensitivityCell,
    Staleness,
)
from engine.text import Text, say
from gui.bridge import Dispatcher


class FakeSession:
    """What `engine.session.Session` shows to views; every command answers at once."""

    def __init__(self, network: Network | None = None) -> None:
        self._listeners: list[Listener] = []
        self.network: Network | None = None
        self.path: Path | None = None
        self.project_path: Path | None = None
        self.modified = False
        self.plan = self.previous_plan = Plan()
        self.figures = Figures(Plan())
        self.previous: Figures | None = None
        self.baseline: Figures | None = None
        self.staleness = Staleness()
        self.data: DataInfo | None = None
        self.ranges: Ranges | None = None
        self.device = load_device("kirin9030")
        self.devices = list_devices()
        self.rules = "edge"
        self.data_sources = (SYNTHETIC, SYNTHETIC, "minmax")
        self.view_state: dict[str, object] = {}
        self.scenario = Scenario()
        self.budgets = Budgets(22.0, 3000.0, 2_831_155, 3_145_728, 4000.0, 43.0)
        self.local: dict[tuple[str, Scheme], object] = {}
        self.observed: dict[str, object] = {}
        self.sensitivity: dict[tuple[str, Scheme], SensitivityCell] = {}
        self.refining = FakeRefining(self)
        self.own_metric = SimpleNamespace(metric=None, figure=None, problem=None, busy=False)
        self.sweeps = FakeSweeps(self)
        self.searches = FakeSearches(self)
        self.selection: tuple[str, ...] = ()
        self.current: str | None = None
        self.locked: frozenset[str] = frozenset()
        self.captured: Captured | None = None
        self._dispatcher = Dispatcher()
        self.jobs = Jobs(self._dispatcher.dispatch, lambda: self.emit(What.JOBS))
        self.comparing = comparing_of(self)
        self.measurements = measurements_of(self)
        self.log: list[LogEntry] = []
        self.last_error: Text | None = None
        self.recent: list[Path] = []
        self.calls: list[tuple[object, ...]] = []
        """Commands that only a real session can carry out, as (name, arguments ...)."""
        self.memory_limit = 4_000_000_000
        self.stopped = False
        self.last_output_s = float("inf")
        self.ask_memory: object = None
        self.recoveries: tuple[object, ...] = ()
        self.notes: dict[str, str] = {}
        self.measured: dict[Plan, object] = {}
        """Evaluations of plans that are only proposed."""
        self.kept = KeptPlans(
            KeptHost(
                lambda: self.emit(What.PLAN), self._measure_kept, lambda: self.device.name, lambda: "ImageNet-mini"
            )
        )
        self._history = History()
        if network is not None:
            self.show(network)

    # ---- what a test does to it

    def show(self, network: Network) -> None:
        """Have a model open, everything computed, an INT8 plan with an INT4 tail in place and FP16 ends before it."""
        self.network, self.path = network, network.graph.path
        self.data = DataInfo("ImageNet-mini", 64, 64, "ImageNet-mini", 256, 256, False, True, "minmax")
        self.ranges = Ranges({name: Range(-0.94, 6.0) for name in network.tensors}, "minmax", 64)
        for kernel in network.tunable:
            for scheme in (INT4, INT8, FP16):
                self.local[kernel.id, scheme] = sums(local_db(kernel, scheme))
                self.sensitivity[kernel.id, scheme] = cell_of(kernel, scheme)
        self.baseline = figures_of(network, preset(network, "fp16"), self.scenario)
        self.previous_plan = preset(network, "int8")
        self.previous = figures_of(network, self.previous_plan, self.scenario)
        tail = {k.id: INT4 for k in network.tunable if k.index > 33 and k.kind is Kind.CONV}
        ends = {k.id: FP16 for k in network.tunable if k.index in (0, 1, 5, 8)}
        self.plan = self.previous_plan.with_schemes({**tail, **ends}, "INT4 tail")
        self.figures = figures_of(network, self.plan, self.scenario)
        self._history.clear()
        self._history.push(say("Set {count} kernels to INT4", count=len(tail)), self.previous_plan, self.plan)
        chosen = network.kernels[49].id if len(network.kernels) > 49 else network.kernels[0].id
        self.selection, self.current = (chosen,), chosen
        self.emit(What.MODEL)

    def emit(self, what: What, who: str = "") -> None:
        for listener in list(self._listeners):
            listener(Change(what, who))

    def make_stale(self, from_kernel: int) -> None:
        self.staleness = Staleness(True, from_kernel)
        self.emit(What.EVALUATION)

    # ---- what views use

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    @property
    def listeners(self) -> int:
        return len(self._listeners)

    @property
    def undo_step(self):
        return self._history.undo_step

    @property
    def redo_step(self):
        return self._history.redo_step

    def known(self, plan: Plan):
        return self.measured.get(plan)

    def try_plan(self, plan: Plan) -> None:
        self.calls.append(("try_plan", plan))

    @property
    def history(self):
        return self._history.steps

    @property
    def history_place(self):
        return self._history.place

    def go_to(self, place: int, who: str = "") -> None:
        self._return(self._history.go_to(place), who)

    def keep_plan(self, name: str) -> None:
        self.kept.keep(name, self.plan, self.figures)

    def apply_kept(self, name: str, who: str = "") -> None:
        self.apply_plan(self.kept.find(name).plan, say("Plan {name}", name=name), who)

    def set_note(self, kernel_id: str, text: str, who: str = "") -> None:
        self.notes = {**{k: n for k, n in self.notes.items() if k != kernel_id}, **({kernel_id: text} if text else {})}
        self.emit(What.PLAN, who)

    def _measure_kept(self, plan: Plan) -> None:
        figures = figures_of(self.network, plan, self.scenario)
        self.kept.simulated([figures])
        self.kept.evaluated(plan, figures.evaluation)
        self.emit(What.EVALUATION)

    def samples(self) -> list[SampleModel]:
        return [
            SampleModel(
                "mobile_vision_encoder", {"en": "Mobile vision encoder", "zh": "移动端视觉编码器"},
                {"en": "Reads hand-written digits, 32 × 32.", "zh": "识别手写数字，32 × 32。"},
                Path("mobile_vision_encoder.onnx"), None, None, {}, 0.9644, 46_000,
            ),
            SampleModel(
                "swiglu_decoder", {"en": "SwiGLU decoder", "zh": "SwiGLU 解码器"},
                {"en": "Two layers, sorts digits.", "zh": "两层，对数字排序。"},
                Path("swiglu_decoder.onnx"), None, None, {}, None, 870_000,
            ),
        ]  # fmt: skip

    def supports(self, kernel_id: str, scheme: Scheme) -> Text | None:
        assert self.network is not None
        kernel = self.network.by_id(kernel_id)
        if kernel.kind is Kind.DEPTHWISE and family(scheme) == "INT4":
            return say("This phone has no INT4 depthwise convolution.")
        return None

    def set_scheme(self, kernel_ids: Iterable[str], scheme: Scheme, who: str = "") -> None:
        assert self.network is not None
        kernels = [self.network.by_id(i) for i in kernel_ids if i not in self.locked]
        changes = spread(kernels, scheme)
        self.apply_plan(self.plan.with_schemes(changes), say("Set {count} kernels", count=len(changes)), who)

    def apply_preset(self, name: str, who: str = "") -> None:
        assert self.network is not None
        self.apply_plan(preset(self.network, name), PRESET_TITLES[name], who)

    def apply_plan(self, plan: Plan, title: Text, who: str = "") -> None:
        if plan != self.plan:
            self._history.push(title, self.plan, plan)
            self._go(plan, who)

    def undo(self, who: str = "") -> None:
        self._return(self._history.undo(), who)

    def redo(self, who: str = "") -> None:
        self._return(self._history.redo(), who)

    def _return(self, plan: Plan | None, who: str) -> None:
        if plan is None:
            return
        self.locked = self.locked if self._history.locked is None else self._history.locked
        self._go(plan, who)

    def _go(self, plan: Plan, who: str) -> None:
        assert self.network is not None
        self.previous_plan, self.previous = self.plan, self.figures
        self.plan, self.modified = plan, True
        self.staleness = Staleness(True, 0)
        self.emit(What.PLAN, who)
        simulation = simulation_of(self.network, plan)
        self.figures = Figures(
            plan, size_of(self.network, plan), simulation, sustained_of(simulation, self.scenario),
            self.previous.evaluation if self.previous else None,
        )  # fmt: skip
        self.emit(What.SIMULATION)
        self.staleness = Staleness()
        self.figures = figures_of(self.network, plan, self.scenario)
        self.emit(What.EVALUATION)

    def select(self, kernel_ids: Iterable[str], current: str | None = None, who: str = "") -> None:
        self.selection = tuple(kernel_ids)
        self.current = current or (self.selection[-1] if self.selection else None)
        self.emit(What.SELECTION, who)

    def set_locked(self, kernel_ids: Iterable[str], locked: bool, who: str = "") -> None:
        ids = frozenset(kernel_ids)
        before, self.locked = self.locked, self.locked | ids if locked else self.locked - ids
        if before != self.locked:
            self._history.push(say("Locks"), self.plan, self.plan, (before, self.locked))
        self.emit(What.PLAN, who)

    def set_device(self, name_or_path: str) -> None:
        self.device = load_device(name_or_path)
        self.emit(What.DEVICE)

    def set_scenario(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.emit(What.DEVICE)

    def set_budgets(self, budgets: Budgets) -> None:
        self.budgets = budgets
        self.emit(What.DEVICE)

    def capture(self, kernel_id: str, sample: int = 0) -> None:
        assert self.network is not None
        tensor = self.network.by_id(kernel_id).outputs[0]
        shape = self.network.tensors[tensor].shape
        rng = np.random.default_rng(7)
        reference = np.maximum(rng.normal(0.7, 1.0, shape), 0).astype(np.float32)
        result = np.round(reference / 0.0235).clip(0, 255).astype(np.float32) * np.float32(0.0235)
        noise = float(((result - reference).astype(np.float64) ** 2).sum())
        power = float((reference.astype(np.float64) ** 2).sum())
        found = type(sums(0.0))(noise, power, power, reference.size)
        self.captured = Captured(kernel_id, tensor, sample, reference, result, found, self.plan)
        self.emit(What.CAPTURE)

    def snapshot(self) -> Snapshot:
        assert self.network is not None
        return Snapshot(self.network, self.plan, self.ranges)

    @property
    def sweeping(self) -> bool:
        return self.sweeps.running

    def start_sweep(self) -> None:
        self.sweeps.start()

    def stop_sweep(self) -> None:
        self.sweeps.stop()

    def evaluate_now(self) -> None:
        assert self.network is not None
        evaluation_of(self.network, self.plan)

    def close_model(self) -> None:
        self.network = self.path = self.data = self.baseline = self.previous = None
        self.plan = self.previous_plan = Plan()
        self.figures, self.selection, self.current = Figures(Plan()), (), None
        self.emit(What.MODEL)

    def look_at_model(self) -> bool:
        return True

    def close(self, *, keep_unsaved: bool = False) -> None:
        self.jobs.close()

    def __getattr__(self, name: str) -> Callable[..., None]:
        """Commands that need files: remembered in `calls`."""
        if name in {"open_model", "open_sample", "open_project", "save_project", "set_rules", "set_data", "export",
                    "import_plan"}:  # fmt: skip
            return lambda *args, **kwargs: self.calls.append(
                (name, *args, *(v for v in kwargs.values() if not callable(v)))
            )
        raise AttributeError(name)


def running_job(session: FakeSession, title: Text, fraction: float) -> Job:
    """A job on show that nobody runs."""
    job = Job(99, title, "engine", state="running", fraction=fraction)
    job.started_at = job.submitted_at - 2.0
    session.jobs.history.append(job)
    session.emit(What.JOBS)
    return job


def with_model() -> FakeSession:
    """A session with the fake MobileNetV2 open."""
    return FakeSession(mobilenet())


Sensitivity = Mapping[tuple[str, Scheme], SensitivityCell]
