"""Writing a dump: tensor after tensor, never more than one in memory, and able to go on where it was stopped."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path

import ml_dtypes
import msgspec
import numpy as np

from engine.errors import DataError, ExportError
from engine.files import write_atomically, written_aside
from engine.fusion.types import Kernel, Network
from engine.graph.types import Array
from engine.numerics.dumps.manifest import (
    FORMAT,
    MANIFEST,
    VERSION,
    LeftOut,
    Manifest,
    ModelEntry,
    SampleEntry,
    TensorEntry,
    feeds_hash,
    file_name,
)
from engine.numerics.dumps.read import read_manifest
from engine.numerics.evaluator import Evaluator
from engine.precision.plan import Plan
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.text import say

DEFAULT_LIMIT = 4 << 30
"""Bytes that a dump may take unless somebody asks for more."""
_HEADER = 128
_AS_STORED = {np.dtype(ml_dtypes.bfloat16): np.float32, np.dtype(ml_dtypes.int4): np.int8,
              np.dtype(ml_dtypes.uint4): np.uint8}  # fmt: skip
"""Types that a `.npy` file can't name."""


def write_dump(
    evaluator: Evaluator,
    plan: Plan | None,
    folder: Path,
    *,
    kernels: Collection[str] | None = None,
    samples: Sequence[int] | None = None,
    limit_bytes: int = DEFAULT_LIMIT,
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> Manifest:
    """Run samples under a plan and write every output of every kernel.

    Each tensor is written aside and renamed, so whatever has its name is whole. A dump that was stopped goes on when it
    is asked for again: tensors that are there are not written anew. The manifest says `complete` only at the end.

    Args:
        evaluator: Model and samples; its own values are not moved.
        plan: The plan; None for the reference.
        folder: Where to; created if it is missing, else empty or an earlier dump of the same values.
        kernels: Ids; None takes all.
        samples: Which of the evaluator's samples; None takes all.
        limit_bytes: The most that the dump may take on disk.
        progress: Told about.
        cancel: Checked between kernels; files that are complete stay for the next time.

    Returns:
        The finished manifest.

    Raises:
        DataError: More bytes than allowed or free, a sample that there isn't, or a folder with another dump in it.
        ExportError: The folder can't be written.
        PlanError: A kernel that there isn't.
        Cancelled: If asked to stop.
    """
    evaluator.prepare(progress=lambda f, t: progress(0.3 * f, t), cancel=cancel)
    network, count = evaluator.network, len(evaluator.samples)
    chosen = tuple(range(count)) if samples is None else tuple(dict.fromkeys(samples))
    for sample in chosen:
        if not 0 <= sample < count:
            raise DataError(say("There is no sample {sample}; there are {count}.", sample=sample, count=count))
    header = _header(evaluator, plan, chosen)
    before = _earlier(folder, header)
    _check_room(folder, network, kernels, len(chosen), limit_bytes)
    _make(folder, header, before)
    found: list[TensorEntry] = []
    left_out: dict[tuple[str, str], LeftOut] = {}
    text = say("Writing values")
    with closing(evaluator.fork()) as fork:
        for number, sample in enumerate(chosen):
            steps = fork.values(plan or Plan(), sample, kernels=kernels, cancel=cancel)
            total = len(network.kernels) if kernels is None else len(kernels)
            for at, (kernel, values) in enumerate(steps, 1):
                for output, (name, array) in enumerate(values.items()):
                    if array.dtype.kind in "OSU":
                        left_out[kernel.id, name] = LeftOut(kernel.id, name, str(say("it holds text, not numbers")))
                        continue
                    found.append(_write(folder, kernel, output, name, array, sample))
                progress(0.3 + 0.7 * (number + at / max(1, total)) / max(1, len(chosen)), text)
    kept = _merged(before, found)
    finished = msgspec.structs.replace(
        header,
        complete=True,
        tensors=tuple(kept),
        left_out=tuple(left_out.values()),
        samples=_samples(before, header),
    )
    write_atomically(folder / MANIFEST, msgspec.json.format(msgspec.json.encode(finished), indent=1))
    return finished


def dump_bytes(network: Network, kernels: Collection[str] | None, samples: int) -> int:
    """Bytes that a dump will take, from the shapes of the trial run."""
    wanted = network.kernels if kernels is None else [network.by_id(i) for i in kernels if i in _ids(network)]
    each = 0
    for kernel in wanted:
        for name in kernel.outputs:
            info = network.tensors.get(name)
            if info is not None and info.dtype.kind not in "OSU":
                each += info.elements * np.dtype(_AS_STORED.get(info.dtype, info.dtype)).itemsize + _HEADER
    return each * samples


def _ids(network: Network) -> frozenset[str]:
    return frozenset(kernel.id for kernel in network.kernels)


def _header(evaluator: Evaluator, plan: Plan | None, samples: Sequence[int]) -> Manifest:
    graph, data = evaluator.network.graph, evaluator.samples
    known = _ids(evaluator.network)
    return Manifest(
        FORMAT,
        VERSION,
        ModelEntry(graph.path.name, graph.sha256),
        "reference" if plan is None else "plan",
        "" if plan is None else plan.name,
        {} if plan is None else {i: s for i, s in plan.items() if i in known},
        data.source,
        data.synthetic,
        tuple(SampleEntry(i, data.names[i] if i < len(data.names) else "", feeds_hash(data.feeds[i])) for i in samples),
        False,
    )


def _earlier(folder: Path, header: Manifest) -> Manifest | None:
    """The dump that is there already, to be completed."""
    try:
        if not folder.exists():
            return None
        if not folder.is_dir():
            raise ExportError(say("{path} is a file, and a dump is a folder; choose another name.", path=folder))
        if not any(folder.iterdir()):
            return None
    except OSError as error:
        raise ExportError(
            say("{path} can't be read ({reason}).", path=folder, reason=error.strerror or error)
        ) from error
    if not (folder / MANIFEST).is_file():
        raise ExportError(
            say("The folder {path} holds other files; choose a new or an empty folder, nothing was written.",
                path=folder)
        )  # fmt: skip
    before = read_manifest(folder)
    if not header.same_values(before):
        raise DataError(
            say("{path} holds a dump of another model, plan or data; choose another folder, nothing was written.",
                path=folder)
        )  # fmt: skip
    return before


def _check_room(
    folder: Path, network: Network, kernels: Collection[str] | None, samples: int, limit_bytes: int
) -> None:
    wanted = dump_bytes(network, kernels, samples)
    if wanted > limit_bytes:
        raise DataError(
            say(
                "This dump takes {wanted} MB, more than the limit of {limit} MB; "
                "choose fewer kernels or samples, or raise the limit.",
                wanted=f"{wanted / 1e6:,.1f}",
                limit=f"{limit_bytes / 1e6:,.1f}",
            )
        )
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    free = shutil.disk_usage(place).free if place.exists() else wanted
    there = sum(file.stat().st_size for file in folder.rglob("*.npy")) if folder.is_dir() else 0
    if wanted - there > free:
        raise ExportError(
            say(
                "{path}: the dump takes {wanted} MB, and {free} MB are free; choose another place or fewer kernels.",
                path=folder,
                wanted=f"{(wanted - there) / 1e6:,.2f}",
                free=f"{free / 1e6:,.2f}",
            )
        )


def _make(folder: Path, header: Manifest, before: Manifest | None) -> None:
    """Create the folder with a manifest that says what is being written."""
    if not folder.parent.is_dir():
        raise ExportError(say("There is no folder {path} to write into; choose another place.", path=folder.parent))
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise _refused(folder, error) from error
    if before is None:
        write_atomically(folder / MANIFEST, msgspec.json.encode(header))


def _write(folder: Path, kernel: Kernel, output: int, name: str, array: Array, sample: int) -> TensorEntry:
    stored = np.dtype(_AS_STORED.get(array.dtype, array.dtype))
    file = file_name(kernel.index, kernel.name, output, sample)
    path = folder / file
    entry = TensorEntry(
        file,
        kernel.id,
        kernel.name,
        tuple(node.proto.name for node in kernel.nodes if node.proto.name),
        name,
        output,
        sample,
        array.dtype.name,
        stored.name,
        array.shape,
    )
    if not _is_there(path, stored, array.shape):
        try:
            path.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise _refused(folder, error) from error
        with written_aside(path) as aside, aside.open("wb") as stream:
            np.save(stream, array.astype(stored) if stored != array.dtype else array, allow_pickle=False)
    return entry


def _is_there(path: Path, dtype: np.dtype[np.generic], shape: tuple[int, ...]) -> bool:
    """Whether a whole file of that content is there: it only gets its name when it is whole."""
    if not path.is_file():
        return False
    try:
        found = np.load(path, mmap_mode="r" if 0 not in shape else None, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return False
    return bool(found.shape == shape and found.dtype == dtype)


def _merged(before: Manifest | None, found: Sequence[TensorEntry]) -> list[TensorEntry]:
    """Tensors of both, each once, in execution order within each sample."""
    by_file = {entry.file: entry for entry in (*(before.tensors if before else ()), *found)}
    return [by_file[file] for file in sorted(by_file)]


def _samples(before: Manifest | None, header: Manifest) -> tuple[SampleEntry, ...]:
    by_index = {entry.index: entry for entry in (*(before.samples if before else ()), *header.samples)}
    return tuple(by_index[index] for index in sorted(by_index))


def _refused(folder: Path, error: OSError) -> ExportError:
    reason = error.strerror or errno.errorcode.get(error.errno or 0, "") or str(error)
    return ExportError(say("{path} can't be written ({reason}); choose another place.", path=folder, reason=reason))
