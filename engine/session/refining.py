"""Weight methods in a session: what each gains on a kernel, and the best ones for many kernels as one edit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from engine.fusion.types import Network
from engine.jobs import Job
from engine.numerics.results import ErrorSums
from engine.precision.plan import Plan
from engine.precision.presets import spread
from engine.precision.scheme import Scheme, label
from engine.session.background import Background, Batches, Bench
from engine.text import Text, say
from engine.tuning.methods import (
    ALL_METHODS,
    Gain,
    Refined,
    compare_methods,
    fitted,
    methods_for,
    refine,
    together,
    why_not,
    with_method,
)


@dataclass(frozen=True, slots=True)
class Host:
    """What refining needs of its session."""

    network: Callable[[], Network | None]
    plan: Callable[[], Plan]
    locked: Callable[[], frozenset[str]]
    apply: Callable[[Plan, Text, str], None]
    found_local: Callable[[Mapping[tuple[str, Scheme], ErrorSums]], None]
    announce: Callable[[], None]
    note: Callable[[Text], None]
    failed: Callable[[Text], None]


class Refining:
    """Commands start work, properties are read by views; all on the owner's thread."""

    def __init__(self, work: Background, host: Host) -> None:
        self._work, self._host = work, host
        self.forget()

    def forget(self) -> None:
        """Another model or other data: what was measured doesn't hold any more."""
        self._gains: dict[tuple[str, Plan], dict[Scheme, Gain]] = {}
        self._comparing: Job | None = None
        self._refining: Job | None = None

    def gains(self, kernel_id: str) -> Mapping[Scheme, Gain]:
        """What is known of a kernel's methods beside the rest of the current plan."""
        return self._gains.get((kernel_id, self._rest(kernel_id)), {})

    def methods(self, kernel_id: str) -> tuple[Scheme, ...]:
        """The kernel's scheme by every method that fits it; empty for float weights."""
        network = self._host.network()
        return (
            ()
            if network is None
            else methods_for(network, network.by_id(kernel_id), self._host.plan().scheme(kernel_id))
        )

    def refused(self, kernel_id: str) -> Mapping[str, Text]:
        """Methods that are not offered for a kernel in its present formats, and why, in a few words."""
        network = self._host.network()
        scheme = self._host.plan().scheme(kernel_id)
        if network is None or scheme.weights.floating:
            return {}
        kernel = network.by_id(kernel_id)
        found = {name: why_not(network, kernel, scheme, name) for name in ALL_METHODS}
        return {name: reason for name, reason in found.items() if reason is not None}

    def shared(self, kernel_id: str, scheme: Scheme) -> int:
        """How many other kernels take a scheme's method along with a kernel, as they have a scale in common."""
        network = self._host.network()
        if network is None:
            return 0
        plan = self._host.plan().with_schemes({kernel_id: scheme})
        return len(together(network, plan, kernel_id, scheme).keys() - {kernel_id} - self._host.locked())

    @property
    def comparing(self) -> bool:
        """Whether a comparison runs."""
        return self._comparing is not None and self._comparing.active

    @property
    def refining(self) -> bool:
        """Whether a search for the best methods runs."""
        return self._refining is not None and self._refining.active

    def compare(self, kernel_id: str) -> Job | None:
        """Measure every method on one kernel, alone and at the output; rows are announced as they come."""
        plan, rest = self._host.plan(), self._rest(kernel_id)

        def run(bench: Bench) -> None:
            def take(some: Sequence[Gain]) -> None:
                self._gains.setdefault((kernel_id, rest), {}).update({gain.scheme: gain for gain in some})
                self._host.announce()

            with closing(bench.evaluator.fork(bench.gate)) as fork, Batches(bench.deliver, take, 0.2) as batches:
                for gain in compare_methods(
                    fork, plan, [kernel_id], progress=bench.ctx.progress, cancel=bench.ctx.token
                ):
                    batches.add(gain)

        self._comparing = self._work.on_bench(
            say("Comparing weight methods"), run, lane="sweep", supersede="methods", failed=self._host.failed,
            done=lambda _: self._host.announce(),
        )  # fmt: skip
        self._host.announce()
        return self._comparing

    def stop_comparing(self) -> None:
        """Nobody looks at the comparison any more; what it has measured stays known."""
        if self._comparing is not None:
            self._comparing.cancel()

    def refine(self, kernel_ids: Iterable[str] | None = None, who: str = "") -> Job | None:
        """Choose methods for kernels (None = all) by measurement; what helps becomes one undo step.

        An edit of the plan in the meantime stands: the methods are then put on kernels whose formats are still those
        that were measured.
        """
        network = self._host.network()
        if network is None:
            return None
        wanted = {k.id for k in network.tunable} if kernel_ids is None else set(kernel_ids)
        plan = self._host.plan()
        chosen = [k.id for k in network.tunable if k.id in wanted - self._host.locked()]

        def run(bench: Bench) -> Refined:
            with closing(bench.evaluator.fork(bench.gate)) as fork:
                return refine(fork, plan, chosen, progress=bench.ctx.progress, cancel=bench.ctx.token)

        self._refining = self._work.on_bench(
            say("Choosing weight methods"), run, lane="sweep", supersede="refine", failed=self._host.failed,
            done=lambda found: self._refined(found, who),
        )  # fmt: skip
        self._host.announce()
        return self._refining

    def _refined(self, found: Refined, who: str) -> None:
        now = self._host.plan()
        valid = {k: found.plan[k] for k in found.changed if now.scheme(k).rounded == found.plan[k].rounded}
        changes = {k: scheme for k, scheme in valid.items() if k not in self._host.locked()}
        self._host.announce()
        if len(changes) < len(valid):
            self._host.note(
                say(
                    "{count} locked {count:layer keeps its|layers keep their} precision.",
                    count=len(valid) - len(changes),
                )
            )
            if not changes:
                return
        if not changes:
            self._host.note(say("No weight method gains anything at the output; the plan stays as it is."))
            return
        before, after = f"{found.before_db:.1f}", f"{found.after_db:.1f}"
        self._host.note(
            say(
                "Weight methods for {count} {count:kernel|kernels}: output SQNR {before} dB before, {after} dB after.",
                count=len(changes),
                before=before,
                after=after,
            )
        )
        title = say("Weight methods for {count} {count:kernel|kernels}", count=len(changes))
        self._host.apply(now.with_schemes(changes, ""), title, who)

    def set_method(self, kernel_ids: Iterable[str], method: str, corrected: bool, who: str = "") -> None:
        """Set a method on kernels without measuring: one undo step. Kernels that it doesn't fit are rounded."""
        network = self._host.network()
        if network is None:
            return
        plan = self._host.plan()
        everywhere = with_method(network, plan, method, corrected)
        wanted = set(kernel_ids) - self._host.locked()
        changes = {k: everywhere[k] for k in wanted if k in everywhere and everywhere[k] != plan.scheme(k)}
        if changes:
            one = next(iter(changes.values()))
            name = label(replace(one, method=method, corrected=corrected))
            self._host.apply(
                plan.with_schemes(changes, ""),
                say("{scheme} for {count} {count:kernel|kernels}", scheme=name, count=len(changes)),
                who,
            )

    def fitted(self, kernel_ids: Iterable[str], scheme: Scheme) -> dict[str, Scheme]:
        """What kernels take when a scheme is set on them: its method and corrected bias only where they fit."""
        network = self._host.network()
        if network is None:
            return {}
        kernels = [network.by_id(kernel) for kernel in kernel_ids]
        given = spread(kernels, scheme)
        return {k.id: fitted(network, (k,), given[k.id])[k.id] for k in kernels if k.id in given}

    def try_schemes(self, cells: Sequence[tuple[str, Scheme]]) -> Job | None:
        """Measure the local error that kernels would have in schemes; found among the session's local errors."""

        def run(bench: Bench) -> None:
            def take(some: Sequence[tuple[tuple[str, Scheme], ErrorSums]]) -> None:
                self._host.found_local(dict(some))

            with Batches(bench.deliver, take, 0.1) as batches:
                for kernel, tried, sums in bench.evaluator.local_errors(cells, cancel=bench.ctx.token):
                    batches.add(((kernel, tried), sums))

        return self._work.on_bench(
            say("Local error of a candidate"), run, lane="engine", supersede="candidate", failed=self._host.failed
        )

    def _rest(self, kernel_id: str) -> Plan:
        """The current plan with the kernel rounded to nearest: what a comparison of its methods depends on."""
        plan = self._host.plan()
        return plan.with_schemes({kernel_id: plan.scheme(kernel_id).rounded})
