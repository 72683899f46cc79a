"""A list of schemes to choose from: those that are ready-made, those in use, and any other that is put together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from engine.errors import PlanError
from engine.precision.notation import READY, read_scheme
from engine.precision.scheme import FP32, INT4, Scheme, label
from gui.views.scheme_dialog import SchemeDialog
from gui.views.scheme_words import scheme_words
from gui.views.sensitivity_data import scheme_order

translate = QCoreApplication.translate
Take = Callable[[Scheme, bool], None]


def fill_schemes(
    menu: QMenu, chosen: Collection[Scheme], take: Take, owner: QWidget, others: Iterable[Scheme] = ()
) -> None:
    """One entry to tick for each scheme, and one that asks for another.

    Args:
        menu: What is filled.
        chosen: Schemes that are ticked.
        take: Called with a scheme, and whether it is wanted from now on.
        owner: In front of whose window the question is asked.
        others: Schemes that are listed beside those that are ready-made and those that are chosen.
    """
    for scheme in scheme_order({*READY, *chosen, *others} - {FP32}):
        action = menu.addAction(f"{label(scheme)}  {scheme_words(scheme)}".rstrip())
        action.setCheckable(True)
        action.setChecked(scheme in chosen)
        action.toggled.connect(lambda on, scheme=scheme: take(scheme, on))
    menu.addSeparator()
    menu.addAction(translate("Schemes", "Another scheme…"), lambda: ask_scheme(owner, lambda s: take(s, True)))


def show_schemes(
    anchor: QWidget, menu: QMenu, chosen: Collection[Scheme], take: Take, others: Iterable[Scheme] = ()
) -> QMenu:
    """The list below a button."""
    fill_schemes(menu, chosen, take, anchor, others)
    menu.popup(anchor.mapToGlobal(QPoint(0, anchor.height())))
    return menu


def ask_scheme(owner: QWidget, take: Callable[[Scheme], None]) -> SchemeDialog:
    """Ask for formats; how weights are rounded is a matter of each kernel, so the answer rounds to nearest."""
    dialog = SchemeDialog(INT4, 0, owner.window(), title=translate("Schemes", "Another scheme"))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.editor.without_methods()
    dialog.accepted.connect(lambda: take(replace(dialog.scheme(), method="rtn", corrected=False)))
    dialog.open()
    return dialog


def kept_schemes(value: object) -> list[Scheme]:
    """Schemes by the names that a project keeps, each once; those that are none are left out."""
    found = []
    for name in value if isinstance(value, list) else ():
        try:
            found += [read_scheme(name)] if isinstance(name, str) else []
        except PlanError:
            continue
    return list(dict.fromkeys(found))
