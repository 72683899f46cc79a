"""Operands that have to be something: by operator, what each is for and what it must therefore hold.

After the operator descriptions of ONNX and of ONNX Runtime (com.microsoft).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from math import prod

import numpy as np
import onnx

from engine.graph.place import NO_MEANING, Meaning, Place, along

_SOME, _SIZE = 4, 10
"""How often to repeat, and how long to make something, where nothing says it."""
_MOST_RANK, _MOST_BLOCKS = 12, 4096


Role = Callable[[Place], Meaning]


def role_of(node: onnx.NodeProto, at: int) -> Role | None:
    """What an operand of a node is for; None where any values do."""
    name = node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}.{node.op_type}"
    return ROLES.get((name, at)) or (_axes if at == 1 and name.startswith("Reduce") else None)


def _fix(values: Sequence[float] | Sequence[int] | int | float) -> Meaning:
    array = np.asarray(values)
    return Meaning(fixed=array if array.dtype.kind != "i" else array.astype(np.int64))


def _below(bound: int | None) -> Meaning:
    return NO_MEANING if bound is None or bound < 1 else Meaning(below=bound)


def _length(place: Place) -> int:
    return prod(place.own)


# shapes ---------------------------------------------------------------------------------------------------------------


def _target(place: Place) -> Meaning:
    """The shape that a Reshape gives: as many elements as there are."""
    source, wanted = place.shape(0), place.result()
    if wanted is not None and len(wanted) == _length(place) and (source is None or prod(wanted) == prod(source)):
        return _fix(wanted)
    if source is None:
        return NO_MEANING
    return _fix([prod(source), *[1] * (_length(place) - 1)][: _length(place)])


def _broader(place: Place) -> Meaning:
    """The shape that an Expand gives."""
    wanted, source, length = place.result(), place.shape(0), _length(place)
    if wanted is not None and len(wanted) >= length:
        return _fix(wanted[len(wanted) - length :])
    return _fix([1] * max(0, length - len(source or ())) + list(source or [1] * length)[-length:] if length else [])


def _whole(place: Place) -> Meaning:
    """A shape that is free to choose."""
    wanted = place.result()
    return _fix(wanted if wanted is not None and len(wanted) == _length(place) else [_SOME] * _length(place))


def _repeats(place: Place) -> Meaning:
    wanted, source, length = place.result(), place.shape(0), _length(place)
    if wanted and source and len(wanted) == len(source) == length:
        return _fix([b // a if a else 1 for a, b in zip(source, wanted, strict=True)])
    return _fix([1] * length)


def _scales(place: Place) -> Meaning:
    wanted, source, length = place.result(), place.shape(0), _length(place)
    if wanted and source and len(wanted) == len(source) == length:
        return _fix([b / a if a else 1.0 for a, b in zip(source, wanted, strict=True)])
    return _fix([1.0] * length)


def _sizes(place: Place) -> Meaning:
    """Sizes of a Resize, a crop or MaxUnpool, of all axes or of those that an attribute lists."""
    wanted, source = place.result() or place.shape(0), place.shape(0)
    if wanted is None or source is None:
        return _fix([_SIZE] * _length(place))
    axes = place.attribute("axes", None) or range(len(wanted))
    sizes = [along(wanted, axis) for axis in axes]
    return _fix([_SIZE if size is None else size for size in sizes][: _length(place)])


def _unpooled(place: Place) -> Meaning:
    wanted = place.result() or ()
    return _fix(wanted) if len(wanted) == _length(place) else NO_MEANING


def _region(place: Place) -> Meaning:
    half = _length(place) // 2
    return _fix([0.0] * half + [1.0] * half)


def _grid_size(place: Place) -> Meaning:
    """N, C, H, W (or D, H, W) of an affine grid."""
    theta, wanted, length = place.shape(0), place.result(), _length(place)
    if wanted and len(wanted) == length:
        return _fix([wanted[0], 1, *wanted[1:-1]])
    return _fix([theta[0] if theta else 1, 1, *[_SOME] * (length - 2)])


# axes -----------------------------------------------------------------------------------------------------------------


def _axes(place: Place) -> Meaning:
    """Axes to reduce: the first ones that lead to the result's shape."""
    source, wanted, count = place.shape(0), place.result(), _length(place)
    if source is None or len(source) > _MOST_RANK:
        return _fix(range(count))
    keep = place.attribute("keepdims", 1)
    for axes in combinations(range(len(source)), count):
        rest = [1 if axis in axes else size for axis, size in enumerate(source) if keep or axis not in axes]
        if wanted is None or tuple(rest) == wanted:
            return _fix(axes)
    return _fix(range(min(count, len(source))))


