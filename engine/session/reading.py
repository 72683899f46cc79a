"""The state of a session as views read it, and how they hear of changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from engine.fusion.types import Network, Rules
from engine.graph.types import ModelInput
from engine.interop.samples import SYNTHETIC, DataSource
from engine.jobs import Dispatch, Job, Jobs, run_now
from engine.npu import Device, DeviceInfo, list_devices, load_device, supports
from engine.npu.results import Scenario
from engine.numerics.results import ErrorSums
from engine.numerics.samples import SampleSet
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.quant.ranges import Ranges
from engine.session.background import Background
from engine.session.changes import Change, Listener, What
from engine.session.figures import Results
from engine.session.history import History
from engine.session.recent import Recent
from engine.session.samples import list_samples
from engine.session.state import (
    Budgets,
    Captured,
    DataInfo,
    Figures,
    Level,
    LogEntry,
    SampleModel,
    SensitivityCell,
    Staleness,
    Step,
)
from engine.text import Text

DEFAULT_DEVICE = "kirin9030"
Ask = Callable[[tuple[ModelInput, ...], Callable[[Mapping[str, tuple[int, ...]] | None], None]], None]
"""Asks the user for free dimensions: gets the inputs and a function to call with the answer (None = gave up)."""


class SessionState:
    """What a session holds. All attributes are read on the owner's thread; listeners are called there too."""

    def __init__(self, *, dispatch: Dispatch = run_now, settings: Path | None = None) -> None:
        """Start empty.

        Args:
            dispatch: runs callbacks on the owner's thread.
            settings: folder for the list of recent files; None = nothing is remembered.
        """
        self._listeners: list[Listener] = []
        self._work = Background(dispatch, lambda: self._announce(What.JOBS))
        self._history = History()
        self._sources: tuple[DataSource, DataSource, str] = (SYNTHETIC, SYNTHETIC, "minmax")
        self._shapes: Mapping[str, tuple[int, ...]] = {}
        self._saved_plan = Plan()
        self._recent = Recent(settings)
        self.rules: Rules = "edge"
        self.device: Device = load_device(DEFAULT_DEVICE)
        self.scenario = Scenario()
        self.budgets = Budgets()
        self.view_state: dict[str, object] = {}
        """What the window wants to find again in the project file."""
        self.log: list[LogEntry] = []
        self.last_error: Text | None = None
        self._empty()

    def _empty(self) -> None:
        self.network: Network | None = None
        self.project_path: Path | None = None
        self._results = Results()
        self.data: DataInfo | None = None
        self.ranges: Ranges | None = None
        self.calibration: SampleSet | None = None
        self.sweep_job: Job | None = None
        self.selection: tuple[str, ...] = ()
        self.current: str | None = None
        self.locked: frozenset[str] = frozenset()
        self.captured: Captured | None = None
        self._history.clear()

    # listening ------------------------------------------------------------------------------------------------------

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every change; the returned function ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def _announce(self, what: What, who: str = "") -> None:
        for listener in tuple(self._listeners):
            listener(Change(what, who))

    def note(self, text: Text, level: Level = "info", details: str = "") -> None:
        """Add a line to the log; an error also becomes `last_error`."""
        self.log.append(LogEntry(level, text, details=details))
        del self.log[:-2000]
        if level == "error":
            self.last_error = text
        self._announce(What.LOG)

    def _failed(self, text: Text) -> None:
        self.note(text, "error")

    @property
    def jobs(self) -> Jobs:
        """Running and past jobs."""
        return self._work.jobs

    @property
    def path(self) -> Path | None:
        """The model's file."""
        return self.network.graph.path if self.network else None

    @property
    def plan(self) -> Plan:
        """The current plan."""
        return self._results.figures.plan

    @property
    def figures(self) -> Figures:
        """All that is known of the current plan."""
        return self._results.figures

    @property
    def previous(self) -> Figures | None:
        """All that is known of the plan before the last edit."""
        return self._results.previous

    @property
    def baseline(self) -> Figures | None:
        """All that is known of the all-FP16 plan."""
        return self._results.baseline

    @property
    def staleness(self) -> Staleness:
        """Whether the errors in `figures` belong to an older plan, and from which kernel on."""
        return self._results.staleness

    @property
    def local(self) -> Mapping[tuple[str, Scheme], ErrorSums]:
        """Local errors by kernel id and scheme."""
        return self._results.local

    @property
    def sensitivity(self) -> Mapping[tuple[str, Scheme], SensitivityCell]:
        """Sensitivities by kernel id and scheme."""
        return self._results.sensitivity

    @property
    def previous_plan(self) -> Plan:
        """What deltas are taken against: the plan before the last edit."""
        return self.previous.plan if self.previous else self.plan

    @property
    def sweeping(self) -> bool:
        """Whether a sensitivity sweep runs."""
        return self.sweep_job is not None and self.sweep_job.active

    @property
    def modified(self) -> bool:
        """Whether the plan differs from what was last saved or opened."""
        return self.network is not None and self.plan != self._saved_plan

    @property
    def undo_step(self) -> Step | None:
        """What undo would take back."""
        return self._history.undo_step

    @property
    def redo_step(self) -> Step | None:
        """What redo would do again."""
        return self._history.redo_step

    @property
    def devices(self) -> tuple[DeviceInfo, ...]:
        """Device profiles that come with Mixbit."""
        return list_devices()

    @property
    def recent(self) -> list[Path]:
        """Files opened lately, newest first."""
        return self._recent.paths

    @property
    def data_sources(self) -> tuple[DataSource, DataSource, str]:
        """Calibration source, evaluation source, observer."""
        return self._sources

    def samples(self) -> list[SampleModel]:
        """Models that come with Mixbit."""
        return list_samples()

    def supports(self, kernel_id: str, scheme: Scheme) -> Text | None:
        """Why the device can't run a kernel in a scheme natively; None if it can."""
        return supports(self.device, self.network.by_id(kernel_id), scheme) if self.network else None
