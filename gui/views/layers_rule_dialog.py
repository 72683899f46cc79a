"""Bulk edit by rule: which kernels (name, kind, precision, threshold) and what they get, with a live count."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from engine.precision.notation import READY
from engine.precision.scheme import FP16, INT4, INT8, PRESETS, Scheme, label
from gui.views.layers_columns import title, unit
from gui.views.layers_order import FAMILIES, Filter, kind_counts, matching
from gui.views.layers_rows import LayerRows
from gui.views.scheme_editor import SchemeEditor
from gui.views.scheme_words import scheme_words
from gui.views.words import kind_word
from gui.widgets.themed import button
from gui.widgets.themed import label as text_label

THRESHOLDS = ("accumulated", "local", "sensitivity", "latency", "weights", "macs", "params")
SCHEMES = (INT4, INT8, FP16, *(scheme for scheme in READY if scheme not in (INT4, INT8, FP16)))
_SHOWN = 4
"""Names that are listed under the count."""


class RuleDialog(QDialog):
    """All conditions have to hold. Nothing is edited before Apply; the edit is one undo step."""

    def __init__(self, rows: LayerRows, start: Filter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = rows
        self.setWindowTitle(self.tr("Bulk edit by rule"))
        self.text = QLineEdit(start.text)
        self.kind = QComboBox()
        self.family = QComboBox()
        self.column = QComboBox()
        self.relation = QComboBox()
        self.limit = QDoubleSpinBox()
        self.target = QComboBox()
        self.editor = SchemeEditor()
        self._count = text_label(role="heading")
        self._names = text_label(role="caption")
        self.buttons = QDialogButtonBox()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(150)
        self._timer.timeout.connect(self._write)
        self._fill(start)
        self._lay_out()
        self._connect()
        self._write()

    def _fill(self, start: Filter) -> None:
        self.text.setPlaceholderText(self.tr("any name; rules such as is:changed work here too"))
        self.kind.addItem(self.tr("any kind"), "")
        for kind, count in kind_counts(self._rows).items():
            self.kind.addItem(f"{kind_word(kind)} ({count})", kind)
        if len(start.ops) == 1:
            self.kind.setCurrentIndex(self.kind.findData(next(iter(start.ops))))
        self.family.addItem(self.tr("any precision"), "")
        for name in FAMILIES:
            self.family.addItem(name, name)
        if len(start.families) == 1:
            self.family.setCurrentIndex(self.family.findData(next(iter(start.families))))
        self.column.addItem(self.tr("no threshold"), "")
        for key in THRESHOLDS:
            quantity = unit(key, self._rows)
            self.column.addItem(f"{title(key)} ({quantity})" if quantity else title(key), key)
        self.relation.addItem("<", "<")
        self.relation.addItem(">", ">")
        self.limit.setRange(-1e12, 1e12)
        self.limit.setDecimals(2)
        for scheme in SCHEMES:
            words = "" if scheme in PRESETS.values() else scheme_words(scheme)
            self.target.addItem(f"{label(scheme)}  {words}".rstrip(), scheme)
        self.target.addItem(self.tr("Advanced"), None)
        self.target.setCurrentIndex(1)
        self.editor.hide()

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(8)
        threshold = QHBoxLayout()
        threshold.setSpacing(6)
        threshold.addWidget(self.column, 1)
        threshold.addWidget(self.relation)
        threshold.addWidget(self.limit)
        for place, (words, part) in enumerate(
            (
                (self.tr("Name or rule"), self.text),
                (self.tr("Kind"), self.kind),
                (self.tr("Precision now"), self.family),
            )
        ):
            caption = QLabel(words)
            caption.setBuddy(part)
            grid.addWidget(caption, place, 0)
            grid.addWidget(part, place, 1)
        grid.addWidget(QLabel(self.tr("Threshold")), 3, 0)
        grid.addLayout(threshold, 3, 1)
        grid.addWidget(QLabel(self.tr("Set to")), 5, 0)
        grid.addWidget(self.target, 5, 1)
        grid.addWidget(self.editor, 6, 1)
        grid.setRowMinimumHeight(4, 6)
        grid.setColumnStretch(1, 1)
        for part, words in (
            (self.column, self.tr("Threshold")),
            (self.relation, self.tr("Relation")),
            (self.limit, self.tr("Limit")),
            (self.target, self.tr("Set to")),
        ):
            part.setAccessibleName(words)
        self._names.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addLayout(grid)
        column.addWidget(self._count)
        column.addWidget(self._names)
        column.addStretch(1)
        column.addWidget(self.buttons)
        self.setMinimumWidth(460)

    def _connect(self) -> None:
        apply = button(self.tr("Apply"), primary=True)
        apply.setDefault(True)
        self.buttons.addButton(apply, QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.addButton(self.tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        self.apply = apply
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.text.textChanged.connect(lambda _: self._timer.start())
        for box in (self.kind, self.family, self.column, self.relation):
            box.currentIndexChanged.connect(self._write)
        self.limit.valueChanged.connect(lambda _: self._write())
        self.target.currentIndexChanged.connect(self._on_target)

    def _on_target(self) -> None:
        self.editor.setVisible(self.target.currentData(Qt.ItemDataRole.UserRole) is None)
        self._write()

    def rule(self) -> Filter:
        """The conditions as a filter."""
        text = self.text.text().strip()
        if self.column.currentData():
            text += f" {self.column.currentData()}{self.relation.currentData()}{self.limit.value():.10g}"
        family, kind = self.family.currentData(), self.kind.currentData()
        return Filter(text, frozenset({family} if family else ()), frozenset({kind} if kind else ()))

    def kernels(self) -> list[int]:
        """Kernel indices that match and can be edited."""
        keep = matching(self._rows, self.rule()) & self._rows.shape.tunable & ~self._rows.locked
        return [int(i) for i in np.flatnonzero(keep)]

    def locked(self) -> int:
        """How many match but are locked."""
        keep = matching(self._rows, self.rule()) & self._rows.shape.tunable & self._rows.locked
        return int(keep.sum())

    def scheme(self) -> Scheme:
        """What they get."""
        chosen = self.target.currentData(Qt.ItemDataRole.UserRole)
        return chosen if isinstance(chosen, Scheme) else self.editor.scheme()

    def accept(self) -> None:
        """Apply to at least one kernel."""
        self._timer.stop()
        if self.kernels():
            super().accept()

    def done(self, result: int) -> None:
        """Closed: the count need not be kept up any more."""
        self._timer.stop()
        super().done(result)

    def _write(self) -> None:
        self._timer.stop()
        threshold = bool(self.column.currentData())
        self.relation.setEnabled(threshold)
        self.limit.setEnabled(threshold)
        found = self.kernels()
        words = self.tr("%n kernel(s) match", "", len(found))
        if locked := self.locked():
            words += " · " + self.tr("%n locked kernel(s) stay as they are", "", locked)
        self._count.setText(words)
        names = ", ".join(self._rows.shape.names[i] for i in found[:_SHOWN])
        more = len(found) - _SHOWN
        self._names.setText(names + (", " + self.tr("and %n more", "", more) if more > 0 else ""))
        self.apply.setEnabled(bool(found))
