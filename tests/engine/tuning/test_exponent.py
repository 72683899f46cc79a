"""How measured damages of single kernels add up to those of plans."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from handmade import small_net

from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8
from engine.tuning.metrics import in_decibels
from engine.tuning.search import Calibration, Choices, Search, confirmed, raise_next, sum_of, uniform_plans
from engine.tuning.search.prediction import exponent

KERNELS = [f"k{at}" for at in range(40)]
LEVELS = {INT4: 1e-2, INT8: 1e-4, FP16: 1e-6}
HARM = {
    (kernel, scheme): level * float(spread)
    for scheme, level in LEVELS.items()
    for kernel, spread in zip(KERNELS, np.exp(np.random.default_rng(0).normal(0, 1.2, len(KERNELS))), strict=True)
}
UNIFORM = [Plan(dict.fromkeys(KERNELS, scheme)) for scheme in LEVELS]
"""Plans of forty kernels."""


def together(plan: Plan, q: float) -> float:
    return sum(HARM[cell] ** q for cell in plan.items()) ** (1 / q)


def fitted(q: float) -> float:
    return exponent(HARM, {plan: together(plan, q) for plan in UNIFORM})


def test_damages_that_add_up_keep_their_first_power() -> None:
    assert fitted(1.0) == 1.0


def test_damages_that_hide_each_other_show_in_uniform_plans() -> None:
    found = [fitted(q) for q in (1.0, 1.3, 1.6, 2.0)]
    assert all(before < after for before, after in pairwise(found))
    assert found[2] == pytest.approx(1.4, abs=0.2), "drawn towards 1: three plans don't tell it exactly"


def test_damages_that_feed_each_other_are_no_matter_of_powers() -> None:
    assert fitted(0.6) == 1.0


def test_nothing_is_learnt_of_nothing() -> None:
    assert exponent(HARM, {}) == 1.0
    assert exponent({}, {UNIFORM[0]: 0.1}) == 1.0
    assert exponent(HARM, {UNIFORM[0]: 0.0, UNIFORM[1]: float("inf"), UNIFORM[2]: float("nan")}) == 1.0


def searched(exact: bool) -> Search:
    net, _ = small_net()
    search = Search(net, HARM, exact=exact)
    search.anchor(UNIFORM, lambda plan: together(plan, 1.6))
    return search


def test_mixes_of_few_large_and_many_small_damages_are_foreseen() -> None:
    """A straight sum takes three large damages for as bad as forty small ones, which hide each other."""
    mixes = [
        Plan({kernel: INT4 if at % 13 == offset else FP16 for at, kernel in enumerate(KERNELS)}) for offset in range(13)
    ]

    def off(search: Search) -> float:
        foreseen = [search.calibration.measured(sum_of(search.harm, plan)) for plan in mixes]
        real = [together(plan, 1.6) for plan in mixes]
        return float(np.mean([abs(in_decibels(a) - in_decibels(b)) for a, b in zip(foreseen, real, strict=True)]))

    assert off(searched(exact=True)) < 0.5 * off(searched(exact=False))


def test_measured_plans_are_foreseen_as_they_are_and_back() -> None:
    search = searched(exact=True)
    assert search.calibration.power > 1.2
    for plan in UNIFORM:
        total = sum_of(search.harm, plan)
        assert search.calibration.measured(total) == pytest.approx(together(plan, 1.6), rel=1e-6)
        assert search.calibration.predicted(together(plan, 1.6)) == pytest.approx(total, rel=1e-6)
    for level in (1e-9, 1e-3, 10.0):
        curve = search.calibration
        assert curve.measured(curve.predicted(level)) == pytest.approx(level, rel=1e-6)


def test_estimates_add_up_as_they_are() -> None:
    assert searched(exact=False).calibration.power == 1.0


def test_a_curve_of_powers_has_slope_one_outside_of_its_points() -> None:
    curve = Calibration(power=2.0).with_plan(1e-4, 1e-2)
    assert curve.measured(1e-4) == pytest.approx(1e-2)
    assert curve.measured(1e-8) == pytest.approx(1e-4), "1e-2 and 1e-4 of damage"
    assert Calibration(power=2.0).measured(1e-4) == pytest.approx(1e-2), "without points, too"


def test_steps_are_judged_by_damages_not_by_their_powers() -> None:
    net, _ = small_net()
    each = {(kernel.id, scheme): level for kernel in net.tunable for scheme, level in LEVELS.items()}
    plan = uniform_plans(net, [INT8])[0]
    choices = Choices((INT8, FP16))
    count = len(net.tunable)
    for power in (1.0, 1.5):
        problem = Search(net, each, choices=choices, calibration=Calibration(power=power)).problem()
        steps = raise_next(net, problem, plan, power=power)
        total = count * LEVELS[INT8] ** power
        after = total - LEVELS[INT8] ** power + LEVELS[FP16] ** power
        assert steps[0].gain_db == pytest.approx(10 / power * np.log10(total / after), rel=1e-6)


def test_measured_steps_come_in_the_order_of_what_they_really_win() -> None:
    net, _ = small_net()
    each = {(kernel.id, scheme): level for kernel in net.tunable for scheme, level in LEVELS.items()}
    plan = uniform_plans(net, [INT8])[0]
    steps = raise_next(net, Search(net, each, choices=Choices((INT8, FP16))).problem(), plan)
    real = {kernel.id: 3.0 * at - 1.0 for at, kernel in enumerate(net.tunable)}

    def sqnr_db(of: Plan) -> float:
        return 20.0 + sum(real[kernel] for kernel in of if of.scheme(kernel) == FP16)

    found = confirmed(steps, plan, sqnr_db, most=len(steps) - 1)
    assert [step.measured for step in found] == [True] * (len(steps) - 1) + [False]
    gains = [step.gain_db for step in found[:-1]]
    assert gains == sorted(gains, reverse=True)
    assert all(step.gain_db == pytest.approx(real[step.kernels[0]]) for step in found[:-1])
    assert found[-1] == steps[-1]
    lost = confirmed(steps, plan, lambda of: float("nan"), most=2)
    assert lost == steps, "what can't be measured stays foreseen"
