"""Search: against brute force where that is possible, and end to end on a real little model."""

from __future__ import annotations

import itertools
from contextlib import closing
from math import log10

import numpy as np
import pytest
from handmade import Step, network, samples_like, small_net
from scipy.optimize import linprog

from engine.errors import Cancelled, PlanError
from engine.fusion.types import Kind, Network
from engine.npu import latency_us, load_device, plan_memory, simulate
from engine.numerics import Evaluator, synthetic_samples
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8, W8A16
from engine.progress import CancelToken
from engine.quant import plan_bytes
from engine.tuning.estimate import estimate
from engine.tuning.exact import ExactSweep
from engine.tuning.metrics import Metric, damage
from engine.tuning.search import (
    Budgets,
    Calibration,
    Choices,
    Problem,
    Search,
    agreeing_kernels,
    build_problem,
    damages,
    greedy,
    ladder,
    order_by,
    raise_next,
    saturation,
    solve,
    uniform_plans,
)
from engine.tuning.sweep import cells_of

OPTIONS = (INT4, INT8, FP16)


def _problem(units: int, seed: int = 0) -> Problem:
    """Random, but with the usual trend: finer is larger and harms less."""
    rng = np.random.default_rng(seed)
    weights = np.exp(rng.normal(0, 1, (units, 1)))
    size = weights * np.asarray([4.6, 8.1, 16.0]) / 8
    latency = np.exp(rng.normal(0, 1, (units, 1))) * np.asarray([0.9, 0.6, 1.0])
    harm = np.exp(rng.normal(0, 1.5, (units, 1))) * np.asarray([1.0, 1e-2, 1e-5])
    tables = {"size_bytes": size, "latency_us": latency, "damage": harm}
    names = tuple((f"k{at}",) for at in range(units))
    return Problem(names, (OPTIONS,) * units, tables, {"latency_us": 1.0})


def _brute(problem: Problem, limits: dict, objective: str) -> float:
    best = np.inf
    for choice in itertools.product(range(len(OPTIONS)), repeat=len(problem.units)):
        if all(problem.total(name, choice) <= limit for name, limit in limits.items()):
            best = min(best, problem.total(objective, choice))
    return best


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("objective", ["damage", "size_bytes"])
def test_the_program_finds_what_brute_force_finds(seed: int, objective: str) -> None:
    problem = _problem(7, seed)
    other = {"damage": "size_bytes", "size_bytes": "damage"}[objective]
    middle = problem.total(other, [1] * 7) * 1.05
    limits = {other: middle, "latency_us": problem.total("latency_us", [0] * 7)}
    answer = solve(problem, limits, objective)
    assert not answer.overdrawn
    assert problem.total(objective, answer.choice) <= _brute(problem, limits, objective) * 1.02 + 1e-12
    quick = greedy(problem, limits, objective)
    assert all(problem.total(name, quick) <= limit * (1 + 1e-9) for name, limit in limits.items())
    assert problem.total(objective, quick) <= _brute(problem, limits, objective) * 4


def test_the_nearest_choice_if_budgets_contradict() -> None:
    problem = _problem(8)
    smallest = problem.total("size_bytes", [0] * 8)
    answer = solve(problem, {"size_bytes": smallest / 2}, "damage")
    assert answer.choice == (0,) * 8
    assert answer.overdrawn["size_bytes"] == pytest.approx(1.0)
    both = solve(problem, {"size_bytes": smallest, "damage": problem.total("damage", [2] * 8)}, "damage")
    assert both.overdrawn


def test_the_ladder_holds_the_whole_convex_front() -> None:
    """Every rung is the best choice for its own cost: the linear relaxation can't do better there."""
    problem = _problem(12)
    found = ladder(problem, "size_bytes")
    assert list(found.cost) == sorted(found.cost, reverse=True)
    assert list(found.damage) == sorted(found.damage)
    size, harm = problem.tables["size_bytes"].ravel(), problem.tables["damage"].ravel()
    one_each = np.kron(np.eye(12), np.ones(3))
    for rung in range(0, len(found.steps) + 1, 3):
        relaxed = linprog(harm, size[None], [found.cost[rung]], one_each, np.ones(12), (0, 1))
        assert found.damage[rung] == pytest.approx(relaxed.fun, rel=1e-6)
        choice = found.choice(rung)
        assert problem.total("size_bytes", choice) == pytest.approx(found.cost[rung])
        assert found.within(found.cost[rung]) == rung
    assert found.within(0) == len(found.steps)
    assert len(found.spread(5)) == 5
    assert found.spread(500)[0] == 0
    assert found.spread(500)[-1] == len(found.steps)


