"""What the Layers table shows, as columns: one numpy array or tuple per figure, one entry per kernel.

No Qt in here. A snapshot is taken when the session changes; painting, sorting and filtering only read it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import nan
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from engine.fusion.types import Kernel, Network
from engine.graph.types import Array
from engine.npu.results import KernelCost, Simulation
from engine.numerics.results import ErrorSums, Evaluation
from engine.precision.presets import not_at_four_bits
from engine.precision.scheme import FP16, FP32, INT4, INT8, Scheme, family, label
from engine.session.sharing import sharing_sentences
from engine.session.state import SensitivityCell
from engine.text import Text
from gui.kernel_names import names_of
from gui.views.layers_compared import deltas_of

_BETWEEN_DIGITS = re.compile(r"(?<=\d)x(?=\d)")

if TYPE_CHECKING:
    from engine.quant.oddities import Oddities
    from engine.session import Session

T = TypeVar("T")
_shapes: WeakKeyDictionary[Network, Shape] = WeakKeyDictionary()
"""Of networks that are alive."""
LEAST_KL, LEAST_L2 = 0.1, 1.0
"""The bars of the sensitivity never end below this: KL in 10^-3 nats, relative L2 in % (40 dB)."""
SEGMENTS = {"INT4": INT4, "INT8": INT8, "FP16": FP16}
"""What the three segments of the switch set."""


@dataclass(frozen=True, eq=False, slots=True)
class Shape:
    """What depends on the model only."""

    ids: tuple[str, ...]
    names: tuple[str, ...]
    ops: tuple[str, ...]
    kinds: tuple[str, ...]
    tunable: Array
    why_not: tuple[Text | None, ...]
    shared: tuple[Text | None, ...]
    """What else reads the kernel's weight, and what that means."""
    not_at_four_bits: tuple[Text | None, ...]
    """Why presets and bulk edits give the kernel INT8 instead of INT4."""
    input_shapes: tuple[str, ...]
    """Of the first input that is no constant, "" without one."""
    output_shapes: tuple[str, ...]
    params: Array
    macs: Array
    name_rank: Array
    """Position of the name in natural order ("layers.2" before "layers.10")."""
    op_rank: Array
    short: tuple[str, ...] = ()
    """Short names: what the other names of the network leave to the kernel."""

    def of(self, kernel: int) -> Shape:
        """The same of one kernel alone."""
        return Shape(**{part.name: getattr(self, part.name)[kernel : kernel + 1] for part in fields(self)})


@dataclass(frozen=True, eq=False, slots=True)
class LayerRows:
    """A snapshot of the whole table in execution order. NaN = not known."""

    shape: Shape
    schemes: tuple[Scheme, ...]
    families: tuple[str, ...]
    """Family of the scheme, or "" where there is no switch."""
    labels: tuple[str, ...]
    differs: Array
    """Scheme differs from the plan that is compared with."""
    locked: Array
    unsupported: tuple[Text | None, ...]
    """Why the device has no native support for the current scheme."""
    unsupported_families: tuple[frozenset[str], ...]
    """Switch segments that the device has no kernel for."""
    weight_bytes: Array
    local_db: Array
    local_overflow: Array
    accumulated_db: Array
    accumulated_stale: Array
    accumulated_overflow: Array
    unmeasured: Array
    """The reference itself holds NaN or infinity, so the error is not measurable."""
    sensitivity: Array
    """KL in 10^-3 nats where the model has a distribution, else relative L2 at the output in %."""
    sensitivity_is_kl: bool
    sensitivity_at_logits: bool
    """It is measured in front of the last softmax or sigmoid, not at the output."""
    sensitivity_estimated: Array
    latency_us: Array
    launch_us: Array
    previous_us: Array
    """Latency under the plan that is compared with."""
    ddr_bytes: Array
    bounds: tuple[str, ...]
    whys: tuple[Text | None, ...]
    """What each is bound by, and what would lift it, as a sentence."""
    units: tuple[str, ...]
    notes: tuple[str, ...]
    odd: tuple[Oddities | None, ...]
    """What is odd about the weights."""
    """What the user has written about the kernel, "" for nothing."""
    delta_db: Array
    """Accumulated SQNR minus that under plan B; NaN without a plan B."""
    delta_us: Array
    """Latency minus that under plan B."""
    delta_bytes: Array
    """Packed weights minus those under plan B."""
    required_db: float
    """NaN without a requirement."""
    synthetic: bool

    def __len__(self) -> int:
        return len(self.shape.ids)


