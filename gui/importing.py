"""Brings precisions in from a file of another tool: read in the background, applied as one undo step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import ForeignPlanError
from engine.text import Text, say

if TYPE_CHECKING:
    from engine.interop.kernel_index import Imported
    from engine.jobs import Job
    from engine.precision import Plan
    from engine.session import Session
    from engine.session.state import Level

_NAMED = 3
"""So many names stand in the log; the rest is counted."""


def import_precisions(
    session: Session,
    path: Path,
    refused: Callable[[Text], None],
    who: str,
    foreign: Callable[[Text, Callable[[], object]], None],
) -> Job | None:
    """Read a file for the open model and make what it says the plan.

    What the file is shows in its contents. Layers that it says nothing of keep their precision. A plan file has to be
    one for this model.

    Args:
        session: The session; nothing happens without a model.
        path: The file.
        refused: Gets one sentence if the file can't be used; the plan stays then.
        who: Who applies the plan.
        foreign: Gets the sentence that a plan is another model's, and a call that takes from it what fits by names.
    """
    from engine.interop.imports import import_plan  # brings ONNX: not before there is a session

    network = session.network
    if network is None:
        return None

    def read(base: Plan, any_model: bool) -> Imported | ForeignPlanError:
        try:
            return import_plan(path, network, base, any_model=any_model)
        except ForeignPlanError as error:
            return error

    def done(base: Plan, found: Imported | ForeignPlanError) -> None:
        if session.network is not network:  # another model was opened meanwhile
            return
        if isinstance(found, ForeignPlanError):
            foreign(found.text, lambda: submit(any_model=True))
            return
        said = {kernel: scheme for kernel, scheme in found.plan.items() if base.scheme(kernel) != scheme}
        plan = session.plan.with_schemes(said, found.plan.name)  # edits made meanwhile stay
        session.apply_unlocked(plan, say("Precisions of {file}", file=path.name), who)
        for sentence, level in report(found, path, len(network.tunable)):
            session.note(sentence, level)

    def submit(*, any_model: bool) -> Job | None:
        if session.network is not network:
            return None
        base = session.plan
        return session.jobs.submit(
            say("Reading precisions from {file}", file=path.name),
            lambda _: read(base, any_model),
            lane="query",
            supersede="import",
            on_done=lambda found: done(base, found),
            on_failed=refused,
        )

    return submit(any_model=False)


def report(found: Imported, path: Path, layers: int) -> list[tuple[Text, Level]]:
    """What the log says of an import, worst last."""
    reached = layers - len(found.untouched)
    said: list[tuple[Text, Level]] = [
        (
            say("Read {file} as {kind}: it sets {count} of {all} layers.",
                file=path.name, kind=found.source, count=reached, all=layers),
            "info",
        ),
        *((note, "info") for note in found.notes),
    ]  # fmt: skip
    if found.unmatched:
        shown = ", ".join(found.unmatched[:_NAMED]) + (" …" if len(found.unmatched) > _NAMED else "")
        said.append(
            (
                say("{file} has {count} names that this model has no layer for: {names}",
                    file=path.name, count=len(found.unmatched), names=shown),
                "warning",
            )
        )  # fmt: skip
    return said
