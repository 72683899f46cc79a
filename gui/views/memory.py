"""Memory: where every activation lies while the network runs, and what makes the peak."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtWidgets import QMenu, QWidget

from engine.npu.results import Buffer
from engine.session.changes import What
from gui import format as fmt
from gui.plots.caption import Key
from gui.plots.chart import Hit
from gui.plots.kernel_view import KernelChartView
from gui.plots.table import Table
from gui.theme import Theme
from gui.views.memory_data import MemoryData, memory_data, memory_table
from gui.views.memory_layers import AliveList, AliveRow, BufferOutline, Buffers, MemoryLines
from gui.widgets.tip_card import TipContent

if TYPE_CHECKING:
    from engine.session import Session


class MemoryView(KernelChartView):
    """Address over kernel index; the dashed line is what is alive, the gap above it is what the planner wastes."""

    WATCHES: ClassVar[frozenset[What]] = frozenset({What.SELECTION, What.PLAN, What.SIMULATION, What.DEVICE})

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent, left_gap=40)
        self.data: MemoryData | None = None
        box = self.panel.box
        self.strip.setVisible(False)
        self.buffers, self.lines = Buffers(box), MemoryLines(box)
        self.alive, self.outline = AliveList(box), BufferOutline(box)
        self.panel.add(self.buffers, self.lines, self.alive, self.outline)
        self.retranslate()

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Memory")

    def draw(self) -> None:
        """Draw the memory plan of the session."""
        self.refresh_columns()
        data = self.data = memory_data(self.shown)
        if data is None or not len(self.columns):
            self.set_subtitle("")
            if self.session.network is None:
                self.show_no_model(self.tr("Open a model to see its memory."))
            else:
                self.show_empty(self.tr("The memory is being planned."))
            return
        self.show_page()
        unit, name = data.unit
        top = max(data.top, data.budget or 0) if (data.budget or 0) < 2 * data.top else data.top
        self.panel.set_y(0.0, top / unit * 1.09)
        self.outline.unit = unit
        self.buffers.set(data, self.columns.families)
        self._write_lines(data)
        self.show_selection()
        keys = [Key(self.tr("live set"), "dash", "ink")]
        if data.weight_bytes is not None:
            self.set_subtitle(self.tr("activations · weights {size} apart").format(size=fmt.bytes_(data.weight_bytes)))
        self.caption.set(self.tr("Address, {unit} by kernel").format(unit=name), keys)
        self.panel.redraw()

    def show_selection(self) -> None:
        """Band, and the list of what is alive at the current kernel, by default at the peak."""
        super().show_selection()
        data = self.data
        if data is None or not len(self.columns):
            return
        kernel = self.current_index if self.current_index is not None else data.plan.peak_kernel
        found = data.alive(kernel)
        self.buffers.mark(frozenset(b.tensor for b in found))
        self.alive.title = self.tr("Alive at #{index}").format(index=kernel)
        if kernel == data.plan.peak_kernel:
            self.alive.title = self.tr("Alive at #{index}, the peak").format(index=kernel)
        self.alive.rows = [AliveRow(self._family(b.tensor), self._name(b.tensor), fmt.bytes_(b.nbytes)) for b in found]
        self.alive.set(data, kernel)

    def table(self) -> Table:
        """One row per buffer."""
        return memory_table(self.data, self.columns) if self.data is not None else Table((), ())

    def describe(self, index: int) -> TipContent:
        """What is alive at a kernel."""
        assert self.data is not None
        rows = [(self.tr("alive"), fmt.bytes_(float(self.data.live[index])))]
        rows += [(self._name(b.tensor), fmt.bytes_(b.nbytes)) for b in self.data.alive(index)[:6]]
        return self.card_content(index, rows)

    def describe_buffer(self, hit: Hit) -> TipContent | None:
        """The buffer under the pointer."""
        buffer = self._buffer(hit)
        if buffer is None:
            return None
        rows = [
            (self.tr("size"), fmt.bytes_(buffer.nbytes)),
            (self.tr("address"), f"0x{buffer.offset:X}"),
            (self.tr("alive"), f"#{buffer.first} – #{buffer.last}"),
        ]
        writer = self.data.writer.get(buffer.tensor) if self.data is not None else None
        if writer is not None and writer < len(self.columns):
            return self.card_content(writer, rows)
        return TipContent(self._name(buffer.tensor), rows)

    def fill_menu(self, menu: QMenu) -> None:
        """Zoom."""
        menu.addAction(self.tr("Show the whole network"), self.span.fit)
        menu.addSeparator()

    def _write_lines(self, data: MemoryData) -> None:
        plan = data.plan
        peak = fmt.bytes_(plan.peak_bytes)
        if plan.lower_bound_bytes >= plan.peak_bytes:
            self.lines.peak_label = self.tr("peak {size}, equals the lower bound").format(size=peak)
            self.lines.bound_label = ""
        else:
            self.lines.peak_label = self.tr("peak {size}").format(size=peak)
            bound = fmt.bytes_(plan.lower_bound_bytes)
            self.lines.bound_label = self.tr("lower bound {size}").format(size=bound)
        self.lines.budget_label = self.tr("budget {size}").format(size=fmt.bytes_(data.budget))
        self.lines.set(data)

    def _name(self, tensor: str) -> str:
        """A tensor is known by the kernel that writes it."""
        writer = self.data.writer.get(tensor) if self.data is not None else None
        return self.columns.names[writer] if writer is not None and writer < len(self.columns) else tensor

    def _family(self, tensor: str) -> str:
        writer = self.data.writer.get(tensor) if self.data is not None else None
        return self.columns.families[writer] if writer is not None and writer < len(self.columns) else ""

    def _buffer(self, hit: Hit | None) -> Buffer | None:
        index = self.index_at(hit) if hit is not None else None
        if hit is None or index is None or self.data is None:
            return None
        return self.data.at(index, hit.y * self.data.unit[0])

    def _on_hover(self, hit: Hit | None) -> None:
        buffer = self._buffer(hit)
        if buffer is not self.outline.buffer:
            self.card.hide()
            self.outline.buffer = buffer
            self.outline.update()
        super()._on_hover(hit)

    def _on_rest(self, hit: Hit) -> None:
        content = self.describe_buffer(hit)
        if content is not None:
            self.card.show_at(content, self.chart.mapToGlobal(hit.position.toPoint()))
        else:
            super()._on_rest(hit)
