"""The names of a dump, as rows of the names dialog."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from engine.interop.dump_weights import WEIGHT, Key
from gui import format as fmt
from gui.i18n import text
from gui.views.names_dialog import NameRow, NamesDialog

if TYPE_CHECKING:
    from engine.session import Session

translate = QCoreApplication.translate


def dump_names(session: Session, path: str, parent: QWidget | None) -> NamesDialog:
    """The dialog for one dump; what is corrected is remembered for the model."""
    network = session.network
    kernels = network.kernels if network is not None else ()
    weight = translate("DumpNames", "{kernel}, weight")
    choices = [
        (kernel.name if not output else f"{kernel.name}:{output}", (kernel.id, output))
        for kernel in kernels
        for output in range(len(kernel.outputs))
    ]
    choices += [(weight.format(kernel=kernel.name), (kernel.id, WEIGHT)) for kernel in kernels if kernel.tunable]

    def rows() -> list[NameRow]:
        table = session.comparing.dumps.get(path)
        once = (
            {(m.tensor.name, m.tensor.output, m.tensor.input): m for m in reversed(table.matches)}
            if table is not None
            else {}
        )
        return [
            NameRow(
                match.tensor.name,
                fmt.dims(match.tensor.shape),
                (match.kernel, match.output) if match.kernel else None,
                match.how,
                text(match.reason) if match.reason is not None else "",
            )
            for match in sorted(once.values(), key=lambda m: m.tensor.order)
        ]

    return NamesDialog(
        translate("DumpNames", "Names of {dump}").format(dump=Path(path).name),
        translate("DumpNames", "Shape"),
        rows,
        choices,
        lambda name, key: session.comparing.correct(path, name, cast("Key | None", key)),
        parent,
    )
