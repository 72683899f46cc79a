"""What Compare shows: values of one kernel from two sources, and dumps of others among the sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from engine.errors import DataError
from engine.fusion.types import Kernel, Network, Weight
from engine.graph.types import Array
from engine.interop.dump_matching import MatchTable, match_dump
from engine.interop.dump_open import open_dump
from engine.interop.dump_weights import Key
from engine.interop.msprof import read_fusions
from engine.jobs import Job, JobContext
from engine.numerics import Evaluator
from engine.numerics.comparison import Levels
from engine.numerics.dumps.errors import tensor_error
from engine.numerics.dumps.manifest import feeds_hash
from engine.precision.plan import Plan
from engine.precision.scheme import FP32, Scheme
from engine.progress import CancelToken
from engine.quant.matrix import to_matrix
from engine.quant.ranges import Ranges, activation_params
from engine.quant.scaling import PLAIN
from engine.quant.weights import fake_quantize
from engine.session.background import Background, Bench
from engine.session.emulating import emulated_kernel
from engine.session.names_kept import NamesKept
from engine.session.on_device import device_output
from engine.session.state import Captured
from engine.text import Text, say

SourceKind = Literal["reference", "plan", "kept", "emulated", "device", "dump"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where values come from."""

    kind: SourceKind
    name: str = ""
    """Of a kept plan, or the path of a dump."""


REFERENCE, CURRENT, EMULATED = Source("reference"), Source("plan"), Source("emulated")
ON_DEVICE = Source("device")
"""The kernel by itself as the device runs it: its special kernels, or products in the Cube's blocks."""


@dataclass(frozen=True, slots=True)
class Host:
    """What comparing needs of its session."""

    network: Callable[[], Network | None]
    plan: Callable[[], Plan]
    kept: Callable[[], Mapping[str, Plan]]
    """Kept plans by name."""
    ranges: Callable[[], Ranges | None]
    found: Callable[[Captured], None]
    announce: Callable[[], None]
    note: Callable[[Text], None]
    failed: Callable[[Text], None]
    folder: Path | None
    """Where corrections of names are kept from run to run; None = nowhere."""
    family: Callable[[], str] = lambda: "kirin"
    """Column of the operator table of the device."""


