"""Session: one model, one plan, its data, device and results. It announces each change; views listen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from engine.asides import sweep
from engine.errors import DeviceError, MixbitError, PlanError
from engine.fusion.types import Network, Rules
from engine.graph.limits import DEFAULT_LIMIT, TooBigError
from engine.interop.handover import Written
from engine.interop.samples import SYNTHETIC
from engine.jobs import Job
from engine.npu import Device, load_device
from engine.precision.notation import title_of
from engine.precision.plan import Plan
from engine.precision.planfile import load_plan, save_plan
from engine.precision.presets import preset
from engine.precision.scheme import FP16
from engine.session.changes import What
from engine.session.claim import Claim, Recovery
from engine.session.document import Document, known_kernels, known_notes, refitted
from engine.session.editing import Editing
from engine.session.exports import Snapshot, spare_the_model, write_export
from engine.session.figures import Results
from engine.session.history import History
from engine.session.opening import opening_plan, stored_note
from engine.session.project import Project, digest_of, read_or_mend, read_project
from engine.session.reading import DEFAULT_DEVICE, Ask, AskMemory
from engine.session.safekeeping import Place
from engine.session.samples import find_sample, sample_of, sources
from engine.text import Text, say
from engine.tuning.methods import check_methods


class Session(Editing):
    """All commands: opening and closing, data and files here, edits and measurements in `Editing`."""

    memory_limit: int = DEFAULT_LIMIT
    """Bytes that a model may take when it is opened and run once."""
    ask_memory: AskMemory | None = None
    """Asks the user about a model beyond that limit; without it such a model is refused."""
    _opening: object | None = None
    """What is being opened, so that a late answer about something else is told from one that counts."""
    _opening_job: Job | None = None
    _fusing: bool = False
    """Whether what is being opened is the open model again, by other fusion rules."""
    _rules_next: Rules | None = None
    """Fusion rules chosen while another model was being opened; they are for that model."""
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
        project, lost = read_or_mend(path)

        def adopt(network: Network) -> None:
            document = project.document(network, str(path))
            self.view_state = dict(project.view)
            self._adopt(network, document, saved=document, place=Place(path, seen))
            if lost is not None:
                self.note(lost, "warning")
            self._say_dropped(project, network)
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
            self._say_dropped(project, network)

        job = self._open(project.model_path, project.shapes, None, adopt, project.rules)
        self._taking = taken
        return job

    def discard(self, recovery: Recovery) -> None:
        """Throw unsaved work of a window that has ended away."""
        self._safe.discard(recovery)

    def _say_dropped(self, project: Project, network: Network) -> None:
        for text in project.kept_plans(network)[1]:
            self.note(text, "warning")

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
            again(answer is None, {**(shapes or {}), **(answer or {})}, ask)

        def allowed(memory_limit: int | None) -> None:
            if memory_limit is not None and self._opening is opening:
                self.memory_limit = memory_limit
            again(memory_limit is None, shapes, ask)

        def again(stop: bool, shapes: Mapping[str, Sequence[int]] | None, ask: Ask | None) -> None:
            if self._opening is opening and stop:
                self._stop_opening()
            elif self._opening is opening:  # goes on with what it has taken; else something else was opened since
                kept, self._taking = (self._rules_next, self._taking, self._fusing), None
                self._open(path, shapes, ask, adopt, chosen)
                self._rules_next, self._taking, self._fusing = kept

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
            wanted, self._rules_next = self._rules_next, None
            if wanted is not None:
                self.set_rules(wanted)

        asking = None if ask is None else lambda question: ask(question, proceed)
        self._opening_job = self._work.open(
            path, shapes, chosen, memory_limit=self.memory_limit, ask=asking, too_big=too_big, done=done,
            failed=self._not_opened,
        )  # fmt: skip
        return self._opening_job

    def _not_opened(self, text: Text) -> None:
        self._stop_opening()
        self._failed(text)

    def _stop_opening(self) -> None:
        """Nothing is being opened any more, and nobody's answer to a question about it counts."""
        if self._opening_job is not None:
            self._opening_job.cancel()
        self._opening = self._opening_job = self._rules_next = None
        self._fusing = False
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
        shared = self._safe.start(saved, place or Place(), taken)
        self.network, self.rules, self._shapes = network, network.rules, dict(document.shapes)
        self.device, self.device_reference = device, reference
        self.scenario, self.budgets = document.scenario, document.budgets
        self.locked, self.notes = document.locked, dict(document.notes)
        self._sources = (document.calibration, document.evaluation, document.observer)
        self._results = Results(document.plan, preset(network, "fp16"))
        self.kept.start(document.kept)
        for text in network.graph.notes:
            self.note(text, "warning")
        self.note(
            say(
                "Opened {file}: {count} {count:kernel|kernels}.",
                file=network.graph.path.name,
                count=len(network.kernels),
            )
        )
        if problem is not None:
            self.note(problem, "warning")
        if shared:
            self.note(say("This project is open in another window; saving asks first."), "warning", told=True)
        self._announce(What.MODEL)
        if self.project_path is not None:
            self._announce(What.PROJECT)
        self._simulate()
        self._prepare(self._sources)

    def _device_of(self, reference: str) -> tuple[Device, str, Text | None]:
        """The device of a project, what it is loaded by, and what is wrong if another one has to stand in for it."""
        if not reference or (reference == self.device_reference and not Path(reference).is_absolute()):
            return self.device, self.device_reference, None
        try:
            return load_device(reference), reference, None  # a file again too: it may say something else by now
        except DeviceError as error:
            if reference == self.device_reference:
                return self.device, reference, None
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
        """Fuse again by other rules; what is set stays for kernels that exist in both.

        A model that is being opened is there first and then takes the rules. Of several calls the last one counts.
        """
        job = self._opening_job
        opening = job is not None and job.active and not job.token.cancelled
        if opening and not self._fusing:
            self._rules_next = rules
            return
        if opening and rules == self.rules:
            self._stop_opening()  # back to the rules that are still in use
        if self.network is None or rules == self.rules:
            self.rules = rules
            return

        def adopt(network: Network) -> None:
            old, saved, place = self.document, self._safe.saved, self._safe.place
            before, history = self.network, self._history
            document = replace(
                old,
                plan=refitted(old.plan, network),
                rules=network.rules,
                locked=known_kernels(network, old.locked),
                notes=known_notes(network, old.notes),
                kept=tuple(replace(kept, plan=refitted(kept.plan, network)) for kept in old.kept),
            )
            self._history = History()  # adopting a model empties it
            self._adopt(network, document, saved=saved, place=place)
            self._history = history
            self._tell_fused(before, network, old.plan, history.refit(lambda plan: refitted(plan, network)))
            self._announce(What.PLAN)

        self._open(self.network.graph.path, self._shapes, None, adopt, rules)
        self._fusing = True

    def _tell_fused(self, before: Network | None, network: Network, plan: Plan, lost: int) -> None:
        """Say what new kernels mean for the plan and its history, and whether they are of the file that was open."""
        if before is not None and before.graph.sha256 != network.graph.sha256:
            self.note(
                say(
                    "{file} is another model than before: the file was replaced while it was open, and is read anew.",
                    file=network.graph.path.name,
                ),
                "warning",
            )
        kernels = {kernel.id for kernel in network.tunable}
        gone = sum(scheme != FP16 and kernel not in kernels for kernel, scheme in plan.items())
        if gone:
            self.note(
                say(
                    "Fused anew: {count} {count:kernel|kernels} whose precision was set {count:is|are} no more; "
                    "new kernels take FP16.",
                    count=gone,
                ),
                "warning",
            )
        if lost:
            self.note(
                say(
                    "{count} {count:step|steps} of the undo history went with kernels that are no more.",
                    count=lost,
                ),
                "warning",
            )

    # files ----------------------------------------------------------------------------------------------------------

    def export(
        self,
        kind: str,
        path: Path | str,
        options: Mapping[str, str] | None = None,
        *,
        wrote: Callable[[], None] | None = None,
        failed: Callable[[Text], None] | None = None,
    ) -> Job | None:
        """Write files for others; the log says when they are there.

        Args:
            kind: a name in `engine.interop.targets`.
            path: the file or folder.
            options: of the target.
            wrote: called when everything is written.
            failed: gets the reason if it can't be written; without it the window shows the reason.
        """
        if self.network is None or not self.look_at_model():
            return None
        snapshot = self.snapshot()
        path = Path(path)
        if self.staleness.stale or not self.figures.simulated:
            self.note(
                say("Figures of the last edit are not there yet: {file} leaves them out.", file=path.name), "warning"
            )

        def done(written: Written) -> None:
            self.note(say("Wrote {path}.", path=path))
            if wrote is not None:
                wrote()
            for note in written.handover.notes:
                self.note(note)
            for change in written.handover.changes:
                self.note(
                    say(
                        "{kernel}: {asked} becomes {gets} there. {reason}",
                        kernel=change.name,
                        asked=title_of(change.asked),
                        gets=title_of(change.gets),
                        reason=change.reason,
                    ),
                    "warning",
                )

        return self.jobs.submit(
            say("Exporting {file}", file=path.name),
            lambda ctx: write_export(kind, path, snapshot, options=options, progress=ctx.progress, cancel=ctx.token),
            on_done=done,
            on_failed=failed or self._failed,
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
        """Apply a plan file as one undo step; locked kernels keep what they have.

        Raises:
            PlanError: it is no plan, one for another model, or one with a weight method that can't be used.
        """
        if self.network is not None:
            plan = load_plan(Path(path), self.network)
            check_methods(self.network, plan, str(path))
            title = say("Plan {file}", file=Path(path).name)
            self.apply_unlocked(self.plan.with_schemes(plan, plan.name), title, who)

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

    def tidy(self, folders: Iterable[Path] = ()) -> None:
        """Remove what killed processes have left half written, in a thread that nobody waits for.

        Args:
            folders: where to look, beside those of recent files and the temporary one.
        """
        where = (*folders, *(path.parent for path in self.recent))
        threading.Thread(target=sweep, args=(where,), name="mixbit-tidy", daemon=True).start()

    def flush(self) -> bool:
        """Wait until unsaved edits would outlive a crash; whether that is so."""
        return self._safe.flush()

    def close(self, *, keep_unsaved: bool = False) -> None:
        """Stop all work and free everything. The session can't be used afterwards.

        Args:
            keep_unsaved: offer unsaved work again at the next start; else it is given up.
        """
        self._listeners.clear()
        self.captured = None
        self._stop_opening()
        self._work.jobs.close()
        self.sweeps.close()
        self._work.close()
        self._safe.close(keep_unsaved)
