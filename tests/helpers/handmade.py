"""Networks written down by hand, without the graph and fusion rooms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, numpy_helper

from engine.fusion.types import Kernel, Kind, Network, Weight
from engine.graph.types import Array, Graph, Node, TensorInfo
from engine.numerics.samples import SampleSet
from engine.text import say


@dataclass
class Step:
    """One kernel: nodes as (op, inputs, outputs, attributes), its constants, and what its weight is."""

    nodes: Sequence[tuple[str, Sequence[str], Sequence[str], dict[str, Any]]]
    outputs: Sequence[str]
    constants: dict[str, Array] = field(default_factory=dict)
    kind: Kind = Kind.OTHER
    weight: str = ""
    channels: tuple[int, ...] = (0,)
    reduction: tuple[int, ...] = (1, 2, 3)
    activation: str = ""
    bias: str = ""
    anchor: int = 0


def network(
    inputs: dict[str, Array],
    outputs: Sequence[str],
    steps: Sequence[Step],
    *,
    opset: int = 17,
    domains: dict[str, int] | None = None,
    dynamic: Sequence[str] = (),
    constants: dict[str, Array] | None = None,
    functions: Sequence[onnx.FunctionProto] = (),
) -> Network:
    """Build a Network; `inputs` are example values that fix dtypes and shapes."""
    opsets = {"": opset, **(domains or {})}
    protos = [[_proto(node) for node in step.nodes] for step in steps]
    everything = {**(constants or {}), **{n: a for step in steps for n, a in step.constants.items()}}
    values = _run([p for ps in protos for p in ps], inputs, everything, opsets, functions)
    tensors = {name: TensorInfo(name, value.dtype, value.shape) for name, value in {**inputs, **values}.items()}
    count = 0
    kernels = []
    all_nodes: list[Node] = []
    for index, (step, made) in enumerate(zip(steps, protos, strict=True)):
        nodes = tuple(Node(count + at, proto, "") for at, proto in enumerate(made))
        count += len(nodes)
        all_nodes += nodes
        inside = {name for node in nodes for name in node.outputs}
        read = dict.fromkeys(name for node in nodes for name in _names(node.proto))
        outside = tuple(n for n in read if n and n not in inside and n not in step.constants and n in tensors)
        kernels.append(
            Kernel(
                id=f"k{index}.{made[step.anchor].output[0]}",
                index=index,
                name=f"layer{index}",
                op=made[step.anchor].op_type,
                kind=step.kind,
                nodes=nodes,
                anchor=step.anchor,
                inputs=outside,
                outputs=tuple(step.outputs),
                constants=step.constants,
                weight=_weight(step) if step.weight else None,
                why_not=None if step.weight else say("No weight."),
                params=0,
                macs=0,
            )
        )
    graph = Graph(
        path=Path("handmade.onnx"),
        sha256="0" * 64,
        file_bytes=0,
        ir_version=8,
        opsets=opsets,
        functions=tuple(functions),
        producer="tests",
        inputs=tuple(tensors[name] for name in inputs),
        outputs=tuple(
            tensors[n] if n in tensors else TensorInfo(n, everything[n].dtype, everything[n].shape) for n in outputs
        ),
        nodes=tuple(all_nodes),
        constants=everything,
        origins={},
        tensors=tensors,
        dynamic=frozenset(dynamic),
    )
    return Network(graph, "edge", tuple(kernels))


def whole_model(net: Network) -> onnx.ModelProto:
    """The network as one plain FP32 model."""
    graph = net.graph
    infos = [helper.make_tensor_value_info(i.name, _type(i.dtype), [None] * len(i.shape)) for i in graph.inputs]
    outputs = [helper.make_tensor_value_info(o.name, _type(o.dtype), None) for o in graph.outputs]
    constants = [numpy_helper.from_array(np.require(a, requirements="C"), n) for n, a in graph.constants.items()]
    body = helper.make_graph([n.proto for n in graph.nodes], "whole", infos, outputs, constants)
    imports = [helper.make_opsetid(d, v) for d, v in graph.opsets.items()]
    return helper.make_model(body, opset_imports=imports, ir_version=10, functions=list(graph.functions))


def samples_like(inputs: dict[str, Array], count: int = 4, seed: int = 0) -> SampleSet:
    """Random samples of the inputs' dtypes and shapes."""
    rng = np.random.default_rng(seed)
    make = lambda a: rng.standard_normal(a.shape) if a.dtype.kind == "f" else rng.integers(0, 2, a.shape)
    feeds = [{name: np.asarray(make(a)).astype(a.dtype) for name, a in inputs.items()} for _ in range(count)]
    return SampleSet(feeds, "tests")


