"""Colours of the window, light and dark, and the object that says which are in use.

Widgets take colours from a `Theme` by token name, never a literal. Every token is a `QColor`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPalette

Mode = Literal["light", "dark", "system"]
Family = Literal["INT4", "INT8", "FP16", "FP32", "CPU"]


@dataclass(frozen=True, slots=True)
class PrecisionColors:
    """The four colours of one weight precision."""

    main: QColor
    soft: QColor
    line: QColor
    text: QColor
    """Readable on `soft`."""


@dataclass(frozen=True, slots=True)
class Theme:
    """One set of colours. `muted` becomes `text2` on a selected row; `faint` is for what can't be used."""

    name: str
    dark: bool
    window: QColor
    panel: QColor
    raised: QColor
    sunken: QColor
    text: QColor
    text2: QColor
    muted: QColor
    faint: QColor
    border: QColor
    strong: QColor
    hair: QColor
    grid: QColor
    accent: QColor
    accent_soft: QColor
    on_accent: QColor
    selection: QColor
    hover: QColor
    good: QColor
    warn: QColor
    warn_soft: QColor
    bad: QColor
    bad_soft: QColor
    ink: QColor
    bar: QColor
    bar2: QColor
    ghost: QColor
    int4: PrecisionColors
    int8: PrecisionColors
    fp16: PrecisionColors
    none: PrecisionColors
    heat: tuple[QColor, ...]
    """Error and sensitivity, low to high."""
    cool: tuple[QColor, ...]
    """Latency, bytes and values, low to high."""
    diverging: tuple[QColor, ...]
    """B - A, zero in the middle."""
    die: QColor
    package: QColor
    skin: QColor
    band_alpha: float
    """Opacity of a selection band on a plot."""

    def precision(self, family: str) -> PrecisionColors:
        """Colours of a precision family; FP32, CPU and unknown names are grey."""
        return {"INT4": self.int4, "INT8": self.int8, "FP16": self.fp16}.get(family, self.none)


def _c(value: str) -> QColor:
    return QColor(value)


def _four(main: str, soft: str, line: str, text: str) -> PrecisionColors:
    return PrecisionColors(_c(main), _c(soft), _c(line), _c(text))


def _map(stops: str) -> tuple[QColor, ...]:
    return tuple(_c(stop) for stop in stops.split())


LIGHT = Theme(
    name="light",
    dark=False,
    window=_c("#E7EAEE"),
    panel=_c("#FFFFFF"),
    raised=_c("#F5F6F8"),
    sunken=_c("#EEF1F4"),
    text=_c("#14181D"),
    text2=_c("#3F4853"),
    muted=_c("#5E6975"),
    faint=_c("#9AA4AF"),
    border=_c("#D9DEE4"),
    strong=_c("#BCC5CF"),
    hair=_c("#ECEFF2"),
    grid=_c("#E6E9ED"),
    accent=_c("#1D5FD1"),
    accent_soft=_c("#E6EEFC"),
    on_accent=_c("#FFFFFF"),
    selection=_c("#DCE8FB"),
    hover=_c("#EDF2FA"),
    good=_c("#137738"),
    warn=_c("#BC3F0C"),
    warn_soft=_c("#FDEBDD"),
    bad=_c("#AD1237"),
    bad_soft=_c("#FBE3E8"),
    ink=_c("#14181D"),
    bar=_c("#7D8A97"),
    bar2=_c("#CBD2D9"),
    ghost=_c("#7F8C99"),
    int4=_four("#BF8300", "#FBEFCB", "#D9A72E", "#694700"),
    int8=_four("#0B8A86", "#D5F0EE", "#54B5B1", "#085653"),
    fp16=_four("#6D4BD0", "#E9E2FB", "#A78FE6", "#46289F"),
    none=_four("#7A8592", "#E6E9ED", "#AEB7C1", "#3F4853"),
    heat=_map("#FBF7EF #F9DFAE #F2A860 #DB5F4C #A02A55 #571447"),
    cool=_map("#F1F6FA #C6DDEE #83B5DA #3F80BC #1A4F8C #0B2850"),
    diverging=_map("#164C86 #5E93C5 #B9D2E6 #F6F5F2 #EFC6A5 #D07C40 #8A3F0C"),
    die=_c("#E06C9F"),
    package=_c("#8A6D3B"),
    skin=_c("#14181D"),
    band_alpha=0.12,
)

