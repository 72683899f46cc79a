"""The table of targets, and what holds for each of them."""

from __future__ import annotations

import csv
import importlib
import os
import stat
from pathlib import Path

import numpy as np
import onnx
import pytest
from export_cases import case_of
from handmade import Step, network
from onnx import helper, numpy_helper

from engine.errors import Cancelled, ExportError, PlanError
from engine.files import written_aside
from engine.interop.folders import folder_aside
from engine.interop.handover import Extras, Measured
from engine.interop.targets import TARGETS, Target, target
from engine.npu import load_device, simulate
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8, W4A8, W8A16
from engine.progress import CancelToken
from engine.quant.ranges import Ranges

EACH = pytest.mark.parametrize("made", TARGETS, ids=[t.name for t in TARGETS])


def snapshot(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))


def test_names_are_unique_and_known():
    assert len({t.name for t in TARGETS}) == len(TARGETS) == 21
    assert target("atc").form == "folder"
    with pytest.raises(ExportError, match="There is no export target nothing; choose one of qdq"):
        target("nothing")


@EACH
def test_each_row_names_code_that_exists(made: Target):
    module = importlib.import_module(f"engine.interop.{made.module}")
    assert callable(getattr(module, f"check_{made.name}"))
    assert callable(getattr(module, f"export_{made.name}"))
    assert str(made.title)
    assert str(made.note).endswith(".")
    assert all(option.default in (option.choices or (option.default,)) for option in made.options)


@EACH
def test_each_writes_its_files_and_nothing_else(made: Target, case, tmp_path):
    place = tmp_path / f"名 x{made.suffix}"
    written = case.export(made.name, place)
    assert written.target == made.name
    assert written.path == place
    assert written.files
    assert all(file.is_file() and file.stat().st_size for file in written.files)
    assert place.is_dir() == (made.form == "folder")
    assert os.listdir(tmp_path) == [place.name]
    assert made.name == "csv" or written.checks
    for file in written.files:
        if file.suffix == ".sh":
            assert file.stat().st_mode & stat.S_IXUSR
    if made.form == "folder":
        report = (place / "handover.txt").read_text()
        assert all(file.relative_to(place).parts[0] in report for file in written.files if file.name != "handover.txt")
    again = case.export(made.name, place)  # an export replaces the one before
    assert [f.name for f in again.files] == [f.name for f in written.files]
    assert os.listdir(tmp_path) == [place.name]


