"""Estimates against the exact sweep: to first order they must agree, whatever the operator."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from handmade import Step, network, samples_like, small_net
from scipy.stats import spearmanr

from engine.errors import Cancelled, DataError, PlanError
from engine.fusion.types import Kind
from engine.numerics import Evaluator, SampleSet, calibrate
from engine.numerics.lowering import FLOATS
from engine.precision.plan import Plan
from engine.precision.scheme import BF16, FP16, FP32, INT4, INT8, W4A8, ActivationFormat, Scheme, WeightFormat
from engine.progress import CancelToken
from engine.tuning.estimate import Estimator, estimate
from engine.tuning.estimate import estimator as module
from engine.tuning.metrics import Metric, damage, default_metric, point_of, read

RNG = np.random.default_rng(5)
WEIGHTS = Scheme(WeightFormat(8), FP32.activations)
"""8-bit integers change so little that hardly more than the first order is left, and far more than float32 adds."""
ACTIVATIONS = Scheme(FP32.weights, ActivationFormat(8))
DYNAMIC = Scheme(FP32.weights, ActivationFormat(8, static=False))
PAD = {"pads": [1, 1, 1, 1]}


def _f32(*shape: int) -> np.ndarray:
    return (RNG.standard_normal(shape) / np.sqrt(max(1, np.prod(shape[1:])))).astype(np.float32)


def _pictures(op: str, weight: tuple[int, ...], kind: Kind, channels: int, tail=("Sigmoid",), **attributes):
    """One convolution with an activation, and a head behind it."""
    conv = [(op, ["x", "w", "b"], ["c"], attributes)]
    names = ["c", *(f"t{at}" for at in range(len(tail)))]
    conv += [(each, [names[at]], [names[at + 1]], {}) for at, each in enumerate(tail)]
    axes = ((1,), (0, 2, 3)) if kind is Kind.CONV_TRANSPOSE else ((0,), (1, 2, 3))
    step = Step(conv, [names[-1]], {"w": _f32(*weight), "b": _f32(channels)}, kind, "w", *axes, "x", "b")
    pool = [("GlobalAveragePool", [names[-1]], ["p"], {}), ("Flatten", ["p"], ["f"], {})]
    head = Step([("Gemm", ["f", "hw"], ["y"], {})], ["y"], {"hw": _f32(channels, 3)}, Kind.GEMM, "hw", (1,), (0,), "f")
    return {"x": _f32(1, 8, 9, 9)}, [step, Step(pool, ["f"], {}, Kind.POOL), head]


def _rows(weighted: Step, result: str):
    """One product of token vectors, then tanh, mean, two outputs."""
    tail = Step([("Tanh", [result], ["t"], {}), ("ReduceMean", ["t"], ["m"], {"axes": [1], "keepdims": 0})], ["m"], {})
    return {"x": _f32(1, 6, 8)}, [weighted, tail]


def _nets():
    conv = Kind.CONV
    yield "spatial convolution", _pictures("Conv", (6, 8, 3, 3), conv, 6, **PAD)
    yield "strided, grouped", _pictures("Conv", (6, 4, 3, 3), conv, 6, group=2, strides=[2, 2])
    yield "depthwise", _pictures("Conv", (8, 1, 3, 3), Kind.DEPTHWISE, 8, ("Relu",), group=8, **PAD)
    yield "pointwise", _pictures("Conv", (6, 8, 1, 1), conv, 6, ("HardSwish",))
    yield "pointwise, strided", _pictures("Conv", (6, 8, 1, 1), conv, 6, strides=[2, 2])
    yield "transposed", _pictures("ConvTranspose", (8, 6, 2, 2), Kind.CONV_TRANSPOSE, 6, strides=[2, 2])
    right = Step([("MatMul", ["x", "w"], ["c"], {}), ("Add", ["c", "b"], ["a"], {})], ["a"],
                 {"w": _f32(8, 5), "b": _f32(5)}, Kind.MATMUL, "w", (1,), (0,), "x", "b")  # fmt: skip
    yield "MatMul", _rows(right, "a")
    left = Step([("MatMul", ["w", "x"], ["a"], {})], ["a"], {"w": _f32(1, 5, 6)}, Kind.MATMUL, "w", (0, 1), (2,), "x")
    yield "MatMul, constant on the left", _rows(left, "a")
    table = {"e": _f32(11, 5)}
    look = Step([("Gather", ["e", "i"], ["a"], {})], ["a"], table, Kind.EMBEDDING, "e", (0,), (1,), "")
    ids = {"i": np.asarray([[3, 1, 1, 10, 0, 7]])}
    yield "embedding", (ids, _rows(look, "a")[1])


NETS = dict(_nets())


def _network(name: str):
    inputs, steps = NETS[name]
    return network(inputs, [steps[-1].outputs[0]], steps), inputs


def _samples(inputs: dict, count: int = 3) -> SampleSet:
    rng = np.random.default_rng(1)
    feeds = []
    for _ in range(count):
        feeds.append({
            name: rng.integers(0, 11, array.shape) if array.dtype.kind == "i"
            else rng.standard_normal(array.shape).astype(np.float32)
            for name, array in inputs.items()
        })  # fmt: skip
    return SampleSet(feeds, "tests")


def _exact(evaluator: Evaluator, kernel: str, scheme: Scheme, metric: Metric) -> float:
    found = evaluator.evaluate(Plan({kernel: scheme}))
    return damage(metric, read(metric, point_of(evaluator, metric), found))


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("scheme", [WEIGHTS, ACTIVATIONS, DYNAMIC], ids=["weights", "activations", "dynamic"])
def test_unit_vectors_are_exact_to_first_order(name: str, scheme: Scheme) -> None:
    net, inputs = _network(name)
    with closing(Evaluator(net, _samples(inputs))) as evaluator:
        found = estimate(evaluator, [scheme])
        assert (found.unit_vectors, found.complete, dict(found.blocked)) == (True, True, {})
        for kernel in net.tunable:
            exact = _exact(evaluator, kernel.id, scheme, found.metric)
            cell = found.cells[kernel.id, scheme]
            assert cell.damage == pytest.approx(exact, rel=0.1)


@pytest.mark.parametrize("name", ["spatial convolution", "pointwise", "transposed", "MatMul"])
@pytest.mark.parametrize("method", ["rtn", "gptq"])
def test_a_corrected_bias_is_counted(name: str, method: str) -> None:
    net, inputs = _network(name)
    samples = _samples(inputs)
    seen = SampleSet([{key: array + 1 for key, array in feeds.items()} for feeds in samples.feeds], "tests")
    corrected = replace(WEIGHTS, method=method, corrected=True)
    kernel = net.tunable[0].id
    with closing(Evaluator(net, seen, ranges=calibrate(net, seen))) as evaluator:
        found = estimate(evaluator, [corrected.rounded_by, corrected])
        for scheme in found.schemes:
            exact = _exact(evaluator, kernel, scheme, found.metric)
            assert found.cells[kernel, scheme].damage == pytest.approx(exact, rel=0.1)
        plain, mended = (found.cells[kernel, scheme].damage for scheme in found.schemes)
        assert mended < 0.8 * plain or method == "gptq"  # which looks at products, and leaves less to a bias


@pytest.mark.parametrize("name", NETS)
def test_half_precision_is_predicted_by_its_parts(name: str) -> None:
    """Results are rounded after they have changed, so single roundings fall differently: within 4 dB."""
    net, inputs = _network(name)
    with closing(Evaluator(net, _samples(inputs, 48))) as evaluator:
        found = estimate(evaluator, [FP16, BF16])
        for kernel, scheme in product(net.tunable, (FP16, BF16)):
            exact = _exact(evaluator, kernel.id, scheme, found.metric)
            assert abs(10 * np.log10(found.cells[kernel.id, scheme].damage / exact)) < 4


def test_random_probes_agree_on_average() -> None:
    net, inputs = small_net()
    weights = Scheme(WeightFormat(8), FP32.activations)
    with closing(Evaluator(net, samples_like(inputs, 8))) as evaluator:
        evaluator.prepare()
        assert point_of(evaluator, Metric.SQNR).tensors == ("y",)
        exact_first_order = estimate(evaluator, [weights])
        random = estimate(evaluator, [weights], probes=64)
        assert (exact_first_order.unit_vectors, random.unit_vectors) == (True, False)
        for key, cell in exact_first_order.cells.items():
            assert abs(10 * np.log10(random.cells[key].damage / cell.damage)) < 2


def test_ranks_like_the_exact_sweep() -> None:
    net, inputs = small_net(3)
    schemes = [INT4, INT8, FP16]
    with closing(Evaluator(net, samples_like(inputs, 4))) as evaluator:
        found = estimate(evaluator, schemes)
        exact = [_exact(evaluator, cell.kernel, cell.scheme, found.metric) for cell in found.worst_first()]
        assert spearmanr(exact, [cell.damage for cell in found.worst_first()])[0] > 0.98


def test_cosine_distance_is_predicted_too() -> None:
    net, inputs = _network("MatMul")
    with closing(Evaluator(net, _samples(inputs))) as evaluator:
        found = estimate(evaluator, [WEIGHTS], metric=Metric.COSINE)
        kernel = net.tunable[0].id
        # Only the part of an error at right angles to the signal turns it: at most as much as predicted.
        exact = 1 - evaluator.evaluate(Plan({kernel: WEIGHTS})).output.cosine
        assert 0.2 * found.cells[kernel, WEIGHTS].value < exact < 1.1 * found.cells[kernel, WEIGHTS].value


def test_several_outputs_count_alike() -> None:
    """A loud output must not drown a quiet one."""
    steps = [
        Step([("MatMul", ["x", "u"], ["a"], {})], ["a"], {"u": _f32(8, 3) * 1000}, Kind.MATMUL, "u", (1,), (0,), "x"),
        Step([("MatMul", ["x", "v"], ["b"], {})], ["b"], {"v": _f32(8, 4)}, Kind.MATMUL, "v", (1,), (0,), "x"),
    ]
    inputs = {"x": _f32(2, 8)}
    net = network(inputs, ["a", "b"], steps)
    with closing(Evaluator(net, _samples(inputs))) as evaluator:
        found = estimate(evaluator, [WEIGHTS])
        for kernel in net.tunable:
            exact = _exact(evaluator, kernel.id, WEIGHTS, Metric.SQNR)
            assert found.cells[kernel.id, WEIGHTS].damage == pytest.approx(exact, rel=0.03)


@pytest.mark.parametrize("behind", [True, False], ids=["probabilities", "logits"])
def test_fisher_probes_predict_the_kl_divergence(behind: bool) -> None:
    steps = [Step([("MatMul", ["x", "w"], ["z"], {})], ["z"], {"w": _f32(8, 5) * 2}, Kind.MATMUL, "w", (1,), (0,), "x")]
    if behind:
        steps.append(Step([("Softmax", ["z"], ["p"], {"axis": -1})], ["p"], {}, Kind.SOFTMAX))
    inputs = {"x": _f32(3, 8)}
    net = network(inputs, ["p" if behind else "z"], steps)
    scheme = Scheme(WeightFormat(8), FP32.activations)
    with closing(Evaluator(net, _samples(inputs))) as evaluator:
        found = estimate(evaluator, [scheme], metric=Metric.KL)
        assert found.unit_vectors
        exact = evaluator.evaluate(Plan({net.tunable[0].id: scheme})).output.kl
        assert found.cells[net.tunable[0].id, scheme].value == pytest.approx(exact, rel=0.03)


def test_measures_in_front_of_the_last_softmax() -> None:
    steps = [
        Step([("MatMul", ["x", "w"], ["z"], {})], ["z"], {"w": _f32(8, 5)}, Kind.MATMUL, "w", (1,), (0,), "x"),
        Step([("Softmax", ["z"], ["p"], {"axis": -1})], ["p"], {}, Kind.SOFTMAX),
        Step([("Reshape", ["p", "s"], ["y"], {})], ["y"], {"s": np.asarray([5, 2])}, Kind.MOVEMENT),
    ]
    inputs = {"x": _f32(2, 8)}
    net = network(inputs, ["y"], steps)
    with closing(Evaluator(net, _samples(inputs))) as evaluator:
        evaluator.prepare()
        assert default_metric(evaluator) is Metric.LOGITS
        found = estimate(evaluator, [WEIGHTS])
        assert found.point.tensors == ("z",)
        exact = _exact(evaluator, net.tunable[0].id, WEIGHTS, Metric.LOGITS)
        assert found.cells[net.tunable[0].id, WEIGHTS].damage == pytest.approx(exact, rel=0.03)


def test_a_new_scheme_costs_no_second_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[int] = []
    plain = module.send_back
    monkeypatch.setattr(module, "send_back", lambda *args: (passes.append(1), plain(*args))[1])
    net, inputs = small_net()
    with closing(Evaluator(net, samples_like(inputs))) as evaluator, closing(Estimator(evaluator)) as kept:
        kept.estimate([INT4, INT8])
        before = len(passes)
        later = kept.estimate([W4A8, Scheme(WeightFormat(3), INT8.activations)])
        assert len(passes) == before
        fresh = estimate(evaluator, [W4A8, Scheme(WeightFormat(3), INT8.activations)])
        assert {key: cell.damage for key, cell in later.cells.items()} == pytest.approx(
            {key: cell.damage for key, cell in fresh.cells.items()}, rel=0.02
        )


def test_more_probes_refine_and_old_ones_count() -> None:
    net, inputs = small_net()
    tables = []
    with closing(Evaluator(net, samples_like(inputs, 5))) as evaluator, closing(Estimator(evaluator, probes=1)) as kept:
        one = kept.estimate([INT4, INT8])
        four = kept.estimate([INT4, INT8], probes=4, publish=tables.append)
        fresh = estimate(evaluator, [INT4, INT8], probes=4)
    assert (one.probes, four.probes) == (1, 4)
    assert [(table.samples, table.probes) for table in tables] == [(2, 1), (5, 1), (5, 2), (5, 3)]
    assert {key: cell.damage for key, cell in tables[1].cells.items()} == {
        key: cell.damage for key, cell in one.cells.items()
    }
    assert {key: cell.damage for key, cell in four.cells.items()} == pytest.approx(
        {key: cell.damage for key, cell in fresh.cells.items()}
    )


def test_what_is_known_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[int] = []
    plain = module.send_back
    monkeypatch.setattr(module, "send_back", lambda *args: (passes.append(1), plain(*args))[1])
    net, inputs = small_net()
    with (
        closing(Evaluator(net, samples_like(inputs, 3))) as evaluator,
        closing(Estimator(evaluator, keep_bytes=1)) as low,
    ):
        low.estimate([INT4, FP16])
        before = len(passes)
        low.estimate([INT4])
        low.estimate([FP16, INT4])
        assert len(passes) == before


def test_little_memory_gives_the_same_table() -> None:
    net, inputs = small_net()
    with closing(Evaluator(net, samples_like(inputs, 5))) as evaluator:
        with closing(Estimator(evaluator, keep_bytes=1)) as small:
            low = small.estimate([INT4, FP16])
            again = small.estimate([INT4, FP16, W4A8])
        high = estimate(evaluator, [INT4, FP16])
        for key, cell in high.cells.items():
            assert low.cells[key].damage == pytest.approx(cell.damage)
            assert again.cells[key].damage == pytest.approx(cell.damage)


def test_publishes_a_table_early() -> None:
    net, inputs = small_net()
    early, fractions = [], []
    with closing(Evaluator(net, samples_like(inputs, 5))) as evaluator:
        done = estimate(
            evaluator, [INT4], publish=early.append, progress=lambda fraction, text: fractions.append(fraction)
        )
    assert [(table.samples, table.complete) for table in early] == [(1, False)]  # ten unit vectors of one sample
    assert early[0].cells.keys() == done.cells.keys()
    assert (done.samples, done.complete, fractions[-1]) == (5, True, 1.0)
    assert fractions == sorted(fractions)
    assert all(cell.spread_db > 0 for cell in done.cells.values())


def _with_tail(*tail: Step, outputs=("y",)):
    first = Step([("MatMul", ["x", "w"], ["a"], {})], ["a"], {"w": _f32(8, 6)}, Kind.MATMUL, "w", (1,), (0,), "x")
    inputs = {"x": _f32(2, 8)}
    return network(inputs, list(outputs), [first, *tail]), inputs


def test_kernels_in_front_of_an_operator_without_a_rule_say_so() -> None:
    tail = Step([("TopK", ["a", "k"], ["y", "i"], {})], ["y"], {"k": np.asarray([2])}, Kind.REDUCE)
    net, inputs = _with_tail(tail)
    with closing(Evaluator(net, _samples(inputs))) as evaluator:
        found = estimate(evaluator, [INT8])
    assert not found.cells
    assert "TopK" in str(found.blocked[net.tunable[0].id])


def test_an_effect_by_comparison_only_is_not_called_zero() -> None:
    tail = Step([("Round", ["a"], ["y"], {})], ["y"], {}, Kind.ELEMENTWISE)
    net, inputs = _with_tail(tail)
    with closing(Evaluator(net, _samples(inputs))) as evaluator:
        assert net.tunable[0].id in estimate(evaluator, [INT8]).blocked


def test_a_kernel_without_effect_has_no_damage() -> None:
    other = Step([("MatMul", ["x", "v"], ["y"], {})], ["y"], {"v": _f32(8, 3)}, Kind.MATMUL, "v", (1,), (0,), "x")
    net, inputs = _with_tail(other)
    with closing(Evaluator(net, _samples(inputs))) as evaluator:
        found = estimate(evaluator, [INT8])
    assert found.cells[net.tunable[0].id, INT8].value == np.inf
    assert found.cells[net.tunable[1].id, INT8].damage > 0


def test_overflow_to_infinity_is_the_worst_that_can_be() -> None:
    big = Step([("MatMul", ["x", "w"], ["y"], {})], ["y"], {"w": _f32(8, 6) * 1e6}, Kind.MATMUL, "w", (1,), (0,), "x")
    inputs = {"x": _f32(2, 8)}
    net = network(inputs, ["y"], [big])
    kernel = net.tunable[0].id
    with closing(Evaluator(net, _samples(inputs))) as evaluator:
        found = estimate(evaluator, [FP16, INT8])
        assert found.cells[kernel, FP16].value == -np.inf == evaluator.evaluate(Plan({kernel: FP16})).output.sqnr_db
        assert found.cells[kernel, INT8].value == pytest.approx(
            evaluator.evaluate(Plan({kernel: INT8})).output.sqnr_db, abs=3
        )


def test_a_gradient_that_is_no_number_is_left_to_the_exact_sweep() -> None:
    """1 / (1 / 0) is 0, but its slopes are 0 and infinite."""
    nodes = [("Mul", ["a", "z"], ["q"], {}), ("Div", ["one", "q"], ["r"], {}), ("Div", ["one", "r"], ["t"], {}),
             ("Add", ["t", "one"], ["y"], {})]  # fmt: skip
    fixed = {"z": np.zeros(1, np.float32), "one": np.ones(1, np.float32)}
    net, inputs = _with_tail(Step(nodes, ["y"], fixed, Kind.ELEMENTWISE))
    with closing(Evaluator(net, _samples(inputs))) as evaluator:
        found = estimate(evaluator, [INT8], probes=1)
    assert "not a number" in str(found.blocked[net.tunable[0].id])


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_other_floating_models(dtype: str) -> None:
    import ml_dtypes

    kind = np.dtype(getattr(ml_dtypes, dtype) if dtype == "bfloat16" else dtype)
    assert kind.name in FLOATS
    number = {"float16": 10, "float64": 11, "bfloat16": 16}[dtype]
    steps = [
        Step([("Cast", ["x"], ["h"], {"to": number})], ["h"], {}, Kind.ELEMENTWISE),
        Step([("MatMul", ["h", "w"], ["a"], {}), ("Cast", ["a"], ["y"], {"to": 1})], ["y"],
             {"w": _f32(8, 4).astype(kind)}, Kind.MATMUL, "w", (1,), (0,), "h"),
    ]  # fmt: skip
    inputs = {"x": _f32(2, 8)}
    net = network(inputs, ["y"], steps)
    scheme = Scheme(WeightFormat(4), FP32.activations)
    with closing(Evaluator(net, _samples(inputs, 6))) as evaluator:
        found = estimate(evaluator, [scheme])
        exact = _exact(evaluator, net.tunable[0].id, scheme, Metric.SQNR)
        assert found.cells[net.tunable[0].id, scheme].damage == pytest.approx(exact, rel=0.1)


def test_refuses_what_has_no_gradient_or_no_switch() -> None:
    net, inputs = small_net()
    with closing(Evaluator(net, samples_like(inputs))) as evaluator, pytest.raises(PlanError, match="best class"):
        estimate(evaluator, [INT8], metric=Metric.TOP1)
    plain = network({"x": _f32(2, 3)}, ["y"], [Step([("Relu", ["x"], ["y"], {})], ["y"], {}, Kind.ELEMENTWISE)])
    with (
        closing(Evaluator(plain, _samples({"x": _f32(2, 3)}))) as evaluator,
        pytest.raises(DataError, match="No layer"),
    ):
        estimate(evaluator, [INT8])
    best = Step([("ArgMax", ["a"], ["y"], {})], ["y"], {}, Kind.REDUCE)
    net, inputs = _with_tail(best)
    with closing(Evaluator(net, _samples(inputs))) as evaluator, pytest.raises(PlanError, match="integers"):
        estimate(evaluator, [INT8])


def test_stops_when_asked_and_goes_on_where_it_was() -> None:
    net, inputs = small_net()
    token = CancelToken()
    with closing(Evaluator(net, samples_like(inputs, 6))) as evaluator, closing(Estimator(evaluator)) as kept:
        evaluator.prepare()
        with pytest.raises(Cancelled):
            kept.estimate([INT4, INT8], publish=lambda table: token.cancel(), cancel=token)
        assert kept.estimate([INT4, INT8]).complete


def test_a_saturated_prediction_is_bent_by_one_exact_cell() -> None:
    net, inputs = small_net()
    with closing(Evaluator(net, samples_like(inputs))) as evaluator:
        found = estimate(evaluator, [INT4])
    worst = found.worst_first()[0]
    bent = found.capped(worst.kernel, worst.scheme, worst.damage / 4)
    top = bent.cells[worst.kernel, worst.scheme]
    assert damage(bent.metric, top.value) == pytest.approx(worst.damage / 4)
    assert [cell.kernel for cell in bent.worst_first()] == [cell.kernel for cell in found.worst_first()]


def test_a_few_samples_of_many_are_enough() -> None:
    net, inputs = small_net()
    with (
        closing(Evaluator(net, samples_like(inputs, 12))) as evaluator,
        closing(Estimator(evaluator, most_samples=3)) as few,
        closing(Estimator(evaluator)) as every,
    ):
        some, all_ = few.estimate([INT4, INT8]), every.estimate([INT4, INT8])
    assert (some.samples, some.complete, all_.samples) == (3, True, 12)
    keys = list(all_.cells)
    rank = spearmanr([some.cells[key].damage for key in keys], [all_.cells[key].damage for key in keys])[0]
    assert rank > 0.95
    ratios = [10 * np.log10(some.cells[key].damage / all_.cells[key].damage) for key in keys]
    assert abs(np.median(ratios)) < 1.5, "scaled as if all had been looked at"


def test_samples_are_spread_over_all() -> None:
    assert module.spread_over(5, 8) == (0, 1, 2, 3, 4)
    assert module.spread_over(9, 3) == (0, 4, 8)
    assert module.spread_over(9, 1) == (0,)
