"""What becomes of one model: what ONNX Runtime makes of it, and whether Mixbit opens it and gives the same numbers."""

from __future__ import annotations

import contextlib
import io
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort

from engine.cli import main as mixbit
from engine.errors import MixbitError
from engine.fusion.types import Network
from engine.graph.runtime import as_ort
from engine.graph.types import Array, TensorInfo
from engine.interop.qdq import export_qdq
from engine.numerics import Evaluator, calibrate, synthetic_samples
from engine.numerics.samples import SampleSet
from engine.precision.plan import Plan
from engine.precision.presets import preset
from engine.session.work import open_network

from .cases import Case

NOT_RUN, AGREES, PLAIN, REFUSED = "not run by ONNX Runtime", "agrees", "agrees, no switch", "refused"
WRONG, ERROR = "wrong number", "traceback"
SAME_DB, EXACT = 60.0, 1e-5
_FEW, _DEEP_DB = 4, 40.0
"""Kernels behind each other in which no code flips because two ways to add round differently; what deeper ones keep."""
"""As in scripts/model_table.py: two ways to round, and two runs in floats."""
_EXACT = {"float16": 4e-3}
"""ONNX Runtime's CPU keeps floats between operators on halves; kernels round what they hand over, as a device does."""
_NOT_NUMPYS = ("float8", "float4", "bfloat", "int4", "int2)")
_DRAWN = ("Random", "Bernoulli", "Multinomial", "Dropout")
"""Beginnings of the names of operators that draw random numbers."""


@dataclass(frozen=True)
class Verdict:
    """How a case ended."""

    outcome: str
    text: str = ""
    kernels: int = 0
    switches: int = 0


def judge(case: Case, folder: Path) -> Verdict:
    """Try one case.

    Args:
        case: The model and its inputs.
        folder: An empty folder for its files.
    """
    path = folder / "model.onnx"
    path.write_bytes(case.model.SerializeToString())
    for file in case.folder.iterdir() if case.folder is not None else ():
        if file.is_file() and file.suffix != ".onnx":
            (folder / file.name).symlink_to(file)
    runs, why = _runs(case, path)
    if not runs:
        return Verdict(NOT_RUN, why)
    try:
        return _opened(case, path, folder)
    except MixbitError as error:
        return Verdict(REFUSED, str(error))
    except Exception:
        return Verdict(ERROR, traceback.format_exc())


def _runs(case: Case, path: Path) -> tuple[bool, str]:
    """Whether ONNX Runtime opens the file and runs it on what the test gives."""
    try:
        session = _session(path, plain=False)
    except Exception as error:
        return False, str(error)
    given = {value.name: case.given.get(value.name) for value in session.get_inputs()}
    if any(array is None for array in given.values()):
        return True, "not fed"
    try:
        session.run_with_ort_values(None, {name: _value(array) for name, array in given.items()})
    except (TypeError, AttributeError, ValueError):  # Python can't hand it over
        return True, "not fed"
    except Exception as error:
        return "input" in str(error) and "type" in str(error), str(error)
    return True, ""


def _value(given: Any) -> ort.OrtValue:
    if isinstance(given, list):
        raise TypeError("a sequence")
    if given.dtype.kind in "OUS":
        raise TypeError("text")
    return as_ort(given)


def _session(path: Path, *, plain: bool, qdq: bool = True) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    if plain:
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    if qdq:
        options.add_session_config_entry("session.disable_quant_qdq", "1")
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _opened(case: Case, path: Path, folder: Path) -> Verdict:
    shapes = _shapes(case)
    options = [f"--shape={name}={','.join(map(str, shape))}" for name, shape in shapes.items() if shape]
    model = (str(path), *options)
    told = _command("inspect", *model, "--json")
    if told is not None:
        return told
    network = open_network(path, shapes)
    found = Verdict(AGREES if network.tunable else PLAIN, "", len(network.kernels), len(network.tunable))
    told = _command("evaluate", *model, "--preset", "int8", "--json")
    if told is not None:
        return told
    if network.tunable:
        told = _command("evaluate", *model, "--preset", "int4", "--json")
        told = told or _command("export", *model, "--preset", "int4", "--to", "qdq", "--out", str(folder / "q.onnx"))
        if told is not None:
            return told
    feeds = _feeds(case, network)
    samples = SampleSet([feeds], "the test's own")
    evaluator = Evaluator(network, samples, ranges=calibrate(network, samples), workers=1)
    try:
        faults = _faults(case, network, evaluator, feeds, path, folder)
    finally:
        evaluator.close()
    return Verdict(WRONG, "; ".join(faults), found.kernels, found.switches) if faults else found


def _command(*arguments: str) -> Verdict | None:
    """Run a command as a user would; None if it went well."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = mixbit([*arguments, "--quiet"])
    except BaseException:
        return Verdict(ERROR, f"{arguments[0]}: {traceback.format_exc()}")
    return Verdict(REFUSED, f"{arguments[0]}: {err.getvalue().strip()}") if code else None


def _shapes(case: Case) -> dict[str, tuple[int, ...]]:
    """Shapes of the test's inputs, where the file leaves some free."""
    filled = {tensor.name for tensor in case.model.graph.initializer}
    shapes = {}
    for value in case.model.graph.input:
        array = case.given.get(value.name)
        if isinstance(array, list) and array:
            array = array[0]
        if isinstance(array, np.ndarray) and value.name not in filled:
            dims = value.type.tensor_type.shape.dim
            if not value.type.HasField("tensor_type") or any(dim.dim_value <= 0 for dim in dims):
                shapes[value.name] = array.shape
    return shapes


