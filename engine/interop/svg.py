"""Small plots as SVG text: bars, lines, a filled curve. Colours come from the style sheet of the page around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, isfinite, isnan, log10

WIDTH, HEIGHT = 1080.0, 220.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, 8.0, 10.0, 30.0


@dataclass(frozen=True, slots=True)
class Line:
    """A curve over positions 0, 1, 2 ... or over `xs`."""

    values: Sequence[float | None]
    """None is passed over, NaN leaves a gap, an infinite value is drawn at the edge."""
    style: str
    """Class of the style sheet: "one", "two" or "three"."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar."""

    value: float
    style: str
    title: str
    """Shown under the pointer."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale from data to pixels."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Pixel of a value, kept inside of the axis."""
        span = self.high - self.low or 1.0
        part = min(1.0, max(0.0, (value - self.low) / span)) if isfinite(value) else float(value > 0)
        return round(self.start + (self.end - self.start) * part, 2)


def ticks(low: float, high: float, count: int = 3) -> list[float]:
    """Round numbers from `low` to `high`, at least about `count`, at most 2.5 times as many.

    Steps are 1, 2 or 5 times a power of ten.
    """
    if not (isfinite(low) and isfinite(high)) or high <= low:
        return [low]
    raw = (high - low) / max(1, count)
    power = 10.0 ** floor(log10(raw))
    step = next(factor * power for factor in (5, 2, 1) if factor * power <= raw * 1.001)
    first = ceil(low / step - 1e-9)
    last = floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def bars(items: Sequence[Bar], *, y_label: str, x_label: str, height: float = HEIGHT) -> str:
    """Bars side by side, from zero upwards."""
    high = max((item.value for item in items if isfinite(item.value)), default=0.0) or 1.0
    y = Axis(0.0, high, height - _BOTTOM, _TOP)
    x = Axis(0.0, float(max(1, len(items))), _LEFT, WIDTH - _RIGHT)
    wide = (WIDTH - _LEFT - _RIGHT) / max(1, len(items))
    gap = min(2.0, wide * 0.2)
    shapes = []
    for at, item in enumerate(items):
        top = y.at(item.value)
        shapes.append(
            f'<rect class="{item.style}" x="{x.at(at) + gap / 2:.2f}" y="{top}" width="{wide - gap:.2f}" '
            f'height="{y.start - top:.2f}"><title>{escape(item.title)}</title></rect>'
        )
    return _frame([*_grid(y, y_label), *_bottom(x, len(items), x_label, height), *shapes], height)


def lines(
    curves: Sequence[Line],
    *,
    y_label: str,
    x_label: str,
    xs: Sequence[float] | None = None,
    from_zero: bool = False,
    height: float = HEIGHT,
) -> str:
    """Curves over one axis."""
    finite = [v for curve in curves for v in curve.values if v is not None and isfinite(v)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    low = min(low, 0.0) if from_zero else low
    if high == low:
        high = low + 1.0
    y = Axis(low, high, height - _BOTTOM, _TOP)
    count = max((len(curve.values) for curve in curves), default=0)
    places = [float(at) for at in range(count)] if xs is None else list(xs)
    x = Axis(places[0] if places else 0.0, places[-1] if places else 1.0, _LEFT, WIDTH - _RIGHT)
    shapes = [
        f'<path class="line {curve.style}" d="{path}"/>' for curve in curves if (path := _path(curve, places, x, y))
    ]
    axis = _bottom(x, count, x_label, height) if xs is None else _scale(x, x_label, height)
    return _frame([*_grid(y, y_label), *axis, *shapes], height)


def area(values: Sequence[float], *, y_label: str, x_label: str, height: float = HEIGHT) -> str:
    """Steps from zero, filled."""
    y = Axis(0.0, max(values, default=0.0) or 1.0, height - _BOTTOM, _TOP)
    x = Axis(0.0, float(max(1, len(values))), _LEFT, WIDTH - _RIGHT)
    points = [f"M{x.at(0)},{y.start}"]
    for at, value in enumerate(values):
        points.append(f"V{y.at(value)}H{x.at(at + 1)}")
    shape = f'<path class="area" d="{"".join(points)}V{y.start}Z"/>'
    return _frame([*_grid(y, y_label), *_bottom(x, len(values), x_label, height), shape], height)


def _path(curve: Line, places: Sequence[float], x: Axis, y: Axis) -> str:
    parts, drawing = [], False
    for place, value in zip(places, curve.values, strict=False):
        if value is None:
            continue
        if isnan(value):
            drawing = False
            continue
        parts.append(f"{'L' if drawing else 'M'}{x.at(place)},{y.at(value)}")
        drawing = True
    return "".join(parts)


def _grid(y: Axis, label: str) -> list[str]:
    made = [f'<text x="0" y="{_TOP - 1}">{escape(label)}</text>']
    for tick in ticks(y.low, y.high, 3):
        at = y.at(tick)
        made.append(f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{at}" y2="{at}"/>')
        made.append(f'<text x="{_LEFT - 6}" y="{at + 4}" text-anchor="end">{_plain(tick)}</text>')
    return made


def _bottom(x: Axis, count: int, label: str, height: float) -> list[str]:
    """Positions under the middle of each place."""
    half = (x.at(1) - x.at(0)) / 2 if x.high == count and count else 0.0
    places = [tick for tick in ticks(0, max(0, count - 1), 6) if tick == int(tick)]
    return [_caption(label, height), *(_mark(x.at(tick) + half, tick, height) for tick in places)]


def _scale(x: Axis, label: str, height: float) -> list[str]:
    return [_caption(label, height), *(_mark(x.at(tick), tick, height) for tick in ticks(x.low, x.high, 5))]


def _mark(at: float, tick: float, height: float) -> str:
    return f'<text x="{at:.2f}" y="{height - _BOTTOM + 14}" text-anchor="middle">{_plain(tick)}</text>'


def _caption(label: str, height: float) -> str:
    return f'<text x="{WIDTH - _RIGHT}" y="{height - 3}" text-anchor="end">{escape(label)}</text>'


def _plain(value: float) -> str:
    return f"{value:,.6g}".replace("-", "\u2212")


def _frame(shapes: Sequence[str], height: float) -> str:
    body = "\n".join(shapes)
    return f'<svg viewBox="0 0 {WIDTH:.0f} {height:.0f}" role="img" aria-hidden="true">\n{body}\n</svg>'
