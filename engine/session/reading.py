"""The state of a session as views read it, and how they hear of changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from engine.fusion.types import Network, Rules
from engine.graph.limits import TooBigError
from engine.graph.stamps import Fate, Stamp, fate
from engine.interop.preflight import Observed
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
from engine.session.changes import Change, Listener, What, tell
from engine.session.claim import Recovery
from engine.session.comparing import Comparing
from engine.session.comparing import Host as ComparingHost
from engine.session.document import Document
from engine.session.figures import Results
from engine.session.history import History
from engine.session.keeping import Host as KeptHost
from engine.session.keeping import KeptPlans
from engine.session.measured import Host as MeasuredHost
from engine.session.measured import Measurements
from engine.session.own_metric import Host as OwnMetricHost
from engine.session.own_metric import OwnMetric
from engine.session.recent import Recent
from engine.session.refining import Host as RefiningHost
from engine.session.refining import Refining
from engine.session.safekeeping import Safekeeping
from engine.session.samples import list_samples
from engine.session.searches import Host as SearchHost
from engine.session.searches import Searches
from engine.session.sizes import SizesQuestion
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
from engine.session.sweeps import Host, Sweeps
from engine.text import Text, say

DEFAULT_DEVICE = "kirin9030"
_OF_DOCUMENT = frozenset({What.MODEL, What.PLAN, What.DATA, What.DEVICE, What.PROJECT})
"""Changes that may change what a project keeps."""
Ask = Callable[[SizesQuestion, Callable[[Mapping[str, tuple[int, ...]] | None], None]], None]
"""Asks the user for free dimensions: gets the question and a function to call with the answer (None = gave up). Asks
again, with the refusal in the question, if the model does not run at what was chosen."""
AskMemory = Callable[[TooBigError, Callable[[int | None], None]], None]
"""Asks whether a model may take more memory: gets what was refused and a function to call with the new limit in bytes
(None = gave up)."""


class SessionState:
    """What a session holds. All attributes are read on the owner's thread; listeners are called there too."""

    def __init__(
        self, *, dispatch: Dispatch = run_now, settings: Path | None = None, recovery: Path | None = None
    ) -> None:
        """Start empty.

        Args:
            dispatch: runs callbacks on the owner's thread.
            settings: folder for the list of recent files; None = nothing is remembered.
            recovery: folder for unsaved work, so that it outlives a crash; None = it does not.
        """
        self._listeners: list[Listener] = []
        self._fate_told: tuple[tuple[Stamp, ...], tuple[Fate, Path | None]] | None = None
        self._work = Background(dispatch, lambda: self._announce(What.JOBS))
        self.sweeps = Sweeps(
            self._work,
            Host(
                lambda: self.network,
                lambda: self.plan,
                lambda: self._announce(What.SENSITIVITY),
                lambda text: self.note(text, "warning"),
                self._failed,
                settings,
                self.look_at_model,
            ),
        )
        self.searches = Searches(
            self._work,
            self.sweeps,
            SearchHost(
                lambda: self.network,
                lambda: self.plan,
                lambda: self.locked,
                lambda: self.device,
                lambda: self._announce(What.SEARCH),
                self._failed,
            ),
        )
        self._safe = Safekeeping(recovery, lambda text: self._work.jobs.deliver(lambda: self.note(text, "warning")))
        self.kept = KeptPlans(
            KeptHost(
                lambda: self._announce(What.PLAN),
                self._measure_kept,
                lambda: self.device.name,
                self._data_words,
                lambda: self.device.content,
                lambda: self.data.content if self.data is not None else "",
            )
        )
        self.comparing = Comparing(
            self._work,
            ComparingHost(
                lambda: self.network,
                lambda: self.plan,
                lambda: {kept.name: kept.plan for kept in self.kept.plans},
                lambda: self.ranges,
                self._captured,
                lambda: self._announce(What.CAPTURE),
                lambda text: self.note(text, "warning"),
                self._failed,
                settings,
                lambda: self.device.operators,
            ),
        )
        self.own_metric = OwnMetric(
            self._work,
            OwnMetricHost(
                lambda: self.plan, lambda: self._announce(What.EVALUATION), self._failed, self.sweeps.set_own
            ),
        )
        self.refining = Refining(
            self._work,
            RefiningHost(
                lambda: self.network,
                lambda: self.plan,
                lambda: self.locked,
                self._apply_plan,
                self._local_found,
                lambda: self._announce(What.METHODS),
                self.note,
                self._failed,
            ),
        )
        self.measurements = Measurements(
            self._work.jobs,
            MeasuredHost(
                lambda: self.network,
                lambda: self.plan,
                lambda: self.figures.simulation if self.figures.simulated else None,
                lambda: self.device,
                lambda path: self._use_device(path),
                lambda: self._announce(What.MEASURED),
                lambda text: self.note(text),
                self._failed,
            ),
        )
        self._history = History()
        self._sources: tuple[DataSource, DataSource, str] = (SYNTHETIC, SYNTHETIC, "minmax")
        self._sources_next: tuple[DataSource, DataSource, str] | None = None
        """Data that the user has chosen and that is not read yet."""
        self._shapes: Mapping[str, tuple[int, ...]] = {}
        self._recent = Recent(settings)
        self.rules: Rules = "edge"
        self.device: Device = load_device(DEFAULT_DEVICE)
        self.device_reference = DEFAULT_DEVICE
        """What the device was loaded by: a name, or the absolute path of a file."""
        self.scenario = Scenario()
        self.budgets = Budgets()
        self.view_state: dict[str, object] = {}
        """What the window wants to find again in the project file."""
        self.log: list[LogEntry] = []
        self.last_error: Text | None = None
        self._empty()

    def _empty(self) -> None:
        self.network: Network | None = None
        self._results = Results()
        self.data: DataInfo | None = None
        self._sources_next = None
        self.ranges: Ranges | None = None
        self.calibration: SampleSet | None = None
        self.selection: tuple[str, ...] = ()
        self.current: str | None = None
        self.locked: frozenset[str] = frozenset()
        self.notes: Mapping[str, str] = {}
        """What the user has written about kernels, by their id."""
        self.captured: Captured | None = None
        self.refining.forget()
        self.own_metric.forget()
        self._history.clear()
        self.kept.start(())
        self._preparing: Job | None = None
        self._evaluating: Job | None = None
        self._measuring_baseline: Job | None = None

    # listening ------------------------------------------------------------------------------------------------------

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every change; the returned function ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def _announce(self, what: What, who: str = "") -> None:
        tell(self._listeners, Change(what, who))
        if what in _OF_DOCUMENT and self.network is not None:
            self._safe.look(self.document, self.network, self.view_state)

    def note(self, text: Text, level: Level = "info", details: str = "", *, told: bool = False) -> None:
        """Add a line to the log; an error also becomes `last_error`. One that is `told` is shown at once besides."""
        self.log.append(LogEntry(level, text, details=details, told=told))
        del self.log[:-2000]
        if level == "error":
            self.last_error = text
        self._announce(What.LOG)

    def _use_device(self, path: Path) -> None:
        """Simulate another device from now on; the session's commands know how."""
        raise NotImplementedError

    def look_at_model(self) -> bool:
        """Whether what is open is what was opened; a model that was changed on disk is told about once."""
        if self.network is None:
            return True
        graph = self.network.graph
        found = fate(graph.stamps)
        said, self._fate_told = self._fate_told, (graph.stamps, found)
        file = found[1].name if found[1] is not None else ""
        if found[0] is Fate.REPLACED and said != self._fate_told:
            self.note(
                say(
                    "{file} was changed on disk; here it is as it was opened. Open it again for the new one.", file=file
                ),
                "warning",
                told=True,
            )
        elif found[0] is Fate.OVERWRITTEN and said != self._fate_told:
            self._failed(
                say(
                    "{file} was written over while it was open: figures would mix two models. Open the model again.",
                    file=file,
                )
            )
        return found[0] is not Fate.OVERWRITTEN

    def _captured(self, found: Captured) -> None:
        self.captured = found
        self._announce(What.CAPTURE)

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
    def observed(self) -> Mapping[str, Observed]:
        """What activations do on evaluation samples, by name: beyond their calibrated range, or never moving."""
        return self._results.observed

    @property
    def sensitivity(self) -> Mapping[tuple[str, Scheme], SensitivityCell]:
        """Sensitivities by kernel id and scheme, measured or estimated; more of them in `sweeps`."""
        return self.sweeps.cells

    @property
    def previous_plan(self) -> Plan:
        """What deltas are taken against: the plan before the last edit."""
        return self.previous.plan if self.previous else self.plan

    @property
    def stopped(self) -> bool:
        """Whether errors on show are of an older plan and nothing measures new ones: their job was cancelled."""
        job = self._preparing if self.data is None else self._evaluating
        return self.staleness.stale and job is not None and job.state == "cancelled"

    @property
    def last_output_s(self) -> float:
        """Seconds that the last output error took, and the next one will take about; infinite before the first."""
        return self._work.output_s

    @property
    def sweeping(self) -> bool:
        """Whether an exact sensitivity sweep runs."""
        return self.sweeps.running

    @property
    def document(self) -> Document:
        """What a project file keeps of the session as it is now."""
        calibration, evaluation, observer = self.data_sources
        return Document(
            self.plan,
            self.rules,
            self._shapes,
            self.device_reference,
            self.scenario,
            self.budgets,
            calibration,
            evaluation,
            observer,
            self.locked,
            self.notes,
            self.kept.plans,
        )

    @property
    def modified(self) -> bool:
        """Whether anything that a project keeps differs from what was last saved or opened."""
        return self.network is not None and self._safe.modified(self.document)

    @property
    def project_path(self) -> Path | None:
        """The project file, once there is one."""
        return self._safe.place.project if self.network is not None else None

    @property
    def recoveries(self) -> tuple[Recovery, ...]:
        """Unsaved work of windows that have ended without asking, newest first."""
        return self._safe.recoveries()

    @property
    def history(self) -> tuple[Step, ...]:
        """All edits, oldest first, the undone ones included."""
        return self._history.steps

    @property
    def history_place(self) -> int:
        """How many of them are done."""
        return self._history.place

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
        """Calibration source, evaluation source, observer, as the user has chosen them last.

        They may still be being read; cancelling that job gives the choice up.
        """
        job = self._preparing
        reading = job is not None and job.state != "cancelled" and not job.token.cancelled
        return self._sources_next if self._sources_next is not None and reading else self._sources

    def samples(self) -> list[SampleModel]:
        """Models that come with Mixbit."""
        return list_samples()

    def _apply_plan(self, plan: Plan, title: Text, who: str) -> None:
        """An edit; the session's own."""
        raise NotImplementedError

    def _local_found(self, found: Mapping[tuple[str, Scheme], ErrorSums]) -> None:
        """Local errors, whoever asked for them."""
        self._results.local.update(found)
        self._announce(What.LOCAL)

    def _measure_kept(self, plan: Plan) -> None:
        """Simulate and evaluate a kept plan."""
        raise NotImplementedError

    def _data_words(self) -> str:
        """What errors are measured with: figures of other words can't be compared with these."""
        data = self.data
        if data is None:
            return ""
        return (
            f"{data.evaluation} ({data.evaluation_samples}), {data.calibration} ({data.calibration_samples}), "
            f"{data.observer}"
        )

    def supports(self, kernel_id: str, scheme: Scheme) -> Text | None:
        """Why the device can't run a kernel in a scheme natively; None if it can."""
        if self.network is None:
            return None
        try:
            kernel = self.network.by_id(kernel_id)  # a table asks for all: a search for each takes seconds
        except KeyError:
            return None
        return supports(self.device, kernel, scheme)
