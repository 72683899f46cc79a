"""Instances for the memory planner whose optimum is known: a full block, cut into rectangles."""

from __future__ import annotations

import random

from engine.npu.memory import ALIGNMENT, Life

HEIGHT, STEPS, PIECES = 64, 40, 60
"""The optimum is HEIGHT * ALIGNMENT bytes."""


def guillotine(seed: int) -> list[Life]:
    draw = random.Random(seed)
    pieces = [(0, HEIGHT, 0, STEPS)]
    while len(pieces) < PIECES:
        low, high, first, last = pieces.pop(draw.randrange(len(pieces)))
        if draw.random() < 0.5 and high - low > 1:
            cut = draw.randrange(low + 1, high)
            pieces += [(low, cut, first, last), (cut, high, first, last)]
        elif last - first > 1:
            cut = draw.randrange(first + 1, last)
            pieces += [(low, high, first, cut), (low, high, cut, last)]
        else:
            pieces.append((low, high, first, last))
    return [Life((high - low) * ALIGNMENT, first, last - 1) for low, high, first, last in pieces]
