"""What stands in the manifest of a dump: enough to know which values these are, and to go on with an unfinished one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Literal

import msgspec
import numpy as np

from engine.graph.types import Array
from engine.precision.scheme import Scheme

MANIFEST = "manifest.json"
FORMAT: Literal["mixbit-dump"] = "mixbit-dump"
VERSION = 1
_UNSAFE = re.compile(r"[^A-Za-z0-9_+\-]+")
_LONGEST_NAME = 80


class ModelEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The model that was run."""

    name: str
    sha256: str


class SampleEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One run of the network."""

    index: int
    name: str
    sha256: str
    """Of all inputs: two dumps with the same one were fed the same."""


class TensorEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file."""

    file: str
    kernel: str
    """Kernel id."""
    name: str
    """The kernel's display name."""
    nodes: tuple[str, ...]
    """Names of its ONNX nodes, for tools that know no kernels."""
    tensor: str
    """Name of the tensor in the model."""
    output: int
    """Which of the kernel's outputs."""
    sample: int
    dtype: str
    """In the model; bfloat16 and INT4 are stored as float32 and int8."""
    stored: str
    """In the file."""
    shape: tuple[int, ...]


class LeftOut(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tensor that can't be a number array."""

    kernel: str
    tensor: str
    reason: str


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file. Tensors stand in execution order, sample by sample."""

    format: Literal["mixbit-dump"]
    version: int
    model: ModelEntry
    source: Literal["reference", "plan"]
    plan: str
    """Name of the plan; '' for the reference."""
    schemes: dict[str, Scheme]
    """Kernel id -> scheme; empty for the reference."""
    data: str
    synthetic: bool
    samples: tuple[SampleEntry, ...]
    complete: bool
    tensors: tuple[TensorEntry, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    def same_values(self, other: Manifest) -> bool:
        """Whether both describe the same values, so that files of one belong into the other."""
        mine, others = {s.index: s.sha256 for s in self.samples}, {s.index: s.sha256 for s in other.samples}
        shared = mine.keys() & others.keys()
        return (
            (self.model.sha256, self.source, self.schemes) == (other.model.sha256, other.source, other.schemes)
            and (bool(shared) or self.data == other.data)
            and all(mine[i] == others[i] for i in shared)
        )


def feeds_hash(feeds: Mapping[str, Array]) -> str:
    """SHA-256 over names, types, shapes and bytes of a sample's inputs."""
    digest = hashlib.sha256()
    for name in sorted(feeds):
        array = feeds[name]
        digest.update(f"{name}\0{array.dtype}\0{array.shape}\0".encode())
        if array.dtype.kind in "OSU":
            digest.update("\0".join(map(str, array.reshape(-1))).encode())
        else:
            digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def file_name(kernel_index: int, name: str, output: int, sample: int) -> str:
    """A name for a tensor's file: sorted by execution order, safe on every file system, never the same twice."""
    safe = _UNSAFE.sub("_", name).strip("_")[:_LONGEST_NAME] or "kernel"
    return f"s{sample:04d}/{kernel_index:05d}.{safe}.{output}.npy"
