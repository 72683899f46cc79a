"""The filter bar of the Layers view: words or rules, chips by precision, operator kind and threshold."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QWidget

from gui import format as form
from gui.icons import icon
from gui.theme import Theme
from gui.views.layers_order import FAMILIES, Filter, below_required, family_counts, kind_counts
from gui.views.layers_rows import LayerRows
from gui.views.words import kind_word
from gui.widgets.chip import Chip
from gui.widgets.escape import EscapeFirst
from gui.widgets.popup import one_use_menu
from gui.widgets.themed import button

DEBOUNCE_MS = 150
HEIGHT = 36
INPUT_EDGES = 48
"""Px of the input that its icon and edges take."""


class FilterBar(QWidget):
    """Changes a `Filter` value; typing is waited for, chips act at once."""

    changed = Signal(object)
    """Carries the new Filter."""
    bulk_edit_pressed = Signal()
    left_downwards = Signal()
    """Enter, Down or Esc in the input: the keys belong to the table again."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._filter = Filter()
        self._rows: LayerRows | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DEBOUNCE_MS)
        self._timer.timeout.connect(self._take_text)
        self.input = QLineEdit()
        self._leading = QAction(self)
        self.input.addAction(self._leading, QLineEdit.ActionPosition.LeadingPosition)
        self.input.setClearButtonEnabled(True)
        self.input.setFixedHeight(24)
        self.input.textEdited.connect(lambda _: self._timer.start())
        self.input.textChanged.connect(self._on_text_changed)
        self.input.installEventFilter(self)
        EscapeFirst(self.input)
        self.chips = {name: Chip(name, family=name) for name in FAMILIES}
        for name, chip in self.chips.items():
            chip.toggled.connect(lambda on, name=name: self._toggle_family(name, on))
        self.ops = Chip()
        self.ops.setCheckable(True)
        self.ops.clicked.connect(self._show_ops)
        self.threshold = Chip()
        self.threshold.toggled.connect(lambda on: self._set(below_required=on))
        self.bulk = button()
        self.bulk.clicked.connect(self.bulk_edit_pressed)
        self._lay_out()
        self.retranslate()
        self.apply_theme(theme)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 0, 14, 0)
        row.setSpacing(6)
        row.addWidget(self.input, 1)
        row.addSpacing(4)
        for chip in (*self.chips.values(), self.ops, self.threshold):
            row.addWidget(chip)
        row.addStretch(1)
        row.addWidget(self.bulk)
        self.input.setMinimumWidth(120)
        self.input.setMaximumWidth(250)
        self.setFixedHeight(HEIGHT)
        row.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)

    @property
    def filter(self) -> Filter:
        """What is asked for."""
        return self._filter

    def clear(self) -> None:
        """Show everything again."""
        self._timer.stop()
        for chip in (*self.chips.values(), self.threshold):
            chip.blockSignals(True)
            chip.setChecked(False)
            chip.blockSignals(False)
        self.ops.setChecked(False)
        self.input.clear()
        self._timer.stop()
        self._replace(Filter())

    def stop(self) -> None:
        """Nothing is waited for any more."""
        self._timer.stop()

    def focus_input(self, text: str = "") -> None:
        """Let the user type."""
        self.input.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if text:
            self.input.setText(text)
        self.input.selectAll()

    def set_rows(self, rows: LayerRows | None) -> None:
        """Bring the counts up to date."""
        self._rows = rows
        counts = family_counts(rows) if rows is not None else dict.fromkeys(FAMILIES, 0)
        for name, chip in self.chips.items():
            chip.set_count(str(counts[name]))
        known = rows is not None and rows.required_db == rows.required_db
        self.threshold.setEnabled(known)
        if rows is not None and known:
            self.threshold.setText(self.tr("SQNR < {0}").format(form.sqnr(rows.required_db)))
            self.threshold.set_count(str(int(below_required(rows).sum())))
        self._fold()

    def retranslate(self) -> None:
        """Write the texts again."""
        self.input.setAccessibleName(self.tr("Filter"))
        self.input.setToolTip(
            self.tr(
                "Words must all be found in name, op, precision, bound or note.\n"
                "Rules: latency>20, sqnr<22, local<30, weights>100, macs>1000000,\n"
                "is:changed, is:locked, is:cpu, is:unsupported, is:slower, is:tunable, is:noted"
            )
        )
        self.bulk.setAccessibleName(self.tr("Bulk edit…"))
        self._label_ops()
        self.set_rows(self._rows)

    def apply_theme(self, theme: Theme) -> None:
        """Recolour the icons."""
        self._leading.setIcon(icon("filter", theme.muted, 14))
        self.bulk.setIcon(icon("sliders", theme.text, 14))

    def eventFilter(self, watched: QWidget, event: QEvent) -> bool:  # type: ignore[override]
        """Enter and Down go to the table, Esc empties the filter first."""
        if watched is self.input and event.type() == QEvent.Type.Resize:
            self._name_input()
        if watched is self.input and event.type() == QEvent.Type.KeyPress:
            assert isinstance(event, QKeyEvent)
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down):
                self._take_text()
                self.left_downwards.emit()
                return True
            if event.key() == Qt.Key.Key_Escape:
                if self._filter.active or self.input.text():
                    self.clear()
                self.left_downwards.emit()
                return True
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide what has no room."""
        super().resizeEvent(event)
        self._fold()

    def minimumSizeHint(self) -> QSize:
        """The input alone."""
        return QSize(self.input.minimumWidth() + 24, HEIGHT)

    def _fold(self) -> None:
        """The threshold gives way first, then operators, the button's text, the chips; the input stays."""
        self._name_input()
        room = self.width() - 24 - 4 - self.input.minimumWidth()
        words = self.tr("Bulk edit…")
        widths = []
        for shown in ("", words):
            self.bulk.setText(shown)
            widths.append(self.bulk.sizeHint().width())
        narrow, wide = widths
        self.bulk.setToolTip("" if room >= narrow + 6 + wide else words)
        room -= narrow + 6
        for chip in self.chips.values():
            room -= chip.sizeHint().width() + 6
            chip.setVisible(room >= 0)
        room -= wide - narrow
        self.bulk.setText(words if room >= 0 else "")
        for chip, usable in ((self.ops, True), (self.threshold, self.threshold.isEnabled())):
            room -= chip.sizeHint().width() + 6
            chip.setVisible(usable and (room >= 0 or chip.isChecked()))

    def _name_input(self) -> None:
        """Say in the input what it takes, as far as there is room."""
        room = self.input.width() - INPUT_EDGES
        wordings = (
            self.tr("Filter by name, op, precision or rule"),
            self.tr("Filter by name, op or rule"),
            self.tr("Name, op or rule"),
            self.tr("Filter"),
        )
        fits = (words for words in wordings if self.input.fontMetrics().horizontalAdvance(words) <= room)
        self.input.setPlaceholderText(next(fits, wordings[-1]))

    def _on_text_changed(self, text: str) -> None:
        # The clear button changes the text without `textEdited`.
        if not text:
            self._take_text()

    def _take_text(self) -> None:
        self._timer.stop()
        self._set(text=self.input.text().strip())

    def _toggle_family(self, name: str, on: bool) -> None:
        now = self._filter.families
        self._set(families=now | {name} if on else now - {name})

    def _set(
        self,
        text: str | None = None,
        families: frozenset[str] | None = None,
        ops: frozenset[str] | None = None,
        below_required: bool | None = None,
    ) -> None:
        old = self._filter
        self._replace(
            Filter(
                old.text if text is None else text,
                old.families if families is None else families,
                old.ops if ops is None else ops,
                old.below_required if below_required is None else below_required,
            )
        )

    def _replace(self, wanted: Filter) -> None:
        if wanted == self._filter:
            return
        self._filter = wanted
        self._label_ops()
        self.changed.emit(wanted)

    def _label_ops(self) -> None:
        chosen = self._filter.ops
        self.ops.setChecked(bool(chosen))
        if not chosen:
            self.ops.setText(self.tr("all ops"))
        elif len(chosen) == 1:
            self.ops.setText(kind_word(next(iter(chosen))))
        else:
            self.ops.setText(self.tr("%n kind(s)", "", len(chosen)))
        self.ops.updateGeometry()

    def ops_menu(self) -> QMenu:
        """The choice of operator kinds, with counts."""
        menu = one_use_menu(self)
        everything = menu.addAction(self.tr("all ops"))
        everything.triggered.connect(lambda: self._set(ops=frozenset()))
        menu.addSeparator()
        for kind, count in kind_counts(self._rows).items() if self._rows is not None else ():
            action = menu.addAction(f"{kind_word(kind)}\t{count}")
            action.setCheckable(True)
            action.setChecked(kind in self._filter.ops)
            action.toggled.connect(lambda on, kind=kind: self._toggle_kind(kind, on))
        return menu

    def _toggle_kind(self, kind: str, on: bool) -> None:
        now = self._filter.ops
        self._set(ops=now | {kind} if on else now - {kind})

    def _show_ops(self) -> None:
        self._label_ops()
        menu = self.ops_menu()
        menu.popup(self.ops.mapToGlobal(QPoint(0, self.ops.height() + 2)))
