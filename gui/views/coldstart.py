"""Cold start: the way to the first result with its counter-measures, and frames in a row behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, cast

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from engine.npu.coldstart import Measures
from engine.npu.flow import MODES, FlowMode, InputPath
from engine.session.changes import What
from gui import format as form
from gui import stored
from gui.plots.export import Exporter
from gui.plots.table import Table
from gui.plots.view import PlotView
from gui.theme import Theme
from gui.views.coldstart_data import StartData, start_steps, start_table, wait_sentence
from gui.views.coldstart_parts import EDGE, FrameLanes, Ladder, PartRows
from gui.views.slices import Slices
from gui.widgets.chip import Chip
from gui.widgets.icon_button import IconButton
from gui.widgets.popup import one_use_menu
from gui.widgets.scrolling import scrolling
from gui.widgets.segmented import SegmentedControl
from gui.widgets.themed import label, line

if TYPE_CHECKING:
    from engine.session import Session

ESTIMATED = -1.0
"""Value of the preparing time that stands for "estimated"."""


class ColdStartView(PlotView):
    """Switches for counter-measures and the input path; every figure answers at once."""

    WATCHES: ClassVar[frozenset[What]] = frozenset({What.PLAN, What.SIMULATION, What.DEVICE})

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.data: StartData | None = None
        self._computing = Slices(self)
        self.preload, self.compiled, self.warm_up = Chip(""), Chip(""), Chip("")
        self.zero_copy, self.layout_chip = Chip(""), Chip("")
        self.wait, self.behind = label(role="title"), label(role="caption")
        self.ladder, self.parts = Ladder(), PartRows()
        self.mode = SegmentedControl([(mode, mode) for mode in MODES])
        self.preparing = QDoubleSpinBox()
        self.preparing.setRange(ESTIMATED, 1e6)
        self.preparing.setDecimals(0)
        self.preparing.setSuffix(" µs")
        self.preparing.setValue(ESTIMATED)
        self.preparing.setKeyboardTracking(False)
        self.preparing.setFixedWidth(98)
        self.frames_title, self.preparing_label = label(role="strong"), label(role="caption")
        self.figures, self.sentence = label(), label(role="caption")
        self.lanes = FrameLanes()
        for part in (self.behind, self.sentence, self.figures):
            part.setWordWrap(True)
        self.more = IconButton("more", token="muted")
        self.more.clicked.connect(lambda: self.menu().popup(self.more.mapToGlobal(QPoint(0, self.more.height()))))
        self.exporter = Exporter(self, None, self.table, self.title, twin=self)
        self.compiled.setChecked(True)
        self.layout_chip.setChecked(True)
        self._lay_out()
        for chip in (self.preload, self.compiled, self.warm_up, self.zero_copy, self.layout_chip):
            chip.toggled.connect(lambda _: self.mark_dirty(What.DEVICE))
        self.mode.chosen.connect(lambda _: self.mark_dirty(What.DEVICE))
        self.preparing.valueChanged.connect(lambda _: self.mark_dirty(What.DEVICE))
        self.retranslate()

    def _lay_out(self) -> None:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 8, 0, 10)
        column.setSpacing(6)
        column.addLayout(_row(self.wait))
        column.addLayout(_row(self.preload, self.compiled, self.warm_up))
        column.addWidget(self.ladder)
        column.addLayout(_row(self.behind))
        column.addWidget(self.parts)
        column.addSpacing(4)
        column.addWidget(line())
        column.addLayout(_row(self.frames_title))
        column.addLayout(_row(self.mode, QWidget()))
        column.addLayout(_row(self.zero_copy, self.layout_chip))
        column.addLayout(_row(self.preparing_label, self.preparing))
        column.addLayout(_row(self.figures))
        column.addWidget(self.lanes)
        column.addLayout(_row(self.sentence))
        column.addStretch(1)
        self.set_page(scrolling(content))

    # -- dock -------------------------------------------------------------------------------------------------------

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Cold start")

    def header_widgets(self) -> list[QWidget]:
        """More."""
        return [self.more]

    def menu(self) -> QMenu:
        """Copy and export."""
        menu = one_use_menu(self)
        self.exporter.fill(menu)
        return menu

    def retranslate(self) -> None:
        """The language has changed."""
        super().retranslate()
        self.more.set_tip(self.tr("Copy and export"))
        for chip, name, tip in (
            (self.preload, self.tr("Preload"), self.tr("The program loads the model when it starts")),
            (self.compiled, self.tr("Compiled ahead"), self.tr("Offline, or kept from an earlier start")),
            (self.warm_up, self.tr("Warm-up"), self.tr("One run on dummy input follows the loading")),
            (self.zero_copy, self.tr("Zero-copy"), self.tr("CPU and NPU share the memory of inputs and outputs")),
            (self.layout_chip, self.tr("Layout on CPU"), self.tr("The CPU turns pictures into planes of FP16")),
        ):
            chip.setText(name)
            chip.setAccessibleName(name)
            chip.setToolTip(tip)
            chip.updateGeometry()
        self.frames_title.setText(self.tr("Frames in a row"))
        self.preparing_label.setText(self.tr("preprocessing"))
        self.preparing.setSpecialValueText(self.tr("estimated"))
        self.preparing.setAccessibleName(self.tr("Time to prepare one input"))
        words = (self.tr("synchronous"), self.tr("asynchronous"), self.tr("double-buffered"))
        self.mode.set_choices(list(zip(MODES, words, strict=True)))
        self.mode.setAccessibleName(self.tr("How CPU and NPU share the work"))

    def save_state(self) -> dict[str, object]:
        """All switches."""
        measures, path = self.measures(), self.path()
        return {
            "preload": measures.preload,
            "compiled": measures.compiled,
            "warm_up": measures.warm_up,
            "mode": path.mode,
            "zero_copy": path.zero_copy,
            "layout": path.layout,
            "preparing": self.preparing.value(),
        }

    def restore_state(self, state: dict[str, object]) -> None:
        """Set them again."""
        chips = {
            "preload": self.preload,
            "compiled": self.compiled,
            "warm_up": self.warm_up,
            "zero_copy": self.zero_copy,
            "layout": self.layout_chip,
        }
        for name, chip in chips.items():
            value = state.get(name)
            if isinstance(value, bool):
                chip.setChecked(value)
        mode = stored.choice(state.get("mode"), MODES)
        if mode is not None:
            self.mode.set_current(mode)
        preparing = stored.number(state.get("preparing"), self.preparing.minimum(), self.preparing.maximum())
        if preparing is not None:
            self.preparing.setValue(preparing)
        self.mark_dirty(What.DEVICE)

    # -- drawing ----------------------------------------------------------------------------------------------------

    def measures(self) -> Measures:
        """The counter-measures that are switched on."""
        return Measures(self.preload.isChecked(), self.compiled.isChecked(), self.warm_up.isChecked())

    def path(self) -> InputPath:
        """The input path that is set; frames come at the rate of the scenario."""
        own = self.preparing.value()
        return InputPath(
            cast(FlowMode, self.mode.current),
            self.zero_copy.isChecked(),
            self.layout_chip.isChecked(),
            None if own < 0 else own,
            self.session.scenario.runs_per_second,
        )

    def draw(self) -> None:
        """Compute, and show what comes out."""
        self._computing.stop()
        if self.session.network is None:
            self.data = None
            self.show_no_model(self.tr("Open a model to see how soon its first result comes."))
        elif self.shown.figures.simulation is None:
            self.data = None
            self.show_empty(self.tr("The device is being simulated."))
        else:
            self._computing.start(self._compute())

    def refresh_now(self) -> None:
        """Redraw what is due, all of it."""
        super().refresh_now()
        self._computing.finish()

    def dispose(self) -> None:
        """Stop listening."""
        self._computing.stop()
        super().dispose()

    def _compute(self) -> Iterator[None]:
        """Way by way between other events: together they take 50 ms of a 30-layer decoder."""
        for data in start_steps(self.shown, self.measures(), self.path()):
            if data is not None:
                self._show(data)
            yield

    def _show(self, data: StartData) -> None:
        self.data = data
        self.show_page()
        start, frames = data.chosen, data.flow
        self.wait.setText(self.tr("{time} to the first result").format(time=form.run_latency(start.wait_us)))
        words = self.tr("{size} file, later results after {time}").format(
            size=form.bytes_(start.file_bytes), time=form.run_latency(start.steady_us)
        )
        if start.ahead_us:
            words += self.tr("; {time} of work is done before the request").format(
                time=form.run_latency(start.ahead_us)
            )
        self.behind.setText(words)
        self.ladder.show_rungs(data.ladder, start)
        self.parts.show_parts(start.parts, self.tr("ahead"))
        self.lanes.show_flow(frames)
        self.figures.setText(
            self.tr("{fps} frames/s, latency {latency}, NPU {npu}, CPU {cpu} busy").format(
                fps=form.fixed(frames.frames_per_second, 1),
                latency=form.run_latency(frames.latency_us),
                npu=form.percent(frames.npu_utilization),
                cpu=form.percent(frames.cpu_utilization),
            )
        )
        sentence = wait_sentence(frames).format(time=form.run_latency(frames.gap_us))
        if frames.dropped:
            share = form.percent(frames.dropped)
            sentence += " " + self.tr("{share} of the frames that arrive are dropped.").format(share=share)
        self.sentence.setText(sentence)
        self.set_subtitle("")
        self.fill_twin()

    def table(self) -> Table:
        """Parts and steps with plain numbers."""
        return start_table(self.data) if self.data is not None else Table((), ())


def _row(*parts: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setContentsMargins(EDGE, 0, EDGE, 0)
    row.setSpacing(6)
    for part in parts:
        row.addWidget(part, 1 if len(parts) == 1 else 0)
    if len(parts) > 1:
        row.addStretch(1)
    return row
