"""Encodings: their numbers give the rounded tensors back, and any of the versions gives a plan."""

from __future__ import annotations

import json

import numpy as np
import pytest
from kinds import matmul

from engine.errors import PlanError
from engine.interop.aimet_read import decode_encodings, plan_of_encodings
from engine.interop.targets import target
from engine.numerics import calibrate, synthetic_samples
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, FP32, HALF, INT8, ActivationFormat, Scheme, WeightFormat
from engine.quant import quantize_weight
from engine.quant.ranges import activation_params

GROUPED = Scheme(WeightFormat(4, symmetric=False, granularity="group", group=16), HALF)


def rounded(values, entry, scale, offset):
    """What the definition of an encoding makes of values: codes count from 0."""
    codes = np.clip(np.rint(values / scale) - offset, 0, 2 ** entry["bw"] - 1)
    return (codes + offset) * scale


def test_weights_and_activations_by_the_definition(case, tmp_path):
    plan = case.with_plan(INT8, FP16, Scheme(WeightFormat(8, symmetric=False), ActivationFormat(16)), FP32)
    plan.export("aimet", tmp_path / "x.encodings")
    found = json.loads((tmp_path / "x.encodings").read_text())
    parameters = {entry["name"]: entry for entry in found["param_encodings"]}
    activations = {entry["name"]: entry for entry in found["activation_encodings"]}
    for kernel in (case.network.tunable[0], case.network.tunable[2]):
        entry, scheme = parameters[kernel.weight.origin], plan.plan[kernel.id]
        values = kernel.constants[kernel.weight.constant]
        scale, offset = (np.reshape(entry[key], (-1, 1, 1, 1)) for key in ("scale", "offset"))
        ours = quantize_weight(values, kernel.weight, scheme.weights).dequantize()
        np.testing.assert_allclose(rounded(values, entry, scale, offset), ours, rtol=1e-5, atol=1e-6)
    entry, known = activations["image"], case.ranges.ranges["image"]
    params = activation_params(known, INT8.activations)
    assert (entry["bw"], entry["is_sym"]) == (8, False)
    assert (entry["scale"], entry["offset"]) == ([params.scale], [-params.zero_point])
    assert parameters["dw.weight"]["dtype"] == "FLOAT"
    assert parameters["head.weight"]["bw"] == 32
    # What is not listed would get 8 bits.
    floats = {info.name for info in case.network.tensors.values() if info.dtype.kind == "f"}
    assert set(activations) == floats


def test_blocks_run_along_the_rows(tmp_path):
    net, _ = matmul(np.random.default_rng(0), 17, k=48, n=5)
    samples = synthetic_samples(net.graph, 1)
    made = target("aimet").export(net, Plan({net.kernels[0].id: GROUPED}), calibrate(net, samples), tmp_path / "x.json")
    assert not made.handover.changes
    (entry,) = [e for e in json.loads((tmp_path / "x.json").read_text())["param_encodings"] if e["name"] == "w"]
    assert (entry["enc_type"], entry["block_size"]) == ("PER_BLOCK", 16)
    kernel = net.kernels[0]
    values = kernel.constants["w"].T.reshape(5, 3, 16)  # (out, in-blocks, block)
    scale, offset = (np.reshape(entry[key], (5, 3, 1)) for key in ("scale", "offset"))
    ours = quantize_weight(kernel.constants["w"], kernel.weight, GROUPED.weights).dequantize()
    np.testing.assert_allclose(rounded(values, entry, scale, offset).reshape(5, 48).T, ours, rtol=1e-5, atol=1e-6)