class Support:
    """What the device says about schemes, remembered until it changes: a table asks for every cell of every row."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[tuple[str, Scheme], Text | None] = {}
        self._without: dict[str, frozenset[str]] = {}
        self._device: object = None

    def why_not(self, kernel_id: str, scheme: Scheme) -> Text | None:
        """Why the device has no native kernel for it; None if it has."""
        self._follow_device()
        key = (kernel_id, scheme)
        try:
            return self._known[key]
        except KeyError:
            return self._known.setdefault(key, self._session.supports(kernel_id, scheme))

    def without(self, kernel_id: str) -> frozenset[str]:
        """Segments of the switch that the device has no native kernel for."""
        self._follow_device()
        if kernel_id not in self._without:
            self._without[kernel_id] = frozenset(
                name for name, scheme in SEGMENTS.items() if self.why_not(kernel_id, scheme) is not None
            )
        return self._without[kernel_id]

    def forget(self) -> None:
        """Another model is open."""
        self._known.clear()
        self._without.clear()

    def _follow_device(self) -> None:
        if self._session.device is not self._device:
            self.forget()
            self._device = self._session.device


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key in which numbers inside a name count as numbers."""
    parts: list[tuple[int, int, str]] = []
    word = ""
    number = ""
    for char in name.casefold() + "\0":
        if char.isascii() and char.isdigit():
            number += char
            continue
        if number:
            parts += [(1, 0, word)] if word else []
            parts.append((0, int(number), ""))
            word, number = "", ""
        word += char if char != "\0" else ""
    if word:
        parts.append((1, 0, word))
    return tuple(parts)


def shape_of(network: Network) -> Shape:
    """Read what stays the same as long as the kernels do."""
    kernels, shared = network.kernels, sharing_sentences(network)
    return Shape(
        ids=tuple(k.id for k in kernels),
        names=tuple(k.name for k in kernels),
        ops=tuple(times(k.op) for k in kernels),
        kinds=tuple(str(k.kind) for k in kernels),
        tunable=np.array([k.tunable for k in kernels], bool),
        why_not=tuple(k.why_not for k in kernels),
        shared=tuple(shared.get(k.id) for k in kernels),
        not_at_four_bits=tuple(not_at_four_bits(k) if k.tunable else None for k in kernels),
        input_shapes=tuple(input_shape(network, k) for k in kernels),
        output_shapes=tuple(output_shape(network, k) for k in kernels),
        params=np.array([k.params for k in kernels], float),
        macs=np.array([k.macs for k in kernels], float),
        name_rank=_ranks([k.name for k in kernels]),
        op_rank=_ranks([k.op for k in kernels]),
        short=names_of(network).short,
    )


def known_shape(network: Network) -> Shape:
    """What `shape_of` reads, once for all views: names alone take 0.1 s to rank where there are thousands."""
    found = _shapes.get(network)
    return found if found is not None else _shapes.setdefault(network, shape_of(network))


def times(op: str) -> str:
    """Operators with "×" between dimensions: "Conv 3×3 s2"."""
    return _BETWEEN_DIGITS.sub("×", op)


def output_shape(network: Network, kernel: Kernel) -> str:
    """Dimensions of the first output, "1×64×8×8"; "scalar" without any."""
    return _dimensions(network, kernel.outputs)


def input_shape(network: Network, kernel: Kernel) -> str:
    """Dimensions of the first input that is computed."""
    return _dimensions(network, kernel.inputs)


def _dimensions(network: Network, tensors: tuple[str, ...]) -> str:
    info = network.tensors.get(tensors[0]) if tensors else None
    if info is None:
        return ""
    return "×".join(str(d) for d in info.shape) if info.shape else "scalar"


