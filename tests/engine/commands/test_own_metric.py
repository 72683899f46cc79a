"""evaluate --metric: a figure of one's own for the plan and for the reference; figures of language models."""

from __future__ import annotations

import json

import numpy as np

from engine.cli import main
from engine.interop.samples import guess_source
from engine.numerics import Evaluator
from engine.precision.plan import Plan
from engine.precision.presets import preset
from engine.session import work

SOURCE = """
import numpy as np

def wins(outputs, references, labels):
    best = [int(o["logits"].argmax()) for o in outputs]
    return float(np.mean(np.array(best) == labels))

def broken(outputs, references, labels):
    return outputs[99]
"""


def test_the_figure_of_plan_and_reference(capsys, tmp_path, cnn_path, cnn):
    (tmp_path / "mine.py").write_text(SOURCE)
    rng = np.random.default_rng(0)
    data = tmp_path / "data.npz"
    np.savez(data, image=rng.random((12, 3, 16, 16), np.float32), labels=rng.integers(0, 10, 12))
    arguments = ["evaluate", str(cnn_path), "--preset", "int4", "--data", str(data)]
    assert main([*arguments, "--metric", f"{tmp_path / 'mine.py'}:wins", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["user_metric"]["value"] == found["output"]["accuracy"]
    assert found["user_metric"]["reference"] == found["output"]["reference_accuracy"]
    assert found["output"]["top5_accuracy"] >= found["output"]["accuracy"]
    assert found["output"]["perplexity"] is None
    prepared = work.prepare(cnn, guess_source(data), guess_source(data))
    try:
        evaluator: Evaluator = prepared.evaluator
        outputs = evaluator.output(preset(cnn, "int4"))
        assert len(outputs) == len(evaluator.output(Plan())) == 12
    finally:
        prepared.evaluator.close()
    best = [int(o["logits"].argmax()) for o in outputs]
    assert found["user_metric"]["value"] == np.mean(np.array(best) == prepared.evaluation.labels)


def test_failures_and_wrong_names_are_one_sentence(capsys, tmp_path, cnn_path):
    (tmp_path / "mine.py").write_text(SOURCE)
    for name, reason in (
        ("broken", "mine.py:broken failed: IndexError"),
        ("gone", "mine.py has no function gone"),
        ("no-name", "write FILE.py:FUNCTION"),
    ):
        metric = f"{tmp_path / 'mine.py'}:{name}"
        assert main(["evaluate", str(cnn_path), "--preset", "int8", "--metric", metric]) == 1
        err = capsys.readouterr().err
        assert reason in err
        assert err.count("\n") == 1


def test_sweeps_are_ranked_by_it(capsys, tmp_path, cnn_path):
    (tmp_path / "mine.py").write_text("def first(o, r, l):\n    return float(o[0]['logits'].ravel()[0])\n")
    arguments = ["sweep", str(cnn_path), "--schemes", "int4", "--samples", "2", "--metric"]
    assert main([*arguments, f"{tmp_path / 'mine.py'}:first", "--mode", "one-in", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    values = [cell["value"] for cell in found["cells"]]
    assert found["metric"] == "own"
    assert found["user_metric"]["metric"].endswith("mine.py:first")
    assert values == sorted((abs(cell["change"]) for cell in found["cells"]), reverse=True)
    assert values[0] > 0
    for metric, more, words in (
        (f"{tmp_path / 'mine.py'}:first", [], "can't be estimated; take --mode one-in or one-out"),
        (f"{tmp_path / 'mine.py'}:first", ["--mode", "one-in", "--workers", "2"], "leave --workers and --dask out"),
        (f"{tmp_path / 'gone.py'}:first", ["--mode", "one-in"], "gone.py does not exist"),
        ("best", [], "no metric named best; choose one of sqnr,"),
    ):
        assert main([*arguments, metric, *more]) == 1
        assert words in capsys.readouterr().err