def _feeds(case: Case, network: Network) -> dict[str, Array]:
    """What the test gives, where it fits the model's inputs; drawn values elsewhere."""
    drawn = synthetic_samples(network.graph, 1).feeds[0]
    return {info.name: _fitting(case.given.get(info.name), info, drawn[info.name]) for info in network.graph.inputs}


def _fitting(given: Any, info: TensorInfo, drawn: Array) -> Array:
    if isinstance(given, list) and given:
        given = given[0]
    if not isinstance(given, np.ndarray) or given.shape != info.shape:
        return drawn
    return np.asarray(given).astype(info.dtype)


def _faults(
    case: Case, network: Network, evaluator: Evaluator, feeds: dict[str, Array], path: Path, folder: Path
) -> list[str]:
    """Numbers that differ: the preview in floats from the file, and each exported plan from its preview."""
    if _draws(case.model.graph.node):
        return []
    faults = []
    (found,) = evaluator.output(Plan())
    wanted = _run(path, feeds, case)
    if wanted is not None:
        faults += [f"{name}: {words}" for name, array in wanted.items() if (words := _differs(found, name, array))]
    for name in ("int8", "int4") if network.tunable else ():
        plan = preset(network, name)
        file = folder / f"{name}.onnx"
        export_qdq(network, plan, evaluator.ranges, file)
        (preview,) = evaluator.output(plan)
        exported = _run(file, feeds, None) or {}
        for output, array in exported.items():
            db = sqnr_db(preview[output], array)
            if db < (SAME_DB if len(network.kernels) <= _FEW else _DEEP_DB):
                faults.append(f"{name} exported, {output}: {db:.0f} dB")
    return faults


def _draws(nodes: Any) -> bool:
    return any(
        node.op_type.startswith(_DRAWN) or any(_draws(entry.g.node) for entry in node.attribute if entry.HasField("g"))
        for node in nodes
    )


def _run(path: Path, feeds: dict[str, Array], case: Case | None) -> dict[str, Array] | None:
    """Tensors that a file gives in ONNX Runtime; None where it can't be fed from Python."""
    session = None
    for plain in (True, False):
        try:
            session = _session(path, plain=plain)
            break
        except Exception:
            if not plain:
                raise
    assert session is not None
    wanted = {value.name: value.type for value in session.get_inputs()}
    if not wanted.keys() <= feeds.keys():
        return None
    try:
        if any(array.dtype == object for array in feeds.values()) or any("seq" in kind for kind in wanted.values()):
            given = {name: [feeds[name]] if "seq" in kind else feeds[name] for name, kind in wanted.items()}
            results = session.run(None, given)
        else:
            values = session.run_with_ort_values(None, {name: as_ort(feeds[name]) for name in wanted})
            results = [value.numpy() if _readable(value.data_type()) else None for value in values]
    except Exception:  # of another type than numpy has: Mixbit feeds and reads another one
        if case is None:
            raise
        return None
    names = [value.name for value in session.get_outputs()]
    return {name: array for name, array in zip(names, results, strict=True) if isinstance(array, np.ndarray)}


def _readable(kind: str) -> bool:
    """Whether numpy has such numbers: of others it gets the bits."""
    return kind.startswith("tensor") and not any(word in kind for word in _NOT_NUMPYS)


def _differs(found: dict[str, Array], name: str, wanted: Array) -> str:
    """What is different, in words; empty if nothing is."""
    if name not in found:
        return "no such output"
    array = found[name]
    if array.shape != wanted.shape:
        return f"shape {array.shape} instead of {wanted.shape}"
    if wanted.dtype.kind in "OUSb" or wanted.size == 0:
        return "" if np.array_equal(array.astype(str), wanted.astype(str)) else "differs"
    a, b = array.astype(np.complex128), wanted.astype(np.complex128)
    finite = np.isfinite(b)
    if not np.array_equal(finite, np.isfinite(a)):
        return "NaN or Inf elsewhere"
    far = float(np.abs(a - b)[finite].max(initial=0.0) / max(np.abs(b[finite]).max(initial=0.0), 1e-30))
    return f"off by {far:.0e}" if far > _EXACT.get(wanted.dtype.name, EXACT) else ""


def sqnr_db(found: Array, wanted: Array) -> float:
    """Signal over the difference of two results, dB."""
    if wanted.dtype.kind in "OUS" or wanted.size == 0:
        return np.inf
    a, b = found.astype(np.float64), wanted.astype(np.float64)
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return -np.inf
    noise, power = float(np.sum((a - b)[finite] ** 2)), float(np.sum(b[finite] ** 2))
    return np.inf if noise == 0 else float(10 * np.log10(max(power, 1e-300) / noise))