def run_whole(model: onnx.ModelProto | str, feeds: dict[str, Array]) -> list[Array]:
    """Run a model in ONNX Runtime, QDQ as it is written."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    source = model if isinstance(model, str) else model.SerializeToString()
    return ort.InferenceSession(source, options, providers=["CPUExecutionProvider"]).run(None, feeds)


def small_net(seed: int = 0, opset: int = 17) -> tuple[Network, dict[str, Array]]:
    """Conv+Relu, depthwise Conv, 1x1 Conv + residual, pooling, Gemm: five kernels, three branches of data flow."""
    rng = np.random.default_rng(seed)
    f32 = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    pad = {"pads": [1, 1, 1, 1]}
    inputs = {"x": f32(1, 3, 12, 12)}
    steps = [
        Step(
            [("Conv", ["x", "w0", "b0"], ["c0"], pad), ("Relu", ["c0"], ["a"], {})],
            ["a"], {"w0": f32(16, 3, 3, 3), "b0": f32(16)}, Kind.CONV, "w0", activation="x", bias="b0",
        ),
        Step(
            [("Conv", ["a", "w1"], ["b"], {**pad, "group": 16})],
            ["b"], {"w1": f32(16, 1, 3, 3)}, Kind.DEPTHWISE, "w1", activation="a",
        ),
        Step(
            [("Conv", ["b", "w2", "b2"], ["c2"], {}), ("Add", ["c2", "a"], ["c"], {})],
            ["c"], {"w2": f32(16, 16, 1, 1), "b2": f32(16)}, Kind.CONV, "w2", activation="b", bias="b2",
        ),
        Step(
            [("GlobalAveragePool", ["c"], ["p"], {}), ("Flatten", ["p"], ["f"], {})], ["f"], {}, Kind.POOL,
        ),
        Step(
            [("Gemm", ["f", "w4", "b4"], ["y"], {"transB": 1})],
            ["y"], {"w4": f32(10, 16), "b4": f32(10)}, Kind.GEMM, "w4", reduction=(1,), activation="f", bias="b4",
        ),
    ]  # fmt: skip
    return network(inputs, ["y"], steps, opset=opset), inputs


def _weight(step: Step) -> Weight:
    shape = step.constants[step.weight].shape
    return Weight(step.weight, step.weight, shape, step.channels, step.reduction, step.activation, step.bias)


def _proto(node: tuple[str, Sequence[str], Sequence[str], dict[str, Any]]) -> onnx.NodeProto:
    op, read, written, attributes = node
    domain, _, name = op.rpartition(":")
    return helper.make_node(name, list(read), list(written), domain=domain, **attributes)


def _names(proto: onnx.NodeProto) -> list[str]:
    names = list(proto.input)
    for attribute in proto.attribute:
        if attribute.HasField("g"):
            own = {o for n in attribute.g.node for o in n.output} | {i.name for i in attribute.g.initializer}
            names += [n for node in attribute.g.node for n in _names(node) if n not in own]
    return names


def _type(dtype: np.dtype) -> int:
    return onnx.TensorProto.STRING if dtype.kind in "OU" else helper.np_dtype_to_tensor_dtype(dtype)


def _run(protos, inputs, constants, opsets, functions) -> dict[str, Array]:
    names = [name for proto in protos for name in proto.output if name]
    bfloat = {p.output[0] for p in protos if p.op_type == "Cast" and p.attribute[0].i == onnx.TensorProto.BFLOAT16}
    infos = [helper.make_tensor_value_info(n, _type(a.dtype), [None] * a.ndim) for n, a in inputs.items()]
    outputs = [onnx.ValueInfoProto(name=name) for name in names if name not in bfloat]
    initializers = [numpy_helper.from_array(np.require(a, requirements="C"), n) for n, a in constants.items()]
    body = helper.make_graph(protos, "all", infos, outputs, initializers)
    imports = [helper.make_opsetid(d, v) for d, v in opsets.items()]
    model = helper.make_model(body, opset_imports=imports, ir_version=10, functions=list(functions))
    values = dict(zip((n for n in names if n not in bfloat), run_whole(model, inputs), strict=True))
    # ONNX Runtime hands out no bfloat16; its shape is that of what was cast.
    for proto in protos:
        if proto.output[0] in bfloat:
            values[proto.output[0]] = values[proto.input[0]].astype(ml_dtypes.bfloat16)
    return values
