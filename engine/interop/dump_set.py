"""Dumps of any origin as one kind of value: named tensors that are read when somebody looks at them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from engine.graph.types import Array
from engine.text import Text

Origin = Literal["mixbit", "arrays", "ascend", "mindspore", "onnx"]


@dataclass(frozen=True, eq=False, slots=True)
class DumpTensor:
    """One tensor of a dump."""

    name: str
    """What the tool that wrote it calls the layer, or the tensor."""
    file: Path
    dtype: np.dtype[np.generic]
    shape: tuple[int, ...]
    """Logical shape, where the file knows one; else the shape as stored."""
    read: Callable[[], Array]
    """Reads the values, memory-mapped where they lie in the file as they are.

    Raises:
        DataError: The file has changed or is damaged.
    """
    aliases: tuple[str, ...] = ()
    """Other names that are known for it: tensor name, node names."""
    kernel: str = ""
    """Kernel id, where Mixbit has written the dump."""
    op_type: str = ""
    output: int = 0
    """Which output of its layer."""
    sample: int = 0
    order: int = 0
    """Position in execution order, where the dump knows one; else the position of the file."""
    input: int | None = None
    """Which input of its layer, where it is one instead of an output."""

    @property
    def names(self) -> tuple[str, ...]:
        """All names."""
        return (self.name, *self.aliases)


@dataclass(frozen=True, eq=False, slots=True)
class DumpSet:
    """A dump."""

    path: Path
    origin: Origin
    tensors: tuple[DumpTensor, ...]
    title: str
    """What it is, in a few words; a name, not a sentence."""
    notes: tuple[Text, ...] = ()
    """What a reader should know: files that were passed over, a dump that is unfinished."""
    samples: dict[int, str] = field(default_factory=dict)
    """Sample -> hash of its inputs, where known."""
