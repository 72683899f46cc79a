"""What Cold start shows, read from a session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from engine.npu.coldstart import ColdStart, Measures, Stage, cold_start
from engine.npu.flow import Flow, InputPath, Step, Wait, flow
from gui.plots.table import Table

if TYPE_CHECKING:
    from engine.session import Session

translate = QCoreApplication.translate
LADDER = (
    Measures(compiled=False),
    Measures(),
    Measures(preload=True),
    Measures(preload=True, warm_up=True),
)
"""From no counter-measure to all of them."""


@dataclass(frozen=True, eq=False, slots=True)
class StartData:
    """The chosen start, the ladder beside it, and frames in a row."""

    chosen: ColdStart
    ladder: tuple[ColdStart, ...]
    flow: Flow


def start_steps(session: Session, measures: Measures, path: InputPath) -> Iterator[StartData | None]:
    """Compute both step by step; the data comes last, and not at all before the first simulation."""
    network, simulation = session.network, session.figures.simulation
    if network is None or simulation is None:
        return
    plan, device = session.plan, session.device
    starts = []
    for each in (*LADDER, measures):
        starts.append(cold_start(network, plan, simulation, device, each))
        yield None
    yield StartData(starts[-1], tuple(starts[:-1]), flow(network, simulation, device, path))


def stage_word(stage: Stage) -> str:
    """A part of the way."""
    return {
        "read": translate("ColdStart", "read the file"),
        "parse": translate("ColdStart", "parse it"),
        "init": translate("ColdStart", "runtime init"),
        "compile": translate("ColdStart", "compile on device"),
        "load": translate("ColdStart", "load kernels"),
        "relayout": translate("ColdStart", "weight re-layout"),
        "warm-up": translate("ColdStart", "warm-up run"),
        "first run": translate("ColdStart", "first run"),
    }[stage]


def measures_word(measures: Measures) -> str:
    """A set of counter-measures."""
    if not measures.compiled:
        return translate("ColdStart", "compiled at start")
    if measures.preload and measures.warm_up:
        return translate("ColdStart", "+ preload + warm-up")
    if measures.preload:
        return translate("ColdStart", "+ preload")
    return translate("ColdStart", "compiled ahead")


def step_word(step: Step) -> str:
    """A step of one frame."""
    return {
        "preprocess": translate("ColdStart", "preprocess"),
        "layout": translate("ColdStart", "layout"),
        "copy in": translate("ColdStart", "copy in"),
        "submit": translate("ColdStart", "submit"),
        "run": translate("ColdStart", "run"),
        "copy out": translate("ColdStart", "copy out"),
    }[step]


def wait_sentence(found: Flow) -> str:
    """What the NPU waits for between two frames."""
    words: dict[Wait, str] = {
        "-": translate("ColdStart", "The NPU never waits: only a faster run gives more frames."),
        "CPU": translate("ColdStart", "The NPU waits {time} per frame for the CPU: overlap the two, or prepare less."),
        "buffer": translate(
            "ColdStart", "The NPU waits {time} per frame while its only buffer is filled: a second one hides that."
        ),
        "next frame": translate("ColdStart", "The NPU waits {time} per frame for the next one to arrive."),
    }
    return words[found.waits_for]


def start_table(data: StartData) -> Table:
    """Parts of the start, then steps of a frame."""
    rows: list[tuple[str, str, float, str]] = [
        ("cold start", part.stage, part.us, "ahead" if part.ahead else "waited for") for part in data.chosen.parts
    ]
    rows += [("frame", step, us, "NPU" if step == "run" else "CPU") for step, us in data.flow.steps_us.items()]
    words: dict[str, str] = {part.stage: stage_word(part.stage) for part in data.chosen.parts}
    words.update((step, step_word(step)) for step in data.flow.steps_us)
    return Table(("of", "part", "us", "where"), rows, words)
