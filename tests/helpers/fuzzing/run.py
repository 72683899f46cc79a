"""Trying many damaged files, and what came of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import NamedTuple

import onnx

from fuzzing.mutations import damaged

FINE = ("opened", "refused")
_ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Limits:
    """What one file may take."""

    seconds: float = 10.0
    """Of processor time; six times as much by the clock."""
    memory_limit: int = 256 << 20
    """Bytes: the limit that the program is told to keep."""
    slack: int = 160 << 20
    """Bytes that opening takes beside the model's own: the runtime, what the watch notices late."""


class Tried(NamedTuple):
    """One file."""

    number: int
    seed: str
    mutation: str
    outcome: str
    text: str
    seconds: float
    peak: int
    """Bytes."""

    @property
    def title(self) -> str:
        """What tells it from others."""
        return f"#{self.number} ({self.mutation} of {self.seed})"


def fuzz(
    seeds: Mapping[str, onnx.ModelProto],
    numbers: Sequence[int],
    folder: Path,
    *,
    start: int = 0,
    limits: Limits | None = None,
    jobs: int = 1,
    keep: Path | None = None,
) -> Iterator[Tried]:
    """Damage seeds and open them.

    Args:
        seeds: Sound models by name.
        numbers: Which cases; the same number gives the same file for the same seeds and `start`.
        folder: For the files while they are tried.
        start: Another start gives other files.
        limits: What each may take.
        jobs: Files at a time.
        keep: Where files go that did not end well.
    """
    names, chosen = sorted(seeds), limits or Limits()
    with _children(jobs) as children, ThreadPoolExecutor(jobs) as pool:

        def one(number: int) -> Tried:
            rng = Random(f"{start}-{number}")
            seed = rng.choice(names)
            mutation, data = damaged(seeds[seed], rng)
            child = children.get()
            place = folder / f"{child.pid}"
            place.mkdir(exist_ok=True)
            path = place / "model.onnx"
            path.write_bytes(data)
            found = _ask(child, path, chosen)
            children.put(child)
            tried = Tried(number, seed, mutation, **found)
            if keep is not None and tried.outcome not in FINE:
                (keep / f"{number}-{mutation}.onnx").write_bytes(data)
            return tried

        yield from pool.map(one, numbers)


def summary(tried: Sequence[Tried]) -> str:
    """Files tried, outcomes, longest, largest; every file that did not end well."""
    outcomes = Counter(each.outcome for each in tried)
    counts = ", ".join(f"{outcome} {count}" for outcome, count in sorted(outcomes.items(), key=lambda item: -item[1]))
    longest, largest = max(tried, key=lambda each: each.seconds), max(tried, key=lambda each: each.peak)
    lines = [
        f"{len(tried)} files: {counts}",
        f"longest  {longest.seconds:.2f} s  {longest.title}: {longest.outcome}",
        f"largest  {largest.peak / 1e6:.0f} MB  {largest.title}: {largest.outcome}",
    ]
    for each in tried:
        if each.outcome not in FINE:
            lines.append(f"{each.outcome}  {each.title}: {each.text.strip()[:600]}")
    return "\n".join(lines)


@contextmanager
def _children(count: int) -> Iterator[SimpleQueue[subprocess.Popen[str]]]:
    """Processes that wait for files."""
    search = os.pathsep.join((str(_ROOT), str(_ROOT / "tests" / "helpers")))
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": search}
    made = [
        subprocess.Popen(
            [sys.executable, "-m", "fuzzing.child"],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for _ in range(count)
    ]  # fmt: skip
    waiting: SimpleQueue[subprocess.Popen[str]] = SimpleQueue()
    for child in made:
        waiting.put(child)
    try:
        yield waiting
    finally:
        for child in made:
            child.communicate()


def _ask(child: subprocess.Popen[str], path: Path, limits: Limits) -> dict[str, object]:
    assert child.stdin is not None
    assert child.stdout is not None
    ceiling = limits.memory_limit + limits.slack
    order = {"path": str(path), "seconds": limits.seconds, "memory_limit": limits.memory_limit, "ceiling": ceiling}
    child.stdin.write(json.dumps(order) + "\n")
    child.stdin.flush()
    return json.loads(child.stdout.readline())
