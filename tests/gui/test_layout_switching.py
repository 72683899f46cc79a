import pytest
from fakes import with_model
from PySide6.QtCore import QEvent, QObject, Qt, QTimer

from engine.session.changes import What
from gui.docks import Dock, DockHost
from gui.layouts import default
from gui.settings import Settings
from gui.theme import theme_manager
from gui.views.compare import CompareView
from gui.views.session_view import SessionView
from gui.widgets.dock_title import DockTitle
from gui.window import Window


def names(node):
    """Docks of an arrangement."""
    return set(node.docks) if hasattr(node, "docks") else set().union(*(names(part) for part in node.parts))


@pytest.fixture
def opened(qtbot):
    """A window on a session with a model, and the session; both are closed afterwards."""
    session = with_model()
    window = Window(Settings(None), confirm=False)
    qtbot.addWidget(window)
    window.resize(1440, 900)
    window.show()
    window.set_session(session)
    yield window, session
    window.close()
    session.close()


def test_docks_that_are_held_back_are_filled_later(qtbot, opened):
    window, _ = opened
    window.host.hold_back({"error", "preflight"})
    qtbot.waitUntil(lambda: window.host.docks["summary"].view is not None, timeout=10_000)
    qtbot.waitUntil(lambda: not window.host._build.isActive(), timeout=10_000)
    assert window.host.docks["layers"].view is not None
    assert window.host.docks["error"].view is None
    assert not window.host.settled
    window.host.hold_back(())
    qtbot.waitUntil(lambda: window.host.settled, timeout=10_000)
    assert window.host.docks["error"].view is not None


def test_each_layout_comes_back_with_its_own_docks(qtbot, opened):
    window, _ = opened
    qtbot.waitUntil(lambda: window.host is not None and window.host.settled, timeout=10_000)
    for layout in ("tune", "profile", "compare", "sweep", "tune", "compare", "profile", "sweep"):
        window.show_layout(layout)
        qtbot.waitUntil(lambda: window.host.settled, timeout=10_000)
        there = {name for name, dock in window.host.docks.items() if not dock.isHidden()}
        assert there == names(default(layout, 1440, 800)) & set(window.host.docks), layout


