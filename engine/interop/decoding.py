"""Pictures as pixel values from 0 to 255, whatever depth, palette, transparency or rotation the file has."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from PIL import Image, ImageOps

from engine.errors import DataError
from engine.graph.types import Array
from engine.interop.listing import readable
from engine.text import say

LONGEST_EDGE = 16_384
"""Most pixels along an edge that a picture may be resized to."""
MOST_PIXELS = 64_000_000
"""Pixels of a picture, and of what it is made into on the way: 768 MB at three floats each."""
_BITS_PER_SAMPLE = 258
"""A tag of TIFF."""
Mode = Literal["L", "RGB"]


def pixels_of(path: Path, mode: Mode, size: tuple[int, int], crop: str) -> Array:
    """A picture, turned as its EXIF data say, on white where it is transparent, resized, and cropped if asked for.

    Args:
        path: The file; of several frames the first is taken.
        mode: "L" for one grey channel.
        size: Height, width.
        crop: "center" covers the size and cuts what hangs over; else the picture is stretched.

    Returns:
        [height, width, channels] in 0..255: uint8, or float32 where the file has more than 8 bits a channel.

    Raises:
        DataError: A file that is no picture, or one whose range of values nobody knows.
    """
    with readable(path, "picture"), Image.open(path) as opened:
        if opened.width * opened.height > MOST_PIXELS:
            raise DataError(
                say(
                    "{path} claims {width}×{height} pixels, more than {most} million; make it smaller first.",
                    path=path,
                    width=opened.width,
                    height=opened.height,
                    most=MOST_PIXELS // 10**6,
                )
            )
        image = _flat(path, opened, mode)
        image = _sized(path, image, size, crop)
        pixels = np.asarray(image)
    if pixels.dtype != np.uint8:
        pixels = np.clip(pixels, 0, 255)
    if pixels.ndim == 2:
        pixels = pixels[..., None]
    return np.repeat(pixels, 3, axis=2) if mode == "RGB" and pixels.shape[2] == 1 else pixels


def _flat(path: Path, image: Image.Image, mode: Mode) -> Image.Image:
    """One layer of 8 bits a channel, or of floats in 0..255."""
    deep = image.mode == "F" or image.mode.startswith("I")
    full = _full_scale(path, image) if deep else 0.0
    turned = ImageOps.exif_transpose(image)
    if deep:
        values = np.asarray(turned, np.float32)
        if image.mode == "F" and not (np.isfinite(values).all() and values.min() >= 0 and values.max() <= 1):
            raise DataError(
                say(
                    "{path} holds floats outside 0 to 1, whose range is unknown; save it with 8 or 16 bits a channel.",
                    path=path,
                )
            )
        return Image.fromarray(values * np.float32(255 / full))
    if turned.mode in ("RGBA", "RGBa", "LA", "La", "PA") or "transparency" in turned.info:
        shown = turned.convert("RGBA")
        ground = Image.new("RGBA", shown.size, "white")
        return Image.alpha_composite(ground, shown).convert(mode)
    return turned.convert(mode)


def _full_scale(path: Path, image: Image.Image) -> float:
    """The value that means white."""
    if image.mode == "F":
        return 1.0
    tags = getattr(image, "tag_v2", None)
    bits = tags.get(_BITS_PER_SAMPLE, 0) if tags is not None else 16
    bits = bits[0] if isinstance(bits, tuple) else bits
    if not 8 <= bits <= 16:
        raise DataError(
            say(
                "{path} holds {bits}-bit integers, whose range is unknown; save it with 8 or 16 bits a channel.",
                path=path,
                bits=bits or 32,
            )
        )
    return float(2**bits - 1)


def _sized(path: Path, image: Image.Image, size: tuple[int, int], crop: str) -> Image.Image:
    height, width = size
    if crop != "center":
        fits = image.size == (width, height)
        return image if fits else image.resize((width, height), Image.Resampling.BILINEAR)
    ratio = max(width / image.width, height / image.height)
    wide, tall = max(width, round(image.width * ratio)), max(height, round(image.height * ratio))
    if wide * tall > MOST_PIXELS:
        raise DataError(
            say(
                "{path} of {wide}×{tall} pixels is too long and narrow to cover {width}×{height}; crop it first.",
                path=path,
                wide=image.width,
                tall=image.height,
                width=width,
                height=height,
            )
        )
    image = image.resize((wide, tall), Image.Resampling.BILINEAR)
    left, top = (wide - width) // 2, (tall - height) // 2
    return image.crop((left, top, left + width, top + height))
