"""Made-up latencies with a known cause: each is found, named and given advice; calm ones are left in peace."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine.errors import DataError
from engine.interop.jitter import analyse, read_latencies

N = 500


def noise(seed=0, n=N, level=1000.0, width=10.0):
    return level + np.random.default_rng(seed).normal(0, width, n)


@pytest.mark.parametrize("seed", range(8))
def test_calm_is_calm(seed):
    found = analyse(noise(seed))
    assert (found.periodic, found.drift, found.outliers) == (None, None, ())
    assert len(found.advice) == 1
    assert "calm" in str(found.advice[0])


def test_percentiles_are_those_of_numpy():
    x = noise(3)
    found = analyse(x)
    for p, value in found.percentiles.items():
        assert value == np.percentile(x, p)
    assert found.mean_us == pytest.approx(x.mean())


def test_a_long_period_has_no_decimals_and_a_short_one_has():
    told = {
        period: " ".join(map(str, analyse(noise(1) + 25 * np.sin(2 * np.pi * np.arange(N) / period)).advice))
        for period in (2.5, 40.0)
    }
    assert "Every 2.5 runs" in told[2.5]
    assert "Every 40 runs" in told[40.0]


@pytest.mark.parametrize("period", [7.0, 12.5, 40.0])
def test_a_period_is_found_with_its_length_and_amplitude(period):
    x = noise(1) + 25 * np.sin(2 * np.pi * np.arange(N) / period)
    found = analyse(x)
    assert found.periodic.period == pytest.approx(period, rel=0.02)
    assert found.periodic.amplitude_us == pytest.approx(25, rel=0.2)
    assert f"Every {found.periodic.period:.0f}" in " ".join(map(str, found.advice))


def test_outliers_are_counted_and_the_worst_is_named():
    x = noise(2)
    for run, value in ((10, 2000), (77, 3000), (300, 1900)):
        x[run] = value
    found = analyse(x)
    assert [o.run for o in found.outliers] == [10, 77, 300]
    words = " ".join(map(str, found.advice))
    assert "3 of 500 runs stand out" in words
    assert "run 78" in words


def test_outliers_that_come_regularly_have_a_period():
    x = noise(4)
    x[5::50] += 800
    found = analyse(x)
    assert len(found.outliers) == 10
    assert found.periodic.period == pytest.approx(50)


def test_a_lowered_clock_is_throttling_with_its_beginning():
    x = noise(5)
    x[200:] *= 1.4
    found = analyse(x)
    assert found.drift.throttling
    assert found.drift.starts == pytest.approx(200, abs=15)
    assert (found.drift.from_us, found.drift.to_us) == (pytest.approx(1000, rel=0.01), pytest.approx(1400, rel=0.01))
    assert found.outliers == ()
    assert "the clock was lowered" in str(found.advice[0])


def test_a_slow_climb_to_a_plateau_is_throttling_too():
    ramp = np.clip((np.arange(N) - 100) / 150, 0, 1)
    found = analyse(noise(6) * (1 + 0.3 * ramp))
    assert found.drift.throttling
    assert 90 < found.drift.starts < 200


def test_cold_first_runs_are_warming_up():
    found = analyse(noise(7) + 400 * np.exp(-np.arange(N) / 80))
    assert found.drift.warming
    assert "warm up" in str(found.advice[0])


def test_a_wide_spread_without_a_pattern_is_told():
    x = 1000 * np.exp(np.random.default_rng(8).normal(0, 0.35, N))
    found = analyse(x)
    assert found.periodic is None
    assert any("spreads widely" in str(a) or "out, the worst" in str(a) for a in found.advice)


def test_lists_of_any_form(tmp_path):
    values = noise(9, 30)
    forms = {
        "a.txt": "\n".join(f"{v:.6f}" for v in values),
        "b.csv": "run,latency(ms)\n" + "\n".join(f"{i},{v / 1000:.9f}" for i, v in enumerate(values)),
        "c.json": json.dumps([*values]),
        "d.json": json.dumps({"device": "x", "latencies_ms": [*(values / 1000)]}),
        "e.txt": "\n".join(f"{v / 1000:.9f} ms" for v in values),
        "f_model.csv": " item event, enter time, total time(us)\n"
        + "".join(f" inference begin, 10:0:0.1, 0\n inference end, 10:0:0.2, {v:.6f}\n" for v in values),
    }
    comma = [f"{v:.6f}".replace(".", ",") for v in values]
    forms |= {
        "g.txt": "\n".join(comma),
        "h.csv": "latency_us\n" + "\n".join(comma),
        "i.csv": "run;latency_us\n" + "\n".join(f"{i};{v}" for i, v in enumerate(comma)),
        "j.tsv": "run\tlatency_us\n" + "\n".join(f"{i}\t{v}" for i, v in enumerate(comma)),
        "k.txt": "\n".join(f"{v} us" for v in comma),
        "l.txt": "\n".join(f"{i},{round(v * 1000)} ns" for i, v in enumerate(values)),
    }
    for name, text in forms.items():
        (tmp_path / name).write_text(text)
        np.testing.assert_allclose(read_latencies(tmp_path / name), values, rtol=1e-5, err_msg=name)


@pytest.mark.parametrize(
    ("text", "match"),
    [("1\n2\n3\n", "has 3 latencies"), ("1\n" * 30 + "x\n", "line 31: 'x' is no latency"), ("[", "no JSON"),
     ("-1\n" * 30, "run 1 is -1, and"), ("5\n" * 30 + "0\n", "run 31 is 0, and a latency is above zero")],
)  # fmt: skip
def test_lists_that_are_none(tmp_path, text, match):
    (tmp_path / "x.txt").write_text(text)
    with pytest.raises(DataError, match=match):
        read_latencies(tmp_path / "x.txt")


def test_the_rank_sum_is_that_of_scipy():
    from scipy import stats

    from engine.interop.jitter import _rank_sum

    rng = np.random.default_rng(2)
    a, b = rng.normal(0, 1, 60), rng.normal(0.3, 1, 50)
    wanted = stats.mannwhitneyu(a, b, method="asymptotic", use_continuity=False).pvalue
    assert 2 * stats.norm.sf(abs(_rank_sum(a, b))) == pytest.approx(wanted, rel=1e-6)
