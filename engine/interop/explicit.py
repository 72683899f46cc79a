"""Convolutions and pools with every attribute written out.

ONNX leaves strides, pads, dilations and kernel shape to defaults or to `auto_pad`; several converters want them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import onnx
from onnx import helper

ShapeOf = Callable[[str], tuple[int, ...] | None]
"""Shape of an activation or a constant, or None."""

_WINDOWED = frozenset({"Conv", "ConvTranspose", "MaxPool", "AveragePool", "LpPool"})


def write_out(node: onnx.NodeProto, shape_of: ShapeOf, opset: int) -> None:
    """Give a node the attributes that its defaults mean; leaves it alone where they can't be told.

    Args:
        node: Changed in place.
        shape_of: Shapes of what it reads and writes.
        opset: Of the model; decides whether a pool may have dilations.
    """
    if node.op_type not in _WINDOWED or node.domain not in ("", "ai.onnx"):
        return
    given = {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}
    source, result = shape_of(node.input[0]), shape_of(node.output[0])
    weight = shape_of(node.input[1]) if node.op_type.startswith("Conv") else None
    size = tuple(given.get("kernel_shape", weight[2:] if weight is not None else ()))
    if source is None or result is None or len(source) != len(size) + 2:
        return
    ones = [1] * len(size)
    strides, dilations = list(given.get("strides", ones)), list(given.get("dilations", ones))
    reach = [(k - 1) * d + 1 for k, d in zip(size, dilations, strict=True)]
    pads = _pads(node.op_type, given, source[2:], result[2:], strides, reach)
    if pads is None:
        return
    values: dict[str, object] = {"kernel_shape": list(size), "strides": strides, "pads": pads}
    if node.op_type.startswith("Conv") or (node.op_type == "MaxPool" and opset >= 10):
        values["dilations"] = dilations
    if node.op_type.startswith("Conv"):
        values["group"] = given.get("group", 1)
    kept = [entry for entry in node.attribute if entry.name not in {*values, "auto_pad", "output_shape"}]
    del node.attribute[:]
    node.attribute.extend(kept)
    node.attribute.extend(helper.make_attribute(name, value) for name, value in values.items())


def _pads(
    op: str,
    given: Mapping[str, object],
    source: Sequence[int],
    result: Sequence[int],
    strides: Sequence[int],
    reach: Sequence[int],
) -> list[int] | None:
    """Begin of each axis, then end of each; formulas of the ONNX operator specification."""
    auto = given.get("auto_pad", b"NOTSET")
    assert isinstance(auto, bytes)
    if auto in (b"NOTSET", b"VALID") and "output_shape" not in given:
        stated = given.get("pads")
        return list(stated) if isinstance(stated, list) else [0] * (2 * len(source))
    if op == "ConvTranspose":
        extra = given.get("output_padding")
        more = list(extra) if isinstance(extra, list) else [0] * len(source)
        total = [s * (i - 1) + p + r - o for s, i, p, r, o in zip(strides, source, more, reach, result, strict=True)]
    else:
        total = [max((o - 1) * s + r - i, 0) for o, s, r, i in zip(result, strides, reach, source, strict=True)]
    if min(total, default=0) < 0:
        return None
    small, large = [t // 2 for t in total], [t - t // 2 for t in total]
    return small + large if auto == b"SAME_UPPER" else large + small
