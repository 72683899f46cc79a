"""Export: the whole model with its plan, as an ONNX file whose weights are integers in front of DequantizeLinear.

The nodes are those of the preview (`engine.numerics.lower`); only the spelling of the weights differs. Reading it as
the preview does needs the session setting that stands in the file's metadata: by default ONNX Runtime replaces INT4
weights by kernels of its own that also round the activations to 8 bits, and computes 8-bit layers with integers, whose
products saturate in pairs on x86 processors without VNNI.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper

from engine.asides import aside_in
from engine.errors import ExportError
from engine.fusion.types import Network
from engine.graph.types import Array
from engine.interop.model_file import put_in_place, write_model
from engine.interop.scaled_model import fold_scales
from engine.interop.unique import unique
from engine.numerics.lowering import lower
from engine.numerics.models import has_bodies, value_info
from engine.numerics.runtime import first_line, options
from engine.numerics.synthetic import synthetic_samples
from engine.numerics.upgrade import upgrade_kernel
from engine.precision.plan import Plan
from engine.precision.planfile import encode, plan_to_file
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.quant.ranges import Ranges
from engine.text import say

OPSET = 21
"""The first that knows INT4 and blocks; newer models keep their own."""
IR_VERSION = 10
EXTERNAL_ABOVE = 1_800_000_000
_NORM_STARTS = ("ReduceMean", "Pow")
_LOWEST = "mixbit/lowest"
SETTINGS = {"session.disable_quant_qdq": "1"}
"""Session entries with which ONNX Runtime computes what the preview shows."""


def export_qdq(
    network: Network,
    plan: Plan,
    ranges: Ranges,
    path: Path,
    *,
    external_above: int = EXTERNAL_ABOVE,
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> None:
    """Write a plan as a quantized ONNX model, read it back with ONNX Runtime, run it once, and put it in place.

    Names and dtypes of inputs and outputs stay; node names begin with the kernel's name. The plan and the session
    settings stand in the metadata.

    Args:
        network: The model.
        plan: The schemes.
        ranges: Static activation ranges.
        path: The file; replaced only when everything went well.
        external_above: Bytes of constants from which on they go to `path` + ".data".
        progress: Told about.
        cancel: Checked between kernels and constants.

    Raises:
        ExportError: The file can't be written, or the model can't be said in opset 21.
        PlanError: A range is missing.
        Cancelled: If asked to stop; nothing is left behind.
    """
    text = say("Writing {file}", file=path.name)
    with _aside(path) as folder:
        model, constants = build_qdq(network, plan, ranges, progress=progress, cancel=cancel)
        file = folder / path.name
        for loose in (False, True):
            _declare(network, model, loose)
            write_model(model, constants, file, external_above=external_above, cancel=cancel)
            cancel.check()
            progress(0.7, say("Reading {file} back", file=path.name))
            try:
                _read_back(network, file, path)
                break
            except ExportError:  # a branch that never runs may be impossible with these shapes: leave them open
                if loose or not has_bodies(model.graph.node):
                    raise
        cancel.check()
        put_in_place(file, path)
    progress(1.0, text)


def build_qdq(
    network: Network,
    plan: Plan,
    ranges: Ranges,
    *,
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> tuple[onnx.ModelProto, dict[str, Array]]:
    """The quantized model without its initializers, and these."""
    graph = network.graph
    own = graph.opsets.get("", 1)
    target = max(OPSET, own)
    model = onnx.ModelProto(producer_name="mixbit")
    model.graph.name = network.graph.path.stem or "model"
    constants: dict[str, Array] = {}
    used: dict[str, int] = {}
    ranges.rounding.find(plan.items(), cancel=cancel)
    for number, kernel in enumerate(network.kernels):
        cancel.check()
        progress(0.6 * number / len(network.kernels), say("Quantizing {layer}", layer=kernel.name))
        upgraded = upgrade_kernel(kernel, own, target, graph.tensors)
        scheme = plan.scheme(kernel.id)
        made = lower(upgraded, scheme, ranges, graph.tensors, True, opset=target)
        nodes = [_copy(node) for node in made.nodes]
        renamed = _merge(constants, made.constants, kernel.id)
        for node in nodes:
            for at, name in enumerate(node.input):
                node.input[at] = renamed.get(name, name)
            node.name = unique(f"{kernel.name}/{node.op_type}", used)
        model.graph.node.extend(nodes)
    scales = fold_scales(model, constants, frozenset(info.name for info in network.graph.outputs))
    _guard_norms(model, constants)
    _guard_roundings(model, constants)
    _close(network, model, constants, target)
    _declare(network, model, False)
    metadata = dict(_metadata(network, plan, ranges))
    if scales.folded or scales.left:
        metadata["mixbit.scales"] = msgspec.json.encode(scales._asdict()).decode()
    for key, value in metadata.items():
        model.metadata_props.add(key=key, value=value)
    return model, constants


def _guard_norms(model: onnx.ModelProto, constants: dict[str, Array]) -> None:
    """Keep ONNX Runtime from fusing a norm with the Cast in front of it.

    Its fusion drops a Cast from half that only the norm's nodes read, and then refuses the model because the norm would
    mix types. A maximum with -inf changes no value and stands in the way.
    """
    halves = {
        node.output[0] for node in model.graph.node if node.op_type == "Cast" and "/mixbit/half/" in node.input[0]
    }
    endangered = {name for node in model.graph.node if node.op_type in _NORM_STARTS for name in node.input} & halves
    if not endangered:
        return
    constants[_LOWEST] = np.asarray(-np.inf, np.float32)
    nodes = []
    for node in model.graph.node:
        nodes.append(node)
        if node.op_type == "Cast" and node.output[0] in endangered and node.attribute[0].i == onnx.TensorProto.FLOAT:
            output = node.output[0]
            node.output[0] = f"{output}/mixbit/float"
            nodes.append(helper.make_node("Max", [node.output[0], _LOWEST], [output], f"{node.name}/Max"))
    nodes = [_copy(node) for node in nodes]
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def _guard_roundings(model: onnx.ModelProto, constants: dict[str, Array]) -> None:
    """Keep ONNX Runtime from taking two roundings in a row for one.

    It merges Q-DQ-Q-DQ at every level, whatever the two scales are: a scheme on top of a rounding that the model has
    itself would have no effect. A maximum with -inf changes no value and stands in the way.
    """
    made_by = {node.output[0]: node for node in model.graph.node if node.op_type == "DequantizeLinear"}
    nodes = []
    for node in model.graph.node:
        before = made_by.get(node.input[0]) if node.op_type == "QuantizeLinear" else None
        if before is not None and not _same_steps(before, node, constants):
            constants[_LOWEST] = np.asarray(-np.inf, np.float32)
            apart = f"{node.output[0]}/mixbit/apart"
            nodes.append(helper.make_node("Max", [node.input[0], _LOWEST], [apart], f"{node.name}/Max"))
            node.input[0] = apart
        nodes.append(node)
    if len(nodes) > len(model.graph.node):
        nodes = [_copy(node) for node in nodes]
        del model.graph.node[:]
        model.graph.node.extend(nodes)


def _same_steps(a: onnx.NodeProto, b: onnx.NodeProto, constants: Mapping[str, Array]) -> bool:
    """Whether two nodes have equal scales and zero points."""
    pairs = zip(a.input[1:], b.input[1:], strict=False)
    known = [(constants.get(x), constants.get(y)) for x, y in pairs]
    return len(a.input) == len(b.input) and all(x is not None and y is not None and _same(x, y) for x, y in known)


def _copy(node: onnx.NodeProto) -> onnx.NodeProto:
    """A node of our own to rename."""
    made = onnx.NodeProto()
    made.CopyFrom(node)
    return made


def _close(network: Network, model: onnx.ModelProto, constants: dict[str, Array], target: int) -> None:
    """Constants that are outputs, operator sets, versions."""
    graph = network.graph
    for info in graph.outputs:
        if info.name in graph.constants:
            constants.setdefault(info.name, graph.constants[info.name])
    opsets = {**graph.opsets, "": target}
    for node in model.graph.node:
        opsets.setdefault("" if node.domain == "ai.onnx" else node.domain, 1)
    model.opset_import.extend(helper.make_opsetid(domain, version) for domain, version in opsets.items())
    model.functions.extend(graph.functions)
    model.ir_version = IR_VERSION if target == OPSET else max(IR_VERSION, graph.ir_version)


def _declare(network: Network, model: onnx.ModelProto, loose: bool) -> None:
    """Inputs and outputs, with their shapes or (loose) their ranks."""
    graph = network.graph
    del model.graph.input[:], model.graph.output[:]
    model.graph.input.extend(value_info(info.name, graph, loose) for info in graph.inputs)
    model.graph.output.extend(value_info(info.name, graph, loose) for info in graph.outputs)


def _metadata(network: Network, plan: Plan, ranges: Ranges) -> Mapping[str, str]:
    return {
        "mixbit.plan": encode(plan_to_file(plan, network)).decode(),
        "mixbit.calibration": msgspec.json.encode(
            {"observer": ranges.observer, "samples": ranges.samples, "synthetic": ranges.synthetic}
        ).decode(),
        "mixbit.session_settings": msgspec.json.encode(SETTINGS).decode(),
        "mixbit.note": "To compute what Mixbit showed, open this file in ONNX Runtime with the session settings above.",
    }


def _merge(constants: dict[str, Array], new: Mapping[str, Array], kernel: str) -> dict[str, str]:
    """Add a kernel's constants; returns new names for those whose name stands for something else already."""
    renamed = {}
    for name, array in new.items():
        known = constants.get(name)
        if known is None:
            constants[name] = array
        elif known is not array and not _same(known, array):
            renamed[name] = f"{kernel}/{name}"
            constants[renamed[name]] = array
    return renamed


