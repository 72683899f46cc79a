"""MatMulNBits: what is seen is what ONNX Runtime's own packed kernel computes."""

from __future__ import annotations

import numpy as np
import onnx
from handmade import run_whole, samples_like
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds import gemm, matmul

from engine.interop.handover import Extras
from engine.interop.targets import target
from engine.numerics import Evaluator, calibrate
from engine.precision.plan import Plan
from engine.precision.scheme import HALF, INT4, ActivationFormat, Scheme, WeightFormat


def db(result, reference):
    noise = np.sum((result.astype(np.float64) - reference) ** 2)
    return np.inf if noise == 0 else 10 * np.log10(np.sum(reference.astype(np.float64) ** 2) / noise)


def written(net, inputs, scheme, path):
    """SQNR of the file against the preview of the plan as it runs, and the nodes of the file."""
    samples = samples_like(inputs, 2)
    ranges = calibrate(net, samples)
    plan = Plan({k.id: scheme for k in net.tunable})
    made = target("matmul_nbits").export(net, plan, ranges, path, extras=Extras())
    evaluator = Evaluator(net, samples, ranges=ranges)
    try:
        previews = evaluator.output(made.handover.effective_plan)
    finally:
        evaluator.close()
    results = [run_whole(str(path), feeds)[0] for feeds in samples.feeds]
    worst = min(db(result, preview["y"]) for result, preview in zip(results, previews, strict=True))
    return worst, onnx.load(path).graph.node


@given(
    kind=st.sampled_from(["matmul", "gemm", "gemm untransposed"]),
    bits=st.sampled_from([4, 8]),
    symmetric=st.booleans(),
    group=st.sampled_from([16, 20, 32, 64, 128]),
    activation=st.sampled_from([HALF, ActivationFormat(8)]),
    k=st.integers(17, 150),
    n=st.integers(1, 9),
)
@settings(max_examples=50, deadline=None)
def test_any_grouped_product(tmp_path_factory, kind, bits, symmetric, group, activation, k, n):
    rng = np.random.default_rng(k)
    net, inputs = (
        matmul(rng, 17, k=k, n=n) if kind == "matmul" else gemm(rng, 17, k=k, trans=int(kind == "gemm"))
    )  # fmt: skip
    form = WeightFormat(bits, symmetric=symmetric, granularity="group", group=group)
    worst, nodes = written(net, inputs, Scheme(form, activation), tmp_path_factory.mktemp("n") / "m.onnx")
    assert worst >= 60
    size = {16: 16, 20: 16, 32: 32, 64: 64, 128: 128}[group]
    packed = [node for node in nodes if node.op_type == "MatMulNBits"]
    assert len(packed) == (k > size)  # one group that is shorter than its size is a scale per channel
    for node in packed:
        given_ = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        assert (given_["K"], given_["bits"], given_["block_size"], given_["accuracy_level"]) == (k, bits, size, 1)


def test_factors_keep_the_plain_spelling(tmp_path):
    net, inputs = gemm(np.random.default_rng(0), 17, factors=True)
    worst, nodes = written(net, inputs, INT4, tmp_path / "m.onnx")
    assert worst >= 60
    assert "MatMulNBits" not in {node.op_type for node in nodes}
