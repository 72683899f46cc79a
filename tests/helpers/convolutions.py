"""Networks of convolutions: random ones, and an inverted residual as in MobileNetV2."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from handmade import Step, network
from hypothesis import strategies as st

from engine.fusion.types import Kind

ACTIVATIONS = ("", "Relu", "Clip", "HardSwish", "HardSigmoid", "LeakyRelu", "SiLU", "Tanh", "Selfscaled")


@st.composite
def networks(draw):
    """Up to seven kernels: convolutions of all kinds, residuals, pools, concatenations, odd channels."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    f32 = lambda *shape: rng.standard_normal(shape).astype(np.float32) / np.float32(np.prod(shape[1:]) ** 0.5 or 1)
    x = rng.standard_normal((draw(st.integers(1, 2)), draw(st.sampled_from((3, 16, 20))), 11, 9)).astype(np.float32)
    steps, shapes, last = [], {"x": x.shape}, "x"
    for at in range(draw(st.integers(2, 7))):
        channels, name, weight = shapes[last][1], f"t{at}", f"w{at}"
        kind = draw(st.sampled_from(("conv", "conv", "depthwise", "pointwise", "residual", "pool", "concat", "scale")))
        constants, made = {}, Step([], [name], activation=last)
        if kind in ("conv", "depthwise", "pointwise"):
            size = 1 if kind == "pointwise" else 3
            out = channels if kind == "depthwise" else draw(st.sampled_from((8, 16, 20, 32)))
            group = channels if kind == "depthwise" else 1
            constants = {weight: f32(out, channels // group, size, size), f"b{at}": f32(out)}
            nodes = [("Conv", [last, weight, f"b{at}"], [f"{name}c"], {"group": group, "pads": [size // 2] * 4})]
            made = Step(
                [], [name], {}, Kind.DEPTHWISE if group > 1 else Kind.CONV, weight, activation=last, bias=f"b{at}"
            )
        elif kind == "residual":
            constants = {weight: f32(channels, channels, 1, 1)}
            nodes = [("Conv", [last, weight], [f"{name}r"], {}), ("Add", [f"{name}r", last], [f"{name}c"], {})]
            made = Step([], [name], {}, Kind.CONV, weight, activation=last)
        elif kind == "pool":
            op = draw(st.sampled_from(("MaxPool", "AveragePool")))
            nodes = [(op, [last], [f"{name}c"], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]})]
        elif kind == "concat":
            nodes = [("Concat", [last, last], [f"{name}c"], {"axis": 1})]
        else:  # one factor per channel, as squeeze-excite has it
            nodes = [("GlobalAveragePool", [last], [f"{name}g"], {}), ("Mul", [last, f"{name}g"], [f"{name}c"], {})]
        nodes += activation(draw(st.sampled_from(ACTIVATIONS)), f"{name}c", name, constants)
        steps.append(replace_nodes(made, nodes, constants))
        shapes[name] = (x.shape[0], 2 * channels if kind == "concat" else constants[weight].shape[0]
                        if weight in constants else channels, 11, 9)  # fmt: skip
        last = name
    steps.append(Step([("GlobalAveragePool", [last], ["g"], {}), ("Flatten", ["g"], ["y"], {})], ["y"]))
    outputs = ["y", draw(st.sampled_from([step.outputs[0] for step in steps[:-1]]))]
    return network({"x": x}, outputs, steps), {"x": x}


def activation(op, source, target, constants):
    if op == "Clip":
        constants |= {f"{target}lo": np.float32(-0.5), f"{target}hi": np.float32(0.75)}
        return [("Clip", [source, f"{target}lo", f"{target}hi"], [target], {})]
    if op == "SiLU":
        return [("Sigmoid", [source], [f"{target}s"], {}), ("Mul", [source, f"{target}s"], [target], {})]
    if op == "Selfscaled":
        constants[f"{target}half"] = np.float32(0.5)
        return [("Mul", [source, f"{target}half"], [target], {})]
    return [(op or "Identity", [source], [target], {})]


def replace_nodes(step, nodes, constants):
    return replace(step, nodes=nodes, constants=constants)


def mobile():
    """An inverted residual between a stem and a head: what blocks are for."""
    rng = np.random.default_rng(5)
    f32 = lambda *shape: (rng.standard_normal(shape) / np.prod(shape[1:]) ** 0.5).astype(np.float32)
    clip = lambda a, b: ("Clip", [a, "lo", "hi"], [b], {})
    limits = {"lo": np.float32(0), "hi": np.float32(6)}
    pad = {"pads": [1, 1, 1, 1]}
    conv = Kind.CONV
    steps = [
        Step([("Conv", ["x", "w0", "b0"], ["c0"], {**pad, "strides": [2, 2]}), clip("c0", "a")], ["a"],
             {"w0": f32(16, 3, 3, 3), "b0": f32(16), **limits}, conv, "w0", activation="x", bias="b0"),
        Step([("Conv", ["a", "w1", "b1"], ["c1"], {}), clip("c1", "b")], ["b"],
             {"w1": f32(48, 16, 1, 1), "b1": f32(48), **limits}, conv, "w1", activation="a", bias="b1"),
        Step([("Conv", ["b", "w2", "b2"], ["c2"], {**pad, "group": 48}), clip("c2", "c")], ["c"],
             {"w2": f32(48, 1, 3, 3), "b2": f32(48), **limits}, Kind.DEPTHWISE, "w2", activation="b", bias="b2"),
        Step([("Conv", ["c", "w3", "b3"], ["c3"], {}), ("Add", ["c3", "a"], ["d"], {})], ["d"],
             {"w3": f32(16, 48, 1, 1), "b3": f32(16)}, conv, "w3", activation="c", bias="b3"),
        Step([("Conv", ["d", "w4"], ["e"], {})], ["e"], {"w4": f32(10, 16, 1, 1)}, conv, "w4", activation="d"),
        Step([("GlobalAveragePool", ["e"], ["y"], {})], ["y"]),
    ]  # fmt: skip
    inputs = {"x": np.zeros((1, 3, 14, 14), np.float32)}
    return network(inputs, ["y"], steps), inputs