@EACH
def test_none_replaces_a_pipe_or_device(made: Target, case, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ExportError, match="no ordinary file"):
        case.export(made.name, tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()
    assert os.listdir(tmp_path) == ["pipe"]


@EACH
def test_each_refuses_a_place_that_it_cannot_write_to(made: Target, case, tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("x")
    before = snapshot(tmp_path)
    for place in ("missing/out", "file/out", "full" if made.form == "folder" else "missing/x", "full"):
        with pytest.raises(ExportError) as refused:
            case.export(made.name, tmp_path / place)
        assert str(tmp_path / place) in str(refused.value)
    assert snapshot(tmp_path) == before


@EACH
def test_a_cancel_leaves_the_export_before(made: Target, case, tmp_path):
    place = tmp_path / "out"
    case.export(made.name, place)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        made.export(case.network, case.plan, case.ranges, place, extras=case.extras(), cancel=token)
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


@pytest.mark.parametrize("name", ["amct_ptq", "atc", "mindspore_lite", "tensorrt", "nncf", "matmul_nbits", "qdq"])
def test_a_cancel_on_the_way_leaves_nothing(name, case, tmp_path):
    token = CancelToken()
    with pytest.raises(Cancelled):
        target(name).export(
            case.network, case.plan, case.ranges, tmp_path / "out", extras=case.extras(), cancel=token,
            progress=lambda fraction, text: token.cancel(),
        )  # fmt: skip
    assert not os.listdir(tmp_path)


@EACH
def test_missing_ranges_are_said(made: Target, case, tmp_path):
    if "ranges" not in made.needs:
        made.export(case.network, case.plan, None, tmp_path / "out", extras=case.extras())
        return
    with pytest.raises(ExportError, match="calibration has not finished yet"):
        made.export(case.network, case.plan, None, tmp_path / "out")
    with pytest.raises(PlanError, match="needs the range of"):
        made.export(case.network, case.plan, Ranges(), tmp_path / "out")
    assert not os.listdir(tmp_path)


@EACH
def test_a_model_without_tunable_layers(made: Target, tmp_path):
    net = network({"x": np.zeros((2, 3), np.float32)}, ["y"], [Step([("Relu", ["x"], ["y"], {})], ["y"])])
    if made.name in ("qdq", "csv", "plan", "report", "trace", "op_summary"):
        run = simulate(net, Plan(), load_device("kirin9030"))
        made.export(net, Plan(), Ranges(), tmp_path / "out", extras=Extras(measured=Measured(simulation=run)))
        return
    with pytest.raises(ExportError, match=r"handmade\.onnx has no layer with a precision of its own"):
        made.check(net, Plan())
    with pytest.raises(ExportError, match="nothing to tell"):
        made.export(net, Plan(), Ranges(), tmp_path / "out")


def test_options_are_checked(case):
    with pytest.raises(ExportError, match="has no option colour; it knows platform, exclude"):
        target("dopt").check(case.network, case.plan, Extras(options={"colour": "red"}))
    with pytest.raises(ExportError, match="platform can't be pdp11; choose one of kirin9020"):
        target("dopt").check(case.network, case.plan, Extras(options={"platform": "pdp11"}))
    with pytest.raises(ExportError, match="has no option x; it knows -"):
        target("rules").check(case.network, case.plan, Extras(options={"x": "y"}))


def test_an_error_in_the_middle_leaves_the_old_folder(tmp_path):
    with folder_aside(tmp_path / "out") as folder:
        (folder / "handover.txt").write_text("one")
    with pytest.raises(TypeError), folder_aside(tmp_path / "out") as folder:
        (folder / "handover.txt").write_text(2)
    with pytest.raises(ExportError, match="No space left"), folder_aside(tmp_path / "out"):
        raise OSError(28, "No space left on device")
    assert (tmp_path / "out" / "handover.txt").read_text() == "one"
    assert os.listdir(tmp_path) == ["out"]


def test_the_old_folder_returns_if_the_new_one_cannot_take_its_place(tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "handover.txt").write_text("one")
    move = Path.replace

    def fail(self, target):
        if self.name == "new":
            raise OSError(13, "Permission denied")
        return move(self, target)

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(ExportError, match="Permission denied"), folder_aside(tmp_path / "out"):
        pass
    assert (tmp_path / "out" / "handover.txt").read_text() == "one"


def test_awkward_names_go_through_every_target(tmp_path):
    """Nodes without a name, weights and inputs with separators: files keep their form, and every layer its line."""
    rng = np.random.default_rng(0)
    weights = {f"onnx::MatMul_{n}": rng.standard_normal((32, 32)).astype(np.float32) for n in range(3)}
    nodes, last = [], "in;put, 1"
    for at, weight in enumerate(weights):
        nodes.append(helper.make_node("MatMul", [last, weight], [f"a:{at}"], "" if at else 'x"y=[z]'))
        last = f"a:{at}"
    infos = [helper.make_tensor_value_info(n, 1, [2, 32]) for n in ("in;put, 1", last)]
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:],
                              [numpy_helper.from_array(a, n) for n, a in weights.items()])  # fmt: skip
    path = tmp_path / "odd.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    odd = case_of(path)
    (tmp_path / "out").mkdir()
    for made in TARGETS:
        odd.export(made.name, tmp_path / "out" / made.name)
    folders = [path for path in (tmp_path / "out").iterdir() if (path / "names.csv").exists()]
    assert folders
    for folder in folders:
        tables = [list(csv.reader((folder / name).read_text().splitlines())) for name in ("names.csv", "renamed.csv")]
        assert [{len(row) for row in table} for table in tables] == [{5}, {2}]  # one table each
        assert len(tables[0]) == 1 + len(weights)
        assert ["in;put, 1", "in_put__1"] in tables[1]
        assert "renamed.csv" in (folder / "handover.txt").read_text()


@pytest.mark.parametrize(
    ("scheme", "reasons"),
    [(INT4, ("INT4",)), (INT8, ("VNNI",)), (W4A8, ("INT4", "VNNI")), (FP16, ()), (W8A16, ())],
)
def test_the_quantized_model_names_the_setting_and_why_this_plan_needs_it(case, scheme, reasons):
    notes = [str(note) for note in target("qdq").check(case.network, case.with_plan(scheme).plan).notes]
    assert "session.disable_quant_qdq=1" in notes[0]
    assert len(notes) == 1 + len(reasons)
    assert all(word in note for word, note in zip(reasons, notes[1:], strict=True))


def test_a_refusal_names_the_place_and_not_the_folder_that_is_filled_aside(tmp_path):
    place = tmp_path / "out"
    with (
        pytest.raises(ExportError) as refused,
        folder_aside(place) as made,
        written_aside(made / "quantized.onnx"),
    ):
        raise OSError(28, "No space left on device")
    assert str(refused.value).startswith(f"{place / 'quantized.onnx'} can't be written (No space left on device)")
    assert snapshot(tmp_path) == []