def _same(a: Array, b: Array) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b)


def run_quantized(network: Network, file: Path, path: Path) -> dict[str, Any]:
    """Run a quantized file once as a reader would, on synthetic input.

    Args:
        network: Inputs and their shapes.
        file: What to open.
        path: Where it is to be put in the end; errors name it.

    Returns:
        What it gives, by name, in the order of its outputs.

    Raises:
        ExportError: If ONNX Runtime refuses it.
    """
    try:
        session = ort.InferenceSession(str(file), options(threads=2, shared=False), providers=["CPUExecutionProvider"])
        feeds = synthetic_samples(network.graph, 1).feeds[0]
        names = [item.name for item in session.get_outputs()]
        results = session.run(names, {item.name: feeds[item.name] for item in session.get_inputs()})
    except Exception as error:  # ONNX Runtime has a class of its own for each status code
        raise ExportError(
            say("{file}: ONNX Runtime can't run the quantized model ({reason}); the file was not written.",
                file=path.name, reason=first_line(error))
        ) from error  # fmt: skip
    return dict(zip(names, results, strict=True))


def _read_back(network: Network, file: Path, path: Path) -> None:
    """Open the file as a reader would, and run it.

    Raises:
        ExportError: If ONNX Runtime refuses it, or its inputs or outputs are not the model's.
    """
    results = run_quantized(network, file, path)
    for info, (name, result) in zip(network.graph.outputs, results.items(), strict=True):
        kind = getattr(result, "dtype", info.dtype)
        if name != info.name or (kind != info.dtype and info.dtype.kind not in "OSUV"):
            raise ExportError(
                say("{file}: output {name} of the quantized model is not as in the model; the file was not written.",
                    file=path.name, name=info.name)
            )  # fmt: skip


@contextmanager
def _aside(path: Path) -> Iterator[Path]:
    """A folder beside the target to write in, gone afterwards.

    Raises:
        ExportError: If the folder is missing, read-only or full.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        with aside_in(path.parent) as folder:
            yield folder
    except OSError as error:
        raise ExportError(
            say("{path} can't be written ({reason}); choose another place.",
                path=path, reason=error.strerror or str(error))
        ) from error  # fmt: skip
