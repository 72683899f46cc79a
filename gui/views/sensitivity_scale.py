"""The caption of the sensitivity map: what its colours mean, and its marks."""

from __future__ import annotations

from math import log10

from PySide6.QtCore import QCoreApplication

from gui.plots.caption import Key
from gui.plots.scale_bar import ScaleCaption
from gui.views.sensitivity_data import DECIBELS, LEVELS, MOST_GAIN_DB, SQNR_LEVELS, SensitivityMap
from gui.views.sweep_words import metric_unit

translate = QCoreApplication.translate


def caption_of(caption: ScaleCaption, data: SensitivityMap, out_is_current: bool) -> None:
    """Write title, keys and scale."""
    long, short = _titles(data, out_is_current)
    caption.set(long, _keys(data), short=short)
    caption.set_scale(_marks(data))


def _titles(data: SensitivityMap, out_is_current: bool) -> tuple[str, str]:
    """Long and short."""
    unit = metric_unit(data.metric)
    if data.question == "one-out":
        long = translate("Sensitivity", "What the output wins when only this kernel of the plan is restored, dB")
        if not out_is_current:
            long = translate("Sensitivity", "≈ of an older plan: what the output wins when a kernel is restored, dB")
        return long, translate("Sensitivity", "Won by restoring, dB")
    long = translate("Sensitivity", "Output error when only this kernel takes the scheme, {metric}").format(metric=unit)
    return long, translate("Sensitivity", "Output error, {metric}").format(metric=unit)


def _keys(data: SensitivityMap) -> list[Key]:
    keys = [Key(translate("Sensitivity", "current plan"), "frame", "ink")]
    if any(c is not None and c.kind == "estimated" for row in data.cells for c in row):
        keys.append(Key(translate("Sensitivity", "estimate only"), "dot", "ink"))
    if any(kernel in data.blocked for kernel in data.ids):
        keys.append(Key(translate("Sensitivity", "no estimate"), "hatch", "muted"))
    if any(reason is not None for row in data.reasons for reason in row):
        keys.append(Key(translate("Sensitivity", "not on this device"), "cross", "muted"))
    return keys


def _marks(data: SensitivityMap) -> list[tuple[float, str]]:
    """Places on the scale and what stands there."""
    if data.question == "one-out":
        return [(i / 4, f"{MOST_GAIN_DB * i / 4:g}") for i in range(5)]
    if data.metric in DECIBELS:
        none, full = SQNR_LEVELS
        return [(i / 5, f"{none + (full - none) * i / 5:g}") for i in range(6)]
    low, high = LEVELS[data.metric]
    factor = {"top1": 100, "own": 1}.get(data.metric, 1000)
    count = round(log10(high / low))
    return [(i / count, f"{low * factor * 10**i:.3g}") for i in range(count + 1)]