def test_a_calibration_goes_through_measured_plans() -> None:
    curve = Calibration()
    assert curve.measured(0.5) == 0.5
    curve = curve.with_plan(10.0, 1.0).with_plan(0.01, 0.01)
    assert curve.measured(10.0) == pytest.approx(1.0)
    assert curve.measured(0.01) == pytest.approx(0.01)
    assert curve.measured(0.001) == pytest.approx(0.001)
    assert curve.measured(100.0) == pytest.approx(10.0)
    for value in (1e-4, 0.03, 0.7, 50.0):
        assert curve.predicted(curve.measured(value)) == pytest.approx(value)
    assert curve.additive
    assert curve.with_plan(0.0, 1.0) == curve
    falling = curve.with_plan(0.1, 0.001)
    values = [falling.measured(level) for level in np.geomspace(1e-4, 100, 40)]
    assert values == sorted(values)


def test_a_plan_far_worse_than_predicted_shows_a_network_that_is_not_additive() -> None:
    curve = Calibration().with_plan(0.001, 0.1)
    assert not curve.additive
    assert curve.measured(0.001) == 0.001


@pytest.fixture(scope="module")
def prepared():
    net, inputs = small_net()
    with closing(Evaluator(net, samples_like(inputs, 4))) as evaluator:
        found = estimate(evaluator, [INT4, INT8, FP16, W8A16])
        yield net, evaluator, damages(found)


def _measure(evaluator: Evaluator):
    return lambda plan: damage(Metric.SQNR, evaluator.evaluate(plan, accumulated=False).output.sqnr_db)


def test_locks_groups_and_allowed_schemes(prepared) -> None:
    net, _, harm = prepared
    a, b, c, d = (kernel.id for kernel in net.tunable)
    choices = Choices(locks={a: INT8}, allowed={b: (INT4, FP16)}, groups=((c, d), (d, b)))
    problem = Search(net, harm, choices=choices).problem()
    assert problem.units == ((a,), (b, c, d))
    assert problem.options == ((INT8,), (INT4, FP16))
    plan = problem.plan([0, 1])
    assert {plan[b], plan[c], plan[d]} == {FP16}
    assert problem.choice(plan) == [0, 1]
    assert problem.choice(plan.with_schemes({b: INT4})) is None
    expected = sum(harm[k, INT4] for k in (b, c, d)) + harm[a, INT8]
    assert problem.total("damage", [0, 0]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda a, b: Choices(locks={a: INT4, b: FP16}, groups=((a, b),)), "locked to FP16 and INT4"),
        (lambda a, b: Choices(allowed={a: (INT4,), b: (FP16,)}, groups=((a, b),)), "no scheme in common"),
        (lambda a, b: Choices(locks={"nobody": INT4}), "no layer nobody"),
    ],
)
def test_contradictions_are_refused(prepared, make, message: str) -> None:
    net, _, harm = prepared
    a, b, *_ = (kernel.id for kernel in net.tunable)
    with pytest.raises(PlanError, match=message):
        Search(net, harm, choices=make(a, b)).propose(Budgets())


@pytest.mark.parametrize(
    ("budgets", "message"),
    [(Budgets(latency_us=10.0), "needs a device"), (Budgets(size_bytes=-1.0), "must be above zero")],
)
def test_impossible_budgets_are_refused(prepared, budgets: Budgets, message: str) -> None:
    net, _, harm = prepared
    with pytest.raises(PlanError, match=message):
        Search(net, harm).propose(budgets)


def test_kernels_that_nothing_is_known_of_keep_their_best(prepared) -> None:
    net, _, harm = prepared
    first = net.tunable[0].id
    partial = {key: value for key, value in harm.items() if key[0] != first}
    found = Search(net, partial).propose(Budgets(size_bytes=1.0))
    assert found.unknown == (first,)
    assert found.plan[first] == FP16


