"""What the plan is held against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QGridLayout, QWidget

from engine.session.state import Budgets
from gui import format as form
from gui.dialogs.base import Dialog
from gui.widgets.themed import label

if TYPE_CHECKING:
    from engine.session import Session

MIB = 1024**2


class BudgetsDialog(Dialog):
    """Six requirements, each with a switch; the value now stands beside it."""

    def __init__(self, session: Session, parent: QWidget | None) -> None:
        super().__init__("", "", parent, width=480)
        self.setWindowTitle(self.tr("Budgets"))
        self.title_label.setText(self.tr("What the plan has to meet"))
        self.sentence.setText(self.tr("Summary compares each value with its budget; one that is off is not checked."))
        self.sentence.show()
        self._session = session
        self.rows: dict[str, tuple[QCheckBox, QDoubleSpinBox]] = {}
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(12)
        self._grid.setColumnStretch(4, 1)
        self.body.addLayout(self._grid)
        self._fill(session)
        self.add_button(self.tr("Cancel"), self.reject)
        self.add_button(self.tr("Apply"), self._on_apply, primary=True)

    def _fill(self, session: Session) -> None:
        budgets, figures = session.budgets, session.figures
        simulation, sustained, evaluation = figures.simulation, figures.sustained, figures.evaluation
        size = figures.size
        self._row(
            "sqnr", self.tr("Output SQNR"), "≥", "dB", 1, budgets.min_sqnr_db, 20.0,
            form.sqnr(evaluation.output.sqnr_db if evaluation else None),
        )  # fmt: skip
        self._row(
            "latency", self.tr("Latency"), "≤", "ms", 3, _scaled(budgets.max_latency_us, 1e3),
            _scaled(simulation.latency_us if simulation else None, 1e3) or 1.0,
            form.run_latency(simulation.latency_us if simulation else None),
        )  # fmt: skip
        self._row(
            "peak", self.tr("Peak memory"), "≤", "MiB", 2, _scaled(budgets.max_peak_bytes, MIB),
            _scaled(simulation.memory.peak_bytes if simulation else None, MIB) or 1.0,
            form.bytes_(simulation.memory.peak_bytes if simulation else None),
        )  # fmt: skip
        self._row(
            "size", self.tr("Model size"), "≤", "MiB", 2, _scaled(budgets.max_size_bytes, MIB),
            _scaled(size.total if size else None, MIB) or 1.0, form.bytes_(size.total if size else None),
        )  # fmt: skip
        self._row(
            "energy", self.tr("Energy per run"), "≤", "mJ", 3, _scaled(budgets.max_energy_uj, 1e3),
            _scaled(simulation.energy_uj if simulation else None, 1e3) or 1.0,
            form.energy_mj(simulation.energy_uj if simulation else None),
        )  # fmt: skip
        self._row(
            "skin", self.tr("Skin temperature"), "≤", "°C", 1, budgets.max_skin_c, 43.0,
            form.temperature(sustained.final_skin_c if sustained else None),
        )  # fmt: skip

    def _row(
        self, key: str, title: str, sign: str, unit: str, decimals: int, value: float | None, usual: float, now: str
    ) -> None:
        row = self._grid.rowCount()
        on = QCheckBox(title)
        on.setChecked(value is not None)
        field = QDoubleSpinBox()
        field.setDecimals(decimals)
        field.setRange(0, 1e9)
        field.setValue(usual if value is None else value)
        field.setEnabled(value is not None)
        field.setAccessibleName(f"{title} {unit}")
        field.setMinimumWidth(96)
        on.toggled.connect(field.setEnabled)
        self._grid.addWidget(on, row, 0)
        self._grid.addWidget(label(sign, "caption"), row, 1)
        self._grid.addWidget(field, row, 2)
        self._grid.addWidget(label(unit, "caption"), row, 3)
        self._grid.addWidget(label(self.tr("now {value}").format(value=now), "muted"), row, 4)
        self.rows[key] = (on, field)

    def budgets(self) -> Budgets:
        """What is set."""

        def value(key: str, scale: float = 1.0) -> float | None:
            on, field = self.rows[key]
            return field.value() * scale if on.isChecked() else None

        def count(key: str) -> int | None:
            found = value(key, MIB)
            return None if found is None else round(found)

        return Budgets(
            value("sqnr"), value("latency", 1e3), count("peak"), count("size"), value("energy", 1e3), value("skin")
        )

    def _on_apply(self) -> None:
        self._session.set_budgets(self.budgets())
        self.accept()


def _scaled(value: float | None, by: float) -> float | None:
    return None if value is None else value / by
