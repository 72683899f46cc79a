import re
from collections import Counter
from pathlib import Path

import gui
from engine.paths import resources
from gui.commands import COMMANDS, MENUS, Command, Submenu, command
from gui.docks import DOCKS
from gui.icons import pixmap
from gui.theme import LIGHT

ENTRIES = [entry for entry in COMMANDS if isinstance(entry, Command)]


def test_ids_and_shortcuts_are_unique():
    assert [i for i, n in Counter(entry.id for entry in COMMANDS).items() if n > 1] == []
    assert [key for key, n in Counter(key for entry in ENTRIES for key in entry.keys).items() if n > 1] == []


def test_the_shortcuts_of_the_design_are_there():
    wanted = {
        "int4": "4", "int8": "8", "fp16": "6", "undo": "Ctrl+Z", "redo": "Ctrl+Shift+Z", "palette": "Ctrl+Shift+P",
        "shortcuts": "?", "layout_tune": "Ctrl+1", "layout_graph": "Ctrl+5", "filter": "/", "escape": "Esc",
        "lock": "L", "bulk": "B", "peek": "P",
    }  # fmt: skip
    assert {name: command(name).keys[0] for name in wanted} == wanted
    assert "Ctrl+F" in command("filter").keys


def test_groups_of_a_menu_stand_together():
    for menu in MENUS:
        groups = [entry.group for entry in COMMANDS if entry.menu == menu]
        assert groups == sorted(groups), menu


def test_submenus_have_a_filler():
    from gui.menus import Menus

    assert all(hasattr(Menus, f"fill_{entry.fill}") for entry in COMMANDS if isinstance(entry, Submenu))


def test_every_icon_that_is_named_exists():
    known = {path.stem for path in (resources() / "icons").glob("*.svg")}
    assert {entry.icon for entry in COMMANDS if entry.icon} <= known
    source = "\n".join(path.read_text() for path in Path(gui.__file__).parent.rglob("*.py"))
    named = set(re.findall(r'(?:\bicon|paint_icon|IconButton|pixmap)\((?:[\w.]*painter, )?"([a-z-]+)"', source))
    assert named <= known
    assert len(named) > 15


def test_icons_draw_something(qapp):
    for path in (resources() / "icons").glob("*.svg"):
        image = pixmap(path.stem, LIGHT.text, 16).toImage()
        inked = sum(image.pixelColor(x, y).alpha() > 60 for x in range(16) for y in range(16))
        assert 3 <= inked <= 200, path.stem


def test_dock_ids_are_unique():
    assert len({spec.id for spec in DOCKS}) == len(DOCKS)
