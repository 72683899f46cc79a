"""Asks for a scheme for several kernels at once, and shows what it costs each of them while it is being chosen."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from engine.fusion.types import Kernel
from engine.precision.scheme import Scheme
from engine.session.changes import Change, What
from gui import format as form
from gui.kernel_names import names_of
from gui.views.scheme_editor import SchemeEditor, describe
from gui.widgets.themed import button
from gui.widgets.themed import label as text_label

if TYPE_CHECKING:
    from engine.session import Session

_REST_MS = 150
"""How long a choice stands still before it is measured."""
_MOST_KERNELS = 64
"""Kernels that are measured while one chooses; of a larger selection the first ones."""


class SchemeDialog(QDialog):
    """The editor, the name of what is chosen, and its local error beside that of the scheme now."""

    def __init__(
        self,
        scheme: Scheme,
        count: int,
        parent: QWidget | None = None,
        *,
        session: Session | None = None,
        kernels: Sequence[Kernel] = (),
        title: str = "",
    ) -> None:
        """Start from a scheme.

        Args:
            scheme: What is shown first.
            count: Kernels that will take the scheme.
            parent: Owner.
            session: Where candidates are measured; None measures nothing.
            kernels: Those that will take it.
            title: What is asked for, if not a scheme for kernels.
        """
        super().__init__(parent)
        self.setWindowTitle(title or self.tr("Scheme for %n kernel(s)", "", count))
        self.setMinimumWidth(430)
        self._session, self._kernels = session, tuple(kernels[:_MOST_KERNELS])
        self._plan = session.plan if session is not None else None
        self.editor = SchemeEditor()
        self.editor.show_scheme(scheme)
        self._name = text_label(role="heading")
        self.error = text_label(role="caption")
        self.error.setWordWrap(True)
        self.error.setMinimumHeight(2 * self.error.fontMetrics().lineSpacing() + 4)
        self.error.setVisible(session is not None)
        self.buttons = QDialogButtonBox()
        accept = self.tr("Add") if title else self.tr("Apply")
        self.buttons.addButton(button(accept, primary=True), QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.addButton(self.tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        column.addWidget(self._name)
        column.addWidget(self.editor)
        column.addWidget(self.error)
        column.addWidget(self.buttons)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_REST_MS)
        self._timer.timeout.connect(self._measure)
        self.editor.edited.connect(self._write)
        if session is not None:
            self.finished.connect(session.subscribe(self._on_change))
        self._write(scheme)

    def scheme(self) -> Scheme:
        """The value that was chosen."""
        return self.editor.scheme()

    def _write(self, scheme: Scheme) -> None:
        self._name.setText(describe(scheme))
        self._show_error()
        self._timer.start()

    def _on_change(self, change: Change) -> None:
        if change.what is What.LOCAL:
            self._show_error()

    def _candidates(self) -> dict[str, Scheme]:
        """What each kernel would take: methods only where they fit."""
        assert self._session is not None
        return self._session.refining.fitted([kernel.id for kernel in self._kernels], self.scheme())

    def _measure(self) -> None:
        if self._session is None:
            return
        local = self._session.local
        missing = [cell for cell in self._candidates().items() if cell not in local]
        if missing:
            self._session.refining.try_schemes(missing)

    def _show_error(self) -> None:
        session, plan = self._session, self._plan
        if session is None or plan is None:
            return
        rows = [
            (local.sqnr_db, session.local.get((kernel, plan.scheme(kernel))), kernel)
            for kernel, scheme in self._candidates().items()
            if (local := session.local.get((kernel, scheme))) is not None and not isnan(local.sqnr_db)
        ]
        if not rows:
            self.error.setText(self.tr("Local error: being measured…") if session.data else self.tr("No data yet."))
            return
        worst, now, kernel = min(rows, key=lambda row: row[0])
        words = self.tr("Local error: {0}").format(form.sqnr(worst))
        if now is not None:
            words += " · " + self.tr("now {0}").format(form.sqnr(now.sqnr_db))
        if len(self._kernels) > 1 and session.network is not None:
            name = names_of(session.network).of(session.network.by_id(kernel).name)
            words = self.tr("{0} in the worst kernel, {1}").format(words, name)
            if len(rows) < len(self._kernels):
                words += " · " + self.tr("{0} of {1} measured").format(len(rows), len(self._kernels))
        self.error.setText(words)
