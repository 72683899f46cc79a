"""Nibbles against ONNX's own packing; sizes counted byte by byte."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnx
import pytest
from handmade import small_net
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from engine.fusion.types import Weight
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, FP32, INT4, INT8, WeightFormat
from engine.quant import pack_codes, pack_int4, plan_bytes, quantize_weight, unpack_codes, unpack_int4, weight_bytes

SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, max_side=7)


@given(hnp.arrays(np.int8, SHAPES, elements=st.integers(-8, 7)))
def test_packing_is_that_of_onnx(codes):
    packed = pack_int4(codes)
    wanted = onnx.helper.make_tensor("t", onnx.TensorProto.INT4, codes.shape, codes.reshape(-1).tolist())
    np.testing.assert_array_equal(onnx.numpy_helper.to_array(wanted).astype(np.int8), codes)
    raw = onnx.TensorProto(data_type=onnx.TensorProto.INT4, dims=codes.shape, raw_data=packed.tobytes())
    np.testing.assert_array_equal(onnx.numpy_helper.to_array(raw).astype(np.int8), codes)
    np.testing.assert_array_equal(unpack_int4(packed, codes.shape), codes)


@given(hnp.arrays(np.uint8, SHAPES, elements=st.integers(0, 15)))
def test_unsigned_codes_and_the_opposite_order_come_back(codes):
    for low_first in (True, False):
        packed = pack_int4(codes, low_first=low_first)
        np.testing.assert_array_equal(unpack_int4(packed, codes.shape, signed=False, low_first=low_first), codes)


@given(
    shape=hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=7),
    bits=st.sampled_from([2, 3, 4, 5, 8]),
    signed=st.booleans(),
    data=st.data(),
)
def test_codes_of_any_width_come_back_from_as_many_bytes_as_they_need(shape, bits, signed, data):
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    codes = data.draw(hnp.arrays(np.int8 if signed else np.uint8, shape, elements=st.integers(low, high)))
    packed = pack_codes(codes, bits)
    assert packed.nbytes == -(-codes.size * bits // 8)
    found = unpack_codes(packed, codes.shape, bits, signed=signed)
    assert found.dtype == codes.dtype
    np.testing.assert_array_equal(found, codes)
    # By the book: bit b of code i is bit i * bits + b of one long number.
    number = int.from_bytes(packed.tobytes(), "little")
    wanted = sum((int(code) & (2**bits - 1)) << (at * bits) for at, code in enumerate(codes.reshape(-1)))
    assert number == wanted


@given(hnp.arrays(np.int8, SHAPES, elements=st.integers(-8, 7)))
def test_four_bits_are_packed_alike_by_both(codes):
    np.testing.assert_array_equal(pack_codes(codes, 4), pack_int4(codes))


@given(hnp.arrays(np.int8, SHAPES, elements=st.integers(-2, 1)))
def test_two_bits_are_those_of_onnx(codes):
    packed = pack_codes(codes, 2)
    raw = onnx.TensorProto(data_type=onnx.TensorProto.INT2, dims=codes.shape, raw_data=packed.tobytes())
    np.testing.assert_array_equal(onnx.numpy_helper.to_array(raw).astype(np.int8), codes)


@given(
    channels=st.integers(1, 5),
    reduction=st.integers(1, 75),
    bits=st.sampled_from([2, 3, 4]),
    group=st.sampled_from([16, 32, 48]),
    symmetric=st.booleans(),
    grain=st.sampled_from(["tensor", "channel", "group"]),
)
def test_a_weight_of_any_shape_takes_its_packed_bytes_and_no_more(channels, reduction, bits, group, symmetric, grain):
    array = np.random.default_rng(reduction).standard_normal((channels, reduction)).astype(np.float32)
    weight = Weight("w", "w", array.shape, (0,), (1,), "x", "")
    form = WeightFormat(bits, symmetric=symmetric, granularity=grain, group=group if grain == "group" else 0)
    made = quantize_weight(array, weight, form)
    parts = [pack_codes(made.codes, bits).nbytes, 2 * made.scales.size]
    parts += [] if symmetric else [pack_codes(made.zero_points, bits).nbytes]
    assert sum(parts) == weight_bytes(weight, form) == made.nbytes
    back = unpack_codes(pack_codes(made.codes, bits), made.codes.shape, bits)
    np.testing.assert_array_equal(back, made.codes)


def test_impossible_packings_are_refused():
    for bits in (0, 9):
        with pytest.raises(ValueError, match="can't be packed"):
            pack_codes(np.zeros(3, np.int8), bits)
        with pytest.raises(ValueError, match="can't be packed"):
            unpack_codes(np.zeros(3, np.uint8), (3,), bits)
    with pytest.raises(ValueError, match="3 codes of 3 bits need 2 bytes, got 3"):
        unpack_codes(np.zeros(3, np.uint8), (3,), 3)


def test_the_even_element_sits_low():
    assert pack_int4(np.array([1, -2, 3])).tolist() == [0xE1, 0x03]
    assert pack_int4(np.array([1, -2, 3]), low_first=False).tolist() == [0x1E, 0x30]
    with pytest.raises(ValueError, match="need 2 bytes"):
        unpack_int4(np.zeros(3, np.uint8), (3,))


@pytest.mark.parametrize(
    ("form", "size"),
    [
        (INT4.weights, 12 * 100 // 2 + 12 * 4 * 2 + 12 * 4 // 2),
        (replace(INT4.weights, symmetric=True), 600 + 96),
        (INT8.weights, 1200 + 12 * 4),
        (WeightFormat(8, symmetric=False, granularity="tensor"), 1200 + 4 + 1),
        (WeightFormat(3, symmetric=False, granularity="group", group=16), 450 + 12 * 7 * 2 + 32),
        (WeightFormat(2), 300 + 24),
        (FP16.weights, 2400),
        (FP32.weights, 4800),
    ],
)
def test_bytes_of_a_weight(form, size):
    array = np.ones((12, 4, 5, 5), np.float32)
    weight = Weight("w", "w", array.shape, (0,), (1, 2, 3), "x", "")
    assert weight_bytes(weight, form) == size
    assert quantize_weight(array, weight, form).nbytes == size


def test_int4_costs_20_bits_per_32_weights_beside_the_codes():
    weight = Weight("w", "w", (64, 64), (0,), (1,), "x", "")
    assert (weight_bytes(weight, INT4.weights) - 64 * 64 // 2) * 8 == 64 * 2 * 20


def test_bytes_of_a_plan():
    net, _ = small_net()
    k = [kernel.id for kernel in net.kernels]
    sizes = {"w0": 432, "b0": 16, "w1": 144, "w2": 256, "b2": 16, "w4": 160, "b4": 10}
    plain = plan_bytes(net, Plan())
    assert plain.total == 4 * sum(sizes.values())
    assert dict(plain.by_family) == {"FP32": plain.total, "other": 0}
    mixed = plan_bytes(net, Plan({k[0]: INT8, k[1]: INT4, k[4]: FP16}))
    assert mixed.per_kernel == {
        k[0]: 432 + 16 * 4 + 16 * 4,
        k[1]: 72 + 16 * 2 + 8,
        k[2]: 4 * (256 + 16),
        k[3]: 0,
        k[4]: 2 * (160 + 10),
    }
    assert mixed.by_family["INT4"] == 112
    assert sum(mixed.by_family.values()) == mixed.total == sum(mixed.per_kernel.values())


def test_tied_weights_count_once_per_format():
    net, _ = small_net()
    twin = replace(net.kernels[4], id="twin", index=5, outputs=("y2",))
    tied = replace(net, kernels=(*net.kernels, twin))
    first = net.kernels[4].id
    both = plan_bytes(tied, Plan({first: INT8, "twin": INT8}))
    apart = plan_bytes(tied, Plan({first: INT8, "twin": FP16}))
    assert both.per_kernel["twin"] == 0
    assert apart.per_kernel["twin"] == 2 * 170
    assert both.per_kernel[first] == apart.per_kernel[first] == 160 + 40 + 40


def test_weights_in_bodies_count():
    table = onnx.numpy_helper.from_array(np.ones((5, 8), np.float32), "c")
    constant = onnx.helper.make_node("Constant", [], ["k"], value=onnx.numpy_helper.from_array(np.ones(3, np.int64)))
    body = onnx.helper.make_graph([constant], "body", [], [], [table])
    inner = onnx.helper.make_graph([onnx.helper.make_node("If", ["f"], ["y"], then_branch=body)], "outer", [], [])
    net, _ = small_net()
    kernel = net.kernels[3]
    node = replace(kernel.nodes[0], proto=onnx.helper.make_node("If", ["f"], ["y"], then_branch=inner))
    odd = replace(net, kernels=(*net.kernels[:3], replace(kernel, nodes=(node,)), net.kernels[4]))
    assert plan_bytes(odd, Plan()).per_kernel[kernel.id] == 40 * 4 + 3 * 8
    assert plan_bytes(odd, Plan({net.kernels[0].id: INT8})).per_kernel[kernel.id] == 40 * 2 + 3 * 8
