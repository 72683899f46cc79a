"""The window: puts rows, start page and docks together, and passes session changes on to them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QStackedWidget, QVBoxLayout, QWidget

from engine.session.changes import Change, What
from engine.text import Text, say
from gui import stored
from gui.actions import Actions
from gui.bridge import hub
from gui.commands import command
from gui.context_bar import ContextBar
from gui.docks import GAP, Dock, DockHost, dock_around
from gui.fonts import has_chinese
from gui.i18n import language
from gui.i18n import text as translated
from gui.layouts import LAYOUTS, MAIN, arrange, default, stored_name
from gui.logo import window_icon
from gui.menu_row import MenuRow
from gui.menus import Menus
from gui.peek import Peek
from gui.settings import Settings
from gui.status_row import StatusRow
from gui.style import style_sheet
from gui.theme import Theme, theme_manager
from gui.views.start import StartPage
from gui.widgets.first_steps import FirstSteps
from gui.widgets.focus_ring import FocusRings

if TYPE_CHECKING:
    from engine.session import Session
    from engine.session.state import LogEntry
    from gui.dialogs.error import ErrorDialog
    from gui.dialogs.manual import ManualWindow

HOMES = {"layers": "tune"}
"""Layouts to change to when a dock is wanted that the one on show lacks."""
REMEMBERED = ("layers", "graph", "timeline", "sensitivity", "ranking", "pareto", "log")
"""Docks whose set-up outlives the window: it says nothing about a model."""
STATE_VERSION = 3
"""Of saved dock arrangements; a new one forgets the old."""
FIRST_SIZE = (1440, 900)
"""Px of a window that nobody has given a size yet."""
_FRAME = 40
"""Px of its frame and title, at most."""
_REFRESH_MS = 75
_WRITTEN = ("Wrote {path}.", "Saved {path}.")
"""Entries of the log that are good news: the status bar tells them too."""


class Window(QWidget):
    """One window of one session. It can be shown before there is an engine."""

    def __init__(self, settings: Settings, *, confirm: bool = True) -> None:
        """Make the window with its start page.

        Args:
            settings: what was remembered.
            confirm: ask before unsaved edits are lost.
        """
        super().__init__()
        self.settings = settings
        self.session: Session | None = None
        self.host: DockHost | None = None
        self.layout_name = stored.choice(settings.layout, LAYOUTS) or "tune"
        self._arranged = ""
        """What the arrangement on show is remembered by."""
        self._confirm = confirm
        self._leaving = self._keeping = False
        self._path_on_show: Path | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self._error: ErrorDialog | None = None
        self._last_entry: LogEntry | None = None
        self._manual: ManualWindow | None = None
        self._when_open: Callable[[], None] | None = None
        self._actions = Actions(self)
        self.menus = Menus(self._actions, self)
        self.menu_row = MenuRow(self.menus, self._actions, self)
        self.context = ContextBar(self.menus, self._actions, self)
        self.status = StatusRow(self)
        self.start = StartPage(self._actions)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.start)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.first_steps = FirstSteps(settings)
        self.first_steps.tour_wanted.connect(self._actions.tour)
        for part in (self.menu_row, self.context, self.first_steps):
            column.addWidget(part)
        column.addWidget(self._stack, 1)
        column.addWidget(self.status)
        self.context.hide()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_REFRESH_MS)
        self._soon.timeout.connect(self._refresh)
        self._actions.happened.connect(self._refresh)
        hub.file_written.connect(self.status.show_written)
        self._used_panel: Dock | None = None
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._on_focus)
        self._rings = FocusRings(self)
        self.peek = Peek(self)
        self.menu_row.layout_chosen.connect(self._actions.layout)
        theme_manager.changed.connect(self._apply_theme)
        self._apply_theme(theme_manager.theme)
        self.setAcceptDrops(True)
        self.setWindowIcon(window_icon())
        self.setMinimumSize(900, 560)
        self.resize(*FIRST_SIZE)
        self._restored = self._restore_geometry()
        self._refresh()

    @property
    def actions_(self) -> Actions:
        """The verbs of this window."""
        return self._actions

    # session --------------------------------------------------------------------------------------------------------

    def set_session(self, session: Session) -> None:
        """The engine is there."""
        self.session = self._actions.session = session
        session.memory_limit = self.settings.memory_limit or session.memory_limit
        session.ask_memory = self._actions.ask_memory
        self.host = self.menus.host = DockHost(session)
        self.host.reset_wanted.connect(self.reset_layout)
        self.host.manual_wanted.connect(self.show_manual)
        self.host.command_wanted.connect(self._on_wanted)
        self._stack.addWidget(self.host)
        self.host.restore_states(self.settings.views)
        self._unsubscribe = session.subscribe(self._on_change)
        self.start.set_session(session)
        if session.network is not None:
            self._show_model()
        self._refresh()

    def offer_recoveries(self) -> None:
        """Offer unsaved work of windows that have ended without asking, if there is any."""
        if self.session is not None and self.session.recoveries:
            self._actions.recover()

    def _on_change(self, change: Change) -> None:
        if change.what is What.MODEL:
            self._show_model()
        elif change.what is What.LOG:
            self._show_news()
        if change.what in (What.MODEL, What.PLAN):
            self._show_steps()
        if change.what in (What.SELECTION, What.PLAN):  # a key may follow at once
            self.menus.update()
        if not self._soon.isActive():
            self._soon.start()

    def _show_model(self) -> None:
        assert self.session is not None
        assert self.host is not None
        if self.session.network is None:
            self._stack.setCurrentWidget(self.start)
            self.start.refresh()
        elif self._stack.currentWidget() is not self.host:
            self.layout_name = self._stored_layout() or self.layout_name
            self._stack.setCurrentWidget(self.host)
            self.context.show()
            self._apply_layout(self.layout_name)
            self.host.keys_to(MAIN[self.layout_name])
        elif self._path_on_show != self.session.path and not self.host.docks[MAIN[self.layout_name]].isHidden():
            self.host.keys_to(MAIN[self.layout_name])  # another model: 4, 8 and 6 are for its rows
        self._path_on_show = self.session.path
        if self.session.network is not None:
            self._restore_views()
        self.context.setVisible(self.session.network is not None)
        self._refresh()
        if self.session.network is not None and self._when_open is not None:
            then, self._when_open = self._when_open, None
            QTimer.singleShot(0, self, then)

    def _show_steps(self) -> None:
        session = self.session
        if session is not None:
            self.first_steps.show_for(model=session.network is not None, edited=session.undo_step is not None)

    def when_open(self, then: Callable[[], None] | None) -> None:
        """Do something once the next model is on show; None forgets what another model was to be followed by."""
        self._when_open = then

    def _on_wanted(self, wanted: str) -> None:
        """A view asks for a dock or a command by its id."""
        if self.host is not None and wanted in self.host.docks:
            self.reveal(wanted)
        else:
            self.menus.run(command(wanted))

    def show_manual(self, page: str) -> None:
        """Open the manual, or bring it to a page."""
        from gui.dialogs.manual import ManualWindow

        if self._manual is None:
            self._manual = ManualWindow(self)
            self._manual.destroyed.connect(self._on_manual_gone)
        self._manual.show_page(page)
        self._manual.show()
        self._manual.raise_()
        self._manual.activateWindow()

    def focused_dock(self) -> str:
        """Id of the dock that has the focus; "" if none has."""
        dock = dock_around(QApplication.focusWidget())
        return dock.spec.id if dock is not None else ""

    def panel_in_use(self) -> Dock | None:
        """The dock that has the focus or had it before a menu or the palette, else the one the layout is about."""
        if self.host is None or self._stack.currentWidget() is not self.host:
            return None
        used = self._used_panel
        if used is None or not used.isVisible() or not used.isFloating():
            used = dock_around(self.focusWidget()) or used
        found = used if used is not None and used.isVisible() else self.host.docks[MAIN[self.layout_name]]
        return found if found.isVisible() else None

    def _on_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        """Remember which panel is in use: menus and the palette take the focus from it, be it floating or not."""
        dock = dock_around(now)
        if dock is not None and self.host is not None and self.host.docks.get(dock.spec.id) is dock:
            self._used_panel = dock

    def _on_manual_gone(self) -> None:
        self._manual = None

    def _refresh(self) -> None:
        session = self.session
        model = session is not None and session.network is not None
        self.menu_row.set_ready(model, self.layout_name)
        self.status.refresh(session)
        self.menus.update()
        title = "Mixbit"
        if session is not None and session.path is not None:
            self.context.refresh(session)
            name = session.project_path.name if session.project_path is not None else session.path.name
            title = f"{name}{'*' if session.modified else ''} - Mixbit"
        self.setWindowTitle(title)

    # layouts --------------------------------------------------------------------------------------------------------

    def show_layout(self, name: str) -> None:
        """Change to another layout; the arrangement of this one is remembered."""
        if name in LAYOUTS and name != self.layout_name and self.host is not None:
            self._remember_layout()
            self.layout_name = name
            if self._stack.currentWidget() is self.host:
                had = self.focusWidget()
                inside = had is None or had is self.host or self.host.isAncestorOf(had)
                self._apply_layout(name)
                if inside:
                    self.focus_main()
            self._refresh()

    def focus_main(self) -> None:
        """Give the keys to the dock that the layout is about, once it has its view."""
        assert self.host is not None
        dock = self.host.docks[MAIN[self.layout_name]]
        if not dock.isHidden() and not dock.isFloating():
            self.host.keys_to(dock.spec.id)

    def reset_layout(self) -> None:
        """Put the docks of this layout where they belong."""
        if self.host is not None:
            self.host.restore_all()
            self.settings.forget(f"layout/{stored_name(self.layout_name, self.width())}")
            self._apply_layout(self.layout_name)

    def reveal(self, dock_id: str) -> Any:
        """Bring a dock in front and return its view; None if there is none."""
        if self.host is None or dock_id not in self.host.docks or self._stack.currentWidget() is not self.host:
            return None
        home = HOMES.get(dock_id)
        if home is not None and not self.host.placed(dock_id):
            self.show_layout(home)
        self.host.reveal(dock_id)
        return self.host.docks[dock_id].ensure_view()

    def view(self, dock_id: str) -> Any:
        """The view of a dock; None if this layout lacks it and nobody has seen it yet."""
        return self.host.view(dock_id) if self.host is not None else None

    def _apply_layout(self, name: str) -> None:
        assert self.host is not None
        self._column.activate()
        self._arranged = stored_name(name, self.width())
        saved = self.settings.bytes(f"layout/{self._arranged}")
        if saved is None or not self.host.bring_back(saved, STATE_VERSION):
            width, height = self.host.width(), self.host.height() - GAP
            arrange(self.host, default(name, width, height), width, height)

    def _remember_layout(self) -> None:
        if self.host is not None and self._stack.currentWidget() is self.host:
            self.host.restore_all()
            self.settings.set_bytes(f"layout/{self._arranged}", self.host.arrangement(STATE_VERSION))

    def _remember_views(self) -> None:
        """Keep how views are set up for the next start; what part of which network they show is the project's."""
        self.settings.layout = self.layout_name
        if self.host is not None:
            states = self.host.save_states()
            self.settings.views = {
                name: {key: value for key, value in state.items() if key != "span"}
                for name, state in states.items()
                if name in REMEMBERED
            }

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A window that has become narrow, or wide again, takes the arrangement for that."""
        super().resizeEvent(event)
        if self._arranged and self._arranged != stored_name(self.layout_name, self.width()):
            self._remember_layout()
            self._apply_layout(self.layout_name)

    def store_view_state(self) -> None:
        """Put what views want to find again into the session, for its project file."""
        if self.session is not None and self.host is not None:
            self.session.view_state = {"layout": self.layout_name, "docks": self.host.save_states()}

    def _stored_layout(self) -> str | None:
        """The layout that the project wants, if it wants one that there is."""
        return stored.choice(self.session.view_state.get("layout"), LAYOUTS) if self.session is not None else None

    def _restore_views(self) -> None:
        """Find again what a project was saved with; a model alone changes no view."""
        if self.session is None or self.host is None or not self.session.view_state:
            return
        self.show_layout(self._stored_layout() or self.layout_name)
        self.host.restore_states(self.session.view_state.get("docks"))

    # messages -------------------------------------------------------------------------------------------------------

    def show_error(self, text: Text, details: str = "", written: Path | None = None) -> None:
        """Show one sentence with what there is to copy below it, and the folder of a report that was written."""
        from gui.dialogs.error import ErrorDialog

        if self._error is None:
            self._error = ErrorDialog(self)
            self._error.finished.connect(self._on_error_closed)
            self._error.open()
        self._error.add(translated(text), details, written)

    def _on_error_closed(self) -> None:
        """The dialog deletes itself; the next error opens another."""
        self._error = None

    def _show_news(self) -> None:
        assert self.session is not None
        fresh = []
        for entry in reversed(self.session.log):
            if entry is self._last_entry:
                break
            fresh.append(entry)
        self._last_entry = self.session.log[-1] if self.session.log else None
        for entry in reversed(fresh):
            if entry.level == "error":
                self.show_error(entry.text, entry.details)
            elif entry.text.template in _WRITTEN:
                self.status.show_written(Path(str(entry.text.fields["path"])))
            elif entry.told:
                self.status.show_note(entry.text)

    def check_fonts(self) -> None:
        """Say so if Chinese is chosen and no font can draw it."""
        if language() == "zh" and not has_chinese():
            self.show_error(
                say("No installed font can draw Chinese. Install one, for example Noto Sans CJK, and start again.")
            )

    def open_palette(self) -> None:
        """Search kernels and commands."""
        from gui.palette import Palette

        Palette(self.menus, self._actions, self).open()

    def unless_unsaved(self, go: Callable[[], object]) -> None:
        """Do something that loses the plan, after asking if it isn't saved."""
        session = self.session
        if session is None or not session.modified or not self._confirm:
            go()
            return
        from gui.dialogs.unsaved import UnsavedDialog

        dialog = UnsavedDialog(self, has_file=session.project_path is not None)
        dialog.discarded.connect(go)
        dialog.saved.connect(lambda: self._save_then(go))
        dialog.open()

    def _save_then(self, go: Callable[[], object]) -> None:
        self._actions.save_project()
        if self.session is not None and not self.session.modified:
            go()

    # events ---------------------------------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take models and projects, and samples for the model that is open."""
        if self._actions.dropped(event.mimeData().urls()) is not None:
            event.acceptProposedAction()
            self.start.drop.set_hot(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """The file went away."""
        self.start.drop.set_hot(False)

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped."""
        self.start.drop.set_hot(False)
        take = self._actions.dropped(event.mimeData().urls())
        if take is not None:
            event.acceptProposedAction()
            take()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow() and self.session is not None:
            self.session.look_at_model()  # one comes back from where a model was written anew
        if event.type() == QEvent.Type.LanguageChange:
            self.menus.retranslate()
            self.menu_row.retranslate()
            self._refresh()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember the look, stop the engine."""
        session = self.session
        if session is not None and session.modified and self._confirm and not self._leaving:
            event.ignore()
            self.unless_unsaved(self._leave)
            return
        self.peek.end()
        self.settings.set_bytes("geometry", self.saveGeometry())
        self._remember_layout()
        self._remember_views()
        self.settings.sync()
        self._soon.stop()
        self._rings.stop()
        application = QApplication.instance()
        if isinstance(application, QApplication) and self._unsubscribe is not None:
            application.focusChanged.disconnect(self._on_focus)
        self.status.stop()
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        if self.host is not None:
            self.host.dispose()
        if session is not None:
            session.close(keep_unsaved=self._keeping)
        super().closeEvent(event)

    def end(self) -> None:
        """Close without a question: nobody may be there to answer. Unsaved work is offered at the next start."""
        self._keeping = True
        self._leave()

    def _leave(self) -> None:
        self._leaving = True
        self.close()

    def _apply_theme(self, theme: Theme) -> None:
        self.setStyleSheet(style_sheet(theme))

    def _restore_geometry(self) -> bool:
        saved = self.settings.bytes("geometry")
        return saved is not None and self.restoreGeometry(saved)

    def fit(self, room: QSize) -> None:
        """Fill a screen that the first window would not fit on, its frame included; to be called before it shows.

        Args:
            room: what the screen has for windows, in px.
        """
        wide, high = FIRST_SIZE
        if not self._restored and (room.width() < wide or room.height() < high + _FRAME):
            self.resize(min(wide, room.width()), min(high, room.height() - _FRAME))
            self.setWindowState(Qt.WindowState.WindowMaximized)
