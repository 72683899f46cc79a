"""The cases: every model of `onnx.backend.test` with its inputs, as it is and with its weights stored.

Most of these models are one node whose weights are inputs, so that nothing has a switch. So each is also tried with all
inputs but the first stored in the file, which is how weights look in the models that people have.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.backend.test
from onnx import numpy_helper

STORED = "weights stored"
DATA = Path(onnx.backend.test.__file__).parent / "data"
_FOLDERS = ("simple", "pytorch-converted", "pytorch-operator")
"""Not the large networks of "light": scripts/model_table.py takes those."""
Given = Mapping[str, Any]
"""An array, a list of arrays or None by input name."""


@dataclass(frozen=True, eq=False)
class Case:
    """One model and what it is fed with."""

    name: str
    group: str
    """Where it is from: node, or the name of a folder of models."""
    model: onnx.ModelProto
    given: Given
    """Inputs that the test gives; may lack some."""
    folder: Path | None = None
    """Where its external data are."""


def all_cases(*, node: bool = True) -> Iterator[Case]:
    """Every case in a fixed order, each followed by its variant with stored weights where it has one."""
    for case in (*(node_cases() if node else ()), *file_cases()):
        yield case
        stored = with_stored_weights(case)
        if stored is not None:
            yield stored


def node_cases(module: str | None = None) -> Iterator[Case]:
    """The models that the package makes when it is asked, most of them one node; of one module, or all of them.

    Its own filter by operator is not used: modules imported under it register nothing else in this process any more.
    """
    from onnx.backend.test.case import model as models
    from onnx.backend.test.case import node as nodes

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if module is None:
            made = [("node", each) for each in nodes.collect_testcases()]
            made += [("model", each) for each in models.collect_testcases()]
        else:
            importlib.import_module(f"{nodes.__name__}.{module}")
            own = [each for each in nodes._NodeTestCases if each.name.startswith(f"test_{module}")]
            made = [("node", each) for each in own]
    for group, each in made:
        if each.model is None:
            continue
        names = [value.name for value in each.model.graph.input]
        given = dict(zip(names, each.data_sets[0][0], strict=False)) if each.data_sets else {}
        yield Case(each.name, group, each.model, given)


def file_cases() -> Iterator[Case]:
    """The models that lie in the package as files."""
    for group in _FOLDERS:
        for path in sorted((DATA / group).glob("**/*.onnx")):
            model = onnx.load(path, load_external_data=False)
            data = path.parent / "test_data_set_0"
            given = {}
            for number, value in enumerate(model.graph.input):
                file = data / f"input_{number}.pb"
                if file.is_file():
                    given[value.name] = _read(file, value.type)
            name = path.parent.name if path.stem == "model" else path.stem
            yield Case(name, group, model, given, path.parent)


def with_stored_weights(case: Case) -> Case | None:
    """The same with all inputs but the first stored; None where there is but one, or no array for another."""
    filled = {tensor.name for tensor in case.model.graph.initializer}
    free = [value for value in case.model.graph.input if value.name not in filled]
    rest = {value.name: case.given.get(value.name) for value in free[1:]}
    if not rest or not all(isinstance(array, np.ndarray) for array in rest.values()):
        return None
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    model.ir_version = max(4, model.ir_version)
    del model.graph.input[:]
    model.graph.input.extend(value for value in case.model.graph.input if value.name not in rest)
    types = {value.name: value.type.tensor_type.elem_type for value in free}
    model.graph.initializer.extend(_tensor(name, array, types[name]) for name, array in rest.items())
    given = {name: array for name, array in case.given.items() if name not in rest}
    return Case(f"{case.name}, {STORED}", case.group, model, given, case.folder)


def _tensor(name: str, array: Any, kind: int) -> onnx.TensorProto:
    if array.dtype.kind in "OUS":
        return onnx.helper.make_tensor(name, kind, array.shape, [str(text).encode() for text in array.reshape(-1)])
    return numpy_helper.from_array(np.asarray(array), name)


def _read(file: Path, kind: onnx.TypeProto) -> Any:
    which = kind.WhichOneof("value")
    if which == "sequence_type":
        sequence = onnx.SequenceProto()
        sequence.ParseFromString(file.read_bytes())
        return numpy_helper.to_list(sequence)
    if which == "optional_type":
        optional = onnx.OptionalProto()
        optional.ParseFromString(file.read_bytes())
        return numpy_helper.to_optional(optional)
    tensor = onnx.TensorProto()
    tensor.ParseFromString(file.read_bytes())
    return numpy_helper.to_array(tensor)
