"""Dumps hold what ONNX Runtime computes, are whole or absent, go on where they stopped, and refuse what doesn't fit."""

from __future__ import annotations

import json

import ml_dtypes
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper
from small_models import small_cnn

from engine.errors import Cancelled, DataError, ExportError, PlanError
from engine.numerics import Evaluator, synthetic_samples
from engine.numerics.dumps import MANIFEST, read_manifest, read_tensor, write_dump
from engine.precision.plan import Plan
from engine.precision.presets import preset
from engine.progress import CancelToken
from engine.session.work import open_network


@pytest.fixture
def evaluator(cnn):
    made = Evaluator(cnn, synthetic_samples(cnn.graph, 3, 5))
    yield made
    made.close()


def test_reference_is_what_onnx_runtime_computes(evaluator, cnn, tmp_path):
    made = write_dump(evaluator, None, tmp_path / "d")
    assert made == read_manifest(tmp_path / "d")
    assert made.complete
    assert (made.source, len(made.tensors)) == ("reference", 3 * sum(len(k.outputs) for k in cnn.kernels))
    model = onnx.load(cnn.graph.path)
    kept = {e.tensor for e in made.tensors} & {n for node in model.graph.node for n in node.output}
    model.graph.output.extend(helper.make_empty_tensor_value_info(n) for n in kept - {"logits"})
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    assert kept >= {"r1", "r2", "logits"}
    for sample in range(3):
        expected = dict(zip(sorted(kept), session.run(sorted(kept), evaluator.samples.feeds[sample]), strict=True))
        for entry in made.tensors:
            if entry.sample == sample and entry.tensor in kept:
                np.testing.assert_allclose(
                    read_tensor(tmp_path / "d", entry), expected[entry.tensor], rtol=1e-4, atol=1e-5
                )


def test_plan_is_what_the_preview_computes_and_the_evaluator_keeps_its_own_values(evaluator, cnn, tmp_path):
    plan, other = preset(cnn, "int8"), preset(cnn, "int4")
    evaluator.evaluate(other)
    made = write_dump(evaluator, plan, tmp_path / "d", samples=[1])
    assert {e.sample for e in made.tensors} == {1}
    assert made.schemes == dict(plan)
    for entry in made.tensors:
        captured = evaluator.capture(entry.kernel, plan, 1)
        if captured.tensor == entry.tensor:
            np.testing.assert_array_equal(read_tensor(tmp_path / "d", entry), captured.result)
    last = [e for e in made.tensors if e.tensor == "logits"]
    np.testing.assert_array_equal(read_tensor(tmp_path / "d", last[0]), evaluator.output(plan)[1]["logits"])