DARK = Theme(
    name="dark",
    dark=True,
    window=_c("#0C0F13"),
    panel=_c("#161A20"),
    raised=_c("#1C2128"),
    sunken=_c("#11151A"),
    text=_c("#E8EBEF"),
    text2=_c("#BCC4CD"),
    muted=_c("#8B95A1"),
    faint=_c("#5F6975"),
    border=_c("#272E37"),
    strong=_c("#3B4552"),
    hair=_c("#20262E"),
    grid=_c("#232A32"),
    accent=_c("#6AA6FF"),
    accent_soft=_c("#1B2A44"),
    on_accent=_c("#0B1626"),
    selection=_c("#1F3357"),
    hover=_c("#222A35"),
    good=_c("#4CC38A"),
    warn=_c("#FF8A4C"),
    warn_soft=_c("#3A2316"),
    bad=_c("#FF6884"),
    bad_soft=_c("#3C1A23"),
    ink=_c("#F2F4F7"),
    bar=_c("#7F8B98"),
    bar2=_c("#3A434E"),
    ghost=_c("#6B7683"),
    int4=_four("#F4CD5D", "#3B3217", "#A98B36", "#F8DD8C"),
    int8=_four("#35C2B8", "#13373A", "#25857F", "#7FE3DB"),
    fp16=_four("#A58BF7", "#2C2551", "#7460B4", "#CBBBFF"),
    none=_four("#8B95A1", "#2A313A", "#56616D", "#BCC4CD"),
    heat=_map("#1B1F27 #3E2350 #7F2A63 #C7475A #F3914E #FBE3A0"),
    cool=_map("#1A2029 #1D3855 #24608F #3F92C4 #86C3E3 #E0F3FB"),
    diverging=_map("#A9D3F7 #4F95D2 #274B72 #1E232A #7A4420 #D98242 #FFD3A8"),
    die=_c("#FF9CC2"),
    package=_c("#D9B382"),
    skin=_c("#F2F4F7"),
    band_alpha=0.22,
)


def palette(theme: Theme) -> QPalette:
    """The Qt palette of a theme, for all that the style sheet leaves to the style."""
    result = QPalette()
    role = QPalette.ColorRole
    for which, color in (
        (role.Window, theme.panel),
        (role.WindowText, theme.text),
        (role.Base, theme.panel),
        (role.AlternateBase, theme.raised),
        (role.ToolTipBase, theme.raised),
        (role.ToolTipText, theme.text),
        (role.PlaceholderText, theme.muted),
        (role.Text, theme.text),
        (role.Button, theme.raised),
        (role.ButtonText, theme.text),
        (role.BrightText, theme.bad),
        (role.Link, theme.accent),
        (role.LinkVisited, theme.accent),
        (role.Highlight, theme.selection),
        (role.HighlightedText, theme.text),
        (role.Light, theme.raised),
        (role.Midlight, theme.hair),
        (role.Mid, theme.border),
        (role.Dark, theme.strong),
        (role.Shadow, theme.window),
        (role.Accent, theme.accent),
    ):
        result.setColor(which, color)
    for which in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, which, theme.faint)
    return result


class ThemeManager(QObject):
    """Knows the theme in use and announces a change. Views read `theme` and connect to `changed`."""

    changed = Signal(object)
    """Carries the new Theme."""

    def __init__(self) -> None:
        super().__init__()
        self._mode: Mode = "light"
        self._theme = LIGHT

    @property
    def theme(self) -> Theme:
        """The colours in use."""
        return self._theme

    @property
    def mode(self) -> Mode:
        """What the user asked for."""
        return self._mode

    def set_mode(self, mode: Mode) -> None:
        """Use light or dark colours, or follow the desktop."""
        self._mode = mode
        theme = _system_theme() if mode == "system" else DARK if mode == "dark" else LIGHT
        if theme is not self._theme:
            self._theme = theme
            self.changed.emit(theme)

    def system_changed(self) -> None:
        """The desktop switched between light and dark."""
        if self._mode == "system":
            self.set_mode("system")


def _system_theme() -> Theme:
    hints = QGuiApplication.styleHints()
    return DARK if hints.colorScheme() == Qt.ColorScheme.Dark else LIGHT


theme_manager = ThemeManager()
"""The one manager of the process."""
