"""Version, licence, and what it runs on."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from engine.version import VERSION
from gui.dialogs.base import Dialog
from gui.widgets.themed import label

PARTS = ("PySide6-Essentials", "pyqtgraph", "onnxruntime", "onnx", "numpy")


class AboutDialog(Dialog):
    """Nothing to choose; the versions can be copied."""

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__("Mixbit", "", parent, width=420)
        self.setWindowTitle(self.tr("About Mixbit"))
        self.sentence.setText(
            self.tr("Choose a precision for every layer of an ONNX model and see at once what it costs and saves.")
        )
        self.sentence.show()
        self.versions = label("\n".join(versions()), "caption")
        self.versions.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.body.addWidget(self.versions)
        self.body.addWidget(label(self.tr("Licence: Apache-2.0. Simulated figures are estimates of a model."), "muted"))
        self.add_button(self.tr("Copy versions"), self._on_copy, left=True)
        self.add_button(self.tr("Close"), self.accept, primary=True).setFocus()

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(versions()))


def versions() -> list[str]:
    """Mixbit, Python and the libraries, one line each."""
    lines = [f"Mixbit {VERSION}", f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"]
    for part in PARTS:
        try:
            lines.append(f"{part} {version(part)}")
        except PackageNotFoundError:  # running from a bundle without metadata
            lines.append(part)
    return lines