def _squeezed(place: Place) -> Meaning:
    source, wanted, count = place.shape(0), place.result(), _length(place)
    if source is None:
        return _fix(range(count))
    ones = [axis for axis, size in enumerate(source) if size == 1]
    for axes in combinations(ones[:_MOST_RANK], count):
        if wanted is None or tuple(size for axis, size in enumerate(source) if axis not in axes) == wanted:
            return _fix(axes)
    return _fix(ones[:count])


def _unsqueezed(place: Place) -> Meaning:
    source, wanted, count = place.shape(0), place.result(), _length(place)
    if source is not None and wanted is not None and len(wanted) <= _MOST_RANK:
        for axes in combinations([axis for axis, size in enumerate(wanted) if size == 1], count):
            if tuple(size for axis, size in enumerate(wanted) if axis not in axes) == source:
                return _fix(axes)
    return _fix(range(count))


def _first_axes(place: Place) -> Meaning:
    return _fix(range(_length(place)))


# parts ----------------------------------------------------------------------------------------------------------------


def _listed(place: Place, at: int) -> list[int] | None:
    """The axes that another operand lists, from 0 on; the first ones where that is no constant, or is not there."""
    source = place.shape(0)
    if at >= len(place.node.input) or not place.node.input[at]:
        return list(range(len(source))) if source is not None else None
    values = place.value(at)
    if values is None:  # an input, too: it will be the first axes
        return list(range(_length(place)))
    return [int(axis) % len(source) if source else int(axis) for axis in values]


def _starts(place: Place) -> Meaning:
    source, axes, ends, steps = place.shape(0), _listed(place, 3), place.value(2), place.value(4)
    made = []
    for number in range(_length(place)):
        back = steps is not None and number < len(steps) and steps[number] < 0
        size = along(source, axes[number]) if axes is not None and number < len(axes) else None
        size = 1 if size is None else size
        end = ends[number] if ends is not None and number < len(ends) else None
        # Never an empty slice, where that is in our hand.
        before = end is not None and end < 0 and size + end <= 0
        made.append(size - 1 if back else -size if before else 0)
    return _fix(made)


def _ends(place: Place) -> Meaning:
    source, wanted, axes = place.shape(0), place.result(), _listed(place, 3)
    starts, steps = place.value(1), place.value(4)
    made = []
    for number in range(_length(place)):
        back = steps is not None and number < len(steps) and steps[number] < 0
        axis = axes[number] if axes is not None and number < len(axes) else None
        size = None if axis is None else along(source, axis)
        if source is None or axis is None or size is None:
            made.append(np.iinfo(np.int32).max)
            continue
        length = wanted[axis] if wanted is not None and len(wanted) == len(source) and steps is None else size
        start = int(starts[number]) if starts is not None and number < len(starts) else 0
        start = start + size if start < 0 else start
        made.append(-size - 1 if back else min(size, start + length))
    return _fix(made)


def _steps(place: Place) -> Meaning:
    return _fix([1] * _length(place))


def _parts(place: Place) -> Meaning:
    """Sizes of the parts of a Split: those of the results, else as equal as possible."""
    source, count, axis = place.shape(0), _length(place), place.attribute("axis", 0)
    whole = along(source, axis)
    found = [along(place.result(number), axis) for number in range(len(place.node.output))]
    sizes = [size for size in found if size is not None]
    if len(found) == len(sizes) == count and whole in (None, sum(sizes)):
        return _fix(sizes)
    if whole is None or not count:
        return NO_MEANING
    if not place.own:  # one size for all parts of a sequence
        return _fix(1)
    each, rest = divmod(whole, count)
    return _fix([each + (number < rest) for number in range(count)])


def _padding(place: Place) -> Meaning:
    source, wanted, count = place.shape(0), place.result(), _length(place) // 2
    if source is None or wanted is None or len(source) != len(wanted):
        return _fix([0] * 2 * count)
    axes = _listed(place, 3) or []
    more = [wanted[axis] - source[axis] for axis in axes[:count] if along(source, axis) is not None]
    return _fix([0] * count + more if len(more) == count else [0] * 2 * count)


