"""The preflight tells of weights that a format can't hold, and of channels that compute nothing."""

from __future__ import annotations

import numpy as np
from handmade import samples_like, small_net

from engine.interop.preflight import Facts, preflight
from engine.npu import load_device
from engine.numerics import calibrate
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT8


def findings(scheme, spoil) -> dict[str, object]:
    net, inputs = small_net()
    spoil(net.kernels[0].constants["w0"])
    ranges = calibrate(net, samples_like(inputs, 2))
    plan = Plan({k.id: scheme for k in net.tunable})
    found = preflight(Facts(net, plan, load_device("kirin9030"), ranges=ranges))
    return {f.code: f for f in found if f.code in ("odd-weights", "zero-channels")}


def test_ordinary_weights_say_nothing():
    assert findings(INT8, lambda w: None) == {}


def test_zero_channels_are_only_information():
    def spoil(w):
        w[:2] = 0

    found = findings(INT8, spoil)
    assert found["zero-channels"].severity == "info"
    assert "2 of 16 channels are all zeros" in str(found["zero-channels"].detail)


def test_nan_is_an_error_in_every_format_and_large_weights_in_half():
    def nan(w):
        w[3, 0, 0, 0] = np.nan

    def large(w):
        w[3, 0, 0, 0] = 1e6

    for scheme in (INT8, FP16):
        assert findings(scheme, nan)["odd-weights"].severity == "error"
    assert findings(INT8, large) == {}
    assert "1 weight is beyond 65504" in str(findings(FP16, large)["odd-weights"].detail)
