"""Sweeps and searches of a session: what starts by itself, what is asked for, what survives a restart."""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import replace

import onnx
import pytest
from onnx import TensorProto, helper
from small_models import small_cnn

from engine.npu import simulate
from engine.numerics.user_metric import named_metric
from engine.precision import FP16, INT4, INT8, preset
from engine.precision.plan import Plan
from engine.quant import plan_bytes
from engine.session import Session
from engine.session.raising import raised
from engine.session.sweep_store import store_path
from engine.session.sweeps import OFFERED
from engine.session.wishes import ACCURACY, Wishes, bit_operations
from engine.session.work import open_network
from engine.text import say
from engine.tuning.estimate import probes
from engine.tuning.metrics import Metric, damage
from engine.tuning.store import ResultStore, StoreError


class Driver:
    """A session with an owner's thread that pumps callbacks, as a window's event loop does."""

    def __init__(self, tmp_path) -> None:
        self.queue: queue.Queue = queue.Queue()
        self.session = Session(dispatch=self.queue.put, settings=tmp_path / "settings")

    def settle(self, seconds: float = 60.0) -> None:
        pump(self, lambda: not self.session.jobs.active and self.queue.empty(), seconds)

    def errors(self) -> list[str]:
        return [str(e.text) for e in self.session.log if e.level == "error"]


@pytest.fixture
def driver(tmp_path):
    made = Driver(tmp_path)
    yield made
    made.session.close()


@pytest.fixture
def opened(driver, cnn_path):
    driver.session.open_model(cnn_path)
    driver.settle()
    return driver


def pump(driver, done, seconds: float = 30.0) -> None:
    """Run callbacks until something is so."""
    end = time.monotonic() + seconds
    while not done():
        try:
            driver.queue.get(timeout=0.02)()
        except queue.Empty:
            assert time.monotonic() < end, [str(job.title) for job in driver.session.jobs.active]


def test_the_estimate_comes_by_itself(opened):
    sweeps, network = opened.session.sweeps, opened.session.network
    assert sweeps.estimates.complete
    assert set(sweeps.estimates.cells) == {(k.id, s) for k in network.tunable for s in OFFERED}
    assert not sweeps.exact
    assert {cell.kind for cell in opened.session.sensitivity.values()} == {"estimated"}
    assert sweeps.metric in sweeps.metrics
    assert opened.session.snapshot().sensitivity, "views and exports see the cells"


def test_an_estimate_is_shown_at_once_and_then_refined(driver, cnn_path, monkeypatch):
    """By further probes while nothing else waits; every table says how many it comes from."""
    monkeypatch.setattr(probes, "UNIT_LIMIT", 0)
    session, seen = driver.session, []
    session.subscribe(lambda _: seen.append(session.sweeps.estimates))
    session.open_model(cnn_path)
    driver.settle()
    sweeps = session.sweeps
    tables = list(dict.fromkeys(table.probes for table in seen if table is not None and table.complete))
    assert tables == [1, 2, 4]
    assert not sweeps.refining
    assert not sweeps.estimates.unit_vectors
    odd = replace(INT4, weights=replace(INT4.weights, bits=3))
    sweeps.set_schemes((odd, INT8))
    driver.settle()
    assert sweeps.estimates.probes == 4
    assert {scheme for _, scheme in sweeps.estimates.cells} >= {odd, INT8}


def test_exports_never_take_an_estimate_for_a_measurement(opened, tmp_path):
    session = opened.session
    session.export("csv", tmp_path / "t.csv")
    opened.settle()
    assert ",," in (tmp_path / "t.csv").read_text(), "no sensitivity yet"


def test_the_estimate_is_confirmed_from_the_worst_down(opened):
    session, order = opened.session, []
    worst = [(c.kernel, c.scheme) for c in session.sweeps.estimates.worst_first()]
    session.sweeps.confirm()
    while session.jobs.active or not opened.queue.empty():
        try:
            opened.queue.get(timeout=0.05)()
        except queue.Empty:
            continue
        order += [key for key in session.sweeps.exact if key not in order]
    assert order == worst
    session.sweeps.stop()
    session.sweeps.confirm()
    assert not session.sweeps.running, "once is enough"


def test_a_scheme_of_the_plan_is_estimated_too(opened):
    session = opened.session
    odd = replace(INT4, weights=replace(INT4.weights, bits=3))
    kernel = session.network.tunable[0].id
    session.set_scheme([kernel], odd)
    opened.settle()
    assert (kernel, odd) in session.sweeps.estimates.cells


