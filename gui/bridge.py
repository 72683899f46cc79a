"""Between the engine's threads and the window: callbacks on the window's thread; hover, peek and overlay of views."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal


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

    def __init__(self) -> None:
        super().__init__()
        self._hovered = ""
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
        """Announce the kernel under the pointer."""
        if (kernel_id or "") != self._hovered:
            self._hovered = kernel_id or ""
            self.hover_changed.emit(self._hovered, who)

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
