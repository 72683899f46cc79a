"""Kernel: everything about the current kernel, and every scheme it can take."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from engine.fusion.types import Kernel
from engine.precision.presets import not_at_four_bits
from engine.precision.scheme import FP16, FP32, Scheme, family, label
from engine.session.changes import What
from engine.session.sharing import sharing_sentence
from gui import format as form
from gui.i18n import text as translated
from gui.kernel_names import names_of
from gui.paint import SwitchLook
from gui.theme import Theme
from gui.views import kernel_data as data
from gui.views.fusing import Apart
from gui.views.kernel_note import NoteField
from gui.views.kernel_parts import EDGE, FactRows, ShareRows, WhatIfTable
from gui.views.layers_rows import SEGMENTS, times
from gui.views.price import Pricer
from gui.views.scheme_editor import SchemeEditor
from gui.views.session_view import SessionView
from gui.views.words import no_switch_word
from gui.widgets.empty import EmptyState
from gui.widgets.icon_button import IconButton
from gui.widgets.precision_switch import PrecisionSwitch
from gui.widgets.scrolling import scrolling
from gui.widgets.themed import button, line
from gui.widgets.themed import label as text_label

if TYPE_CHECKING:
    from engine.session import Session

WHO = "kernel"


class KernelView(SessionView):
    """Inspector of one kernel; it follows the selection unless it is pinned."""

    RANK: ClassVar[int] = 1
    WATCHES: ClassVar[frozenset[What]] = frozenset(What) - {What.JOBS, What.LOG, What.PROJECT, What.CAPTURE}

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self._pinned: str | None = None
        self._apart = Apart(session, "apart", lambda: self.mark_dirty(What.LOCAL))
        self._pricer = Pricer(session, "what if", lambda: self.mark_dirty(What.LOCAL))
        self.pin = IconButton("pin")
        self.pin.setCheckable(True)
        self.pin.toggled.connect(self._on_pin)
        self.name = text_label(role="title")
        self.number = text_label(role="muted")
        self.op = text_label(role="caption")
        self.switch = PrecisionSwitch(height=22, segment=64)
        self.why_not = text_label(role="caption")
        self.advanced = button()
        self.advanced.setCheckable(True)
        self.editor = SchemeEditor(narrow=True)
        self.shared, self.apart = text_label(role="caption"), text_label(role="caption")
        self.note_title: QLabel = text_label(role="muted")
        self.note = NoteField()
        self.formats, self.errors = FactRows(), FactRows()
        self.time = _Heading()
        self.shares = ShareRows()
        self.why = text_label(role="caption")
        self.if_heading = _Heading()
        self.table = WhatIfTable()
        self.refusals = text_label(role="muted")
        self.traffic_heading, self.traffic = _Heading(), FactRows()
        self.nodes_heading, self.nodes = _Heading(), FactRows(0)
        self.empty = EmptyState()
        self._pages = QStackedWidget()
        self._lay_out()
        self.switch.chosen.connect(lambda name: self._set(SEGMENTS[name]))
        self.advanced.toggled.connect(self._on_advanced)
        self.editor.edited.connect(self._set)
        self.table.chosen.connect(self._set)
        self.note.written.connect(lambda kernel, text: self.session.set_note(kernel, text, WHO))
        self.retranslate()
        self.refresh(frozenset({What.MODEL}))

    def _lay_out(self) -> None:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 10, 0, 12)
        column.setSpacing(0)
        for part in (self.op, self.why_not, self.why, self.refusals, self.shared, self.apart):
            part.setWordWrap(True)
        head = QHBoxLayout()
        head.addWidget(self.name, 1)
        head.addWidget(self.number)
        switch = QHBoxLayout()
        switch.setSpacing(8)
        switch.addWidget(self.switch, 1)
        switch.addWidget(self.advanced)
        for entry, gap in ((head, 2), (self.op, 8), (switch, 6), (self.why_not, 6), (self.editor, 8),
                           (self.note_title, 4), (self.note, 8)):  # fmt: skip
            column.addLayout(_indented(entry))
            column.addSpacing(gap)
        column.addWidget(self.formats)
        column.addLayout(_indented(self.shared))
        column.addSpacing(4)
        column.addWidget(self.errors)
        column.addSpacing(8)
        self._section(column, self.time, self.shares)
        column.addSpacing(4)
        column.addLayout(_indented(self.why))
        column.addSpacing(8)
        self._section(column, self.if_heading, self.table)
        column.addSpacing(3)
        column.addLayout(_indented(self.refusals))
        column.addSpacing(8)
        self._section(column, self.traffic_heading, self.traffic)
        column.addSpacing(8)
        self._section(column, self.nodes_heading, self.nodes)
        column.addSpacing(3)
        column.addLayout(_indented(self.apart))
        column.addStretch(1)
        self._pages.addWidget(scrolling(content))
        self._pages.addWidget(self.empty)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._pages)

    def _section(self, column: QVBoxLayout, heading: _Heading, part: QWidget) -> None:
        column.addWidget(line())
        column.addSpacing(6)
        column.addWidget(heading)
        column.addSpacing(2)
        column.addWidget(part)

    # What the dock asks for.

    def title(self) -> str:
        """Name of the dock."""
        return self.tr("Kernel")

    def header_widgets(self) -> list[QWidget]:
        """Pin."""
        return [self.pin]

    def retranslate(self) -> None:
        """Write the texts again."""
        self.pin.set_tip(self.tr("Stay on this kernel"))
        self.advanced.setText(self.tr("Advanced"))
        self.time.title.setText(self.tr("Where the time goes"))
        self.if_heading.title.setText(self.tr("What if"))
        self.traffic_heading.title.setText(self.tr("Traffic"))
        self.nodes_heading.title.setText(self.tr("Fused from"))
        self.empty.set_texts(
            self.tr("Select a kernel to see its formats, where its time goes and what else it could be.")
        )
        self.note.setPlaceholderText(self.tr("About this kernel, kept in the project"))
        self.note_title.setText(self.tr("Note"))
        self.note_title.setBuddy(self.note)
        self.note.setAccessibleName(self.tr("Note"))
        self.editor.retranslate()
        self.mark_dirty(What.PLAN)

    def dispose(self) -> None:
        """Stop listening."""
        self.note.keep()
        self._pricer.stop()
        self._apart.stop()
        super().dispose()

    @property
    def kernel(self) -> Kernel | None:
        """The kernel on show."""
        network = self.session.network
        wanted = self._pinned or self.session.current
        if network is None or wanted is None:
            return None
        return next((k for k in network.kernels if k.id == wanted), None)

    # Drawing.

    def refresh(self, changes: frozenset[What]) -> None:
        """Write everything that is known of the kernel."""
        if What.MODEL in changes:
            self.pin.setChecked(False)
            self.note.forget()
        kernel = self.kernel
        self._pages.setCurrentIndex(0 if kernel is not None else 1)
        if kernel is None:
            return
        self._write_head(kernel)
        self.note.show_note(kernel.id, self.session.notes.get(kernel.id, ""))
        self._write_switch(kernel)
        self.formats.show_facts(data.format_facts(self.shown, kernel) if kernel.tunable else data.stored_facts(kernel))
        self.errors.show_facts(data.error_facts(self.shown, kernel))
        self._write_cost(kernel)
        self._write_what_if(kernel)
        self._write_fusion(kernel)

    def _write_head(self, kernel: Kernel) -> None:
        network = self.session.network
        path, last = names_of(network).split(kernel.name) if network is not None else ("", kernel.name)
        room = max(80, self.width() - 2 * EDGE - 50)
        shown = self.name.fontMetrics().elidedText(path, Qt.TextElideMode.ElideMiddle, max(20, room - 110))
        self.name.setTextFormat(Qt.TextFormat.RichText)
        quiet = self.theme.text2.name()
        self.name.setText(f'<span style="font-weight:500;color:{quiet}">{_safe(shown)}</span>{_safe(last)}')
        self.name.setToolTip(kernel.name)
        self.number.setText(f"#{kernel.index}")
        self.op.setText(f"{times(kernel.op)} · {data.shapes_line(self.session, kernel)}")

    def _write_switch(self, kernel: Kernel) -> None:
        scheme, locked = self.shown.plan.scheme(kernel.id), kernel.id in self.session.locked
        for part in (self.switch, self.advanced):
            part.setVisible(kernel.tunable)
            part.setEnabled(not locked)
        self.editor.setVisible(kernel.tunable and self.advanced.isChecked())
        self.editor.setEnabled(not locked)
        eight = not_at_four_bits(kernel)
        self.why_not.setVisible(not kernel.tunable or locked or eight is not None)
        if not kernel.tunable:
            cost = data.cost_of(self.session, kernel)
            reason = (
                translated(kernel.why_not)
                if kernel.why_not
                else no_switch_word(str(kernel.kind), cost.unit if cost else "")
            )
            self.why_not.setText(reason)
            return
        if locked:
            self.why_not.setText(self.tr("Locked: edits and the search leave this kernel alone."))
        elif eight is not None:
            self.why_not.setText(translated(eight))
        struck = frozenset(n for n, s in SEGMENTS.items() if self.session.supports(kernel.id, s) is not None)
        name = family(scheme)
        self.switch.set_look(
            SwitchLook(
                name if name in SEGMENTS else None,
                label(scheme.rounded),
                scheme.weights.bits,
                struck,
                locked=locked,
                method=scheme != scheme.rounded,
            )
        )
        self.editor.show_scheme(FP16 if scheme == FP32 else scheme)

    def _write_cost(self, kernel: Kernel) -> None:
        cost, simulation = data.cost_of(self.shown, kernel), self.shown.figures.simulation
        if cost is None or simulation is None:
            self.shares.show_shares([], "")
            self.traffic.show_facts([])
            self.why.setText(self.tr("Not simulated yet."))
            self.time.note.setText("")
            return
        band = form.with_unit(form.fixed(100 * simulation.band, 0), "%")
        self.time.note.setText(f"{form.latency_us(cost.latency_us)} ±{band}")
        name = family(self.shown.plan.scheme(kernel.id)) if kernel.tunable else ""
        self.shares.show_shares(data.shares(cost), name)
        self.why.setText(translated(cost.why))
        self.traffic.show_facts(data.traffic_facts(cost))

    def _write_fusion(self, kernel: Kernel) -> None:
        """What the kernel is made of, what that saves, and which neighbours stayed apart."""
        self.nodes.show_facts(data.node_facts(kernel))
        self.nodes_heading.note.setText(self.tr("%n ONNX node(s)", "", len(kernel.nodes)))
        if self.isVisible():
            self._apart.ask()
        sentences = []
        if len(kernel.nodes) > 1:
            saved = (len(kernel.nodes) - 1) * float(self.session.device.number("launch.vector"))
            words = self.tr("Saves %n launch(es), {0} in each run.", "", len(kernel.nodes) - 1)
            sentences.append(words.format(form.latency_us(saved)))
        sentences += [
            self.tr("Not fused with {0}: {1}.").format(names, translated(reason))
            for names, reason in self._apart.of(kernel.id)[:3]
        ]
        self.apart.setText("\n".join(sentences))
        self.apart.setVisible(bool(sentences))
        shared = sharing_sentence(self.session.network, kernel.id) if self.session.network else None
        self.shared.setText(translated(shared) if shared is not None else "")
        self.shared.setVisible(shared is not None)

    def _write_what_if(self, kernel: Kernel) -> None:
        self.table.setVisible(kernel.tunable)
        if not kernel.tunable:
            self.refusals.setText(self.tr("This kernel has no precision of its own, so there is no other to try."))
            self.refusals.show()
            return
        if self.isVisible():
            self._pricer.ask([data.plan_with(self.session, kernel, s) for s in data.candidates(self.session, kernel)])
        rows = data.what_if(self.session, kernel, self._pricer)
        self.table.show_rows(rows)
        reasons = data.refusals(rows)
        self.refusals.setText(reasons)
        self.refusals.setVisible(bool(reasons))

    # Editing.

    def _set(self, scheme: Scheme) -> None:
        kernel = self.kernel
        if kernel is not None:
            self.session.set_scheme((kernel.id,), scheme, who=WHO)

    def _on_advanced(self, on: bool) -> None:
        self.editor.setVisible(on)

    def _on_pin(self, on: bool) -> None:
        self._pinned = self.session.current if on else None
        self.mark_dirty(What.SELECTION)


class _Heading(QWidget):
    """Heading of a section with a quiet note at the right."""

    def __init__(self) -> None:
        super().__init__()
        self.title = text_label(role="strong")
        self.note = text_label(role="muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(EDGE, 0, EDGE, 0)
        row.addWidget(self.title, 1)
        row.addWidget(self.note)


def _indented(entry: QWidget | QHBoxLayout) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setContentsMargins(EDGE, 0, EDGE, 0)
    if isinstance(entry, QWidget):
        row.addWidget(entry)
    else:
        row.addLayout(entry)
    return row


def _safe(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