def test_tensors_are_memory_mapped_and_read_only(evaluator, tmp_path):
    made = write_dump(evaluator, None, tmp_path / "d", samples=[0])
    array = read_tensor(tmp_path / "d", made.tensors[0])
    assert isinstance(array, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        array[...] = 0


def test_a_stopped_dump_goes_on_and_writes_nothing_twice(evaluator, cnn, tmp_path):
    folder = tmp_path / "d"
    token, seen = CancelToken(), []

    def stop_halfway(fraction, text):
        seen.append(fraction)
        if fraction > 0.6:
            token.cancel()

    with pytest.raises(Cancelled):
        write_dump(evaluator, None, folder, progress=stop_halfway, cancel=token)
    assert not read_manifest(folder).complete
    there = {p: p.stat().st_mtime_ns for p in folder.rglob("*.npy")}
    assert 0 < len(there) < 3 * len(cnn.kernels)
    assert not list(folder.rglob("*.part"))
    made = write_dump(evaluator, None, folder)
    assert made.complete
    assert len(made.tensors) == 3 * len(cnn.kernels)
    assert {p: p.stat().st_mtime_ns for p in there} == there


def test_chosen_kernels_are_added_to_an_earlier_dump(evaluator, cnn, tmp_path):
    first, last = cnn.kernels[0], cnn.kernels[-1]
    write_dump(evaluator, None, tmp_path / "d", kernels=[last.id], samples=[0])
    made = write_dump(evaluator, None, tmp_path / "d", kernels=[first.id], samples=[0])
    assert [e.kernel for e in made.tensors] == [first.id, last.id]


def test_another_plans_dump_is_not_mixed_in(evaluator, cnn, tmp_path):
    write_dump(evaluator, preset(cnn, "int8"), tmp_path / "d", samples=[0])
    before = (tmp_path / "d" / MANIFEST).read_bytes()
    with pytest.raises(DataError, match="dump of another model, plan or data"):
        write_dump(evaluator, preset(cnn, "int4"), tmp_path / "d", samples=[0])
    assert (tmp_path / "d" / MANIFEST).read_bytes() == before


def test_another_samples_dump_is_not_mixed_in(evaluator, cnn, tmp_path):
    write_dump(evaluator, None, tmp_path / "d", samples=[0])
    other = Evaluator(cnn, synthetic_samples(cnn.graph, 3, 6))
    try:
        with pytest.raises(DataError, match="another model, plan or data"):
            write_dump(other, None, tmp_path / "d", samples=[0])
    finally:
        other.close()


def test_refusals_before_anything_is_written(evaluator, cnn, tmp_path):
    with pytest.raises(DataError, match="more than the limit"):
        write_dump(evaluator, None, tmp_path / "d", limit_bytes=1000)
    with pytest.raises(DataError, match="no sample 7; there are 3"):
        write_dump(evaluator, None, tmp_path / "d", samples=[7])
    with pytest.raises(ExportError, match="no folder"):
        write_dump(evaluator, None, tmp_path / "a" / "b")
    (tmp_path / "f").write_text("x")
    with pytest.raises(ExportError, match="is a file"):
        write_dump(evaluator, None, tmp_path / "f")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear")
    with pytest.raises(ExportError, match="holds other files"):
        write_dump(evaluator, None, tmp_path / "full")
    with pytest.raises(PlanError, match="no layer nonsense"):
        write_dump(evaluator, None, tmp_path / "e", kernels=["nonsense"])
    assert not (tmp_path / "d").exists()


def test_a_full_disk_is_one_sentence_and_leaves_no_half_file(evaluator, tmp_path, monkeypatch):
    real = np.save

    def full(stream, array, **more):
        if array.size > 100:
            stream.write(b"half")
            raise OSError(28, "No space left on device")
        real(stream, array, **more)

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(ExportError, match="No space left on device"):
        write_dump(evaluator, None, tmp_path / "d")
    assert not read_manifest(tmp_path / "d").complete
    assert all(p.suffix in {".json", ".npy"} for p in (tmp_path / "d").rglob("*") if p.is_file())


def test_damaged_dumps_are_refused_by_one_sentence(evaluator, tmp_path):
    folder = tmp_path / "d"
    made = write_dump(evaluator, None, folder, samples=[0])
    entry = made.tensors[0]
    path = folder / entry.file
    whole = path.read_bytes()
    path.write_bytes(whole[:-8])
    with pytest.raises(DataError, match="truncated"):
        read_tensor(folder, entry)
    path.write_bytes(b"")
    with pytest.raises(DataError, match="truncated"):
        read_tensor(folder, entry)
    np.save(path, np.zeros((2, 2), np.float32))
    with pytest.raises(DataError, match=r"holds float32 \[2, 2\], but the manifest says"):
        read_tensor(folder, entry)
    np.save(path, np.array([{"a": 1}], object), allow_pickle=True)
    with pytest.raises(DataError):
        read_tensor(folder, entry)
    path.unlink()
    with pytest.raises(DataError, match="is missing"):
        read_tensor(folder, entry)


def test_manifests_that_are_no_manifests(evaluator, tmp_path):
    folder = tmp_path / "d"
    write_dump(evaluator, None, folder, samples=[0])
    read = json.loads((folder / MANIFEST).read_text())
    hostile = {
        "newer version": {**read, "version": 99},
        "not the manifest": {**read, "format": "other"},
        "outside its folder": {**read, "tensors": [{**read["tensors"][0], "file": "../../etc/passwd"}]},
    }
    for match, content in hostile.items():
        (folder / MANIFEST).write_text(json.dumps(content))
        with pytest.raises(DataError, match=match):
            read_manifest(folder)
    (folder / MANIFEST).write_bytes(b"\xff\xfe{")
    with pytest.raises(DataError, match="not the manifest"):
        read_manifest(folder)
    with pytest.raises(DataError, match="can't be read"):
        read_manifest(tmp_path)


def test_types_that_npy_can_not_name(tmp_path):
    graph = helper.make_graph(
        [helper.make_node("Cast", ["x"], ["h"], "/cast", to=TensorProto.BFLOAT16),
         helper.make_node("Cast", ["h"], ["y"], "/back", to=TensorProto.FLOAT),
         helper.make_node("Cast", ["h"], ["z"], "/half", to=TensorProto.FLOAT16)],
        "types",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3]),
         helper.make_tensor_value_info("z", TensorProto.FLOAT16, [2, 3])],
    )  # fmt: skip
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    network = open_network(tmp_path / "m.onnx")
    evaluator = Evaluator(network, synthetic_samples(network.graph, 1, 0))
    try:
        made = write_dump(evaluator, None, tmp_path / "d")
        entry = next(e for e in made.tensors if e.tensor == "h")
        assert (entry.dtype, entry.stored) == ("bfloat16", "float32")
        expected = evaluator.samples.feeds[0]["x"].astype(ml_dtypes.bfloat16).astype(np.float32)
        np.testing.assert_array_equal(read_tensor(tmp_path / "d", entry), expected)
    finally:
        evaluator.close()


def test_values_of_an_unknown_sample_or_a_walk_that_is_given_up(evaluator, cnn):
    steps = evaluator.values(Plan(), 0)
    kernel, values = next(steps)
    assert kernel is cnn.kernels[0]
    assert set(values) == set(kernel.outputs)
    steps.close()
    evaluator.evaluate(preset(cnn, "int8"))  # nobody holds the lock any more


def test_names_that_no_file_system_takes(tmp_path):
    path = small_cnn(tmp_path / "m.onnx")
    model = onnx.load(path)
    for i, node in enumerate(model.graph.node):
        node.name = f"../层 {i}:*?" + "x" * 300
    onnx.save(model, path)
    network = open_network(path)
    evaluator = Evaluator(network, synthetic_samples(network.graph, 1, 0))
    try:
        made = write_dump(evaluator, None, tmp_path / "d")
        assert all((tmp_path / "d" / e.file).is_file() and len(e.file) < 120 for e in made.tensors)
        assert len({e.file for e in made.tensors}) == len(made.tensors)
    finally:
        evaluator.close()
