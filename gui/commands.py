"""The one table of commands: menus, shortcuts, palette and shortcuts page are made from it.

Texts are English here and translated in the context "Commands" where they are shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from engine.session import Session
    from gui.actions import Actions

MenuName = Literal["file", "edit", "plan", "analyze", "device", "view", "help"]
When = Callable[["Session"], bool]
CONTEXT = "Commands"


def mark(text: str) -> str:
    """Mark a literal for translation in the context "Commands"; it is translated later, by `shown`."""
    return text


MENUS: dict[MenuName, str] = {
    "file": mark("File"),
    "edit": mark("Edit"),
    "plan": mark("Plan"),
    "analyze": mark("Analyze"),
    "device": mark("Device"),
    "view": mark("View"),
    "help": mark("Help"),
}


@dataclass(frozen=True, slots=True)
class Command:
    """Something the user can do."""

    id: str
    menu: MenuName
    text: str
    run: Callable[[Actions], object]
    keys: tuple[str, ...] = ()
    icon: str = ""
    when: When | None = None
    """Whether it can be done now; None = always, even without an engine."""
    group: int = 0
    """A line is drawn in the menu where the group changes."""
    checked: Callable[[Actions], bool] | None = None
    listed: bool = True
    """Whether a menu and the palette show it."""


@dataclass(frozen=True, slots=True)
class Submenu:
    """A menu whose entries are known only when it opens."""

    id: str
    menu: MenuName
    text: str
    fill: str
    """Name of the method of `gui.menus.Menus` that fills it."""
    group: int = 0
    icon: str = ""


def shown(text: str) -> str:
    """A text of the table in the language in use."""
    return QCoreApplication.translate(CONTEXT, text)


def _session(session: Session) -> bool:
    return True


def _open(session: Session) -> bool:
    return session.network is not None


def _selected(session: Session) -> bool:
    return bool(session.selection)


def _tunable(session: Session) -> bool:
    network, current = session.network, session.current
    return network is not None and any(k.id == current for k in network.tunable)


def _data(session: Session) -> bool:
    return session.data is not None


COMMANDS: tuple[Command | Submenu, ...] = (
    Command("open_model", "file", mark("Open model…"), lambda a: a.open_model(), ("Ctrl+O",), "folder", _session),
    Command(
        "open_project", "file", mark("Open project…"), lambda a: a.open_project(), ("Ctrl+Shift+O",), "file", _session,
    ),
    Submenu("samples", "file", mark("Open sample"), "samples", icon="wave"),
    Submenu("recent", "file", mark("Open recent"), "recent", icon="history"),
    Command("save_project", "file", mark("Save project"), lambda a: a.save_project(), ("Ctrl+S",), "save", _open, 1),
    Command(
        "save_project_as", "file", mark("Save project as…"), lambda a: a.save_project_as(), ("Ctrl+Shift+S",), "",
        _open, 1,
    ),
    Command("export", "file", mark("Export…"), lambda a: a.export(), ("Ctrl+E",), "export", _open, 2),
    Command("import_plan", "file", mark("Import precisions…"), lambda a: a.import_plan(), (), "", _open, 2),
    Command("recover", "file", mark("Recover unsaved work…"), lambda a: a.recover(), (), "history", _session, 3),
    Command(
        "memory_limit", "file", mark("Memory limit for models…"), lambda a: a.memory_limit(), (), "", _session, 3,
    ),
    Command("close_model", "file", mark("Close model"), lambda a: a.close_model(), ("Ctrl+W",), "", _open, 3),
    Command("quit", "file", mark("Quit"), lambda a: a.quit(), ("Ctrl+Q",), "", None, 3),
    Command("undo", "edit", mark("Undo"), lambda a: a.undo(), ("Ctrl+Z",), "undo", lambda s: s.undo_step is not None),
    Command(
        "redo", "edit", mark("Redo"), lambda a: a.redo(), ("Ctrl+Shift+Z", "Ctrl+Y"), "redo",
        lambda s: s.redo_step is not None,
    ),
    Command("select_all", "edit", mark("Select all kernels"), lambda a: a.select_all(), (), "", _open, 1),
    Command(
        "escape", "edit", mark("Clear selection, filter, then job"), lambda a: a.escape(), ("Esc",), "", _session, 1,
    ),
    Command("filter", "edit", mark("Filter kernels"), lambda a: a.focus_filter(), ("/", "Ctrl+F"), "filter", _open, 1),
    Command("int4", "plan", mark("Set selection to INT4"), lambda a: a.set_scheme("int4"), ("4",), "", _selected),
    Command("int8", "plan", mark("Set selection to INT8"), lambda a: a.set_scheme("int8"), ("8",), "", _selected),
    Command("fp16", "plan", mark("Set selection to FP16"), lambda a: a.set_scheme("fp16"), ("6",), "", _selected),
    Command("preset_fp16", "plan", mark("All FP16"), lambda a: a.preset("fp16"), (), "", _open, 1),
    Command("preset_int8", "plan", mark("All INT8"), lambda a: a.preset("int8"), (), "", _open, 1),
    Command("preset_int4", "plan", mark("All INT4"), lambda a: a.preset("int4"), (), "", _open, 1),
    Command(
        "preset_ends", "plan", mark("First and last FP16, rest INT8"), lambda a: a.preset("first_last_fp16"), (), "",
        _open, 1,
    ),
    Command("methods", "plan", mark("Weight methods of the kernel…"), lambda a: a.methods(), ("M",), "", _tunable, 2),
    Command(
        "best_methods", "plan", mark("Best weight methods for the selection, or all"), lambda a: a.best_methods(), (),
        "", _data, 2,
    ),
    Command("lock", "plan", mark("Lock or unlock selection"), lambda a: a.toggle_lock(), ("L",), "lock", _selected, 2),
    Command("bulk", "plan", mark("Bulk edit by rule…"), lambda a: a.bulk_edit(), ("B",), "sliders", _open, 2),
    Command(
        "peek", "plan", mark("Show the previous plan while P is held"), lambda a: a.peek(), ("P",), "eye", _open, 2,
        listed=False,
    ),
    Command("budgets", "plan", mark("Budgets…"), lambda a: a.budgets(), (), "target", _session, 3),
    Command("data", "analyze", mark("Data…"), lambda a: a.data(), (), "data", _open),
    Command("own_metric", "analyze", mark("Metric of your own…"), lambda a: a.own_metric(), (), "", _open),
    Command(
        "sweep", "analyze", mark("Start or stop the sensitivity sweep"), lambda a: a.toggle_sweep(), (), "play", _data,
        1,
    ),
    Command(
        "measure_again", "analyze", mark("Measure again what was stopped"), lambda a: a.measure_again(), (), "redo",
        lambda s: s.stopped, 1,
    ),
    Command(
        "cancel", "analyze", mark("Cancel all jobs"), lambda a: a.cancel_jobs(), (), "stop",
        lambda s: bool(s.jobs.active), 1,
    ),
    Command(
        "rules_edge", "analyze", mark("Edge fusion: all that can fuse"), lambda a: a.rules("edge"), (), "", _session,
        2, lambda a: a.rules_now == "edge",
    ),
    Command(
        "rules_cloud", "analyze", mark("Cloud fusion: conservative"), lambda a: a.rules("cloud"), (), "", _session, 2,
        lambda a: a.rules_now == "cloud",
    ),
    Command("fusion", "analyze", mark("Launches and fusion…"), lambda a: a.fusion(), (), "", _open, 2),
    Submenu("devices", "device", mark("Device profile"), "devices", icon="device"),
    Command("device", "device", mark("Choose a device…"), lambda a: a.device(), (), "device", _session),
    Command("device_editor", "device", mark("Edit a copy of this device…"), lambda a: a.edit_device(), (), "edit",
            _session),
    Command("scenario", "device", mark("Sustained use…"), lambda a: a.scenario(), (), "clock", _session, 1),
    Command(
        "layout_tune", "view", mark("Tune layout"), lambda a: a.layout("tune"), ("Ctrl+1",), "", _open, 0,
        lambda a: a.layout_now == "tune",
    ),
    Command(
        "layout_profile", "view", mark("Profile layout"), lambda a: a.layout("profile"), ("Ctrl+2",), "", _open, 0,
        lambda a: a.layout_now == "profile",
    ),
    Command(
        "layout_sweep", "view", mark("Sweep layout"), lambda a: a.layout("sweep"), ("Ctrl+3",), "", _open, 0,
        lambda a: a.layout_now == "sweep",
    ),
    Command(
        "layout_compare", "view", mark("Compare layout"), lambda a: a.layout("compare"), ("Ctrl+4",), "", _open, 0,
        lambda a: a.layout_now == "compare",
    ),
    Command(
        "layout_graph", "view", mark("Graph layout"), lambda a: a.layout("graph"), ("Ctrl+5",), "",
        lambda s: _open(s) and _has_graph(), 0, lambda a: a.layout_now == "graph",
    ),
    Submenu("panels", "view", mark("Panels"), "panels", 1, "columns"),
    Command("next_panel", "view", mark("Go to the next panel"), lambda a: a.go_to_panel(1), ("F6",), "", _open, 1),
    Command(
        "previous_panel", "view", mark("Go to the previous panel"), lambda a: a.go_to_panel(-1), ("Shift+F6",), "",
        _open, 1,
    ),
    Command(
        "table", "view", mark("Show the plot in use as a table, or as a plot again"), lambda a: a.toggle_table(),
        ("T",), "columns", _open, 1,
    ),
    Command("float", "view", mark("Float or dock the panel in use"), lambda a: a.float_panel(), (), "", _open, 1),
    Command("alone", "view", mark("Show the panel in use alone, or all again"), lambda a: a.panel_alone(), (), "expand",
            _open, 1),
    Command("close_panel", "view", mark("Close the panel in use"), lambda a: a.close_panel(), (), "", _open, 1),
    Command("reset_layout", "view", mark("Reset layout"), lambda a: a.reset_layout(), (), "", _open, 1),
    Command(
        "theme_light", "view", mark("Light"), lambda a: a.theme("light"), (), "", None, 2,
        lambda a: a.theme_now == "light",
    ),
    Command(
        "theme_dark", "view", mark("Dark"), lambda a: a.theme("dark"), (), "", None, 2,
        lambda a: a.theme_now == "dark",
    ),
    Command(
        "theme_system", "view", mark("Follow the system"), lambda a: a.theme("system"), (), "", None, 2,
        lambda a: a.theme_now == "system",
    ),
    Command(
        "english", "view", mark("English"), lambda a: a.language("en"), (), "", None, 3,
        lambda a: a.language_now == "en",
    ),
    Command(
        "chinese", "view", mark("中文 (Chinese)"), lambda a: a.language("zh"), (), "", None, 3,
        lambda a: a.language_now == "zh",
    ),
    Command("palette", "help", mark("Search kernels and commands"), lambda a: a.palette(), ("Ctrl+Shift+P",), "search"),
    Command("manual", "help", mark("Manual"), lambda a: a.manual(), ("F1",), "help"),
    Command("tour", "help", mark("Tour"), lambda a: a.tour(), (), "info", _session),
    Command("shortcuts", "help", mark("Shortcuts"), lambda a: a.shortcuts(), ("?",), "keyboard"),
    Command("about", "help", mark("About Mixbit"), lambda a: a.about(), (), "info", None, 1),
)  # fmt: skip


def _has_graph() -> bool:
    from gui.docks import available

    return available("graph")


def command(command_id: str) -> Command:
    """The command of that id; KeyError if there is none."""
    for entry in COMMANDS:
        if isinstance(entry, Command) and entry.id == command_id:
            return entry
    raise KeyError(command_id)


@dataclass(frozen=True, slots=True)
class Gesture:
    """A key or gesture that a view handles itself; listed on the shortcuts page."""

    keys: str
    text: str


GESTURES: tuple[Gesture, ...] = (
    Gesture("← →", mark("Step precision, in the precision column or switch")),
    Gesture("↑ ↓, Shift, Ctrl, Ctrl+A", mark("Move, extend, add, select all in the filter")),
    Gesture("W S A D", mark("Timeline: zoom in, out, left, right")),
    Gesture("F", mark("Plots: fit")),
    Gesture(", .", mark("Timeline: previous, next bar")),
    Gesture("P", mark("Hold: show the previous plan")),
    Gesture("J K", mark("Compare: next, previous kernel")),
    Gesture("E", mark("Compare: first kernel that misses the required SQNR")),
    Gesture("Enter, Space", mark("Sensitivity: apply the cell, only select its kernel")),
    Gesture("F2, Delete", mark("Plans: rename, delete")),
)
