"""Dumps: the values of a network's kernels as files, one `.npy` per tensor beside a JSON manifest."""

from engine.numerics.dumps.manifest import MANIFEST, Manifest, TensorEntry
from engine.numerics.dumps.read import read_manifest, read_tensor
from engine.numerics.dumps.write import DEFAULT_LIMIT, write_dump

__all__ = [
    "DEFAULT_LIMIT",
    "MANIFEST",
    "Manifest",
    "TensorEntry",
    "read_manifest",
    "read_tensor",
    "write_dump",
]
