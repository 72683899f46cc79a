"""What the Layers view does to the selection: schemes, locks, similar kernels, rules. Every edit is one undo step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from engine.fusion.types import Kernel
from engine.precision.scheme import FP16, FP32, Scheme
from gui.dialogs.with_model import close_with_model
from gui.kernel_names import role_of
from gui.views.layers_order import Filter
from gui.views.layers_rows import SEGMENTS, LayerRows
from gui.views.layers_rule_dialog import RuleDialog
from gui.views.scheme_dialog import SchemeDialog

if TYPE_CHECKING:
    from engine.session import Session

WHO = "layers"


class LayerEdits:
    """Edits of one session; `selection` gives the kernel ids that they work on."""

    def __init__(self, session: Session, selection: Callable[[], tuple[str, ...]], parent: QWidget) -> None:
        self._session = session
        self._selection = selection
        self._parent = parent

    def kernels(self) -> list[Kernel]:
        """The selected kernels in execution order."""
        network, wanted = self._session.network, set(self._selection())
        return [k for k in network.kernels if k.id in wanted] if network is not None else []

    @property
    def editable(self) -> bool:
        """Whether any selected kernel can be set."""
        return any(k.tunable and k.id not in self._session.locked for k in self.kernels())

    @property
    def locked(self) -> bool:
        """Whether all selected kernels are locked."""
        chosen = self.kernels()
        return bool(chosen) and all(k.id in self._session.locked for k in chosen)

    def set_family(self, name: str) -> None:
        """INT4, INT8 or FP16 on the selection."""
        self.set_scheme(SEGMENTS[name])

    def set_scheme(self, scheme: Scheme) -> None:
        """Any scheme on the selection."""
        ids = self._selection()
        if ids:
            self._session.set_scheme(ids, scheme, who=WHO)

    def edit_scheme(self) -> None:
        """Ask for an advanced scheme for the selection."""
        kernels = [k for k in self.kernels() if k.tunable]
        if not kernels:
            return
        scheme = self._session.plan.scheme(kernels[0].id)
        start = FP16 if scheme == FP32 else scheme
        dialog = SchemeDialog(start, len(kernels), self._parent, session=self._session, kernels=kernels)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        ids = [kernel.id for kernel in kernels]
        dialog.accepted.connect(lambda: self._session.set_scheme(ids, dialog.scheme(), who=WHO))
        close_with_model(dialog, self._session)
        dialog.open()

    def edit_by_rule(self, rows: LayerRows, start: Filter) -> RuleDialog:
        """Ask for a rule and a scheme for all kernels that match it."""
        dialog = RuleDialog(rows, start, self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(lambda: self._apply_rule(rows, dialog))
        close_with_model(dialog, self._session)
        dialog.open()
        return dialog

    def _apply_rule(self, rows: LayerRows, dialog: RuleDialog) -> None:
        ids = [rows.shape.ids[i] for i in dialog.kernels()]
        self._session.set_scheme(ids, dialog.scheme(), who=WHO)

    def toggle_lock(self) -> None:
        """Lock the selection, or unlock it if all of it is locked."""
        ids = self._selection()
        if ids:
            self._session.set_locked(ids, not self.locked, who=WHO)

    def select_similar(self, by: str) -> None:
        """Extend the selection to kernels that have something in common with it."""
        network, chosen = self._session.network, self.kernels()
        if network is None or not chosen:
            return
        wanted = {self._likeness(kernel, by) for kernel in chosen}
        ids = [k.id for k in network.kernels if self._likeness(k, by) in wanted]
        self._session.select(ids, self._session.current, who="")

    def _likeness(self, kernel: Kernel, by: str) -> object:
        if by == "op":
            return kernel.op
        if by == "kind":
            return kernel.kind
        if by == "scheme":
            return self._session.plan.scheme(kernel.id) if kernel.tunable else None
        return role_of(kernel.name)
