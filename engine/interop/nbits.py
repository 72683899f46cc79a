"""ONNX with com.microsoft::MatMulNBits, the kernel that ONNX Runtime has for products with grouped weights.

The file is that of the QDQ export, but for DequantizeLinear + MatMul over grouped weights, which become one node.
Operator: ONNX Runtime, contrib operators. B is uint8 [N, groups, group * bits / 8], low bits first; zero points are
unsigned and packed alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
from onnx import helper

from engine.asides import aside_in
from engine.errors import ExportError
from engine.fusion.types import Kernel, Kind, Network
from engine.graph.types import Array
from engine.interop.handover import NO_EXTRAS, Extras, Handover, Written, hand_over
from engine.interop.model_file import put_in_place, write_model
from engine.interop.nearest import weight_on_the_right
from engine.interop.order import Order
from engine.interop.qdq import EXTERNAL_ABOVE, build_qdq, run_quantized
from engine.numerics.weight_nodes import APART
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme, WeightFormat
from engine.quant import pack_int4
from engine.text import Text, say

DOMAIN = "com.microsoft"
_EXACT = 1
"""accuracy_level: products in float32, as the preview computes them; 0 lets ONNX Runtime round activations to INT8."""
_CLOSE = 0.1
"""Largest relative difference of an output between the two spellings: another order of additions moves single values
over a rounding border of a later INT8 layer, a wrong weight moves everything."""


def check_matmul_nbits(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """Groups of matrix products become powers of two from 16 on; all else stays as in the QDQ export."""
    return hand_over(network, plan, _rule)


def _rule(kernel: Kernel, asked: Scheme) -> tuple[Scheme, Text | None]:
    form = asked.weights
    if not _fits(kernel, form) or _size(form.group) == form.group:
        return asked, None
    weights = WeightFormat(form.bits, symmetric=form.symmetric, granularity="group", group=_size(form.group))
    return Scheme(weights, asked.activations, asked.method), say(
        "MatMulNBits takes groups of a power of two from 16 on; {asked} becomes {gets}.",
        asked=form.group,
        gets=weights.group,
    )


def _fits(kernel: Kernel, form: WeightFormat) -> bool:
    """Whether MatMulNBits can say it: a plain matrix on the right, 4 or 8 bits in groups."""
    if kernel.kind not in (Kind.MATMUL, Kind.GEMM) or form.floating or form.granularity != "group":
        return False
    return form.bits in (4, 8) and weight_on_the_right(kernel)


def _size(group: int) -> int:
    return max(16, 1 << (group.bit_length() - 1))


def export_matmul_nbits(order: Order) -> Written:
    """Write the model, run it with ONNX Runtime, compare with the QDQ spelling, put it in place.

    Raises:
        ExportError: It can't be written, or the two spellings differ.
        PlanError: A range is missing.
    """
    network, plan, path, progress, cancel = order.network, order.plan, order.path, order.progress, order.cancel
    handover = check_matmul_nbits(network, plan, extras=order.extras)
    model, constants = build_qdq(network, handover.effective_plan, order.calibrated, progress=progress, cancel=cancel)
    try:
        if path.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        with aside_in(path.parent) as folder:
            plain, file = folder / "qdq.onnx", folder / path.name
            write_model(model, constants, plain, external_above=EXTERNAL_ABOVE, cancel=cancel)
            reference = run_quantized(network, plain, path)
            count = spell(model, constants)
            write_model(model, constants, file, external_above=EXTERNAL_ABOVE, cancel=cancel)
            cancel.check()
            progress(0.8, say("Reading {file} back", file=path.name))
            _compare(reference, run_quantized(network, file, path), path)
            files = put_in_place(file, path)
    except OSError as error:
        raise ExportError(
            say(
                "{path} can't be written ({reason}); choose another place.",
                path=path,
                reason=error.strerror or str(error),
            )
        ) from error
    check = say(
        "Run by ONNX Runtime: {count} MatMulNBits {count:node|nodes}, outputs as those of the QDQ spelling.",
        count=count,
    )
    return Written("matmul_nbits", path, tuple(files), handover, (check,))


def spell(model: onnx.ModelProto, constants: dict[str, Array]) -> int:
    """Replace DequantizeLinear + MatMul over grouped weights, in place; returns how many.

    Args:
        model: Without initializers.
        constants: These; packed weights are added, what nobody reads any more is removed.
    """
    readers: dict[str, list[onnx.NodeProto]] = {}
    for node in model.graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    made: list[onnx.NodeProto] = []
    dropped, count = set(), 0
    replaced: dict[int, list[onnx.NodeProto]] = {}
    for node in model.graph.node:
        if node.op_type != "DequantizeLinear" or len(readers.get(node.output[0], ())) != 1:
            continue
        product, weight = readers[node.output[0]][0], node.output[0]
        apart = product if product.op_type == "Reshape" and product.output[0].endswith(APART) else None
        if apart is not None and len(readers.get(apart.output[0], ())) == 1:
            product, weight = readers[apart.output[0]][0], apart.output[0]
        nodes = _node(node, product, weight, constants)
        if nodes is not None:
            dropped |= {id(node), id(apart)}
            replaced[id(product)] = nodes
            count += 1
    for node in model.graph.node:
        if id(node) not in dropped:
            made += replaced.get(id(node), [node])
    copies = []
    for node in made:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copies.append(copy)
    del model.graph.node[:]
    model.graph.node.extend(copies)
    if count and all(entry.domain != DOMAIN for entry in model.opset_import):
        model.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    read = {name for node in model.graph.node for name in node.input} | {item.name for item in model.graph.output}
    if not any(attribute.HasField("g") for node in model.graph.node for attribute in node.attribute):
        for name in [name for name in constants if name not in read]:
            del constants[name]
    return count


def _node(
    dequantize: onnx.NodeProto, product: onnx.NodeProto, weight: str, constants: dict[str, Array]
) -> list[onnx.NodeProto] | None:
    """The nodes in place of both, or None if MatMulNBits can't say them."""
    given = {entry.name: helper.get_attribute_value(entry) for entry in dequantize.attribute}
    codes = constants.get(dequantize.input[0])
    turned = _turned(product)
    if codes is None or codes.ndim != 2 or "block_size" not in given or turned is None:
        return None
    if product.input[1] != weight or given.get("axis", 1) != (1 if turned else 0):
        return None
    group = int(given["block_size"])
    if group < 16 or group & (group - 1):
        return None
    scales = constants[dequantize.input[1]]
    zeros = constants[dequantize.input[2]] if len(dequantize.input) > 2 else None
    if not turned:
        codes, scales = codes.T, scales.T
        zeros = zeros.T if zeros is not None else None
    bits = 8 if codes.dtype == np.int8 else 4
    channels, reduction = codes.shape
    stem = dequantize.input[0]
    constants[f"{stem}/nbits"] = _packed(_unsigned(codes, bits), group, bits)
    constants[f"{stem}/nbits/scale"] = np.ascontiguousarray(scales, np.float32).reshape(-1)
    inputs = [product.input[0], f"{stem}/nbits", f"{stem}/nbits/scale"]
    if zeros is not None:
        constants[f"{stem}/nbits/zero_point"] = _packed_rows(_unsigned(zeros, bits), bits).reshape(-1)
        inputs.append(f"{stem}/nbits/zero_point")
    bias = product.input[2] if len(product.input) > 2 else ""
    output = product.output[0] if not bias else f"{product.output[0]}/mixbit/product"
    node = helper.make_node(
        "MatMulNBits", inputs, [output], product.name, domain=DOMAIN, K=reduction, N=channels, bits=bits,
        block_size=group, accuracy_level=_EXACT,
    )  # fmt: skip
    if not bias:
        return [node]
    return [node, helper.make_node("Add", [output, bias], [product.output[0]], f"{product.name}/bias")]


