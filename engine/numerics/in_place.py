"""Results that are rounded where they lie.

A kernel of 16-bit floats computes its result in full, casts it to half, and casts that back into its output. The full
result is dead by then, so it may lie in the memory of the output: a large tensor less that goes through the caches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import onnx
import onnxruntime as ort


def full_results(nodes: Sequence[onnx.NodeProto], outputs: Collection[str]) -> dict[str, str]:
    """Results that nothing reads but the rounding that makes an output of them.

    Args:
        nodes: In runnable order, without graphs inside.
        outputs: What leaves.

    Returns:
        The name of each such result -> that of the output whose memory it may have: of the same size, and written by
        the second of two casts in a row only after the first has read all of the result.
    """
    readers = Counter(name for node in nodes for name in node.input)
    makers = {name: node for node in nodes for name in node.output}
    found = {}
    for output in outputs:
        last = makers.get(output)
        first = makers.get(last.input[0]) if last is not None and last.op_type == "Cast" else None
        if first is None or first.op_type != "Cast" or first.output[0] in outputs:
            continue
        full = first.input[0]
        alone = readers[full] == readers[first.output[0]] == 1 and full not in outputs
        if alone and full in makers:
            found[full] = output
    return found


def lend(session: ort.InferenceSession, full: Mapping[str, str]) -> None:
    """Note in a session that returns such results as well whose memory each may have; `lent` finds it."""
    session.lent = dict(full)


def lent(session: ort.InferenceSession) -> Mapping[str, str]:
    """What `lend` has noted."""
    noted: Mapping[str, str] = getattr(session, "lent", {})
    return noted
