"""Project files: everything that is needed to go on where one stopped, except the model and the data themselves."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import msgspec

from engine.errors import PlanError
from engine.files import decode_json, write_atomically
from engine.fusion.types import Network, Rules
from engine.interop.samples import DataSource
from engine.misshapen import form_words
from engine.npu.results import Scenario
from engine.precision.plan import Plan
from engine.precision.planfile import PlanFile, decode_plan, encode, plan_from_file, plan_to_file
from engine.quant import OBSERVERS
from engine.session.document import (
    Document,
    known_kernels,
    known_notes,
    sound_budgets,
    sound_scenario,
)
from engine.session.kept import LONGEST_NAME, MOST_KEPT, KeptPlan, PlanFigures, free_name
from engine.session.salvage import mended
from engine.session.state import Budgets
from engine.text import Text, say
from engine.tuning.methods import check_methods

VERSION = 2
"""2: notes and kept plans."""
SUFFIX = ".mixbit"


class Kept(msgspec.Struct, forbid_unknown_fields=True):
    """A plan that is kept by name."""

    name: str
    plan: PlanFile
    figures: PlanFigures = PlanFigures()


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
    notes: dict[str, str] = {}
    kept: list[msgspec.Raw] = []
    """Each a `Kept`, read by itself: a broken one is left out, and the project opens."""

    @property
    def model_path(self) -> Path:
        """Where the model is."""
        return Path(self.model)

    def plan_for(self, network: Network) -> Plan:
        """The plan; PlanError if the model is not the one it was made for, or a weight method can't be used."""
        return self._usable(self.plan, network, self.model)

    def document(self, network: Network, path: str = "") -> Document:
        """What the project says of a network. Values and kept plans that make no sense are left out.

        Args:
            network: of the project's model.
            path: of the project file, for sentences; '' to name the model instead.

        Raises:
            PlanError: the model is not the one that the project was made for, or the plan can't be used.
        """
        return Document(
            self._usable(self.plan, network, path or self.model),
            network.rules,
            {i.name: i.shape for i in network.graph.inputs},
            self.device,
            sound_scenario(self.scenario),
            sound_budgets(self.budgets),
            self.calibration,
            self.evaluation,
            self.observer if self.observer in OBSERVERS else "minmax",
            known_kernels(network, frozenset(self.locked)),
            known_notes(network, self.notes),
            self.kept_plans(network)[0],
        )

    def kept_plans(self, network: Network) -> tuple[tuple[KeptPlan, ...], tuple[Text, ...]]:
        """The kept plans that can be used, and one sentence on each that can't."""
        found: list[KeptPlan] = []
        dropped: list[Text] = []
        for number, raw in enumerate(self.kept[:MOST_KEPT], 1):
            name = _name_of(raw) or str(number)
            try:
                entry = _kept(raw, name)
                name = free_name(found, entry.name[:LONGEST_NAME])
                found.append(KeptPlan(name, self._usable(entry.plan, network, entry.name), entry.figures))
            except PlanError as error:
                dropped.append(say("Kept plan {name} is left out. {problem}", name=name, problem=error.text))
        return tuple(found), tuple(dropped)

    def _usable(self, entry: PlanFile, network: Network, where: str) -> Plan:
        plan = plan_from_file(entry, network, where)
        check_methods(network, plan, where)
        return plan


def _kept(raw: msgspec.Raw, name: str) -> Kept:
    """One kept plan, checked like a plan file; PlanError if it is damaged."""
    try:
        entry = decode_json(raw, Kept)
        decode_plan(decode_json(raw, dict[str, msgspec.Raw])["plan"], name)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PlanError(say("{path} is not a Mixbit plan: {reason}.", path=name, reason=form_words(error))) from error
    return entry


def _name_of(raw: msgspec.Raw) -> str:
    """The name of a kept plan, as far as it can be read."""
    content: Any = None
    with suppress(msgspec.DecodeError, UnicodeDecodeError):
        content = decode_json(raw)
    name = content.get("name") if isinstance(content, dict) else None
    return name[:LONGEST_NAME] if isinstance(name, str) else ""


_PARTS = {
    "locked": say("locks"),
    "view": say("the look of the window"),
    "notes": say("notes"),
    "kept": say("kept plans"),
}