def rows_of(session: Session, shape: Shape, support: Support | None = None, *, kernel: int | None = None) -> LayerRows:
    """Take a snapshot of everything the table shows.

    Args:
        session: Has the figures.
        shape: Of all kernels.
        support: Remembers what the device says, if it is asked again.
        kernel: Index of the only one that is wanted: then the snapshot has one row.
    """
    support, count = support or Support(session), len(shape.ids)
    wanted = slice(None)
    if kernel is not None:
        shape, wanted = shape.of(kernel), slice(kernel, kernel + 1)
    ids, before_that = shape.ids, session.previous_plan
    schemes = tuple(session.plan.scheme(i) for i in ids)
    earlier = ((i, scheme, before_that.scheme(i)) for i, scheme in zip(ids, schemes, strict=True))
    changed = {i for i, now, then in earlier if now is not then and now != then}
    figures, previous = session.figures, session.previous
    evaluation = shown_evaluation(session)
    local = [session.local.get((i, s)) for i, s in zip(ids, schemes, strict=True)]
    accumulated = [evaluation.accumulated.get(i) if evaluation else None for i in ids]
    cells = [session.sensitivity.get((i, s)) for i, s in zip(ids, schemes, strict=True)]
    metric = session.sweeps.metric or "sqnr"
    is_kl = metric == "kl"
    costs = _costs(figures.simulation, count)[wanted]
    before = _costs(previous.simulation if previous else None, count)[wanted]
    required = session.budgets.min_sqnr_db
    deltas = deltas_of(session, ids)
    weights: Mapping[str, int] = figures.size.per_kernel if figures.size else {}
    return LayerRows(
        shape=shape,
        schemes=schemes,
        families=tuple(family(s) if t else "" for s, t in zip(schemes, shape.tunable, strict=True)),
        labels=tuple(label(s) if t else "" for s, t in zip(schemes, shape.tunable, strict=True)),
        differs=np.array([i in changed for i in ids], bool),
        locked=np.array([i in session.locked for i in ids], bool),
        unsupported=tuple(
            _unsupported(support, i, s, bool(t)) for i, s, t in zip(ids, schemes, shape.tunable, strict=True)
        ),
        unsupported_families=tuple(_without(support, i, bool(t)) for i, t in zip(ids, shape.tunable, strict=True)),
        weight_bytes=np.array([weights.get(i, nan) for i in ids], float),
        local_db=_decibels(local, shape.tunable),
        local_overflow=_overflow(local),
        accumulated_db=_decibels(accumulated),
        accumulated_stale=_stale(session, count)[wanted],
        accumulated_overflow=_overflow(accumulated),
        unmeasured=_unmeasured(local) | _unmeasured(accumulated),
        sensitivity=np.array([_sensitivity(c, metric) for c in cells], float),
        sensitivity_is_kl=is_kl,
        sensitivity_at_logits=metric == "logits",
        sensitivity_estimated=np.array([c is not None and c.kind == "estimated" for c in cells], bool),
        latency_us=_column(costs, lambda c: c.latency_us),
        launch_us=_column(costs, lambda c: c.launch_us),
        previous_us=_column(before, lambda c: c.latency_us),
        ddr_bytes=_column(costs, lambda c: c.ddr_read_bytes + c.ddr_write_bytes),
        bounds=tuple(c.bound if c else "" for c in costs),
        whys=tuple(c.why if c else None for c in costs),
        units=tuple(c.unit if c else "" for c in costs),
        notes=tuple(session.notes.get(i, "") for i in ids),
        odd=tuple(session.ranges.odd.get(i) if session.ranges is not None else None for i in ids),
        delta_db=deltas.db,
        delta_us=deltas.us,
        delta_bytes=deltas.weight_bytes,
        required_db=nan if required is None else required,
        synthetic=session.data is not None and session.data.synthetic,
    )


