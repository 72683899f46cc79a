"""The form of a search: a goal, limits, schemes, what has to agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from engine.precision.notation import name_of
from engine.precision.scheme import FP16, INT4, INT8, W4A8, W8A16, Scheme, family, label
from engine.session.wishes import GOAL_TITLES, Goal, Wishes, bit_operations
from gui import stored
from gui.i18n import text
from gui.views.scheme_menu import kept_schemes, show_schemes
from gui.views.scheme_words import scheme_words
from gui.widgets.chip import Chip
from gui.widgets.popup import one_use_menu
from gui.widgets.themed import label as make_label
from gui.widgets.themed import restyle

if TYPE_CHECKING:
    from engine.session import Session

KIB, MIB = 1024.0, 1024.0**2
OFFERED: tuple[Scheme, ...] = (FP16, W8A16, INT8, W4A8, INT4)
_ABREAST = 3
"""Chips in a row."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One row: the field of Wishes that it sets, its sign, unit, decimals, and units of the field per unit shown."""

    key: str
    sign: str
    unit: str
    decimals: int
    scale: float


LIMITS: tuple[Limit, ...] = (
    Limit("latency_us", "≤", "ms", 3, 1e3),
    Limit("size_bytes", "≤", "MiB", 2, MIB),
    Limit("peak_bytes", "≤", "MiB", 2, MIB),
    Limit("energy_uj", "≤", "mJ", 3, 1e3),
    Limit("operations", "≤", "G", 3, 1e9),
    Limit("sustained_us", "≤", "ms", 3, 1e3),
    Limit("min_sqnr_db", "≥", "dB", 1, 1.0),
    Limit("accuracy_drop", "≤", "%", 1, 0.01),
)


class LimitField(QDoubleSpinBox):
    """A number in the unit of its row; a size below 1 MiB is in KiB, as everywhere in the window."""

    touched = Signal()
    """The user has typed into it or stepped it: a limit that does not hold yet then does."""

    def __init__(self, limit: Limit) -> None:
        super().__init__()
        self._limit = limit
        self.scale = limit.scale
        self.unit: QLabel = make_label(limit.unit, "caption")
        self._title = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setDecimals(limit.decimals)
        self.setRange(0, 100 if limit.unit == "%" else 1e9)
        self.lineEdit().textEdited.connect(lambda _: self.touched.emit())

    def stepBy(self, steps: int) -> None:
        """Arrows and wheel set it, too."""
        super().stepBy(steps)
        self.touched.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls the form, unless the field is in use."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def set_holds(self, holds: bool) -> None:
        """Whether the limit holds: one that does not is written in a quieter colour."""
        self.setProperty("idle", not holds)
        restyle(self)

    def entitle(self, title: str) -> None:
        """What screen readers say: the limit with its sign and unit."""
        self._title = title
        self.setAccessibleName(f"{title} {self._limit.sign} {self.unit.text()}")

    def amount(self) -> float:
        """What is set, in the unit of `Wishes`."""
        return self.value() * self.scale

    def show_amount(self, amount: float) -> None:
        """Show so much, given in the unit of `Wishes`."""
        if self._limit.scale == MIB:
            small = amount < MIB
            self.scale = KIB if small else MIB
            self.unit.setText("KiB" if small else "MiB")
            self.setDecimals(1 if small else self._limit.decimals)
            self.entitle(self._title)
        self.setValue(amount / self.scale)


