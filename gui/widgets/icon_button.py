"""A button that is an icon: always with a tooltip and an accessible name."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QToolButton, QWidget

from gui.icons import icon
from gui.theme import Theme, theme_manager


class IconButton(QToolButton):
    """A flat icon button whose icon follows the theme."""

    def __init__(
        self, name: str, tip: str = "", *, size: int = 16, token: str = "text2", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._name, self._size, self._token = name, size, token
        self.setIconSize(QSize(size, size))
        self.setFixedSize(size + 8, size + 8)
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_tip(tip)
        self._apply_theme(theme_manager.theme)
        theme_manager.changed.connect(self._apply_theme)

    @property
    def name(self) -> str:
        """Name of the icon."""
        return self._name

    def set_tip(self, tip: str) -> None:
        """Tooltip and accessible name."""
        self.setToolTip(tip)
        self.setAccessibleName(tip)

    def set_icon_name(self, name: str) -> None:
        """Show another icon."""
        if name != self._name:
            self._name = name
            self._apply_theme(theme_manager.theme)

    def _apply_theme(self, theme: Theme) -> None:
        self.setIcon(icon(self._name, getattr(theme, self._token), self._size, disabled=theme.faint))
