"""Looks at the paths of sources in the background, before anything is read from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from engine.errors import MixbitError
from engine.interop.listing import readable, walk
from engine.interop.samples import ENDINGS, DataSource, guess_source, holds
from engine.text import Text, say

if TYPE_CHECKING:
    from engine.jobs import Job, JobContext, Jobs
    from engine.progress import CancelToken

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Looked:
    """What stands at a path."""

    source: DataSource | None
    """How it would be read; None if there is a problem."""
    problem: Text | None = None
    files: int | None = None
    """How many files of its kind a folder has."""


def guess(jobs: Jobs, path: Path, done: Callable[[Looked], None], failed: Callable[[Text], None]) -> Job:
    """Find out what a path holds; a folder may have millions of files."""

    def run(ctx: JobContext) -> Looked:
        try:
            found = guess_source(path, ctx.token)
            return Looked(found, files=_count(found, ctx.token))
        except MixbitError as error:
            return Looked(None, error.text)

    return _submit(jobs, run, done, failed)


def look(jobs: Jobs, source: DataSource, done: Callable[[Looked], None], failed: Callable[[Text], None]) -> Job:
    """What is wrong with a path for a kind of data that is chosen already, and how its files would be read."""

    def run(ctx: JobContext) -> Looked:
        problem = _problem(source, ctx.token)
        if problem is not None:
            return Looked(None, problem)
        try:
            files = _count(source, ctx.token)
            return Looked(guess_source(Path(source.path), ctx.token) if source.kind == "images" else None, files=files)
        except MixbitError as error:
            return Looked(None, error.text)

    return _submit(jobs, run, done, failed)


def check(
    jobs: Jobs,
    sources: Sequence[DataSource],
    done: Callable[[Sequence[Text | None]], None],
    failed: Callable[[Text], None],
) -> Job:
    """What is wrong with the path of each source; None where it holds at least one file of its kind."""

    def run(ctx: JobContext) -> list[Text | None]:
        return [_problem(source, ctx.token) for source in sources]

    return _submit(jobs, run, done, failed)


def _count(source: DataSource, cancel: CancelToken) -> int | None:
    """Files of the kind of a source in its folder, and in those below; None for a file."""
    path = Path(source.path)
    with readable(path):
        return sum(1 for _ in walk(path, ENDINGS[source.kind], cancel)) if path.is_dir() else None


def _submit(
    jobs: Jobs, run: Callable[[JobContext], T], done: Callable[[T], None], failed: Callable[[Text], None]
) -> Job:
    return jobs.submit(say("Looking at the files"), run, lane="query", on_done=done, on_failed=failed)


def _problem(source: DataSource, cancel: CancelToken) -> Text | None:
    if source.kind == "synthetic":
        return None
    path = Path(source.path)
    try:
        if source.kind == "raw" and path.is_file():  # any file may be raw
            return None
        guess_source(path, cancel)
        if holds(path, source.kind, cancel):
            return None
    except MixbitError as error:
        return error.text
    except OSError as error:
        return say("{path} can't be read ({reason}).", path=path, reason=error.strerror or str(error))
    return say(
        "{path} holds no file of this kind ({endings}); choose another kind or path.",
        path=path,
        endings=", ".join(sorted(ENDINGS[source.kind])),
    )