class Comparing:
    """Commands start work, properties are read by views; all on the owner's thread."""

    def __init__(self, work: Background, host: Host) -> None:
        self._work, self._host = work, host
        self._names = NamesKept(host.folder)
        self.forget()

    def forget(self) -> None:
        """Another model: start with the reference and the current plan."""
        self.a, self.b = REFERENCE, CURRENT
        self.weights = False
        """Whether weights are compared instead of outputs."""
        self.dumps: dict[str, MatchTable] = {}
        """By path."""
        self._readings: list[Job] = []

    def sources(self) -> tuple[Source, ...]:
        """All that A or B can be."""
        kept = tuple(Source("kept", name) for name in self._host.kept())
        return (REFERENCE, CURRENT, *kept, EMULATED, ON_DEVICE, *(Source("dump", path) for path in self.dumps))

    def choose(self, a: Source | None = None, b: Source | None = None, *, weights: bool | None = None) -> None:
        """Compare other sources, or weights instead of outputs; None leaves a choice as it is."""
        self.a, self.b = a or self.a, b or self.b
        self.weights = self.weights if weights is None else weights
        self._host.announce()

    def swap(self) -> None:
        """Make A what B was, and B what A was."""
        self.choose(self.b, self.a)

    # dumps ----------------------------------------------------------------------------------------------------------

    def open_dump(self, path: Path, fusions: Path | None = None) -> Job | None:
        """Read the headers of a dump and match its names; it becomes A, or B where A is one already.

        Args:
            path: A folder or file.
            fusions: A fusion table (CSV) of the compiler, for the names of fused operators; without, one that lies
                in the dump's folder (fusion_op*.csv) is used.
        """
        network = self._host.network()
        if network is None:
            return None
        corrections = self._names.of(network.graph.sha256)

        def work(ctx: JobContext) -> MatchTable:
            dump = open_dump(path, inputs=True, progress=ctx.progress, cancel=ctx.token)
            table = fusions or fusions_beside(path)
            names = read_fusions(table) if table is not None else {}
            return match_dump(dump, network, fusions=names, corrections=corrections)

        second = any(job.active for job in self._readings)  # whichever of two is read sooner, A is the one asked first

        def done(table: MatchTable) -> None:
            if self._host.network() is not network:
                return
            matched = sum(1 for match in table.matches if match.kernel)
            for note in table.dump.notes:
                self._host.note(note)
            if not matched:
                self._host.failed(
                    say("{path}: none of its {count} names is a layer of this model; see the table of names.",
                        path=path, count=len(table.matches))
                )  # fmt: skip
            source = Source("dump", str(path))
            self.dumps[source.name] = table
            if second or self.a.kind == "dump" or self.a == CURRENT:
                self.choose(b=source)
            else:
                self.choose(a=source)

        job = self._work.jobs.submit(
            say("Reading the dump {file}", file=path.name),
            work,
            lane="query",
            supersede=f"open dump {path}",
            on_done=done,
            on_failed=self._host.failed,
        )
        self._readings = [*(known for known in self._readings if known.active), job]
        return job

    def use_fusions(self, path: str, table: Path) -> Job | None:
        """Match the names of an open dump anew, with a fusion table (CSV) of the compiler."""
        network, known = self._host.network(), self.dumps.get(path)
        if network is None or known is None:
            return None
        corrections = self._names.of(network.graph.sha256)

        def done(found: MatchTable) -> None:
            if self._host.network() is network and path in self.dumps:
                self.dumps[path] = found
                self._host.announce()

        return self._work.jobs.submit(
            say("Reading the fusion table {file}", file=table.name),
            lambda ctx: match_dump(known.dump, network, fusions=read_fusions(table), corrections=corrections),
            lane="query",
            supersede="open dump",
            on_done=done,
            on_failed=self._host.failed,
        )

    def close_dump(self, path: str) -> None:
        """Take a dump off the list."""
        self.dumps.pop(path, None)
        gone = Source("dump", path)
        self.choose(REFERENCE if self.a == gone else None, CURRENT if self.b == gone else None)

    def correct(self, path: str, name: str, key: Key | None) -> None:
        """Say which output a name of a dump is (None: none at all); remembered for this model."""
        network, table = self._host.network(), self.dumps.get(path)
        if network is None or table is None:
            return
        problem = self._names.keep(network.graph.sha256, name, key)
        if problem is not None:
            self._host.note(problem)
        corrections = {**self._names.of(network.graph.sha256), name: key}
        self.dumps[path] = match_dump(table.dump, network, fusions=table.fusions, corrections=corrections)
        self._host.announce()

    # values ---------------------------------------------------------------------------------------------------------

    def ask(self, kernel_id: str, sample: int) -> None:
        """Read the values of a kernel from both sources; they arrive as the session's `captured`."""
        network, ranges = self._host.network(), self._host.ranges()
        if network is None or ranges is None:
            return
        kernel = network.by_id(kernel_id)
        reading = _Reading(
            network,
            kernel,
            sample,
            ranges,
            self._host.plan(),
            dict(self._host.kept()),
            dict(self.dumps),
            self._host.family(),
        )
        a, b, weights = self.a, self.b, self.weights

        def work(bench: Bench) -> Captured:
            if weights:
                return reading.weights(a, b, bench.ctx.token)
            return reading.outputs(a, b, bench.evaluator, bench.ctx.token)

        self._work.on_bench(
            say("Reading values"),
            work,
            lane="engine",
            supersede="capture",
            done=self._host.found,
            failed=self._host.failed,
        )


