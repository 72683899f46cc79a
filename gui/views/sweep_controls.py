"""The controls of a sweep in a dock header: question, metric, schemes, filter, start and pause."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QMenu, QToolButton, QWidget

from engine.precision.notation import name_of
from engine.precision.scheme import Scheme
from engine.tuning.metrics import Metric
from gui.icons import icon
from gui.theme import Theme, theme_manager
from gui.views.layers_filter import DEBOUNCE_MS
from gui.views.layers_order import Filter, matching
from gui.views.layers_rows import known_shape, rows_of
from gui.views.scheme_menu import fill_schemes, kept_schemes
from gui.views.sensitivity_data import Question, used_metric
from gui.views.sweep_words import difference_sentence, metric_sentence, metric_word, question_word
from gui.widgets.escape import EscapeFirst
from gui.widgets.icon_button import IconButton
from gui.widgets.popup import one_use_menu
from gui.widgets.segmented import SegmentedControl

if TYPE_CHECKING:
    from engine.session import Session

translate = QCoreApplication.translate
OWN = Metric.OWN
QUESTIONS: tuple[Question, ...] = ("estimated", "one-in", "one-out")


class SweepControls(QObject):
    """Widgets for a dock header, and what they do. `changed` asks the view to draw itself anew."""

    changed = Signal()

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._view = session, parent
        self.question = SegmentedControl([(key, key) for key in QUESTIONS], "one-in")
        self.question.chosen.connect(lambda _: self.changed.emit())
        self.metric = MenuButton(self._fill_metrics)
        self.run = IconButton("play", token="text2")
        self.run.clicked.connect(self.toggle)
        self.stop = IconButton("stop", token="text2")
        self.stop.clicked.connect(lambda: self._session.sweeps.stop())

    @property
    def chosen(self) -> Question:
        """The question on show."""
        return next(key for key in QUESTIONS if key == self.question.current)

    def choose(self, key: object) -> None:
        """Show the answer to a question that was saved."""
        if key in QUESTIONS:
            self.question.set_current(str(key))

    def retranslate(self) -> None:
        """The language has changed."""
        self.question.set_choices([(key, question_word(key)) for key in QUESTIONS])
        self.question.setAccessibleName(translate("Sweeps", "Question of the sweep"))
        self.question.setToolTip(difference_sentence())
        self.stop.set_tip(translate("Sweeps", "Stop the sweep; what it has found stays"))
        self.show_state()

    def show_state(self) -> None:
        """Bring the buttons up to date."""
        sweeps = self._session.sweeps
        running = sweeps.running and not sweeps.paused
        self.run.set_icon_name("pause" if running else "play")
        if running:
            tip = translate("Sweeps", "Pause the sweep")
        elif sweeps.paused:
            tip = translate("Sweeps", "Go on with the sweep")
        else:
            tip = translate("Sweeps", "Measure exactly, the worst by estimate first")
        self.run.set_tip(tip)
        self.run.setEnabled(self._session.data is not None)
        if self.stop.parent() is not None:  # shown without a place in a header it would be a window of its own
            self.stop.setVisible(sweeps.running)
        name = metric_word(used_metric(self._session))
        words = translate("Sweeps", "Measure of the output error: {name}")
        self.metric.set_word(name, words.format(name=metric_sentence(used_metric(self._session))))
        self.metric.setEnabled(bool(sweeps.metrics))
        self._own_button_words()

    def toggle(self) -> None:
        """Start, pause, go on."""
        sweeps = self._session.sweeps
        if sweeps.running and not sweeps.paused:
            sweeps.pause()
        elif sweeps.paused:
            sweeps.resume()
        else:
            sweeps.start("one-out" if self.chosen == "one-out" else "one-in")

    def _own_button_words(self) -> None:
        """A function of one's own is known by its name."""
        own = self._session.sweeps.own
        if own is not None and used_metric(self._session) == "own":
            tip = translate("Sweeps", "How far {function} of {file} moves from its value at FP32")
            self.metric.set_word(own.function, tip.format(function=own.function, file=own.path.name))

    def _fill_metrics(self, menu: QMenu) -> None:
        """The metrics that the model has, and a function of the user's own."""
        sweeps = self._session.sweeps
        for metric in sweeps.metrics:
            words = metric_sentence(metric.value)
            if metric.value == "top1":
                words = translate("Sweeps", "{metric} (measured only)").format(metric=words)
            action = menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(metric == sweeps.metric)
            action.triggered.connect(lambda _=False, metric=metric: sweeps.set_metric(metric))
        menu.addSeparator()
        if sweeps.own is not None:
            words = translate("Sweeps", "Change of your metric {function} (measured only)")
            action = menu.addAction(words.format(function=sweeps.own.function))
            action.setCheckable(True)
            action.setChecked(sweeps.metric is OWN)
            action.triggered.connect(lambda: sweeps.set_metric(OWN))
        menu.addAction(translate("Sweeps", "Metric of your own…"), self._choose_own)

    def _choose_own(self) -> None:
        """Ask for a Python function; it becomes the metric of the sweeps once it is there."""
        from gui.dialogs.own_metric import OwnMetricDialog

        dialog = OwnMetricDialog(self._session, self.metric.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.applied.connect(lambda: self._session.sweeps.set_metric(OWN))
        dialog.open()

    def fill_menu(self, menu: QMenu) -> None:
        """Schemes to sweep, what to measure."""
        sweeps = self._session.sweeps
        schemes = menu.addMenu(translate("Sweeps", "Schemes to sweep"))
        fill_schemes(schemes, sweeps.schemes, self._take, self._view)
        menu.addAction(translate("Sweeps", "Measure one in"), lambda: sweeps.start("one-in"))
        menu.addAction(translate("Sweeps", "Measure one out around the plan"), lambda: sweeps.start("one-out"))
        menu.addSeparator()

    def scheme_names(self) -> list[str]:
        """The schemes that are swept, as they are kept."""
        return [name_of(scheme) for scheme in self._session.sweeps.schemes]

    def take_schemes(self, names: object) -> None:
        """Sweep the schemes that were kept; what is none is passed over."""
        found = kept_schemes(names)
        if found:
            self._session.sweeps.set_schemes(found)

    def _take(self, scheme: Scheme, on: bool) -> None:
        sweeps = self._session.sweeps
        others = [s for s in sweeps.schemes if s != scheme]
        sweeps.set_schemes([*others, scheme] if on else others)


class MenuButton(QToolButton):
    """A word with an arrow; a click shows a menu that is made anew each time."""

    def __init__(self, fill: Callable[[QMenu], None]) -> None:
        super().__init__()
        self._fill = fill
        self.setAutoRaise(True)
        self.setFixedHeight(22)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(self.open_menu)

    def set_word(self, word: str, tip: str) -> None:
        """What is chosen, and what the button is for."""
        self.setText(f"{word} ▾")
        self.setToolTip(tip)
        self.setAccessibleName(tip)

    def open_menu(self) -> QMenu:
        """Show the menu."""
        menu = one_use_menu(self)
        self._fill(menu)
        menu.popup(self.mapToGlobal(QPoint(0, self.height())))
        return menu


class FilterInput(QLineEdit):
    """Words or rules, as in the filter of the Layers table; typing is waited for."""

    def __init__(self, changed: Callable[[], None]) -> None:
        super().__init__()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DEBOUNCE_MS)
        self._timer.timeout.connect(changed)
        self._leading = QAction(self)
        self.addAction(self._leading, QLineEdit.ActionPosition.LeadingPosition)
        self.setClearButtonEnabled(True)
        self.setFixedHeight(22)
        self.setFixedWidth(132)
        self.textChanged.connect(lambda _: self._timer.start())
        EscapeFirst(self, lambda: bool(self.text()))
        theme_manager.changed.connect(self._apply_theme)
        self._apply_theme(theme_manager.theme)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc empties it."""
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
        else:
            super().keyPressEvent(event)

    def retranslate(self) -> None:
        """The language has changed."""
        self.setPlaceholderText(translate("Sweeps", "Filter"))
        self.setAccessibleName(translate("Sweeps", "Filter kernels"))
        self.setToolTip(translate("Sweeps", "Words of name or operator, or rules such as latency>20 or is:locked"))

    def stop(self) -> None:
        """Nothing is waited for any more."""
        self._timer.stop()

    def kept(self, session: Session) -> list[str] | None:
        """Ids of the tunable kernels that pass, in execution order; None without a filter."""
        words, network = self.text().strip(), session.network
        if not words or network is None:
            return None
        mask = matching(rows_of(session, known_shape(network)), Filter(text=words))
        return [kernel.id for kernel in network.tunable if mask[kernel.index]]

    def _apply_theme(self, theme: Theme) -> None:
        self._leading.setIcon(icon("filter", theme.muted, 14))
