"""What fuses into one kernel under each rule set, and that it computes the same as the file."""

import numpy as np
import pytest
from build import F32, N, constant, ints, model, save, weights
from onnx import TensorProto, numpy_helper
from rebuild import largest_difference, run_kernels

from engine.fusion import Kind, fuse
from engine.graph import load

K = {
    "zero": F32(0),
    "one": F32(1),
    "two": F32(2),
    "three": F32(3),
    "six": F32(6),
    "half": F32(0.5),
    "third": F32(1 / 6),
}
IMAGE = {"x": (1, 4, 8, 8)}
CONV = {"w": weights(4, 4, 3, 3), "b": weights(4, seed=1)}


def conv(source="x", output="c", weight="w", bias="b"):
    return N("Conv", [source, weight, bias], [output], output, pads=[1, 1, 1, 1])


def fused(nodes, inputs, constants, tmp_path, rules="edge", outputs=("y",), opset=17, domains=(), tolerance=2e-6):
    """Kernels of a model, after checking that they compute what the model computes."""
    path = save(model(nodes, inputs, outputs, {**K, **constants}, opset=opset, domains=domains), tmp_path)
    network = fuse(load(path), rules)
    assert largest_difference(network) < tolerance
    return network.kernels


def texts(kernels):
    return [kernel.op for kernel in kernels]


ACTIVATIONS = {
    "ReLU": [N("Relu", ["c"], ["y"])],
    "ReLU6": [N("Clip", ["c", "zero", "six"], ["y"])],
    "LeakyReLU": [N("LeakyRelu", ["c"], ["y"], alpha=0.1)],
    "Sigmoid": [N("Sigmoid", ["c"], ["y"])],
    "Tanh": [N("Tanh", ["c"], ["y"])],
    "ELU": [N("Elu", ["c"], ["y"])],
    "PReLU": [N("PRelu", ["c", "slope"], ["y"])],
    "HardSigmoid": [N("HardSigmoid", ["c"], ["y"])],
    "HardSwish": [N("HardSwish", ["c"], ["y"])],
    "SiLU": [N("Sigmoid", ["c"], ["s"]), N("Mul", ["c", "s"], ["y"])],
    "Mish": [N("Softplus", ["c"], ["s"]), N("Tanh", ["s"], ["t"]), N("Mul", ["c", "t"], ["y"])],
}
SPELLINGS = {
    "HardSwish": [
        [N("HardSigmoid", ["c"], ["s"], alpha=1 / 6), N("Mul", ["c", "s"], ["y"])],
        [
            N("Add", ["c", "three"], ["a"]),
            N("Clip", ["a", "zero", "six"], ["r"]),
            N("Mul", ["c", "r"], ["m"]),
            N("Div", ["m", "six"], ["y"]),
        ],
        [
            N("Add", ["c", "three"], ["a"]),
            N("Clip", ["a", "zero", "six"], ["r"]),
            N("Div", ["r", "six"], ["d"]),
            N("Mul", ["c", "d"], ["y"]),
        ],
        [
            N("Add", ["three", "c"], ["a"]),
            N("Clip", ["a", "zero", "six"], ["r"]),
            N("Mul", ["r", "third"], ["d"]),
            N("Mul", ["d", "c"], ["y"]),
        ],
    ],
    "HardSigmoid": [
        [
            N("Add", ["c", "three"], ["a"]),
            N("Clip", ["a", "zero", "six"], ["r"]),
            N("Div", ["r", "six"], ["y"]),
        ],
    ],
    "GELU": [
        [
            N("Div", ["c", "root"], ["d"]),
            N("Erf", ["d"], ["e"]),
            N("Add", ["e", "one"], ["a"]),
            N("Mul", ["c", "a"], ["m"]),
            N("Mul", ["m", "half"], ["y"]),
        ],
        [
            N("Mul", ["c", "unroot"], ["d"]),
            N("Erf", ["d"], ["e"]),
            N("Add", ["one", "e"], ["a"]),
            N("Mul", ["c", "half"], ["h"]),
            N("Mul", ["h", "a"], ["y"]),
        ],
        [
            N("Pow", ["c", "three"], ["p"]),
            N("Mul", ["p", "k"], ["q"]),
            N("Add", ["c", "q"], ["r"]),
            N("Mul", ["r", "spread"], ["t"]),
            N("Tanh", ["t"], ["u"]),
            N("Add", ["u", "one"], ["v"]),
            N("Mul", ["c", "v"], ["z"]),
            N("Mul", ["z", "half"], ["y"]),
        ],
        [
            N("Mul", ["c", "c"], ["c2"]),
            N("Mul", ["c2", "c"], ["c3"]),
            N("Mul", ["c3", "k"], ["q"]),
            N("Add", ["c", "q"], ["r"]),
            N("Mul", ["spread", "r"], ["t"]),
            N("Tanh", ["t"], ["u"]),
            N("Add", ["one", "u"], ["v"]),
            N("Mul", ["half", "v"], ["z"]),
            N("Mul", ["c", "z"], ["y"]),
        ],
    ],
    "QuickGELU": [
        [N("Mul", ["c", "quick"], ["q"]), N("Sigmoid", ["q"], ["s"]), N("Mul", ["c", "s"], ["y"])],
    ],
}
MORE = {
    "slope": weights(4, 1, 1),
    "root": F32(2**0.5),
    "unroot": F32(0.5**0.5),
    "k": F32(0.044715),
    "spread": F32((2 / np.pi) ** 0.5),
    "quick": F32(1.702),
}
CASES = list(ACTIVATIONS.items())
CASES += [(name, nodes) for name, spellings in SPELLINGS.items() for nodes in spellings]