@pytest.mark.parametrize("device", ["ascend310b1", "kirin9030"])
def test_budgets_are_kept_by_the_simulation_not_by_the_table(prepared, device: str) -> None:
    net, evaluator, harm = prepared
    chip = load_device(device)
    search = Search(net, harm, chip, choices=Choices((INT4, INT8, FP16)))
    uniform = dict(zip(OPTIONS, uniform_plans(net, OPTIONS), strict=True))
    latency = {scheme: latency_us(net, plan, chip) for scheme, plan in uniform.items()}
    budgets = Budgets(
        latency_us=min(latency.values()) * 0.4 + max(latency.values()) * 0.6,
        size_bytes=plan_bytes(net, uniform[INT8]).total * 1.1,
        energy_uj=simulate(net, uniform[FP16], chip).energy_uj,
    )
    found = search.propose(budgets, measure=_measure(evaluator))
    real = simulate(net, found.plan, chip)
    assert found.feasible
    assert real.latency_us == found.costs.latency_us
    assert real.latency_us <= budgets.latency_us
    assert plan_bytes(net, found.plan).total <= budgets.size_bytes
    assert found.measured == pytest.approx(_measure(evaluator)(found.plan))
    assert len(found.calibration.points) == 1


def test_the_best_plan_and_what_binds(prepared) -> None:
    net, evaluator, harm = prepared
    size = plan_bytes(net, uniform_plans(net, [INT8])[0]).total
    found = Search(net, harm).propose(Budgets(size_bytes=size * 1.01, operations=1e18), measure=_measure(evaluator))
    assert found.binding == ("size_bytes",)
    assert found.feasible
    free = Search(net, harm).propose(Budgets())
    assert set(free.plan.values()) == {FP16}
    assert free.binding == ()
    tight = Search(net, harm).propose(Budgets(size_bytes=10.0))
    assert not tight.feasible
    assert tight.binding == ("size_bytes",)
    assert set(tight.plan.values()) <= {INT4, INT8}


def test_a_budget_that_leaves_room_does_not_bind(prepared) -> None:
    """Although the plan is not what is foreseen as best: it was measured to be better."""
    net, _, harm = prepared
    search = Search(net, harm, choices=Choices((INT4, INT8)))
    uniform = uniform_plans(net, [INT8])[0]
    roomy = Budgets(size_bytes=plan_bytes(net, uniform).total * 1.2)
    found = search.propose(roomy, measure=lambda plan: 1.0 if plan == uniform else 0.5, trials=24)
    assert found.plan != uniform
    assert found.binding == ()


def test_a_uniform_plan_that_would_be_better_is_named_with_the_budget_that_it_breaks(prepared) -> None:
    net, evaluator, harm = prepared
    search, measure = Search(net, harm, choices=Choices((INT4, INT8))), _measure(evaluator)
    search.anchor(uniform_plans(net, [INT4, INT8]), measure)
    coarse, fine = (plan_bytes(net, plan).total for plan in uniform_plans(net, [INT4, INT8]))
    tight = Budgets(size_bytes=coarse * 1.01)
    scheme, damage_of_it, broken = search.beyond_reach(search.propose(tight, measure=measure), tight)
    assert (scheme, damage_of_it) == (INT8, measure(uniform_plans(net, [INT8])[0]))
    assert broken == {"size_bytes": pytest.approx(fine / (coarse * 1.01) - 1)}
    loose = Budgets(size_bytes=fine * 1.01)
    found = search.propose(loose, measure=measure)
    assert found.measured <= damage_of_it
    assert search.beyond_reach(found, loose) is None


def test_an_accuracy_budget_alone_makes_the_smallest_plan_that_keeps_it(prepared) -> None:
    net, evaluator, harm = prepared
    measure = _measure(evaluator)
    limit = measure(uniform_plans(net, [INT8])[0]) * 1.5
    found = Search(net, harm).propose(Budgets(damage=limit), measure=measure)
    assert found.feasible
    assert found.measured <= limit
    assert found.costs.size_bytes < plan_bytes(net, uniform_plans(net, [FP16])[0]).total
    assert all(plan != found.plan or measured == found.measured for plan, _, measured in found.tried)