def switched(session: Session, rows: LayerRows, kernels: Sequence[int], support: Support) -> LayerRows:
    """A snapshot with new schemes for some kernels and their local errors; all other figures stay as they are.

    Args:
        session: Has the new plan.
        rows: The snapshot before.
        kernels: Indices of the kernels whose scheme is another one.
        support: As for `rows_of`.
    """
    shape = rows.shape
    given = {i: session.plan.scheme(shape.ids[i]) for i in kernels}
    sums = {i: session.local.get((shape.ids[i], scheme)) for i, scheme in given.items()}
    local_db, differs = rows.local_db.copy(), rows.differs.copy()
    overflow = rows.local_overflow.copy()
    for i, found in sums.items():
        local_db[i] = nan if found is None else found.sqnr_db
        overflow[i] = found is not None and found.nonfinite > 0
        differs[i] = given[i] != session.previous_plan.scheme(shape.ids[i])
    return replace(
        rows,
        schemes=_put(rows.schemes, given),
        families=_put(rows.families, {i: family(scheme) for i, scheme in given.items()}),
        labels=_put(rows.labels, {i: label(scheme) for i, scheme in given.items()}),
        unsupported=_put(
            rows.unsupported, {i: _unsupported(support, shape.ids[i], scheme, True) for i, scheme in given.items()}
        ),
        differs=differs,
        local_db=local_db,
        local_overflow=overflow,
    )


def _put(column: tuple[T, ...], changed: Mapping[int, T]) -> tuple[T, ...]:
    made = list(column)
    for at, value in changed.items():
        made[at] = value
    return tuple(made)


def shown_evaluation(session: Session) -> Evaluation | None:
    """The evaluation that is on show: the current plan's, or the last one, which then is marked as stale."""
    if session.figures.evaluation is not None:
        return session.figures.evaluation
    if session.staleness.stale and session.previous is not None:
        return session.previous.evaluation
    return None


def with_threshold(values: Array, share: float = 0.95, least: float = 0.0) -> float:
    """The value at which a linear bar is full: the 95th percentile of what is known, NaN if nothing is.

    `least` keeps bars short where all values are small.
    """
    known = np.sort(values[np.isfinite(values)])
    if not known.size:
        return nan
    place = share * (known.size - 1)  # as np.quantile, which is slow to start: it imports masked arrays
    low = int(place)
    high = min(low + 1, known.size - 1)
    return max(least, float(known[low] + (known[high] - known[low]) * (place - low)))


def relative_l2_percent(sqnr_db: float) -> float:
    """||error|| / ||reference|| in %, from an SQNR: 100 * 10^(-dB / 20)."""
    return float(100 * 10 ** (-sqnr_db / 20)) if sqnr_db > -400 else float("inf")


def _ranks(words: list[str]) -> Array:
    order = {word: place for place, word in enumerate(sorted(set(words), key=lambda w: (natural(w), w)))}
    return np.array([order[word] for word in words], float)


def _costs(simulation: Simulation | None, count: int) -> list[KernelCost | None]:
    """One cost per kernel; nothing while the simulation belongs to other kernels."""
    if simulation is None or len(simulation.kernels) != count:
        return [None] * count
    return list(simulation.kernels)


def _column(costs: list[KernelCost | None], read: Callable[[KernelCost], float]) -> Array:
    return np.array([nan if cost is None else read(cost) for cost in costs], float)


def _decibels(sums: list[ErrorSums | None], wanted: Array | None = None) -> Array:
    values = np.array([nan if s is None else s.sqnr_db for s in sums], float)
    return values if wanted is None else np.where(wanted, values, nan)


def _overflow(sums: list[ErrorSums | None]) -> Array:
    return np.array([s is not None and s.nonfinite > 0 for s in sums], bool)


def _unmeasured(sums: list[ErrorSums | None]) -> Array:
    return np.array([s is not None and s.unmeasured > 0 for s in sums], bool)


def _stale(session: Session, count: int) -> Array:
    state = session.staleness
    return np.arange(count) >= (state.from_kernel if state.stale else count)


def _sensitivity(cell: SensitivityCell | None, metric: str) -> float:
    """KL in 10^-3 nats, else relative L2 in %: in front of the last softmax where that is what is ranked by."""
    figure = None if cell is None else cell.figure(metric if metric in ("kl", "logits") else "sqnr")
    if figure is None:
        return nan
    return 1000 * figure if metric == "kl" else relative_l2_percent(figure)


def _unsupported(support: Support, kernel_id: str, scheme: Scheme, tunable: bool) -> Text | None:
    return support.why_not(kernel_id, scheme) if tunable and scheme != FP32 else None


def _without(support: Support, kernel_id: str, tunable: bool) -> frozenset[str]:
    return support.without(kernel_id) if tunable else frozenset()
