"""Opening a model: from a path to a Graph with concrete shapes."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import onnx

from engine.errors import ModelError
from engine.graph.arrange import Arranged, arrange
from engine.graph.arrays import TensorReader
from engine.graph.branches import take_branches
from engine.graph.cancel import cancel_pairs
from engine.graph.external import check_tensors
from engine.graph.functions import inlined
from engine.graph.fused import unfused
from engine.graph.inputs import choose_shapes, declared_inputs, existing, read_plain, zero_dims
from engine.graph.limits import DEFAULT_LIMIT
from engine.graph.newest import QUANTIZED, too_new
from engine.graph.origins import find_origins
from engine.graph.simplify import drop_idle
from engine.graph.stamps import stamps
from engine.graph.stored import find_stored
from engine.graph.subgraphs import captured
from engine.graph.trial import Trial, try_run
from engine.graph.types import Array, Graph, Node, TensorInfo
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.text import Text, say

_SCOPES = "pkg.torch.onnx.name_scopes"
_ON_CODES = (
    "QuantizeLinear", "DequantizeLinear", "DynamicQuantize", "QLinear", "QGemm", "QAttention", "MatMulInteger",
    "ConvInteger",
)  # fmt: skip
"""Beginnings of the names of operators that quantize or compute with integers."""
_HASH_PIECE = 1 << 22
_NESTED_BRANCHES = 16
"""If nodes inside of each other that are unfolded; deeper ones stay as they are."""


def load(
    path: str | Path,
    *,
    shapes: Mapping[str, Sequence[int]] | None = None,
    memory_limit: int = DEFAULT_LIMIT,
    loop_seconds: float = 8.0,
    feeds: Mapping[str, Array] | None = None,
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> Graph:
    """Open an ONNX file.

    Weights stay in their file (memory-mapped) where they are aligned there. Whatever does not depend on the values of
    the inputs is computed once, by ONNX Runtime, and becomes a constant.

    Args:
        path: The model file.
        shapes: Concrete shapes by input name; needed for inputs with free dimensions (see `read_inputs`).
        memory_limit: Bytes that the model may take when it is expanded and run.
        loop_seconds: How long a model with a loop in it may run: the only one whose run may have no end.
        feeds: Inputs for the run that shows shapes and constants, for models that refuse random ones.
        progress: Told about each stage.
        cancel: Checked between and inside the stages.

    Raises:
        ShapesNeededError: A free dimension that `shapes` leaves open.
        ModelError: The file is missing, broken, hostile, or ONNX Runtime can't run it; `TooBigError` beyond the limit.
        Cancelled: `cancel` was raised.
    """
    path = existing(path)
    progress(0.0, say("Reading {file}", file=path.name))
    real = path.resolve()
    seen = stamps([real])
    model, changed = read_plain(path, memory_limit)
    cancel.check()
    inputs = choose_shapes(declared_inputs(model, path), shapes, path, memory_limit)
    cancel.check()
    others = check_tensors(model, real)
    seen += stamps(others)
    cancel.check()
    notes = (*changed, *zero_dims(model.graph, inputs))
    model = inlined(model, path, memory_limit)
    unfused(model)
    cancel.check()
    arranged = arrange(model, path)
    cancel.check()
    progress(0.2, say("Checking {file}", file=path.name))
    sha256 = _hash((real, *sorted(others)), cancel)
    progress(0.5, say("Running {file} once", file=path.name))

    def tried() -> Trial:
        return try_run(model, arranged, inputs, real, memory_limit, loop_seconds, feeds, cancel)

    trial = _in_a_quantizable_opset(model, tried)
    for _ in range(_NESTED_BRANCHES):
        if not trial.conditions:
            break
        arranged = take_branches(arranged, trial.conditions, {info.name for info in inputs}, path)
        trial = tried()
    progress(0.9, say("Arranging {file}", file=path.name))
    file_bytes = sum(f.stat().st_size for f in (real, *others))
    graph = _graph(path, model, arranged, inputs, trial, sha256, file_bytes, cancel)
    cancel.check()
    progress(1.0, say("Opened {file}", file=path.name))
    return replace(graph, files=frozenset((real, *others)), stamps=seen, notes=(*notes, *graph.notes))


def _in_a_quantizable_opset(model: onnx.ModelProto, tried: Callable[[], Trial]) -> Trial:
    """The trial run; a model of the newest operator set becomes one of the newest that can be quantized, if it runs."""
    entries = too_new(model)
    if not entries:
        return tried()
    own = entries[0].version
    for entry in entries:
        entry.version = QUANTIZED
    try:
        return tried()
    except ModelError:  # its element types are of its own operator set
        for entry in entries:
            entry.version = own
    return tried()


def _hash(files: Iterable[Path], cancel: CancelToken) -> str:
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            while piece := stream.read(_HASH_PIECE):
                digest.update(piece)
                cancel.check()
    return digest.hexdigest()


def _graph(
    path: Path,
    model: onnx.ModelProto,
    arranged: Arranged,
    inputs: tuple[TensorInfo, ...],
    trial: Trial,
    sha256: str,
    file_bytes: int,
    cancel: CancelToken,
) -> Graph:
    running = [node for node in trial.arranged.nodes if any(name in trial.depends.values for name in node.output)]
    protos = drop_idle(running, arranged.outputs, trial.tensors, trial.depends.shapes)
    cancel.check()
    protos = cancel_pairs(protos, arranged.outputs, trial.tensors, trial.depends.shapes)
    cancel.check()
    nodes = tuple(Node(index, proto, _scope(proto), captured(proto)) for index, proto in enumerate(protos))
    reader = TensorReader(path.resolve())
    constants = _constants(nodes, trial.arranged, trial, reader, cancel)
    cancel.check()
    alive = {info.name for info in inputs} | {name for node in nodes for name in node.outputs if name}
    tensors = {name: info for name, info in trial.tensors.items() if name in alive}
    return Graph(
        path=path,
        sha256=sha256,
        file_bytes=file_bytes,
        ir_version=model.ir_version,
        opsets={entry.domain: entry.version for entry in model.opset_import},
        functions=tuple(model.functions),
        producer=" ".join(part for part in (model.producer_name, model.producer_version) if part),
        inputs=inputs,
        outputs=tuple(_output(name, tensors, constants) for name in arranged.outputs),
        nodes=nodes,
        constants=constants,
        origins=find_origins(arranged, constants),
        tensors=tensors,
        dynamic=trial.depends.shapes & alive,
        notes=_notes(model, inputs, nodes, trial.depends.shapes & alive),
        stored=find_stored(arranged, constants, trial.tensors, reader.array),
        fill=trial.fill,
    )


def _notes(
    model: onnx.ModelProto, inputs: Sequence[TensorInfo], nodes: Sequence[Node], dynamic: frozenset[str]
) -> tuple[Text, ...]:
    """What a user should know about how the model was opened."""
    notes = []
    used = {name for node in nodes for name in node.inputs} | {value.name for value in model.graph.output}
    idle = [info.name for info in inputs if info.name not in used]
    if idle:
        notes.append(say("Nothing reads the values of {inputs}.", inputs=", ".join(idle)))
    quantized = sum(node.op_type.rpartition(".")[2].startswith(_ON_CODES) for node in nodes)
    if quantized:
        notes.append(
            say(
                "The file is quantized already ({count} nodes quantize or compute with codes): "
                "converters of some NPUs want the model in floats.",
                count=quantized,
            )
        )
    if dynamic:
        notes.append(
            say(
                "Tensors whose size depends on the input values: {count}; figures hold for the sizes of a trial run.",
                count=len(dynamic),
            )
        )
    return tuple(notes)


def _constants(
    nodes: Sequence[Node], arranged: Arranged, trial: Trial, reader: TensorReader, cancel: CancelToken
) -> dict[str, Array]:
    constants: dict[str, Array] = {}
    used = dict.fromkeys(name for node in nodes for name in node.inputs if name)
    for name in (*used, *arranged.outputs):
        cancel.check()
        if name in trial.folded:
            constants[name] = trial.folded[name]
        elif name in arranged.stored and name not in constants:
            constants[name] = reader.array(arranged.stored[name])
    return constants


def _output(name: str, tensors: Mapping[str, TensorInfo], constants: Mapping[str, Array]) -> TensorInfo:
    if name in tensors:
        return tensors[name]
    return TensorInfo(name, constants[name].dtype, constants[name].shape)


def _scope(proto: onnx.NodeProto) -> str:
    """The innermost module path of torch's list of scopes: "['', 'layers.0', 'layers.0.mlp', 'linear_3']"."""
    for entry in proto.metadata_props:
        if entry.key == _SCOPES:
            try:
                scopes = ast.literal_eval(entry.value)
            except (ValueError, SyntaxError):
                return ""
            if not isinstance(scopes, list):
                return ""
            # The last entry names the operation itself.
            return next((str(scope) for scope in reversed(scopes[:-1]) if scope), "")
    return ""
