"""The style sheet: a template of resources/style filled with the colours of a theme, and its use on the program."""

from __future__ import annotations

import atexit
from dataclasses import fields
from functools import lru_cache
from string import Template

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QStyleFactory

from engine.asides import Aside, scratch
from engine.paths import resources
from gui import accessible
from gui.fonts import font
from gui.icons import pixmap
from gui.paint.colour import blend
from gui.theme import Theme, palette, theme_manager


def style_sheet(theme: Theme) -> str:
    """The style sheet in the colours of a theme."""
    colors = {f.name: value.name() for f in fields(theme) if isinstance(value := getattr(theme, f.name), QColor)}
    icons = {
        "icon_check": _icon_file("check", theme.on_accent.name()),
        "icon_chevron_down": _icon_file("chevron-down", theme.muted.name()),
    }
    hover = blend(theme.accent, theme.ink if not theme.dark else QColor("#FFFFFF"), 0.14).name()
    return Template(_template()).substitute(colors, accent_hover=hover, **icons)


def install(app: QApplication, *, sheet: bool = True) -> None:
    """Give the program its style, font and colours, now and whenever the theme changes.

    Args:
        app: The program.
        sheet: Set the style sheet on the whole program. A `Window` dresses itself, five times as fast, and needs
            none; widgets shown without a window do.
    """
    accessible.install()
    style = QStyleFactory.create("Fusion")
    if style is not None:
        app.setStyle(style)
    app.setFont(font(12))

    def apply(theme: Theme) -> None:
        app.setPalette(palette(theme))
        if sheet:
            app.setStyleSheet(style_sheet(theme))

    apply(theme_manager.theme)
    theme_manager.changed.connect(apply)


@lru_cache(maxsize=1)
def _template() -> str:
    return (resources() / "style" / "mixbit.qss").read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _folder() -> Aside:
    folder = scratch()
    atexit.register(folder.close)
    return folder


@lru_cache(maxsize=16)
def _icon_file(name: str, rgb: str) -> str:
    """A recoloured icon as a file: style sheets can't take one from memory."""
    path = _folder().path / f"{name}-{rgb.lstrip('#')}.png"
    pixmap(name, QColor(rgb), 14, 2.0).save(str(path))
    return path.as_posix()
