"""Weights that calibration data have rounded, sent to workers as codes: the data themselves stay where they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from io import BytesIO

import msgspec
import numpy as np

from engine.fusion.types import Kernel, Network, Weight
from engine.graph.types import Array
from engine.precision.scheme import Scheme
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.quant import LEARNED, SCALED
from engine.quant.ranges import FROM_WEIGHTS, Range, Rounding
from engine.quant.rounding import Codes
from engine.quant.scaling import PLAIN, Scaling
from engine.quant.weights import QuantizedWeight, with_axes

_PARTS = ("codes", "scales", "zero_points")
_SIDES = ("inputs", "outputs")


class SentCell(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One kernel in one scheme; its arrays are in the file of numbers, under its place in the list."""

    kernel: str
    scheme: Scheme
    nonfinite: tuple[int, ...]
    """By weight of the kernel; empty if a worker rounds the weights itself."""
    shifted: bool
    """Whether the bias is corrected."""
    by_row: bool = False
    """See `engine.quant.scaling.Scaling`; its scales are among the arrays where there are any."""
    limits: tuple[str, str] | None = None
    """The range of the scaled activation, as hexadecimal floats; None where it has the plain one."""


class SentRounding:
    """Rounds by what was sent, and without data where nothing was; see `engine.quant.ranges.Rounding`."""

    def __init__(self, cells: Iterable[SentCell], arrays: Mapping[str, Array]) -> None:
        self._places = {(cell.kernel, cell.scheme): (at, cell) for at, cell in enumerate(cells)}
        self._arrays = arrays

    def weight(self, kernel: Kernel, weight: Weight, scheme: Scheme) -> QuantizedWeight:
        """See `Rounding`."""
        found = self._places.get((kernel.id, scheme))
        if found is None or not found[1].nonfinite:
            return FROM_WEIGHTS.weight(kernel, weight, scheme)
        at, cell = found
        number = next(n for n, each in enumerate(kernel.weights) if each.constant == weight.constant)
        codes, scales, zero_points = (self._arrays[f"{at}_{number}_{part}"] for part in _PARTS)
        made = Codes(codes, scales, zero_points, cell.nonfinite[number])
        plain = with_axes(made, kernel.constants[weight.constant].shape, weight, scheme.weights)
        inputs, outputs = (self._arrays.get(f"{at}_{side}") for side in _SIDES)
        return replace(plain, scaling=Scaling(inputs, outputs, cell.by_row))

    def shift(self, kernel: Kernel, scheme: Scheme) -> Array | None:
        """See `Rounding`."""
        found = self._places.get((kernel.id, scheme))
        if found is None:
            return FROM_WEIGHTS.shift(kernel, scheme)
        return self._arrays[f"{found[0]}_shift"] if found[1].shifted else None

    def range(self, kernel: Kernel, scheme: Scheme) -> Range | None:
        """See `Rounding`."""
        found = self._places.get((kernel.id, scheme))
        limits = found[1].limits if found is not None else None
        return None if limits is None else Range(*map(float.fromhex, limits))

    def find(
        self,
        cells: Iterable[tuple[str, Scheme]],
        *,
        progress: Progress = no_progress,
        cancel: CancelToken = NEVER,
    ) -> None:
        """All has been found before it was sent."""


def rounded_file(
    network: Network, rounding: Rounding, cells: Iterable[tuple[str, Scheme]], *, cancel: CancelToken = NEVER
) -> tuple[list[SentCell], bytes]:
    """What calibration data have decided about kernels in schemes: a list, and its arrays as an .npz file.

    Args:
        network: Its weights are rounded.
        rounding: Has the data.
        cells: Kernel ids with schemes; those that need no data are left out.
        cancel: Checked while rounding.

    Raises:
        PlanError: If a method does not fit a kernel, or there are no data.
        Cancelled: If asked to stop.
    """
    wanted = [cell for cell in dict.fromkeys(cells) if cell[1].corrected or _learned(cell[1])]
    rounding.find(wanted, cancel=cancel)
    listed: list[SentCell] = []
    arrays: dict[str, Array] = {}
    for at, (kernel_id, scheme) in enumerate(wanted):
        cancel.check()
        kernel = network.by_id(kernel_id)
        weights = kernel.weights if _learned(scheme) else ()
        made = [rounding.weight(kernel, weight, scheme) for weight in weights]
        for number, each in enumerate(made):
            arrays |= {f"{at}_{number}_{part}": getattr(each, part) for part in _PARTS}
        scaling = made[0].scaling if made else PLAIN
        given = {f"{at}_{side}": getattr(scaling, side) for side in _SIDES}
        arrays |= {name: array for name, array in given.items() if array is not None}
        found = rounding.range(kernel, scheme) if made else None
        limits = None if found is None else (found.low.hex(), found.high.hex())
        shift = rounding.shift(kernel, scheme) if scheme.corrected else None
        if shift is not None:
            arrays[f"{at}_shift"] = shift
        counts = tuple(each.nonfinite for each in made)
        listed.append(SentCell(kernel_id, scheme, counts, shift is not None, scaling.by_row, limits))
    out = BytesIO()
    np.savez(out, **arrays)  # type: ignore[arg-type]
    return listed, out.getvalue()


def _learned(scheme: Scheme) -> bool:
    return scheme.method in (*LEARNED, *SCALED) and not scheme.weights.floating
