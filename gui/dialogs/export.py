"""Asks what to write and where."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtWidgets import QButtonGroup, QFileDialog, QHBoxLayout, QLineEdit, QRadioButton, QWidget

from gui.dialogs.base import Dialog
from gui.widgets.themed import button, label

if TYPE_CHECKING:
    from engine.session import Session
    from gui.actions import Actions

Kind = Literal["qdq", "csv", "plan"]
SUFFIXES: dict[Kind, str] = {"qdq": ".qdq.onnx", "csv": ".csv", "plan": ".plan.json"}


class ExportDialog(Dialog):
    """Three kinds of file; each says what it is for."""

    def __init__(self, session: Session, actions: Actions, parent: QWidget | None) -> None:
        super().__init__("", "", parent, width=560)
        self.setWindowTitle(self.tr("Export"))
        self.title_label.setText(self.tr("Export the current plan"))
        self._session, self._actions = session, actions
        self.kinds: dict[Kind, QRadioButton] = {}
        group = QButtonGroup(self)
        for kind, title, detail in self._choices():
            choice = QRadioButton(title)
            group.addButton(choice)
            self.kinds[kind] = choice
            self.body.addWidget(choice)
            note = label(detail, "muted")
            note.setWordWrap(True)
            note.setContentsMargins(22, 0, 0, 6)
            self.body.addWidget(note)
            choice.toggled.connect(lambda on, k=kind: self._propose(k) if on else None)
        self.body.addStretch()
        row = QHBoxLayout()
        self.path = QLineEdit()
        self.path.setAccessibleName(self.tr("File to write"))
        browse = button(self.tr("Browse…"))
        browse.clicked.connect(self._browse)
        row.addWidget(self.path, 1)
        row.addWidget(browse)
        self.body.addLayout(row)
        self.add_button(self.tr("Cancel"), self.reject)
        self.add_button(self.tr("Export"), self._on_export, primary=True)
        self.kinds["qdq"].setChecked(True)

    def _choices(self) -> tuple[tuple[Kind, str, str], ...]:
        return (
            (
                "qdq",
                self.tr("Quantized ONNX model (QDQ)"),
                self.tr(
                    "Runs in ONNX Runtime: INT4 weights blockwise in opset 21, INT8 with its calibrated ranges. "
                    "Set session.qdq_matmulnbits_accuracy_level to 1, or INT4 products use 8-bit activations there."
                ),
            ),
            ("csv", self.tr("Table of kernels (CSV)"), self.tr("Every column of the Layers table, with units.")),
            (
                "plan",
                self.tr("Plan (JSON)"),
                self.tr("Kernel and weight names with their formats; can be imported and used on the command line."),
            ),
        )

    @property
    def kind(self) -> Kind:
        """What was chosen."""
        return next(kind for kind, choice in self.kinds.items() if choice.isChecked())

    def _propose(self, kind: Kind) -> None:
        model = self._session.path
        if model is not None:
            folder = Path(self.path.text()).parent if self.path.text() else model.parent
            self.path.setText(str(folder / (model.stem + SUFFIXES[kind])))

    def _browse(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, self.tr("Export"), self.path.text())
        if name:
            self.path.setText(name)

    def _on_export(self) -> None:
        path = self.path.text().strip()
        if not path:
            self.show_problem(self.tr("Choose a file to write."))
            return
        session, kind = self._session, self.kind
        if self._actions.guarded(lambda: session.export(kind, Path(path))):
            self.accept()
