"""Session: one model, one plan, its data, device and results. It announces each change; views listen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from engine.errors import MixbitError
from engine.fusion.types import Network, Rules
from engine.graph.types import ModelInput
from engine.interop.handover import Written
from engine.interop.samples import SYNTHETIC, DataSource
from engine.jobs import Job
from engine.npu import list_devices, load_device
from engine.npu.results import Scenario
from engine.numerics import Capture
from engine.numerics.results import ErrorSums, Evaluation
from engine.precision.plan import Plan
from engine.precision.planfile import load_plan
from engine.precision.presets import PRESET_TITLES, preset, spread
from engine.precision.scheme import FP16, INT4, INT8, PRESETS, Scheme, label
from engine.session.changes import What
from engine.session.exports import Snapshot, spare_the_model, write_export
from engine.session.figures import Results
from engine.session.project import Project, read_project, write_project
from engine.session.reading import SessionState
from engine.session.samples import find_sample, sample_of, sources
from engine.session.state import (
    Budgets,
    Captured,
    Figures,
    SensitivityCell,
)
from engine.session.work import Prepared
from engine.text import Text, say
from engine.tuning.sweep import SweepCell, cells_of

DEFAULT_DEVICE = "kirin9030"
Ask = Callable[[tuple[ModelInput, ...], Callable[[Mapping[str, tuple[int, ...]] | None], None]], None]
"""Asks the user for free dimensions: gets the inputs and a function to call with the answer (None = gave up)."""


class Session(SessionState):
    """The commands: each changes the state, starts what has to be computed anew, and announces it."""

    # opening --------------------------------------------------------------------------------------------------------

    def open_model(
        self, path: Path | str, shapes: Mapping[str, Sequence[int]] | None = None, ask: Ask | None = None
    ) -> Job:
        """Open an ONNX file; what is open stays until the new model is there.

        Args:
            path: the file.
            shapes: concrete shapes for inputs with free dimensions.
            ask: asks for what `shapes` leaves open; without it the proposals are taken.
        """
        path = Path(path)
        sample = sample_of(path)
        if sample is not None and shapes is None:
            shapes = sample.shapes
        chosen = sources(sample) if sample is not None else None
        return self._open(path, shapes, ask, lambda network: self._adopt(network, chosen))

    def open_sample(self, name: str) -> Job:
        """Open a model that comes with Mixbit, with its own data; errors as in `find_sample`."""
        return self.open_model(find_sample(name).model)

    def open_project(self, path: Path | str) -> Job:
        """Open a saved project: model, data, device, budgets, plan, view.

        Raises:
            PlanError: the file is no project, or from a newer version.
        """
        project = read_project(Path(path))

        def adopt(network: Network) -> None:
            plan = project.plan_for(network)
            self.device, self.scenario, self.budgets = load_device(project.device), project.scenario, project.budgets
            self.view_state = dict(project.view)
            self._adopt(network, (project.calibration, project.evaluation), plan, project.observer)
            self.project_path, self.locked = Path(path), frozenset(project.locked)
            self._recent.add(Path(path))
            self._announce(What.PROJECT)

        return self._open(project.model_path, project.shapes, None, adopt, project.rules)

    def _open(
        self,
        path: Path,
        shapes: Mapping[str, Sequence[int]] | None,
        ask: Ask | None,
        adopt: Callable[[Network], None],
        rules: Rules | None = None,
    ) -> Job:
        chosen = rules or self.rules

        def proceed(answer: Mapping[str, tuple[int, ...]] | None) -> None:
            if answer is not None:
                self._open(path, {**(shapes or {}), **answer}, None, adopt, chosen)

        def done(network: Network) -> None:
            try:
                adopt(network)
            except MixbitError as error:  # a project whose plan doesn't fit its model any more
                self._failed(error.text)
                return
            self._shapes = {i.name: i.shape for i in network.graph.inputs}
            self._recent.add(path)

        asking = None if ask is None else lambda inputs: ask(inputs, proceed)
        return self._work.open(path, shapes, chosen, ask=asking, done=done, failed=self._failed)

    def _adopt(
        self,
        network: Network,
        chosen: tuple[DataSource, DataSource] | None,
        plan: Plan | None = None,
        observer: str = "minmax",
    ) -> None:
        self._work.forget()
        self._empty()
        self.network, self.rules = network, network.rules
        fp16 = preset(network, "fp16")
        self._results = Results(plan if plan is not None else fp16, fp16)
        self._saved_plan = self.plan
        self._sources = (*(chosen or (SYNTHETIC, SYNTHETIC)), observer)
        for text in network.graph.notes:
            self.note(text, "warning")
        self.note(say("Opened {file}: {count} kernels.", file=network.graph.path.name, count=len(network.kernels)))
        self._announce(What.MODEL)
        self._simulate()
        self._prepare(self._sources)

    def close_model(self) -> None:
        """Back to the start page."""
        self._work.forget()
        self._empty()
        self._announce(What.MODEL)

    def set_rules(self, rules: Rules) -> None:
        """Fuse again by other rules; the plan is kept for kernels that exist in both."""
        if self.network is None or rules == self.rules:
            self.rules = rules
            return
        plan, chosen = self.plan, (self._sources[0], self._sources[1])

        def adopt(network: Network) -> None:
            ids = {k.id for k in network.tunable}
            kept = preset(network, "fp16").with_schemes({i: s for i, s in plan.items() if i in ids}, plan.name)
            self._adopt(network, chosen, kept, self._sources[2])

        self._open(self.network.graph.path, self._shapes, None, adopt, rules)

    # data -----------------------------------------------------------------------------------------------------------

    def set_data(self, calibration: DataSource | None, evaluation: DataSource | None, observer: str = "minmax") -> None:
        """Choose samples; None keeps synthetic ones. What was measured is measured again once they are read."""
        if self.network is not None:
            self._prepare((calibration or SYNTHETIC, evaluation or SYNTHETIC, observer))

    def _prepare(self, chosen: tuple[DataSource, DataSource, str]) -> None:
        """Bring the data in. Data that can't be used changes nothing, unless there is none yet."""
        assert self.network is not None

        def failed(text: Text) -> None:
            self._failed(text)
            if self.data is None and (chosen[0].kind, chosen[1].kind) != ("synthetic", "synthetic"):
                self.note(say("Using synthetic samples instead: errors are indicative only."), "warning")
                self._prepare((SYNTHETIC, SYNTHETIC, chosen[2]))

        def done(prepared: Prepared) -> None:
            self._sources = chosen
            self._prepared(prepared)

        self._work.prepare(self.network, *chosen, done=done, failed=failed)

    def _prepared(self, prepared: Prepared) -> None:
        self._results.forget_errors()
        self.captured = None
        self.data, self.ranges, self.calibration = prepared.info, prepared.ranges, prepared.calibration
        for text in prepared.info.notes:
            self.note(text, "warning")
        self._announce(What.DATA)
        self._announce(What.LOCAL)
        self._announce(What.SENSITIVITY)
        self._announce(What.EVALUATION)
        self._evaluate()
        if self.baseline is not None and self.baseline.plan != self.plan:
            self._measure(self.baseline.plan, (), "baseline")

    # editing --------------------------------------------------------------------------------------------------------

    def set_scheme(self, kernel_ids: Iterable[str], scheme: Scheme, who: str = "") -> None:
        """Set a scheme on kernels: one undo step. Locked kernels and kernels without a switch are left alone."""
        if self.network is None:
            return
        kernels = [k for k in map(self.network.by_id, kernel_ids) if k.tunable and k.id not in self.locked]
        changes = {i: s for i, s in spread(kernels, scheme).items() if self.plan.scheme(i) != s}
        if not changes:
            return
        names = [self.network.by_id(i).name for i in changes]
        if len(names) == 1:
            title = say("{scheme} for {kernel}", scheme=label(scheme), kernel=names[0])
        else:
            title = say("{scheme} for {count} kernels", scheme=label(scheme), count=len(names))
        self._note_kept(spread(kernels, scheme), scheme)
        self.apply_plan(self.plan.with_schemes(changes, ""), title, who)

    def apply_preset(self, name: str, who: str = "") -> None:
        """Set all kernels by a preset's name ("fp16", "int8", "int4", "first_last_fp16"): one undo step."""
        if self.network is not None:
            plan = preset(self.network, name)
            keep = {i: self.plan.scheme(i) for i in self.locked}
            if name in PRESETS:
                self._note_kept(plan, PRESETS[name])
            self.apply_plan(plan.with_schemes(keep), PRESET_TITLES.get(name, say("{name}", name=name)), who)

    def _note_kept(self, given: Mapping[str, Scheme], asked: Scheme) -> None:
        """Say which kernels of a bulk edit take another scheme than asked for."""
        others = [i for i, scheme in given.items() if scheme != asked and i not in self.locked]
        if others:
            self.note(
                say(
                    "{count} depthwise kernels take {gets} instead of {asked}: so few weights save nothing at 4 bits.",
                    count=len(others),
                    gets=label(given[others[0]]),
                    asked=label(asked),
                )
            )

    def apply_plan(self, plan: Plan, title: Text, who: str = "") -> None:
        """Make a plan the current one, as one undo step."""
        if plan == self.plan:
            return
        self._history.push(title, self.plan, plan)
        self._show(plan, who)

    def undo(self, who: str = "") -> None:
        """Take the last edit back."""
        plan = self._history.undo()
        if plan is not None:
            self._show(plan, who)

    def redo(self, who: str = "") -> None:
        """Do the last undone edit again."""
        plan = self._history.redo()
        if plan is not None:
            self._show(plan, who)

    def _show(self, plan: Plan, who: str) -> None:
        assert self.network is not None
        self._results.show(plan, self.network)
        self._announce(What.PLAN, who)
        self._announce(What.EVALUATION, who)
        self._simulate()
        self._evaluate()

    def select(self, kernel_ids: Iterable[str], current: str | None = None, who: str = "") -> None:
        """Select kernels in all views; `current` is the one that the inspector and Compare show."""
        ids = tuple(dict.fromkeys(kernel_ids))
        if current is None:
            current = self.current if self.current in ids else (ids[0] if ids else None)
        if (ids, current) != (self.selection, self.current):
            self.selection, self.current = ids, current
            self._announce(What.SELECTION, who)

    def set_locked(self, kernel_ids: Iterable[str], locked: bool, who: str = "") -> None:
        """Lock or unlock kernels: edits and searches leave locked ones alone."""
        ids = frozenset(kernel_ids)
        self.locked = self.locked | ids if locked else self.locked - ids
        self._announce(What.PLAN, who)

    # device ---------------------------------------------------------------------------------------------------------

    def set_device(self, name_or_path: str | Path) -> None:
        """Simulate another device; a bad profile raises DeviceError and changes nothing."""
        self.device = load_device(name_or_path)
        self._renew_simulation()

    def set_scenario(self, scenario: Scenario) -> None:
        """Change minutes, run rate or ambient temperature of sustained use."""
        self.scenario = scenario
        self._renew_simulation()

    def set_budgets(self, budgets: Budgets) -> None:
        """Change what the plan is held against."""
        self.budgets = budgets
        self._announce(What.DEVICE)

    def _renew_simulation(self) -> None:
        self._results.forget_simulation()
        self._announce(What.DEVICE)
        self._simulate()

    def _simulate(self) -> None:
        if self.network is None:
            return
        self._work.simulate(
            self.network,
            self._results.unsimulated(),
            self.device,
            self.scenario,
            done=self._simulated,
            failed=self._failed,
        )

    def _simulated(self, found: list[Figures]) -> None:
        self._results.simulated(found)
        self._announce(What.SIMULATION)

    # measuring ------------------------------------------------------------------------------------------------------

    def _evaluate(self) -> None:
        missing = self._results.missing_local(tuple(self.plan.items()))
        known = self._results.known(self.plan)
        if known is None or missing:
            self._measure(self.plan, missing, "evaluate")
        else:
            self._evaluated(self.plan, known)

    def _measure(self, plan: Plan, missing: Sequence[tuple[str, Scheme]], key: str) -> None:
        self._work.evaluate(
            plan,
            missing,
            key=key,
            local=self._found_local,
            output=lambda evaluation: self._found_output(plan, evaluation),
            done=lambda evaluation: self._evaluated(plan, evaluation),
            failed=self._failed,
        )

    def _found_local(self, found: Mapping[tuple[str, Scheme], ErrorSums]) -> None:
        self._results.local.update(found)
        self._announce(What.LOCAL)

    def _found_output(self, plan: Plan, evaluation: Evaluation) -> None:
        if plan == self.plan and self.staleness.stale:
            self._results.output_found(plan, evaluation)
            self._announce(What.EVALUATION)

    def _evaluated(self, plan: Plan, evaluation: Evaluation) -> None:
        self._results.evaluated(plan, evaluation)
        self._announce(What.EVALUATION)
        if plan == self.plan and self.network is not None:
            cells = [(kernel.id, scheme) for kernel in self.network.tunable for scheme in (INT4, INT8, FP16)]
            self._work.fill_local(self._results.missing_local(cells), local=self._found_local)

    def start_sweep(self) -> None:
        """Measure the sensitivity of every kernel in every precision that is not known yet."""
        if self.network is None or self.sweeping:
            return
        cells = [cell for cell in cells_of(self.network) if cell not in self.sensitivity]
        self.sweep_job = self._work.sweep(cells, found=self._found_cells, failed=self._failed) if cells else None
        self._announce(What.SENSITIVITY)

    def stop_sweep(self) -> None:
        """Stop the sweep; what it has found stays."""
        if self.sweep_job is not None:
            self.sweep_job.cancel()

    def _found_cells(self, cells: Sequence[SweepCell]) -> None:
        for cell in cells:
            self._results.sensitivity[cell.kernel, cell.scheme] = SensitivityCell(
                cell.kernel, cell.scheme, cell.output.sqnr_db, cell.output.kl
            )
        self._announce(What.SENSITIVITY)

    def capture(self, kernel_id: str, sample: int = 0) -> None:
        """Read the values of a kernel's output for Compare; they arrive as `captured`."""

        def done(found: Capture) -> None:
            self.captured = Captured(kernel_id, found.tensor, sample, found.reference, found.result, found.sums)
            self._announce(What.CAPTURE)

        self._work.capture(kernel_id, self.plan, sample, done=done, failed=self._failed)

    # files ----------------------------------------------------------------------------------------------------------

    def export(self, kind: str, path: Path | str, options: Mapping[str, str] | None = None) -> Job | None:
        """Write files for others; `kind` is a name in `engine.interop.targets`. The log says when they are there."""
        if self.network is None:
            return None
        snapshot = self.snapshot()
        path = Path(path)
        if self.staleness.stale or not self.figures.simulated:
            self.note(
                say("Figures of the last edit are not there yet: {file} leaves them out.", file=path.name), "warning"
            )

        def done(written: Written) -> None:
            self.note(say("Wrote {path}.", path=path))
            for note in written.handover.notes:
                self.note(note)
            for change in written.handover.changes:
                self.note(
                    say(
                        "{kernel}: {asked} becomes {gets} there. {reason}",
                        kernel=change.name,
                        asked=label(change.asked),
                        gets=label(change.gets),
                        reason=change.reason,
                    ),
                    "warning",
                )

        return self.jobs.submit(
            say("Exporting {file}", file=path.name),
            lambda ctx: write_export(kind, path, snapshot, options=options, progress=ctx.progress, cancel=ctx.token),
            on_done=done,
            on_failed=self._failed,
        )

    def snapshot(self) -> Snapshot:
        """All that an export may want, as it is now."""
        assert self.network is not None
        return Snapshot(
            self.network,
            self.plan,
            self.ranges,
            self.calibration,
            self._sources[0].images,
            self._results.settled(),
            dict(self.local),
            dict(self.sensitivity),
            self.data,
        )

    def import_plan(self, path: Path | str, who: str = "") -> None:
        """Apply a plan file as one undo step.

        Raises:
            PlanError: it is no plan, or one for another model.
        """
        if self.network is not None:
            plan = load_plan(Path(path), self.network)
            self.apply_plan(self.plan.with_schemes(plan, plan.name), say("Plan {file}", file=Path(path).name), who)

    def save_project(self, path: Path | str | None = None) -> None:
        """Write the project file (to where it was last saved if no path is given).

        Raises:
            ExportError: it can't be written.
        """
        target = Path(path) if path is not None else self.project_path
        if self.network is None or target is None:
            return
        spare_the_model(target, self.network)
        calibration, evaluation, observer = self._sources
        project = Project.of(
            self.network,
            self.plan,
            shapes=self._shapes,
            device=self._device_reference(),
            scenario=self.scenario,
            budgets=self.budgets,
            calibration=calibration,
            evaluation=evaluation,
            observer=observer,
            locked=sorted(self.locked),
            view=self.view_state,
        )
        write_project(project, target)
        self.project_path, self._saved_plan = target, self.plan
        self._recent.add(target)
        self.note(say("Saved {path}.", path=target))
        self._announce(What.PROJECT)

    def _device_reference(self) -> str:
        """A built-in profile goes by its name, any other by its file."""
        built_in = any(info.name == self.device.name for info in list_devices())
        return self.device.name if built_in else self.device.source

    def close(self) -> None:
        """Stop all work and free everything. The session can't be used afterwards."""
        self._listeners.clear()
        self._work.close()
