"""A process that works on a model until somebody kills it: `python working_session.py FOLDER MODEL PHASE`.

It prints a line for everything that its parent waits for: "edit N" once edit N is made, "in PHASE" once that runs.
Edit N sets kernel N to INT4.
"""

from __future__ import annotations

import itertools
import queue
import sys
import time
from pathlib import Path

from engine.precision import INT4
from engine.session import Session

_calls: queue.Queue = queue.Queue()


def tell(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def settle(session: Session) -> None:
    while session.jobs.active or not _calls.empty():
        pump()


def pump() -> None:
    try:
        _calls.get(timeout=0.01)()
    except queue.Empty:
        return


def edit(session: Session, number: int) -> None:
    session.set_scheme([session.network.tunable[number - 1].id], INT4)
    tell("edit", number)


def main(folder: Path, model: Path, phase: str) -> None:
    session = Session(dispatch=_calls.put, settings=folder / "settings", recovery=folder / "recovery")
    session.open_model(model)
    settle(session)
    if phase == "save":
        session.save_project(folder / "work.mixbit")
    edit(session, 1)
    if phase == "open":
        edit(session, 2)
        edit(session, 3)
    for turn in itertools.count():
        if phase == "open":
            time.sleep(0.02)
            session.open_model(model)
        elif phase == "evaluate":
            session.kept.keep(f"again {turn}", session.plan) if turn < 9 else None
        elif phase == "sweep" and not session.sweeping:
            session.start_sweep()
        elif phase == "save":
            session.save_project()
            tell("saved")
            session.undo() if turn % 2 else session.redo()
            session.set_note(session.network.tunable[0].id, f"turn {turn}")
        elif phase == "export":
            session.export("qdq", folder / "out.onnx")
        if turn == 0:
            tell("in", phase)
        for _ in range(5 if phase != "open" else 0):  # a model that is never taken in is opened all the time
            pump()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
