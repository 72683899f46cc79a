"""The undo history: how much of it is kept."""

import pytest

from engine.precision import FP16, INT4, INT8
from engine.precision.plan import Plan
from engine.session.history import LEAST_STEPS, MOST_SCHEMES, MOST_STEPS, History
from engine.text import say


@pytest.mark.parametrize(
    ("kernels", "kept"), [(30, MOST_STEPS), (5000, MOST_SCHEMES // 5000), (50_000, LEAST_STEPS), (0, MOST_STEPS)]
)
def test_large_plans_are_kept_for_fewer_steps(kernels, kept):
    history = History()
    plans = [Plan(dict.fromkeys(map(str, range(kernels)), scheme)) for scheme in (FP16, INT8, INT4)]
    for number in range(MOST_STEPS + 5):
        history.push(say("step"), plans[number % 3], plans[(number + 1) % 3])
    assert len(history.steps) == history.place == kept
    assert history.undo() == plans[(MOST_STEPS + 4) % 3]
    for _ in range(kept):
        history.undo()
    assert history.place == 0
