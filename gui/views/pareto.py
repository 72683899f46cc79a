"""Pareto: plans between two figures. A click applies one as one step; Ctrl+click marks one to compare others with."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from engine.session.changes import What
from engine.session.wishes import Found
from engine.text import say
from gui import format as fmt
from gui.plots.axis import PlainAxis
from gui.plots.caption import Caption, Key
from gui.plots.chart import Hit
from gui.plots.curve_layers import CurveGrid
from gui.plots.panel import Panel
from gui.plots.table import Table
from gui.plots.view import ChartView
from gui.theme import Theme
from gui.views.pareto_data import AXES, SCALE, Axis, ParetoData, Point, pareto_data, pareto_table
from gui.views.pareto_layers import Front, Limits, Plans
from gui.views.search_words import rule_lines
from gui.views.sweep_controls import MenuButton
from gui.widgets.icon_button import IconButton
from gui.widgets.tip_card import TipContent, spoken

if TYPE_CHECKING:
    from engine.session import Session

REACH_PX = 14.0
Control, Shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class ParetoView(ChartView):
    """Arrows go from plan to plan, Enter applies, Space marks; the table twin holds every figure."""

    WATCHES: ClassVar[frozenset[What]] = frozenset(
        {What.SEARCH, What.PLAN, What.DATA, What.DEVICE, What.SIMULATION, What.EVALUATION, What.JOBS}
    )

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.data: ParetoData | None = None
        self.across: Axis = "latency_us"
        self.up: Axis = "sqnr_db"
        self._marked: Found | None = None
        self.caption = Caption()
        self.chart.add_row(self.caption)
        self.panel = self.chart.add_panel(Panel(PlainAxis("left", size=40), PlainAxis("bottom", size=20)))
        box = self.panel.box
        self.limits, self.front, self.plans = Limits(box), Front(box), Plans(box)
        self.panel.add(CurveGrid(self.panel), self.limits, self.front, self.plans)
        self.x_button = MenuButton(lambda menu: self._fill_axes(menu, "across"))
        self.y_button = MenuButton(lambda menu: self._fill_axes(menu, "up"))
        self.renew = IconButton("play", token="text2")
        self.renew.clicked.connect(self.on_empty_clicked)
        self.chart.hovered.connect(self._on_hover)
        self.chart.rested.connect(self._on_rest)
        self.chart.clicked.connect(self._on_click)
        self.chart.key_pressed.connect(self._on_key)
        self.retranslate()

    # -- dock -------------------------------------------------------------------------------------------------------

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Pareto")

    def header_widgets(self) -> list[QWidget]:
        """Both axes, measure again, more."""
        return [self.y_button, self.x_button, self.renew, self.more]

    def retranslate(self) -> None:
        """The language has changed."""
        super().retranslate()
        self.renew.set_tip(self.tr("Find the front again and measure more of it"))
        self._name_axes()

    def save_state(self) -> dict[str, object]:
        """The axes."""
        return {"x": self.across, "y": self.up}

    def restore_state(self, state: dict[str, object]) -> None:
        """Show them again."""
        x, y = (next((axis for axis in AXES if axis == state.get(side)), None) for side in ("x", "y"))
        if x is not None and y is not None and x != y:
            self.across, self.up = x, y
        self._name_axes()
        self.mark_dirty(What.MODEL)

    def on_empty_clicked(self) -> None:
        """Find the front."""
        self.session.searches.explore()

    def fill_menu(self, menu: QMenu) -> None:
        """What can be done with the plan under the cursor."""
        point = self._keyed()
        if point is not None:
            menu.addAction(self.tr("Apply this plan"), lambda: self.apply(point))
            menu.addAction(self.tr("Compare others with this plan"), lambda: self.mark(point))
        if self._marked is not None:
            menu.addAction(self.tr("Compare with the current plan again"), lambda: self.mark(None))
        menu.addSeparator()

    def axis_title(self, axis: Axis) -> str:
        """Name and unit."""
        return {
            "latency_us": self.tr("Latency, ms"),
            "size_bytes": self.tr("Model size, MiB"),
            "energy_uj": self.tr("Energy per run, mJ"),
            "sqnr_db": self.tr("Output SQNR, dB"),
        }[axis]

    def _name_axes(self) -> None:
        self.x_button.set_word(f"→ {self.axis_title(self.across)}", self.tr("What the plot shows to the right"))
        self.y_button.set_word(f"↑ {self.axis_title(self.up)}", self.tr("What the plot shows upwards"))

    def _fill_axes(self, menu: QMenu, side: str) -> None:
        for axis in AXES:
            action = menu.addAction(self.axis_title(axis))
            action.setCheckable(True)
            action.setChecked(axis == getattr(self, side))
            action.triggered.connect(lambda _=False, axis=axis: self.set_axis(side, axis))

    def set_axis(self, side: str, axis: Axis) -> None:
        """Show another figure; the same on both sides changes them over."""
        other = "up" if side == "across" else "across"
        if axis == getattr(self, other):
            setattr(self, other, getattr(self, side))
        setattr(self, side, axis)
        self._name_axes()
        self.mark_dirty(What.MODEL)

    # -- drawing ----------------------------------------------------------------------------------------------------

    def draw(self) -> None:
        """Draw what is known."""
        session, searches = self.session, self.session.searches
        if session.network is None:
            self.show_no_model(self.tr("Open a model to see what its plans cost and lose."))
            return
        data = self.data = pareto_data(session, self.across, self.up)
        ready = session.data is not None and not session.staleness.stale
        if ready and self.isVisible():
            searches.explore_once()
        if len(data.points) < 2:
            self.set_subtitle("")
            words = self.tr("Finding plans…") if searches.exploring else self.tr("No plans to compare yet.")
            self.show_empty(words, "" if searches.exploring else self.tr("Find plans"))
            return
        self.show_page()
        measured = sum(point.measured for point in data.points)
        self.set_subtitle(
            self.tr("{count} plans, {measured} measured").format(count=len(data.points), measured=measured)
        )
        x0, x1, y0, y1 = data.ranges()
        self.panel.set_x(x0, x1)
        self.panel.set_y(y0, y1)
        self._write_caption(data)
        self._write_limits()
        self.front.set(data)
        self.plans.set(data, self._words(data))
        places = [
            i for i, p in enumerate(data.points) if self._marked is not None and p.found.plan == self._marked.plan
        ]
        self.plans.marked = places[0] if places else None
        self.panel.redraw()

    def _write_caption(self, data: ParetoData) -> None:
        keys = [Key(self.tr("measured"), "disc", "bar"), Key(self.tr("predicted"), "ring", "bar")]
        if any(point.breaks for point in data.points):
            keys.append(Key(self.tr("breaks a budget"), "cross", "bar"))
        keys.append(Key(self.tr("front"), "line", "accent"))
        title = self.tr("{up} by {right}").format(up=self.axis_title(self.up), right=self.axis_title(self.across))
        if not self.session.searches.additive:
            title = self.tr("Errors don't add up here: trust measured plans only")
        self.caption.set(title, keys, short=self.axis_title(self.up))

    def _write_limits(self) -> None:
        budgets = self.session.budgets
        known = {
            "latency_us": budgets.max_latency_us,
            "size_bytes": budgets.max_size_bytes,
            "energy_uj": budgets.max_energy_uj,
            "sqnr_db": budgets.min_sqnr_db,
        }
        x, y = known[self.across], known[self.up]
        words = self.tr("budget {value}")
        if self.across == "sqnr_db" or x is None:
            self.limits.across = None
        else:
            self.limits.across = (x / SCALE[self.across], words.format(value=_figure(self.across, x)))
        up = self.up == "sqnr_db"
        self.limits.up = None if y is None else (y / SCALE[self.up], words.format(value=_figure(self.up, y)), up)

    def _words(self, data: ParetoData) -> dict[int, str]:
        """Names of the current plan and of proposals."""
        words = {}
        for place, point in enumerate(data.points):
            if point.kind == "now":
                words[place] = self.tr("now")
            elif point.kind == "proposal":
                words[place] = self.tr("P{number}").format(number=point.found.number)
        return words

    def table(self) -> Table:
        """One row per plan."""
        return pareto_table(self.data) if self.data is not None else Table((), ())

    # -- gestures ---------------------------------------------------------------------------------------------------

    def apply(self, point: Point) -> None:
        """Make it the current plan."""
        if point.kind == "now":
            return
        found = point.found
        title = say("Proposal {number}", number=found.number) if found.number else say("A plan of the Pareto front")
        self.session.apply_plan(found.plan, title, self.who)

    def mark(self, point: Point | None) -> None:
        """Compare others with this plan; None compares with the current one again."""
        self._marked = None if point is None else point.found
        self.mark_dirty(What.MODEL)

    def describe(self, place: int) -> TipContent:
        """Figures of a plan, and how they differ from the marked or the current one."""
        assert self.data is not None
        point = self.data.points[place]
        found, base = point.found, self._base()
        name = (
            self.tr("Proposal {number}").format(number=found.number) if found.number else self.tr("Plan of the front")
        )
        if point.kind == "now":
            name = self.tr("Current plan")
        rows = []
        for axis in ("sqnr_db", "latency_us", "size_bytes", "energy_uj"):
            value = found.sqnr_db if axis == "sqnr_db" else found.costs.value(axis)
            if value is None:
                continue
            mark = "≈" if axis == "sqnr_db" and not point.measured else ""
            words = mark + _figure(axis, value)
            other = None if base is None else base.sqnr_db if axis == "sqnr_db" else base.costs.value(axis)
            if other is not None and base is not found:
                words += f"   {fmt.delta(value - other, partial(_figure, axis))}"
            rows.append((self.axis_title(axis).split(",")[0].split("，")[0], words))
        if point.measured and point.kind != "now":
            rows.append((self.tr("predicted"), fmt.sqnr(found.predicted_db)))
        if found.accuracy is not None:
            rows.append((self.tr("accuracy"), fmt.accuracy(found.accuracy)))
        rows += [("", rule) for rule in rule_lines(self.session, found, 4)]
        edits = len(found.plan.difference(self.session.plan))
        note = (
            self.tr("in the plan now")
            if not edits
            else self.tr("%n edit(s) · click applies · Ctrl+click compares", "", edits)
        )
        if self._marked is not None:
            note = self.tr("compared with the marked plan · ") + note
        return TipContent(name, rows, None, note)

    def _base(self) -> Found | None:
        """What differences are taken against."""
        if self._marked is not None:
            return self._marked
        points = () if self.data is None else self.data.points
        return next((point.found for point in points if point.kind == "now"), None)

    def _keyed(self) -> Point | None:
        place = self.plans.keyed
        return (
            self.data.points[place]
            if self.data is not None and place is not None and place < len(self.data.points)
            else None
        )

    def _near(self, hit: Hit | None) -> int | None:
        if hit is None or self.data is None or not self.data.points:
            return None
        frame = self.panel.box.frame()
        pointer = frame.point(hit.x, hit.y)
        far = []
        for point in self.data.points:
            apart = frame.point(*self.data.place(point)) - pointer
            far.append(apart.x() ** 2 + apart.y() ** 2)
        place = min(range(len(far)), key=far.__getitem__)
        return place if far[place] <= REACH_PX**2 else None

    def _on_hover(self, hit: Hit | None) -> None:
        place = self._near(hit)
        if place != self.plans.hovered:
            self.card.hide()
            self.plans.hovered = place
            self.plans.update()

    def _on_rest(self, hit: Hit) -> None:
        place = self._near(hit)
        if place is not None:
            self.card.show_at(self.describe(place), self.chart.mapToGlobal(hit.position.toPoint()))

    def _on_click(self, hit: Hit) -> None:
        place = self._near(hit)
        if place is None or self.data is None:
            return
        self.plans.keyed = place
        self.card.hide()
        point = self.data.points[place]
        if hit.modifiers & Control:
            self.mark(None if self._marked is point.found else point)
        elif not hit.modifiers & Shift:
            self.apply(point)
        self.plans.update()

    def spoken(self) -> str:
        """The card of the plan under the cursor, before the first arrow of the current plan."""
        points = () if self.data is None or not self.chart.isVisible() else self.data.points
        now = next((i for i, point in enumerate(points) if point.kind == "now"), None)
        place = self.plans.keyed if self.plans.keyed is not None else now
        return spoken(self.describe(place)) if place is not None and place < len(points) else ""

    def _on_key(self, event: QKeyEvent) -> None:
        if self.data is None or not self.data.points:
            return
        keys, last = Qt.Key, len(self.data.points) - 1
        steps = {keys.Key_Left: -1, keys.Key_Right: 1, keys.Key_Home: -last, keys.Key_End: last}
        key, keyed = keys(event.key()), self.plans.keyed
        if key in steps:
            start = (
                keyed if keyed is not None else next((i for i, p in enumerate(self.data.points) if p.kind == "now"), 0)
            )
            self.plans.keyed = min(max(start + steps[key], 0), last)
            self.plans.update()
            self.announce()
            at = self.panel.to_widget(*self.data.place(self.data.points[self.plans.keyed]))
            self.card.show_at(
                self.describe(self.plans.keyed), self.chart.mapToGlobal(QPoint(round(at.x()), round(at.y())))
            )
        elif key in (keys.Key_Return, keys.Key_Enter) and (point := self._keyed()) is not None:
            self.apply(point)
        elif key == keys.Key_Space and (point := self._keyed()) is not None:
            self.mark(None if self._marked is point.found else point)
        else:
            return
        event.accept()


def _figure(axis: Axis, value: float) -> str:
    """A figure with its unit."""
    if axis == "sqnr_db":
        return fmt.sqnr(value)
    if axis == "latency_us":
        return fmt.run_latency(value)
    return fmt.bytes_(value) if axis == "size_bytes" else fmt.energy_mj(value)
