"""Choosing weight methods by measurement: never worse at the output, formats and other kernels untouched."""

from __future__ import annotations

from dataclasses import replace

import pytest
from handmade import samples_like, small_net

from engine.errors import Cancelled
from engine.numerics import Evaluator, calibrate
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8
from engine.progress import CancelToken
from engine.quant import SCALED
from engine.tuning.methods import ALL_METHODS, compare_methods, methods_for, refine, with_method


@pytest.fixture
def made():
    net, inputs = small_net()
    ranges = calibrate(net, samples_like(inputs, 8))
    evaluator = Evaluator(net, samples_like(inputs, 6, seed=1), ranges=ranges)
    yield net, evaluator
    evaluator.close()


def test_every_method_that_fits_is_offered(made):
    net, _ = made
    conv, depthwise = net.kernels[0], net.kernels[1]
    names = [(s.method, s.corrected) for s in methods_for(net, conv, INT4)]
    plain = [m for m in ALL_METHODS if m not in SCALED]  # it reads the model's input, which takes no scale
    assert names == [(m, c) for c in (False, True) for m in plain]
    assert [s.method for s in methods_for(net, depthwise, INT4)] == ["rtn", "mse", "hqq"]
    assert methods_for(net, conv, FP16) == ()
    assert methods_for(net, net.kernels[3], INT4) == ()


def test_a_method_for_all_goes_where_it_fits(made):
    net, _ = made
    ids = [k.id for k in net.tunable]
    plan = with_method(net, Plan(dict(zip(ids, (INT4, INT4, INT8, FP16), strict=True))), "gptq", True)
    assert plan[ids[0]] == replace(INT4, method="gptq", corrected=True)
    assert plan[ids[1]] == INT4
    assert plan[ids[2]] == replace(INT8, method="gptq", corrected=True)
    assert plan[ids[3]] == FP16
    assert with_method(net, plan, "rtn") == Plan(dict(zip(ids, (INT4, INT4, INT8, FP16), strict=True)))


def test_gains_are_what_a_plain_evaluation_gives(made):
    net, evaluator = made
    plan = Plan(dict.fromkeys((k.id for k in net.tunable), INT4))
    kernel = net.kernels[2].id
    gains = list(compare_methods(evaluator, plan, [kernel]))
    assert len(gains) == 10
    for gain in gains:
        tried = plan.with_schemes({kernel: gain.scheme})
        assert gain.output_db == evaluator.evaluate(tried).output.sqnr_db
        ((_, _, sums),) = evaluator.local_errors([(kernel, gain.scheme)])
        assert gain.local_db == sums.sqnr_db
    assert all(g.output_db is None for g in compare_methods(evaluator, plan, [kernel], output=False))


def test_refining_gains_at_the_output_and_changes_only_what_it_may(made):
    net, evaluator = made
    ids = [k.id for k in net.tunable]
    plan = Plan({ids[0]: INT4, ids[1]: INT4, ids[2]: INT4, ids[3]: INT8})
    found = refine(evaluator, plan, ids[:1] + ids[2:])
    assert found.before_db == evaluator.evaluate(plan).output.sqnr_db
    assert found.after_db == evaluator.evaluate(found.plan).output.sqnr_db
    assert found.after_db > found.before_db + 1
    assert found.plan[ids[1]] == INT4
    assert set(found.changed) == set(found.plan.difference(plan)) <= {ids[0], ids[2], ids[3]}
    assert all(found.plan[k].rounded == plan[k] for k in ids)


def test_refining_what_can_t_gain_changes_nothing(made):
    net, evaluator = made
    plan = Plan(dict.fromkeys((k.id for k in net.tunable), FP16))
    found = refine(evaluator, plan, plan)
    assert found.plan == plan
    assert found.changed == ()
    only = Plan({net.kernels[1].id: INT8})
    assert refine(evaluator, only, only, names=("rtn",)).changed == ()


def test_refining_stops_when_asked(made):
    net, evaluator = made
    token = CancelToken()
    plan = Plan(dict.fromkeys((k.id for k in net.tunable), INT4))

    def stop(fraction, text):
        if fraction > 0.6:
            token.cancel()

    with pytest.raises(Cancelled):
        refine(evaluator, plan, plan, progress=stop, cancel=token)
