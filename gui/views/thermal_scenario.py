"""The small form that sets how the device is used: minutes, run rate, ambient temperature."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QFormLayout, QFrame, QPushButton, QWidget

from engine.npu.results import Scenario

DEFAULT_RATE = 30.0


class ScenarioPopup(QFrame):
    """A popover; `chosen` carries the Scenario when Apply or Enter is pressed."""

    chosen = Signal(object)

    def __init__(self, scenario: Scenario, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.minutes = _spin(1, 240, scenario.minutes, self.tr("min"), 0)
        self.ambient = _spin(-20, 60, scenario.ambient_c, "°C", 0)
        self.rate = _spin(0.1, 10_000, scenario.runs_per_second or DEFAULT_RATE, self.tr("runs/s"), 1)
        self.without_pause = QCheckBox(self.tr("Back to back"))
        self.without_pause.setChecked(scenario.runs_per_second is None)
        self.without_pause.toggled.connect(self.rate.setDisabled)
        self.rate.setDisabled(scenario.runs_per_second is None)
        self.apply = QPushButton(self.tr("Apply"))
        self.apply.setDefault(True)
        self.apply.clicked.connect(self._on_apply)
        form = QFormLayout(self)
        form.setContentsMargins(14, 12, 14, 12)
        form.addRow(self.tr("Duration"), self.minutes)
        form.addRow(self.tr("Ambient"), self.ambient)
        form.addRow("", self.without_pause)
        form.addRow(self.tr("Run rate"), self.rate)
        form.addRow("", self.apply)

    def scenario(self) -> Scenario:
        """What the form says."""
        rate = None if self.without_pause.isChecked() else self.rate.value()
        return Scenario(self.minutes.value(), rate, self.ambient.value())

    def _on_apply(self) -> None:
        self.chosen.emit(self.scenario())
        self.close()


def _spin(low: float, high: float, value: float, unit: str, decimals: int) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setRange(low, high)
    box.setDecimals(decimals)
    box.setValue(value)
    box.setSuffix(f"\u202f{unit}")
    return box
