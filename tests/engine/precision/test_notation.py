"""Schemes as people write them."""

from itertools import product

import pytest

from engine.errors import PlanError
from engine.precision import preset
from engine.precision.notation import READY, code, name_of, read_scheme, read_schemes
from engine.precision.scheme import (
    BF16,
    BRAIN,
    FP16,
    FP32,
    HALF,
    INT4,
    INT8,
    PRESETS,
    W8A16,
    ActivationFormat,
    Scheme,
    WeightFormat,
)

WEIGHTS = [
    *(
        WeightFormat(bits, False, symmetric, grain, size)
        for bits, symmetric, (grain, size) in product(
            (2, 3, 4, 8, 16), (True, False), (("tensor", 0), ("channel", 0), ("group", 48))
        )
    ),
    FP16.weights,
    BF16.weights,
]
ACTIVATIONS = [
    HALF,
    BRAIN,
    FP32.activations,
    *(
        ActivationFormat(bits, symmetric=symmetric, static=static)
        for bits, symmetric, static in product((4, 8, 16), (True, False), (True, False))
        if static or bits > 4
    ),
]


def test_every_scheme_is_read_back_from_its_name_and_has_one_of_its_own():
    every = [Scheme(weights, activations) for weights, activations in product(WEIGHTS, ACTIVATIONS)]
    for scheme in every:
        for text in (code(scheme), name_of(scheme), code(scheme).replace(" ", ":").lower()):
            assert read_scheme(text) == scheme, text
    assert len({code(scheme) for scheme in every}) == len(every)


def test_short_names_are_those_of_presets():
    assert [name_of(scheme) for scheme in (INT4, INT8, FP16, BF16, W8A16)] == ["INT4", "INT8", "FP16", "BF16", "W8A16"]
    assert code(INT8) == "W8A8 channel"
    assert BF16 in READY


def test_what_is_unusual_is_said():
    assert read_scheme("W3A16:group64").weights == WeightFormat(3, symmetric=False, granularity="group", group=64)
    assert read_scheme("int8:tensor:dynamic") == Scheme(
        WeightFormat(8, granularity="tensor"), ActivationFormat(8, static=False)
    )
    assert code(read_scheme("w8ai16 symmetric-activations")) == "W8AI16 channel symmetric-activations"


def test_a_list_names_each_scheme_once():
    assert read_schemes("bf16, INT8,W8A8:channel,") == (BF16, INT8)


@pytest.mark.parametrize("text", ["", "int5", "w5a8", "w3a16:group0", "w3a16:group9999", "fp16:tensor", "w4a4:dynamic"])
def test_what_is_no_scheme_is_refused_by_a_sentence(text):
    with pytest.raises(PlanError, match="scheme"):
        read_scheme(text)


def test_a_written_scheme_is_a_preset(cnn):
    plan = preset(cnn, "wi16ai16")
    assert set(plan.values()) == {Scheme(WeightFormat(16), ActivationFormat(16))}
    assert set(plan) == {kernel.id for kernel in cnn.tunable}
    assert set(PRESETS.values()) >= set(preset(cnn, "bf16").values())
