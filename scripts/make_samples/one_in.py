"""Round one weight of a sample at a time and print what that does to its output: how much do its layers differ?

needs: pip install numpy onnx onnxruntime pillow
run:   python scripts/make_samples/one_in.py swiglu_decoder [--bits 4] [--group 32 | --group 0 for one scale per tensor]

A second opinion on the tool's own sweep, with nothing but numpy and onnxruntime. Weights only, activations in float.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from card import SAMPLES
from onnx import numpy_helper

WEIGHT_AXIS = {"Conv": None, "Gemm": None, "MatMul": 0}
"""Axis along which a layer sums; None: all but the first (Conv, Gemm with transB)."""


def rounded(weight: np.ndarray, axis: int | None, bits: int, group: int) -> np.ndarray:
    """Asymmetric rounding to the nearest in a range that includes zero; group 0 takes one scale for all."""
    rows = weight.T if axis == 0 else weight.reshape(len(weight), -1)
    width = group or rows.size
    flat = rows.reshape(1, -1) if group == 0 else rows
    result = np.empty_like(flat)
    for start in range(0, flat.shape[1], width):
        part = flat[:, start : start + width]
        low = np.minimum(part.min(1, keepdims=True), 0)
        high = np.maximum(part.max(1, keepdims=True), 0)
        scale = np.where(high > low, (high - low) / (2**bits - 1), 1)
        zero = np.round(-low / scale)
        levels = np.clip(np.round(part / scale) + zero, 0, 2**bits - 1)
        result[:, start : start + width] = (levels - zero) * scale
    rows = result.reshape(rows.shape)
    return np.ascontiguousarray(rows.T if axis == 0 else rows.reshape(weight.shape), dtype=weight.dtype)


def outputs(model: onnx.ModelProto, samples: dict[str, np.ndarray]) -> np.ndarray:
    """First output of all samples."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    count = len(next(iter(samples.values())))
    return np.concatenate(
        [session.run(None, {k: v[i : i + 32] for k, v in samples.items()})[0] for i in range(0, count, 32)]
    )


def evaluation(folder: Path, card: dict[str, str]) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """A sample's held-out data and labels."""
    if (folder / card["evaluation"]).is_dir():
        from page_orientation import read_set  # needs Pillow, and only this sample does

        values, labels = read_set("evaluation")
        return {"x": values}, labels
    with np.load(folder / card["evaluation"]) as arrays:
        return {k: arrays[k] for k in arrays.files if k != "labels"}, arrays["labels"]


def main() -> None:
    """Print one line per weight, the most sensitive first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sample")
    parser.add_argument("--bits", type=int, default=4)
    parser.add_argument("--group", type=int, default=32)
    chosen = parser.parse_args()
    folder = SAMPLES / chosen.sample
    card = json.loads((folder / "sample.json").read_text(encoding="utf-8"))
    samples, labels = evaluation(folder, card)
    model = onnx.load(folder / card["model"])
    stored = {tensor.name: tensor for tensor in model.graph.initializer}
    truth = outputs(model, samples)
    counted = labels >= 0
    rows = []
    everything = onnx.ModelProto()
    everything.CopyFrom(model)
    for node in model.graph.node:
        if node.op_type not in WEIGHT_AXIS or node.input[1] not in stored:
            continue
        tensor = stored[node.input[1]]
        weight = numpy_helper.to_array(tensor)
        axis = WEIGHT_AXIS[node.op_type]
        small = numpy_helper.from_array(rounded(weight, axis, chosen.bits, chosen.group), tensor.name)
        kept = onnx.TensorProto()
        kept.CopyFrom(tensor)
        tensor.CopyFrom(small)
        rows.append((*figures(outputs(model, samples), truth, labels, counted), node.name))
        tensor.CopyFrom(kept)
        next(t for t in everything.graph.initializer if t.name == small.name).CopyFrom(small)
    for decibel, right, name in sorted(rows):
        print(f"{decibel:7.1f} dB  {right:7.2%}  {name}")
    decibel, right = figures(outputs(everything, samples), truth, labels, counted)
    print(
        f"{decibel:7.1f} dB  {right:7.2%}  all of them; best and worst differ by {max(rows)[0] - min(rows)[0]:.1f} dB"
    )


def figures(result: np.ndarray, truth: np.ndarray, labels: np.ndarray, counted: np.ndarray) -> tuple[float, float]:
    """SQNR in dB over the labelled positions, and accuracy."""
    noise = np.sum((result - truth)[counted].astype(np.float64) ** 2)
    power = np.sum(truth[counted].astype(np.float64) ** 2)
    right = np.mean((np.argmax(result, -1) == labels)[counted])
    return float(10 * np.log10(power / noise)), float(right)


if __name__ == "__main__":
    main()
