"""What all exports that are a folder have in common: the list of files, the name map, the hand-over report."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from engine.fusion.types import Network
from engine.interop.folders import MARK, files_below, folder_aside, write_text
from engine.interop.handover import Handover, Written
from engine.interop.handover_report import report_text
from engine.interop.layer_names import LayerNames
from engine.interop.order import Order
from engine.interop.targets import Target
from engine.precision.plan import Plan
from engine.precision.scheme import label
from engine.text import Text

NAMES = "names.csv"
RENAMED = "renamed.csv"
MODEL = "model.onnx"


@dataclass
class Bundle:
    """A folder that is being filled."""

    folder: Path
    files: list[tuple[str, str]] = field(default_factory=list)
    """Name and what it is for, in the order of the report."""
    steps: list[str] = field(default_factory=list)
    """What to do with the files."""
    notes: list[Text] = field(default_factory=list)
    """Added to those of the hand-over."""
    checks: list[Text] = field(default_factory=list)

    def text(self, name: str, text: str, use: str, *, executable: bool = False) -> Path:
        """Write a text file and list it."""
        path = self.folder / name
        write_text(path, text, executable=executable)
        self.files.append((name, use))
        return path


@contextmanager
def bundle(target: Target, order: Order, handover: Handover, names: LayerNames) -> Iterator[Bundle]:
    """Fill a folder; when the block ends, the name map and the report are added and the folder is put in place.

    Raises:
        ExportError: As in `folder_aside`.
    """
    network = order.network
    with folder_aside(order.path) as folder:
        made = Bundle(folder)
        yield made
        made.text(NAMES, names_csv(network, handover.effective_plan, names), "layer names in Mixbit and in these files")
        if names.renamed:
            made.text(RENAMED, renamed_csv(names), "names of nodes and tensors that are others than in the model file")
        notes = (*handover.notes, *made.notes)
        report = report_text(
            network,
            order.plan,
            target.title,
            Handover(handover.effective_plan, handover.changes, notes),
            effect=order.extras.effect,
            files=made.files,
            steps=made.steps,
        )
        write_text(folder / MARK, report)


def written(target: Target, order: Order, handover: Handover, made: Bundle) -> Written:
    """The result, once the folder is in place."""
    final = Handover(handover.effective_plan, handover.changes, (*handover.notes, *made.notes))
    return Written(target.name, order.path, files_below(order.path), final, tuple(made.checks))


def names_csv(network: Network, plan: Plan, names: LayerNames) -> str:
    """One row per tunable layer: what it is called where, and what it runs in."""
    rows = (
        (kernel.name, names.anchors[kernel.id], names.weights[kernel.id], names.modules[kernel.id],
         label(plan[kernel.id]))
        for kernel in network.tunable
    )  # fmt: skip
    return _table(("layer", "node", "weight", "module", "scheme"), rows)


def renamed_csv(names: LayerNames) -> str:
    """One row per name that was changed; the old one is empty for a node that had none."""
    return _table(("name in the model file", "name in these files"), names.renamed)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return stream.getvalue()


def shell(lines: Sequence[str], about: str) -> str:
    """A POSIX shell script that runs in its own folder and stops at the first error."""
    return "\n".join(["#!/bin/sh", f"# {about}", "set -eu", 'cd "$(dirname "$0")"', "", *lines, ""])


def command(program: str, arguments: Sequence[str]) -> str:
    """A command with one argument a line."""
    return " \\\n    ".join([program, *arguments])


def quote(text: str) -> str:
    """A word for a POSIX shell, in double quotes, so that it reads as documentation writes it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$").replace("`", "\\`")
    return f'"{escaped}"'


def input_shapes(network: Network, names: LayerNames) -> str:
    """'x:1,3,224,224;y:1,16', as several converters want it."""
    infos = network.graph.inputs
    return ";".join(f"{names.tensors[info.name]}:{','.join(map(str, info.shape))}" for info in infos)
