"""Sustained use: how long, how often, how warm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QFormLayout, QWidget

from engine.npu.fields import BY_KEY
from engine.npu.results import Scenario
from gui.dialogs.base import Dialog

if TYPE_CHECKING:
    from engine.session import Session

translate = QCoreApplication.translate


GOVERNORS = BY_KEY["dvfs.governor"].choices


def governor_word(kind: str) -> str:
    """A governor by the name that people know."""
    return {
        "step-wise": translate("Scenario", "step-wise trips"),
        "power-allocator": translate("Scenario", "power allocator"),
        "fixed": translate("Scenario", "fixed frequency"),
        "power-cap": translate("Scenario", "power cap"),
    }.get(kind, kind)


class ScenarioDialog(Dialog):
    """Duration, rate, ambient temperature, governor and clock cap."""

    def __init__(self, session: Session, parent: QWidget | None) -> None:
        super().__init__("", "", parent, width=420)
        self.setWindowTitle(self.tr("Sustained use"))
        self.title_label.setText(self.tr("How the device is used over minutes"))
        self._session = session
        now = session.scenario
        self.minutes, self.rate, self.ambient = QDoubleSpinBox(), QDoubleSpinBox(), QDoubleSpinBox()
        self.back_to_back = QCheckBox(self.tr("back to back, as fast as it can"))
        for field, low, high, value, suffix in (
            (self.minutes, 0.5, 240.0, now.minutes, " min"),
            (self.rate, 0.1, 10_000.0, now.runs_per_second or 30.0, " /s"),
            (self.ambient, -20.0, 60.0, now.ambient_c, " °C"),
        ):
            field.setDecimals(1)
            field.setRange(low, high)
            field.setValue(value)
            field.setSuffix(suffix)
        self.back_to_back.toggled.connect(lambda on: self.rate.setEnabled(not on))
        self.back_to_back.setChecked(now.runs_per_second is None)
        self.governor = QComboBox()
        own = governor_word(session.device.text("dvfs.governor"))
        self.governor.addItem(self.tr("the device's own ({name})").format(name=own), None)
        for kind in GOVERNORS:
            self.governor.addItem(governor_word(kind), kind)
        self.governor.setCurrentIndex(max(0, self.governor.findData(now.governor)))
        self.cap = QDoubleSpinBox()
        self.cap.setDecimals(0)
        self.cap.setRange(5, 100)
        self.cap.setValue(100 if now.clock_cap is None else 100 * now.clock_cap)
        self.cap.setSuffix(" %")
        rows = QFormLayout()
        rows.addRow(self.tr("Duration"), self.minutes)
        rows.addRow(self.tr("Runs"), self.back_to_back)
        rows.addRow(self.tr("Runs per second"), self.rate)
        rows.addRow(self.tr("Ambient temperature"), self.ambient)
        rows.addRow(self.tr("Governor"), self.governor)
        rows.addRow(self.tr("Clock at most"), self.cap)
        self.body.addLayout(rows)
        self.add_button(self.tr("Cancel"), self.reject)
        self.add_button(self.tr("Apply"), self._on_apply, primary=True)

    def scenario(self) -> Scenario:
        """What is set."""
        rate = None if self.back_to_back.isChecked() else self.rate.value()
        cap = self.cap.value() / 100
        return Scenario(
            self.minutes.value(), rate, self.ambient.value(), self.governor.currentData(), None if cap >= 1.0 else cap
        )

    def _on_apply(self) -> None:
        self._session.set_scenario(self.scenario())
        self.accept()
