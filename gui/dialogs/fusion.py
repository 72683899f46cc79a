"""Launches before and after fusion, what they cost, and which patterns did not fuse and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QGridLayout, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from gui import format as form
from gui.dialogs.base import Dialog
from gui.i18n import data_text
from gui.i18n import text as translated
from gui.views.fusing import Fusing
from gui.widgets.themed import button, label

if TYPE_CHECKING:
    from engine.fusion.types import Rules
    from engine.session import Session
    from engine.session.launching import FusionReport, LaunchCost

WHO = "fusion"
_ROW = 22
_KERNELS = Qt.ItemDataRole.UserRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class FusionDialog(Dialog):
    """Three rows of figures, one per way to cut the model into launches, and the list of what stayed apart."""

    def __init__(self, session: Session, parent: QWidget | None) -> None:
        super().__init__("", "", parent, width=960)
        self.setModal(False)
        self.setWindowTitle(self.tr("Launches and fusion"))
        self._session = session
        self._fusing = Fusing(session, "fusion dialog", self._show)
        self._unsubscribe = session.subscribe(lambda _change: self._ask())
        self.finished.connect(self._on_finished)
        self.grid = QGridLayout()
        self.grid.setHorizontalSpacing(22)
        self.grid.setVerticalSpacing(6)
        self.grid.setColumnStretch(0, 1)
        self.body.addLayout(self.grid)
        self.list_title = label("", "strong")
        self.body.addSpacing(6)
        self.body.addWidget(self.list_title)
        self.list = QTreeWidget()
        self.list.setRootIsDecorated(False)
        self.list.setAlternatingRowColors(True)
        self.list.setUniformRowHeights(True)
        self.list.setMinimumHeight(240)
        self.list.setAccessibleName(self.windowTitle())
        self.list.setHeaderLabels([self.tr("Pattern"), self.tr("Kernel"), self.tr("Stayed apart"), self.tr("Why")])
        self.list.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self._fit_columns()
        self.list.currentItemChanged.connect(self._on_current)
        self.body.addWidget(self.list, 1)
        self.add_button(self.tr("Close"), self.accept, primary=True).setFocus()
        self._ask()
        self._show()

    def _ask(self) -> None:
        self._fusing.ask()

    def _on_finished(self) -> None:
        self._unsubscribe()
        self._fusing.stop()

    def _show(self) -> None:
        report, network = self._fusing.report, self._session.network
        if report is None or network is None:
            self.sentence.setText(self.tr("Simulating both rule sets…"))
            self.sentence.show()
            return
        device = data_text(self._session.device.title)
        self.title_label.setText(self.tr("What fusion saves on {device}").format(device=device))
        self._write_sentence(report)
        self._write_grid(report)
        self._write_list(report)

    def _write_sentence(self, report: FusionReport) -> None:
        now = report.of(self._session.rules)
        saved = report.nodes.launches - now.launches
        spared = report.nodes.launch_us - now.launch_us
        self.sentence.setText(
            self.tr(
                "Launches take {share} of the latency of this model. Fusion saves {saved} of {all} launches, "
                "{time} in each run."
            ).format(
                share=form.percent(now.share), saved=saved, all=report.nodes.launches, time=form.run_latency(spared)
            )
        )
        self.sentence.show()

    def _write_grid(self, report: FusionReport) -> None:
        while (item := self.grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        heads = (
            self.tr("Rules"), self.tr("Launches"), self.tr("Saved"), self.tr("Time for launches"), self.tr("Latency"),
            self.tr("Share"),
        )  # fmt: skip
        for column, head in enumerate(heads):
            self._cell(0, column, head, "muted")
        rows: tuple[tuple[str, LaunchCost, Rules | None], ...] = (
            (self.tr("Node by node"), report.nodes, None),
            (self.tr("Cloud: conservative"), report.cloud, "cloud"),
            (self.tr("Edge: all that can fuse"), report.edge, "edge"),
        )
        for row, (title, cost, rules) in enumerate(rows, 1):
            used = rules == self._session.rules
            figures = (
                title,
                form.integer(cost.launches),
                form.integer(report.nodes.launches - cost.launches),
                form.run_latency(cost.launch_us),
                form.run_latency(cost.latency_us),
                form.percent(cost.share),
            )
            for column, figure in enumerate(figures):
                self._cell(row, column, figure, "strong" if used else "")
            if rules is not None:
                use = button(self.tr("In use") if used else self.tr("Use"))
                use.setEnabled(not used)
                use.clicked.connect(lambda _checked=False, name=rules: self._session.set_rules(name))
                self.grid.addWidget(use, row, len(figures))

    def _cell(self, row: int, column: int, words: str, role: str) -> None:
        cell = label(words, role) if role else label(words)
        if column:
            cell.setAlignment(_RIGHT)
        self.grid.addWidget(cell, row, column)

    def _write_list(self, report: FusionReport) -> None:
        network = self._session.network
        assert network is not None
        count = len(report.not_fused)
        self.list_title.setText(
            self.tr("%n pattern(s) did not fuse", "", count) if count else self.tr("Every known pattern has fused")
        )
        self.list.setVisible(bool(count))
        self.list.clear()
        for each in report.not_fused:
            others = ", ".join(network.by_id(other).name for other in each.others)
            reason = translated(each.reason)
            item = QTreeWidgetItem([each.pattern, network.by_id(each.kernel).name, others, reason])
            item.setSizeHint(0, QSize(0, _ROW))
            item.setData(0, _KERNELS, (each.kernel, *each.others))
            for column in range(4):
                item.setToolTip(column, reason if column == 3 else item.text(column))
            self.list.addTopLevelItem(item)
        self._fit_columns()

    def _fit_columns(self) -> None:
        for column, width in enumerate((200, 150, 150)):
            self.list.setColumnWidth(column, max(width, self.list.header().sectionSizeHint(column)))

    def _on_current(self, item: QTreeWidgetItem | None) -> None:
        kernels = item.data(0, _KERNELS) if item is not None else None
        if kernels:
            self._session.select(kernels, kernels[0], who=WHO)