def test_measured_plans_bend_the_next_prediction(prepared) -> None:
    """A measurement thirty times as bad as predicted makes the search more careful."""
    net, evaluator, harm = prepared
    true = _measure(evaluator)
    pessimist = lambda plan: 30 * true(plan)
    limit = pessimist(uniform_plans(net, [INT8])[0]) * 1.05
    found = Search(net, harm).propose(Budgets(damage=limit), measure=pessimist)
    assert found.measured <= limit
    assert len(found.tried) > 1
    assert len(found.calibration.points) == len({plan for plan, _, _ in found.tried})


def _wide() -> Network:
    """Three convolutions with 64 channels between them: tensors that INT8 halves."""
    rng = np.random.default_rng(2)
    names = ["x", "a", "b", "y"]
    steps = []
    for at, (inputs, outputs) in enumerate([(8, 64), (64, 64), (64, 8)]):
        weight = (rng.standard_normal((outputs, inputs, 3, 3)) * 0.1).astype(np.float32)
        node = ("Conv", [names[at], f"w{at}"], [names[at + 1]], {"pads": [1, 1, 1, 1]})
        steps.append(Step([node], [names[at + 1]], {f"w{at}": weight}, Kind.CONV, f"w{at}", activation=names[at]))
    return network({"x": np.zeros((1, 8, 12, 12), np.float32)}, ["y"], steps)


def test_peak_memory_makes_kernels_read_integers() -> None:
    chip, net = load_device("ascend310b1"), _wide()
    with closing(Evaluator(net, synthetic_samples(net.graph, 2, 1))) as evaluator:
        harm = damages(estimate(evaluator, [INT8, FP16]))
    fine, coarse = (plan_memory(net, plan, chip).peak_bytes for plan in uniform_plans(net, [FP16, INT8]))
    assert coarse < fine
    found = Search(net, harm, chip, choices=Choices((INT8, FP16))).propose(Budgets(peak_bytes=coarse))
    assert found.feasible
    assert found.binding == ("peak_bytes",)
    assert plan_memory(net, found.plan, chip).peak_bytes <= coarse
    assert [found.plan[kernel.id] for kernel in net.tunable] == [FP16, INT8, INT8]
    nothing = Search(net, harm, chip, choices=Choices((INT8, FP16))).propose(Budgets(peak_bytes=64))
    assert "peak_bytes" in nothing.overdrawn


def test_sustained_latency_is_a_budget(cnn) -> None:
    chip = load_device("kirin9030")
    with closing(Evaluator(cnn, synthetic_samples(cnn.graph, 2, 1))) as evaluator:
        harm = damages(estimate(evaluator, [INT8, FP16]))
    search = Search(cnn, harm, chip, choices=Choices((INT8, FP16)))
    budgets = Budgets(sustained_us=1e9, sustained_minutes=1.0)
    slow = search.costs(uniform_plans(cnn, [FP16])[0], budgets).sustained_us
    fast = search.costs(uniform_plans(cnn, [INT8])[0], budgets).sustained_us
    found = search.propose(Budgets(sustained_us=(slow + fast) / 2, sustained_minutes=1.0))
    assert found.feasible
    assert found.costs.sustained_us <= (slow + fast) / 2


def test_steps_are_priced_as_the_plans_they_lead_to(prepared) -> None:
    net, _, harm = prepared
    chip = load_device("ascend310b1")
    search = Search(net, harm, chip, choices=Choices((INT4, INT8, FP16)), native_only=False)
    plan = uniform_plans(net, [INT8])[0]
    steps = raise_next(net, search.problem(), plan, chip)
    assert {step.after for step in steps} == {FP16}
    total = sum(harm[cell] for cell in plan.items())
    for step in steps:
        raised = plan.with_schemes(dict.fromkeys(step.kernels, step.after))
        assert step.extra_us == pytest.approx(latency_us(net, raised, chip) - latency_us(net, plan, chip))
        assert step.extra_bytes == plan_bytes(net, raised).total - plan_bytes(net, plan).total
        after = sum(harm[cell] for cell in raised.items())
        assert step.gain_db == pytest.approx(10 * log10(total / after))
    assert [step.gain_db for step in steps] == sorted((step.gain_db for step in steps), reverse=True)
    by_space = order_by(steps, "space")
    assert [s.gain_per_byte for s in by_space] == sorted((s.gain_per_byte for s in by_space), reverse=True)
    assert order_by(steps, "time")[0].gain_per_us == max(step.gain_per_us for step in steps)


