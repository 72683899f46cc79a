"""What the two sides of Compare are called, and the menu they are chosen from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QPoint
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from engine.precision.plan import Plan
from engine.precision.scheme import Scheme, label
from engine.session.comparing import Source
from gui import folders
from gui.views.compare_names import dump_names
from gui.views.plan_words import plan_word
from gui.widgets.popup import one_use_menu

if TYPE_CHECKING:
    from engine.session import Session

translate = QCoreApplication.translate


def source_words(session: Session, source: Source, plan: Plan, kernel: str | None) -> tuple[str, str]:
    """Name and details of a side.

    Args:
        session: Where dumps and kept plans are.
        source: The side.
        plan: What "the current plan" is on the picture.
        kernel: Whose scheme the details name.
    """
    if source.kind == "reference":
        return translate("CompareView", "Reference"), translate("CompareView", "ONNX Runtime, FP32")
    if source.kind == "dump":
        table = session.comparing.dumps.get(source.name)
        name = Path(source.name).name
        if table is None:
            return name, ""
        matched = sum(1 for match in table.matches if match.kernel)
        details = translate("CompareView", "dump, {matched} of {count} tensors matched")
        return name, details.format(matched=matched, count=len(table.matches))
    if source.kind == "kept":
        plan = next((kept.plan for kept in session.kept.plans if kept.name == source.name), plan)
    details = _scheme_words(session, source, plan, kernel)
    if source.kind == "emulated":
        return translate("CompareView", "Emulated integer kernels"), details
    if source.kind == "device":
        return translate("CompareView", "As the device runs it"), details
    if source.kind == "kept":
        return translate("CompareView", "Kept plan {name}").format(name=source.name), details
    word = plan_word(plan.name)
    if word and word == plan.name:
        word = translate("CompareView", "Plan {name}").format(name=word)
    return word or translate("CompareView", "Plan"), details


def _scheme_words(session: Session, source: Source, plan: Plan, kernel: str | None) -> str:
    network = session.network
    if network is None or kernel is None or not network.by_id(kernel).tunable:
        return translate("CompareView", "preview")
    scheme = label(plan.scheme(kernel))
    if source.kind == "emulated":
        words = emulated_words(plan.scheme(kernel), network.by_id(kernel).kind)
        return words.format(scheme=scheme)
    if source.kind == "device":
        return translate("CompareView", "the device's own kernel, this kernel {scheme}").format(scheme=scheme)
    return translate("CompareView", "preview, this kernel {scheme}").format(scheme=scheme)


def emulated_words(scheme: Scheme, kind: str) -> str:
    """How the emulated kernel of a kind computes with a scheme: what is packed, and what holds the sums."""
    from engine.npu.emulate import accumulator_bits

    if kind == "embedding":
        return translate("CompareView", "looked up in the packed table, this kernel {scheme}")
    if scheme.weights.floating:
        return translate("CompareView", "rounded weights, float sums, this kernel {scheme}")
    if scheme.activations.floating:
        return translate("CompareView", "packed weights, float sums, this kernel {scheme}")
    if accumulator_bits(scheme) > 32:
        return translate("CompareView", "packed weights, int64 sums, this kernel {scheme}")
    return translate("CompareView", "packed weights, int32 sums, this kernel {scheme}")


def match_words(session: Session) -> tuple[str, str]:
    """How the tensors of the dump on show were matched: in short, and with all counts."""
    comparing = session.comparing
    source = next((s for s in (comparing.a, comparing.b) if s.kind == "dump"), None)
    table = comparing.dumps.get(source.name) if source is not None else None
    if table is None:
        return "", ""
    names = {
        "id": translate("CompareView", "by kernel"),
        "user": translate("CompareView", "by hand"),
        "exact": translate("CompareView", "by name"),
        "characters": translate("CompareView", "by name, other characters"),
        "csv": translate("CompareView", "by fusion table"),
        "fused": translate("CompareView", "by fused names"),
        "part": translate("CompareView", "by part of the name"),
        "none": translate("CompareView", "unmatched"),
    }
    counts = table.counts
    parts = [f"{count} {names[how]}" for how, count in counts.items()]
    if table.missing:
        parts.append(translate("CompareView", "%n kernel(s) without a tensor", "", len(table.missing)))
    left = counts.get("none", 0)
    short = translate("CompareView", "{matched} matched").format(matched=sum(counts.values()) - left)
    if left:
        short += " · " + translate("CompareView", "{count} unmatched").format(count=left)
    return short, "\n".join(parts)


class SourceMenu:
    """The menu of one side, and what opens dumps."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        self._session, self._parent = session, parent

    def menu(self, chosen: Source, choose: Callable[[Source], None]) -> QMenu:
        """All sources, the one in use checked, and ways to open a dump."""
        menu = one_use_menu(self._parent)
        group = QActionGroup(menu)
        for source in self._session.comparing.sources():
            name, details = source_words(self._session, source, self._session.plan, self._session.current)
            action = QAction(f"{name}   {details}" if source.kind == "dump" else name, menu)
            action.setCheckable(True)
            action.setChecked(source == chosen)
            action.triggered.connect(lambda _=False, s=source: choose(s))
            group.addAction(action)
            menu.addAction(action)
        menu.addSeparator()
        self._add_ways(menu)
        for path in self._session.comparing.dumps:
            name = Path(path).name
            words = translate("CompareView", "Names of {dump}…").format(dump=name)
            menu.addAction(words).triggered.connect(lambda _=False, p=path: self.names(p))
            words = translate("CompareView", "Fusion table for {dump}…").format(dump=name)
            menu.addAction(words).triggered.connect(lambda _=False, p=path: self.fusions(p))
            words = translate("CompareView", "Close {dump}").format(dump=name)
            menu.addAction(words).triggered.connect(lambda _=False, p=path: self._session.comparing.close_dump(p))
        return menu

    def ask(self, beside: QWidget) -> QMenu:
        """Below a button: whether the dump is a folder or a file."""
        menu = one_use_menu(self._parent)
        self._add_ways(menu)
        menu.popup(beside.mapToGlobal(QPoint(0, beside.height() + 2)))
        return menu

    def _add_ways(self, menu: QMenu) -> None:
        for words, open_ in (
            (translate("CompareView", "Open a dump folder…"), self.open),
            (translate("CompareView", "Open a dump file…"), self.open_file),
        ):
            menu.addAction(words).triggered.connect(lambda _=False, open_=open_: open_())

    def open(self) -> None:
        """Ask for a folder with a dump and open it."""
        chosen = QFileDialog.getExistingDirectory(
            self._parent, translate("CompareView", "Open a dump folder"), folders.to_open(self._parent)
        )
        if chosen:
            folders.opened(self._parent, Path(chosen))
            self._session.comparing.open_dump(Path(chosen))

    def open_file(self) -> None:
        """Ask for one file with values and open it."""
        title = translate("CompareView", "Open a dump file")
        chosen, _ = QFileDialog.getOpenFileName(self._parent, title, folders.to_open(self._parent))
        if chosen:
            folders.opened(self._parent, Path(chosen))
            self._session.comparing.open_dump(Path(chosen))

    def fusions(self, path: str) -> None:
        """Ask for the compiler's fusion table and match the names of a dump with it."""
        title = translate("CompareView", "Open the compiler's fusion table")
        kinds = translate("CompareView", "Tables (*.csv);;All files (*)")
        chosen, _ = QFileDialog.getOpenFileName(self._parent, title, str(Path(path).parent), kinds)
        if chosen:
            self._session.comparing.use_fusions(path, Path(chosen))

    def names(self, path: str) -> None:
        """Show which name was matched how, to be corrected."""
        dump_names(self._session, path, self._parent).show()

    def names_of_shown(self) -> None:
        """The names of the dump that is on show."""
        comparing = self._session.comparing
        for source in (comparing.a, comparing.b):
            if source.kind == "dump":
                self.names(source.name)
                return
