"""What changes a plan, and what is computed anew for it: edits, device, evaluations, sweeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from engine.fusion.types import Kernel, Network
from engine.interop.preflight import Observed
from engine.interop.samples import SYNTHETIC, DataSource
from engine.jobs import Job
from engine.npu import list_devices, load_device
from engine.npu.results import Scenario
from engine.numerics.learned import learning_s
from engine.numerics.results import ErrorSums, Evaluation
from engine.precision.plan import Plan
from engine.precision.presets import PRESET_TITLES, called, preset, spread
from engine.precision.scheme import FP16, INT4, INT8, PRESETS, Scheme, label
from engine.session.changes import What
from engine.session.document import LONGEST_NOTE
from engine.session.reading import SessionState
from engine.session.sharing import split_note
from engine.session.state import (
    Budgets,
    Figures,
)
from engine.session.work import Prepared, not_measurable
from engine.text import Text, say
from engine.tuning.methods import fitted, together

_LONG_S = 10
"""Rounding that takes longer is announced."""


class Editing(SessionState):
    """Commands on the open model: each changes the state, starts what has to be computed anew, and announces it."""

    _trial: tuple[Plan, Job] | None = None
    """A plan that is only proposed, and the job that measures it."""
    _told: frozenset[tuple[str, str, Scheme]] = frozenset()
    """Models, kernels and schemes whose rounding has been announced or is done."""

    # editing --------------------------------------------------------------------------------------------------------

    def set_scheme(self, kernel_ids: Iterable[str], scheme: Scheme, who: str = "") -> None:
        """Set a scheme on kernels: one undo step. Locked kernels and kernels without a switch are left alone."""
        if self.network is None:
            return
        asked = [k for k in self._kernels(kernel_ids) if k.tunable]
        kernels = [k for k in asked if k.id not in self.locked]
        self._tell_held(sum(k.id in self.locked and self.plan.scheme(k.id) != scheme for k in asked))
        given = self._fitted(kernels, scheme)
        changes = {i: s for i, s in given.items() if self.plan.scheme(i) != s}
        if not changes:
            return
        names = [self.network.by_id(i).name for i in changes]
        if len(names) == 1:
            title = say("{scheme} for {kernel}", scheme=label(scheme), kernel=names[0])
        else:
            title = say("{scheme} for {count} {count:kernel|kernels}", scheme=label(scheme), count=len(names))
        self._note_kept(given, scheme)
        plan = self.plan.with_schemes(changes, "")
        apart = split_note(self.network, plan, changes)
        self.apply_plan(plan, title, who)
        if apart is not None:
            self.note(apart, told=True)

    def _fitted(self, kernels: Sequence[Kernel], scheme: Scheme) -> dict[str, Scheme]:
        """What kernels get when a scheme is set on them: a method only where it fits, which is said."""
        network = self.network
        assert network is not None
        asked = spread(kernels, scheme)
        given = {k.id: fitted(network, (k,), asked[k.id])[k.id] for k in kernels}
        without = [i for i, own in given.items() if own.rounded == scheme.rounded and own != scheme]
        if without:
            self.note(
                say("{count} {count:kernel|kernels} can't be rounded as {scheme} says, and {count:takes|take} "
                    "the nearest method.",
                    count=len(without), scheme=label(scheme)), told=True
            )  # fmt: skip
        return given | self._taken_along(network, given)

    def _taken_along(self, network: Network, given: Mapping[str, Scheme]) -> dict[str, Scheme]:
        """Other kernels that take a scale together with those that get one, which is said."""
        plan = self.plan.with_schemes(given)
        along = {i: s for k, own in given.items() for i, s in together(network, plan, k, own).items()}
        more = {i: s for i, s in along.items() if i not in given and i not in self.locked and plan.scheme(i) != s}
        if more:
            self.note(
                say(
                    "{count} more {count:kernel shares|kernels share} the scale and {count:takes|take} the method too.",
                    count=len(more),
                ),
                told=True,
            )
        return more

    def _kernels(self, ids: Iterable[str]) -> list[Kernel]:
        """Those that the model has: a view may still show one that was closed a moment ago."""
        wanted = dict.fromkeys(ids)
        known = {} if self.network is None else {k.id: k for k in self.network.kernels if k.id in wanted}
        return [known[i] for i in wanted if i in known]

    def apply_preset(self, name: str, who: str = "") -> None:
        """Set all kernels by a preset's name ("fp16", "int8", "int4", "first_last_fp16"): one undo step."""
        if self.network is not None:
            plan = preset(self.network, name)
            if name in PRESETS:
                self._note_kept(plan, PRESETS[name])
            self.apply_unlocked(plan, PRESET_TITLES.get(name, say("{name}", name=name)), who)

    def _note_kept(self, given: Mapping[str, Scheme], asked: Scheme) -> None:
        """Say which kernels of a bulk edit take another scheme than asked for."""
        others = [i for i, own in given.items() if own.rounded != asked.rounded and i not in self.locked]
        if others:
            self.note(
                say(
                    "{count} depthwise {count:kernel takes|kernels take} {gets} instead of {asked}: so few weights "
                    "save nothing at 4 bits.",
                    count=len(others),
                    gets=label(given[others[0]]),
                    asked=label(asked),
                ),
                told=True,
            )

    def apply_plan(self, plan: Plan, title: Text, who: str = "") -> None:
        """Make a plan the current one, as one undo step. One for kernels that the model lacks is of another model."""
        if plan == self.plan or self.network is None or len(self._kernels(plan)) < len(plan):
            return
        plan = called(self.network, plan)
        self._announce_cost(plan)
        self._history.push(title, self.plan, plan)
        self._show(plan, who)

    def _announce_cost(self, plan: Plan) -> None:
        """Say when weights will take long to round: figures of the new plan come after that."""
        network = self.network
        assert network is not None
        cells = {(network.graph.sha256, kernel, plan.scheme(kernel)) for kernel in plan.difference(self.plan)}
        seconds = learning_s(network, [cell[1:] for cell in cells - self._told])
        self._told |= cells
        if seconds > _LONG_S:
            self.note(
                say(
                    "Rounding by GPTQ takes about {seconds} s here; until then figures are those of before. Jobs shows "
                    "how far it is and can stop it.",
                    seconds=round(seconds, -1) if seconds > 20 else round(seconds),
                ),
                told=True,
            )

    def apply_unlocked(self, plan: Plan, title: Text, who: str = "") -> None:
        """As `apply_plan`, but locked kernels keep what they have, which is said."""
        held = {i: self.plan.scheme(i) for i in self.locked if plan.scheme(i) != self.plan.scheme(i)}
        self.apply_plan(plan.with_schemes(held), title, who)
        self._tell_held(len(held))

    def _tell_held(self, count: int) -> None:
        """Say how many locked kernels an edit was meant for as well."""
        if count:
            words = say("{count} locked {count:layer keeps its|layers keep their} precision.", count=count)
            self.note(words, told=True)

    def _apply_plan(self, plan: Plan, title: Text, who: str) -> None:
        self.apply_plan(plan, title, who)

    def undo(self, who: str = "") -> None:
        """Take the last edit back."""
        self._return(self._history.undo(), who)

    def redo(self, who: str = "") -> None:
        """Do the last undone edit again."""
        self._return(self._history.redo(), who)

    def go_to(self, place: int, who: str = "") -> None:
        """Undo or redo until so many edits of `history` are done."""
        self._return(self._history.go_to(place), who)

    def _return(self, plan: Plan | None, who: str) -> None:
        """Show what the history gives, with the locks of then; None is nothing."""
        if plan is None:
            return
        locked = self._history.locked
        if locked is not None:
            self.locked = frozenset(kernel.id for kernel in self._kernels(locked))
        if plan == self.plan:
            self._announce(What.PLAN, who)
        else:
            self._show(plan, who)

    def known(self, plan: Plan) -> Evaluation | None:
        """The evaluation of any plan, if it was measured with the data in use."""
        return self._results.known(plan)

    def try_plan(self, plan: Plan) -> None:
        """Measure a plan that is only proposed, when nothing else is to be measured; `known` has the result then."""
        if self._results.known(plan) is not None or self.data is None or self.staleness.stale:
            return
        if self._trial is None or self._trial[0] != plan or not self._trial[1].active:
            job = self._measure(plan, (), "trial")
            self._trial = (plan, job) if job is not None else None

    def _show(self, plan: Plan, who: str) -> None:
        assert self.network is not None
        if self._trial is not None:  # nobody waits for it, and it would keep the answer to the edit waiting
            self._trial[1].cancel()
            self._trial = None
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
        """Lock or unlock kernels, as one undo step: edits and searches leave locked ones alone."""
        ids = frozenset(kernel.id for kernel in self._kernels(kernel_ids))
        before, after = self.locked, self.locked | ids if locked else self.locked - ids
        if before == after:
            return
        count = len(before ^ after)
        title = (
            say("Lock {count} {count:kernel|kernels}", count=count)
            if locked
            else say("Unlock {count} {count:kernel|kernels}", count=count)
        )
        self.locked = after
        self._history.push(title, self.plan, self.plan, (before, after))
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
        self.apply_unlocked(self.kept.find(name).plan, say("Plan {name}", name=name), who)

    # data -----------------------------------------------------------------------------------------------------------

    def set_data(self, calibration: DataSource | None, evaluation: DataSource | None, observer: str = "minmax") -> None:
        """Choose samples; None keeps synthetic ones. What was measured is measured again once they are read."""
        if self.network is not None:
            chosen = (calibration or SYNTHETIC, evaluation or SYNTHETIC, observer)
            self._sources_next = chosen
            self._prepare(chosen)
            self._announce(What.PROJECT)  # there is something to save from now on

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
            if self._sources_next == chosen:
                self._sources_next = None
                self._announce(What.PROJECT)
            if self.data is None and self.figures.evaluation is not None:  # of samples that can't be used after all
                self._results.forget_errors()
                self._announce(What.EVALUATION)
            self._failed(text)
            if self.data is None and (chosen[0].kind, chosen[1].kind) != ("synthetic", "synthetic"):
                self.note(say("Using synthetic samples instead: errors are indicative only."), "warning")
                self._prepare((SYNTHETIC, SYNTHETIC, chosen[2]), chosen)

        def done(prepared: Prepared) -> None:
            self._sources, self._sources_next = wish or chosen, None
            self._prepared(prepared)

        plan = self.plan
        self._preparing = self._work.prepare(
            self.network,
            *chosen,
            done=done,
            failed=failed,
            plan=plan if self.data is None else None,  # else what is on show stays until the new data can replace it
            output=lambda evaluation: self._found_output(plan, evaluation),
        )

    def _prepared(self, prepared: Prepared) -> None:
        first, shown = prepared.first, self.figures.evaluation
        holds = first is not None and shown is not None and shown.output is first.output
        holds = holds and not self.staleness.output_stale  # else the plan was edited meanwhile
        self._results.forget_errors()
        if holds and first is not None:
            self._results.output_found(self.plan, first)
        self.refining.forget()
        self.own_metric.forget()
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
        if plan == self.plan:
            self.own_metric.measure()
        self.kept.evaluated(plan, evaluation)
        self._announce(What.EVALUATION)
        reason = not_measurable(self.network, evaluation) if self.network is not None else None
        if reason is not None and reason not in (entry.text for entry in self.log):
            self.note(reason, "warning")
        if plan == self.plan and self.network is not None:
            cells = [(kernel.id, scheme) for kernel in self.network.tunable for scheme in (INT4, INT8, FP16)]
            self.sweeps.estimate()
            self._observe()
            self._work.fill_local(self._results.missing_local(cells), local=self._found_local)

    def _observe(self) -> None:
        """Hold activations against their ranges, once for each set of data."""
        if self.network is None or self.ranges is None or self._results.observed:
            return
        names = [kernel.weight.activation for kernel in self.network.tunable if kernel.weight is not None]
        self._work.observe(names, self.ranges, done=self._observed)

    def _observed(self, found: Mapping[str, Observed]) -> None:
        self._results.observed = found
        self._announce(What.LOCAL)

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
