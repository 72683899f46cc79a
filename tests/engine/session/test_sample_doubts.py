"""What `prepare` says about the samples, and the statistics that it keeps of each."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import DataError
from engine.interop.samples import SYNTHETIC, guess_source
from engine.precision import preset
from engine.session import work


def smooth(count: int, seed: int) -> np.ndarray:
    """Pictures of 16 x 16 in three channels, neighbours alike."""
    coarse = np.random.default_rng(seed).standard_normal((count, 3, 4, 4)).astype(np.float32)
    return coarse.repeat(4, axis=2).repeat(4, axis=3)


def saved(path, array):
    np.savez(path, image=array)
    return guess_source(path)


@pytest.fixture
def prepared(cnn, tmp_path):
    made = []

    def call(calibration, evaluation):
        sources = (saved(tmp_path / "c.npz", calibration), saved(tmp_path / "e.npz", evaluation))
        made.append(work.prepare(cnn, *sources))
        return made[-1]

    yield call
    for each in made:
        each.evaluator.close()


def test_good_samples_raise_no_doubt_and_each_has_its_statistics(prepared):
    calibration, evaluation = smooth(100, 0), smooth(20, 1)
    found = prepared(calibration, evaluation)
    assert found.info.notes == ()
    rows = found.info.samples
    assert [(r.which, r.sample) for r in (rows[0], rows[99], rows[100])] == [
        ("calibration", "c.npz[0]"), ("calibration", "c.npz[99]"), ("evaluation", "e.npz[0]"),
    ]  # fmt: skip
    last = evaluation[19].astype(np.float64)
    assert (rows[-1].low, rows[-1].high) == (last.min(), last.max())
    assert (rows[-1].mean, rows[-1].std) == pytest.approx((last.mean(), last.std()))
    spans = found.ranges.spans["image"]
    np.testing.assert_array_equal(spans, [(a.min(), a.max()) for a in calibration])
    assert {len(s) for s in found.ranges.spans.values()} == {100}
    assert set(found.ranges.spans) == set(found.ranges.ranges)


def test_all_doubts_arrive_together(prepared):
    calibration = smooth(40, 0)
    calibration[13] *= 50
    evaluation = np.concatenate([calibration[:3], smooth(20, 1)])
    notes = "\n".join(map(str, prepared(calibration, evaluation).info.notes))
    assert "Only 40 calibration samples" in notes
    assert "c.npz[13] is unlike the others" in notes
    assert "c.npz[13] alone makes" in notes
    assert "3 of 23 evaluation samples" in notes


def test_synthetic_samples_raise_no_doubt(cnn):
    found = work.prepare(cnn, SYNTHETIC, SYNTHETIC)
    found.evaluator.close()
    assert found.info.notes == ()


def test_samples_that_are_not_finite_never_reach_the_network(cnn, tmp_path):
    data = smooth(9, 0)
    data[4, 1, 2, 3] = np.nan
    with pytest.raises(DataError, match=r"e\.npz, sample 4 .*image.*not finite"):
        work.prepare(cnn, saved(tmp_path / "c.npz", smooth(9, 1)), saved(tmp_path / "e.npz", data))


def test_a_plan_without_ranges_is_measured_before_calibration(cnn, monkeypatch):
    order: list[object] = []
    calibrate = work.calibrate
    monkeypatch.setattr(work, "calibrate", lambda *a, **k: (order.append("calibrated"), calibrate(*a, **k))[1])
    plan = preset(cnn, "fp16")
    found = work.prepare(cnn, first=work.First(plan, order.append))
    other = work.prepare(cnn)
    try:
        assert order[:2] == [found.first, "calibrated"]
        assert found.first.output == other.evaluator.evaluate(plan).output
        eights = preset(cnn, "int8")
        assert found.evaluator.evaluate(eights).output == other.evaluator.evaluate(eights).output
        assert found.evaluator.ranges == other.evaluator.ranges
    finally:
        found.evaluator.close()
        other.evaluator.close()


def test_a_plan_with_ranges_waits_for_calibration(cnn):
    order: list[object] = []
    found = work.prepare(cnn, first=work.First(preset(cnn, "int8"), order.append))
    found.evaluator.close()
    assert order == []
    assert found.first is None
