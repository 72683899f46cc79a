"""Project files: everything that is needed to go on where one stopped, except the model and the data themselves."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import msgspec

from engine.errors import PlanError
from engine.files import write_atomically
from engine.fusion.types import Network, Rules
from engine.interop.samples import DataSource
from engine.npu.results import Scenario
from engine.precision.plan import Plan
from engine.precision.planfile import PlanFile, plan_from_file, plan_to_file
from engine.session.state import Budgets
from engine.text import say

VERSION = 1
SUFFIX = ".mixbit"


class Project(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The file's content. Paths are relative to the project file where that is possible."""

    format: Literal["mixbit-project"] = "mixbit-project"
    version: int = VERSION
    model: str
    shapes: dict[str, tuple[int, ...]]
    rules: Rules
    device: str
    scenario: Scenario
    budgets: Budgets
    calibration: DataSource
    evaluation: DataSource
    observer: str
    plan: PlanFile
    locked: list[str]
    view: dict[str, Any]

    @property
    def model_path(self) -> Path:
        """Where the model is."""
        return Path(self.model)

    def plan_for(self, network: Network) -> Plan:
        """The plan; PlanError if the model is not the one it was made for."""
        return plan_from_file(self.plan, network, self.model)

    @classmethod
    def of(
        cls,
        network: Network,
        plan: Plan,
        *,
        shapes: Mapping[str, Sequence[int]],
        device: str,
        scenario: Scenario,
        budgets: Budgets,
        calibration: DataSource,
        evaluation: DataSource,
        observer: str,
        locked: Sequence[str],
        view: Mapping[str, object],
    ) -> Project:
        """A project with absolute paths; writing makes them relative."""
        return cls(
            model=str(network.graph.path.absolute()),
            shapes={name: tuple(shape) for name, shape in shapes.items()},
            rules=network.rules,
            device=device,
            scenario=scenario,
            budgets=budgets,
            calibration=calibration,
            evaluation=evaluation,
            observer=observer,
            plan=plan_to_file(plan, network),
            locked=list(locked),
            view=dict(view),
        )


def write_project(project: Project, path: Path) -> None:
    """Write atomically.

    Raises:
        ExportError: the file can't be written.
    """
    base = path.absolute().parent
    moved = _with_paths(project, lambda p: _relative(p, base))
    write_atomically(path, msgspec.json.format(msgspec.json.encode(moved), indent=2))


def read_project(path: Path) -> Project:
    """Read a project; its paths come back absolute.

    Raises:
        PlanError: it can't be read, is no project, or was written by a newer Mixbit.
    """
    try:
        project = msgspec.json.decode(path.read_bytes(), type=Project)
    except OSError as error:
        raise PlanError(say("{path} can't be read ({reason}).", path=path, reason=error.strerror)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PlanError(say("{path} is not a Mixbit project: {reason}.", path=path, reason=error)) from error
    if project.version > VERSION:
        raise PlanError(
            say(
                "{path} was written by a newer Mixbit (version {got}, this one reads up to {want}); update Mixbit.",
                path=path,
                got=project.version,
                want=VERSION,
            )
        )
    base = path.absolute().parent
    return _with_paths(project, lambda p: str(Path(os.path.normpath(base / p))) if p else p)


def _with_paths(project: Project, change: Callable[[str], str]) -> Project:
    return msgspec.structs.replace(
        project,
        model=change(project.model),
        calibration=replace(project.calibration, path=change(project.calibration.path)),
        evaluation=replace(project.evaluation, path=change(project.evaluation.path)),
        device=change(project.device) if project.device.endswith(".json") else project.device,
    )


def _relative(path: str, base: Path) -> str:
    if not path:
        return path
    try:
        return Path(os.path.relpath(path, base)).as_posix()
    except ValueError:  # another drive
        return path