def _top(place: Place) -> Meaning:
    axis = place.attribute("axis", -1)
    wanted, most = along(place.result(), axis), place.size(0, axis)
    return _fix([wanted if wanted is not None else min(5, most or 1)])


# indices --------------------------------------------------------------------------------------------------------------


def _along(table: int, default: int = 0) -> Role:
    """Indices along the node's axis of an operand."""

    def role(place: Place) -> Meaning:
        return _below(place.size(table, place.attribute("axis", default)))

    return role


def _rows(table: int, axis: int = 0) -> Role:
    """Indices along a certain axis of an operand."""
    return lambda place: _below(place.size(table, axis))


def _tuples(place: Place) -> Meaning:
    """Each row of the last axis is one place in the data."""
    source, own, batch = place.shape(0), place.own, place.attribute("batch_dims", 0)
    return Meaning(columns=source[batch : batch + own[-1]]) if source and own else NO_MEANING


def _unpool_indices(place: Place) -> Meaning:
    wanted = place.result() or place.shape(0)
    return _below(prod(wanted)) if wanted else NO_MEANING


def _full_lengths(place: Place) -> Meaning:
    """Every sequence of the batch is as long as there is room (`time` is axis 0, that of ReverseSequence its own)."""
    axis = 1 if place.attribute("layout", 0) else place.attribute("time_axis", 0)
    steps = place.size(0, axis)
    return NO_MEANING if steps is None else _fix(steps)


def _classes(place: Place) -> Meaning:
    return _below(place.size(0, 1))


def _depth(place: Place) -> Meaning:
    depth = along(place.result(), place.attribute("axis", -1))
    return _fix(_SIZE if depth is None else depth)


def _cache_length(place: Place) -> int:
    """Past and new tokens of GroupQueryAttention."""
    query, past = place.shape(0), place.shape(3)
    new = query[1] if query and len(query) == 3 else 1
    buffer = past[2] if past and len(past) == 4 else 0
    return new + buffer


def _last_token(place: Place) -> Meaning:
    return _fix(_cache_length(place) - 1)


def _all_tokens(place: Place) -> Meaning:
    return _fix(_cache_length(place))


# single values --------------------------------------------------------------------------------------------------------


def _value(number: float | int) -> Role:
    return lambda place: _fix(number)


def _range_end(place: Place) -> Meaning:
    wanted = place.result()
    start, delta = place.value(0) or [0], place.value(2) or [1]
    return _fix(start[0] + delta[0] * (wanted[0] if wanted else _SIZE))


def _range_start(place: Place) -> Meaning:
    wanted, end, delta = place.result(), place.value(1), place.value(2) or [1]
    return _fix(0 if not end else end[0] - delta[0] * (wanted[0] if wanted else _SIZE))


def _range_step(place: Place) -> Meaning:
    start, end = place.value(0), place.value(1)
    return _fix(-1 if start and end and end[0] < start[0] else 1)


def _window(place: Place) -> Meaning:
    wanted = place.result()
    return _fix(wanted[0] if wanted else _SIZE)


def _signal_length(place: Place) -> Meaning:
    size = place.size(0, place.attribute("axis", 1))
    return _fix(_SIZE if size is None else size)


