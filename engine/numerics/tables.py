"""Tables from which rows are gathered, handed to a session with each run instead of being copied into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import onnx
import onnxruntime as ort
from onnx import helper

from engine.graph.types import Array

_LEAST_BYTES = 1 << 20
"""Below that a copy is quick."""


def tables_of(graph: onnx.GraphProto, outside: Mapping[str, Array]) -> dict[str, Array]:
    """Those big constants that nothing reads but operators that gather rows of them."""
    gathered, others = set[str](), {info.name for info in graph.output}
    for node in graph.node:
        own = node.op_type == "Gather" and node.domain in ("", "ai.onnx")
        gathered.update(node.input[:1] if own else ())
        others.update(node.input[1:] if own else node.input)
        if any(attribute.HasField("g") or attribute.graphs for attribute in node.attribute):
            return {}  # a body may read anything
    names = gathered - others
    return {n: a for n, a in outside.items() if n in names and a.nbytes >= _LEAST_BYTES and a.dtype.kind in "fiu"}


def as_inputs(proto: onnx.ModelProto, tables: Mapping[str, Array]) -> onnx.ModelProto:
    """The same model with tables as inputs in place of initializers."""
    made = onnx.ModelProto()
    made.CopyFrom(proto)
    kept = [tensor for tensor in proto.graph.initializer if tensor.name not in tables]
    held = [tensor for tensor in proto.graph.initializer if tensor.name in tables]
    del made.graph.initializer[:]
    made.graph.initializer.extend(kept)
    made.graph.input.extend(helper.make_tensor_value_info(t.name, t.data_type, list(t.dims)) for t in held)
    return made


class TableSession(ort.InferenceSession):  # type: ignore[misc]
    """A session that gives itself its tables: to whoever runs it, it has the model's own inputs only."""

    def __init__(
        self, model: bytes, options: ort.SessionOptions, tables: Mapping[str, ort.OrtValue], **more: Any
    ) -> None:
        """Open a model.

        Args:
            model: With the tables among its inputs.
            options: As for any session.
            tables: By name; kept as long as the session.
            more: As for any session.
        """
        super().__init__(model, options, **more)
        self._tables = dict(tables)

    def get_inputs(self) -> Sequence[Any]:
        """The model's own inputs."""
        return [info for info in super().get_inputs() if info.name not in self._tables]

    def io_binding(self) -> ort.IOBinding:
        """A binding that has the tables already."""
        made = super().io_binding()
        for name, value in self._tables.items():
            made.bind_ortvalue_input(name, value)
        return made

    def run(self, output_names: Any, input_feed: Mapping[str, Any], run_options: Any = None) -> Any:
        """Run on arrays."""
        tables = {name: value.numpy() for name, value in self._tables.items()}
        return super().run(output_names, {**input_feed, **tables}, run_options)

    def run_with_ort_values(self, output_names: Any, input_dict_ort_values: Any, run_options: Any = None) -> Any:
        """Run on values of ONNX Runtime's own."""
        return super().run_with_ort_values(output_names, {**input_dict_ort_values, **self._tables}, run_options)
