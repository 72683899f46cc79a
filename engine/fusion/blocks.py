"""Repeated blocks of a network: the layers of a transformer, the stages of a convolutional net.

A long network is read block by block. Two ways lead to them: module names with a number ("model.layers.7.mlp"), and
where names say nothing, a stretch of kernels whose operators and sizes repeat.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from engine.fusion.types import Kernel, Network

LEAST_BLOCKS = 3
"""Two alike blocks are shown as they are."""
_LONGEST_BLOCK = 60
"""Kernels; longer repeats without names are not looked for."""
_SEPARATORS = re.compile(r"[./]")


@dataclass(frozen=True, slots=True)
class Block:
    """Neighbouring kernels of one repetition."""

    name: str
    """The module, "model.layers.7"; the number alone where names say nothing."""
    number: int
    first: int
    """Index of its first kernel."""
    last: int
    """Index of its last kernel, included."""

    def __len__(self) -> int:
        return self.last - self.first + 1

    @property
    def kernels(self) -> range:
        """Indices of its kernels."""
        return range(self.first, self.last + 1)


@dataclass(frozen=True, slots=True)
class Series:
    """Blocks that are alike, kernel by kernel, one behind the other."""

    prefix: str
    """What comes before the number, "model.layers"; "" where names say nothing."""
    blocks: tuple[Block, ...]
    roles: tuple[str, ...]
    """What each kernel of a block is called inside it: "mlp.down_proj"; its operator where names say nothing."""


def find_series(network: Network) -> tuple[Series, ...]:
    """All series of at least three alike blocks, in execution order; no kernel is in two of them."""
    kernels = network.kernels
    found = list(_named(kernels))
    taken = {i for series in found for block in series.blocks for i in block.kernels}
    found += _repeats(network, taken)
    return tuple(sorted(found, key=lambda s: s.blocks[0].first))


def _named(kernels: Sequence[Kernel]) -> Iterator[Series]:
    places = _fill(_numbered([k.name for k in kernels]))
    stretches: list[tuple[str, Block]] = []
    for key, group in groupby(range(len(kernels)), key=places.__getitem__):
        indices = list(group)
        if key is not None:
            prefix, number = key
            stretches.append((prefix, Block(f"{prefix}.{number}".lstrip("."), number, indices[0], indices[-1])))
    yield from _alike(stretches, kernels)


def _alike(stretches: Sequence[tuple[str, Block]], kernels: Sequence[Kernel]) -> Iterator[Series]:
    """Cut a list of blocks into runs that follow each other and do the same."""
    run: list[Block] = []
    before: tuple[object, ...] = ()
    for prefix, block in [*stretches, ("", Block("", -1, -1, -1))]:
        here = (prefix, tuple(kernels[i].op for i in block.kernels) if block.number >= 0 else None)
        if run and (here != before or block.first != run[-1].last + 1):
            if len(run) >= LEAST_BLOCKS and len(run[0]) > 1:
                owner = str(before[0])
                yield Series(owner, tuple(run), _roles(run[0], kernels))
            run = []
        run.append(block)
        before = here


def _roles(block: Block, kernels: Sequence[Kernel]) -> tuple[str, ...]:
    roles = []
    for i in block.kernels:
        name = ".".join(part for part in _SEPARATORS.split(kernels[i].name) if part)
        inside = name.removeprefix(f"{block.name}.")
        roles.append(inside if inside != name else kernels[i].op)
    return tuple(roles)


def _numbered(names: Sequence[str]) -> list[tuple[str, int] | None]:
    """("model.layers", 7) of "model.layers.7.mlp.down_proj"; None without a number between two words that counts.

    Wrappers have numbers as well ("model.0.auto_model"), so the first prefix that is counted up to three is taken.
    """
    candidates = [_numbers(name) for name in names]
    counted: dict[str, set[int]] = {}
    for found in candidates:
        for prefix, number in found:
            counted.setdefault(prefix, set()).add(number)
    return [next((c for c in found if len(counted[c[0]]) >= LEAST_BLOCKS), None) for found in candidates]


def _numbers(name: str) -> list[tuple[str, int]]:
    parts = [part for part in _SEPARATORS.split(name) if part]
    return [
        (".".join(parts[:i]), int(part))
        for i, part in enumerate(parts[:-1])
        if part.isascii() and part.isdigit() and len(part) < 6
    ]


def _fill(places: list[tuple[str, int] | None]) -> list[tuple[str, int] | None]:
    """Give a kernel without a name of its own to the block that stands on both sides of it."""
    result = list(places)
    known = [i for i, place in enumerate(places) if place is not None]
    for before, after in pairwise(known):
        if places[before] == places[after]:
            result[before:after] = [places[before]] * (after - before)
    return result


def _repeats(network: Network, taken: set[int]) -> Iterator[Series]:
    """Stretches that repeat outside the named blocks, the ones that cover most first come first."""
    kernels = network.kernels
    shapes = [_signature(network, k) for k in kernels]
    start = 0
    while start < len(kernels):
        length, count = _best_repeat(shapes, start, taken)
        if not count:
            start += 1
            continue
        blocks = tuple(Block(str(n), n, start + n * length, start + (n + 1) * length - 1) for n in range(count))
        yield Series("", blocks, tuple(kernels[i].op for i in blocks[0].kernels))
        start += length * count


def _best_repeat(shapes: Sequence[object], start: int, taken: set[int]) -> tuple[int, int]:
    """(Kernels per block, blocks) of the repeat from `start` on that covers most; (0, 0) if there is none."""
    best = (0, 0)
    room = next((i for i in range(start, len(shapes)) if i in taken), len(shapes)) - start
    for length in range(2, min(_LONGEST_BLOCK, room // LEAST_BLOCKS) + 1):
        count = 1
        block = shapes[start : start + length]
        while (count + 1) * length <= room and shapes[start + count * length : start + (count + 1) * length] == block:
            count += 1
        if count >= LEAST_BLOCKS and length * count > best[0] * best[1]:
            best = (length, count)
    return best


def _signature(network: Network, kernel: Kernel) -> tuple[object, ...]:
    info = network.tensors.get(kernel.outputs[0]) if kernel.outputs else None
    return kernel.op, kernel.params, info.shape if info is not None else ()