def test_another_metric_has_an_estimate_of_its_own(opened):
    sweeps = opened.session.sweeps
    sweeps.set_metric(Metric.COSINE)
    assert sweeps.estimates is None
    opened.settle()
    assert sweeps.estimates.metric is Metric.COSINE
    cell = next(iter(opened.session.sensitivity.values()))
    assert (cell.kind, cell.sqnr_db) == ("estimated", None)
    assert cell.cosine is not None
    sweeps.set_metric(Metric.TOP1)
    opened.settle()
    assert sweeps.estimates is None
    assert not opened.session.sensitivity


def test_pause_go_on_stop(opened):
    sweeps = opened.session.sweeps
    sweeps.start()
    sweeps.pause()
    pump(opened, lambda: sweeps.running)
    assert sweeps.paused
    time.sleep(0.1)
    done = len(sweeps.exact)
    assert done < sweeps.total
    sweeps.start("one-in")  # the play button
    assert not sweeps.paused
    opened.settle()
    assert len(sweeps.exact) == len(opened.session.network.tunable) * len(OFFERED)
    assert (sweeps.done, sweeps.total) == (len(sweeps.exact), len(sweeps.exact))


def test_one_out_is_of_a_plan_and_knows_when_it_is_an_older_one(opened):
    session = opened.session
    session.apply_preset("int4")
    opened.settle()
    session.sweeps.start("one-out")
    opened.settle()
    out = session.sweeps.one_out
    assert set(out.cells) == {k.id for k in session.network.tunable}
    assert out.baseline.sqnr_db == pytest.approx(session.figures.evaluation.output.sqnr_db, abs=0.01)
    assert session.sweeps.out_is_current
    gains = session.sweeps.gains()
    assert max(gains.values()) > 0.5
    session.set_scheme([session.network.tunable[0].id], FP16)
    opened.settle()
    assert not session.sweeps.out_is_current


def test_one_out_of_nothing_says_so(opened):
    session = opened.session
    session.apply_plan(Plan(), say("Reference"))
    opened.settle()
    session.sweeps.start("one-out")
    assert "nothing to restore" in opened.errors()[-1]


def test_figures_survive_a_restart(driver, cnn_path, tmp_path):
    driver.session.open_model(cnn_path)
    driver.settle()
    driver.session.sweeps.start()
    driver.settle()
    first = dict(driver.session.sweeps.exact)
    driver.session.close()
    other = Driver(tmp_path)
    try:
        other.session.open_model(cnn_path)
        other.settle()
        assert other.session.sweeps.exact == first
        other.session.sweeps.start()
        assert not other.session.sweeps.running
    finally:
        other.session.close()


def test_without_a_place_to_keep_them_sweeps_go_on(opened, monkeypatch):
    """A full disk in the middle: one warning, all cells."""
    session = opened.session
    keep, kept = ResultStore.put, []

    def put(self, *args):
        if len(kept) >= 3:
            raise StoreError(say("The disk of {path} is full.", path=self.path))
        kept.append(args)
        keep(self, *args)

    monkeypatch.setattr(ResultStore, "put", put)
    session.sweeps.start()
    opened.settle()
    assert len(session.sweeps.exact) == len(session.network.tunable) * len(OFFERED)
    warnings = [str(entry.text) for entry in session.log if entry.level == "warning" and "disk" in str(entry.text)]
    assert len(warnings) == 1
    assert not opened.errors()


def test_a_store_that_is_no_store_is_told_once(driver, cnn_path, tmp_path):
    path = store_path(tmp_path / "settings", open_network(cnn_path))
    path.parent.mkdir(parents=True)
    path.write_text("no database, but long enough to be looked at " * 30)
    driver.session.open_model(cnn_path)
    driver.settle()
    assert any("no result store" in str(entry.text) for entry in driver.session.log)
    assert driver.session.sweeps.estimates.complete
    driver.session.sweeps.start()
    driver.settle()
    assert driver.session.sweeps.exact


def test_a_model_without_a_tunable_kernel_says_why(driver, tmp_path):
    info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", info[:1], info[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), tmp_path / "relu.onnx")
    driver.session.open_model(tmp_path / "relu.onnx")
    driver.settle()
    assert "nothing to sweep" in str(driver.session.sweeps.why_no_estimate)
    assert not driver.errors(), "it came by itself, so it is no error"
    driver.session.searches.start(Wishes())
    driver.settle()
    assert "precision can be set" in str(driver.session.searches.problem_text)


