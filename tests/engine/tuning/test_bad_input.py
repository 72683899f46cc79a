"""What a sweep or a search can't do it says in one sentence; all that can be done is done."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from math import inf, isfinite

import numpy as np
import pytest
from handmade import Step, network, samples_like, small_net

from engine.errors import DataError, PlanError
from engine.fusion.types import Kind
from engine.numerics import Evaluator
from engine.precision.scheme import FP16, INT4, INT8
from engine.tuning.estimate import estimate
from engine.tuning.exact import ExactSweep, in_order, value_of
from engine.tuning.metrics import Metric
from engine.tuning.search import Budgets, Search, damages
from engine.tuning.sweep import cells_of

RNG = np.random.default_rng(11)


def _f32(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def _gemm(source: str, result: str, weight: np.ndarray) -> Step:
    name = f"w_{result}"
    return Step([("Gemm", [source, name], [result], {})], [result], {name: weight}, Kind.GEMM, name, (1,), (0,), source)


def _with_tail(op: str, constant: float):
    """Two products; the second one's result is changed by a constant in a way that hides or breaks it."""
    first, second = _gemm("x", "h", _f32(6, 8)), _gemm("h", "y0", _f32(8, 5))
    tail = Step([(op, ["y0", "c"], ["y"], {})], ["y"], {"c": np.full((1, 5), constant, np.float32)})
    inputs = {"x": _f32(1, 6)}
    return network(inputs, ["y"], [first, second, tail]), inputs


def test_a_layer_without_effect_is_infinitely_good() -> None:
    """Multiplied by zero: nothing that is done to it reaches the output."""
    net, inputs = _with_tail("Mul", 0.0)
    with closing(Evaluator(net, samples_like(inputs, 3))) as evaluator:
        cells = list(ExactSweep(evaluator).run(cells_of(net, [INT4, INT8])))
        assert {value_of(cell.figures, Metric.SQNR) for cell in cells} == {inf}
        table = estimate(evaluator, [INT4, INT8], metric=Metric.SQNR)
        assert {cell.value for cell in table.cells.values()} <= {inf}
        found = Search(net, damages(table, cells)).propose(Budgets(size_bytes=1e9))
        assert found.feasible


def test_outputs_without_a_finite_value_are_not_called_exact() -> None:
    """Divided by zero everywhere: an estimate of nothing would be an error of nothing."""
    net, inputs = _with_tail("Div", 0.0)
    with (
        closing(Evaluator(net, samples_like(inputs, 2))) as evaluator,
        np.errstate(all="ignore"),
        pytest.raises(DataError, match="All values of y are NaN or Inf"),
    ):
        estimate(evaluator, [INT8], metric=Metric.SQNR)


def test_an_output_that_is_always_the_same_counts_in_an_estimate_as_in_a_measurement() -> None:
    """Of two outputs one can't be wrong: the mean of both is half the error of the other."""
    net, inputs = _with_tail("Add", 1.0)
    both = replace(net, graph=replace(
        net.graph,
        outputs=(*net.graph.outputs, replace(net.graph.outputs[0], name="always")),
        constants={**net.graph.constants, "always": np.ones((1, 5), np.float32)},
    ))  # fmt: skip
    found = []
    for each in (net, both):
        with closing(Evaluator(each, samples_like(inputs, 3))) as evaluator:
            table = estimate(evaluator, [INT4], metric=Metric.SQNR)
            cells = list(ExactSweep(evaluator).run(list(table.cells)))
            found.append([(table.cells[c.kernel, c.scheme].value, value_of(c.figures, Metric.SQNR)) for c in cells])
    for (estimated, measured), (less, seen) in zip(*found, strict=True):
        assert seen - measured == pytest.approx(10 * np.log10(2), abs=0.01)
        assert less - estimated == pytest.approx(10 * np.log10(2), abs=0.01)


def test_outputs_that_are_not_a_number_stop_no_sweep() -> None:
    """The reference itself is NaN or infinite: whatever can be compared is compared."""
    net, inputs = _with_tail("Pow", 0.5)  # the root of negative numbers
    with closing(Evaluator(net, samples_like(inputs, 4))) as evaluator, np.errstate(invalid="ignore"):
        table = estimate(evaluator, [INT8, FP16], metric=Metric.SQNR)
        for kernel, reason in table.blocked.items():
            assert net.by_id(kernel).name in str(reason)
        assert all(isfinite(cell.damage) for cell in table.cells.values())
        served = {kernel for kernel, _ in table.cells} | set(table.blocked)
        assert served == {kernel.id for kernel in net.tunable}
        cells = list(ExactSweep(evaluator).run(in_order(cells_of(net, [INT8, FP16]), table)))
        assert len(cells) == 2 * len(net.tunable)


def test_half_precision_that_overflows_is_infinitely_bad() -> None:
    net, inputs = small_net()
    huge = {name: np.full_like(array, 1e6) if array.dtype == np.float32 else array for name, array in inputs.items()}
    with closing(Evaluator(net, samples_like(huge, 2))) as evaluator:
        figures = [cell.figures for cell in ExactSweep(evaluator).run(cells_of(net, [FP16]))]
    assert all(not np.isnan(f.sqnr_db) for f in figures)


@pytest.mark.parametrize("budget", [0.0, -3.0, float("nan")])
def test_impossible_budgets_are_refused_by_name(budget: float) -> None:

    net, _ = small_net()
    harm = {(k.id, s): 1e-3 for k in net.tunable for s in (INT4, INT8, FP16)}
    with pytest.raises(PlanError, match=r"model size.*above zero"):
        Search(net, harm).propose(Budgets(size_bytes=budget))
