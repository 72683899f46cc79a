"""Running a Network's kernels as one plain ONNX model: what fusion made must compute what the file computes."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, numpy_helper

from engine.fusion import Network
from engine.graph import synthetic_feeds
from engine.graph.types import Array, Graph


def session_options(
    level: ort.GraphOptimizationLevel = ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
) -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return options


def run_original(graph: Graph, feeds: dict[str, Array]) -> dict[str, Array]:
    session = ort.InferenceSession(str(graph.path), session_options(), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds), strict=True))


def run_kernels(network: Network, feeds: dict[str, Array]) -> dict[str, Array]:
    """Kernel by kernel, each its own session; every kernel may read only what earlier ones wrote."""
    graph = network.graph
    values: dict[str, object] = {**feeds}
    values.update({info.name: graph.constants[info.name] for info in graph.outputs if info.name in graph.constants})
    for kernel in network.kernels:
        session, arrays = kernel_session(network, kernel)
        inputs = {name: values[name] for name in kernel.inputs} | arrays
        values.update(zip(kernel.outputs, session.run(list(kernel.outputs), inputs), strict=True))
    return {info.name: values[info.name] for info in graph.outputs}


def kernel_session(network: Network, kernel):
    graph, arrays = network.graph, {}
    proto = onnx.GraphProto(name="kernel")
    proto.node.extend(node.proto for node in kernel.nodes)
    for name in kernel.inputs:
        proto.input.append(value_info(graph, name))
    for name, array in kernel.constants.items():
        if array.nbytes > 1 << 20:
            proto.input.append(
                helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            )
            arrays[name] = np.ascontiguousarray(array)
        else:
            proto.initializer.append(numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name))
    proto.output.extend(onnx.ValueInfoProto(name=name) for name in kernel.outputs)
    opsets = [helper.make_opsetid(domain, version) for domain, version in graph.opsets.items()]
    model = helper.make_model(
        proto, opset_imports=opsets, functions=graph.functions, ir_version=max(graph.ir_version, 4)
    )
    return ort.InferenceSession(
        model.SerializeToString(), session_options(), providers=["CPUExecutionProvider"]
    ), arrays


def value_info(graph: Graph, name: str) -> onnx.ValueInfoProto:
    info = graph.tensors[name]
    shape = None if name in graph.dynamic else info.shape
    kind = onnx.TensorProto.STRING if info.dtype == object else helper.np_dtype_to_tensor_dtype(info.dtype)
    return helper.make_tensor_value_info(name, kind, shape)


def check_kernels(network: Network) -> None:
    """The structural promises of a Network."""
    graph = network.graph
    ids = [kernel.id for kernel in network.kernels]
    assert len(set(ids)) == len(ids)
    assert len({kernel.name for kernel in network.kernels}) == len(ids)
    assert [kernel.index for kernel in network.kernels] == list(range(len(ids)))
    seen: list[int] = [node.index for kernel in network.kernels for node in kernel.nodes]
    assert len(seen) == len(set(seen))
    folded = {node.index for node in graph.nodes} - set(seen)
    assert all(graph.nodes[index].op_type in ("BatchNormalization", "Mul", "Add", "Div", "Sub") for index in folded)
    known = {info.name for info in graph.inputs}
    for kernel in network.kernels:
        assert set(kernel.inputs) <= known, kernel
        known |= set(kernel.outputs)
        assert (kernel.weight is None) == (kernel.why_not is not None)
        if kernel.weight:
            assert kernel.weight.constant in kernel.constants
            assert kernel.weight.bias in {"", *kernel.constants}
            axes = (*kernel.weight.channel_axes, *kernel.weight.reduction_axes)
            assert sorted(axes) == list(range(len(kernel.weight.shape)))
    assert {info.name for info in graph.outputs} <= known | set(graph.constants)


def largest_difference(network: Network, seed: int = 1, known=None) -> float:
    """Largest difference between the kernels' results and the file's, relative to the largest value of each output."""
    check_kernels(network)
    feeds = synthetic_feeds(network.graph.inputs, seed, known=known)
    want, got = run_original(network.graph, feeds), run_kernels(network, feeds)
    worst = 0.0
    for name, reference in want.items():
        assert got[name].shape == reference.shape, name
        assert got[name].dtype == reference.dtype, name
        if reference.size == 0 or reference.dtype == object:
            assert np.array_equal(got[name], reference)
            continue
        a, b = got[name].astype(np.float64), reference.astype(np.float64)
        assert np.array_equal(np.isfinite(a), np.isfinite(b))
        scale = max(1e-12, np.abs(b[np.isfinite(b)]).max(initial=0))
        worst = max(worst, float(np.abs(a - b)[np.isfinite(b)].max(initial=0) / scale))
    return worst