def _turned(product: onnx.NodeProto) -> bool | None:
    """Whether the weight is [N, K]; None if the node is no plain product."""
    if product.op_type == "MatMul" and product.domain in ("", "ai.onnx"):
        return False
    given = {entry.name: helper.get_attribute_value(entry) for entry in product.attribute}
    if product.op_type != "Gemm" or given.get("transA", 0):
        return None
    if given.get("alpha", 1.0) != 1.0 or given.get("beta", 1.0) != 1.0:
        return None
    return bool(given.get("transB", 0))


def _unsigned(codes: Array, bits: int) -> Array:
    shifted: Array = codes.astype(np.int16) + 2 ** (bits - 1)
    return shifted.astype(np.uint8)


def _packed(codes: Array, group: int, bits: int) -> Array:
    """uint8 [N, groups, group * bits / 8] of unsigned codes [N, K]; the last group is filled up with zeros."""
    channels, reduction = codes.shape
    groups = -(-reduction // group)
    padded = np.zeros((channels, groups * group), np.uint8)
    padded[:, :reduction] = codes
    if bits == 8:
        return padded.reshape(channels, groups, group)
    return pack_int4(padded).reshape(channels, groups, group // 2)


def _packed_rows(zeros: Array, bits: int) -> Array:
    """uint8 [N, ceil(groups * bits / 8)]: each row of zero points is packed by itself."""
    if bits == 8:
        return np.ascontiguousarray(zeros)
    if zeros.shape[1] % 2:
        zeros = np.pad(zeros, ((0, 0), (0, 1)))
    return pack_int4(zeros).reshape(zeros.shape[0], -1)


def _compare(reference: Mapping[str, Array], found: Mapping[str, Array], path: Path) -> None:
    for name, wanted in reference.items():
        got = found[name]
        if wanted.dtype.kind != "f":
            continue
        size = float(np.linalg.norm(wanted.astype(np.float64)))
        off = float(np.linalg.norm(got.astype(np.float64) - wanted))
        if off > _CLOSE * size:
            raise ExportError(
                say("{file}: output {name} differs from the QDQ spelling by {part:.1%}; the file was not written.",
                    file=path.name, name=name, part=off / size if size else 1.0)
            )  # fmt: skip
