"""Figures for tasks: top-5 with labels, and the perplexity of language models with labels or by their own input."""

from __future__ import annotations

import numpy as np
import pytest
from handmade import Step, network
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_softmax, softmax

from engine.fusion.types import Kind
from engine.numerics import Evaluator
from engine.numerics.outputs import Reading, compare_outputs, compare_samples, next_tokens, read_outputs, total
from engine.numerics.samples import SampleSet
from engine.precision.plan import Plan
from engine.precision.scheme import INT4

VOCABULARY = 1200


def language_model(softmaxed=False):
    """Embedding and a head over a vocabulary: each position foretells a token."""
    rng = np.random.default_rng(0)
    ids = rng.integers(0, VOCABULARY, (1, 9))
    steps = [
        Step(
            [("Gather", ["table", "ids"], ["h"], {})],
            ["h"],
            {"table": rng.standard_normal((VOCABULARY, 16)).astype(np.float32)},
            Kind.EMBEDDING,
            "table",
            (0,),
            (1,),
        ),
        Step(
            [("MatMul", ["h", "head"], ["logits"], {})],
            ["logits"],
            {"head": rng.standard_normal((16, VOCABULARY)).astype(np.float32)},
            Kind.MATMUL,
            "head",
            (1,),
            (0,),
            "h",
        ),
    ]
    name = "logits"
    if softmaxed:
        steps.append(Step([("Softmax", ["logits"], ["p"], {"axis": -1})], ["p"], {}, Kind.SOFTMAX))
        name = "p"
    inputs = {"ids": ids, "attention_mask": np.ones((1, 9), np.int64)}
    steps[0].nodes = [
        *steps[0].nodes,
        ("Cast", ["attention_mask"], ["mask_f"], {"to": 1}),
        ("Unsqueeze", ["mask_f", "axes"], ["mask_u"], {}),
        ("Mul", ["h0", "mask_u"], ["h"], {}),
    ]
    steps[0].nodes[0] = ("Gather", ["table", "ids"], ["h0"], {})
    steps[0].constants["axes"] = np.array([2], np.int64)
    return network(inputs, [name], steps), name


def feeds(count: int) -> list[dict[str, np.ndarray]]:
    rng = np.random.default_rng(5)
    one = np.ones((1, 9), np.int64)
    return [{"ids": rng.integers(0, VOCABULARY, (1, 9)), "attention_mask": one} for _ in range(count)]


@pytest.mark.parametrize("softmaxed", [False, True])
@pytest.mark.parametrize("labelled", [False, True])
def test_perplexity_is_that_of_scipy(softmaxed, labelled):
    net, name = language_model(softmaxed)
    samples = feeds(3)
    labels = np.random.default_rng(1).integers(-1, VOCABULARY, (3, 9)) if labelled else None
    evaluator = Evaluator(net, SampleSet(samples, "text", labels=labels))
    plan = Plan({k.id: INT4 for k in net.tunable})
    try:
        found = evaluator.evaluate(plan).output
        outputs = [[o[name] for o in evaluator.output(p)] for p in (plan, Plan())]
    finally:
        evaluator.close()
    for values, figure in zip(outputs, (found.perplexity, found.reference_perplexity), strict=True):
        surprise = []
        for sample, array in enumerate(values):
            log = np.log(array[0].astype(float)) if softmaxed else log_softmax(array[0].astype(float), axis=-1)
            true = labels[sample] if labelled else np.append(samples[sample]["ids"][0, 1:], -1)
            surprise += [-log[row, token] for row, token in enumerate(true) if token >= 0]
        assert figure == pytest.approx(np.exp(np.mean(surprise)), rel=1e-4)
    assert found.perplexity != found.reference_perplexity
    assert (found.accuracy is None) is not labelled  # tokens of the input are no labels
    assert found.kl > 0


