"""What a measured figure depends on besides its plan, as a short digest: equal digests mean equal figures."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np
import onnxruntime as ort

from engine.fusion.types import Network
from engine.graph.types import Array
from engine.numerics.samples import SampleSet
from engine.precision.plan import Plan
from engine.quant.ranges import Ranges

NUMERICS = 1
"""Counts changes of the numerics that change figures; rows of another number are not used."""
_BYTES = 16


def context_of(network: Network, samples: SampleSet, ranges: Ranges) -> str:
    """Digest of shapes, fusion rules, samples, labels, ranges and the versions of what computes."""
    digest = hashlib.blake2b(digest_size=_BYTES)
    versions = f"numerics {NUMERICS}, runtime {'.'.join(ort.__version__.split('.')[:2])}, rules {network.rules}"
    shapes = [(info.name, str(info.dtype), info.shape) for info in network.graph.inputs]
    digest.update(f"{versions} {shapes}".encode())
    for feeds in samples.feeds:
        _add_feeds(digest, feeds)
    if samples.labels is not None:
        _add_array(digest, np.asarray(samples.labels))
    for bits, found in ((None, ranges.ranges), *sorted(ranges.by_bits.items())):
        digest.update(b"" if bits is None else f"{bits} bits".encode())
        for name in sorted(found):
            digest.update(f"{name} {found[name].low!r} {found[name].high!r}".encode())
    return digest.hexdigest()


def plan_digest(plan: Plan) -> str:
    """Digest of a plan; '' for the reference."""
    if not plan:
        return ""
    digest = hashlib.blake2b(digest_size=_BYTES)
    for kernel in sorted(plan):
        digest.update(f"{kernel} {plan[kernel]!r}\n".encode())
    return digest.hexdigest()


def _add_feeds(digest: hashlib.blake2b, feeds: Mapping[str, Array]) -> None:
    for name in sorted(feeds):
        digest.update(name.encode())
        _add_array(digest, feeds[name])


def _add_array(digest: hashlib.blake2b, array: Array) -> None:
    digest.update(f"{array.dtype} {array.shape}".encode())
    if array.dtype.kind in "OSU":
        digest.update(repr(array.tolist()).encode())
    else:
        digest.update(np.ascontiguousarray(array).tobytes())
