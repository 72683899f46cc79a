"""Train and export the sample `swiglu_decoder`: a three-layer decoder that adds numbers and sorts digits.

needs: pip install torch onnx onnxruntime
run:   python scripts/make_samples/swiglu_decoder.py      (five to ten minutes on one core)
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from card import SAMPLES, accuracy, runtime, write_card
from decoder_net import DecoderForCausalLM
from decoder_tasks import IGNORED, LENGTH, NUMBERS, VOCABULARY, batch
from torch import nn
from torch.nn import functional
from training import repeatable

FOLDER = SAMPLES / "swiglu_decoder"
STEPS = 7000
BATCH = 128
CALIBRATION, EVALUATION = 128, 256


def train(seen: set[bytes]) -> nn.Module:
    """Train on fresh rows.

    Args:
        seen: Held-out rows as bytes; a row that is among them doesn't count.
    """
    chance = torch.Generator().manual_seed(1)
    net = DecoderForCausalLM(VOCABULARY, LENGTH)
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3, betas=(0.9, 0.98), weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=3e-3, total_steps=STEPS, pct_start=0.1)
    for step in range(1, STEPS + 1):
        ids, labels = batch(BATCH, chance)
        held_out = torch.tensor([row.tobytes() in seen for row in ids.numpy()])
        labels[held_out] = IGNORED
        loss = functional.cross_entropy(net(ids).transpose(1, 2), labels, ignore_index=IGNORED)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 500 == 0:
            print(f"step {step}: loss {loss.item():.4f}", flush=True)
    return net.eval()


def export(net: nn.Module, path: Path) -> None:
    """Write the ONNX file with a free batch dimension; weights keep the names that they have in the network."""
    torch.onnx.export(
        net,
        (torch.zeros(1, LENGTH, dtype=torch.long),),
        str(path),
        dynamo=False,
        opset_version=17,
        input_names=["input_ids"],
        output_names=["logits"],
        dynamic_axes={"input_ids": {0: "batch"}, "logits": {0: "batch"}},
    )
    model = onnx.load(path)
    name_weights(model.graph)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


def name_weights(graph: onnx.GraphProto) -> None:
    """Call the weight of /model/layers.0/mlp/up_proj/MatMul model.layers.0.mlp.up_proj.weight; it is [in, out]."""
    weights = {weight.name: weight for weight in graph.initializer}
    for node in graph.node:
        if node.op_type != "MatMul" or node.input[1] not in weights:
            continue
        module = node.name.removeprefix("/").removesuffix("/MatMul").replace("/", ".")
        weights[node.input[1]].name = f"{module}.weight"
        node.input[1] = f"{module}.weight"


def exact(path: Path, ids: np.ndarray, labels: np.ndarray) -> float:
    """Share of rows whose whole answer is right."""
    session = runtime(path)
    answers = np.argmax(session.run(None, {"input_ids": ids})[0], -1)
    return float(np.mean(np.all((answers == labels) | (labels == IGNORED), axis=1)))


def main() -> None:
    """Train, export, write the data and the card."""
    repeatable(3)
    FOLDER.mkdir(parents=True, exist_ok=True)
    calibration, calibration_labels = (part.numpy() for part in batch(CALIBRATION, torch.Generator().manual_seed(11)))
    ids, labels = (part.numpy() for part in batch(EVALUATION, torch.Generator().manual_seed(12)))
    net = train({row.tobytes() for row in ids})
    path = FOLDER / "swiglu_decoder.onnx"
    export(net, path)
    np.savez_compressed(FOLDER / "calibration.npz", input_ids=calibration, labels=calibration_labels)
    np.savez_compressed(FOLDER / "evaluation.npz", input_ids=ids, labels=labels)
    reached, whole = accuracy(path, {"input_ids": ids}, labels), exact(path, ids, labels)
    print(f"FP32: {reached:.2%} of the answers' tokens, {whole:.2%} of {len(ids)} whole answers")
    write_card(
        FOLDER,
        {
            "title": {"en": "SwiGLU decoder", "zh": "SwiGLU 解码器"},
            "description": {
                "en": "Three layers with RMSNorm, rotary positions and grouped-query attention; adds and sorts digits.",
                "zh": "三层解码器（RMSNorm、旋转位置编码、分组查询注意力），会做加法和数字排序。",
            },
            "task": "next token",
            "model": path.name,
            "calibration": "calibration.npz",
            "evaluation": "evaluation.npz",
            "shapes": {"input_ids": [1, LENGTH]},
            "preprocessing": None,
            "labels": [*map(str, range(NUMBERS)), "add", "sort", "=", "end"],
            "licence": {
                "model": "Apache-2.0 (trained by this project)",
                "data": "Apache-2.0",
                "origin": "random numbers from scripts/make_samples/decoder_tasks.py",
            },
            "made_by": "scripts/make_samples/swiglu_decoder.py",
            "reference": {"format": "FP32", "accuracy": reached, "whole_answers": whole, "samples": len(ids)},
        },
    )


if __name__ == "__main__":
    main()
