"""What a worker of a sweep needs, as plain files: numbers in .npz, settings in JSON, the model as it is. No pickles.

Workers on this machine read the folder and the model where they are; workers elsewhere get the contents of all files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path

import msgspec
import numpy as np

from engine.asides import Aside, scratch
from engine.errors import PlanError
from engine.fusion import fuse
from engine.fusion.types import Network, Rules
from engine.graph import load
from engine.graph.types import Array
from engine.numerics import Evaluator, SampleSet
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.progress import NEVER, CancelToken
from engine.quant.ranges import Range, Ranges
from engine.text import say
from engine.tuning.context import plan_digest
from engine.tuning.sent_rounding import SentCell, SentRounding, rounded_file
from engine.tuning.store import Mode

_SETTINGS, _SAMPLES, _ROUNDED, _MODEL = "settings.json", "samples.npz", "rounded.npz", "model"


class _Settings(msgspec.Struct, forbid_unknown_fields=True):
    """The JSON file. Floats are written as hexadecimal, so that they come back bit for bit."""

    model: str
    """Path of the model's file; of a sent one, its name in the folder "model"."""
    sha256: str
    shapes: dict[str, tuple[int, ...]]
    rules: Rules
    ranges: dict[int, dict[str, tuple[str, str]]]
    """By the bits of formats that have others than 8; 0 for all that have not."""
    inputs: list[str]
    strings: list[str]
    """Inputs that hold text."""
    count: int
    labels: bool
    mode: Mode
    base: dict[str, Scheme]
    blocks: bool
    """Whether cells are replayed by blocks: decided once for all workers, as it moves the last bits."""
    rounded: list[SentCell]
    """What calibration data have rounded."""


@dataclass(frozen=True, slots=True)
class Shipment:
    """Equal shipments have equal digests; a worker opens each once."""

    digest: str
    folder: str = field(compare=False)
    """Where the files are on this machine; '' if `files` has them."""
    files: Mapping[str, bytes] = field(compare=False, default_factory=dict)


def pack(
    evaluator: Evaluator,
    mode: Mode,
    base: Plan,
    blocks: bool,
    folder: Path,
    cells: Sequence[tuple[str, Scheme]] = (),
    *,
    cancel: CancelToken = NEVER,
) -> Shipment:
    """Write what workers on this machine need.

    Args:
        evaluator: Its network, samples and ranges.
        mode: Which question is asked.
        base: The plan around the cells.
        blocks: Whether cells are replayed by blocks.
        folder: An empty folder; it has to stay until the sweep ends.
        cells: What will be measured. Weights of it and of the plan that calibration data round are sent as codes.
        cancel: Checked while such weights are rounded.

    Raises:
        PlanError: If a method does not fit a kernel, or has no data.
        Cancelled: If asked to stop.
    """
    network, samples = evaluator.network, evaluator.samples
    rounded, codes = rounded_file(network, evaluator.ranges.rounding, (*base.items(), *cells), cancel=cancel)
    names = [info.name for info in network.graph.inputs]
    text = [name for name in names if samples.feeds and samples.feeds[0][name].dtype.kind in "OSU"]
    settings = _Settings(
        str(network.graph.path.absolute()),
        network.graph.sha256,
        {info.name: info.shape for info in network.graph.inputs},
        network.rules,
        {bits: _spelt(found) for bits, found in {0: evaluator.ranges.ranges, **evaluator.ranges.by_bits}.items()},
        names,
        text,
        len(samples),
        samples.labels is not None,
        mode,
        dict(base),
        blocks,
        rounded,
    )
    encoded, numbers = msgspec.json.encode(settings), _samples_file(samples, names, text)
    (folder / _SETTINGS).write_bytes(encoded)
    (folder / _SAMPLES).write_bytes(numbers)
    (folder / _ROUNDED).write_bytes(codes)
    parts = b"".join(hashlib.blake2b(part).digest() for part in (numbers, codes))
    digest = hashlib.blake2b(encoded + parts, digest_size=16).hexdigest()
    return Shipment(f"{digest} {plan_digest(base)}", str(folder))


