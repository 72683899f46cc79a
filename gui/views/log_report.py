"""The log as a text for a bug report: versions, device, model hash and the last entries, without private paths."""

from __future__ import annotations

import platform
import re
import time
from collections.abc import Iterable
from importlib import metadata
from typing import TYPE_CHECKING

from engine.session.state import LogEntry

if TYPE_CHECKING:
    from engine.session import Session

PACKAGES = ("mixbit", "PySide6-Essentials", "onnxruntime", "onnx", "numpy", "pyqtgraph")
LINES = 60
_PATH = re.compile(r"(?:[A-Za-z]:[\\/]|~?/)(?:[^\s\\/:*?\"'<>|]+[\\/])+")
"""A path up to its last separator: what comes before a file's own name."""


def without_paths(words: str) -> str:
    """The text with folders cut away: of a path only the file name stays."""
    return _PATH.sub("…/", words)


def version_of(package: str) -> str:
    """Installed version of a package, "not installed" without one."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def report(session: Session) -> str:
    """Everything that helps to find a fault, in English."""
    lines = [f"{name} {version_of(name)}" for name in PACKAGES]
    lines.append(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}")
    lines.append(f"device {session.device.name}")
    network = session.network
    if network is not None:
        lines.append(f"model {network.graph.sha256[:12]}, {len(network.kernels)} kernels, {network.rules} fusion")
    lines += ["", *entries(session.log[-LINES:])]
    return "\n".join(lines) + "\n"


def entries(log: Iterable[LogEntry]) -> list[str]:
    """Log lines with their details indented under them, without paths."""
    lines = []
    for entry in log:
        lines.append(without_paths(f"{clock(entry.at)} {entry.level}: {entry.text}"))
        lines += [f"    {without_paths(line)}" for line in entry.details.splitlines()]
    return lines


def clock(at: float) -> str:
    """Time of day of an entry."""
    return time.strftime("%H:%M:%S", time.localtime(at))
