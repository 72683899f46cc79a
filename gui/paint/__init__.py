"""Drawing that several delegates and widgets share: pure QPainter functions, no state and no widgets."""

from __future__ import annotations

from gui.paint.bars import error_bar, latency_bar, noise_fraction, plain_bar, sensitivity_bar, share_bar
from gui.paint.colour import contrast, map_color, readable_on, with_alpha
from gui.paint.gauge import Gauge, gauge
from gui.paint.marks import (
    badge,
    badge_width,
    dot,
    hatch,
    hatch_brush,
    marker_path,
    nibble_mark,
    nibble_size,
    spinner,
    triangle_mark,
)
from gui.paint.switch import FAMILIES, SwitchLook, paint_switch, switch_hit, switch_segments

__all__ = [
    "FAMILIES",
    "Gauge",
    "SwitchLook",
    "badge",
    "badge_width",
    "contrast",
    "dot",
    "error_bar",
    "gauge",
    "hatch",
    "hatch_brush",
    "latency_bar",
    "map_color",
    "marker_path",
    "nibble_mark",
    "nibble_size",
    "noise_fraction",
    "paint_switch",
    "plain_bar",
    "readable_on",
    "sensitivity_bar",
    "share_bar",
    "spinner",
    "switch_hit",
    "switch_segments",
    "triangle_mark",
    "with_alpha",
]
