"""Draw a page of text and take a picture of it: lens, light and noise. Used by the sample `page_orientation`.

needs: pip install numpy pillow, the fonts DejaVu (fonts-dejavu-core) and Noto CJK (fonts-noto-cjk)
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

import numpy as np
from page_text import CHINESE, ENGLISH
from PIL import Image, ImageDraw, ImageFilter, ImageFont

LATIN_FONTS = ("DejaVu Sans", "DejaVu Serif", "DejaVu Sans Condensed", "DejaVu Sans Mono")
CHINESE_FONTS = ("Noto Sans CJK SC", "Noto Serif CJK SC")
MARGIN = 48
"""White border of a page in pixels."""
TILT = 10.0
"""Largest tilt of a picture in degrees."""
BLUR = 3.0
"""Largest radius of the blur in pixels of the page."""
FAINTEST = 0.3
"""Contrast of the weakest picture."""
NOISE = 0.1
"""Largest standard deviation of the grain; white is 1."""


@dataclass(frozen=True)
class Style:
    """How one page looks."""

    width: int
    height: int
    chinese: bool
    font: str
    size: int
    columns: int
    table: bool


def choose_style(chance: np.random.Generator) -> Style:
    """Portrait or landscape, one or two columns, one page in three Chinese."""
    sides = (620, 877) if chance.random() < 0.7 else (877, 620)
    chinese = bool(chance.random() < 1 / 3)
    return Style(
        width=sides[0],
        height=sides[1],
        chinese=chinese,
        font=str(chance.choice(CHINESE_FONTS if chinese else LATIN_FONTS)),
        size=int(chance.integers(17, 27)),
        columns=int(chance.integers(1, 3)),
        table=bool(chance.random() < 0.35),
    )


def load_font(family: str, size: int) -> ImageFont.FreeTypeFont:
    """Find a font through fontconfig."""
    found = subprocess.run(
        ["fc-match", "-f", "%{family}\n%{file}\n%{index}", family], capture_output=True, text=True, check=True
    ).stdout.split("\n")
    if family not in found[0]:
        raise SystemExit(
            f"the font {family} is missing: install fonts-dejavu-core, fonts-dejavu-extra and fonts-noto-cjk"
        )
    return ImageFont.truetype(found[1], size, index=int(found[2]) & 0xFFFF)


def wrap(text: str, font: ImageFont.FreeTypeFont, width: int, *, chinese: bool) -> list[str]:
    """Break text into lines no wider than `width` pixels: at blanks, or between any two Chinese signs."""
    pieces = list(text) if chinese else [word + " " for word in text.split()]
    lines = [""]
    for piece in pieces:
        if lines[-1] and font.getlength(lines[-1] + piece) > width:
            lines.append("")
        lines[-1] += piece
    return lines


def draw_page(style: Style, chance: np.random.Generator) -> Image.Image:
    """A clean page, 8-bit grey, black on white."""
    page = Image.new("L", (style.width, style.height), 255)
    pen = ImageDraw.Draw(page)
    body = load_font(style.font, style.size)
    heading = load_font(style.font, int(style.size * 1.6))
    sentences = [str(s) for s in chance.permutation(CHINESE if style.chinese else ENGLISH)]
    joint = "" if style.chinese else " "
    title = sentences.pop()[: 14 if style.chinese else 30]
    pen.text((MARGIN, MARGIN), title, font=heading, fill=20)
    top = MARGIN + int(style.size * 3)
    gutter = 24
    width = (style.width - 2 * MARGIN - gutter * (style.columns - 1)) // style.columns
    for column in range(style.columns):
        left = MARGIN + column * (width + gutter)
        y = top
        while y < style.height - MARGIN - 2 * style.size:
            paragraph = joint.join(sentences[i] for i in chance.integers(0, len(sentences), chance.integers(1, 5)))
            for line in wrap(paragraph, body, width, chinese=style.chinese):
                if y > style.height - MARGIN - style.size:
                    break
                pen.text((left, y), line, font=body, fill=int(chance.integers(20, 60)))
                y += int(style.size * 1.45)
            y += int(style.size * 0.8)
            if style.table and y < style.height - MARGIN - 6 * style.size and chance.random() < 0.5:
                y = draw_table(pen, body, (left, y, width), chance)
    return page


def draw_table(
    pen: ImageDraw.ImageDraw,
    font: ImageFont.FreeTypeFont,
    place: tuple[int, int, int],
    chance: np.random.Generator,
) -> int:
    """Draw a ruled table of numbers at (left, top, width); gives the y below it."""
    left, top, width = place
    row_height = int(font.size * 1.6)
    for _ in range(4):
        for column in range(3):
            x = left + column * width // 3
            pen.rectangle((x, top, x + width // 3, top + row_height), outline=90)
            pen.text((x + 6, top + 3), f"{chance.uniform(0, 99):.1f}", font=font, fill=40)
        top += row_height
    return top + int(font.size)


def photograph(page: Image.Image, chance: np.random.Generator) -> Image.Image:
    """A hasty picture of a page: tilted, out of focus, unevenly lit, weak in contrast, noisy."""
    tilted = page.rotate(float(chance.uniform(-TILT, TILT)), resample=Image.Resampling.BICUBIC, fillcolor=235)
    soft = tilted.filter(ImageFilter.GaussianBlur(float(chance.uniform(0, BLUR))))
    ink = 1 - np.asarray(soft, np.float32) / 255
    down = np.linspace(-1, 1, page.height)[:, None] * chance.uniform(-0.3, 0.3)
    across = np.linspace(-1, 1, page.width)[None, :] * chance.uniform(-0.3, 0.3)
    light = chance.uniform(0.4, 1.0) * (1 + down + across)
    lit = light * (1 - ink * chance.uniform(FAINTEST, 1.0))
    grain = chance.normal(0, chance.uniform(0, NOISE), ink.shape)
    return Image.fromarray(((lit + grain).clip(0, 1) * 255).astype(np.uint8))