# -- searching -------------------------------------------------------------------------------------------------------


def test_a_search_keeps_its_budgets_and_is_measured(opened):
    session = opened.session
    fp16, int4 = (plan_bytes(session.network, preset(session.network, name)).total for name in ("fp16", "int4"))
    limit = (fp16 + int4) / 2
    before = session.plan
    session.searches.start(Wishes(size_bytes=limit))
    opened.settle()
    (found,) = session.searches.proposals
    assert session.plan == before, "nothing is applied unasked"
    assert found.costs.size_bytes == plan_bytes(session.network, found.plan).total <= limit
    assert found.costs.latency_us == pytest.approx(simulate(session.network, found.plan, session.device).latency_us)
    assert (found.overdrawn, found.number) == ({}, 1)
    assert "size_bytes" in found.binding
    session.apply_plan(found.plan, say("Other"))
    opened.settle()
    assert session.figures.evaluation.output.sqnr_db == pytest.approx(found.measured_db, abs=0.05)


def test_a_tight_search_says_which_uniform_plan_would_be_better_and_why_not(opened):
    session = opened.session
    sizes = [plan_bytes(session.network, preset(session.network, name)).total for name in ("int4", "int8")]
    session.searches.start(Wishes(size_bytes=sum(sizes) / 2, schemes=(INT4, INT8)))
    opened.settle()
    (found,) = session.searches.proposals
    assert "INT8 everywhere would reach" in str(found.beyond)
    assert "beyond the limit of model size" in str(found.beyond)


def test_contradictory_budgets_give_the_nearest_plan(opened):
    session = opened.session
    session.searches.start(Wishes(size_bytes=10.0, min_sqnr_db=90.0))
    opened.settle()
    (found,) = session.searches.proposals
    assert set(found.overdrawn) >= {"size_bytes"}
    assert found.measured_db is not None
    assert session.searches.problem_text is None
    session.searches.start(Wishes(size_bytes=-1.0))
    opened.settle()
    assert "above zero" in str(session.searches.problem_text)
    assert len(session.searches.proposals) == 1, "what was found stays"


def test_locks_are_kept(opened):
    session = opened.session
    first = session.network.tunable[0].id
    session.set_scheme([first], INT8)
    opened.settle()
    session.set_locked([first], True)
    session.searches.start(Wishes(goal="size_bytes"))
    opened.settle()
    assert session.searches.proposals[-1].plan[first] == INT8


def test_an_accuracy_limit_is_measured_not_guessed(opened):
    session = opened.session
    session.searches.start(Wishes(goal="size_bytes"))
    opened.settle()
    loose = session.searches.proposals[-1]
    session.searches.start(Wishes(goal="size_bytes", accuracy_drop=0.0))
    opened.settle()
    tight = session.searches.proposals[-1]
    assert (tight.top1 == 1.0) == (ACCURACY not in tight.overdrawn)
    assert tight.top1 >= loose.top1
    assert tight.costs.size_bytes >= loose.costs.size_bytes


def test_the_front_is_predicted_then_measured(opened):
    session = opened.session
    session.searches.explore()
    opened.settle()
    front = session.searches.front
    assert len({point.plan for point in front}) == len(front) > 3
    measured = [point for point in front if point.measured_db is not None]
    assert measured
    for point in measured:
        assert point.costs.size_bytes == plan_bytes(session.network, point.plan).total
    errors = [abs(point.predicted_db - point.measured_db) for point in measured if point.measured_db < 80]
    assert sum(errors) / len(errors) < 3


def test_the_front_is_found_again_when_all_cells_are_measured(opened):
    """First by estimates, then by measured cells; a front that nobody has asked for is not looked for."""
    session = opened.session
    session.sweeps.set_schemes([INT4, INT8, FP16])
    session.sweeps.start()
    opened.settle()
    assert not session.searches.front
    session.sweeps.exact.clear()
    session.searches.explore()
    opened.settle()
    first, by_estimates = session.searches.front, session.searches._search.harm
    assert first
    session.sweeps.start()
    opened.settle()
    assert session.searches.front is not first
    harm = session.searches._search.harm
    assert harm != by_estimates
    assert harm == {key: damage(Metric.SQNR, figures.sqnr_db) for key, figures in session.sweeps.exact.items()}


