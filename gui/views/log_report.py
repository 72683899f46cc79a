"""The log as a text for a bug report: versions, device, model hash and the last entries, without private paths."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.session.state import LogEntry
from gui.reports import environment, without_folders, without_paths

if TYPE_CHECKING:
    from engine.session import Session

LINES = 60


def report(session: Session) -> str:
    """Everything that helps to find a fault, in English."""
    device = session.device
    lines = [*environment(), f"device {device.name}, operators of {device.operators}"]
    network = session.network
    if network is not None:
        lines.append(f"model {network.graph.sha256[:12]}, {len(network.kernels)} kernels, {network.rules} fusion")
    data = session.data
    if data is not None:
        kind = "synthetic" if data.synthetic else "own data"
        lines.append(f"{kind}, {data.calibration_samples} + {data.evaluation_samples} samples, {data.observer}")
    running = [f"{without_folders(job.title)} ({job.fraction:.0%})" for job in session.jobs.active]
    if running:
        lines.append("running: " + ", ".join(running))
    lines += ["", *entries(session.log[-LINES:])]
    return "\n".join(lines) + "\n"


def entries(log: Iterable[LogEntry]) -> list[str]:
    """Log lines with their details indented under them, without paths."""
    lines = []
    for entry in log:
        lines.append(f"{clock(entry.at)} {entry.level}: {without_folders(entry.text)}")
        lines += [f"    {without_paths(line)}" for line in entry.details.splitlines()]
    return lines


def clock(at: float) -> str:
    """Time of day of an entry."""
    return time.strftime("%H:%M:%S", time.localtime(at))
