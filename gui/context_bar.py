"""The context bar: model, device, data and plan with their menus; undo, redo, export."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QWidget

from gui import format as form
from gui.actions import Actions
from gui.dialogs.used import used_words
from gui.i18n import data_text
from gui.i18n import text as translated
from gui.icons import icon
from gui.menus import Menus
from gui.theme import Theme, theme_manager
from gui.widgets.context_button import HEIGHT, ContextButton
from gui.widgets.icon_button import IconButton
from gui.widgets.themed import button

if TYPE_CHECKING:
    from engine.session import Session
    from gui.window import Window


class ContextBar(QWidget):
    """44 px high; details fold away from the right when room is short."""

    def __init__(self, menus: Menus, actions: Actions, window: Window) -> None:
        super().__init__(window)
        self.setObjectName("contextBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(HEIGHT + 1)
        self._menus, self._actions = menus, actions
        self.model = ContextButton("model", self._fill_model)
        self.device = ContextButton("device", self._fill_device)
        self.data = ContextButton("data")
        self.plan = ContextButton("plan", self._fill_plan)
        self.undo = IconButton("undo", size=16)
        self.redo = IconButton("redo", size=16)
        self.export: QPushButton = button(primary=True)
        self._buttons = (self.model, self.device, self.data, self.plan)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 12, 1)
        row.setSpacing(0)
        for part in self._buttons:
            row.addWidget(part)
        row.addStretch()
        row.addWidget(self.undo)
        row.addSpacing(4)
        row.addWidget(self.redo)
        row.addSpacing(12)
        row.addWidget(self.export)
        self.data.clicked.connect(actions.data)
        self.undo.clicked.connect(actions.undo)
        self.redo.clicked.connect(actions.redo)
        self.export.clicked.connect(actions.export)
        theme_manager.changed.connect(self._apply_theme)
        self._apply_theme(theme_manager.theme)

    def refresh(self, session: Session) -> None:
        """Show what is open and chosen."""
        network = session.network
        if network is None:
            return
        kernels = self.tr("%n kernel(s)", "", len(network.kernels))
        self.model.set_texts(self.tr("Model"), network.graph.path.name, kernels)
        band = session.figures.simulation.band if session.figures.simulation else None
        note = f"±{form.percent(band)}" if band is not None else ""
        self.device.set_texts(self.tr("Device"), data_text(session.device.title), note)
        self._refresh_data(session)
        self._refresh_plan(session)
        for part, step, word in (
            (self.undo, session.undo_step, self.tr("Undo")),
            (self.redo, session.redo_step, self.tr("Redo")),
        ):
            part.setEnabled(step is not None)
            part.set_tip(f"{word}: {translated(step.title)}" if step is not None else word)
        self.export.setText(self.tr("Export…"))
        self._fold()

    def _refresh_data(self, session: Session) -> None:
        data = session.data
        if data is None:
            self.data.set_texts(self.tr("Data"), self.tr("Calibrating…"), "")
        elif data.synthetic:
            self.data.set_texts(self.tr("Data"), self.tr("Synthetic"), self.tr("errors indicative only"), warn=True)
        else:
            detail = self.tr("{calibration} calibration · {evaluation} evaluation").format(
                calibration=used_words(data.calibration_samples, data.calibration_available),
                evaluation=used_words(data.evaluation_samples, data.evaluation_available),
            )
            warning = self.tr("%n warning(s)", "", len(data.notes)) if data.notes else ""
            if warning:
                detail = f"{warning} · {detail}"
            self.data.set_texts(self.tr("Data"), data.evaluation, detail, warn=bool(warning), short=warning)
        if data is not None and data.notes:
            self.data.setToolTip("\n".join(map(translated, data.notes)))

    def _refresh_plan(self, session: Session) -> None:
        from gui.views.plan_words import plan_word  # brings ONNX: not before there is a session

        plan = session.plan
        name = plan_word(plan.name) or self.tr("Own plan")
        changed = len(plan.difference(session.previous_plan))
        detail = self.tr("%n kernel(s) differ from before", "", changed) if changed else ""
        self.plan.set_texts(self.tr("Plan"), name, detail, dot=session.modified)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold details that have no room."""
        super().resizeEvent(event)
        self._fold()

    def _fold(self) -> None:
        room = self.width() - self.export.sizeHint().width() - 100
        wanted = sum(part.full_width() for part in self._buttons)
        for part in (self.data, self.plan, self.device, self.model):
            part.set_folded(wanted > room)
            if wanted > room:
                wanted -= part.full_width() - part.sizeHint().width()

    def _fill_model(self, menu: QMenu) -> None:
        self._menus.add(
            menu, "open_model", "@samples", "@recent", "-", "rules_edge", "rules_cloud", "fusion", "-", "close_model"
        )

    def _fill_device(self, menu: QMenu) -> None:
        self._menus.fill_devices(menu)
        menu.addSeparator()
        self._menus.add(menu, "device", "scenario", "budgets")

    def _fill_plan(self, menu: QMenu) -> None:
        self._menus.add(menu, "preset_fp16", "preset_int8", "preset_int4", "preset_ends", "-")
        self._menus.add(menu, "import_plan", "export", "-", "budgets")

    def _apply_theme(self, theme: Theme) -> None:
        self.export.setIcon(icon("export", theme.on_accent, 14))
