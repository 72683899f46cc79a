"""Asks for the free dimensions of a model, with sensible proposals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QSpinBox, QWidget

from gui import format as form
from gui.dialogs.base import Dialog
from gui.i18n import text as translated
from gui.widgets.themed import label

if TYPE_CHECKING:
    from engine.graph.types import ModelInput
    from engine.text import Text

LARGEST = 1_000_000


class DimensionsDialog(Dialog):
    """One row per free dimension of a name; inputs that share a name share its size."""

    def __init__(
        self,
        inputs: tuple[ModelInput, ...],
        parent: QWidget | None,
        refusal: Text | None = None,
        *,
        proven: bool = False,
    ) -> None:
        super().__init__("", "", parent, width=480)
        self.setWindowTitle(self.tr("Free dimensions"))
        self.title_label.setText(self.tr("Choose the sizes that the model leaves open"))
        self.sentence.setText(
            self.tr("An NPU runs fixed shapes. Latency, memory and errors will be those of the sizes chosen here.")
        )
        self.sentence.show()
        self._inputs = inputs
        self._shown: dict[str, object] = {}
        self.fields: dict[str, QSpinBox] = {}
        page = QWidget()
        self._grid = QGridLayout(page)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(14)
        self._grid.setColumnStretch(2, 1)
        for each in inputs:
            self._add_input(each)
        self._grid.setRowStretch(self._grid.rowCount(), 1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its fields bring themselves into sight
        scroll.setWidget(page)
        scroll.setMinimumHeight(min(320, 20 + 30 * self._grid.rowCount()))
        self.body.addWidget(scroll, 1)
        self.add_button(self.tr("Cancel"), self.reject)
        self.add_button(self.tr("Open"), self.accept, primary=True)
        first = next(iter(self.fields.values()), None)
        if first is not None:
            first.setFocus()
            first.selectAll()
        self._show_shapes()
        if refusal is not None:
            self._say_why_again(translated(refusal), proven)

    def _say_why_again(self, refusal: str, proven: bool) -> None:
        self.title_label.setText(self.tr("The model does not run at these sizes"))
        self.show_problem(refusal)
        if proven:
            self.sentence.setText(self.tr("It was tried at the usual sizes, and runs at those that stand here now."))
        else:
            self.sentence.setText(self.tr("Look up which sizes it was made for: none of the usual ones runs."))

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The concrete shape of every input that has free dimensions."""
        return {each.name: self._shape(each) for each in self._inputs if each.free}

    def _add_input(self, each: ModelInput) -> None:
        if not each.free:
            return
        row = self._grid.rowCount()
        name = label(each.name, "strong")
        name.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._grid.addWidget(name, row, 0)
        shape = label(role="caption")
        self._shown[each.name] = shape
        self._grid.addWidget(shape, row, 1, 1, 2)
        for place, dim in enumerate(each.dims):
            key = _key(each, place)
            if isinstance(dim, str) and key not in self.fields:
                self._add_field(key, dim, each.proposal[place], place)

    def _add_field(self, key: str, dim: str, proposal: int, place: int) -> None:
        field = QSpinBox()
        field.setRange(1, LARGEST)
        field.setValue(proposal)
        title = dim or self.tr("axis {number}").format(number=place)
        field.setAccessibleName(title)
        field.valueChanged.connect(self._show_shapes)
        row = self._grid.rowCount()
        self._grid.addWidget(label(title), row, 0)
        self._grid.addWidget(field, row, 1)
        if dim:  # exporters give names that say nothing
            self._grid.addWidget(label(self.tr("axis {number}").format(number=place), "caption"), row, 2)
        self.fields[key] = field

    def _shape(self, each: ModelInput) -> tuple[int, ...]:
        return tuple(
            self.fields[_key(each, place)].value() if isinstance(dim, str) else dim
            for place, dim in enumerate(each.dims)
        )

    def _show_shapes(self) -> None:
        for each in self._inputs:
            shown = self._shown.get(each.name)
            if shown is not None:
                shown.setText(f"{each.dtype.name}  {form.dims(self._shape(each))}")  # type: ignore[attr-defined]


def _key(each: ModelInput, place: int) -> str:
    """Dimensions of one name are one size; nameless ones stand alone."""
    dim = each.dims[place]
    return str(dim) if dim else f"{each.name}/{place}"
