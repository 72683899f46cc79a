"""Project and settings files may hold anything; what makes no sense is left out, value by value."""

import math

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QApplication

from gui import stored
from gui.docks import DOCKS, available
from gui.settings import Settings
from gui.theme import LIGHT
from gui.views.layers import LayersView
from gui.views.layers_columns import BY_KEY, COLUMNS
from gui.window import Window

ODD = [
    None, True, 0, -1, 10**12, 10**400, 1.5, math.nan, math.inf, "", "tune", "x" * 10_000, [], {}, [{}], [[]], [None],
    [math.nan, math.nan], [0, 10**400], ["name", "name"], ["name", {}], {"name": 10**12}, {"name": "wide"},
    {"name": math.nan}, {"": 1}, {"deep": {"deep": [{}]}},
]  # fmt: skip


@pytest.fixture
def window(qtbot, session):
    made = Window(Settings(None), confirm=False)
    qtbot.addWidget(made)
    made.resize(1440, 900)
    made.show()
    made.set_session(session)
    qtbot.waitExposed(made)
    QApplication.processEvents()
    return made


def test_every_view_takes_odd_values_for_every_entry_it_saves(window, qtbot):
    for name, dock in window.host.docks.items():
        window.reveal(name)
        view = dock.ensure_view()
        keys = {*view.save_state(), "span", "sort"}
        for key in keys:
            for odd in ODD:
                view.restore_state({key: odd})
        assert isinstance(view.save_state(), dict)
        assert not view.grab().isNull()
    assert {spec.id for spec in DOCKS if available(spec.id)} == set(window.host.docks)


def test_one_bad_entry_does_not_spoil_the_others(session, qtbot):
    view = LayersView(session, LIGHT)
    qtbot.addWidget(view)
    view.restore_state(
        {
            "widths": {"name": 10**12, "op": 1, "latency": 160, "nonsense": 50, "weights": True},
            "order": ["precision", {}, "name", "precision", "nonsense"],
            "sort": ["latency", True],
            "hidden": ["name", "op", 7],
            "rows": ["compact"],
        }
    )
    state = view.save_state()
    assert state["widths"] == {"op": BY_KEY["op"].least, "latency": 160}
    assert state["order"][:2] == ["precision", "name"]
    assert sorted(state["order"]) == sorted(c.key for c in COLUMNS)
    assert state["sort"] == ["latency", True]
    assert state["hidden"] == ["op"]
    assert state["rows"] == "normal"
    view.restore_state({"sort": ["latency", "yes"]})
    assert view.save_state()["sort"] == ["latency", True]


def test_views_that_nobody_has_seen_yet_find_their_state_too(window, session):
    session.view_state = {
        "layout": "profile",
        "docks": {"log": {"level": "errors"}, "layers": 3, "nonsense": {}, "timeline": {"color": "bound"}},
    }
    session.show(session.network)
    assert window.layout_name == "profile"
    assert window.reveal("log").levels.current == "errors"
    assert window.reveal("timeline").colors.current == "bound"
    window.store_view_state()
    assert session.view_state["docks"]["log"] == {"level": "errors"}


def test_the_window_takes_odd_view_states(window, session):
    for odd in ODD:
        for state in ({"layout": odd}, {"docks": odd}, {"docks": {"layers": odd, "log": odd}}):
            window.session.view_state = state
            window._restore_views()
        assert window.layout_name == "tune"


def test_numbers():
    assert stored.number(3, 0, 5) == 3.0
    assert [stored.number(odd, 0, 5) for odd in (True, "3", None, math.nan, 6, -1, 10**400)] == [None] * 7
    assert stored.interval([1, 2.5]) == (1.0, 2.5)
    assert [stored.interval(odd) for odd in ([2, 1], [1], [1, 1], "12", [1, math.nan], [0, 1e300])] == [None] * 6


@pytest.mark.parametrize("blocked", ["file", "parent"])
def test_a_settings_folder_that_cannot_be_made_costs_the_settings_only(tmp_path, qtbot, blocked):
    place = tmp_path / "settings"
    if blocked == "file":
        place.write_bytes(b"")
    else:
        place.parent.joinpath("settings").write_bytes(b"")
        place = place / "deeper"
    settings = Settings(place)
    assert not settings.remembered
    settings.mode = "dark"
    assert settings.mode == "dark"
    window = Window(settings, confirm=False)
    qtbot.addWidget(window)
    window.show()
    window.close()


@pytest.mark.parametrize(
    "content", [b"\0\xff" * 50, b"[General]\nversion=@Invalid()\ngeometry=@ByteArray(x)\n", b"[" * 5000]
)
def test_a_broken_settings_file_starts_a_window_all_the_same(tmp_path, qtbot, session, content):
    (tmp_path / "window.ini").write_bytes(content)
    settings = Settings(tmp_path)
    settings.set_bytes("geometry", QByteArray(b"\xff" * 99))
    settings.set_bytes("layout/tune", QByteArray(b"layers,nonsense\n\xff\xff"))
    window = Window(settings, confirm=False)
    qtbot.addWidget(window)
    window.show()
    window.set_session(session)
    qtbot.waitUntil(lambda: window.host.docks["layers"].isVisible())
    window.close()


def test_folders_of_recent_files_are_told_from_home(tmp_path, monkeypatch, qapp):
    from gui.views.start_rows import _home

    monkeypatch.setattr("pathlib.Path.home", lambda: tmp_path)
    assert _home(tmp_path) == "~"
    assert _home(tmp_path / "models" / "new") == "~/models/new"
    assert _home(tmp_path.parent) == str(tmp_path.parent)
