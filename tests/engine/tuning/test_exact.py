"""The exact sweep: what it measures, in which order, and what survives a kill, a full disk or another model."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
from handmade import Step, network, samples_like, small_net
from scipy import stats

from engine.errors import Cancelled, PlanError
from engine.fusion.types import Kind
from engine.numerics import Evaluator
from engine.precision.plan import Plan
from engine.precision.scheme import BF16, FP16, FP32, INT4, INT8, W4A8
from engine.progress import NEVER, CancelToken
from engine.quant.ranges import Range, Ranges
from engine.tuning import replay
from engine.tuning.agreement import agree, spearman
from engine.tuning.context import context_of, plan_digest
from engine.tuning.estimate import Estimator, estimate
from engine.tuning.exact import ExactSweep, Pause, cells_out, in_order, value_of
from engine.tuning.metrics import Metric
from engine.tuning.store import Figures, ResultStore, StoreError
from engine.tuning.sweep import cells_of

FIGURES = Figures(31.5, None, 0.01, 0.99, 1e-3, 0.2, 0.9, 1.0, None, 0.01)


@pytest.fixture
def net_and_inputs():
    return small_net()


@pytest.fixture
def net(net_and_inputs):
    return net_and_inputs[0]


@pytest.fixture
def evaluator(net_and_inputs):
    net, inputs = net_and_inputs
    with closing(Evaluator(net, samples_like(inputs, 3))) as made:
        yield made


def test_one_in_is_the_plan_with_one_kernel(evaluator: Evaluator, net) -> None:
    cells = list(ExactSweep(evaluator).run(cells_of(net, [INT4, FP16])))
    assert len(cells) == 2 * len(net.tunable)
    for cell in cells:
        alone = evaluator.evaluate(Plan({cell.kernel: cell.scheme})).output
        # What lies behind runs in longer sessions here: the same sums in another order.
        assert value_of(cell.figures, Metric.SQNR) == pytest.approx(alone.sqnr_db, abs=0.01)
        assert value_of(cell.figures, Metric.KL) == pytest.approx(alone.kl, rel=0.01)
        assert value_of(cell.figures, Metric.COSINE) == pytest.approx(1 - alone.cosine, rel=0.01)
        assert value_of(cell.figures, Metric.TOP1) == 1 - alone.top1_agreement


def test_one_out_is_the_plan_without_one_kernel(evaluator: Evaluator, net) -> None:
    first, second, *_ = net.tunable
    plan = Plan({first.id: INT4, second.id: INT8})
    sweep = ExactSweep(evaluator, mode="one-out", base=plan)
    cells = {cell.kernel: cell for cell in sweep.run(cells_out(net, plan))}
    assert set(cells) == {first.id, second.id}
    assert cells[first.id].figures.sqnr_db == evaluator.evaluate(Plan({second.id: INT8})).output.sqnr_db
    assert sweep.baseline().sqnr_db == evaluator.evaluate(plan).output.sqnr_db
    assert cells_out(net, plan, INT8) == [(first.id, INT8)]


def test_one_out_needs_a_plan(evaluator: Evaluator) -> None:
    with pytest.raises(PlanError, match="needs a plan"):
        ExactSweep(evaluator, mode="one-out")


@pytest.mark.parametrize("blocks", [1, 2, 3, 40])
@pytest.mark.parametrize("base", [{}, {0: INT8, 2: INT4}], ids=["one in", "in a plan"])
def test_blocks_give_what_the_evaluator_gives(evaluator: Evaluator, net, monkeypatch, blocks: int, base: dict) -> None:
    monkeypatch.setattr(replay, "_BLOCKS", blocks)
    plan = Plan({net.tunable[at].id: scheme for at, scheme in base.items()})
    with closing(replay.Replay(evaluator, plan, ("c",))) as made:
        made.prepare(NEVER)
        for kernel in net.tunable:
            output, others = made.finish(made.begin(kernel.id, FP16, NEVER), NEVER)
            expected = evaluator.evaluate(plan.with_schemes({kernel.id: FP16}))
            assert output.sqnr_db == pytest.approx(expected.output.sqnr_db, abs=0.01)
            assert output.kl == pytest.approx(expected.output.kl, rel=0.01)
            third = expected.accumulated[net.kernels[2].id]
            assert others["c"].noise == pytest.approx(third.noise, rel=0.01, abs=1e-9)


def test_samples_are_compared_in_one_go_or_each_by_itself(evaluator: Evaluator, net, monkeypatch) -> None:
    found = []
    for limit in (0, 1 << 14):
        monkeypatch.setattr(replay, "SMALL_OUTPUTS", limit)
        with closing(replay.Replay(evaluator, Plan(), ("c",))) as made:
            made.prepare(NEVER)
            begun = made.begin(net.tunable[1].id, INT4, NEVER, outputs=True)
            found.append((*made.finish(begun, NEVER), [begun.outputs[at] for at in sorted(begun.outputs)]))
            assert made._together == bool(limit)
    (one, others, outputs), (other, more, copies) = found
    assert one == other
    assert others == more
    assert len(outputs) == len(copies) == len(evaluator.samples)
    for a, b in zip(outputs, copies, strict=True):
        assert a.keys() == b.keys()
        for name in a:
            np.testing.assert_array_equal(a[name], b[name])


@pytest.mark.parametrize("opset", [9, 21])
def test_blocks_with_brain_floats_give_what_the_evaluator_gives(opset: int) -> None:
    """In models that are older than BF16, too."""
    net, inputs = small_net(opset=opset)
    plan = Plan({kernel.id: BF16 if at % 2 else INT8 for at, kernel in enumerate(net.tunable)})
    evaluator = Evaluator(net, samples_like(inputs, 3))
    with closing(evaluator), closing(replay.Replay(evaluator, plan, ("c",))) as made:
        made.prepare(NEVER)
        for kernel in net.tunable:
            output, _ = made.finish(made.begin(kernel.id, FP16, NEVER), NEVER)
            expected = evaluator.evaluate(plan.with_schemes({kernel.id: FP16})).output
            assert output.sqnr_db == pytest.approx(expected.sqnr_db, abs=0.05)


def test_huge_weights_are_replayed_kernel_by_kernel(net) -> None:
    assert replay.Replay.suits(net, Plan(), 4)
    big = replace(net.kernels[0], constants={"w": np.zeros((1 << 24, 2), np.float32)})
    assert not replay.Replay.suits(replace(net, kernels=(big, *net.kernels[1:])), Plan(), 4)


def test_a_sweep_steps_aside(evaluator: Evaluator, net) -> None:
    calls: list[int] = []
    list(ExactSweep(evaluator, gate=lambda: calls.append(1)).run(cells_of(net, [INT4])))
    assert len(calls) >= 3 * len(net.tunable)


def test_a_figure_that_the_model_has_not() -> None:
    with pytest.raises(PlanError, match="logits"):
        value_of(FIGURES, Metric.LOGITS)


def test_the_worst_are_measured_first(evaluator: Evaluator, net) -> None:
    found = estimate(evaluator, [INT4, INT8, FP16])
    cells = in_order(cells_of(net), found)
    assert sorted(map(str, cells)) == sorted(map(str, cells_of(net)))
    damages = [found.cells[cell].damage for cell in cells]
    assert damages == sorted(damages, reverse=True)
    blind = replace(found, cells={key: cell for key, cell in found.cells.items() if key[0] != net.tunable[0].id})
    order = in_order(cells_of(net), blind)
    unknown = [at for at, cell in enumerate(order) if cell[0] == net.tunable[0].id]
    assert unknown == [9, 10, 11]  # behind the nine that are known


def test_agreement_with_the_estimate(evaluator: Evaluator, net) -> None:
    found = estimate(evaluator, [INT4, INT8])
    cells = list(ExactSweep(evaluator).run(cells_of(net, [INT4, INT8])))
    seen = agree(found, cells)
    assert seen.cells == len(cells)
    assert seen.rank > 0.97
    assert seen.worst_found[INT4] == len(net.tunable)
    assert set(seen.by_scheme) == {INT4, INT8}


def test_spearman_is_scipys() -> None:
    rng = np.random.default_rng(0)
    pairs = [(float(a), float(b)) for a, b in rng.integers(0, 6, (40, 2))]
    assert spearman(pairs) == pytest.approx(stats.spearmanr(*zip(*pairs, strict=True))[0])
    assert np.isnan(spearman([(1.0, 2.0)]))
    assert np.isnan(spearman([(1.0, 2.0), (1.0, 3.0), (1.0, 4.0)]))


def test_progress_pause_and_cancel(evaluator: Evaluator, net) -> None:
    pause, token, seen = Pause(), CancelToken(), []
    sweep = ExactSweep(evaluator, pause=pause).run(
        cells_of(net, [INT8]), progress=lambda fraction, text: seen.append(fraction), cancel=token
    )
    next(sweep)
    pause.pause()
    assert pause.paused
    threading.Timer(0.1, pause.resume).start()
    next(sweep)
    assert seen == [0.25, 0.5]
    pause.pause()
    threading.Timer(0.05, token.cancel).start()
    with pytest.raises(Cancelled):
        next(sweep)


def test_a_second_sweep_reads_the_store(evaluator: Evaluator, net, tmp_path: Path) -> None:
    cells = cells_of(net, [INT4])
    with closing(ResultStore(tmp_path / "s.db", net)) as store:
        first = list(ExactSweep(evaluator, store=store).run(cells))
        assert not any(cell.stored for cell in first)
    with closing(ResultStore(tmp_path / "s.db", net)) as store:
        sweep = ExactSweep(evaluator, store=store)
        second = list(sweep.run(cells))
        assert all(cell.stored for cell in second)
        assert [cell.figures for cell in second] == [cell.figures for cell in first]
        rows = list(store.rows(sweep.context()))
        assert [(row.kernel, row.scheme, row.mode) for row in rows] == [(*cell, "one-in") for cell in cells]
        assert not list(store.rows("elsewhere"))
        other = list(ExactSweep(evaluator, store=store, mode="one-out", base=Plan({cells[0][0]: INT4})).run(cells[:1]))
        assert not other[0].stored


def test_figures_come_back_as_they_were(net, tmp_path: Path) -> None:
    """Infinite, missing and not-a-number ones too; schemes of every kind."""
    kept = [FIGURES, replace(FIGURES, sqnr_db=inf, mse=0.0), replace(FIGURES, sqnr_db=-inf, kl=inf, accuracy=0.5)]
    with closing(ResultStore(tmp_path / "s.db", net)) as store:
        for scheme, figures in zip((INT4, FP16, W4A8), kept, strict=True):
            store.put("c", "one-in", "", "k", scheme, figures)
            assert store.get("c", "one-in", "", "k", scheme) == figures
        store.put("c", "plan", "p", "", FP32, replace(FIGURES, cosine=nan))
        assert store.get("c", "plan", "p", "", FP32).cosine == 0.0
        assert store.get("c", "one-in", "", "k", INT8) is None
        assert {row.scheme for row in store.rows("c")} == {INT4, FP16, W4A8, FP32}


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from handmade import Step, network, samples_like, small_net
from engine.numerics import Evaluator
from engine.tuning.exact import ExactSweep
from engine.tuning.store import ResultStore
from engine.tuning.sweep import cells_of
net, inputs = small_net()
store = ResultStore(Path(sys.argv[1]), net)
sweep = ExactSweep(Evaluator(net, samples_like(inputs, 3)), store=store)
for number, cell in enumerate(sweep.run(cells_of(net)), 1):
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_sweep_goes_on_where_it_was(evaluator: Evaluator, net, tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[3]
    path = tmp_path / "killed.db"
    command = [sys.executable, "-c", KILLED, str(path), str(root), str(root / "tests" / "helpers")]
    assert subprocess.run(command, timeout=60, check=False).returncode == -signal.SIGKILL
    with closing(ResultStore(path, net)) as store:
        cells = list(ExactSweep(evaluator, store=store).run(cells_of(net)))
    assert [cell.stored for cell in cells] == [True] * 5 + [False] * (len(cells) - 5)


def test_refuses_other_models_other_versions_and_other_files(net, tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    ResultStore(path, net).close()
    stranger = replace(net, graph=replace(net.graph, sha256="1" * 64))
    with pytest.raises(StoreError, match=r"results of another model \(handmade\.onnx\)"):
        ResultStore(path, stranger)
    with closing(sqlite3.connect(path)) as base:
        base.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
        base.commit()
    with pytest.raises(StoreError, match="another format"):
        ResultStore(path, net)
    text = tmp_path / "text.db"
    text.write_text("no database at all, but long enough to be looked at" * 20)
    with pytest.raises(StoreError, match="no result store"):
        ResultStore(text, net)
    with closing(sqlite3.connect(tmp_path / "foreign.db")) as base:
        base.execute("CREATE TABLE t (x)")
        base.commit()
    with pytest.raises(StoreError, match="no result store"):
        ResultStore(tmp_path / "foreign.db", net)
    with pytest.raises(StoreError, match="can't be opened"):
        ResultStore(tmp_path / "nowhere" / "s.db", net)


def _fill(store: ResultStore) -> None:
    for number in range(1000):
        store.put("c", "one-in", "", f"kernel {number}", INT4, FIGURES)


def test_two_windows_may_open_a_store_for_the_first_time_at_once(net, tmp_path: Path, monkeypatch) -> None:
    """Both find the file empty; who comes second takes what the first has made."""
    made = tmp_path / "made.db"
    ResultStore(made, net).close()
    path, empty, opened = tmp_path / "both.db", threading.Event(), []
    create = ResultStore._create

    def found_empty(self: ResultStore, network) -> None:
        empty.set()
        create(self, network)

    monkeypatch.setattr(ResultStore, "_create", found_empty)
    with closing(sqlite3.connect(path, isolation_level=None)) as other, closing(sqlite3.connect(made)) as done:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("BEGIN IMMEDIATE")
        thread = threading.Thread(target=lambda: opened.append(ResultStore(path, net)))
        thread.start()
        assert empty.wait(20)
        for (statement,) in done.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall():
            other.execute(statement)
        other.executemany("INSERT INTO meta VALUES (?, ?)", done.execute("SELECT key, value FROM meta").fetchall())
        other.execute(f"PRAGMA application_id = {done.execute('PRAGMA application_id').fetchone()[0]}")
        other.execute("COMMIT")
        thread.join(20)
    (store,) = opened
    with closing(store):
        store.put("some", "one-in", "", "k", INT4, FIGURES)
        assert store.get("some", "one-in", "", "k", INT4) == FIGURES


def test_a_full_disk_keeps_what_is_there(evaluator: Evaluator, net, tmp_path: Path) -> None:
    with closing(ResultStore(tmp_path / "s.db", net)) as store:
        store.put("c", "one-in", "", "k", INT4, FIGURES)
        pages = store._base.execute("PRAGMA page_count").fetchone()[0]
        store._base.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match=r"disk .* is full"):
            _fill(store)
        assert store.get("c", "one-in", "", "k", INT4) == FIGURES


def test_the_context_knows_what_matters(net_and_inputs) -> None:
    net, inputs = net_and_inputs
    samples = samples_like(inputs, 2)
    ranges = Ranges({"x": Range(-1.0, 1.0)})
    plain = context_of(net, samples, ranges)
    assert plain == context_of(net, samples_like(inputs, 2), ranges)
    different = [
        context_of(net, samples_like(inputs, 2, seed=1), ranges),
        context_of(net, samples_like(inputs, 3), ranges),
        context_of(net, samples, Ranges({"x": Range(-1.0, 1.5)})),
        context_of(net, replace(samples, labels=np.asarray([1, 2])), ranges),
        context_of(replace(net, rules="cloud"), samples, ranges),
    ]
    assert len({plain, *different}) == 6
    assert plan_digest(Plan()) == ""
    assert plan_digest(Plan({"a": INT4, "b": INT8})) == plan_digest(Plan({"b": INT8, "a": INT4}, "name"))
    assert plan_digest(Plan({"a": INT4})) != plan_digest(Plan({"a": INT8}))


def _wide_net():
    """Convolutions whose channels fill ONNX Runtime's blocks: their activations are kept in blocks between kernels."""
    rng = np.random.default_rng(4)

    def conv(source: str, result: str, cin: int, cout: int, groups: int = 1) -> Step:
        kind = Kind.DEPTHWISE if groups > 1 else Kind.CONV
        weight = (rng.standard_normal((cout, cin // groups, 3, 3)) / np.sqrt(9 * cin / groups)).astype(np.float32)
        nodes = [
            ("Conv", [source, f"w{result}"], [f"c{result}"], {"pads": [1, 1, 1, 1], "group": groups}),
            ("Clip", [f"c{result}", "low", "high"], [result], {}),
        ]
        bounds = {"low": np.float32(0), "high": np.float32(6)}
        return Step(
            nodes,
            [result],
            {f"w{result}": weight, **{n: np.asarray(v) for n, v in bounds.items()}},
            kind,
            f"w{result}",
            (0,),
            (1, 2, 3),
            source,
        )

    steps = [conv("x", "a", 3, 32), conv("a", "b", 32, 32, 32), conv("b", "c", 32, 64)]
    steps.append(Step([("Add", ["c", "d"], ["e"], {})], ["e"]))
    steps.insert(3, conv("c", "d", 64, 64))
    pool = [("GlobalAveragePool", ["e"], ["p"], {}), ("Flatten", ["p"], ["f"], {})]
    head = (rng.standard_normal((64, 40)) / 8).astype(np.float32)
    steps += [Step(pool, ["f"], {}, Kind.POOL), Step([("Gemm", ["f", "hw"], ["y"], {})], ["y"], {"hw": head}, Kind.GEMM,
                                                    "hw", (1,), (0,), "f")]  # fmt: skip
    inputs = {"x": rng.standard_normal((1, 3, 12, 12)).astype(np.float32)}
    return network(inputs, ["y"], steps), inputs


def test_activations_in_blocks_give_what_the_evaluator_gives() -> None:
    """Estimate, replay by blocks, and one out give what the evaluator gives, whatever order it keeps tensors in."""
    net, inputs = _wide_net()
    with closing(Evaluator(net, samples_like(inputs, 4))) as evaluator:
        evaluator.prepare()
        base = Plan(dict.fromkeys((k.id for k in net.tunable), INT8))
        for plan in (Plan(), base):
            with closing(replay.Replay(evaluator, plan, ("b",))) as made:
                made.prepare(NEVER)
                for kernel in net.tunable:
                    for scheme in (INT4, FP16):
                        output, others = made.finish(made.begin(kernel.id, scheme, NEVER), NEVER)
                        expected = evaluator.evaluate(plan.with_schemes({kernel.id: scheme}))
                        assert output.sqnr_db == pytest.approx(expected.output.sqnr_db, abs=0.05), (kernel.name, scheme)
                        second = expected.accumulated[net.kernels[1].id]
                        assert others["b"].noise == pytest.approx(second.noise, rel=0.02, abs=1e-9)
            assert not evaluator._shared.plain  # all was read as it is kept
        table = estimate(evaluator, [INT4, FP16], metric=Metric.SQNR, probes=16)
        errors = [cell.value - evaluator.evaluate(Plan({cell.kernel: cell.scheme})).output.sqnr_db
                  for cell in table.cells.values()]  # fmt: skip
        assert abs(np.median(errors)) < 1.5
        assert max(map(abs, errors)) < 5


def test_an_estimate_gives_its_copies_of_the_reference_back() -> None:
    """Those in plain order, sample by sample in the last round; who holds one keeps it, and another is like it."""
    net, inputs = _wide_net()
    with closing(Evaluator(net, samples_like(inputs, 4))) as evaluator:
        evaluator.prepare()
        before = evaluator._shared.store.memory_bytes
        held = evaluator.reference(0)["b"].array
        copied = evaluator._shared.store.memory_bytes
        assert copied == before + held.nbytes or not evaluator.layout.blocks
        seen = []
        first = estimate(
            evaluator, [INT4], metric=Metric.SQNR, probes=2, publish=lambda _: seen.append(_copied(evaluator))
        )
        assert not _copied(evaluator)
        assert evaluator._shared.store.memory_bytes == before
        assert max(seen) == 4 or not evaluator.layout.blocks  # further probes want them again
        np.testing.assert_array_equal(evaluator.reference(0)["b"].array, held)
        assert estimate(evaluator, [INT4], metric=Metric.SQNR, probes=2).cells == first.cells
        with closing(Estimator(evaluator, metric=Metric.SQNR)) as lasting:  # will be asked for more schemes
            lasting.estimate([INT4])
            assert _copied(evaluator) == 4 or not evaluator.layout.blocks


def _copied(evaluator: Evaluator) -> int:
    """Samples of which there are copies in plain order."""
    return sum(bool(values._copies) for values in evaluator._shared.plain.values())


def test_an_estimate_does_not_hang_on_last_bits() -> None:
    """The kept result of a kernel may come from sums in another order than the one that is computed on the way back."""
    net, inputs = _wide_net()
    with closing(Evaluator(net, samples_like(inputs, 2))) as evaluator:
        before = estimate(evaluator, [INT4], metric=Metric.SQNR)
        for sample in range(2):
            for name in "abcd":
                kept = evaluator.reference(sample)[name].array
                kept *= np.float32(1 + 4e-7)
        after = estimate(evaluator, [INT4], metric=Metric.SQNR)
    for key, cell in before.cells.items():
        assert after.cells[key].value == pytest.approx(cell.value, abs=0.1)


def test_a_disk_without_room_for_side_files_is_called_full(net, tmp_path: Path, monkeypatch) -> None:
    """SQLite reports it as a failed write; any other failed write is told as it is."""

    class Broken:
        def __getattr__(self, name: str):
            raise _write_error()

    def _write_error() -> sqlite3.OperationalError:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
        return error

    with closing(ResultStore(tmp_path / "s.db", net)) as store:
        whole, store._base = store._base, Broken()
        try:
            with pytest.raises(StoreError, match="disk I/O error"):
                store.put("c", "one-in", "", "k", INT4, FIGURES)
            monkeypatch.setattr("engine.tuning.store.shutil.disk_usage", lambda _: shutil._ntuple_diskusage(1, 1, 0))
            with pytest.raises(StoreError, match=r"disk .* is full"):
                store.put("c", "one-in", "", "k", INT4, FIGURES)
        finally:
            store._base = whole