class SearchForm(QWidget):
    """Fields that make a `Wishes`."""

    changed = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._touched: set[str] = set()
        """Limits whose value the user has set: others follow the figures of the plan."""
        self.goal_label: QLabel = make_label("", "strong")
        self.goal = QComboBox()
        self.goal_label.setBuddy(self.goal)
        for key in GOAL_TITLES:
            self.goal.addItem("", key)
        self.within: QLabel = make_label("", "muted")
        self.rows: dict[str, tuple[QCheckBox, LimitField]] = {}
        self.may_use: QLabel = make_label("", "strong")
        self.chips: dict[Scheme, Chip] = {}
        self._chips = QGridLayout()
        self.more = Chip("+", checkable=False)
        self.more.clicked.connect(lambda: self.choose_more())
        self.agree, self.native = QCheckBox(), QCheckBox()
        self.locked: QLabel = make_label("", "muted")
        self._lay_out()
        for scheme in OFFERED:
            self.offer(scheme).setChecked(scheme in (FP16, INT8, INT4))
        self.agree.setChecked(True)
        self.native.setChecked(True)

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(4)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 1)
        for row, limit in enumerate(LIMITS):
            grid.addWidget(self._check(limit), row, 0)
            grid.addWidget(make_label(limit.sign, "caption"), row, 1)
            grid.addWidget(self.rows[limit.key][1], row, 2)
            grid.addWidget(self.rows[limit.key][1].unit, row, 3)
        self._chips.setSpacing(6)
        self._chips.setColumnStretch(_ABREAST, 1)
        # However long the list of proposals below is, no row moves.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.goal_label)
        column.addWidget(self.goal)
        column.addWidget(self.within)
        column.addLayout(grid)
        column.addSpacing(2)
        column.addWidget(self.may_use)
        column.addLayout(self._chips)
        column.addWidget(self.agree)
        column.addWidget(self.native)
        last = QHBoxLayout()
        last.addWidget(self.locked)
        last.addStretch(1)
        column.addLayout(last)

    def offer(self, scheme: Scheme) -> Chip:
        """The chip of a scheme, made if there is none; the one that asks for more comes last."""
        if scheme not in self.chips:
            chip = self.chips[scheme] = Chip(label(scheme), family=family(scheme))
            self._name(scheme, chip)
            chip.toggled.connect(lambda _: self.changed.emit())
            for place, each in enumerate((*self.chips.values(), self.more)):
                self._chips.addWidget(each, place // _ABREAST, place % _ABREAST)
            last = next(reversed(self.rows.values()))[1]  # Tab goes as one reads, whatever was made when
            for one, after in pairwise((last, *self.chips.values(), self.more, self.agree, self.native)):
                self.setTabOrder(one, after)
        return self.chips[scheme]

    def choose_more(self) -> QMenu:
        """List all schemes that are ready-made, and one that is put together."""
        chosen = [scheme for scheme, chip in self.chips.items() if chip.isChecked()]

        def take(scheme: Scheme, on: bool) -> None:
            self.offer(scheme).setChecked(on)

        return show_schemes(self.more, one_use_menu(self.more), chosen, take, self.chips)

    @staticmethod
    def _name(scheme: Scheme, chip: Chip) -> None:
        words = f"{label(scheme)} {scheme_words(scheme)}".rstrip()
        chip.setToolTip(words)
        chip.setAccessibleName(words)

    def _check(self, limit: Limit) -> QCheckBox:
        on, field = QCheckBox(), LimitField(limit)
        field.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
        field.setFixedWidth(68)
        field.setAlignment(Qt.AlignmentFlag.AlignRight)
        field.set_holds(False)
        on.toggled.connect(field.set_holds)
        field.touched.connect(lambda: on.setChecked(True))
        field.valueChanged.connect(lambda _, key=limit.key: self._touched.add(key))
        self.rows[limit.key] = (on, field)
        return on

    def retranslate(self) -> None:
        """The language has changed."""
        self.goal_label.setText(self.tr("Goal"))
        self.goal.setAccessibleName(self.tr("Goal"))
        for at, title in enumerate(GOAL_TITLES.values()):
            self.goal.setItemText(at, text(title))
        self.within.setText(self.tr("within"))
        titles = {
            "latency_us": self.tr("Latency"),
            "size_bytes": self.tr("Model size"),
            "peak_bytes": self.tr("Peak memory"),
            "energy_uj": self.tr("Energy per run"),
            "operations": self.tr("Bit operations"),
            "sustained_us": self.tr("Latency after {minutes} min").format(minutes=f"{self._minutes():g}"),
            "min_sqnr_db": self.tr("Output SQNR"),
            "accuracy_drop": self.tr("Accuracy drop"),
        }
        for limit in LIMITS:
            on, field = self.rows[limit.key]
            on.setText(titles[limit.key])
            field.entitle(titles[limit.key])
        tip = self.tr("Against the labels; without labels, the share of samples whose best class may change")
        self.rows["accuracy_drop"][0].setToolTip(tip)
        tip = self.tr("Multiply-accumulates × weight bits × activation bits: what AMCT's mixed precision counts")
        self.rows["operations"][0].setToolTip(tip)
        self.may_use.setText(self.tr("May use"))
        for scheme, chip in self.chips.items():
            self._name(scheme, chip)
        self.more.setToolTip(self.tr("More schemes"))
        self.more.setAccessibleName(self.tr("More schemes"))
        self.agree.setText(self.tr("Same scheme for a shared input"))
        self.agree.setToolTip(
            self.tr(
                "Kernels of one kind that read the same tensor, such as q, k and v, and kernels that share a weight"
            )
        )
        self.native.setText(self.tr("Only what the device runs natively"))
        self.show_session()

    def _minutes(self) -> float:
        """How long sustained use lasts."""
        return self._session.scenario.minutes

    def show_session(self) -> None:
        """Take over what the session says: locks, schemes of sweeps, and figures for limits that nobody has touched."""
        for scheme in self._session.sweeps.schemes:
            self.offer(scheme)
        words = self.tr("Latency after {minutes} min").format(minutes=f"{self._minutes():g}")
        self.rows["sustained_us"][0].setText(words)
        count = len(self._session.locked)
        self.locked.setText(self.tr("%n locked kernel(s) stay as they are", "", count))
        self.locked.setVisible(count > 0)
        for limit in LIMITS:
            on, field = self.rows[limit.key]
            if limit.key in self._touched:
                continue
            value = self._usual(limit.key)
            if value is not None and not on.isChecked():
                field.blockSignals(True)
                field.show_amount(value)
                field.blockSignals(False)

    def _usual(self, key: str) -> float | None:
        """A budget of the session, else the present figure."""
        session = self._session
        budgets, figures = session.budgets, session.figures
        simulation = figures.simulation
        known: Mapping[str, tuple[float | None, float | None]] = {
            "latency_us": (budgets.max_latency_us, simulation.latency_us if simulation else None),
            "size_bytes": (budgets.max_size_bytes, figures.size.total if figures.size else None),
            "peak_bytes": (budgets.max_peak_bytes, simulation.memory.peak_bytes if simulation else None),
            "energy_uj": (budgets.max_energy_uj, simulation.energy_uj if simulation else None),
            "operations": (None, bit_operations(session.network, session.plan) if session.network else None),
            "sustained_us": (None, figures.sustained.final_latency_us if figures.sustained else None),
            "min_sqnr_db": (budgets.min_sqnr_db, 20.0),
            "accuracy_drop": (None, 0.01),
        }
        budget, now = known[key]
        return now if budget is None else float(budget)

    def take_budgets(self) -> None:
        """Switch the limits on for which the session has a budget; another model begins anew."""
        budgets = self._session.budgets
        wanted = {
            "latency_us": budgets.max_latency_us,
            "size_bytes": budgets.max_size_bytes,
            "peak_bytes": budgets.max_peak_bytes,
            "energy_uj": budgets.max_energy_uj,
        }
        self._touched.clear()
        for key, (on, _) in self.rows.items():
            on.setChecked(wanted.get(key) is not None)
        self.show_session()

    def wishes(self) -> Wishes:
        """What is set."""
        limits = {
            limit.key: self.rows[limit.key][1].amount() for limit in LIMITS if self.rows[limit.key][0].isChecked()
        }
        goal: Goal = self.goal.currentData()
        schemes = tuple(scheme for scheme, chip in self.chips.items() if chip.isChecked())
        return Wishes(
            goal,
            **limits,
            sustained_minutes=self._minutes(),
            schemes=schemes,
            agree=self.agree.isChecked(),
            native_only=self.native.isChecked(),
        )  # fmt: skip

    def save_state(self) -> dict[str, object]:
        """What is set, as plain values."""
        scales = {limit.key: limit.scale for limit in LIMITS}
        limits = {key: field.amount() / scales[key] for key, (on, field) in self.rows.items() if on.isChecked()}
        schemes = [name_of(scheme) for scheme, chip in self.chips.items() if chip.isChecked()]
        return {"goal": self.goal.currentData(), "limits": limits, "schemes": schemes,
                "agree": self.agree.isChecked(), "native": self.native.isChecked()}  # fmt: skip

    def restore_state(self, state: Mapping[str, object]) -> None:
        """Set it again; odd entries are ignored."""
        limits, schemes = state.get("limits"), state.get("schemes")
        goal = state.get("goal")
        if goal in list(GOAL_TITLES):
            self.goal.setCurrentIndex([*GOAL_TITLES].index(goal))
        if isinstance(limits, dict):
            for limit in LIMITS:
                on, field = self.rows[limit.key]
                kept_limit = stored.number(limits.get(limit.key), field.minimum(), field.maximum())
                on.setChecked(kept_limit is not None)
                if kept_limit is not None:
                    field.show_amount(kept_limit * limit.scale)
        if isinstance(schemes, list):
            kept = kept_schemes(schemes)
            for scheme in (*self.chips, *kept):
                self.offer(scheme).setChecked(scheme in kept)
        self.agree.setChecked(state.get("agree") is not False)
        self.native.setChecked(state.get("native") is not False)
