"""Names that are given once."""

from __future__ import annotations


def unique(name: str, taken: dict[str, int]) -> str:
    """A name that is not taken yet: the wish, or the wish with the next free number behind it.

    Args:
        name: The wish.
        taken: Names in use, each with the last number that was tried behind it; grows by the result. The number makes
            ten thousand equal wishes as quick as different ones.
    """
    count = taken.get(name, 0)
    if not count:
        taken[name] = 1
        return name
    found = name
    while found in taken:
        count += 1
        found = f"{name}_{count}"
    taken[name], taken[found] = count, 1
    return found
