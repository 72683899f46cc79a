"""Session: one model, one plan, its data, device and results. It announces each change; views listen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from engine.errors import DeviceError, MixbitError, PlanError
from engine.fusion.types import Kernel, Network, Rules
from engine.graph.limits import DEFAULT_LIMIT, TooBigError
from engine.interop.handover import Written
from engine.interop.samples import SYNTHETIC, DataSource
from engine.jobs import Job
from engine.npu import Device, list_devices, load_device
from engine.npu.results import Scenario
from engine.numerics.results import ErrorSums, Evaluation
from engine.precision.plan import Plan
from engine.precision.planfile import load_plan, save_plan
from engine.precision.presets import PRESET_TITLES, preset, spread
from engine.precision.scheme import FP16, INT4, INT8, PRESETS, Scheme, label
from engine.session.changes import What
from engine.session.claim import Claim, Recovery
from engine.session.document import LONGEST_NOTE, Document, known_kernels, known_notes, refitted
from engine.session.exports import Snapshot, spare_the_model, write_export
from engine.session.figures import Results
from engine.session.opening import opening_plan, stored_note
from engine.session.project import digest_of, read_project
from engine.session.reading import DEFAULT_DEVICE, Ask, AskMemory, SessionState
from engine.session.safekeeping import Place
from engine.session.samples import find_sample, sample_of, sources
from engine.session.sharing import split_note
from engine.session.state import (
    Budgets,
    Figures,
)
from engine.session.work import Prepared, not_measurable
from engine.text import Text, say
from engine.tuning.methods import fitted


class Session(SessionState):
    """The commands: each changes the state, starts what has to be computed anew, and announces it."""

    memory_limit: int = DEFAULT_LIMIT
    """Bytes that a model may take when it is opened and run once."""
    ask_memory: AskMemory | None = None
    """Asks the user about a model beyond that limit; without it such a model is refused."""
    _opening: object | None = None
    """What is being opened, so that a late answer about something else is told from one that counts."""
    _opening_job: Job | None = None
    _taking: Claim | None = None
    """Unsaved work whose model is being opened."""

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
        calibration, evaluation = sources(sample) if sample is not None else (SYNTHETIC, SYNTHETIC)

        def adopt(network: Network) -> None:
            document = Document(
                opening_plan(network),
                network.rules,
                {i.name: i.shape for i in network.graph.inputs},
                self.device_reference,
                self.scenario,
                self.budgets,
                calibration,
                evaluation,
            )
            self.view_state = {}
            self._adopt(network, document, saved=document)
            quantized = stored_note(network)
            if quantized is not None:
                self.note(quantized)

        return self._open(path, shapes, ask, adopt)

    def open_sample(self, name: str) -> Job:
        """Open a model that comes with Mixbit, with its own data; errors as in `find_sample`."""
        return self.open_model(find_sample(name).model)

    def open_project(self, path: Path | str) -> Job:
        """Open a saved project: model, data, device, budgets, plan, view.

        Raises:
            PlanError: the file is no project, or from a newer version.
        """
        path = Path(path)
        seen = digest_of(path)
        project = read_project(path)

        def adopt(network: Network) -> None:
            document = project.document(network)
            self.view_state = dict(project.view)
            self._adopt(network, document, saved=document, place=Place(path, seen))
            self._recent.add(path)

        return self._open(project.model_path, project.shapes, None, adopt, project.rules)

    def recover(self, recovery: Recovery) -> Job:
        """Go on with unsaved work of a window that has ended without asking.

        Raises:
            PlanError: it can't be read, or another window has it already.
        """
        taken = self._safe.take(recovery)
        try:
            project = read_project(Path(recovery.about.work))
        except PlanError:
            taken.release()
            raise

        def adopt(network: Network) -> None:
            document = project.document(network)
            self.view_state = dict(project.view)
            self._taking = None
            about = recovery.about
            place = Place(Path(about.project) if about.project else None, about.base)
            self._adopt(network, document, saved=None, place=place, taken=taken)

        job = self._open(project.model_path, project.shapes, None, adopt, project.rules)
        self._taking = taken
        return job

    def discard(self, recovery: Recovery) -> None:
        """Throw unsaved work of a window that has ended away."""
        self._safe.discard(recovery)

    def _open(
        self,
        path: Path,
        shapes: Mapping[str, Sequence[int]] | None,
        ask: Ask | None,
        adopt: Callable[[Network], None],
        rules: Rules | None = None,
    ) -> Job:
        chosen = rules or self.rules
        self._stop_opening()
        self._opening = opening = object()

        def proceed(answer: Mapping[str, tuple[int, ...]] | None) -> None:
            if answer is not None and self._opening is opening:  # else something else was opened or closed since
                self._open(path, {**(shapes or {}), **answer}, None, adopt, chosen)

        def allowed(memory_limit: int | None) -> None:
            if memory_limit is not None and self._opening is opening:
                self.memory_limit = memory_limit
                self._open(path, shapes, ask, adopt, chosen)

        def too_big(error: TooBigError) -> None:
            if self.ask_memory is None:
                self._not_opened(error.text)
            else:
                self.ask_memory(error, allowed)

        def done(network: Network) -> None:
            try:
                adopt(network)
            except MixbitError as error:  # a project whose plan doesn't fit its model any more
                self._not_opened(error.text)
                return
            self._recent.add(path)

        asking = None if ask is None else lambda inputs: ask(inputs, proceed)
        self._opening_job = self._work.open(
            path,
            shapes,
            chosen,
            memory_limit=self.memory_limit,
            ask=asking,
            too_big=too_big,
            done=done,
            failed=self._not_opened,
        )
        return self._opening_job

    def _not_opened(self, text: Text) -> None:
        self._stop_opening()
        self._failed(text)

    def _stop_opening(self) -> None:
        """Nothing is being opened any more, and nobody's answer to a question about it counts."""
        if self._opening_job is not None:
            self._opening_job.cancel()
        self._opening = self._opening_job = None
        if self._taking is not None:
            self._taking.release()
            self._taking = None

    def _adopt(
        self,
        network: Network,
        document: Document,
        *,
        saved: Document | None,
        place: Place | None = None,
        taken: Claim | None = None,
    ) -> None:
        """Have a model and what the user has set for it.

        Args:
            network: the model.
            document: what is set.
            saved: what would not be lost.
            place: where it belongs.
            taken: unsaved work that this goes on with.
        """
        device, reference, problem = self._device_of(document.device)
        self.sweeps.forget()
        self.searches.forget()
        self.comparing.forget()
        self.measurements.forget()
        self._work.forget()
        self._empty()
        self._safe.start(saved, place or Place(), taken)
        self.network, self.rules, self._shapes = network, network.rules, dict(document.shapes)
        self.device, self.device_reference = device, reference
        self.scenario, self.budgets = document.scenario, document.budgets
        self.locked, self.notes = document.locked, dict(document.notes)
        self._sources = (document.calibration, document.evaluation, document.observer)
        self._results = Results(document.plan, preset(network, "fp16"))
        self.kept.start(document.kept)
        for text in network.graph.notes:
            self.note(text, "warning")
        self.note(say("Opened {file}: {count} kernels.", file=network.graph.path.name, count=len(network.kernels)))
        if problem is not None:
            self.note(problem, "warning")
        self._announce(What.MODEL)
        if self.project_path is not None:
            self._announce(What.PROJECT)
        self._simulate()
        self._prepare(self._sources)

    def _device_of(self, reference: str) -> tuple[Device, str, Text | None]:
        """The device of a project, what it is loaded by, and what is wrong if another one has to stand in for it."""
        if reference in ("", self.device_reference):
            return self.device, self.device_reference, None
        try:
            return load_device(reference), reference, None
        except DeviceError as error:
            problem = say("{problem} {device} is simulated instead.", problem=error.text, device=DEFAULT_DEVICE)
            return load_device(DEFAULT_DEVICE), DEFAULT_DEVICE, problem

    def close_model(self) -> None:
        """Back to the start page; an opening under way is given up."""
        self._stop_opening()
        self.sweeps.forget()
        self.searches.forget()
        self.comparing.forget()
        self.measurements.forget()
        self._work.forget()
        self._safe.start(None, Place())
        self._empty()
        self._announce(What.MODEL)

    def set_rules(self, rules: Rules) -> None:
        """Fuse again by other rules; what is set stays for kernels that exist in both."""
        if self.network is None or rules == self.rules:
            self.rules = rules
            return

        def adopt(network: Network) -> None:
            old, saved, place = self.document, self._safe.saved, self._safe.place
            document = replace(
                old,
                plan=refitted(old.plan, network),
                rules=network.rules,
                locked=known_kernels(network, old.locked),
                notes=known_notes(network, old.notes),
                kept=tuple(replace(kept, plan=refitted(kept.plan, network)) for kept in old.kept),
            )
            self._adopt(network, document, saved=saved, place=place)

        self._open(self.network.graph.path, self._shapes, None, adopt, rules)

    # data -----------------------------------------------------------------------------------------------------------

    def set_data(self, calibration: DataSource | None, evaluation: DataSource | None, observer: str = "minmax") -> None:
        """Choose samples; None keeps synthetic ones. What was measured is measured again once they are read."""
        if self.network is not None:
            self._prepare((calibration or SYNTHETIC, evaluation or SYNTHETIC, observer))

    def _prepare(
        self, chosen: tuple[DataSource, DataSource, str], wish: tuple[DataSource, DataSource, str] | None = None
    ) -> None:
        """Bring the data in. Data that can't be used changes nothing, unless there is none yet.

        Args:
            chosen: what is read.
            wish: what the project keeps, if it can't be read now.
        """
        assert self.network is not None

        def failed(text: Text) -> None:
            self._failed(text)
            if self.data is None and (chosen[0].kind, chosen[1].kind) != ("synthetic", "synthetic"):
                self.note(say("Using synthetic samples instead: errors are indicative only."), "warning")
                self._prepare((SYNTHETIC, SYNTHETIC, chosen[2]), chosen)

        def done(prepared: Prepared) -> None:
            self._sources = wish or chosen
            self._prepared(prepared)

        self._preparing = self._work.prepare(self.network, *chosen, done=done, failed=failed)

    def _prepared(self, prepared: Prepared) -> None:
        self._results.forget_errors()
        self.refining.forget()
        self.sweeps.forget()
        self.searches.forget()
        self.captured = None
        self.data, self.ranges, self.calibration = prepared.info, prepared.ranges, prepared.calibration
        for text in prepared.info.notes:
            self.note(text, "warning")
        self._announce(What.DATA)
        self._announce(What.LOCAL)
        self._announce(What.SENSITIVITY)
        self._announce(What.EVALUATION)
        self._evaluate()
        self.kept.data_changed()

    # editing --------------------------------------------------------------------------------------------------------

    def set_scheme(self, kernel_ids: Iterable[str], scheme: Scheme, who: str = "") -> None:
        """Set a scheme on kernels: one undo step. Locked kernels and kernels without a switch are left alone."""
        if self.network is None:
            return
        kernels = [k for k in self._kernels(kernel_ids) if k.tunable and k.id not in self.locked]
        given = self._fitted(kernels, scheme)
        changes = {i: s for i, s in given.items() if self.plan.scheme(i) != s}
        if not changes:
            return
        names = [self.network.by_id(i).name for i in changes]
        if len(names) == 1:
            title = say("{scheme} for {kernel}", scheme=label(scheme), kernel=names[0])
        else:
            title = say("{scheme} for {count} kernels", scheme=label(scheme), count=len(names))
        self._note_kept(given, scheme)
        plan = self.plan.with_schemes(changes, "")
        apart = split_note(self.network, plan, changes)
        self.apply_plan(plan, title, who)
        if apart is not None:
            self.note(apart)

    def _fitted(self, kernels: Sequence[Kernel], scheme: Scheme) -> dict[str, Scheme]:
        """What kernels get when a scheme is set on them: a method only where it fits, which is said."""
        given = {k.id: fitted((k,), own)[k.id] for k in kernels for own in (spread(kernels, scheme)[k.id],)}
        without = [i for i, own in given.items() if own.rounded == scheme.rounded and own != scheme]
        if without:
            self.note(
                say("{count} kernels can't be rounded as {scheme} says, and take the nearest method.",
                    count=len(without), scheme=label(scheme))
            )  # fmt: skip
        return given

    def _kernels(self, ids: Iterable[str]) -> list[Kernel]:
        """Those that the model has: a view may still show one that was closed a moment ago."""
        wanted = dict.fromkeys(ids)
        known = {} if self.network is None else {k.id: k for k in self.network.kernels if k.id in wanted}
        return [known[i] for i in wanted if i in known]

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
        others = [i for i, own in given.items() if own.rounded != asked.rounded and i not in self.locked]
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
        """Make a plan the current one, as one undo step. One for kernels that the model lacks is of another model."""
        if plan == self.plan or self.network is None or len(self._kernels(plan)) < len(plan):
            return
        self._history.push(title, self.plan, plan)
        self._show(plan, who)

    def _apply_plan(self, plan: Plan, title: Text, who: str) -> None:
        self.apply_plan(plan, title, who)

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

    def go_to(self, place: int, who: str = "") -> None:
        """Undo or redo until so many edits of `history` are done."""
        plan = self._history.go_to(place)
        if plan is not None:
            self._show(plan, who)

    def _show(self, plan: Plan, who: str) -> None:
        assert self.network is not None
        self._results.show(plan, self.network)
        self.searches.plan_changed()
        self._announce(What.PLAN, who)
        self._announce(What.EVALUATION, who)
        self._simulate()
        self._evaluate()

    def select(self, kernel_ids: Iterable[str], current: str | None = None, who: str = "") -> None:
        """Select kernels in all views; `current` is the one that the inspector and Compare show."""
        ids = tuple(kernel.id for kernel in self._kernels(kernel_ids))
        if current is not None and not self._kernels((current,)):
            current = None
        if current is None:
            current = self.current if self.current in ids else (ids[0] if ids else None)
        if (ids, current) != (self.selection, self.current):
            self.selection, self.current = ids, current
            self._announce(What.SELECTION, who)

    def set_locked(self, kernel_ids: Iterable[str], locked: bool, who: str = "") -> None:
        """Lock or unlock kernels: edits and searches leave locked ones alone."""
        ids = frozenset(kernel.id for kernel in self._kernels(kernel_ids))
        self.locked = self.locked | ids if locked else self.locked - ids
        self._announce(What.PLAN, who)

    def set_note(self, kernel_id: str, text: str, who: str = "") -> None:
        """Write down something about a kernel; '' for nothing."""
        text = text.strip()[:LONGEST_NOTE]
        if self._kernels((kernel_id,)) and text != self.notes.get(kernel_id, ""):
            others = {kernel: note for kernel, note in self.notes.items() if kernel != kernel_id}
            self.notes = {**others, kernel_id: text} if text else others
            self._announce(What.PLAN, who)

    def keep_plan(self, name: str) -> None:
        """Keep the current plan by a name; PlanError if the name can't be taken."""
        if self.network is not None:
            self.kept.keep(name, self.plan, self._results.settled())

    def apply_kept(self, name: str, who: str = "") -> None:
        """Make a kept plan the current one, as one undo step; locked kernels keep what they have."""
        kept = self.kept.find(name)
        locked = {i: self.plan.scheme(i) for i in self.locked}
        plan = kept.plan.with_schemes(locked)
        self.apply_plan(plan, say("Plan {name}", name=name), who)

    # device ---------------------------------------------------------------------------------------------------------

    def _use_device(self, path: Path) -> None:
        self.set_device(path)

    def set_device(self, name_or_path: str | Path) -> None:
        """Simulate another device; a bad profile raises DeviceError and changes nothing."""
        self.device = load_device(name_or_path)
        shipped = str(name_or_path).lower() in {info.name.lower() for info in list_devices()}
        self.device_reference = self.device.name if shipped else str(Path(name_or_path).absolute())
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
        self.kept.device_changed()
        self.searches.device_changed()
        self._announce(What.DEVICE)
        self._simulate()

    def _simulate(self) -> None:
        if self.network is None:
            return
        self._work.simulate(
            self.network,
            list(dict.fromkeys((*self._results.unsimulated(), *self.kept.unsimulated()))),
            self.device,
            self.scenario,
            done=self._simulated,
            failed=self._failed,
        )

    def _simulated(self, found: list[Figures]) -> None:
        self._results.simulated(found)
        self.kept.simulated([figures for figures in found if figures.warmed])
        self._announce(What.SIMULATION)

    # measuring ------------------------------------------------------------------------------------------------------

    def _evaluate(self) -> None:
        missing = self._results.missing_local(tuple(self.plan.items()))
        known = self._results.known(self.plan)
        if known is None or missing:
            self._evaluating = self._measure(self.plan, missing, "evaluate")
        else:
            self._evaluated(self.plan, known)
        self._ensure_baseline()

    def _ensure_baseline(self) -> None:
        """Measure all-FP16 behind the current plan, unless that is it: an edit may have superseded its evaluation."""
        baseline = self.baseline
        if baseline is None or baseline.evaluation is not None or baseline.plan == self.plan:
            return
        job = self._measuring_baseline
        if job is None or not job.active or job.token.cancelled:
            self._measuring_baseline = self._measure(baseline.plan, (), "baseline")

    def measure_again(self) -> None:
        """Compute what is missing or stale after its job was cancelled or has failed; what is known stays."""
        if self.network is None:
            return
        self._simulate()
        if self.data is None:
            self._prepare(self._sources)
        else:
            self._evaluate()

    def _measure(self, plan: Plan, missing: Sequence[tuple[str, Scheme]], key: str) -> Job | None:
        return self._work.evaluate(
            plan,
            missing,
            key=key,
            local=self._found_local,
            output=lambda evaluation: self._found_output(plan, evaluation),
            done=lambda evaluation: self._evaluated(plan, evaluation),
            failed=self._failed,
        )

    def _measure_kept(self, plan: Plan) -> None:
        self._simulate()
        if self.data is None:
            return
        missing = self._results.missing_local(tuple(plan.items()))
        known = self._results.known(plan)
        if known is None or missing:
            self._measure(plan, missing, f"kept {hash(plan)}")
        else:
            self._evaluated(plan, known)

    def _found_local(self, found: Mapping[tuple[str, Scheme], ErrorSums]) -> None:
        self._results.local.update(found)
        self._announce(What.LOCAL)

    def _found_output(self, plan: Plan, evaluation: Evaluation) -> None:
        if plan == self.plan and self.staleness.stale:
            self._results.output_found(plan, evaluation)
            self._announce(What.EVALUATION)

    def _evaluated(self, plan: Plan, evaluation: Evaluation) -> None:
        self._results.evaluated(plan, evaluation)
        self.kept.evaluated(plan, evaluation)
        self._announce(What.EVALUATION)
        reason = not_measurable(self.network, evaluation) if self.network is not None else None
        if reason is not None and reason not in (entry.text for entry in self.log):
            self.note(reason, "warning")
        if plan == self.plan and self.network is not None:
            cells = [(kernel.id, scheme) for kernel in self.network.tunable for scheme in (INT4, INT8, FP16)]
            self.sweeps.estimate()
            self._work.fill_local(self._results.missing_local(cells), local=self._found_local)

    def start_sweep(self) -> None:
        """Measure the sensitivity of every kernel in every scheme that is not known yet."""
        self.sweeps.start("one-in")

    def stop_sweep(self) -> None:
        """Stop the exact sweep; what it has found stays."""
        self.sweeps.stop()

    def capture(self, kernel_id: str, sample: int = 0) -> None:
        """Read a kernel's values from the two sources of `comparing`; they arrive as `captured`."""
        if self._kernels((kernel_id,)):
            self.comparing.ask(kernel_id, sample)

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

    def export_kept(self, name: str, path: Path | str) -> None:
        """Write a kept plan as a plan file.

        Raises:
            PlanError: no plan has that name.
            ExportError: the file can't be written.
        """
        kept = self.kept.find(name)
        if self.network is not None:
            spare_the_model(Path(path), self.network)
            save_plan(kept.plan, self.network, Path(path))
            self.note(say("Wrote {path}.", path=path))

    def save_project(self, path: Path | str | None = None, *, overwrite: bool = False) -> None:
        """Write the project file (to where it was last saved if no path is given).

        Args:
            path: the file.
            overwrite: even if another window has written it since it was opened here.

        Raises:
            ChangedElsewhereError: another window has written it, and `overwrite` is not given.
            ExportError: it can't be written.
        """
        target = Path(path) if path is not None else self.project_path
        if self.network is None or target is None:
            return
        spare_the_model(target, self.network)
        self._safe.save(self.document, self.network, self.view_state, target, overwrite)
        self._recent.add(target)
        self.note(say("Saved {path}.", path=target))
        self._announce(What.PROJECT)

    def flush(self) -> bool:
        """Wait until unsaved edits would outlive a crash; whether that is so."""
        return self._safe.flush()

    def close(self) -> None:
        """Stop all work and free everything. The session can't be used afterwards."""
        self._listeners.clear()
        self.captured = None
        self._stop_opening()
        self._work.jobs.close()
        self.sweeps.close()
        self._work.close()
        self._safe.close()