def test_kernels_in_front_of_a_blocked_operator_take_part_with_exact_figures(prepared) -> None:
    net, evaluator, _ = prepared
    found = estimate(evaluator, [INT4, INT8])
    first = net.tunable[0].id
    cells = list(ExactSweep(evaluator).run(cells_of(net, [INT4, INT8])))
    mixed = damages(found, cells)
    assert mixed == damages(found)
    hidden = type(found)(**{
        **{name: getattr(found, name) for name in found.__dataclass_fields__},
        "cells": {key: cell for key, cell in found.cells.items() if key[0] != first},
    })  # fmt: skip
    table = damages(hidden, cells)
    exact = {cell.scheme: cell.figures.sqnr_db for cell in cells if cell.kernel == first}
    assert table[first, INT4] == pytest.approx(damage(Metric.SQNR, exact[INT4]))
    assert damages(None, cells, Metric.SQNR).keys() == mixed.keys()


def test_groups_that_toolchains_want(cnn) -> None:
    assert agreeing_kernels(cnn) == ()
    net, _ = small_net()
    assert agreeing_kernels(net) == ()


def test_a_search_can_be_stopped(prepared) -> None:
    net, _, harm = prepared
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        Search(net, harm).propose(Budgets(size_bytes=1e4), cancel=token)


def test_units_without_kernels() -> None:
    empty = build_problem(small_net()[0], Choices(), {"damage": {}, "size_bytes": {}}, {})
    assert len(empty.unknown) == len(empty.units)
    assert solve(Problem((), (), {"damage": np.zeros((0, 0))}, {"damage": 2.0}), {"damage": 1.0}, "damage").overdrawn
    assert Plan() == Problem((), (), {"damage": np.zeros((0, 0))}, {}).plan([])


def test_damage_that_rises_faster_than_the_sums_shows_a_network_that_is_not_additive() -> None:
    """As measured of a small classifier on a plateau: INT4, INT8 and INT8 with activations, uniform, in dB."""
    plateau = Calibration()
    for predicted, measured in ((-10.2, -9.7), (-30.3, -32.8), (-22.1, -17.8)):
        plateau = plateau.with_plan(10 ** (predicted / 10), 10 ** (measured / 10))
    assert not plateau.additive
    saturating = Calibration()
    for predicted, measured in ((1.6, -14.6), (-21.6, -25.7), (-16.2, -23.1)):
        saturating = saturating.with_plan(10 ** (predicted / 10), 10 ** (measured / 10))
    assert saturating.additive
    noisy = saturating
    for number in range(40):  # more plans, each a little off
        noisy = noisy.with_plan(10 ** (-2 + number / 30), 10 ** (-2.5 + number / 60 + 0.2 * (-1) ** number))
    assert noisy.additive


def test_predictions_learn_where_a_network_saturates(cnn) -> None:
    """Two kernels alone would do more damage than there is to do: mixes without them are still foreseen right."""
    ids = [kernel.id for kernel in cnn.tunable]
    harm = {(k, s): level * (1e3 if at < 2 else 1.0) for at, k in enumerate(ids) for s, level in
            ((INT4, 0.05), (INT8, 5e-4), (FP16, 1e-7))}  # fmt: skip
    limit = 0.4

    def measure(plan: Plan) -> float:
        return sum(harm[cell] / (1 + harm[cell] / limit) for cell in plan.items())

    search = Search(cnn, harm, choices=Choices(OPTIONS))
    search.anchor(uniform_plans(cnn, OPTIONS), measure)
    assert all(search.harm[key] <= value for key, value in harm.items())
    other = Search(cnn, harm, choices=Choices(OPTIONS), calibration=search.calibration)
    assert other.harm == search.harm, "a calibration that is handed over fits the damages it bends"
    mixed = Plan({k: INT4 if at in (1, 3) else INT8 for at, k in enumerate(ids)})
    for each in (search, other):
        foreseen = each.calibration.measured(sum(each.harm[cell] for cell in mixed.items()))
        assert abs(10 * log10(foreseen / measure(mixed))) < 1.5
    assert saturation([(0.1, 0.2), (0.05, 0.01)]) == np.inf, "worse than foreseen is not saturation"
    assert saturation([]) == np.inf
