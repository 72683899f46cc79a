"""What the sample `swiglu_decoder` learns: sums of two four-digit numbers, and sorting eight numbers below 100.

Every sample is a row of tokens: task, eight operands, "=", answer. A sum is written lowest digit first, as carries run.

needs: pip install torch
"""

from __future__ import annotations

import torch
from torch import Tensor

NUMBERS = 100
"""Tokens 0 to 99 are numbers; sums use the first ten of them as digits."""
ADD, SORT, EQUALS, END = range(NUMBERS, NUMBERS + 4)
VOCABULARY = NUMBERS + 4
OPERANDS = 8
LENGTH = 1 + OPERANDS + 1 + OPERANDS - 1
"""Task, operands, "=", and all of the answer but its last token, which nothing follows."""
IGNORED = -1


def sums(count: int, chance: torch.Generator) -> tuple[Tensor, Tensor]:
    """1234 and 5678 as 1 2 3 4 5 6 7 8; answer 2 1 9 6 0 and END."""
    digits = torch.randint(0, 10, (count, OPERANDS), generator=chance)
    places = torch.tensor([1000, 100, 10, 1])
    total = (digits[:, :4] * places).sum(1) + (digits[:, 4:] * places).sum(1)
    answer = torch.full((count, OPERANDS), IGNORED)
    for place in range(5):
        answer[:, place] = total // 10**place % 10
    answer[:, 5] = END
    return _rows(ADD, digits, answer)


def sortings(count: int, chance: torch.Generator) -> tuple[Tensor, Tensor]:
    """Eight numbers; answer the same in rising order."""
    numbers = torch.randint(0, NUMBERS, (count, OPERANDS), generator=chance)
    return _rows(SORT, numbers, numbers.sort(1).values)


def batch(count: int, chance: torch.Generator) -> tuple[Tensor, Tensor]:
    """Half sums, half sortings: ids and labels, both [count, LENGTH]."""
    halves = sums(count - count // 2, chance), sortings(count // 2, chance)
    ids, labels = (torch.cat(parts) for parts in zip(*halves, strict=True))
    order = torch.randperm(count, generator=chance)
    return ids[order], labels[order]


def _rows(task: int, operands: Tensor, answer: Tensor) -> tuple[Tensor, Tensor]:
    count = len(operands)
    fed_back = torch.where(answer == IGNORED, END, answer)[:, :-1]
    ids = torch.cat([torch.full((count, 1), task), operands, torch.full((count, 1), EQUALS), fed_back], 1)
    labels = torch.full((count, LENGTH), IGNORED)
    labels[:, OPERANDS + 1 :] = answer
    return ids, labels