def test_overrides_spell_ranges_and_leave_floats_out(case, tmp_path):
    case.with_plan(INT8, FP16).export("qnn", tmp_path / "x.json")
    found = json.loads((tmp_path / "x.json").read_text())
    first = found["param_encodings"]["stem.weight"][0]
    peak = np.abs(case.network.tunable[0].constants[case.network.tunable[0].weight.constant][0]).max()
    assert first["max"] == pytest.approx(peak, rel=1e-4)
    assert first["min"] == pytest.approx(-peak * 128 / 127, rel=1e-4)
    assert first["is_symmetric"] == "True"
    assert len(found["param_encodings"]["stem.weight"]) == 16
    assert found["param_encodings"]["dw.weight"] == [{"bitwidth": 16, "dtype": "float"}]
    assert "r1" not in found["activation_encodings"]


V1 = {
    "version": "1.0.0",
    "activation_encodings": [{"name": "image", "dtype": "INT", "bw": 16, "enc_type": "PER_TENSOR", "is_sym": True,
                              "scale": [0.1], "offset": [-32768]}],
    "param_encodings": [{"name": "stem.weight", "dtype": "INT", "bw": 8, "enc_type": "PER_CHANNEL", "is_sym": True,
                         "scale": [0.1] * 16, "offset": [-128] * 16},
                        {"name": "head.weight", "dtype": "INT", "bw": 4, "enc_type": "PER_BLOCK", "block_size": 16,
                         "is_sym": False, "scale": [0.1] * 20, "offset": [-8] * 20},
                        {"name": "elsewhere", "dtype": "FLOAT", "bw": 16}],
}  # fmt: skip
V06 = {
    "version": "0.6.1",
    "activation_encodings": {"image": [{"bitwidth": 16, "dtype": "int", "is_symmetric": "True", "scale": 0.1}]},
    "param_encodings": {"stem.weight": [{"bitwidth": 8, "dtype": "int", "is_symmetric": "True"}] * 16,
                        "head.weight": [{"bitwidth": 16, "dtype": "float"}],
                        "elsewhere": [{"bitwidth": 16, "dtype": "float"}]},
}  # fmt: skip
V2 = {
    "version": "2.0.0",
    "encodings": [{"name": "image", "output_dtype": "int16", "y_scale": 0.1},
                  {"name": "stem.weight", "output_dtype": "int8", "y_scale": [0.1] * 16, "axis": 0},
                  {"name": "head.weight", "output_dtype": "uint4", "y_scale": [[0.1, 0.1]] * 10, "axis": 1,
                   "block_size": 16, "y_zero_point": [[8, 7]] * 10},
                  {"name": "elsewhere", "output_dtype": "float16", "y_scale": 1.0}],
}  # fmt: skip


@pytest.mark.parametrize("document", [V1, V06, V2], ids=["1.0.0", "0.6.1", "2.0.0"])
def test_all_versions_are_read(case, document):
    found = plan_of_encodings(decode_encodings(json.dumps(document).encode(), "x"), case.network, Plan())
    by_name = {case.network.by_id(i).name: scheme for i, scheme in found.plan.items()}
    assert by_name["stem"] == Scheme(WeightFormat(8), ActivationFormat(16, symmetric=True))
    assert by_name["head"] == (FP16 if document is V06 else GROUPED)
    assert found.unmatched == ("elsewhere",)
    assert found.untouched == ("dw", "pw")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "is no encodings file"),
        ("{}", "has no member param_encodings"),
        ('{"param_encodings": {"stem.weight": []}}', "encoding of stem.weight makes no sense"),
        ('{"param_encodings": {"stem.weight": [{}]}}', "encoding of stem.weight makes no sense"),
        ('{"encodings": [{"name": "a", "output_dtype": "complex64", "y_scale": 1}]}', "encoding of a makes no sense"),
        ('{"param_encodings": {"stem.weight": [{"bitwidth": 7}]}}', "Weights of 7 bits, as stem.weight has them"),
        ('{"param_encodings": {"x": [{"bitwidth": 8}]}}', "none of its parameters is a weight of small_cnn.onnx"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(case, text, reason):
    with pytest.raises(PlanError) as refused:
        plan_of_encodings(decode_encodings(text.encode(), "x.json"), case.network, Plan())
    assert reason in str(refused.value)
