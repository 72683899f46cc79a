"""What is made of the two sums: by channel where channels are independent, corrected where they are not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from engine.tuning.estimate.scores import Score, corrected, score

KERNELS, DRAWS = 60, 16


def _scores(common: float, seed: int) -> tuple[dict[int, Score], np.ndarray]:
    """Kernels whose channels miss so much of the error (standard deviation, nepers), and what they really do."""
    rng = np.random.default_rng(seed)
    truth = np.exp(rng.normal(0, 1, KERNELS))
    channel = truth * np.exp(-common * rng.standard_normal(KERNELS)) * np.exp(rng.normal(0, 0.05, KERNELS))
    full = truth[:, None] * rng.chisquare(1, (KERNELS, DRAWS))
    return {at: score([channel[at]] * DRAWS, full[at].tolist(), 1, False) for at in range(KERNELS)}, truth


def _error(found: dict[int, float], truth: np.ndarray) -> float:
    apart = np.log([found[at] / (DRAWS * truth[at]) for at in range(KERNELS)])
    return float(np.std(apart))


@pytest.mark.parametrize("seed", range(5))
def test_independent_channels_stay_as_they_are(seed: int) -> None:
    """However noisy the full sums: the root of the product would be off by half their noise."""
    scores, truth = _scores(0.0, seed)
    assert _error(corrected(scores), truth) < 0.15
    assert _error({at: (each.channel * each.full) ** 0.5 for at, each in scores.items()}, truth) > 0.15


@pytest.mark.parametrize("seed", range(5))
def test_what_channels_have_in_common_comes_from_the_full_sums(seed: int) -> None:
    scores, truth = _scores(1.0, seed)
    found = corrected(scores)
    plain = {at: each.channel for at, each in scores.items()}
    assert _error(found, truth) < 0.6 * _error(plain, truth)
    assert spearmanr(list(found.values()), truth)[0] > spearmanr(list(plain.values()), truth)[0]


def test_few_draws_or_few_kernels_say_nothing() -> None:
    few = {at: score([1.0 + at] * 4, [9.0, 1.0, 0.1, 4.0 * at], 1, False) for at in range(10)}
    assert corrected(few) == {at: 4 * (1.0 + at) for at in range(10)}
    scores, _ = _scores(1.0, 0)
    two = {at: scores[at] for at in range(2)}
    assert corrected(two) == {at: each.channel for at, each in two.items()}


def test_nothing_infinite_or_dead_moves_others() -> None:
    scores, _ = _scores(1.0, 0)
    odd = {98: score([np.inf] * DRAWS, [np.inf] * DRAWS, 1, False), 99: score([0.0] * DRAWS, [0.0] * DRAWS, 1, False)}
    found = corrected({**scores, **odd})
    assert (found[98], found[99]) == (np.inf, 0.0)
    assert {at: found[at] for at in scores} == corrected(scores)


def test_unit_vectors_are_left_alone() -> None:
    scores = {at: score([3.0, 1.0] * 8, [1.0 + at, 2.0] * 8, 2, True) for at in range(9)}
    assert corrected(scores) == {at: 8 * (3.0 + at) for at in range(9)}
