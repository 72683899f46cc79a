"""The advanced scheme editor: every format beyond the three presets, as one value."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QWidget

from engine.precision.scheme import (
    BF16,
    BRAIN,
    FP16,
    HALF,
    INT4,
    ActivationFormat,
    Granularity,
    Scheme,
    WeightFormat,
    family,
    label,
)
from gui.views.scheme_words import METHOD_NAMES, method_name
from gui.widgets.themed import label as text_label

INTEGERS = (2, 3, 4, 8)
"""Widths of weights."""
FLOATS = {"fp16": FP16, "bf16": BF16}
"""Schemes whose weights are floats of 16 bits, by the value of the choice."""
GROUPS = (16, 32, 64, 128, 256)
GRANULARITIES: tuple[Granularity, ...] = ("tensor", "channel", "group")
ACTIVATIONS = ("int4", "int8", "int16", "fp16", "bf16")
_ROWS = ("weights", "granularity", "group", "method", "activations")


class SchemeEditor(QWidget):
    """Shows a scheme and lets it be changed; `edited` carries each new value.

    Args:
        narrow: what can be ticked stands below its list instead of beside it, for a dock at the side.
    """

    edited = Signal(object)

    def __init__(self, parent: QWidget | None = None, *, narrow: bool = False) -> None:
        super().__init__(parent)
        self._showing = False
        self._labels = {name: text_label(role="caption") for name in _ROWS}
        self.bits = QComboBox()
        self.symmetric = QCheckBox()
        self.granularity = QComboBox()
        self.group = QComboBox()
        self.method = QComboBox()
        self.corrected = QCheckBox()
        self.activations = QComboBox()
        self.activations_symmetric = QCheckBox()
        self.static = QCheckBox()
        for bits in INTEGERS:
            self.bits.addItem(f"INT{bits}", bits)
        for kind in FLOATS:
            self.bits.addItem(kind.upper(), kind)
        for size in GROUPS:
            self.group.addItem(str(size), size)
        for kind in ACTIVATIONS:
            self.activations.addItem(kind.upper(), kind)
        for kind in GRANULARITIES:
            self.granularity.addItem("", kind)
        for name in METHOD_NAMES:
            self.method.addItem("", name)
        self._lay_out(narrow)
        self.retranslate()
        for box in (self.bits, self.granularity, self.group, self.method, self.activations):
            box.currentIndexChanged.connect(self._on_edit)
        for check in (self.symmetric, self.corrected, self.activations_symmetric, self.static):
            check.toggled.connect(self._on_edit)
        self.show_scheme(INT4)

    def _lay_out(self, narrow: bool) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        rows: tuple[tuple[str, QWidget, QWidget | None], ...] = (
            ("weights", self.bits, self.symmetric),
            ("granularity", self.granularity, None),
            ("group", self.group, None),
            ("method", self.method, self.corrected),
            ("activations", self.activations, self.activations_symmetric),
        )
        place = 0
        for name, first, second in rows:
            grid.addWidget(self._labels[name], place, 0)
            grid.addWidget(first, place, 1)
            if second is not None:
                place += narrow
                grid.addWidget(second, place, 1 if narrow else 2)
            place += 1
        grid.addWidget(self.static, place, 0 if narrow else 1, 1, 2)
        grid.setColumnStretch(1, 1)

    def retranslate(self) -> None:
        """Write the texts again."""
        words = {
            "weights": self.tr("Weights"),
            "granularity": self.tr("Scale"),
            "group": self.tr("Group size"),
            "method": self.tr("Method"),
            "activations": self.tr("Activations"),
        }
        names = {"tensor": self.tr("per tensor"), "channel": self.tr("per channel"), "group": self.tr("per group")}
        for key, made in self._labels.items():
            made.setText(words[key])
        for place, kind in enumerate(GRANULARITIES):
            self.granularity.setItemText(place, names[kind])
        for place, name in enumerate(METHOD_NAMES):
            self.method.setItemText(place, method_name(name))
        boxes = (self.bits, self.granularity, self.group, self.method, self.activations)
        for box, key in zip(boxes, self._labels, strict=True):
            box.setAccessibleName(words[key])
            self._labels[key].setBuddy(box)
        self.corrected.setText(self.tr("correct bias"))
        self.corrected.setToolTip(self.tr("The bias makes good what the rounded weights change on average."))
        self.symmetric.setText(self.tr("symmetric"))
        self.activations_symmetric.setText(self.tr("symmetric"))
        self.static.setText(self.tr("static range from calibration"))

    def without_methods(self) -> None:
        """Ask for formats only."""
        for part in (self._labels["method"], self.method, self.corrected):
            part.hide()

    def show_scheme(self, scheme: Scheme) -> None:
        """Show a value without a signal."""
        self._showing = True
        weights, activations = scheme.weights, scheme.activations
        _choose(self.bits, ("bf16" if weights.brain else "fp16") if weights.floating else weights.bits)
        self.symmetric.setChecked(weights.symmetric and not weights.floating)
        _choose(self.granularity, weights.granularity)
        if self.group.findData(weights.group) < 0 and weights.group > 0:
            self.group.addItem(str(weights.group), weights.group)
        _choose(self.group, weights.group or 32)
        _choose(self.method, scheme.method)
        self.corrected.setChecked(scheme.corrected)
        floats = "bf16" if activations.brain else "fp16"
        _choose(self.activations, floats if activations.floating else f"int{activations.bits}")
        self.activations_symmetric.setChecked(activations.symmetric)
        self.static.setChecked(activations.static)
        self._enable()
        self._showing = False

    def scheme(self) -> Scheme:
        """The value on show."""
        bits = self.bits.currentData()
        if bits in FLOATS:
            return FLOATS[bits]
        granularity = cast(Granularity, self.granularity.currentData())
        group = int(self.group.currentData()) if granularity == "group" else 0
        weights = WeightFormat(bits, symmetric=self.symmetric.isChecked(), granularity=granularity, group=group)
        method, corrected = str(self.method.currentData()), self.corrected.isChecked()
        kind = str(self.activations.currentData())
        if kind in FLOATS:
            return Scheme(weights, BRAIN if kind == "bf16" else HALF, method, corrected)
        form = ActivationFormat(
            int(kind.removeprefix("int")),
            symmetric=self.activations_symmetric.isChecked(),
            static=self.static.isChecked() or kind == "int4",
        )
        return Scheme(weights, form, method, corrected)

    def _on_edit(self) -> None:
        self._enable()
        if not self._showing:
            self.edited.emit(self.scheme())

    def _enable(self) -> None:
        """What has no meaning for the chosen format can't be set."""
        integer = self.bits.currentData() not in FLOATS
        ranged = integer and self.activations.currentData() not in FLOATS
        for part in (self.symmetric, self.granularity, self.method, self.corrected, self.activations):
            part.setEnabled(integer)
        self.group.setEnabled(integer and self.granularity.currentData() == "group")
        self.activations_symmetric.setEnabled(ranged)
        # Codes of 4 bits only exist with static ranges.
        self.static.setEnabled(ranged and self.activations.currentData() != "int4")


def describe(scheme: Scheme) -> str:
    """A scheme in one line: "W4A16 · INT4 family"."""
    name, kind = label(scheme), family(scheme)
    return name if name == kind else f"{name} ({kind})"


def _choose(box: QComboBox, value: object) -> None:
    place = box.findData(value, Qt.ItemDataRole.UserRole)
    if place >= 0:
        box.setCurrentIndex(place)