@pytest.mark.parametrize(("name", "nodes"), CASES)
def test_activation_behind_a_convolution(name, nodes, tmp_path):
    (kernel,) = fused([conv(), *nodes], IMAGE, {**CONV, **MORE}, tmp_path)
    assert kernel.op == f"Conv 3×3 + {name}"
    assert kernel.kind is Kind.CONV
    assert kernel.outputs == ("y",)
    cloud = fused([conv(), *nodes], IMAGE, {**CONV, **MORE}, tmp_path, "cloud")
    assert len(cloud) == (1 if name == "ReLU" else 1 + len(nodes))


@pytest.mark.parametrize(("name", "nodes"), [case for case in CASES if case[0] in ("SiLU", "GELU", "HardSwish")])
def test_activation_by_itself_is_one_kernel(name, nodes, tmp_path):
    pool = N("AveragePool", ["x"], ["c"], kernel_shape=[2, 2])
    kernels = fused([pool, *nodes], IMAGE, MORE, tmp_path)
    assert texts(kernels) == ["AvgPool 2×2", name]
    assert kernels[1].kind is Kind.ELEMENTWISE
    assert str(kernels[1].why_not) == "no weights: it follows its input"


def test_gelu_operator_of_opset_20(tmp_path):
    kernels = fused([conv(), N("Gelu", ["c"], ["y"])], IMAGE, CONV, tmp_path, opset=20)
    assert texts(kernels) == ["Conv 3×3 + GELU"]


def test_nothing_is_fused_across_a_tensor_that_is_read_elsewhere(tmp_path):
    nodes = [conv(), N("Relu", ["c"], ["r"]), N("Neg", ["c"], ["n"]), N("Add", ["r", "n"], ["y"])]
    kernels = fused(nodes, IMAGE, CONV, tmp_path)
    assert texts(kernels) == ["Conv 3×3", "ReLU + Neg + Add"]
    as_output = fused([conv(), N("Relu", ["c"], ["y"])], IMAGE, CONV, tmp_path, outputs=("y", "c"))
    assert texts(as_output) == ["Conv 3×3", "ReLU"]


def test_residual_goes_to_the_later_convolution(tmp_path):
    nodes = [
        conv(),
        N("Relu", ["c"], ["r"]),
        conv("r", "d", "w2", ""),
        N("Add", ["x", "d"], ["s"]),
        N("Relu", ["s"], ["y"]),
    ]
    kernels = fused(nodes, IMAGE, {**CONV, "w2": weights(4, 4, 3, 3, seed=5)}, tmp_path)
    assert texts(kernels) == ["Conv 3×3 + ReLU", "Conv 3×3 + Add + ReLU"]
    assert kernels[1].inputs == ("r", "x")
    two_paths = [conv(), conv("x", "d", "w2", ""), N("Add", ["c", "d"], ["s"]), N("Relu", ["s"], ["y"])]
    kernels = fused(two_paths, IMAGE, {**CONV, "w2": weights(4, 4, 3, 3, seed=5)}, tmp_path)
    assert texts(kernels) == ["Conv 3×3", "Conv 3×3 + Add + ReLU"]
    assert texts(fused(two_paths, IMAGE, {**CONV, "w2": CONV["w"]}, tmp_path, "cloud")) == [
        "Conv 3×3",
        "Conv 3×3",
        "Add",
        "ReLU",
    ]


