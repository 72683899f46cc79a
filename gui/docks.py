"""The docks: one table says which there are, `Dock` holds a view, `DockHost` is the area they live in.

A view is a QWidget made as `View(session, theme)` with title(), subtitle() and the signal subtitle_changed,
header_widgets() for the right side of its header, save_state(), restore_state(), apply_theme(theme), draw_first(),
take_keys() and dispose();
if its class has make_parts(theme), what that gives is made part by part and handed to it as `parts`;
if it has badge(), that count stands after its title, and the signal command_wanted runs a command by its id.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QEvent, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from gui.commands import mark, shown
from gui.theme import Theme, theme_manager
from gui.widgets.dock_title import DockTitle
from gui.widgets.stops import give_keys
from gui.widgets.themed import restyle

if TYPE_CHECKING:
    from engine.session import Session


GAP = 5
"""Px between docks, and above them."""
LOOSE = 28
"""Px that a panel moves aside when it comes loose by a command."""


@dataclass(frozen=True, slots=True)
class DockSpec:
    """A dock and where its view is found; the module is imported when the dock is first shown."""

    id: str
    title: str
    module: str
    name: str
    least: int = 180
    """Px below which its text would be cut."""


DOCKS: tuple[DockSpec, ...] = (
    DockSpec("layers", mark("Layers"), "gui.views.layers", "LayersView"),
    DockSpec("summary", mark("Summary"), "gui.views.summary", "SummaryView", 270),
    DockSpec("kernel", mark("Kernel"), "gui.views.kernel", "KernelView", 290),
    DockSpec("cost", mark("Kernel cost"), "gui.views.cost", "CostView", 262),
    DockSpec("error", mark("Error along the network"), "gui.views.error_profile", "ErrorProfileView"),
    DockSpec("preflight", mark("Preflight"), "gui.views.preflight", "PreflightView"),
    DockSpec("timeline", mark("Timeline"), "gui.views.timeline", "TimelineView"),
    DockSpec("latency", mark("Latency per kernel"), "gui.views.latency", "LatencyView"),
    DockSpec("roofline", mark("Roofline"), "gui.views.roofline", "RooflineView"),
    DockSpec("usage", mark("Utilization"), "gui.views.usage", "UsageView"),
    DockSpec("memory", mark("Memory"), "gui.views.memory", "MemoryView"),
    DockSpec("thermal", mark("Thermal"), "gui.views.thermal", "ThermalView"),
    DockSpec("coldstart", mark("Cold start"), "gui.views.coldstart", "ColdStartView", 262),
    DockSpec("measured", mark("Measured"), "gui.views.measured", "MeasuredView"),
    DockSpec("jitter", mark("Jitter"), "gui.views.jitter", "JitterView"),
    DockSpec("sensitivity", mark("Sensitivity"), "gui.views.sensitivity", "SensitivityView"),
    DockSpec("ranking", mark("Ranking"), "gui.views.ranking", "RankingView"),
    DockSpec("pareto", mark("Pareto"), "gui.views.pareto", "ParetoView"),
    DockSpec("search", mark("Search"), "gui.views.search", "SearchView", 270),
    DockSpec("tensors", mark("Tensors"), "gui.views.tensors", "TensorsView"),
    DockSpec("compare", mark("Compare"), "gui.views.compare", "CompareView"),
    DockSpec("blocks", mark("Blocks"), "gui.views.blocks", "BlocksView"),
    DockSpec("graph", mark("Graph"), "gui.views.graph", "GraphView"),
    DockSpec("plans", mark("Plans"), "gui.views.plans", "PlansView"),
    DockSpec("history", mark("History"), "gui.views.history", "HistoryView"),
    DockSpec("jobs", mark("Jobs"), "gui.views.jobs", "JobsView"),
    DockSpec("log", mark("Log"), "gui.views.log", "LogView"),
)
"""In the order in which tabs of a group stand."""


@cache
def available(dock_id: str) -> bool:
    """Whether the view of a dock is part of this version."""
    spec = next(s for s in DOCKS if s.id == dock_id)
    return importlib.util.find_spec(spec.module) is not None


class _Body(QWidget):
    """Holds a view and lets the dock be made smaller than the view would like.

    It has no layout: one would pass every word that changes its length on to the layout of all docks and of the window,
    although neither asks how large a view would like to be.
    """

    def __init__(self, parent: QWidget, least: int) -> None:
        super().__init__(parent)
        self._least = least
        self.setObjectName("dockBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._view: QWidget | None = None

    def hold(self, view: QWidget | None) -> None:
        """Fill the place with a view; None leaves it empty."""
        self._view = view
        if view is not None:
            view.setParent(self)
            view.setGeometry(self.rect())
            view.show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let the view fill the place."""
        super().resizeEvent(event)
        if self._view is not None:
            self._view.setGeometry(self.rect())

    def sizeHint(self) -> QSize:
        """What the view would like, where there is room for all."""
        return super().sizeHint() if self._view is None else self._view.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Small, so that layouts fit small screens."""
        return QSize(self._least, 70)


class Dock(QDockWidget):
    """A dock with our own title bar; its view is made when it is first seen."""

    def __init__(self, spec: DockSpec, make: Callable[[DockSpec], QWidget], host: DockHost) -> None:
        super().__init__(spec.id, host)
        self.spec = spec
        self.view: Any = None
        self._make = make
        self._body = _Body(self, spec.least)
        self.setObjectName(f"dock_{spec.id}")
        self.setWidget(self._body)
        self.title = DockTitle(self, host)
        self.setTitleBarWidget(self.title)
        self.topLevelChanged.connect(lambda: restyle(self))

    def name(self) -> str:
        """Its title, known before anybody has seen it."""
        return str(self.view.title()) if self.view is not None else shown(self.spec.title)

    def float_or_dock(self) -> None:
        """Make it a window of its own, a little aside so that it is seen to have come loose, or put it back."""
        self.setFloating(not self.isFloating())
        if self.isFloating():
            self.move(self.pos() + QPoint(LOOSE, LOOSE))
            self.activateWindow()
        else:
            self.raise_()
        if self.view is not None:
            self.view.take_keys()

    def take_keys(self) -> None:
        """Give the keys to the view, or to the header where the view has nothing that takes any now."""
        if self.isFloating():
            self.activateWindow()
        self.ensure_view().take_keys()
        now = self.window().focusWidget()
        if now is not self.view and dock_around(now) is self:
            return  # else nobody would see where the keys are: only stops of Tab show it
        give_keys(*self.view.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly), self.title)

    def ensure_view(self) -> Any:
        """The view, made and filled now if nobody has seen it yet."""
        if self.view is None:
            self.take_view(self._make(self.spec))
        return self.view

    def take_view(self, view: Any, *, patient: bool = False) -> None:
        """Have a view; a `patient` one is filled in an event of its own."""
        self.view = view
        self.view.patient = patient
        self.title.take_view(self.view)  # before it shows: what it draws may show controls, which need their place
        self._body.hold(self.view)
        self.setWindowTitle(self.view.title())

    def drop_view(self) -> None:
        """End the view."""
        if self.view is not None:
            self.view.dispose()
            self.title.take_view(None)
            self._body.hold(None)
            self.view.hide()
            self.view.deleteLater()
            self.view = None

    def paintEvent(self, event: QPaintEvent) -> None:
        """A line around it while it floats: Qt draws none where the title bar is not its own."""
        super().paintEvent(event)
        if self.isFloating():
            painter = QPainter(self)
            painter.setPen(theme_manager.theme.strong)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and self.view is not None:
            self.setWindowTitle(self.view.title())


def dock_around(widget: QWidget | None) -> Dock | None:
    """The dock that a widget stands in."""
    while widget is not None and not isinstance(widget, Dock):
        widget = widget.parentWidget()
    return widget


def _state_of(view: Any) -> dict[str, object]:
    """What a view wants to find again, and whether it stands there as a table."""
    state: dict[str, object] = dict(view.save_state())
    if getattr(view, "HAS_TWIN", False) and view.as_table:
        state["table"] = True
    return state


def _give_state(view: Any, state: dict[str, object]) -> None:
    view.restore_state(state)
    if getattr(view, "HAS_TWIN", False):
        view.show_as_table(state.get("table") is True)


@contextmanager
def _unnamed(docks: Iterable[Dock]) -> Iterator[None]:
    """Keep docks from Qt, which gives back each place of a state whose name it finds among the window's children.

    A state has the names of docks that were there before it, too. To take those docks out of the window and put them
    back keeps them away as well, but the style sheet then looks at every widget inside again, twice.
    """
    names = {dock: dock.objectName() for dock in docks}
    for dock in names:
        dock.setObjectName("")
    try:
        yield
    finally:
        for dock, name in names.items():
            dock.setObjectName(name)


class DockHost(QMainWindow):
    """The area of the docks. Tabs of a group are drawn by the dock titles; Qt's own tab bars have no height."""

    groups_changed = Signal()
    reset_wanted = Signal()
    command_wanted = Signal(str)
    """A button of a view asks for a command by its id."""
    manual_wanted = Signal(str)
    """The page of the manual about a dock is asked for."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setObjectName("dockHost")
        self.setContentsMargins(0, GAP, 0, 0)
        self.setDockNestingEnabled(True)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, self.tabPosition(Qt.DockWidgetArea.TopDockWidgetArea))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self._session = session
        self.docks: dict[str, Dock] = {}
        self.states: dict[str, dict[str, object]] = {}
        """What a project file says of each view, for those too that nobody has seen yet."""
        self._before: QByteArray | None = None
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(0)
        self._settle.timeout.connect(self.groups_changed)
        self._wanted: list[Dock] = []
        self._making: tuple[Dock, Iterator[QWidget | None]] | None = None
        """The one of them whose view is being made, and how."""
        self._held: frozenset[str] = frozenset()
        self._keys_to = ""
        self._build = QTimer(self)
        self._build.setSingleShot(True)
        self._build.setInterval(0)
        self._build.timeout.connect(self._build_next)
        self.docks = {spec.id: Dock(spec, self._make_view, self) for spec in DOCKS if available(spec.id)}
        for dock in self.docks.values():
            dock.hide()
            dock.visibilityChanged.connect(partial(self._on_visible, dock))
            dock.topLevelChanged.connect(self._soon)
            dock.dockLocationChanged.connect(self._soon)
        theme_manager.changed.connect(self._apply_theme)

    def view(self, dock_id: str) -> Any:
        """The view of a dock; None if this layout lacks it and nobody has seen it yet."""
        dock = self.docks.get(dock_id)
        if dock is None:
            return None
        return dock.view if dock.isHidden() else dock.ensure_view()

    @property
    def settled(self) -> bool:
        """Whether every dock on show has its view, filled, and its tabs."""
        if self._wanted or self._settle.isActive() or self._build.isActive():
            return False
        return not any(dock.view is not None and dock.view.unfilled for dock in self.docks.values())

    def panels_on_show(self) -> list[Dock]:
        """The docks that are in front of their groups, as one reads: from the left, then down; floating ones last."""
        shown = [dock for dock in self.docks.values() if dock.isVisible() and not dock.visibleRegion().isEmpty()]
        return sorted(shown, key=lambda dock: (dock.isFloating(), dock.x(), dock.y()))

    def group_of(self, dock: Dock) -> list[Dock]:
        """The docks that share a place with one, itself included, in the order of the table."""
        together = {dock, *(d for d in self.tabifiedDockWidgets(dock) if isinstance(d, Dock))}
        return [d for d in self.docks.values() if d in together]

    def placed(self, dock_id: str) -> bool:
        """Whether the layout has a place for a dock, be it hidden or not."""
        return self.dockWidgetArea(self.docks[dock_id]) is not Qt.DockWidgetArea.NoDockWidgetArea

    def arrangement(self, version: int) -> QByteArray:
        """Where the docks stand, and which of them have a place: Qt's own state doesn't keep the others away."""
        names = ",".join(name for name in self.docks if self.placed(name))
        return QByteArray(names.encode() + b"\n" + self.saveState(version).data())

    def bring_back(self, arrangement: QByteArray, version: int) -> bool:
        """Put the docks where they stood; False if the arrangement can't be read."""
        names, _, state = bytes(arrangement.data()).partition(b"\n")
        others = [dock for name, dock in self.docks.items() if name.encode() not in names.split(b",")]
        for dock in others:
            dock.setFloating(False)
            self.removeDockWidget(dock)
        with _unnamed(others):
            return self.restoreState(QByteArray(state), version)

    def reveal(self, dock_id: str) -> None:
        """Show a dock and bring it in front of its group; one that this layout lacks comes in on the right."""
        dock = self.docks[dock_id]
        if not self.placed(dock_id) and not dock.isFloating():
            self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        dock.show()
        dock.raise_()

    def toggle_maximized(self, dock: Dock) -> None:
        """Show one dock alone, or all again."""
        if self.restore_all():
            return
        self._before = self.arrangement(0)
        for other in self.docks.values():
            if other is not dock and not other.isFloating():
                other.hide()

    def restore_all(self) -> bool:
        """Show all docks again if one stood alone; whether that was so."""
        if self._before is None:
            return False
        state, self._before = self._before, None
        self.bring_back(state, 0)
        return True

    def dispose(self) -> None:
        """End all views."""
        self._settle.stop()
        self._build.stop()
        self._making = None
        for dock in self.docks.values():
            dock.visibilityChanged.disconnect()
            dock.drop_view()

    def closeEvent(self, event: QCloseEvent) -> None:
        """End all views."""
        self.dispose()
        super().closeEvent(event)

    def _make_view(self, spec: DockSpec) -> QWidget:
        return self._ready(spec, getattr(importlib.import_module(spec.module), spec.name))

    def _make_in_steps(self, spec: DockSpec) -> Iterator[QWidget | None]:
        """Read the module, make the parts that the view wants made beforehand, make the view: the last that comes."""
        if spec.module not in sys.modules:
            importlib.import_module(spec.module)
            yield None
        kind = getattr(sys.modules[spec.module], spec.name)
        parts = getattr(kind, "make_parts", None)
        if parts is None:
            yield self._ready(spec, kind)
            return
        made: list[QWidget] = []
        for part in parts(theme_manager.theme):
            made.append(part)
            yield None
        yield self._ready(spec, partial(kind, parts=made))

    def _ready(self, spec: DockSpec, make: Callable[..., QWidget]) -> QWidget:
        view = make(self._session, theme_manager.theme)
        wanted = getattr(view, "command_wanted", None)
        if wanted is not None:
            wanted.connect(self.command_wanted)
        if spec.id in self.states:
            _give_state(view, self.states[spec.id])
        return view

    def save_states(self) -> dict[str, dict[str, object]]:
        """What all views want to find again."""
        seen = {name: _state_of(dock.view) for name, dock in self.docks.items() if dock.view is not None}
        return {**self.states, **seen}

    def restore_states(self, states: object) -> None:
        """Give views what `save_states` gave; entries that make no sense are left out."""
        found = states if isinstance(states, dict) else {}
        self.states = {name: found[name] for name in self.docks if isinstance(found.get(name), dict)}
        for name, state in self.states.items():
            if self.docks[name].view is not None:
                _give_state(self.docks[name].view, state)

    def _on_visible(self, dock: Dock, visible: bool) -> None:
        self._settle.start()
        if visible and dock.view is None and dock not in self._wanted:
            self._wanted.append(dock)
            self._build.start()

    def _build_next(self) -> None:
        """Make views step by step, each in a turn of the event loop: all at once would hold the window up."""
        ready = [dock for dock in self._wanted if dock.spec.id not in self._held]
        if ready and self._one_step(ready[0]):
            dock = ready.pop(0)
            self._wanted.remove(dock)
            self._making = None
            if dock.spec.id == self._keys_to:
                self._hand_keys()
        if ready:
            self._build.start()

    def _one_step(self, dock: Dock) -> bool:
        """Go on with a view; whether it is there, or nobody wants it any more."""
        if dock.isHidden() or dock.view is not None:
            return True
        if self._making is None or self._making[0] is not dock:
            self._making = (dock, self._make_in_steps(dock.spec))
        view = next(self._making[1])
        if view is not None:
            dock.take_view(view, patient=True)
        return view is not None

    def keys_to(self, dock_id: str) -> None:
        """Give a dock the keys once it has its view, unless something else has got them by then."""
        self._keys_to = dock_id
        self.setFocus()
        if self.docks[dock_id].view is not None:
            self._hand_keys()

    def _hand_keys(self) -> None:
        dock, self._keys_to = self.docks[self._keys_to], ""
        if self.hasFocus() and not dock.isHidden() and not dock.isFloating():
            dock.view.take_keys()

    def hold_back(self, docks: Collection[str]) -> None:
        """Leave these docks empty for now, so that the others have their figures sooner.

        A view that is asked for is made all the same.

        Args:
            docks: Ids; all that were held back before and are not among them are filled.
        """
        self._held = frozenset(docks)
        if self._wanted:
            self._build.start()

    def _soon(self) -> None:
        self._settle.start()

    def _apply_theme(self, theme: Theme) -> None:
        self._making = None  # its parts have the colours of before
        for dock in self.docks.values():
            if dock.view is not None:
                dock.view.apply_theme(theme)
                dock.view.draw_first()