def test_top5_with_labels():
    rng = np.random.default_rng(0)
    r, y = rng.standard_normal((2, 60, 9)).astype(np.float32)
    labels = rng.integers(-1, 9, 60)
    labels[3] = 9  # no such class: wrong, whatever the network says
    reading = Reading(("y",), "y", False, 60)
    found = total([compare_outputs(reading, {"y": y}, {"y": r}, labels)], reading)
    known = labels >= 0
    for values, figure in ((y, found.top5_accuracy), (r, found.reference_top5_accuracy)):
        ranks = np.argsort(-values, axis=1)[:, :5]
        assert figure == np.mean([label in rank for label, rank in zip(labels[known], ranks[known], strict=True)])
    assert found.perplexity is None


def test_only_a_text_has_next_tokens():
    net, name = language_model()
    rng = np.random.default_rng(0)
    wide, narrow = (rng.standard_normal((1, 9, n)).astype(np.float32) for n in (VOCABULARY, 10))
    assert read_outputs(net, {name: wide}, None).tokens == "ids"
    assert read_outputs(net, {name: narrow}, None).tokens == ""
    assert read_outputs(net, {name: wide[:, :5]}, None).tokens == ""
    np.testing.assert_array_equal(next_tokens(np.array([[4, 7, 9]])), [[7, 9, -1]])


def test_hopeless_predictions_have_an_infinite_perplexity():
    reading = Reading(("y",), "y", False, 0, True, "ids")
    r = np.zeros((1, 2, VOCABULARY), np.float32)
    y = r.copy()
    y[0, 0, 3] = -2000
    found = total([compare_outputs(reading, {"y": y}, {"y": r}, np.array([[3, -1]]))], reading)
    assert found.perplexity == np.inf
    assert found.reference_perplexity == pytest.approx(VOCABULARY, rel=1e-5)


def compared(results, references, labels=None):
    reading = Reading(("y",), "y", False, 0 if labels is None else 1)
    known = [None] * len(results) if labels is None else labels
    parts = [compare_outputs(reading, {"y": new}, {"y": old}, true)
             for new, old, true in zip(results, references, known, strict=True)]  # fmt: skip
    return total(parts, reading)


def test_of_equal_classes_the_first_counts_as_better():
    """A network whose outputs have all become the same knows nothing, and is no better among five than by chance."""
    rng = np.random.default_rng(0)
    references = [rng.standard_normal((1, 20)).astype(np.float32) for _ in range(40)]
    results = [np.round(each) if at % 2 else np.zeros_like(each) for at, each in enumerate(references)]
    labels = rng.integers(0, 20, (40, 1))
    found = compared(results, references, labels)
    five = [np.argsort(-each[0], kind="stable")[:5] for each in results]
    assert found.top5_accuracy == np.mean([true in best for true, best in zip(labels[:, 0], five, strict=True)])
    assert found.top5_agreement == np.mean([old.argmax() in best for old, best in zip(references, five, strict=True)])
    assert found.accuracy == np.mean([best[0] == true for true, best in zip(labels[:, 0], five, strict=True)])


def test_a_result_of_nan_has_no_best_class():
    references = [np.array([[3, 2, 1, 0, -1, -2, -3]], np.float32)] * 2
    broken = [np.full_like(each, np.nan) for each in references]
    found = compared([broken[0], references[1]], references, np.zeros((2, 1), int))
    assert (found.top1_agreement, found.top5_agreement, found.accuracy, found.top5_accuracy) == (0.5, 0.5, 0.5, 0.5)
    assert compared([broken[0], references[1]], references, np.array([[-1], [0]])).top5_accuracy == 1.0


