"""Sizes of free dimensions: which the user is asked for, and which the model runs at."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.errors import NotRunnableError, SizesRefusedError
from engine.graph.proposals import alternatives
from engine.graph.types import Graph, ModelInput
from engine.progress import CancelToken
from engine.text import Text, say

Shapes = Mapping[str, Sequence[int]]
Load = Callable[[Shapes], Graph]
"""Opens the model at these sizes; NotRunnableError where it does not run."""

SEARCH_SECONDS = 20.0
"""After this long no further sizes are tried."""


@dataclass(frozen=True, slots=True)
class SizesQuestion:
    """What the user is asked before a model with free dimensions is opened."""

    inputs: tuple[ModelInput, ...]
    """With proposals: what usually fits, or, after a refusal, sizes that were found to run."""
    refusal: Text | None = None
    """Why the sizes that were chosen before are no good."""
    proven: bool = False
    """Whether the model was run at the proposals."""


def missing_shapes(inputs: Sequence[ModelInput], shapes: Shapes) -> tuple[ModelInput, ...]:
    """Inputs with a free dimension that nobody has chosen yet."""
    return tuple(i for i in inputs if i.free and i.name not in shapes)


def proposed_shapes(inputs: Sequence[ModelInput], shapes: Shapes) -> dict[str, tuple[int, ...]]:
    """The given shapes, completed with proposals for every input that has free dimensions."""
    return {**{i.name: i.proposal for i in inputs if i.free}, **{name: tuple(s) for name, s in shapes.items()}}


def load_at_some_size(
    path: Path, inputs: Sequence[ModelInput], given: Shapes, load: Load, cancel: CancelToken
) -> Graph:
    """Open a model at the given sizes, and at the first of the usual ones for what is not given.

    Raises:
        SizesRefusedError: It has free dimensions and does not run at these sizes.
        NotRunnableError: It has none and does not run.
    """
    first = proposed_shapes(inputs, given)
    try:
        return load(first)
    except NotRunnableError as error:
        if not first:
            raise
        refusal = SizesRefusedError(_refused(path, first, error.text, missing_shapes(inputs, given)))
        found = _first_that_runs(path, inputs, given, first, load, cancel)
        if found is None:
            raise refusal from error
    graph, shapes = found
    note = say(
        "It does not run at the sizes that are usual, {tried}; {taken} is taken for its free dimensions.",
        tried=written(first),
        taken=written(shapes),
    )
    return replace(graph, notes=(note, *graph.notes))


def another_question(
    path: Path, inputs: Sequence[ModelInput], chosen: Shapes, refusal: Text, load: Load, cancel: CancelToken
) -> SizesQuestion:
    """Ask again after a refusal, with sizes at which the model runs where some are found, else with those refused."""
    found = _first_that_runs(path, inputs, {}, dict(chosen), load, cancel)
    shapes = chosen if found is None else found[1]
    again = tuple(replace(i, proposal=tuple(shapes[i.name])) if i.name in shapes else i for i in inputs)
    return SizesQuestion(again, refusal, proven=found is not None)


def written(shapes: Shapes) -> str:
    """Shapes as the command line takes them, for sentences."""
    return "; ".join(f"{name}={','.join(map(str, shape))}" for name, shape in shapes.items())


def _refused(path: Path, shapes: Shapes, reason: Text, missing: Sequence[ModelInput]) -> Text:
    """The reason already names the file and the node; what is missing is at which sizes."""
    if missing:
        return say("{reason} At {shapes}; say which sizes it runs at.", reason=reason, shapes=written(shapes))
    return say("{reason} At {shapes}; other sizes may do.", reason=reason, shapes=written(shapes))


def _first_that_runs(
    path: Path, inputs: Sequence[ModelInput], given: Shapes, refused: Shapes, load: Load, cancel: CancelToken
) -> tuple[Graph, dict[str, tuple[int, ...]]] | None:
    """The first other sizes at which the model runs; None where there are none, or not within a sensible time."""
    started = time.monotonic()
    raw = {i.name: (i.dtype, i.dims) for i in inputs if i.free}
    for proposal in [proposed_shapes(inputs, {}), *alternatives(raw, path.stem)]:
        cancel.check()
        if time.monotonic() - started > SEARCH_SECONDS:
            return None
        shapes = {**proposal, **{name: tuple(s) for name, s in given.items()}}
        if shapes == refused:
            continue
        try:
            return load(shapes), shapes
        except NotRunnableError:
            continue
    return None
