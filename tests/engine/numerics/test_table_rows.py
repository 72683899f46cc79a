"""A preview rounds only those rows of a table that its samples ask for, to the bits of the whole table's."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from handmade import Step, network

from engine.fusion.types import Kind
from engine.numerics import Evaluator, SampleSet, sessions, table_rows
from engine.numerics.table_rows import rows_read
from engine.precision.plan import Plan
from engine.precision.scheme import BF16, FP16, FP32, INT4, INT8, Scheme

ROWS, WIDTH = 300, 40
TENSOR = Scheme(replace(INT8.weights, granularity="tensor"), FP16.activations)
ASYMMETRIC = Scheme(replace(INT8.weights, symmetric=False), FP16.activations)
SCHEMES = (FP16, BF16, INT8, INT4, TENSOR, ASYMMETRIC)


def embedded(dtype=np.int64, axis=0, ids="ids"):
    rng = np.random.default_rng(3)
    table = rng.standard_normal((ROWS, WIDTH)).astype(np.float32)
    table[5], table[6, 3], table[7], table[9, 0] = 0, 1e5, 0.25, 3e4  # nothing, beyond half, constant, large
    table[200, 1], table[201, 0] = np.nan, 3e5  # in rows that nobody reads
    steps = [
        *([Step([("Identity", ["ids"], ["other"], {})], ["other"])] if ids == "other" else []),
        Step([("Gather", ["w", ids], ["rows"], {"axis": axis})], ["rows"], {"w": table}, Kind.EMBEDDING, "w",
             reduction=(1,)),
        Step([("ReduceMean", ["rows"], ["y"], {"axes": [-1], "keepdims": 0})], ["y"]),
    ]  # fmt: skip
    feeds = [{"ids": np.array([[5, 6, 7, -1, low, low + 20, 5]], dtype)} for low in (9, 40)]
    return network(feeds[0], ["y"], steps), SampleSet(feeds, "test")


@pytest.fixture(autouse=True)
def tables_of_any_size(monkeypatch):
    monkeypatch.setattr(table_rows, "_LEAST", 1)


def measured(net, samples):
    (kernel,) = net.tunable
    cells = [(kernel.id, scheme) for scheme in SCHEMES]
    with closing(Evaluator(net, samples)) as evaluator:
        outputs = [evaluator.output(Plan({kernel.id: scheme})) for scheme in SCHEMES]
        alone = [next(iter(evaluator.local_errors([cell]))) for cell in cells[:1]]
        return outputs, list(evaluator.local_errors(cells)), alone


@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_rows_have_the_bits_of_the_whole_table(dtype, monkeypatch):
    net, samples = embedded(dtype)
    some = measured(net, samples)
    monkeypatch.setattr(sessions, "rows_read", lambda kernel, feeds: None)
    whole = measured(net, samples)
    assert [str(part) for part in some[1:]] == [str(part) for part in whole[1:]]  # with NaN equal to NaN
    for a, b in zip(some[0], whole[0], strict=True):
        for one, other in zip(a, b, strict=True):
            np.testing.assert_array_equal(one["y"], other["y"])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_session_holds_only_these_rows_and_refuses_other_ids(scheme):
    net, samples = embedded()
    (kernel,) = net.tunable
    with closing(Evaluator(net, samples)) as evaluator:
        evaluator.prepare()
        lowered = evaluator._shared.sessions._lowered(kernel, scheme)
        (shape,) = {array.shape for array in lowered.constants.values() if array.ndim == 2}
        assert shape == (ROWS if scheme == TENSOR else 8, WIDTH)
        session = evaluator.session(kernel, scheme)
        assert session.run(None, {"ids": np.full((1, 7), 299)})[0].shape == (1, 7, WIDTH)
        if scheme != TENSOR:
            with pytest.raises(Exception, match="out of data bounds"):
                session.run(None, {"ids": np.full((1, 7), 1)})


def test_which_rows_are_read():
    net, samples = embedded()
    (kernel,) = net.tunable
    assert rows_read(kernel, samples.feeds).tolist() == [5, 6, 7, 9, 29, 40, 60, 299]
    assert rows_read(kernel, samples.feeds[:1]).tolist() == [5, 6, 7, 9, 29, 299]
    assert rows_read(kernel, []) is None  # run on anything
    assert rows_read(kernel, [{"ids": np.arange(ROWS)}]) is None  # nearly all
    beyond = rows_read(kernel, [{"ids": np.array([ROWS, -ROWS - 1, 2])}])
    assert beyond.tolist() == [2]


def test_rows_are_left_alone_where_ids_may_change_or_run_along_columns(monkeypatch):
    computed, samples = embedded(ids="other")
    assert rows_read(computed.tunable[0], samples.feeds) is None
    columns, _ = embedded(axis=1)
    assert rows_read(columns.tunable[0], [{"ids": np.array([[1, 2]])}]) is None
    net, _ = embedded()
    monkeypatch.setattr(table_rows, "_LEAST", ROWS * WIDTH + 1)
    assert rows_read(net.tunable[0], samples.feeds) is None  # too small for it


def test_the_reference_has_the_whole_table():
    net, samples = embedded()
    with closing(Evaluator(net, samples)) as evaluator:
        evaluator.prepare()
        assert evaluator._shared.sessions._lowered(net.tunable[0], FP32).constants["w"].shape == (ROWS, WIDTH)