@pytest.mark.parametrize(("dtype", "apart"), [(np.float32, 1e3), (np.float32, 1e30), (np.float16, 3e4)])
def test_the_divergence_of_logits_far_apart_is_a_number(dtype, apart):
    rng = np.random.default_rng(0)
    references = [(rng.uniform(-1, 1, (3, 10)) * apart).astype(dtype) for _ in range(4)]
    results = [(rng.uniform(-1, 1, (3, 10)) * apart).astype(dtype) for _ in range(4)]
    old, new = (log_softmax(np.concatenate(each).astype(np.float64), axis=1) for each in (references, results))
    assert compared(results, references).kl == pytest.approx(np.mean((np.exp(old) * (old - new)).sum(axis=1)), rel=1e-6)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([(1, 7), (1, 300), (3, 4), (1, 5, VOCABULARY), (1, 12, 1, 1)]),
    st.sampled_from(["", "nan", "inf", "flat", "shape"]),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_samples_together_have_the_bits_of_each_by_itself(seed, shape, spoil, probabilities, labelled):
    rng = np.random.default_rng(seed)
    references = [rng.standard_normal(shape).astype(np.float32) for _ in range(int(rng.integers(1, 30)))]
    results = [each + rng.standard_normal(shape).astype(np.float32) * np.float32(0.3) for each in references]
    if probabilities:
        references, results = ([softmax(a, axis=-1).astype(np.float32) for a in group]
                               for group in (references, results))  # fmt: skip
    at = int(rng.integers(len(results)))
    if spoil == "shape":
        results[at] = results[at][..., :-1]
    elif spoil == "flat":
        results[at] = np.zeros_like(results[at])
    elif spoil:
        results[at].reshape(-1)[0] = np.float32(spoil)
    rows = references[0].size // {3: VOCABULARY, 2: shape[-1], 4: shape[1]}[len(shape)]
    reading = Reading(("y",), "y", probabilities, rows if labelled else 0, len(shape) == 3)
    labels = [rng.integers(-1, 4, rows) if labelled else None for _ in results]
    known = [{} for _ in results]
    together = compare_samples(reading, [{"y": y} for y in results], [{"y": r} for r in references], labels, known)
    alone = [compare_outputs(reading, {"y": y}, {"y": r}, true)
             for y, r, true in zip(results, references, labels, strict=True)]  # fmt: skip
    assert [repr(part) for part in together] == [repr(part) for part in alone]  # with NaN equal to NaN


def detector():
    """Scores of the rows of x that have a value above 0: as many as there are, or none."""
    rng = np.random.default_rng(0)
    keep = [
        ("ReduceMax", ["x"], ["m"], {"axes": [1], "keepdims": 0}),
        ("Greater", ["m", "zero"], ["c"], {}),
        ("Compress", ["x", "c"], ["k"], {"axis": 0}),
    ]
    steps = [
        Step(keep, ["k"], {"zero": np.float32(0)}),
        Step(
            [("MatMul", ["k", "w"], ["y"], {})],
            ["y"],
            {"w": rng.standard_normal((8, 10)).astype(np.float32)},
            Kind.MATMUL,
            "w",
            (1,),
            (0,),
            "k",
        ),
    ]
    rows = np.abs(rng.standard_normal((3, 4, 8))).astype(np.float32)
    return network({"x": rows[0]}, ["y"], steps, dynamic=("k", "y")), rows


@pytest.mark.parametrize("signs", [(1, -1, -1), (-1, 1, 1), (-1, -1, 1), (1, -1, 1)])
def test_samples_without_rows_add_nothing(signs):
    net, rows = detector()
    feeds = [{"x": sign * each} for sign, each in zip(signs, rows, strict=True)]
    plan = Plan({net.tunable[0].id: INT4})
    full = [feed for feed, sign in zip(feeds, signs, strict=True) if sign > 0]
    found, wanted = (Evaluator(net, SampleSet(given, "test")).evaluate(plan).output for given in (feeds, full))
    assert found == wanted
    assert found.kl is not None
    assert found.sqnr_db > 5


def test_an_infinite_probability_is_infinitely_far():
    reading = Reading(("y",), "y", True, 0)
    result, reference = np.array([[np.inf, 0, 0.5]], np.float32), np.array([[0.5, 0.25, 0.25]], np.float32)
    assert compare_outputs(reading, {"y": result}, {"y": reference}, None).kl == np.inf
