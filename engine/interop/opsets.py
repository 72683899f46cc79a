"""Saying a model in another opset, and making sure that it still computes the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, numpy_helper, version_converter

from engine.graph.types import Array
from engine.interop.model_file import stored_bytes
from engine.numerics.models import tensor_proto
from engine.numerics.runtime import options

_AT_MOST = 256 << 20
"""Bytes of constants up to which another opset is tried: the converter holds several copies."""
_BETWEEN = 13
"""Up to here most operators only learnt new types; here several take as inputs what were attributes before."""


def at_opset(
    model: onnx.ModelProto, constants: dict[str, Array], wanted: int, feeds: Sequence[Array]
) -> tuple[onnx.ModelProto, dict[str, Array]] | None:
    """A model at another opset, or None if there is no way to it that keeps the results.

    Most operators mean the same in several opsets, so the version is first just written down; else onnx's converter
    rewrites the nodes. Either result counts only if ONNX Runtime runs it and its outputs are those of the model.

    Args:
        model: Without initializers.
        constants: These.
        wanted: The opset.
        feeds: Values for the inputs, in their order, that both are run with.
    """
    if sum(stored_bytes(array) for array in constants.values()) > _AT_MOST:
        return None
    whole = onnx.ModelProto()
    whole.CopyFrom(model)
    whole.graph.initializer.extend(tensor_proto(name, array, 1 << 62) for name, array in constants.items())
    before = _outputs(whole, feeds)
    for made in _ways(whole, wanted) if before is not None else ():
        after = _outputs(made, feeds)
        if before is not None and after is not None and _same(before, after):
            _name_all(made)
            arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in made.graph.initializer}
            del made.graph.initializer[:]
            return made, arrays
    return None


def _ways(whole: onnx.ModelProto, wanted: int) -> Iterator[onnx.ModelProto]:
    yield _relabelled(whole, wanted)
    between = max(wanted, _BETWEEN)
    for start, stop in ((whole, wanted), (whole, between), (_relabelled(whole, between), wanted)):
        try:
            converted = version_converter.convert_version(start, stop)
        except Exception:  # the converter raises whatever its C++ throws; the next way may work
            continue
        yield _relabelled(converted, wanted)


def _relabelled(model: onnx.ModelProto, wanted: int) -> onnx.ModelProto:
    """The same nodes under another version, without attributes that the version lacks and that say nothing new."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    own = next(entry.version for entry in made.opset_import if entry.domain in ("", "ai.onnx"))
    for entry in made.opset_import:
        if entry.domain in ("", "ai.onnx"):
            entry.version = wanted
    for node in made.graph.node:
        if node.domain in ("", "ai.onnx"):
            _drop_defaults(node, own, wanted)
    made.ir_version = max(4, helper.find_min_ir_version_for(list(made.opset_import), ignore_unknown=True))
    return made


def _drop_defaults(node: onnx.NodeProto, own: int, wanted: int) -> None:
    try:
        new, old = (onnx.defs.get_schema(node.op_type, version).attributes for version in (own, wanted))
    except onnx.defs.SchemaError:  # no such operator in that opset; ONNX Runtime will say so
        return
    kept = [
        entry
        for entry in node.attribute
        if entry.name in old
        or entry.name not in new
        or helper.get_attribute_value(entry) != helper.get_attribute_value(new[entry.name].default_value)
    ]
    if len(kept) < len(node.attribute):
        del node.attribute[:]
        node.attribute.extend(kept)


def _outputs(model: onnx.ModelProto, feeds: Sequence[Array]) -> Sequence[Array] | None:
    """What a model gives for the feeds; None if it can't be run."""
    values = dict(zip((item.name for item in model.graph.input), feeds, strict=True))
    try:
        session = ort.InferenceSession(
            model.SerializeToString(), options(threads=1, shared=False), providers=["CPUExecutionProvider"]
        )
        found: Sequence[Array] = session.run(None, {item.name: values[item.name] for item in session.get_inputs()})
    except Exception:  # ONNX Runtime has a class of its own for each status code
        return None
    return found


def _same(before: Sequence[Array], after: Sequence[Array]) -> bool:
    return all(
        a.shape == b.shape and (np.array_equal(a, b) or np.allclose(a, b, rtol=1e-3, atol=1e-5, equal_nan=True))
        for a, b in zip(before, after, strict=True)
    )


def _name_all(model: onnx.ModelProto) -> None:
    """Give names to the nodes that the converter has put in."""
    taken = {node.name for node in model.graph.node}
    for number, node in enumerate(model.graph.node):
        if not node.name:
            name = f"{node.op_type}_{number}"
            while name in taken:
                name += "_"
            node.name = name
            taken.add(name)
