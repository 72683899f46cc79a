"""The list of export targets in three groups, and the names that are proposed for what they write."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStyle, QWidget

from engine.interop.targets import TARGETS, Target
from gui.fonts import font
from gui.i18n import text as translated
from gui.theme import Theme, theme_manager
from gui.widgets.themed import follow_theme

OWN = ("qdq", "plan", "csv", "report", "trace", "op_summary", "rules", "rules_cpp")
HUAWEI = ("amct_ptq", "amct_qat", "atc", "dopt", "dopt_lm", "mindspore_lite")
_NAME = Qt.ItemDataRole.UserRole
_ROW, _HEAD = 24, 22
_AROUND = 20
"""Px that the title of a row leaves free at its ends."""
_SHARED = frozenset(suffix for suffix, count in Counter(t.suffix for t in TARGETS).items() if count > 1)
"""Suffixes that several targets write: the target's name in front keeps one export from replacing another."""


def proposed_name(target: Target, stem: str) -> str:
    """File or folder name for a target; a file never gets the name of the model itself."""
    if target.form == "file" and (target.suffix in _SHARED or target.suffix == ".onnx"):
        return f"{stem}.{target.name}{target.suffix}"
    return stem + target.suffix


class TargetList(QListWidget):
    """One row per target under the heading of its group; headings can't be chosen."""

    chosen = Signal(str)
    """The name of the target that is current now."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: dict[str, QListWidgetItem] = {}
        self._heads: list[QListWidgetItem] = []
        self.setAccessibleName(self.tr("What to write"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        for heading, targets in self._groups():
            self._add_heading(heading)
            for target in targets:
                self._add_target(target)
        self.currentItemChanged.connect(self._on_current)
        follow_theme(self, self._apply_theme)
        self._apply_theme(theme_manager.theme)

    def whole_width(self) -> int:
        """Px in which every title has room, with the scroll bar."""
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        widest = max(self.fontMetrics().horizontalAdvance(item.text()) for item in self._rows.values())
        return widest + bar + 2 * self.frameWidth() + _AROUND

    @property
    def current(self) -> str:
        """Name of the current target."""
        return str(self.currentItem().data(_NAME))

    def choose(self, name: str) -> None:
        """Make a target the current one."""
        self.setCurrentItem(self._rows[name])
        self.scrollToItem(self._rows[name])

    def place(self, name: str) -> QRect:
        """Where the row of a target is in the viewport, scrolled into sight."""
        self.scrollToItem(self._rows[name])
        return self.visualItemRect(self._rows[name])

    def paintEvent(self, event: QPaintEvent) -> None:
        """The rows, and the focus ring round the current one."""
        super().paintEvent(event)
        if self.hasFocus() and self.currentItem() is not None:
            painter = QPainter(self.viewport())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme_manager.theme.accent, 2))
            painter.drawRoundedRect(self.visualItemRect(self.currentItem()).adjusted(1, 1, -1, -1), 4, 4)

    def _groups(self) -> tuple[tuple[str, tuple[Target, ...]], ...]:
        others = tuple(t for t in TARGETS if t.name not in OWN + HUAWEI)
        return (
            (self.tr("Mixbit"), tuple(t for t in TARGETS if t.name in OWN)),
            (self.tr("Huawei Ascend and Kirin"), tuple(t for t in TARGETS if t.name in HUAWEI)),
            (self.tr("Other toolchains"), others),
        )

    def _add_heading(self, text: str) -> None:
        item = QListWidgetItem(text)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        item.setFont(font(11, 600))
        item.setSizeHint(QSize(0, _HEAD + (8 if self._heads else 0)))
        item.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)
        self._heads.append(item)
        self.addItem(item)

    def _add_target(self, target: Target) -> None:
        item = QListWidgetItem(translated(target.title))
        item.setData(_NAME, target.name)
        item.setToolTip(translated(target.title))
        item.setSizeHint(QSize(0, _ROW))
        self._rows[target.name] = item
        self.addItem(item)

    def _on_current(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.chosen.emit(item.data(_NAME))

    def _apply_theme(self, theme: Theme) -> None:
        for item in self._heads:
            item.setForeground(theme.muted)
