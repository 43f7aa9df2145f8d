"""How several things stand in a sentence: names, numbers of cells, and a few of many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain


def listed(items: Iterable[str], last: str = "and") -> str:
    """Return "a", "a and b", or "a, b and c"."""
    parts = list(items)
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def few(items: Sequence[str], most: int) -> str:
    """Return items listed, and of more than `most` how many more there are."""
    if len(items) > most:
        items = [*items[: most - 1], f"{len(items) - most + 1} more"]
    return listed(items)


def many(number: int, noun: str, plural: str = "") -> str:
    """Return "1 run" or "3 runs"; the plural where it is another than with an s."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def ticked(names: Iterable[str]) -> str:
    """Return names in backticks, listed."""
    return listed(f"`{name}`" for name in names)


def spans(numbers: Sequence[int]) -> str:
    """Return "cell 2" or "cells 2 and 5 to 9", for numbers that rise."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][-1] + 1:
            found[-1].append(number)
        else:
            found.append([number])
    several = ([f"{each[0]} to {each[-1]}"] if len(each) > 2 else map(str, each) for each in found)
    return ("cell " if len(numbers) == 1 else "cells ") + listed(chain.from_iterable(several))


def cells(numbers: Sequence[int]) -> str:
    """Return "cell 2" or "cells 2, 3 and 5"."""
    return ("cell " if len(numbers) == 1 else "cells ") + listed(str(n) for n in numbers)