class Styled(QObject):
    """Counts how often the style sheet looks at widgets."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def eventFilter(self, _, event):
        self.count += event.type() in (QEvent.Type.StyleChange, QEvent.Type.Polish, QEvent.Type.ParentChange)
        return False


def test_panels_stay_in_the_window_while_another_layout_lacks_them(qtbot, opened):
    window, _ = opened
    host = window.host
    for layout in ("tune", "compare", "profile"):
        window.show_layout(layout)
        qtbot.waitUntil(lambda: host.settled, timeout=10_000)
    styled = Styled()
    watched = [host.docks[name] for name in ("layers", "summary", "compare", "timeline")]
    for widget in [*watched, *(dock.view for dock in watched)]:
        widget.installEventFilter(styled)
    for layout in ("tune", "compare", "profile"):
        window.show_layout(layout)
        qtbot.waitUntil(lambda: host.settled, timeout=10_000)
        assert {name for name, dock in host.docks.items() if host.placed(name)} == names(default(layout, 1440, 800))
    assert styled.count == 0, "style sheets take most of the time of a switch"
    assert all(dock.parent() is host and dock.objectName() == f"dock_{name}" for name, dock in host.docks.items())


def test_a_panel_that_floats_in_one_layout_comes_into_another_at_its_side(qtbot, opened):
    window, _ = opened
    host = window.host
    for layout in ("compare", "tune"):
        window.show_layout(layout)
        qtbot.waitUntil(lambda: host.settled, timeout=10_000)
    history = host.docks["history"]
    window.reveal("history")
    history.float_or_dock()
    window.show_layout("compare")
    assert history.isHidden()
    host.reveal("history")
    assert host.placed("history")
    assert not history.isFloating()
    window.show_layout("tune")
    assert history.isFloating()
    assert not history.isHidden()


def test_a_panel_alone_gives_way_to_the_same_panels_as_before(qtbot, opened):
    window, _ = opened
    window.resize(1280, 800)
    host = window.host
    for layout in ("tune", "sweep"):  # docks of the first have no place in the second
        window.show_layout(layout)
        qtbot.waitUntil(lambda: host.settled, timeout=10_000)
    places = {name: dock.geometry() for name, dock in host.docks.items() if dock.isVisible()}
    expand = host.docks["ranking"].title._expand
    qtbot.mouseClick(expand, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: [name for name, dock in host.docks.items() if dock.isVisible()] == ["ranking"])
    qtbot.mouseClick(expand, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: host.settled and host.docks["sensitivity"].isVisible(), timeout=10_000)
    assert {name for name, dock in host.docks.items() if not dock.isHidden()} == names(default("sweep", 1280, 700))
    assert {name: dock.geometry() for name, dock in host.docks.items() if dock.isVisible()} == places


def test_a_view_is_filled_in_an_event_of_its_own(qtbot, monkeypatch):
    session, building, filled = with_model(), [], []
    take, redraw = Dock.take_view, SessionView.redraw

    def made(dock, view, **options):
        building.append(dock)
        try:
            take(dock, view, **options)
        finally:
            building.pop()

    def drawn(view):
        if view.due:
            filled.append((type(view).__name__, bool(building)))
        redraw(view)

    monkeypatch.setattr(Dock, "take_view", made)
    monkeypatch.setattr(SessionView, "redraw", drawn)
    window = Window(Settings(None), confirm=False)
    qtbot.addWidget(window)
    window.resize(1440, 900)
    window.show()
    window.set_session(session)
    window.show_layout("profile")
    qtbot.waitUntil(lambda: window.host is not None and window.host.settled, timeout=10_000)
    assert ("LatencyView", False) in filled
    assert {name for name, within in filled if within} <= {"TimelineView"}  # which is asked for, to give it the keys
    assert not any(dock.view.unfilled for dock in window.host.docks.values() if dock.view is not None)
    window.close()
    session.close()


def test_a_large_view_is_made_part_by_part_between_other_events(qtbot, monkeypatch):
    session, turns, steps = with_model(), [0], []
    step = DockHost._one_step

    def one(host, dock):
        done = step(host, dock)
        if dock.spec.id == "compare":
            steps.append((turns[0], done))
        return done

    monkeypatch.setattr(DockHost, "_one_step", one)
    window = Window(Settings(None), confirm=False)
    qtbot.addWidget(window)
    window.resize(1440, 900)
    window.show()
    window.set_session(session)
    qtbot.waitUntil(lambda: window.host.settled, timeout=10_000)
    ticks = QTimer(window)
    ticks.timeout.connect(lambda: turns.__setitem__(0, turns[0] + 1))
    ticks.start(0)
    window.host.reveal("tensors")
    window.host.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, window.host.docks["compare"])
    window.host.docks["compare"].show()
    qtbot.waitUntil(lambda: any(done for _, done in steps), timeout=10_000)
    ticks.stop()
    assert [done for _, done in steps] == [False] * (len(steps) - 1) + [True]
    assert len({turn for turn, _ in steps}) > 7, "other timers have their turn between"
    view = window.host.docks["compare"].view
    assert isinstance(view, CompareView)
    assert view.page.isAncestorOf(view.page.scatter)
    window.close()
    session.close()


def test_parts_made_in_other_colours_are_not_used(qtbot, opened):
    window, _ = opened
    host = window.host
    qtbot.waitUntil(lambda: host.settled, timeout=10_000)
    dock = host.docks["compare"]
    host.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
    dock.show()
    for _ in range(4):
        assert not host._one_step(dock)
    theme_manager.set_mode("dark")
    assert host._making is None
    qtbot.waitUntil(lambda: dock.view is not None, timeout=10_000)
    assert dock.view.page.scatter.theme is theme_manager.theme
    theme_manager.set_mode("light")


def test_the_view_that_a_layout_is_about_is_made_in_steps_too_and_has_the_keys_then(qtbot, opened):
    window, _ = opened
    qtbot.waitUntil(lambda: window.host.settled, timeout=10_000)
    window.show_layout("compare")
    assert window.host.docks["compare"].view is None
    qtbot.waitUntil(lambda: window.host.settled, timeout=10_000)
    view = window.host.docks["compare"].view
    assert view is window.focusWidget() or view.isAncestorOf(window.focusWidget())


def test_another_model_has_the_keys_for_its_rows(qtbot, opened):
    window, session = opened
    qtbot.waitUntil(lambda: window.host.settled, timeout=20_000)
    window.view("preflight").take_keys()
    window.menu_row.bar.setFocus()
    session.emit(What.MODEL)  # the same model told of again: nothing is taken from whoever has it
    assert window.focusWidget() is window.menu_row.bar
    session.path = session.path.with_name("another.onnx")
    session.emit(What.MODEL)
    qtbot.waitUntil(lambda: window.focusWidget() is window.view("layers").table, timeout=10_000)


def test_headers_of_hidden_panels_are_left_alone_until_they_come_up(qtbot, opened, monkeypatch):
    window, _ = opened
    host = window.host
    host.docks["roofline"].ensure_view()
    qtbot.waitUntil(lambda: host.settled, timeout=10_000)
    drawn = []
    monkeypatch.setattr(DockTitle, "_on_subtitle", lambda title: drawn.append(title._dock))
    host.groups_changed.emit()
    assert drawn
    assert not any(dock.isHidden() for dock in drawn)
    host.reveal("roofline")
    qtbot.waitUntil(lambda: host.docks["roofline"] in drawn, timeout=2000)