class _Head(msgspec.Struct):
    format: Literal["mixbit-project"]
    version: int


def project_of(document: Document, network: Network, view: Mapping[str, object]) -> Project:
    """A project with absolute paths; writing makes them relative."""
    return Project(
        model=str(network.graph.path.absolute()),
        shapes={name: tuple(shape) for name, shape in document.shapes.items()},
        rules=network.rules,
        device=document.device,
        scenario=document.scenario,
        budgets=document.budgets,
        calibration=_absolute(document.calibration),
        evaluation=_absolute(document.evaluation),
        observer=document.observer,
        plan=plan_to_file(document.plan, network),
        locked=sorted(document.locked),
        view=dict(view),
        notes=dict(sorted(document.notes.items())),
        kept=[msgspec.Raw(encode(Kept(k.name, plan_to_file(k.plan, network), k.figures))) for k in document.kept],
    )


def write_project(project: Project, path: Path) -> str:
    """Write atomically.

    Returns:
        Digest of what was written, as of `digest_of`.

    Raises:
        ExportError: the file can't be written.
    """
    base = path.absolute().parent
    moved = _with_paths(project, lambda p: _relative(p, base))
    data = msgspec.json.format(encode(moved), indent=2)
    write_atomically(path, data)
    return hashlib.sha256(data).hexdigest()


def digest_of(path: Path) -> str:
    """Digest of a project file; '' if there is none to read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def read_project(path: Path) -> Project:
    """A project as of `read_or_mend`, whatever was lost; errors as there."""
    return read_or_mend(path)[0]


def read_or_mend(path: Path) -> tuple[Project, Text | None]:
    """Read a project, as far as that can be done; its paths come back absolute.

    Returns:
        The project, and a sentence on what was lost if the file is damaged in parts that it can do without. Of kept
        plans `Project.kept_plans` says that.

    Raises:
        PlanError: it can't be read, is no project, is damaged elsewhere, or was written by a newer Mixbit.
    """
    lost: Text | None = None
    try:
        data = path.read_bytes()
        try:
            decode_json(data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            rest = mended(data)
            if rest is not None:
                data = rest[0]
                lost = _lost(path, rest[1])
        head = decode_json(data, _Head)
        if head.version > VERSION:
            raise PlanError(
                say(
                    "{path} was written by a newer Mixbit (version {got}, this one reads up to {want}); update Mixbit.",
                    path=path,
                    got=head.version,
                    want=VERSION,
                )
            )
        project = decode_json(data, Project)
        decode_plan(decode_json(data, dict[str, msgspec.Raw])["plan"], str(path))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        if reason is None and not isinstance(error, (msgspec.DecodeError, UnicodeDecodeError)):
            reason = str(error)  # a name that no file can have
        if reason is not None:
            raise PlanError(say("{path} can't be read ({reason}).", path=path, reason=reason)) from error
        raise PlanError(
            say("{path} is not a Mixbit project: {reason}.", path=path, reason=form_words(error))
        ) from error
    base = path.absolute().parent
    return _with_paths(project, lambda p: str(Path(os.path.normpath(base / p))) if p else p), lost


def _lost(path: Path, names: tuple[str, ...]) -> Text:
    parts = [_PARTS[name] for name in names]
    if not parts:
        return say("{path} is damaged; what can be read of it is opened.", path=path)
    every = functools.reduce(lambda one, other: say("{one}, {other}", one=one, other=other), parts)
    return say("{path} is damaged; what can be read of it is opened, without: {parts}.", path=path, parts=every)


def _with_paths(project: Project, change: Callable[[str], str]) -> Project:
    return msgspec.structs.replace(
        project,
        model=change(project.model),
        calibration=replace(project.calibration, path=change(project.calibration.path)),
        evaluation=replace(project.evaluation, path=change(project.evaluation.path)),
        device=change(project.device) if project.device.endswith(".json") else project.device,
    )


def _absolute(source: DataSource) -> DataSource:
    return replace(source, path=os.path.abspath(source.path)) if source.path else source


def _relative(path: str, base: Path) -> str:
    if not path:
        return path
    try:
        return Path(os.path.relpath(path, base)).as_posix()
    except ValueError:  # another drive
        return path
