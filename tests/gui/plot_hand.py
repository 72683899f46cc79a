"""Mouse and keyboard on a plot, in the plot's own coordinates."""

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NONE, SHIFT, CTRL = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)


def show(qtbot, kind, session, theme, width=660, height=210):
    """Make a view and wait until it is drawn; it is ended with the test."""
    view = kind(session, theme)
    qtbot.addWidget(view, before_close_func=lambda v: v.dispose())
    view.resize(width, height)
    with qtbot.waitExposed(view):
        view.show()
    settle(view)
    return view


def settle(view):
    """What the event loop does once the user lets go."""
    QGuiApplication.processEvents()
    view.refresh_now()
    QGuiApplication.processEvents()


class PlotHand:
    """Points at data, not at pixels."""

    def __init__(self, view, chart=None, panel=None):
        self.view = view
        self.chart = chart if chart is not None else view.chart
        self.panel = panel if panel is not None else view.panel

    @property
    def target(self):
        return self.chart.viewport()

    def at(self, x, y=None) -> QPoint:
        """Pixel of a data point; without y the middle of the area."""
        frame = self.panel.box.frame()
        return self.panel.to_widget(x, (frame.y0 + frame.y1) / 2 if y is None else y).toPoint()

    def click(self, x, y=None, keys=NONE):
        QTest.mouseClick(self.target, LEFT, keys, self.at(x, y))
        settle(self.view)

    def drag(self, x0, x1, y=None, keys=NONE):
        QTest.mousePress(self.target, LEFT, keys, self.at(x0, y))
        for share in (0.3, 0.7, 1.0):
            self.move(x0 + (x1 - x0) * share, y, buttons=LEFT)
        QTest.mouseRelease(self.target, LEFT, keys, self.at(x1, y))
        settle(self.view)

    def move(self, x, y=None, buttons=Qt.MouseButton.NoButton):
        from PySide6.QtCore import QEvent
        from PySide6.QtGui import QMouseEvent

        place = QPointF(self.at(x, y))
        event = QMouseEvent(
            QEvent.Type.MouseMove, place, self.target.mapToGlobal(place), Qt.MouseButton.NoButton, buttons, NONE
        )
        QGuiApplication.sendEvent(self.target, event)

    def rest(self, qtbot, x, y=None):
        """Keep the pointer still until the card is there."""
        self.move(x, y)
        qtbot.waitUntil(self.view.card.isVisible, timeout=3000)
        return self.view.card._content

    def wheel(self, x, turns, keys=NONE):
        place = QPointF(self.at(x))
        event = QWheelEvent(
            place, self.target.mapToGlobal(place), QPoint(), QPoint(0, round(120 * turns)), Qt.MouseButton.NoButton,
            keys, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QGuiApplication.sendEvent(self.target, event)
        return event.isAccepted()

    def key(self, key, keys=NONE):
        self.chart.setFocus()
        QTest.keyClick(self.chart, key, keys)
        settle(self.view)

    def color(self, x, y, dx=0, dy=0):
        """Colour on the screen at a data point, moved by some px."""
        place = self.at(x, y) + QPoint(dx, dy)
        return self.chart.grab().toImage().pixelColor(place)
