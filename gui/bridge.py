"""Between the engine's threads and the window: callbacks on the window's thread; hover, peek and overlay of views."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal

HOVER_MS = 80
"""How long the pointer stays on a kernel before the other views outline it: a sweep over rows repaints none of them."""


class Dispatcher(QObject):
    """Runs callbacks on the thread that made it. `dispatch` may be called from any thread and keeps the order."""

    _called = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._called.connect(self._run, Qt.ConnectionType.QueuedConnection)

    def dispatch(self, callback: Callable[[], None]) -> None:
        """Run the callback soon."""
        self._called.emit(callback)

    def _run(self, callback: Callable[[], None]) -> None:
        callback()


class Hub(QObject):
    """What views share but the session need not know: the kernel under the pointer, and whether P is held."""

    hover_changed = Signal(str, str)
    """Kernel id ('' for none) and the name of the view it came from."""
    peek_changed = Signal(bool)
    """The previous plan is to be shown instead of the current one, as long as this holds."""
    overlay_changed = Signal(str)
    """What colours the kernels of graph and blocks."""
    file_written = Signal(object)
    """Path of a table or picture that a view has saved."""

    def __init__(self) -> None:
        super().__init__()
        self._hovered = self._announced = ""
        self._who = ""
        self._wait: QTimer | None = None
        self._overlay = "precision"
        self._peek = False

    @property
    def hovered(self) -> str:
        """Id of the kernel under the pointer, or ''."""
        return self._hovered

    @property
    def peek(self) -> bool:
        """Whether the previous plan is shown."""
        return self._peek

    def hover(self, kernel_id: str | None, who: str) -> None:
        """Announce the kernel under the pointer once it has been there for a moment; that there is none, at once."""
        if (kernel_id or "") == self._hovered:
            return
        self._hovered, self._who = kernel_id or "", who
        if not self._hovered:
            self.settle()
            return
        if self._wait is None:  # the hub is older than the application, a timer may not be
            self._wait = QTimer(self)
            self._wait.setSingleShot(True)
            self._wait.setInterval(HOVER_MS)
            self._wait.timeout.connect(self.settle)
        self._wait.start()

    def settle(self) -> None:
        """Announce what waits, without waiting."""
        if self._wait is not None:
            self._wait.stop()
        if self._hovered != self._announced:
            self._announced = self._hovered
            self.hover_changed.emit(self._hovered, self._who)

    @property
    def overlay(self) -> str:
        """What colours the kernels of graph and blocks, a key of `graph_overlay.OVERLAYS`."""
        return self._overlay

    def set_overlay(self, overlay: str) -> None:
        """Colour the kernels by something else."""
        if overlay != self._overlay:
            self._overlay = overlay
            self.overlay_changed.emit(overlay)

    def set_peek(self, peek: bool) -> None:
        """Show the previous plan, or the current one again."""
        if peek != self._peek:
            self._peek = peek
            self.peek_changed.emit(peek)


hub = Hub()
"""The one hub of the process."""
