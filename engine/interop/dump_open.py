"""Opening a dump of any origin: what a folder or file holds is known by its contents."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np

from engine.errors import DataError
from engine.interop.dump_ascend import NAME, looks_raw, raw_tensors
from engine.interop.dump_files import MINDSPORE, mindspore_tensor, npy_tensor, npz_tensors, pb_tensor
from engine.interop.dump_set import DumpSet, DumpTensor, Origin
from engine.numerics.dumps import MANIFEST, read_manifest, read_tensor
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.text import Text, say

MOST_FILES = 200_000
_SAMPLE = re.compile(r"^(?:sample|step|iter|data_index|s)?_?(\d+)$", re.IGNORECASE)


def open_dump(
    path: Path, *, inputs: bool = False, progress: Progress = no_progress, cancel: CancelToken = NEVER
) -> DumpSet:
    """Open a dump; only headers are read.

    Args:
        path: A folder, or one `.npy`, `.npz`, `.pb` or raw dump file.
        inputs: Also what operators have read.
        progress: Told about.
        cancel: Checked between files.

    Raises:
        DataError: There is nothing that can be read, or all of it is damaged.
        Cancelled: If asked to stop.
    """
    if (path / MANIFEST).is_file():
        return _own(path)
    if path.is_file():
        files, base = [path], path.parent
    elif path.is_dir():
        files, base = _files(path, cancel), path
    else:
        raise DataError(say("{path} does not exist; give the folder or the file of a dump.", path=path))
    found: list[DumpTensor] = []
    origins: Counter[Origin] = Counter()
    broken: list[Text] = []
    skipped = 0
    samples = _Samples(base)
    for order, file in enumerate(files):
        cancel.check()
        progress(order / len(files), say("Reading {file}", file=file.name))
        try:
            tensors, origin = _read(file, base, samples.of(file), order, inputs)
        except DataError as error:
            if len(files) == 1:
                raise
            broken.append(error.text)
            continue
        if origin is None:
            skipped += 1
            continue
        found += tensors
        origins[origin] += len(tensors)
    if not found:
        raise broken_error(path, broken)
    notes = list(broken[:20])
    if len(broken) > 20:
        notes.append(say("{count} more {count:file|files} can't be read.", count=len(broken) - 20))
    if skipped:
        notes.append(
            say("{count} {count:file is no dump and was|files are no dumps and were} passed over.", count=skipped)
        )
    notes += _twice([tensor for tensor in found if tensor.input is None])
    return DumpSet(path, origins.most_common(1)[0][0], tuple(found), path.name, tuple(notes))


def broken_error(path: Path, broken: list[Text]) -> DataError:
    """Why nothing could be read."""
    if broken:
        return DataError(broken[0])
    return DataError(
        say(
            "{path} holds no dump: expected .npy, .npz, .pb, raw Ascend dumps or MindSpore Lite .bin files.",
            path=path,
        )
    )


def _own(folder: Path) -> DumpSet:
    read = read_manifest(folder)
    tensors = tuple(
        DumpTensor(
            entry.name,
            folder / entry.file,
            np.dtype(entry.stored),
            entry.shape,
            partial(read_tensor, folder, entry),
            tuple(dict.fromkeys((entry.tensor, *entry.nodes))),
            entry.kernel,
            output=entry.output,
            sample=entry.sample,
            order=order,
        )
        for order, entry in enumerate(read.tensors)
    )
    notes = [] if read.complete else [say("{path} is unfinished; dump again to complete it.", path=folder)]
    if not tensors:
        raise DataError(say("{path} is unfinished and holds no tensor yet; dump again to complete it.", path=folder))
    title = f"{folder.name}: {read.plan or read.source}"
    return DumpSet(folder, "mixbit", tensors, title, tuple(notes), {s.index: s.sha256 for s in read.samples})


def _read(file: Path, base: Path, sample: int, order: int, inputs: bool) -> tuple[list[DumpTensor], Origin | None]:
    suffix = file.suffix.lower()
    if suffix == ".npy":
        one = npy_tensor(file, base=base, sample=sample, order=order, inputs=inputs)
        return ([one] if one else []), "arrays"
    if suffix == ".npz":
        return npz_tensors(file, sample=sample), "arrays"
    if suffix == ".pb":
        return [pb_tensor(file, sample=sample, order=order)], "onnx"
    if suffix == ".bin" and MINDSPORE.match(file.stem):
        one = mindspore_tensor(file, sample=sample, order=order, inputs=inputs)
        return ([one] if one else []), "mindspore"
    if NAME.match(file.name) or looks_raw(file):
        return raw_tensors(file, inputs=inputs, sample=sample, order=order), "ascend"
    return [], None


def _files(folder: Path, cancel: CancelToken) -> list[Path]:
    """Regular files below, in the order of their time stamps where names carry one, else by name."""
    found = []
    root = folder.resolve()
    for file in folder.rglob("*"):
        cancel.check()
        if file.is_file() and not file.name.startswith(".") and file.resolve().is_relative_to(root):
            found.append(file)
            if len(found) > MOST_FILES:
                raise DataError(
                    say("{path} holds more than {most} files; choose the folder of one run.",
                        path=folder, most=MOST_FILES)
                )  # fmt: skip
    stamp = re.compile(r"\.(\d{10,})(?:\.(?:input|output)\.\d+)?(?:\.npy)?$")

    def place(file: Path) -> tuple[str, int, str]:
        found = stamp.search(file.name)
        return str(file.parent), int(found[1]) if found else 0, file.name

    return sorted(found, key=place)


class _Samples:
    """The run that a file belongs to: the number of its folder, counted from 0 in the order of the numbers."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._known: dict[Path, dict[str, int]] = {}

    def of(self, file: Path) -> int:
        parent = file.parent
        if parent == self._base or not parent.is_relative_to(self._base) or not _SAMPLE.match(parent.name):
            return 0
        siblings = self._known.get(parent.parent)
        if siblings is None:
            numbers = [
                (int(m[1]), child.name)
                for child in parent.parent.iterdir()
                if child.is_dir() and (m := _SAMPLE.match(child.name))
            ]
            siblings = {name: at for at, (_, name) in enumerate(sorted(numbers))}
            self._known[parent.parent] = siblings
        return siblings.get(parent.name, 0)


def _twice(found: list[DumpTensor]) -> list[Text]:
    counts = Counter((t.name, t.output, t.sample) for t in found)
    double = [name for (name, _, _), count in counts.items() if count > 1]
    if not double:
        return []
    return [
        say(
            "{count} {count:name stands|names stand} for several tensors (first: {name}); the latest of each is used.",
            count=len(double),
            name=double[0],
        )
    ]
