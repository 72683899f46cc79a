"""Operator families and what people call the operators: data, no code."""

from __future__ import annotations

from collections.abc import Mapping

from engine.fusion.types import Kind

ACTIVATIONS: Mapping[str, str] = {
    "Relu": "ReLU",
    "Clip": "Clip",
    "LeakyRelu": "LeakyReLU",
    "PRelu": "PReLU",
    "Sigmoid": "Sigmoid",
    "Tanh": "Tanh",
    "HardSigmoid": "HardSigmoid",
    "HardSwish": "HardSwish",
    "Elu": "ELU",
    "Selu": "SELU",
    "Celu": "CELU",
    "Gelu": "GELU",
    "com.microsoft.Gelu": "GELU",
    "com.microsoft.FastGelu": "GELU",
    "com.microsoft.QuickGelu": "QuickGELU",
    "com.microsoft.BiasGelu": "Bias + GELU",
    "Swish": "SiLU",
    "Mish": "Mish",
    "Softplus": "Softplus",
    "Softsign": "Softsign",
    "ThresholdedRelu": "ThresholdedReLU",
    "Shrink": "Shrink",
    "com.microsoft.QLinearSigmoid": "Sigmoid",
    "com.microsoft.QLinearLeakyRelu": "LeakyReLU",
}
"""Activation functions of one operator, and their names."""

UNARY = frozenset(ACTIVATIONS) | {
    "Abs", "Neg", "Sign", "Ceil", "Floor", "Round", "Reciprocal", "Sqrt", "Exp", "Log", "Erf", "Not", "IsNaN",
    "IsInf", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh", "Cast",
    "CastLike", "Identity", "QuantizeLinear", "DequantizeLinear", "BitwiseNot", "Dropout",
    "com.microsoft.QuantizeLinear", "com.microsoft.DequantizeLinear",
}  # fmt: skip
"""One result element from one element of the first input; other inputs are parameters."""

BINARY = frozenset({
    "Add", "Sub", "Mul", "Div", "Pow", "Mod", "Min", "Max", "Mean", "Sum", "Where", "Equal", "Greater",
    "GreaterOrEqual", "Less", "LessOrEqual", "And", "Or", "Xor", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor",
    "com.microsoft.QLinearAdd", "com.microsoft.QLinearMul",
})  # fmt: skip
"""Elementwise with broadcasting over all inputs."""

ELEMENTWISE = UNARY | BINARY

ALONE = frozenset({
    "Acosh", "Asinh", "Atanh", "BitShift", "CastLike", "Celu", "Cosh", "IsInf", "IsNaN", "Sinh",
})  # fmt: skip
"""Elementwise operators that some NPU leaves to the CPU: fused, they would take their neighbours along."""

VIEWS = frozenset({"Reshape", "Squeeze", "Unsqueeze", "Flatten"})
"""The same bytes under another shape."""

MOVEMENT = VIEWS | {
    "Transpose", "Concat", "Slice", "Split", "Gather", "GatherElements", "GatherND", "Expand", "Tile", "Pad",
    "DepthToSpace", "SpaceToDepth", "ScatterND", "ScatterElements", "Scatter", "Shape", "Size", "Trilu",
    "ReverseSequence", "ConstantOfShape", "OneHot", "Compress", "Range", "Col2Im", "CenterCropPad", "TensorScatter",
}  # fmt: skip

CHAINED_MOVEMENT = frozenset({
    "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Transpose", "Concat", "Slice", "Split", "Expand", "Tile", "Pad",
    "DepthToSpace", "SpaceToDepth", "Gather", "Cast",
})  # fmt: skip
"""Movements that one pass over the data can do together."""

KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(("MatMul", "Einsum", "com.microsoft.FusedMatMul", "com.microsoft.FusedGemm"), Kind.MATMUL),
    "Gemm": Kind.GEMM,
    **dict.fromkeys(("MatMulInteger", "QLinearMatMul", "com.microsoft.MatMulNBits"), Kind.MATMUL),
    **dict.fromkeys(("com.microsoft.DynamicQuantizeMatMul", "com.microsoft.MatMulIntegerToFloat"), Kind.MATMUL),
    "com.microsoft.QGemm": Kind.GEMM,
    **dict.fromkeys(("Conv", "ConvInteger", "QLinearConv", "DeformConv", "com.microsoft.FusedConv"), Kind.CONV),
    "ConvTranspose": Kind.CONV_TRANSPOSE,
    **dict.fromkeys(("LSTM", "GRU", "RNN", "com.microsoft.DynamicQuantizeLSTM"), Kind.RECURRENT),
    **dict.fromkeys(
        (
            "BatchNormalization", "InstanceNormalization", "LayerNormalization", "GroupNormalization",
            "LpNormalization", "MeanVarianceNormalization", "RMSNormalization", "SimplifiedLayerNormalization", "LRN",
            "com.microsoft.SkipLayerNormalization", "com.microsoft.SkipSimplifiedLayerNormalization",
            "com.microsoft.EmbedLayerNormalization", "com.microsoft.GroupNorm",
        ),
        Kind.NORM,
    ),
    **dict.fromkeys(("Softmax", "LogSoftmax", "Hardmax", "com.microsoft.QLinearSoftmax"), Kind.SOFTMAX),
    **dict.fromkeys(
        (
            "MaxPool", "AveragePool", "LpPool", "GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool", "MaxUnpool",
            "MaxRoiPool", "com.microsoft.QLinearAveragePool", "com.microsoft.QLinearGlobalAveragePool",
        ),
        Kind.POOL,
    ),
    **dict.fromkeys(
        (
            "ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSum",
            "ReduceLogSumExp", "ReduceSumSquare", "ArgMax", "ArgMin", "CumSum", "TopK",
            "com.microsoft.QLinearReduceMean",
        ),
        Kind.REDUCE,
    ),
    **dict.fromkeys(MOVEMENT, Kind.MOVEMENT),
    **dict.fromkeys(ELEMENTWISE, Kind.ELEMENTWISE),
    "DynamicQuantizeLinear": Kind.ELEMENTWISE,
    "com.microsoft.QLinearConcat": Kind.MOVEMENT,
    "com.microsoft.GatherBlockQuantized": Kind.EMBEDDING,
    "Identity": Kind.MOVEMENT,
}  # fmt: skip
"""Kind of a kernel by the operator of its anchor; others are OTHER."""

CONVOLUTIONS: Mapping[str, int] = {
    "Conv": 1,
    "ConvTranspose": 1,
    "ConvInteger": 1,
    "QLinearConv": 3,
    "com.microsoft.FusedConv": 1,
}
"""Operators that convolve -> which of their inputs is the weight."""

NAMES: Mapping[str, str] = {
    **ACTIVATIONS,
    "com.microsoft.QLinearAdd": "Add",
    "com.microsoft.QLinearMul": "Mul",
    "com.microsoft.QLinearConcat": "Concat",
    "com.microsoft.QLinearSoftmax": "Softmax",
    "com.microsoft.QLinearReduceMean": "ReduceMean",
    "com.microsoft.QLinearAveragePool": "AvgPool",
    "com.microsoft.QLinearGlobalAveragePool": "GlobalAvgPool",
    "com.microsoft.DynamicQuantizeLSTM": "QLSTM",
    "com.microsoft.QuantizeLinear": "Quantize",
    "com.microsoft.DequantizeLinear": "Dequantize",
    "DynamicQuantizeLinear": "Quantize",
    **dict.fromkeys(
        (
            "QLinearMatMul", "MatMulInteger", "com.microsoft.MatMulNBits", "com.microsoft.DynamicQuantizeMatMul",
            "com.microsoft.MatMulIntegerToFloat",
        ),
        "QMatMul",
    ),
    "LayerNormalization": "LayerNorm",
    "RMSNormalization": "RMSNorm",
    "SimplifiedLayerNormalization": "RMSNorm",
    "com.microsoft.SkipLayerNormalization": "Add + LayerNorm",
    "com.microsoft.SkipSimplifiedLayerNormalization": "Add + RMSNorm",
    "BatchNormalization": "BatchNorm",
    "InstanceNormalization": "InstanceNorm",
    "GroupNormalization": "GroupNorm",
    "LpNormalization": "LpNorm",
    "GlobalAveragePool": "GlobalAvgPool",
    "AveragePool": "AvgPool",
    "QuantizeLinear": "Quantize",
    "DequantizeLinear": "Dequantize",
    "ConvTranspose": "ConvT",
}  # fmt: skip
"""Short names of operators; others are called as ONNX calls them."""

ALREADY_QUANTIZED = frozenset({
    "ConvInteger", "MatMulInteger", "QLinearConv", "QLinearMatMul", "com.microsoft.MatMulNBits",
    "com.microsoft.QGemm", "com.microsoft.DynamicQuantizeMatMul", "com.microsoft.MatMulIntegerToFloat",
    "com.microsoft.DynamicQuantizeLSTM", "com.microsoft.GatherBlockQuantized", "com.microsoft.QAttention",
})  # fmt: skip
