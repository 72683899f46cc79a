"""Calibration samples as the raw binary files that converters read."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.fusion.types import Network
from engine.graph.types import Array
from engine.interop.layer_names import LayerNames
from engine.numerics.samples import SampleSet
from engine.progress import NEVER, CancelToken

HEADER_4D, HEADER = 510, 610
"""First word of a dopt file: four dimensions follow, or their number and then each."""


def write_raw(
    samples: SampleSet,
    network: Network,
    names: LayerNames,
    folder: Path,
    *,
    channels_last: bool = False,
    cancel: CancelToken = NEVER,
) -> dict[str, str]:
    """One file per sample and input: little-endian values without a header.

    Args:
        samples: The samples.
        network: Names and order of the inputs.
        names: Input names as the target knows them; each has a subfolder of that name.
        folder: Where to.
        channels_last: Turn 4-D inputs from NCHW to NHWC, for converters that lay inputs out so.
        cancel: Checked for each file.

    Returns:
        Input name, as the target knows it -> its subfolder.
    """
    places = sample_places(network, names)
    for info, place in zip(network.graph.inputs, places.values(), strict=True):
        sub = folder / place
        sub.mkdir(parents=True)
        for number, feeds in enumerate(samples.feeds):
            cancel.check()
            array = feeds[info.name]
            if channels_last and array.ndim == 4:
                array = array.transpose(0, 2, 3, 1)
            (sub / f"{number:05d}.bin").write_bytes(_little(array).tobytes())
    return places


def write_stacked(
    samples: SampleSet, network: Network, names: LayerNames, folder: Path, *, cancel: CancelToken = NEVER
) -> None:
    """One file per input with the values of all samples behind each other, little-endian, without a header."""
    folder.mkdir(parents=True, exist_ok=True)
    for info, place in zip(network.graph.inputs, sample_places(network, names).values(), strict=True):
        with (folder / f"{place}.bin").open("wb") as stream:
            for feeds in samples.feeds:
                cancel.check()
                stream.write(_little(feeds[info.name]).tobytes())


def write_dopt(
    samples: SampleSet, network: Network, names: LayerNames, folder: Path, *, cancel: CancelToken = NEVER
) -> list[tuple[str, str]]:
    """One file per input with all samples, as the CANN Kit quantizer (dopt) reads it.

    An int32 header (510 and N, C, H, W; or 610, the number of dimensions and each), then float32 values, the only
    ones that the format knows; samples are joined along the first axis.

    Returns:
        Input name and file name, in the order of the model's inputs.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for info, (name, place) in zip(network.graph.inputs, sample_places(network, names).items(), strict=True):
        first = samples.feeds[0][info.name]
        shape = (first.shape[0] * len(samples), *first.shape[1:]) if first.ndim else (len(samples),)
        with (folder / f"{place}.bin").open("wb") as stream:
            stream.write(np.asarray(dopt_header(shape), "<i4").tobytes())
            for feeds in samples.feeds:
                cancel.check()
                stream.write(np.ascontiguousarray(feeds[info.name], "<f4").tobytes())
        files.append((name, f"{place}.bin"))
    return files


def dopt_header(shape: tuple[int, ...]) -> list[int]:
    """The words in front of the values."""
    return [HEADER_4D, *shape] if len(shape) == 4 else [HEADER, len(shape), *shape]


def read_dopt(path: Path) -> Array:
    """Read a calibration file back.

    Raises:
        ValueError: If its header and its length disagree.
    """
    data = path.read_bytes()
    first = int(np.frombuffer(data, "<i4", 1)[0])
    rank = 4 if first == HEADER_4D else int(np.frombuffer(data, "<i4", 1, 4)[0])
    start = 4 if first == HEADER_4D else 8
    shape = tuple(int(d) for d in np.frombuffer(data, "<i4", rank, start))
    values = np.frombuffer(data, "<f4", offset=start + 4 * rank)
    return values.reshape(shape)


def sample_places(network: Network, names: LayerNames) -> dict[str, str]:
    """For each input, by the name that the target knows: the name of its file or folder."""
    taken: set[str] = set()
    places = {}
    for info in network.graph.inputs:
        name = names.tensors[info.name]
        place = name.replace("/", "_").lstrip(".")[:80] or "input"
        while place in taken:
            place += "_"
        taken.add(place)
        places[name] = place
    return places


def _little(array: Array) -> Array:
    return np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
