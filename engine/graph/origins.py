"""Which stored tensor a constant comes from."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from engine.graph.arrange import Arranged


def find_origins(arranged: Arranged, constants: Iterable[str]) -> dict[str, str]:
    """Map constants to the initializer (or Constant node output) that holds their values in the file.

    The way back from a computed constant follows, at each node, the input that leads to the largest stored float or
    integer tensor: the weight rather than its scale. Constants that are made from nothing (ConstantOfShape, Range) have
    no origin.
    """
    producer = {name: node for node in arranged.nodes for name in node.output if name}
    memo: dict[str, tuple[int, str]] = {}

    def trace(name: str) -> tuple[int, str]:
        """Elements and name of the largest stored tensor behind `name`."""
        stack = [name]
        while stack:
            top = stack[-1]
            if top in memo:
                stack.pop()
            elif top in arranged.stored:
                memo[stack.pop()] = (prod(arranged.stored[top].dims), top)
            elif top not in producer or producer[top].op_type in ("Shape", "Size", "ConstantOfShape"):
                memo[stack.pop()] = (0, "")
            else:
                inputs = [i for i in producer[top].input if i]
                missing = [i for i in inputs if i not in memo]
                stack.extend(missing)
                if not missing:
                    memo[stack.pop()] = max((memo[i] for i in inputs), key=lambda found: found[0], default=(0, ""))
        return memo[name]

    traced = {name: trace(name)[1] for name in constants}
    return {name: origin for name, origin in traced.items() if origin}