@dataclass(frozen=True, eq=False, slots=True)
class _Reading:
    """One question, with all that its answer needs."""

    network: Network
    kernel: Kernel
    sample: int
    ranges: Ranges
    plan: Plan
    kept: Mapping[str, Plan]
    dumps: Mapping[str, MatchTable]
    family: str
    ran: dict[Source, Text] = field(default_factory=dict)
    """How the device ran the kernel, by side."""

    def outputs(self, a: Source, b: Source, evaluator: Evaluator, cancel: CancelToken) -> Captured:
        """Both sources' first float output."""
        kernel, tensors = self.kernel, self.network.tensors
        floats = [n for n in kernel.outputs if n in tensors and tensors[n].dtype.kind == "f"]
        tensor = (floats or list(kernel.outputs))[0]
        before, now = (self._output(source, tensor, evaluator, cancel) for source in (a, b))
        if before.shape != now.shape:
            raise DataError(
                say("{kernel}: A has the shape {a} and B {b}; they can't be compared.",
                    kernel=kernel.name, a=list(before.shape), b=list(now.shape))
            )  # fmt: skip
        notes = (
            *(n for source in (a, b) for n in self._other_inputs(source, evaluator)),
            *self.ran.values(),
        )
        sums = tensor_error(now, before, cancel=cancel).sums
        return Captured(
            kernel.id, tensor, self.sample, before, now, sums, self.plan, self._levels(b, tensor), notes=notes
        )

    def weights(self, a: Source, b: Source, cancel: CancelToken) -> Captured:
        """Both sources' weight as the matrix [channels, reduction]."""
        weight = self.kernel.weight
        if weight is None:
            raise DataError(say("{kernel} has no weights to compare.", kernel=self.kernel.name))
        before = self._weight(a)[0]
        now, scales = self._weight(b)
        sums = tensor_error(now, before, cancel=cancel).sums
        codes = [say("{source} holds integer codes, not values: only their pattern can be compared.", source=letter)
                 for letter, values in (("A", before), ("B", now)) if values.dtype.kind in "iu"]  # fmt: skip
        return Captured(
            self.kernel.id, weight.origin, self.sample, before, now, sums, self.plan, axis=0, scales=scales,
            notes=(*self._folded(weight), *codes),
        )  # fmt: skip

    def _folded(self, weight: Weight) -> tuple[Text, ...]:
        """Whether the kernel's weight is not the one of the file: a BatchNorm behind it has gone into it."""
        raw, array = self.network.graph.constants.get(weight.origin), self.kernel.constants[weight.constant]
        if raw is None or raw.dtype.kind != "f" or raw.shape != array.shape or np.array_equal(raw, array):
            return ()
        return (
            say(
                "{weight} is shown folded: times the factor by channel of the BatchNorm behind it, as a compiler makes "
                "it. The file's own values differ from it by that factor; this is no error.",
                weight=weight.origin,
            ),
        )

    def _output(self, source: Source, tensor: str, evaluator: Evaluator, cancel: CancelToken) -> Array:
        if source.kind == "dump":
            return self._dumped(source, self.kernel.outputs.index(tensor))
        if source.kind == "reference":
            return _lasting(evaluator.reference(self.sample)[tensor].numpy(self.network.tensors.get(tensor)))
        if source.kind in ("emulated", "device"):
            if tensor != self.kernel.outputs[0]:
                raise DataError(say("{kernel}: only its first output is emulated.", kernel=self.kernel.name))
            inputs = _inputs(evaluator, self.plan, self.sample, self.kernel, cancel)
            if source.kind == "device":
                found = device_output(self.kernel, self._scheme(source), inputs, self.network, self.ranges, self.family)
                self.ran[source] = found.words
                return found.values
            made = emulated_kernel(self.kernel, self._scheme(source), inputs, self.network, self.ranges)
            if made.words is not None:
                self.ran[source] = made.words
            return made.values
        return _values(evaluator, self._plan(source), self.sample, self.kernel, cancel)[tensor]

    def _weight(self, source: Source) -> tuple[Array, Array | None]:
        kernel, weight = self.kernel, self.kernel.weight
        assert weight is not None
        array = kernel.constants[weight.constant]
        axes = weight.channel_axes, weight.reduction_axes
        if source.kind == "dump":
            table = self.dumps.get(source.name)
            tensor = table.weight(kernel, self.network) if table else None
            if tensor is None:
                raise DataError(
                    say(
                        "{path} has no weight {name}; choose another kernel or correct the names.",
                        path=Path(source.name).name,
                        name=weight.origin,
                    )
                )
            return to_matrix(tensor.read(), *axes), None
        scheme = FP32 if source.kind == "reference" else self._scheme(source)
        if scheme == FP32:
            return to_matrix(array, *axes), None
        if source.kind in ("emulated", "device") or scheme.method != "rtn":
            made = self.ranges.rounding.weight(kernel, weight, scheme)
            plain = not scheme.weights.floating and made.scaling is PLAIN
            return made.matrix(), made.scales if plain else None
        rounded = fake_quantize(array, weight, scheme.weights, scheme.method)
        return to_matrix(rounded.values, *axes), rounded.scales

    def _dumped(self, source: Source, output: int) -> Array:
        table = self.dumps.get(source.name)
        tensor = table.get(self.kernel.id, output, self.sample) if table else None
        if tensor is None:
            raise DataError(
                say(
                    "{path} has no output of {kernel} for sample {sample}; choose another kernel or correct the names.",
                    path=Path(source.name).name,
                    kernel=self.kernel.name,
                    sample=self.sample + 1,
                )
            )
        return tensor.read()

    def _other_inputs(self, source: Source, evaluator: Evaluator) -> list[Text]:
        """Whether a dump of Mixbit was fed something else than this sample."""
        table = self.dumps.get(source.name) if source.kind == "dump" else None
        digest = table.dump.samples.get(self.sample) if table else None
        if table is None or digest is None or digest == feeds_hash(evaluator.samples.feeds[self.sample]):
            return []
        return [say("{dump} was fed other inputs: the difference means little.", dump=table.dump.title)]

    def _plan(self, source: Source) -> Plan:
        if source.kind == "kept":
            if source.name not in self.kept:
                raise DataError(say("There is no kept plan {name} any more.", name=source.name))
            return self.kept[source.name]
        return self.plan

    def _scheme(self, source: Source) -> Scheme:
        return self._plan(source).scheme(self.kernel.id)

    def _levels(self, source: Source, tensor: str) -> Levels | None:
        """What the kernel that reads a tensor next rounds it to, under the source's plan."""
        if source.kind in ("reference", "dump"):
            return None
        plan = self._plan(source)
        for kernel in self.network.kernels:
            scheme = plan.scheme(kernel.id)
            form = scheme.activations
            if kernel.weight is None or kernel.weight.activation != tensor or form.floating or not form.static:
                continue
            found = self.ranges.of(tensor, form)
            if found is None or self.ranges.rounding.range(kernel, scheme) is not None:  # steps by channel
                continue
            params = activation_params(found, form)
            low = -(2 ** (form.bits - 1)) if form.symmetric else 0
            high = low + 2**form.bits - 1
            zero = params.zero_point
            return Levels(params.scale, (low - zero) * params.scale, (high - zero) * params.scale, high - low + 1)
        return None


def fusions_beside(path: Path) -> Path | None:
    """The compiler's fusion table in the folder of a dump, or beside its file; of several the latest."""
    folder = path if path.is_dir() else path.parent
    tables = sorted(folder.glob("fusion_op*.csv"))
    return tables[-1] if tables else None


def _values(evaluator: Evaluator, plan: Plan, sample: int, kernel: Kernel, cancel: CancelToken) -> dict[str, Array]:
    """A kernel's outputs under a plan, to keep."""
    steps = evaluator.values(plan, sample, kernels=(kernel.id,), cancel=cancel)
    return {name: np.array(array) for _, values in steps for name, array in values.items()}


def _inputs(evaluator: Evaluator, plan: Plan, sample: int, kernel: Kernel, cancel: CancelToken) -> dict[str, Array]:
    """What a kernel reads under a plan."""
    return dict(evaluator.capture(kernel.id, plan, sample, cancel=cancel).result_inputs)


def _lasting(array: Array) -> Array:
    """The reference's own memory, which nobody writes to; a copy of what lies in a temporary file."""
    base: object = array
    while isinstance(base, np.ndarray):
        if isinstance(base, np.memmap):
            return np.array(array)
        base = base.base
    return array
