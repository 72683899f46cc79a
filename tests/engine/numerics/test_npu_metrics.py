"""The ten figures against their formulas written down once more, whole tensors at a time; to six digits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from engine.errors import Cancelled, DataError
from engine.numerics import npu_metrics
from engine.numerics.npu_metrics import NPU_METRICS, npu_errors
from engine.progress import CancelToken


def by_formula(x, y) -> dict[str, float | str]:
    """The reference implementation: element by element where sums don't demand arrays."""
    x, y = (np.asarray(a, np.float64).ravel() for a in (x, y))
    eps = np.finfo(np.float64).eps
    pairs = list(zip(x.tolist(), y.tolist(), strict=True))
    relative = [abs(a / b - 1) if abs(b) > eps else 0.0 for a, b in pairs]
    nx, ny = np.linalg.norm(x), np.linalg.norm(y)
    if len(pairs) == 1 or (nx == 0 and ny == 0):
        cosine = 1.0
    elif nx == 0 or ny == 0:
        cosine = math.nan
    else:
        cosine = min(1.0, math.fsum((a / nx) * (b / ny) for a, b in pairs))

    def distribution(values):
        if values.max() != values.min():
            values = (values - values.min()) / (values.max() - values.min())
        values = np.maximum(values, np.finfo(np.float32).eps)
        return values / values.sum()

    p, q = distribution(x), distribution(y)
    kl = math.fsum((p * np.log(p / q)).tolist())
    squares = [(a - b) ** 2 for a, b in pairs]
    shown = [0.0 if abs(v) < 0.001 else v for v in (x.mean(), x.std(), y.mean(), y.std())]
    return {
        "CosineSimilarity": cosine,
        "MaxAbsoluteError": max(abs(a - b) for a, b in pairs),
        "AccumulatedRelativeError": math.fsum(relative),
        "RelativeEuclideanDistance": math.sqrt(math.fsum(squares) / ny**2) if ny > eps else 0.0,
        "KullbackLeiblerDivergence": 0.0 if abs(kl) < eps else kl,
        "StandardDeviation": "({:.3f};{:.3f}),({:.3f};{:.3f})".format(*shown),
        "MeanAbsoluteError": math.fsum(abs(a - b) for a, b in pairs) / len(pairs),
        "RootMeanSquareError": math.sqrt(math.fsum(squares) / len(pairs)),
        "MaxRelativeError": max(relative),
        "MeanRelativeError": math.fsum(relative) / len(pairs),
    }


def assert_alike(x, y):
    found, wanted = npu_errors(x, y).by_name(), by_formula(x, y)
    assert tuple(found) == NPU_METRICS
    for name, value in wanted.items():
        if isinstance(value, str):
            assert found[name] == value
        elif math.isnan(value):
            assert math.isnan(found[name])
        else:
            assert found[name] == pytest.approx(value, rel=1e-6, abs=5e-7), name


SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, max_side=6)
VALUES = st.floats(-1000, 1000).map(lambda v: round(v, 3))


@given(data=st.data(), shape=SHAPES)
def test_all_ten_are_their_formulas(data, shape):
    x, y = (data.draw(hnp.arrays(np.float64, shape, elements=VALUES)) for _ in range(2))
    assert_alike(x, y)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8])
def test_real_sizes_and_types(dtype):
    rng = np.random.default_rng(0)
    y = (rng.standard_normal((3, 64, 17)) * 20).astype(dtype)
    x = (y + rng.standard_normal(y.shape) * 0.3).astype(dtype)
    assert_alike(x, y)


def test_pieces_add_up(monkeypatch):
    rng = np.random.default_rng(1)
    y = rng.standard_normal(1000) + 0.2
    x = y + rng.standard_normal(1000) * 0.01
    whole = npu_errors(x, y)
    monkeypatch.setattr(npu_metrics, "_PIECE", 7)
    pieces = npu_errors(x, y)
    assert pieces.by_name().keys() == whole.by_name().keys()
    for name in ("cosine", "max_absolute", "accumulated_relative", "relative_euclidean", "kl", "x_std", "max_relative"):
        assert getattr(pieces, name) == pytest.approx(getattr(whole, name), rel=1e-9)


@pytest.mark.parametrize(
    ("x", "y", "cosine"),
    [([0, 0], [0, 0], 1.0), ([0, 0], [1, 2], math.nan), ([1, 2], [0, 0], math.nan), ([2], [3], 1.0)],
)
def test_silent_and_single_values(x, y, cosine):
    found = npu_errors(np.array(x, np.float32), np.array(y, np.float32))
    assert found.cosine == pytest.approx(cosine, nan_ok=True)
    assert_alike(np.array(x), np.array(y))


def test_values_that_are_not_finite_show():
    y = np.array([1.0, 2.0, 3.0])
    found = npu_errors(np.array([1.0, np.nan, 3.0]), y)
    assert math.isnan(found.cosine)
    assert math.isnan(found.max_absolute)
    assert math.isnan(found.kl)
    assert npu_errors(np.array([1.0, np.inf, 3.0]), y).max_absolute == math.inf


def test_shapes_must_agree_and_work_can_be_stopped():
    with pytest.raises(DataError, match="can't be compared"):
        npu_errors(np.ones(3), np.ones(4))
    with pytest.raises(DataError, match="can't be compared"):
        npu_errors(np.ones(0), np.ones(0))
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        npu_errors(np.ones(3), np.ones(3), cancel=token)
