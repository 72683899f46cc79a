"""A sample of ONNX's own backend tests; `python tests/backend_models.py` tries them all."""

from random import Random

import pytest
from backend.cases import file_cases, node_cases, with_stored_weights
from backend.judge import AGREES, NOT_RUN, PLAIN, Verdict, judge


def sample():
    """A few of each group, the same in every run."""
    cases = Random(7).sample(list(file_cases()), 8)
    cases += Random(7).sample(list(node_cases("convtranspose")), 3)
    return [variant for case in cases for variant in (case, with_stored_weights(case)) if variant is not None]


@pytest.mark.parametrize("case", sample(), ids=lambda case: case.name.replace(" ", "_"))
def test_what_onnx_runtime_runs_opens_and_agrees(case, tmp_path):
    found = judge(case, tmp_path)
    assert found.outcome in (AGREES, PLAIN, NOT_RUN), found


def test_a_wrong_number_is_seen(monkeypatch, tmp_path):
    """The judge itself: the preview of a plan that is not the exported one differs."""
    case = next(case for case in file_cases() if case.name == "test_Conv1d_groups")
    assert judge(case, tmp_path).outcome == AGREES
    monkeypatch.setattr("backend.judge.export_qdq", lambda net, plan, ranges, file: _coarse(net, ranges, file))
    (tmp_path / "again").mkdir()
    found = judge(case, tmp_path / "again")
    assert (found.outcome, found.text[:15]) == ("wrong number", "int8 exported, "), found
    assert isinstance(found, Verdict)


def _coarse(net, ranges, file):
    from engine.interop.qdq import export_qdq
    from engine.precision.presets import preset

    export_qdq(net, preset(net, "int4"), ranges, file)
