"""Preview = emulated kernel = exported file on ONNX Runtime, for every kind of kernel with weights and every format."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from math import prod
from pathlib import Path

import numpy as np
import pytest
from build import N, model, save
from handmade import run_whole
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.fusion import fuse
from engine.graph import load
from engine.interop.qdq import export_qdq
from engine.npu.emulate import why_not
from engine.numerics import Evaluator, calibrate
from engine.numerics.samples import SampleSet
from engine.numerics.synthetic import synthetic_samples
from engine.precision import Plan
from engine.precision.scheme import (
    BF16,
    BRAIN,
    FP16,
    FP32,
    HALF,
    INT4,
    INT8,
    ActivationFormat,
    Scheme,
    WeightFormat,
    label,
)
from engine.session.emulating import emulated_output
from engine.session.on_device import device_output

LEAST_DB = 60
FULL = FP32.activations
WHOLE = [ActivationFormat(b, symmetric=s, static=d) for b in (8, 16) for s in (False, True) for d in (False, True)]
ACTIVATIONS = [HALF, BRAIN, FULL, *WHOLE, ActivationFormat(4), ActivationFormat(4, symmetric=True)]
FLOATS = [FP16.weights, BF16.weights]


@dataclass
class Case:
    """One node from x (or rows i of a table) to y, and the constants it reads."""

    op: str
    shape: tuple[int, ...]
    constants: dict[str, tuple[int, ...]]
    attributes: dict = field(default_factory=dict)
    reads: tuple[str, ...] = ()
    rows: int = 0
    """Of a table."""


@st.composite
def convolution(draw):
    axes, group = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    inputs, outputs = group * draw(st.integers(1, 5)), group * draw(st.integers(1, 4))
    if draw(st.booleans()):
        group = outputs = inputs  # depthwise
    window = tuple(draw(st.integers(1, 3)) for _ in range(axes))
    attributes = {"group": group, "strides": [draw(st.integers(1, 2)) for _ in window],
                  "dilations": [draw(st.integers(1, 2)) for _ in window]}  # fmt: skip
    if draw(st.booleans()):
        attributes["pads"] = [draw(st.integers(0, 2)) for _ in range(2 * axes)]
    size = tuple(draw(st.integers(6, 9)) for _ in window)
    constants = {"w": (outputs, inputs // group, *window)} | ({"b": (outputs,)} if draw(st.booleans()) else {})
    return Case("Conv", (draw(st.integers(1, 2)), inputs, *size), constants, attributes)


@st.composite
def transposed(draw):
    axes, group = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    inputs, each = group * draw(st.integers(1, 4)), draw(st.integers(1, 4))
    if draw(st.integers(0, 2)) == 0:
        group = inputs  # each input channel by itself
    window = tuple(draw(st.integers(1, 4)) for _ in range(axes))
    strides, dilations = ([draw(st.integers(1, 3)) for _ in window] for _ in range(2))
    attributes = {"group": group, "strides": strides, "dilations": dilations}
    way = draw(st.sampled_from(["none", "pads", "upper", "lower", "shape"]))
    size = tuple(draw(st.integers(4, 6)) for _ in window)
    whole = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(size, strides, window, dilations, strict=True)]
    if way == "pads":
        attributes["pads"] = [draw(st.integers(0, 1)) for _ in range(2 * axes)]
        attributes["output_padding"] = [draw(st.integers(0, s - 1)) for s in strides]
    elif way == "shape":
        attributes["output_shape"] = [
            draw(st.integers(min(max(n - 3, i), n), n)) for n, i in zip(whole, size, strict=True)
        ]
    elif way != "none" and all(w >= n * s for w, n, s in zip(whole, size, strides, strict=True)):
        attributes["auto_pad"] = f"SAME_{way.upper()}"
    constants = {"w": (inputs, each, *window)} | ({"b": (each * group,)} if draw(st.booleans()) else {})
    return Case("ConvTranspose", (draw(st.integers(1, 2)), inputs, *size), constants, attributes)


@st.composite
def gemm(draw):
    m, k, n = draw(st.integers(1, 5)), draw(st.integers(2, 70)), draw(st.integers(2, 9))
    left, turned_a, turned_b = draw(st.booleans()), draw(st.integers(0, 1)), draw(st.integers(0, 1))
    a, b = ((k, m) if turned_a else (m, k)), ((n, k) if turned_b else (k, n))
    attributes = {"transA": turned_a, "transB": turned_b}
    if draw(st.booleans()):
        attributes |= {"alpha": draw(st.sampled_from([0.5, 1.7])), "beta": draw(st.sampled_from([1.0, 0.3]))}
    addend = draw(st.sampled_from([None, (n,), (1, n), (m, n), (1,)]))
    constants = {"w": a if left else b} | ({"b": addend} if addend else {})
    reads = (("w", "x") if left else ("x", "w")) + (("b",) if addend else ())
    return Case("Gemm", b if left else a, constants, attributes, reads)


@st.composite
def matmul(draw):
    m, k, n = draw(st.integers(1, 5)), draw(st.integers(2, 70)), draw(st.integers(2, 6))
    own, other = draw(st.sampled_from([
        ((), ()), ((), (2, 3)), ((3,), ()), ((3,), (3,)), ((2, 1), (3,)), ((1, 3), (2, 1)), ((1,), (2, 2)),
        ((2, 3), (2, 3)),
    ]))  # fmt: skip
    if draw(st.booleans()):
        return Case("MatMul", (*other, k, n), {"w": (*own, m, k)}, reads=("w", "x"))
    if draw(st.integers(0, 4)) == 0:
        return Case("MatMul", (k,), {"w": (*own, k, n)})
    return Case("MatMul", (*other, m, k), {"w": (*own, k, n)})


@st.composite
def einsum(draw):
    equation, shape, weight = draw(st.sampled_from([
        ("bhk,hkn->bnh", (3, 4, 9), (4, 9, 5)), ("bk,nk->bn", (3, 17), (6, 17)),
        ("bijk,jkn->bin", (2, 3, 4, 5), (4, 5, 7)),
        ("bhk,hk->bh", (3, 4, 9), (4, 9)), ("kb,nk->nb", (17, 3), (6, 17)), ("bk,kn", (3, 17), (17, 4)),
    ]))  # fmt: skip
    return Case("Einsum", shape, {"w": weight}, {"equation": equation})


@st.composite
def table(draw):
    rows = draw(st.integers(2, 20))
    shape = tuple(draw(st.lists(st.integers(1, 4), max_size=2)))
    return Case(
        "Gather", shape, {"w": (rows, *draw(st.sampled_from([(7,), (40,), (3, 20)])))}, reads=("w", "x"), rows=rows
    )


@st.composite
def recurrent(draw):
    op, both = draw(st.sampled_from(["LSTM", "GRU", "RNN"])), draw(st.booleans())
    hidden, width, d = draw(st.integers(1, 6)), draw(st.integers(2, 40)), 2 if both else 1
    rows = {"LSTM": 4, "GRU": 3, "RNN": 1}[op] * hidden
    attributes = {
        "hidden_size": hidden,
        "direction": "bidirectional" if both else draw(st.sampled_from(["forward", "reverse"])),
    }
    if op == "GRU":
        attributes["linear_before_reset"] = draw(st.integers(0, 1))
    constants = {"w": (d, rows, width), "r": (d, rows, hidden)} | ({"b": (d, 2 * rows)} if draw(st.booleans()) else {})
    return Case(op, (draw(st.integers(1, 5)), draw(st.integers(1, 2)), width), constants, attributes)


CASES = {"conv": convolution(), "transposed": transposed(), "gemm": gemm(), "matmul": matmul(), "einsum": einsum(),
         "table": table(), "recurrent": recurrent()}  # fmt: skip

integers = st.builds(
    lambda bits, symmetric, grain, group: WeightFormat(bits, False, symmetric, grain, group if grain == "group" else 0),
    st.sampled_from([2, 3, 4, 8, 16]), st.booleans(), st.sampled_from(["tensor", "channel", "group"]),
    st.sampled_from([1, 3, 8, 32]),
)  # fmt: skip
schemes = st.builds(Scheme, st.one_of(integers, integers, st.sampled_from(FLOATS)), st.sampled_from(ACTIVATIONS))


@dataclass
class Found:
    preview: np.ndarray
    emulated: np.ndarray
    file: np.ndarray
    least: float
    """Power of a value below which a result has cancelled: noise is that of the products, not of their sum."""
    brain: bool

    @property
    def worst_db(self) -> float:
        pairs = ((self.preview, self.emulated), (self.emulated, self.file), (self.preview, self.file))
        return min(self._db(*pair) for pair in pairs)

    def _db(self, wanted: np.ndarray, result: np.ndarray) -> float:
        assert wanted.shape == result.shape
        noise = ((wanted.astype(np.float64) - result) ** 2).sum()
        if self.brain and wanted.size < 256:  # of few values one may be rounded to its neighbour, 48 dB below it
            noise -= (2.0**-7 * np.abs(wanted).max(initial=0.0)) ** 2
        power = max((wanted.astype(np.float64) ** 2).sum(), self.least * wanted.size)
        return 10 * np.log10(power / noise) if noise > 0 else np.inf


def network(case: Case, seed: int, folder):
    rng = np.random.default_rng(seed)
    size = 0.3 if "r" in case.constants else 1.0  # gates that are not all open or shut
    constants = {name: (rng.standard_normal(shape) * (size if name == "w" else 0.4)).astype(np.float32)
                 for name, shape in case.constants.items()}  # fmt: skip
    if rng.integers(3) == 0:
        constants["w"] += np.float32(
            size * rng.choice([-1.0, 1.0])
        )  # weights of mostly one sign: zero points near an end
    node = N(case.op, case.reads or ("x", *case.constants), ["h"], "/layer", **case.attributes)
    spec = (np.int64, case.shape) if case.rows else case.shape
    return fuse(load(save(model([node], {"x": spec}, ["h"], constants, opset=21), folder)))


def inputs(case: Case, seed: int, lift: float) -> SampleSet:
    rng = np.random.default_rng(seed + 1)
    if case.rows:
        made = [rng.integers(-case.rows, case.rows, case.shape) for _ in range(2)]
    else:
        made = [(rng.standard_normal(case.shape) + lift).astype(np.float32) for _ in range(2)]
    return SampleSet([{"x": values} for values in made], "tests")


def found(net, samples: SampleSet, scheme: Scheme, folder) -> Found:
    ranges = calibrate(net, samples)
    (kernel,) = net.kernels
    plan, feeds = Plan({kernel.id: scheme}), samples.feeds[0]
    evaluator = Evaluator(net, samples, ranges=ranges)
    try:
        preview = evaluator.output(plan)[0]["h"]
    finally:
        evaluator.close()
    export_qdq(net, plan, ranges, folder / "q.onnx")
    (result,) = run_whole(str(folder / "q.onnx"), dict(feeds))
    emulated = emulated_output(kernel, scheme, feeds, net, ranges)
    return Found(preview, emulated, result, least_power(kernel, feeds["x"]), scheme.activations.brain)


def least_power(kernel, x) -> float:
    """A tenth of what a value has where signs are at random; of a state, which lies in [-1, 1], a hundredth."""
    weight = kernel.constants[kernel.weight.constant].astype(np.float64)
    if x.dtype.kind != "f":
        return 0.0
    if kernel.more_weights:
        return 0.01
    products = prod(weight.shape[axis] for axis in kernel.weight.reduction_axes)
    return 0.1 * products * (weight**2).mean() * (x.astype(np.float64) ** 2).mean()


@pytest.mark.parametrize("kind", CASES)
@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_preview_emulated_kernel_and_file_agree(tmp_path_factory, kind, data):
    case, scheme = data.draw(CASES[kind]), data.draw(schemes)
    seed, lift = data.draw(st.integers(0, 1000)), data.draw(st.sampled_from([0.0, 3.0, -3.0, 0.5]))
    folder = tmp_path_factory.mktemp("emulated")
    net, samples = network(case, seed, folder), inputs(case, seed, lift)
    if why_not(net.kernels[0], scheme) is not None:
        assert scheme.activations == BRAIN
        assert scheme.weights.bits == 16
        return
    assert found(net, samples, scheme, folder).worst_db >= LEAST_DB


GROUPS = WeightFormat(8, symmetric=False, granularity="group", group=8)
STATIC = ActivationFormat(8)
SIXTEEN = Scheme(WeightFormat(16), ActivationFormat(16, symmetric=True))
BY_TURNS = Case("ConvTranspose", (1, 6, 5, 5), {"w": (6, 3, 3, 3), "b": (9,)}, {"group": 3, "strides": [2, 2]})
OWN = Case("ConvTranspose", (1, 4, 5), {"w": (4, 3, 5)}, {"group": 4})
PRODUCT = Case("MatMul", (3, 4, 40), {"w": (40, 6)})
WIDE = Case("MatMul", (12, 4, 40), {"w": (40, 40)})
STACK = Case("MatMul", (3, 4, 40), {"w": (3, 40, 6)})
LEFT = Case("Gemm", (40, 5), {"w": (6, 40), "b": (6, 1)}, {"beta": 0.5}, ("w", "x", "b"))
ROWS = Case("Gather", (9,), {"w": (12, 40)}, reads=("w", "x"), rows=12)
STEPS = Case("LSTM", (5, 1, 20), {"w": (2, 24, 20), "r": (2, 24, 6), "b": (2, 48)},
             {"hidden_size": 6, "direction": "bidirectional"})  # fmt: skip
INDICES = Case("Einsum", (3, 4, 9), {"w": (4, 9, 5)}, {"equation": "bhk,hkn->bnh"})
EMULATE, SESSION = "engine.npu.emulate.", "engine.session.emulating."


def off_by_one(real):
    return lambda *given: real(*given) + 1


def floored(_):
    return lambda x, params, form: np.clip(
        np.floor(x / np.float32(params.scale)) + params.zero_point, 0, 2**form.bits - 1
    ).astype(np.int32)


def wrapped(real):
    return lambda a, b: ((real(a, b) + 2.0**31) % 2.0**32) - 2.0**31


def turned_again(real):
    return lambda values, shape: real(values, shape)[..., ::-1]


def from_nothing(real):
    return lambda offset, count, group: real(0, count, group)


def backwards(real):
    return lambda *given: real(*given)[::-1]


def halved(_):
    return lambda values, form: values.astype(np.float16).astype(np.float32)


def codes_alone(_):
    from engine.npu.packed import stored_codes

    return lambda packed, weight, dtype=np.float64: stored_codes(packed, weight).astype(dtype)


def high_first(_):
    from engine.quant.packing import pack_int4

    return lambda codes, bits: pack_int4(codes, low_first=False)


def rolled(real):
    return lambda *given: np.roll(real(*given), 1, axis=-1)


def nothing_added(_):
    return lambda self, shaped, sums: sums


FAULTS = {
    "zero points of weights": (PRODUCT, Scheme(GROUPS, STATIC), EMULATE + "unpack", codes_alone),
    "zero points of weights beside BF16": (PRODUCT, Scheme(GROUPS, BRAIN), EMULATE + "unpack", codes_alone),
    "a code too high": (PRODUCT, INT8, EMULATE + "quantize_activation", off_by_one),
    "rounded down": (PRODUCT, INT8, EMULATE + "quantize_activation", floored),
    "the other nibble first": (PRODUCT, INT4, "engine.npu.packed.pack_codes", high_first),
    "scales of the next group": (PRODUCT, INT4, "engine.npu.packed._by_column", rolled),
    "sums of INT16 in 32 bits": (PRODUCT, SIXTEEN, EMULATE + "multiply_plain", wrapped),
    "taps in their own order": (BY_TURNS, INT8, "engine.npu.operand.spread", turned_again),
    "groups of weights that start anew": (BY_TURNS, Scheme(GROUPS, STATIC), "engine.npu.sums._segments", from_nothing),
    "channels that start anew": (OWN, Scheme(GROUPS, STATIC), "engine.npu.sums._segments", from_nothing),
    "another matrix": (STACK, INT8, "engine.npu.operand._Product.weights", None),
    "another index": (INDICES, INT8, "engine.npu.operand._Einsum.weights", None),
    "what a Gemm adds": (LEFT, INT8, EMULATE + "AnchorBias.added", nothing_added),
    "another row": (ROWS, INT8, EMULATE + "looked_up", backwards),
    "scales of another group of a row": (ROWS, INT4, "engine.npu.packed._by_column", rolled),
    "the other direction": (STEPS, INT8, "engine.npu.operand._Steps.output", None),
    "weights of the state": (STEPS, INT8, SESSION + "real_values", backwards),
    "BF16 as FP16": (WIDE, BF16, SESSION + "to_activation", halved),
}  # fmt: skip


def test_what_is_no_bias_of_the_weights_channels_is_not_rounded(tmp_path):
    case = Case("Gemm", (2, 2), {"w": (3, 2), "b": (2,)}, {}, ("w", "x", "b"))
    scheme = Scheme(WeightFormat(2, symmetric=False, granularity="tensor"), ActivationFormat(8, symmetric=True))
    net, samples = network(case, 0, tmp_path), inputs(case, 0, 0.0)
    assert found(net, samples, scheme, tmp_path).worst_db >= 100


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_of_a_kernel_shows(fault, monkeypatch, tmp_path):
    case, scheme, place, wrong = FAULTS[fault]
    net, samples = network(case, 2, tmp_path), inputs(case, 2, 0.5)
    assert found(net, samples, scheme, tmp_path).worst_db >= LEAST_DB
    real = resolved(place)
    axis = -3 if "weights" in place else -1
    shifted = lambda self, *given: np.roll(real(self, *given), 1, axis=axis)
    monkeypatch.setattr(place, shifted if wrong is None else wrong(real))
    assert found(net, samples, scheme, tmp_path).worst_db < LEAST_DB


def resolved(place: str):
    """The function behind a dotted path of a module, and perhaps a class in it."""
    import importlib

    module, _, name = place.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError:
        outer, _, owner = module.rpartition(".")
        return getattr(getattr(importlib.import_module(outer), owner), name)


@pytest.mark.parametrize("case", [BY_TURNS, OWN, STACK, LEFT, ROWS, STEPS, INDICES], ids=lambda case: case.op)
@pytest.mark.parametrize("scheme", [INT8, INT4, SIXTEEN], ids=label)
def test_the_device_runs_each_kind_to_the_bits_of_the_emulated_kernel(case, scheme, tmp_path):
    net, samples = network(case, 2, tmp_path), inputs(case, 2, 0.5)
    ranges, (kernel,), feeds = calibrate(net, samples), net.kernels, samples.feeds[0]
    ran = device_output(kernel, scheme, feeds, net, ranges, "ascend")
    plain = emulated_output(kernel, scheme, feeds, net, ranges)
    if scheme == INT4:  # floats, added up in another order
        assert np.abs(ran.values - plain).max() <= 2e-3 * np.abs(plain).max()
    else:
        np.testing.assert_array_equal(ran.values, plain)
    words = "64 bits" if scheme == SIXTEEN else "FRACTAL_NZ"
    assert ("packed table" if case.rows else words) in str(ran.words)


SAMPLES = Path(__file__).resolve().parents[3] / "sample_models"
THREE = Scheme(WeightFormat(3, symmetric=False, granularity="group", group=32), STATIC)


@pytest.mark.parametrize(("name", "shapes"), [
    ("mobile_vision_encoder", {"image": (1, 3, 32, 32)}), ("swiglu_decoder", {"input_ids": (1, 17)}),
])  # fmt: skip
@pytest.mark.parametrize("scheme", [INT8, INT4, FP16, BF16, SIXTEEN, THREE], ids=label)
def test_every_kernel_of_a_trained_model_agrees(name, shapes, scheme):
    net = fuse(load(SAMPLES / name / f"{name}.onnx", shapes=shapes))
    samples = synthetic_samples(net.graph, 1)
    ranges = calibrate(net, samples)
    with closing(Evaluator(net, samples, ranges=ranges)) as evaluator:
        for kernel in net.tunable:
            kept = evaluator.capture(kernel.id, Plan({kernel.id: scheme}), 0)
            values = emulated_output(kernel, scheme, dict(kept.result_inputs), net, ranges)
            noise = ((kept.result - values).astype(np.float64) ** 2).sum()
            assert noise <= 1e-6 * (kept.result.astype(np.float64) ** 2).sum(), kernel.name
