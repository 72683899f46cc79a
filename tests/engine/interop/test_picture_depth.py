"""Pictures of every depth, palette, transparency and rotation give the pixels that a viewer shows."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from engine.errors import DataError
from engine.graph.types import TensorInfo
from engine.interop.decoding import pixels_of
from engine.interop.pictures import ImageOptions, picture

RAMP = np.linspace(0, 255, 24).round().astype(np.uint8).reshape(4, 6)
COLOUR = np.stack([RAMP, RAMP[::-1], RAMP[:, ::-1]], 2)
SIZE = (4, 6)


def shown(path, mode="RGB"):
    return pixels_of(path, mode, SIZE, "none").astype(np.float64)


@pytest.mark.parametrize("mode", ["L", "RGB"])
@pytest.mark.parametrize("ending", ["png", "tif"])
def test_16_bits_are_scaled_to_white(tmp_path, ending, mode):
    deep = np.linspace(0, 65535, 24).astype(np.uint16).reshape(4, 6)
    Image.fromarray(deep).save(tmp_path / f"a.{ending}")
    got = shown(tmp_path / f"a.{ending}", mode)
    assert got.shape == (4, 6, len(mode))
    np.testing.assert_allclose(got, np.repeat(deep[..., None] / 257, len(mode), 2), atol=1e-3)


def test_12_bits_in_a_tiff_are_scaled_by_what_its_tag_says(tmp_path):
    values = np.linspace(0, 4095, 24).astype(np.uint16).reshape(4, 6)
    packed = bytearray()
    for row in values:
        for a, b in row.reshape(-1, 2).tolist():
            packed += bytes([a >> 4, (a & 15) << 4 | b >> 8, b & 255])
    (tmp_path / "a.tif").write_bytes(_tiff(6, 4, 12, bytes(packed)))
    np.testing.assert_allclose(shown(tmp_path / "a.tif", "L")[..., 0], values / 4095 * 255, atol=1e-3)


def _tiff(width, height, bits, data):
    """A grey TIFF without compression, written by hand."""
    tags = [(256, 3, width), (257, 3, height), (258, 3, bits), (259, 3, 1), (262, 3, 1), (273, 4, 200), (277, 3, 1),
            (278, 3, height), (279, 4, len(data))]  # fmt: skip
    head = b"II*\0\x08\0\0\0" + len(tags).to_bytes(2, "little")
    for tag, kind, value in tags:
        head += tag.to_bytes(2, "little") + kind.to_bytes(2, "little") + (1).to_bytes(4, "little")
        head += value.to_bytes(4, "little")
    return (head + bytes(4)).ljust(200, b"\0") + data


def test_floats_from_0_to_1_are_pixels_and_others_are_refused(tmp_path):
    Image.fromarray((RAMP / 255).astype(np.float32)).save(tmp_path / "a.tif")
    np.testing.assert_allclose(shown(tmp_path / "a.tif", "L")[..., 0], RAMP, atol=1e-3)
    for number, values in enumerate([RAMP * 1.0, RAMP / -255, np.full_like(RAMP, np.nan, float)]):
        Image.fromarray(values.astype(np.float32)).save(tmp_path / f"{number}.tif")
        with pytest.raises(DataError, match=f"{number}.tif holds floats outside 0 to 1"):
            shown(tmp_path / f"{number}.tif")
    Image.fromarray(RAMP.astype(np.int32)).save(tmp_path / "i.tif")
    with pytest.raises(DataError, match="32-bit"):
        shown(tmp_path / "i.tif")


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_turned_photograph_is_turned_back(tmp_path, orientation):
    tall = np.kron(COLOUR, np.ones((16, 16, 1), np.uint8))
    # What a camera stores so that turning it as the tag says gives `tall` again.
    turned = tall.transpose(1, 0, 2)
    stored = (tall, tall[:, ::-1], tall[::-1, ::-1], tall[::-1], turned, turned[::-1], turned[::-1, ::-1],
              turned[:, ::-1])[orientation - 1]  # fmt: skip
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.fromarray(np.ascontiguousarray(stored)).save(tmp_path / "a.jpg", exif=exif, quality=100, subsampling=0)
    got = pixels_of(tmp_path / "a.jpg", "RGB", tall.shape[:2], "none")
    assert np.abs(got.astype(int) - tall).max() < 12


def test_what_is_transparent_is_white(tmp_path):
    alpha = np.zeros((4, 6), np.uint8)
    alpha[:, 3:], alpha[:, 5] = 255, 51
    Image.fromarray(np.dstack([COLOUR, alpha])).save(tmp_path / "rgba.png")
    Image.fromarray(np.dstack([RAMP, alpha])).save(tmp_path / "la.png")
    palette = Image.fromarray(np.tile(np.arange(6, dtype=np.uint8), (4, 1)), "P")
    palette.putpalette([0, 0, 0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150])
    palette.save(tmp_path / "p.png", transparency=0)
    share = alpha[..., None] / 255
    wanted = COLOUR * share + 255 * (1 - share)
    np.testing.assert_allclose(shown(tmp_path / "rgba.png"), wanted, atol=1.01)
    np.testing.assert_allclose(shown(tmp_path / "la.png", "L"), RAMP[..., None] * share + 255 * (1 - share), atol=1.01)
    got = shown(tmp_path / "p.png")[0]
    assert got.tolist() == [[255, 255, 255], *[[10 + 30 * i, 20 + 30 * i, 30 + 30 * i] for i in range(5)]]


def test_print_colours_one_bit_and_palettes(tmp_path):
    Image.new("CMYK", (6, 4), (0, 255, 255, 0)).save(tmp_path / "red.tif")
    assert shown(tmp_path / "red.tif")[0, 0].tolist() == [255, 0, 0]
    Image.new("CMYK", (6, 4), (255, 0, 0, 0)).save(tmp_path / "cyan.jpg", quality=100)
    assert np.abs(shown(tmp_path / "cyan.jpg")[0, 0] - [0, 255, 255]).max() < 4
    Image.fromarray(RAMP > 100).save(tmp_path / "bits.png")
    assert shown(tmp_path / "bits.png", "L")[..., 0].tolist() == ((RAMP > 100) * 255).tolist()
    Image.fromarray(COLOUR).quantize(256).save(tmp_path / "a.gif")
    assert np.abs(shown(tmp_path / "a.gif") - COLOUR).max() <= 8


def test_a_picture_too_long_to_cover_the_input_is_refused(tmp_path):
    Image.new("L", (60_000, 1)).save(tmp_path / "line.png")
    with pytest.raises(DataError, match="long and narrow"):
        pixels_of(tmp_path / "line.png", "L", (224, 224), "center")


def test_a_small_file_of_a_huge_picture_is_refused_before_it_is_decoded(tmp_path):
    Image.new("1", (9000, 9000)).save(tmp_path / "huge.png")
    assert (tmp_path / "huge.png").stat().st_size < 100_000
    with pytest.raises(DataError, match="9000×9000 pixels, more than 64 million"):
        pixels_of(tmp_path / "huge.png", "RGB", (4, 6), "none")


@pytest.mark.parametrize(
    ("dtype", "options", "wanted"),
    [
        (np.uint8, ImageOptions(), COLOUR),
        (np.int8, ImageOptions(scale=1.0, mean=(128.0,)), COLOUR.astype(int) - 128),
        (np.uint16, ImageOptions(scale=257.0), COLOUR.astype(int) * 257),
        (np.int8, ImageOptions(), "255.*int8"),
        (np.uint8, ImageOptions(mean=(0.5,), std=(0.5,)), "fractions"),
        (np.uint8, ImageOptions(scale=1.0, mean=(1.0,)), "-1.0.*uint8"),
    ],
)
def test_integer_inputs_get_whole_numbers_or_a_reason(tmp_path, dtype, options, wanted):
    Image.fromarray(COLOUR).save(tmp_path / "a.png")
    info = TensorInfo("x", np.dtype(dtype), (1, 3, 4, 6))
    if isinstance(wanted, str):
        with pytest.raises(DataError, match=wanted):
            picture(tmp_path / "a.png", info, options)
    else:
        np.testing.assert_array_equal(picture(tmp_path / "a.png", info, options), wanted.transpose(2, 0, 1))
