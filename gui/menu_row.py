"""The top row: logo, menus, layout tabs, search, language, colours, help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenuBar, QSizePolicy, QWidget

from gui.actions import Actions
from gui.commands import shown
from gui.docks import available
from gui.i18n import language
from gui.layouts import LAYOUTS
from gui.logo import paint_logo
from gui.menus import Menus
from gui.theme import Theme, theme_manager
from gui.widgets.icon_button import IconButton
from gui.widgets.layout_tabs import LayoutTabs
from gui.widgets.search_button import SearchButton
from gui.widgets.segmented import SegmentedControl

if TYPE_CHECKING:
    from gui.window import Window

HEIGHT = 34


class Logo(QWidget):
    """The nibble mark in the colours of the three precisions."""

    def __init__(self, cell: float = 7.0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cell = cell
        edge = round(cell * 2 + cell / 3.5)
        self.setFixedSize(edge, edge)
        theme_manager.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw four cells."""
        paint_logo(QPainter(self), QPointF(0, 0), self._cell, theme_manager.theme)


class MenuRow(QWidget):
    """34 px high; the tabs stand in the middle of the window."""

    layout_chosen = Signal(str)

    def __init__(self, menus: Menus, actions: Actions, window: Window) -> None:
        super().__init__(window)
        self.setObjectName("menuRow")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(HEIGHT)
        self._menus, self._actions = menus, actions
        self.bar = QMenuBar(self)
        self.bar.setNativeMenuBar(False)
        self.bar.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.tabs = LayoutTabs(self)
        self.search = SearchButton(self)
        self.language = SegmentedControl((("en", "EN"), ("zh", "中")), language(), height=22)
        self.colors = IconButton("moon", size=16)
        self.help = IconButton("help", size=16)
        self._build()
        self.tabs.chosen.connect(self.layout_chosen)
        self.search.clicked.connect(actions.palette)
        self.language.chosen.connect(actions.language)
        self.colors.clicked.connect(lambda: actions.theme("light" if theme_manager.theme.dark else "dark"))
        self.help.clicked.connect(actions.shortcuts)
        theme_manager.changed.connect(self._apply_theme)
        self.retranslate()

    def _build(self) -> None:
        self._left, self._right = QWidget(self), QWidget(self)
        left = QHBoxLayout(self._left)
        left.setContentsMargins(12, 0, 0, 0)
        left.setSpacing(8)
        left.addWidget(Logo())
        left.addWidget(self.bar)
        left.addStretch()
        right = QHBoxLayout(self._right)
        right.setContentsMargins(0, 0, 8, 0)
        right.setSpacing(4)
        right.addStretch()
        right.addWidget(self.search, 100)
        right.addSpacing(6)
        for part in (self.language, self.colors, self.help):
            right.addWidget(part)

    def set_ready(self, model: bool, current: str) -> None:
        """Whether there is a model to lay out, and the layout in use."""
        names = (self.tr("Tune"), self.tr("Profile"), self.tr("Sweep"), self.tr("Compare"), self.tr("Graph"))
        titles = dict(zip(LAYOUTS, names, strict=True))
        reasons = {} if model else dict.fromkeys(LAYOUTS, self.tr("Open a model first"))
        if not available("graph"):
            reasons["graph"] = self.tr("This version has no graph view yet; Layers lists the same kernels in order")
        self.tabs.set_tabs(list(titles.items()), reasons)
        self.tabs.set_current(current if model else "")
        self._place()

    def retranslate(self) -> None:
        """Write all texts again."""
        self._menus.fill_bar(self.bar)
        self.search.setText(self.tr("Search kernels and commands"))
        self.search.setAccessibleName(self.search.text())
        self.tabs.setAccessibleName(self.tr("Window layout"))
        self.language.set_current(language())
        self.language.setAccessibleName(self.tr("Language"))
        self.language.setToolTip("English, 中文")
        self.help.set_tip(shown("Shortcuts"))
        self._apply_theme(theme_manager.theme)
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the tabs in the middle."""
        self._place()

    def sizeHint(self) -> QSize:
        """As wide as it may be."""
        return QSize(1280, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """Room for menus and tabs."""
        return QSize(760, HEIGHT)

    def _place(self) -> None:
        width = self.width()
        self.tabs.set_pad(20 if width >= 1200 else 13 if width >= 1000 else 8)
        middle = self.tabs.sizeHint().width()
        menus = self.bar.sizeHint().width() + 48
        start = max(menus, (width - middle) // 2)
        self._left.setGeometry(0, 0, start, HEIGHT - 1)
        self.tabs.setGeometry(start, 0, middle, HEIGHT)
        self._right.setGeometry(start + middle + 12, 0, max(0, width - start - middle - 12), HEIGHT - 1)

    def _apply_theme(self, theme: Theme) -> None:
        self.colors.set_icon_name("sun" if theme.dark else "moon")
        self.colors.set_tip(self.tr("Light colours") if theme.dark else self.tr("Dark colours"))
