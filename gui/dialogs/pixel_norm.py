"""Usual normalisations of pixels: their numbers, which one is in use, and where it leaves the pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose

from engine.interop.pictures import BYTE, ImageOptions

IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Of the training pictures in 0 to 1, as RGB: what models of torchvision and timm are trained with."""
_NEAR = 1e-4
"""Relative: 123.68 is the same mean as 0.485 × 255."""


@dataclass(frozen=True, slots=True)
class PixelNorm:
    """(pixel · scale − mean) / std, with a value per channel in the order RGB."""

    key: str
    scale: float
    mean: tuple[float, float, float]
    std: tuple[float, float, float]

    def in_order(self, channels: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Mean and std in the order of the channels."""
        step = -1 if channels == "BGR" else 1
        return self.mean[::step], self.std[::step]


_NONE, _ONE, _HALF = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.5, 0.5, 0.5)
NORMS = (
    PixelNorm("unit", BYTE, _NONE, _ONE),
    PixelNorm("imagenet", BYTE, IMAGENET_MEAN, IMAGENET_STD),
    PixelNorm("signed", BYTE, _HALF, _HALF),
    PixelNorm("bytes", 1.0, _NONE, _ONE),
)


def norms_for(*, whole: bool) -> tuple[PixelNorm, ...]:
    """What an input can be given.

    Args:
        whole: It takes integers, so pixels stay as they are.
    """
    return tuple(norm for norm in NORMS if norm.key == "bytes" or not whole)


def norm_of(options: ImageOptions, channels: str, *, whole: bool) -> PixelNorm | None:
    """The one that does the same to every pixel, however its numbers are written; None if it is another.

    Args:
        options: Scale, mean and std count.
        channels: Their order, "RGB", "BGR" or "GRAY".
        whole: The input takes integers: with the usual scale alone these are the pixels themselves.
    """
    if whole and options.scale == BYTE and not any(options.mean) and all(value == 1 for value in options.std):
        return NORMS[-1]
    found = (norm for norm in norms_for(whole=whole) if _same(norm, options, channels))
    return next(found, None)


def ends(options: ImageOptions, *, whole: bool) -> tuple[float, float]:
    """What the least and the greatest of the pixels' values, 0 and 255, become over all channels."""
    if norm_of(options, options.channels, whole=whole) is NORMS[-1]:
        return 0.0, 255.0
    lines = _lines(options.scale, options.mean, options.std)
    return min(-shift for _, shift in lines), max(255 * slope - shift for slope, shift in lines)


def _same(norm: PixelNorm, options: ImageOptions, channels: str) -> bool:
    mean, std = norm.in_order(channels)
    counts = {len(options.mean), len(options.std)}
    if not counts <= {1, 3} or (channels == "GRAY" and len(set(mean)) > 1):
        return False
    wanted, given = _lines(norm.scale, mean, std), _lines(options.scale, options.mean, options.std)
    return all(
        isclose(a, c, rel_tol=_NEAR) and isclose(b, d, rel_tol=_NEAR, abs_tol=_NEAR)
        for (a, b), (c, d) in zip(wanted, given * (len(wanted) // len(given)), strict=True)
    )


def _lines(scale: float, mean: Sequence[float], std: Sequence[float]) -> list[tuple[float, float]]:
    """Slope and shift of each channel: what a pixel is multiplied with, and what is taken off then."""
    count = max(len(mean), len(std))
    means, stds = (tuple(each) * (count // len(each)) for each in (mean, std))
    return [(scale / s, m / s) for m, s in zip(means, stds, strict=False)]