@pytest.mark.parametrize(("pool", "name"), [("MaxPool", "MaxPool"), ("AveragePool", "AvgPool")])
def test_a_window_pool_goes_to_the_convolution_in_front(pool, name, tmp_path):
    nodes = [
        N("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
        N("Relu", ["c"], ["r"]),
        N(pool, ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
        N("Neg", ["p"], ["y"]),
    ]
    path = save(model(nodes, IMAGE, ["y"], {"w": weights(4, 4, 3, 3)}), tmp_path)
    network = fuse(load(path))
    assert texts(network.kernels) == [f"Conv 3×3 + ReLU + {name} 2×2 s2 + Neg"]
    assert largest_difference(network) < 1e-6
    assert texts(fuse(load(path), "cloud").kernels) == ["Conv 3×3 + ReLU", f"{name} 2×2 s2", "Neg"]
    shown = fuse(load(save(model(nodes, IMAGE, ["y", "r"], {"w": weights(4, 4, 3, 3)}), tmp_path)))
    assert texts(shown.kernels) == ["Conv 3×3 + ReLU", f"{name} 2×2 s2", "Neg"]


def test_adding_a_tensor_to_itself_or_broadcasting_up_is_no_residual(tmp_path):
    nodes = [conv(), N("Add", ["c", "c"], ["y"])]
    assert len(fused(nodes, IMAGE, CONV, tmp_path)) == 1
    up = [N("GlobalAveragePool", ["x"], ["g"]), N("Conv", ["g", "w1"], ["c"]), N("Mul", ["x", "c"], ["y"])]
    assert texts(fused(up, IMAGE, {"w1": weights(4, 4, 1, 1)}, tmp_path)) == ["GlobalAvgPool", "Conv 1×1", "Mul"]


def layer_norm(spelling):
    power = {"pow": [N("Pow", ["d", "two"], ["p"])], "mul": [N("Mul", ["d", "d"], ["p"])]}[spelling]
    return [
        N("ReduceMean", ["x"], ["m"], axes=[-1]),
        N("Sub", ["x", "m"], ["d"]),
        *power,
        N("ReduceMean", ["p"], ["v"], axes=[-1]),
        N("Add", ["v", "eps"], ["e"]),
        N("Sqrt", ["e"], ["q"]),
        N("Div", ["d", "q"], ["n"]),
        N("Mul", ["n", "gamma"], ["g"]),
        N("Add", ["g", "beta"], ["y"]),
    ]


RMS = [
    N("Pow", ["x", "two"], ["p"]),
    N("ReduceMean", ["p"], ["v"], axes=[-1]),
    N("Add", ["v", "eps"], ["e"]),
    N("Sqrt", ["e"], ["q"]),
    N("Div", ["x", "q"], ["n"]),
    N("Mul", ["gamma", "n"], ["y"]),
]
RMS_RECIPROCAL = [*RMS[:4], N("Reciprocal", ["q"], ["i"]), N("Mul", ["x", "i"], ["n"]), RMS[5]]
RMS_CASTS = [
    N("Cast", ["h"], ["x"], to=TensorProto.FLOAT),
    *RMS_RECIPROCAL[:6],
    N("Cast", ["n"], ["nh"], to=TensorProto.FLOAT16),
    N("Mul", ["gammah", "nh"], ["y"]),
]
NORMS = {
    "gamma": weights(16, seed=8) + 1,
    "beta": weights(16, seed=9),
    "eps": F32(1e-5),
    "gammah": np.ones(16, np.float16),
}
TOKENS = {"x": (2, 5, 16)}


@pytest.mark.parametrize(
    ("name", "nodes", "inputs"),
    [
        ("LayerNorm", layer_norm("pow"), TOKENS),
        ("LayerNorm", layer_norm("mul"), TOKENS),
        ("RMSNorm", RMS, TOKENS),
        ("RMSNorm", RMS_RECIPROCAL, TOKENS),
        ("RMSNorm", RMS_CASTS, {"h": (np.float16, (2, 5, 16))}),
    ],
)
def test_norm_written_as_primitives(name, nodes, inputs, tmp_path):
    (kernel,) = fused(nodes, inputs, NORMS, tmp_path, tolerance=2e-3)
    assert (kernel.op, kernel.kind) == (name, Kind.NORM)
    assert len(fused(nodes, inputs, NORMS, tmp_path, "cloud", tolerance=2e-3)) == len(nodes)


def test_norm_as_one_operator_takes_its_activation(tmp_path):
    nodes = [N("LayerNormalization", ["x", "gamma", "beta"], ["c"]), *SPELLINGS["GELU"][0]]
    assert texts(fused(nodes, TOKENS, {**NORMS, **MORE}, tmp_path)) == ["LayerNorm + GELU"]
    rms = [N("RMSNormalization", ["x", "gamma"], ["y"])]
    assert texts(fused(rms, TOKENS, NORMS, tmp_path, opset=23)) == ["RMSNorm"]


def test_group_norm_between_reshapes(tmp_path):
    nodes = [
        N("Reshape", ["x", "groups"], ["g"]),
        N("InstanceNormalization", ["g", "ones", "zeros"], ["n"]),
        N("Reshape", ["n", "back"], ["b"]),
        N("Mul", ["b", "scale"], ["m"]),
        N("Add", ["m", "shift"], ["a"]),
        N("Relu", ["a"], ["y"]),
    ]
    constants = {"groups": ints(1, 2, -1), "ones": np.ones(2, F32), "zeros": np.zeros(2, F32), "back": ints(1, 4, 8, 8)}
    constants |= {"scale": weights(4, 1, 1), "shift": weights(4, 1, 1, seed=1)}
    (kernel,) = fused(nodes, IMAGE, constants, tmp_path)
    assert (kernel.op, kernel.kind) == ("GroupNorm + ReLU", Kind.NORM)


def test_norm_in_front_of_three_layers_with_a_residual(tmp_path):
    nodes = [
        N("LayerNormalization", ["x", "gamma"], ["normed"]),
        N("MatMul", ["normed", "wq"], ["q1"]),
        N("MatMul", ["normed", "wk"], ["k1"]),
        N("Add", ["q1", "k1"], ["s1"]),
        N("Add", ["s1", "x"], ["y"]),
    ]
    kernels = fused(nodes, TOKENS, {**NORMS, "wq": weights(16, 16), "wk": weights(16, 16, seed=2)}, tmp_path)
    assert texts(kernels) == ["LayerNorm", "MatMul", "MatMul + Add", "Add"]


def test_softmax_takes_scale_and_mask(tmp_path):
    nodes = [
        N("MatMul", ["q", "k"], ["scores"]),
        N("Div", ["scores", "two"], ["scaled"]),
        N("Add", ["scaled", "mask"], ["masked"]),
        N("Softmax", ["masked"], ["p"]),
        N("MatMul", ["p", "v"], ["y"]),
    ]
    inputs = {"q": (1, 2, 5, 8), "k": (1, 2, 8, 5), "v": (1, 2, 5, 8), "mask": (1, 1, 1, 5)}
    kernels = fused(nodes, inputs, {}, tmp_path)
    assert texts(kernels) == ["MatMul", "Scale + Mask + Softmax", "MatMul"]
    assert [kernel.kind for kernel in kernels] == [Kind.MATMUL_DYNAMIC, Kind.SOFTMAX, Kind.MATMUL_DYNAMIC]
    assert "both operands" in str(kernels[0].why_not)
    head = [N("MatMul", ["x", "w"], ["m"]), N("Add", ["m", "b"], ["l"]), N("Softmax", ["l"], ["y"])]
    kernels = fused(head, TOKENS, {"w": weights(16, 7), "b": weights(7)}, tmp_path)
    assert texts(kernels) == ["MatMul + Bias", "Softmax"]


def test_softmax_written_as_primitives(tmp_path):
    nodes = [
        N("ReduceMax", ["x"], ["m"], axes=[-1]),
        N("Sub", ["x", "m"], ["d"]),
        N("Exp", ["d"], ["e"]),
        N("ReduceSum", ["e", "last"], ["s"]),
        N("Div", ["e", "s"], ["y"]),
    ]
    (kernel,) = fused(nodes, TOKENS, {"last": ints(-1)}, tmp_path)
    assert (kernel.op, kernel.kind) == ("Softmax", Kind.SOFTMAX)


def test_swiglu_is_three_kernels(tmp_path):
    nodes = [
        N("MatMul", ["x", "wg"], ["gate"]),
        N("MatMul", ["x", "wu"], ["up"]),
        N("Sigmoid", ["gate"], ["s"]),
        N("Mul", ["gate", "s"], ["act"]),
        N("Mul", ["act", "up"], ["inner"]),
        N("MatMul", ["inner", "wd"], ["down"]),
        N("Add", ["x", "down"], ["y"]),
    ]
    constants = {"wg": weights(16, 32), "wu": weights(16, 32, seed=1), "wd": weights(32, 16)}
    assert texts(fused(nodes, TOKENS, constants, tmp_path)) == ["MatMul + SiLU", "MatMul + Mul", "MatMul + Add"]


def test_rotary_embedding_is_one_kernel(tmp_path):
    nodes = [
        N("Mul", ["x", "cos"], ["straight"]),
        N("Slice", ["x", "i0", "i8", "i2"], ["first"]),
        N("Slice", ["x", "i8", "i16", "i2"], ["second"]),
        N("Neg", ["second"], ["negative"]),
        N("Concat", ["negative", "first"], ["half_turned"], axis=-1),
        N("Mul", ["half_turned", "sin"], ["turned"]),
        N("Add", ["straight", "turned"], ["y"]),
    ]
    constants = {"cos": weights(5, 16), "sin": weights(5, 16, seed=1)}
    constants |= {"i0": ints(0), "i8": ints(8), "i16": ints(16), "i2": ints(2)}
    assert texts(fused(nodes, TOKENS, constants, tmp_path)) == ["Rotary"]


def test_movements_in_a_row_are_one_kernel(tmp_path):
    nodes = [
        N("Reshape", ["x", "shape"], ["a"]),
        N("Transpose", ["a"], ["b"], perm=[0, 2, 1, 3]),
        N("Unsqueeze", ["b", "i0"], ["y"]),
    ]
    constants = {"shape": ints(2, 5, 4, 4), "i0": ints(0)}
    kernels = fused(nodes, TOKENS, constants, tmp_path)
    assert texts(kernels) == ["Reshape + Transpose + Unsqueeze"]
    assert kernels[0].kind is Kind.MOVEMENT
    assert kernels[0].macs == 0
    assert len(fused(nodes, TOKENS, constants, tmp_path, "cloud")) == 3


def test_elementwise_neighbours_are_one_kernel(tmp_path):
    nodes = [
        N("Exp", ["x"], ["a"]),
        N("Neg", ["x"], ["b"]),
        N("Mul", ["a", "b"], ["c"]),
        N("Greater", ["c", "zero"], ["d"]),
        N("Where", ["d", "c", "x"], ["y"]),
    ]
    kernels = fused(nodes, TOKENS, {}, tmp_path)
    assert texts(kernels) == ["Exp + Neg + … + Where (5)"]


def test_quantize_dequantize_pairs_are_kept_together(tmp_path):
    scale = {"s": F32(0.05), "z": np.uint8(128), "ws": weights(4) ** 2 + 0.1, "q": np.ones((4, 4, 3, 3), np.int8)}
    nodes = [
        N("QuantizeLinear", ["x", "s", "z"], ["xq"]),
        N("DequantizeLinear", ["xq", "s", "z"], ["xd"]),
        N("DequantizeLinear", ["q", "ws"], ["wd"], axis=0),
        N("Conv", ["xd", "wd"], ["c"], pads=[1, 1, 1, 1]),
        N("Relu", ["c"], ["r"]),
        N("QuantizeLinear", ["r", "s", "z"], ["rq"]),
        N("DequantizeLinear", ["rq", "s", "z"], ["y"]),
    ]
    kernels = fused(nodes, IMAGE, scale, tmp_path)
    assert texts(kernels) == ["QDQ + Conv 3×3 + ReLU + QDQ"]
    assert kernels[0].weight.origin == "q"


def test_cast_only_weights_and_constant_nodes(tmp_path):
    half = weights(16, 8).astype(np.float16)
    nodes = [constant("h", half), N("Cast", ["h"], ["w"], to=TensorProto.FLOAT), N("MatMul", ["x", "w"], ["y"])]
    (kernel,) = fused(nodes, TOKENS, {}, tmp_path)
    assert kernel.weight.origin == "h"
    np.testing.assert_array_equal(kernel.constants["w"], half.astype(F32))
    assert numpy_helper.to_array(nodes[0].attribute[0].t).dtype == np.float16


def test_kernels_of_a_half_model_round_at_their_borders(tmp_path):
    """ONNX Runtime's CPU keeps float32 between half operators when it runs them together; a device can't."""
    nodes = [N("MatMul", ["x", "w"], ["h"]), N("Mul", ["h", "c"], ["m"]), N("Add", ["m", "b"], ["y"])]
    constants = {"w": weights(64, 64), "c": weights(1, 64, seed=1), "b": weights(1, 64, seed=2)}
    half = {name: array.astype(np.float16) for name, array in constants.items()}
    network = fuse(load(save(model(nodes, {"x": (np.float16, (8, 64))}, ["y"], half), tmp_path)), "cloud")
    assert [kernel.op for kernel in network.kernels] == ["MatMul", "Mul", "Add"]
    x = weights(8, 64, seed=3).astype(np.float16)
    wide = {name: array.astype(np.float32) for name, array in {**half, "x": x}.items()}
    product = (wide["x"] @ wide["w"]).astype(np.float16).astype(np.float32)
    scaled = (product * wide["c"]).astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(run_kernels(network, {"x": x})["y"], (scaled + wide["b"]).astype(np.float16))