def _spelt(ranges: Mapping[str, Range]) -> dict[str, tuple[str, str]]:
    return {name: (found.low.hex(), found.high.hex()) for name, found in ranges.items()}


def _read(ranges: Mapping[str, tuple[str, str]]) -> dict[str, Range]:
    return {name: Range(float.fromhex(low), float.fromhex(high)) for name, (low, high) in ranges.items()}


def with_files(shipment: Shipment, network: Network) -> Shipment:
    """The same with all contents in it, for workers that can't read this machine's files."""
    folder = Path(shipment.folder)
    settings = msgspec.json.decode((folder / _SETTINGS).read_bytes(), type=_Settings)
    root = network.graph.path.resolve().parent
    files = {name: (folder / name).read_bytes() for name in (_SAMPLES, _ROUNDED)}
    for path in sorted(network.graph.files | {network.graph.path.resolve()}):
        files[f"{_MODEL}/{path.resolve().relative_to(root).as_posix()}"] = path.read_bytes()
    settings.model = network.graph.path.resolve().name
    files[_SETTINGS] = msgspec.json.encode(settings)
    return replace(shipment, folder="", files=files)


@dataclass(frozen=True, eq=False, slots=True)
class Unpacked:
    """A shipment, opened."""

    evaluator: Evaluator
    mode: Mode
    base: Plan
    blocks: bool
    place: Aside | None
    """Of sent files."""

    def close(self) -> None:
        """End the evaluator and remove sent files."""
        self.evaluator.close()
        if self.place is not None:
            self.place.close()


def unpack(shipment: Shipment) -> Unpacked:
    """Open a shipment in a worker.

    Raises:
        PlanError: If the model's file has changed since.
    """
    place = None
    folder = Path(shipment.folder)
    if not shipment.folder:
        place = scratch()
        folder = place.path
        for name, content in shipment.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
    settings = msgspec.json.decode((folder / _SETTINGS).read_bytes(), type=_Settings)
    path = Path(settings.model) if shipment.folder else folder / _MODEL / settings.model
    network = fuse(load(path, shapes=settings.shapes), settings.rules)
    if network.graph.sha256 != settings.sha256:
        raise PlanError(say("{path} has changed since the sweep began; start it again.", path=path))
    by_bits = {bits: _read(found) for bits, found in settings.ranges.items()}
    with np.load(folder / _ROUNDED, allow_pickle=False) as stored:
        rounding = SentRounding(settings.rounded, dict(stored))
    samples = _read_samples(folder / _SAMPLES, settings)
    ranges = Ranges(by_bits.pop(0), rounding=rounding, by_bits=by_bits)
    evaluator = Evaluator(network, samples, ranges=ranges, touch=False)
    return Unpacked(evaluator, settings.mode, Plan(settings.base), settings.blocks, place)


def _samples_file(samples: SampleSet, names: list[str], text: list[str]) -> bytes:
    arrays: dict[str, Array] = {}
    for number, feeds in enumerate(samples.feeds):
        for at, name in enumerate(names):
            array = feeds[name]
            arrays[f"{number}_{at}"] = np.asarray(array.tolist(), np.str_) if name in text else array
    if samples.labels is not None:
        arrays["labels"] = np.asarray(samples.labels)
    out = BytesIO()
    np.savez(out, **arrays)  # type: ignore[arg-type]
    return out.getvalue()


def _read_samples(path: Path, settings: _Settings) -> SampleSet:
    with np.load(path, allow_pickle=False) as stored:
        feeds = [
            {
                name: stored[f"{number}_{at}"].astype(object) if name in settings.strings else stored[f"{number}_{at}"]
                for at, name in enumerate(settings.inputs)
            }
            for number in range(settings.count)
        ]
        labels = stored["labels"] if settings.labels else None
    return SampleSet(feeds, "sent", labels=labels)
