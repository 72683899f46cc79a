"""A kernel with odd weights has a flag in its row that says why."""

from __future__ import annotations

from dataclasses import replace

from engine.precision.scheme import FP16, INT8
from engine.quant.oddities import Oddities
from gui.i18n import text as translated
from gui.views.layers_flags import flags_of
from gui.views.layers_rows import rows_of, shape_of


def test_odd_weights_are_flagged(session):
    first, second = (k.id for k in session.network.tunable[:2])
    odd = {first: Oddities(beyond_half=3, channels=8), second: Oddities(zero_channels=2, channels=8)}
    session.ranges = replace(session.ranges, odd=odd)
    session.plan = session.plan.with_schemes({first: FP16})
    rows = rows_of(session, shape_of(session.network))
    at = [k.id for k in session.network.kernels].index
    (flag,) = [f for f in flags_of(rows, at(first)) if f.short == "odd weights"]
    assert flag.token == "warn"
    assert "3 weights are beyond 65504" in translated(flag.reason)
    session.plan = session.plan.with_schemes({first: INT8})
    (fits,) = [f for f in flags_of(rows_of(session, shape_of(session.network)), at(first)) if f.short == "odd weights"]
    assert fits.token == "muted"
    (quiet,) = [f for f in flags_of(rows, at(second)) if f.short == "odd weights"]
    assert quiet.token == "muted"
    assert "2 of 8 channels" in translated(quiet.reason)
