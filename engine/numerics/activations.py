"""Nodes that round an activation: through half, or through integer codes with a static or a fresh scale."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper

from engine.graph.types import Array, TensorInfo
from engine.precision.scheme import ActivationFormat
from engine.quant.ranges import QuantParams

_TINY = float(np.finfo(np.float32).tiny)
_HALF, _BRAIN = TensorProto.FLOAT16, TensorProto.BFLOAT16


class Rounding(NamedTuple):
    """Nodes, the constants they read, and the name of the rounded tensor."""

    nodes: list[onnx.NodeProto]
    constants: Mapping[str, Array]
    output: str


def half_pair(
    name: str, prefix: str, tensors: Mapping[str, TensorInfo], output: str = "", *, brain: bool = False
) -> Rounding | None:
    """Cast to half (or, of 16 bits too, bfloat16) and back; None if the tensor holds that already, or no floats."""
    info = tensors.get(name)
    if info is None or not rounds(info.dtype, brain):
        return None
    output = output or f"{prefix}/rounded"
    return Rounding(
        [
            helper.make_node("Cast", [name], [f"{prefix}/half"], to=_BRAIN if brain else _HALF),
            helper.make_node("Cast", [f"{prefix}/half"], [output], to=onnx_type(info.dtype)),
        ],
        {},
        output,
    )


def integer_pair(
    name: str,
    prefix: str,
    tensors: Mapping[str, TensorInfo],
    form: ActivationFormat,
    params: QuantParams | None,
    opset: int,
) -> Rounding:
    """QuantizeLinear and DequantizeLinear per tensor; without `params` the scale comes from the tensor's own extremes.

    Other dtypes than float32 are cast to it and back. Where ONNX has no such operator yet (4 and 16 bits before opset
    21, any before 10), ONNX Runtime's own operators of the same name and meaning are used.
    """
    dtype = tensors[name].dtype
    code = _code(form)
    nodes: list[onnx.NodeProto] = []
    source = name
    if dtype != np.float32:
        source = f"{prefix}/float"
        nodes.append(helper.make_node("Cast", [name], [source], to=TensorProto.FLOAT))
    scale, zero = f"{prefix}/scale", f"{prefix}/zero_point"
    constants: dict[str, Array] = {}
    if params is None:
        fresh = _fresh_params(source, prefix, scale, zero, form, code)
        nodes += fresh.nodes
        constants.update(fresh.constants)
    else:
        constants |= {scale: np.asarray(params.scale, np.float32), zero: np.asarray(params.zero_point, code)}
    own = opset < 10 or (form.bits != 8 and opset < 21)
    domain = {"domain": "com.microsoft"} if own else {}
    back = f"{prefix}/rounded" if dtype == np.float32 else f"{prefix}/back"
    nodes += [
        helper.make_node("QuantizeLinear", [source, scale, zero], [f"{prefix}/codes"], **domain),
        helper.make_node("DequantizeLinear", [f"{prefix}/codes", scale, zero], [back], **domain),
    ]
    if dtype != np.float32:
        nodes.append(helper.make_node("Cast", [back], [f"{prefix}/rounded"], to=onnx_type(dtype)))
    return Rounding(nodes, constants, f"{prefix}/rounded")


def _code(form: ActivationFormat) -> np.dtype[np.generic]:
    """The dtype of the codes; 4 bits are no type of numpy's own."""
    name = f"{'int' if form.symmetric else 'uint'}{form.bits}"
    return np.dtype(getattr(ml_dtypes, name) if form.bits == 4 else name)


def _fresh_params(
    source: str, prefix: str, scale: str, zero: str, form: ActivationFormat, code: np.dtype[np.generic]
) -> Rounding:
    """Scale and zero point by the formulas of `activation_params`, out of the tensor itself.

    ReduceMin and ReduceMax over all axes take no attribute and no second input in any opset.
    """
    steps = 2 ** (form.bits - 1) - 1 if form.symmetric else 2**form.bits - 1
    name = f"{prefix}/{{}}".format
    constants = {
        name("nothing"): np.asarray(0, np.float32),
        name("steps"): np.asarray(steps, np.float32),
        name("tiny"): np.asarray(_TINY, np.float32),
    }
    node = helper.make_node
    nodes = [
        node("ReduceMin", [source], [name("least")], keepdims=0),
        node("ReduceMax", [source], [name("most")], keepdims=0),
        node("Min", [name("least"), name("nothing")], [name("low")]),
        node("Max", [name("most"), name("nothing")], [name("high")]),
    ]
    if form.symmetric:
        nodes += [
            node("Neg", [name("low")], [name("depth")]),
            node("Max", [name("depth"), name("high")], [name("span")]),
        ]
        constants[zero] = np.asarray(0, code)
    else:
        nodes.append(node("Sub", [name("high"), name("low")], [name("span")]))
    nodes += [
        node("Div", [name("span"), name("steps")], [name("raw_scale")]),
        node("Max", [name("raw_scale"), name("tiny")], [scale]),
    ]
    if not form.symmetric:
        nodes += [
            node("Neg", [name("low")], [name("depth")]),
            node("Div", [name("depth"), scale], [name("offset")]),
            node("Min", [name("offset"), name("steps")], [name("capped")]),
            # Cast truncates; half is added because rounding is an operator of later opsets only.
            node("Add", [name("capped"), name("half")], [name("lifted")]),
            node("Cast", [name("lifted")], [zero], to=onnx_type(code)),
        ]
        constants[name("half")] = np.asarray(0.5, np.float32)
    return Rounding(nodes, constants, scale)


def rounds(dtype: np.dtype[np.generic], brain: bool) -> bool:
    """Whether rounding a tensor of that dtype to half, or to bfloat16, may change it."""
    return name_of(dtype) in ("float32", "float64", "float16" if brain else "bfloat16")


@cache
def name_of(dtype: np.dtype[np.generic]) -> str:
    """The name of a dtype, which numpy puts together anew each time."""
    return dtype.name


@cache
def onnx_type(dtype: np.dtype[np.generic]) -> int:
    """ONNX element type of a numpy dtype; any kind of text is STRING."""
    if dtype.kind in "OSU" or dtype.name.startswith("StringDType"):
        return int(TensorProto.STRING)
    if dtype == ml_dtypes.bfloat16:
        return int(TensorProto.BFLOAT16)
    return int(helper.np_dtype_to_tensor_dtype(dtype))
