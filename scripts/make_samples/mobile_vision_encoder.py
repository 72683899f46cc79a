"""Train and export the sample `mobile_vision_encoder`: hand-written digits in colour, 32 x 32, ten classes.

needs: pip install torch scikit-learn onnx onnxruntime
run:   python scripts/make_samples/mobile_vision_encoder.py      (about three minutes on one core)

The pictures are scikit-learn's digits (8 x 8), enlarged, tilted and moved a little, and drawn in random colours on a
shaded ground. BatchNormalization stays in the exported graph, as many exporters leave it, for the tool to fold.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import torch
from card import SAMPLES, accuracy, write_card
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import Tensor, nn
from torch.nn import functional
from training import repeatable

FOLDER = SAMPLES / "mobile_vision_encoder"
SIZE = 32
EPOCHS = 200
BATCH = 64
CALIBRATION = 128


class ConvBlock(nn.Sequential):
    """Conv, BatchNorm, SiLU."""

    def __init__(self, channels_in: int, channels_out: int, kernel: int, stride: int = 1, groups: int = 1) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels_in, channels_out, kernel, stride, padding=kernel // 2, groups=groups, bias=False)
        self.bn = nn.BatchNorm2d(channels_out)
        self.act = nn.SiLU()


class MobileVisionEncoder(nn.Module):
    """Stem to 32, depthwise-separable stage to 64, 1x1 to 128, global pooling, ten classes."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = ConvBlock(3, 32, kernel=3, stride=2)
        self.depthwise = ConvBlock(32, 32, kernel=3, stride=2, groups=32)
        self.pointwise = ConvBlock(32, 64, kernel=1)
        self.expand = ConvBlock(64, 128, kernel=1)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(128, 10)

    def forward(self, image: Tensor) -> Tensor:
        """[batch, 3, 32, 32] in 0..1 to logits [batch, 10]."""
        features = self.expand(self.pointwise(self.depthwise(self.stem(image))))
        return self.head(self.pool(features).flatten(1))


def draw(ink: Tensor, chance: torch.Generator) -> Tensor:
    """Draw digits as coloured pictures.

    Args:
        ink: [n, 8, 8], 0 for paper to 1 for ink.
        chance: Where tilt, place, size and colours come from.

    Returns:
        [n, 3, 32, 32] in 0..1, in steps of 1/255.
    """
    n = len(ink)

    def between(low: float, high: float, *shape: int) -> Tensor:
        return low + (high - low) * torch.rand(n, *shape, generator=chance)

    angle = between(-0.2, 0.2)
    zoom = between(0.95, 1.3)
    shift = between(-0.12, 0.12, 2)
    turn = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()], 1).view(n, 2, 2) * zoom.view(n, 1, 1)
    grid = functional.affine_grid(torch.cat([turn, shift[..., None]], 2), [n, 1, SIZE, SIZE], align_corners=False)
    stroke = functional.grid_sample(ink[:, None], grid, align_corners=False)

    paper = between(0.0, 0.4, 3)
    pen = paper + between(0.3, 0.6, 3)
    across = torch.linspace(-1, 1, SIZE)
    slope = between(-0.1, 0.1, 2)
    shade = slope[:, :1, None] * across[None, :, None] + slope[:, 1:, None] * across[None, None, :]
    picture = paper[..., None, None] + (pen - paper)[..., None, None] * stroke + shade[:, None]
    return (picture.clamp(0, 1) * 255).round() / 255


def train(ink: Tensor, labels: Tensor) -> nn.Module:
    """Train with fresh pictures in every epoch; gives the net in inference mode."""
    chance = torch.Generator().manual_seed(1)
    net = MobileVisionEncoder()
    steps = EPOCHS * math.ceil(len(ink) / BATCH)
    optimizer = torch.optim.AdamW(net.parameters(), lr=6e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=6e-3, total_steps=steps)
    for epoch in range(EPOCHS):
        pictures = draw(ink, chance)
        total = 0.0
        for batch in torch.randperm(len(ink), generator=chance).split(BATCH):
            loss = functional.cross_entropy(net(pictures[batch]), labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(batch)
        if epoch % 20 == 19:
            print(f"epoch {epoch + 1}: loss {total / len(ink):.3f}", flush=True)
    return net.eval()


def export(net: nn.Module, path: Path) -> None:
    """Write the ONNX file with module names, BatchNormalization and a free batch dimension."""
    torch.onnx.export(
        net,
        (torch.zeros(1, 3, SIZE, SIZE),),
        str(path),
        dynamo=False,
        opset_version=17,
        input_names=["image"],
        output_names=["logits"],
        dynamic_axes={"image": {0: "batch"}, "logits": {0: "batch"}},
        training=torch.onnx.TrainingMode.PRESERVE,
        do_constant_folding=False,
    )


def main() -> None:
    """Train, export, write the data and the card."""
    repeatable(7)
    FOLDER.mkdir(parents=True, exist_ok=True)
    digits = load_digits()
    ink_train, ink_test, labels_train, labels_test = train_test_split(
        digits.images.astype(np.float32) / 16, digits.target, test_size=450, random_state=7, stratify=digits.target
    )
    net = train(torch.from_numpy(ink_train), torch.from_numpy(labels_train))
    path = FOLDER / "mobile_vision_encoder.onnx"
    export(net, path)

    calibration = draw(torch.from_numpy(ink_train[:CALIBRATION]), torch.Generator().manual_seed(2)).numpy()
    evaluation = draw(torch.from_numpy(ink_test), torch.Generator().manual_seed(3)).numpy()
    np.savez_compressed(FOLDER / "calibration.npz", image=calibration, labels=labels_train[:CALIBRATION])
    np.savez_compressed(FOLDER / "evaluation.npz", image=evaluation, labels=labels_test)
    reached = accuracy(path, {"image": evaluation}, labels_test)
    print(f"FP32: {reached:.2%} of {len(labels_test)} held-out pictures")
    write_card(
        FOLDER,
        {
            "title": {"en": "Mobile vision encoder", "zh": "移动端视觉编码器"},
            "description": {
                "en": "A small depthwise-separable CNN that reads hand-written digits in colour, 32 × 32.",
                "zh": "小型深度可分离卷积网络，识别 32 × 32 的彩色手写数字。",
            },
            "task": "classification",
            "model": path.name,
            "calibration": "calibration.npz",
            "evaluation": "evaluation.npz",
            "shapes": {"image": [1, 3, SIZE, SIZE]},
            "preprocessing": {"input": "image", "scale": 1 / 255, "channels": "RGB", "layout": "NCHW"},
            "labels": [str(digit) for digit in range(10)],
            "licence": {
                "model": "Apache-2.0 (trained by this project)",
                "data": "CC BY 4.0",
                "origin": "scikit-learn's digits, a copy of UCI ML Optical Recognition of Handwritten Digits",
            },
            "made_by": "scripts/make_samples/mobile_vision_encoder.py",
            "reference": {"format": "FP32", "accuracy": reached, "samples": len(labels_test)},
        },
    )


if __name__ == "__main__":
    main()