def _frame_step(place: Place) -> Meaning:
    return _fix(max(1, (place.size(0, 1) or 1) // 8))


def _frame_length(place: Place) -> Meaning:
    window = place.shape(2)
    return _fix(window[0] if window else max(1, (place.size(0, 1) or 1) // 4))


def _positive(place: Place) -> Meaning:
    """A logarithm of what is below zero is no number, and an integer divided by zero ends the process."""
    return Meaning(positive=True)


def _number(place: Place) -> Meaning:
    """Text that becomes a number."""
    return NO_MEANING if place.attribute("to", 0) == onnx.TensorProto.STRING else Meaning(text="1")


def _bits(place: Place) -> Meaning:
    return _below(8)


def _block_shape(place: Place) -> Meaning:
    """Blocks of a Col2Im: as many elements, and as many places for them, as its columns have."""
    source, image, rank = place.shape(0), place.result(), _length(place)
    if source is None or image is None or len(source) != 3 or len(image) != rank + 2 or not image[1]:
        return _fix([1] * rank)
    dilations = place.attribute("dilations", [1] * rank)
    pads, strides = place.attribute("pads", [0] * 2 * rank), place.attribute("strides", [1] * rank)
    if [len(dilations), len(pads), len(strides)] != [rank, 2 * rank, rank] or not all(strides):  # it can't be run
        return NO_MEANING
    each = [range(1, size + 1) for size in image[2:]]
    for block in product(*each) if prod(image[2:]) <= _MOST_BLOCKS else ():
        room = [image[2 + i] + pads[i] + pads[rank + i] - dilations[i] * (block[i] - 1) - 1 for i in range(rank)]
        places = prod(left // strides[i] + 1 if left >= 0 else 0 for i, left in enumerate(room))
        if prod(block) * image[1] == source[1] and places == source[2]:
            return _fix(block)
    return _fix([1] * rank)


def _image_shape(place: Place) -> Meaning:
    image = place.result()
    return _fix(image[2:] if image is not None and len(image) == _length(place) + 2 else [_SIZE] * _length(place))


_FIXED: dict[str, dict[int, Role]] = {
    "AffineGrid": {1: _grid_size},
    "ArrayFeatureExtractor": {1: _rows(0, -1)},
    "ai.onnx.ml.ArrayFeatureExtractor": {1: _rows(0, -1)},
    "Acosh": {0: _positive},
    "BatchNormalization": {4: _positive},
    "BitShift": {1: _bits},
    "BlackmanWindow": {0: _window},
    "Cast": {0: _number},
    "CenterCropPad": {1: _sizes},
    "Col2Im": {1: _image_shape, 2: _block_shape},
    "ConstantOfShape": {0: _whole},
    "CumProd": {1: _value(0)},
    "CumSum": {1: _value(0)},
    "DFT": {1: _signal_length, 2: _value(1)},
    "Div": {1: _positive},
    "Dropout": {1: _value(0.5)},
    "Expand": {1: _broader},
    "Gather": {1: _along(0)},
    "GatherElements": {1: _along(0)},
    "GatherND": {1: _tuples},
    "GRU": {4: _full_lengths},
    "HammingWindow": {0: _window},
    "HannWindow": {0: _window},
    "Log": {0: _positive},
    "Loop": {0: _value(_SOME)},
    "LSTM": {4: _full_lengths},
    "MaxUnpool": {1: _unpool_indices, 2: _unpooled},
    "MelWeightMatrix": {0: _value(8), 1: _value(64), 2: _value(8192), 3: _value(0), 4: _value(4096)},
    "Mod": {1: _positive},
    "NegativeLogLikelihoodLoss": {1: _classes},
    "NonMaxSuppression": {2: _value(_SIZE), 3: _value(0.5), 4: _value(0.0)},
    "OneHot": {1: _depth},
    "Pad": {1: _padding, 3: _first_axes},
    "Range": {0: _range_start, 1: _range_end, 2: _range_step},
    "Reshape": {1: _target},
    "Resize": {1: _region, 2: _scales, 3: _sizes},
    "ReverseSequence": {1: _full_lengths},
    "RNN": {4: _full_lengths},
    "RoiAlign": {2: _rows(0)},
    "RotaryEmbedding": {3: _rows(1)},
    "STFT": {1: _frame_step, 3: _frame_length},
    "Scatter": {1: _along(0)},
    "ScatterElements": {1: _along(0)},
    "ScatterND": {1: _tuples},
    "SequenceAt": {1: _value(0)},
    "SequenceErase": {1: _value(0)},
    "SequenceInsert": {2: _value(0)},
    "Slice": {1: _starts, 2: _ends, 3: _first_axes, 4: _steps},
    "SoftmaxCrossEntropyLoss": {1: _classes},
    "Split": {1: _parts},
    "SplitToSequence": {1: _parts},
    "Sqrt": {0: _positive},
    "Squeeze": {1: _squeezed},
    "TensorScatter": {2: _value(0)},
    "Tile": {1: _repeats},
    "TopK": {1: _top},
    "Trilu": {1: _value(0)},
    "Unsqueeze": {1: _unsqueezed},
    "Upsample": {1: _scales},
    "com.microsoft.EmbedLayerNormalization": {0: _rows(2), 1: _rows(4)},
    "com.microsoft.GatherBlockQuantized": {1: _along(0)},
    "com.microsoft.GatherND": {1: _tuples},
    "com.microsoft.GroupQueryAttention": {5: _last_token, 6: _all_tokens},
    "com.microsoft.RotaryEmbedding": {1: _rows(2)},
}
ROLES: Mapping[tuple[str, int], Role] = {
    (name, at): role for name, operands in _FIXED.items() for at, role in operands.items()
}
"""By operator and operand."""