def test_a_limit_on_bit_operations_is_kept(opened):
    session = opened.session
    eight = Plan(dict.fromkeys((k.id for k in session.network.tunable), INT8))
    limit = bit_operations(session.network, eight)
    session.searches.start(Wishes(operations=limit, agree=False, native_only=False))
    opened.settle()
    (found,) = session.searches.proposals
    assert not found.overdrawn
    assert 0 < found.costs.operations == bit_operations(session.network, found.plan) <= limit
    session.searches.start(Wishes("operations", min_sqnr_db=1.0, agree=False, native_only=False))
    opened.settle()
    assert session.searches.proposals[-1].costs.operations <= limit


def test_what_to_raise_next_follows_the_plan(opened):
    session = opened.session
    session.apply_preset("int4")
    opened.settle()
    session.searches.start(Wishes(size_bytes=1e9))
    opened.settle()
    steps = session.searches.steps
    assert steps
    assert all(step.measured for step in steps[:8])
    assert steps[0].gain_db == max(step.gain_db for step in steps)
    best = steps[0]
    plan = session.plan.with_schemes(dict.fromkeys(best.kernels, best.after))
    before = session.figures.evaluation.output.sqnr_db
    assert best.extra_bytes == plan_bytes(session.network, plan).total - session.figures.size.total
    session.apply_plan(plan, say("Other"))
    assert session.searches.steps == ()
    opened.settle()
    assert session.figures.evaluation.output.sqnr_db - before == pytest.approx(best.gain_db, abs=1e-6)
    assert best.gain_db > 0


def test_raising_takes_the_worst_that_are_coarser(opened):
    session = opened.session
    ids = [k.id for k in session.network.tunable]
    plan = Plan({ids[0]: INT4, ids[1]: FP16, ids[2]: INT8})
    made, changed = raised(plan, [ids[1], ids[2], ids[0]], 1, FP16)
    assert changed == (ids[2],)
    assert made[ids[2]] == FP16
    _, changed = raised(plan, ids, 9, INT8, locked={ids[0]})
    assert changed == ()


def test_close_in_the_middle_leaves_nothing(driver, cnn_path):
    driver.session.open_model(cnn_path)
    pump(driver, lambda: driver.session.sweeps.estimating)
    driver.session.close()
    assert not [t for t in threading.enumerate() if t.name.startswith("mixbit")]


def test_another_model_forgets_all(opened, tmp_path):
    session = opened.session
    session.sweeps.start()
    session.searches.start(Wishes(size_bytes=1e9))
    opened.settle()
    session.open_model(small_cnn(tmp_path / "other.onnx", seed=1))
    pump(opened, lambda: session.path.name == "other.onnx")
    assert not session.sweeps.exact
    assert not session.searches.proposals
    opened.settle()
    assert session.sweeps.estimates.complete


def test_a_function_of_ones_own_is_one_more_metric(opened, tmp_path):
    """Measured only; other cells stay as they are, and it goes when the function goes."""
    session, sweeps = opened.session, opened.session.sweeps
    sweeps.start()
    opened.settle()
    usual, exact = sweeps.metric, dict(sweeps.exact)
    (tmp_path / "mine.py").write_text("def first(o, r, l):\n    return float(list(o[0].values())[0].ravel()[0])\n")
    session.own_metric.choose(named_metric(f"{tmp_path / 'mine.py'}:first"))
    sweeps.set_metric(Metric.OWN)
    opened.settle()
    assert not session.sensitivity, "nothing measured in it, nothing estimated"
    assert len(sweeps.missing()) == len(exact)
    sweeps.set_metric(usual)
    sweeps.exact.clear()
    sweeps.start()
    sweeps.pause()
    sweeps.set_metric(Metric.OWN)
    sweeps.start()  # the one that is under way does not ask the function: another one begins
    opened.settle()
    assert not opened.errors()
    assert {cell.kind for cell in session.sensitivity.values()} == {"exact"}
    assert len(session.sensitivity) == len(exact)
    assert all(cell.own >= 0 for cell in session.sensitivity.values())
    assert any(cell.own > 0 for cell in session.sensitivity.values())
    assert {key: replace(f, own=None, seconds=0.0) for key, f in sweeps.exact.items()} == {
        key: replace(f, seconds=0.0) for key, f in exact.items()
    }
    session.own_metric.choose(None)
    assert sweeps.metric is usual
    assert all(figures.own is None for figures in sweeps.exact.values())
    opened.settle()
