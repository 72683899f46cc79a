"""Two dumps against each other: figures, thresholds, the first bad layer, refusals."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
from dump_layouts import counting

from engine.cli import main
from engine.interop.dump_compare import compare_dumps
from engine.interop.dump_open import open_dump
from engine.numerics import Evaluator, synthetic_samples
from engine.numerics.dumps import write_dump


@pytest.fixture
def two(cnn, tmp_path):
    evaluator = Evaluator(cnn, synthetic_samples(cnn.graph, 2, 3))
    try:
        write_dump(evaluator, None, tmp_path / "a")
        write_dump(evaluator, None, tmp_path / "b")
    finally:
        evaluator.close()
    return tmp_path / "a", tmp_path / "b"


def damage(folder, tensor, sample=0):
    entry = next(t for t in json.loads((folder / "manifest.json").read_text())["tensors"]
                 if (t["tensor"], t["sample"]) == (tensor, sample))  # fmt: skip
    path = folder / entry["file"]
    values = np.load(path)
    values.reshape(-1)[0] += 100
    np.save(path, values)


def test_equal_dumps_have_no_error_and_the_first_bad_layer_is_named(two, capsys):
    a, b = two
    assert main(["compare", str(a), str(b), "--threshold", "cosine=0.9999", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["first_bad"] is None
    assert all(layer["figures"]["max_abs"] == 0 for layer in found["layers"])
    damage(b, "r2")
    damage(b, "logits")
    assert main(["compare", str(a), str(b), "--threshold", "cosine=0.9999", "--json"]) == 1
    bad = json.loads(capsys.readouterr().out)["first_bad"]
    assert (bad["name"], bad["sample"], bad["missed"]) == ("dw", 0, ["cosine"])
    assert bad["figures"]["max_abs"] == pytest.approx(100, rel=1e-4)
    assert main(["compare", str(a), str(b)]) == 0  # nothing was required
    assert "head" in capsys.readouterr().out


def test_figures_are_those_of_numpy(two):
    a, b = two
    damage(b, "r1", 1)
    found = compare_dumps(open_dump(a), open_dump(b), metrics=("sqnr_db", "cosine", "mse", "relative_l2", "max_abs"))
    mine = {(t.aliases[0], t.sample): t.read().astype(np.float64).ravel() for t in open_dump(a).tensors}
    other = {(t.aliases[0], t.sample): t.read().astype(np.float64).ravel() for t in open_dump(b).tensors}
    layer = next(x for x in found.layers if x.figures["max_abs"] > 0)
    x, y = mine["r1", 1], other["r1", 1]
    noise = np.sum((y - x) ** 2)
    assert layer.sample == 1
    assert layer.figures["sqnr_db"] == pytest.approx(10 * np.log10(np.sum(x**2) / noise), rel=1e-5)
    assert layer.figures["cosine"] == pytest.approx(x @ y / np.linalg.norm(x) / np.linalg.norm(y), rel=1e-5)
    assert layer.figures["mse"] == pytest.approx(noise / x.size, rel=1e-5)


def test_the_figures_of_the_toolchains_own_comparison_stand_beside_ours(two):
    a, b = two
    damage(b, "r1", 1)
    found = compare_dumps(open_dump(a), open_dump(b), metrics=("cosine",), thresholds={"MeanRelativeError": 1e9,
                          "RelativeEuclideanDistance": 0.05})  # fmt: skip
    layer = found.first_bad
    assert (layer.sample, layer.missed) == (1, ("RelativeEuclideanDistance",))
    x = next(t for t in open_dump(a).tensors if t.name == layer.name and t.sample == 1).read().astype(np.float64)
    assert layer.figures["RelativeEuclideanDistance"] == pytest.approx(100 / np.linalg.norm(x), rel=1e-5)
    assert set(layer.figures) == {"cosine", "MeanRelativeError", "RelativeEuclideanDistance"}


def test_dumps_of_other_tools_against_ours(two, cnn, tmp_path):
    a, _ = two
    outside = tmp_path / "outside"
    outside.mkdir()
    for entry in json.loads((a / "manifest.json").read_text())["tensors"]:
        if entry["sample"] == 0:
            np.save(outside / f"{entry['tensor']}.npy", np.load(a / entry["file"]).astype(np.float16))
    found = compare_dumps(open_dump(a), open_dump(outside), thresholds={"sqnr_db": 50.0})
    assert len(found.layers) == len(cnn.kernels)
    assert found.first_bad is None
    assert all(55 < layer.figures["sqnr_db"] < 90 for layer in found.layers)


def test_missing_halves_are_problems_not_crashes(two, capsys):
    a, b = two
    entry = json.loads((b / "manifest.json").read_text())["tensors"][1]
    (b / entry["file"]).write_bytes(b"half")
    assert main(["compare", str(a), str(b), "--threshold", "cosine=0.9", "--json"]) == 1
    bad = json.loads(capsys.readouterr().out)["first_bad"]
    assert "truncated" in bad["problem"]


def test_refusals(two, tmp_path, capsys):
    a, b = two
    assert main(["compare", str(a), str(b), "--metrics", "beauty"]) == 1
    assert "no metric beauty" in capsys.readouterr().err
    np.savez(tmp_path / "z.npz", other=counting((3,)))
    assert main(["compare", str(a), str(tmp_path / "z.npz")]) == 1
    assert "no layer name in common" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["compare", str(a), str(b), "--threshold", "cosine"])


def test_dump_command(cnn_path, tmp_path, capsys):
    out = tmp_path / "d"
    assert main(["dump", str(cnn_path), "--preset", "int8", "--out", str(out), "--kernels", "*head*", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["source"], found["tensors"], found["samples"]) == ("plan", 1, 1)
    assert main(["dump", str(cnn_path), "--out", str(tmp_path / "e"), "--kernels", "zzz"]) == 1
    assert "No kernel's name fits zzz" in capsys.readouterr().err
    assert main(["dump", str(cnn_path), "--out", str(cnn_path)]) == 1
    assert "never written" in capsys.readouterr().err


def test_a_result_that_is_not_finite_passes_no_threshold(two, capsys):
    a, b = two
    entry = json.loads((b / "manifest.json").read_text())["tensors"][0]
    values = np.load(b / entry["file"])
    values.reshape(-1)[-1] = np.nan
    np.save(b / entry["file"], values)
    assert main(["compare", str(a), str(b), "--metrics", "max_abs", "--threshold", "max_abs=1e30", "--json"]) == 1
    values[...] = np.nan
    np.save(b / entry["file"], values)
    assert main(["compare", str(a), str(b), "--metrics", "max_abs", "--threshold", "max_abs=1e30", "--json"]) == 1


def test_a_lack_of_room_is_said_in_figures_that_show_it(cnn_path, tmp_path, capsys, monkeypatch):
    from engine.numerics.dumps import write

    monkeypatch.setattr(write.shutil, "disk_usage", lambda place: SimpleNamespace(free=0))
    assert main(["dump", str(cnn_path), "--out", str(tmp_path / "d")]) == 1
    assert re.search(r"takes 0\.\d*[1-9]\d* MB, and 0\.00 MB are free", capsys.readouterr().err)
    assert not (tmp_path / "d").exists()
