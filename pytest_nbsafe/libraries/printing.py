"""How libraries print values, which may differ from one version to the next: section `printing`."""

from __future__ import annotations

from functools import cache

from pytest_nbsafe.libraries.datafiles import words
from pytest_nbsafe.libraries.wildcards import alternatives
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Printing:
    """`kinds` are words that say how a value is kept, or head a table, not what it is.

    `pictures` and `scalars` are regular expressions: how a text begins that stands for a picture,
    after `<`; what a number is wrapped in.
    """

    kinds: frozenset[str]
    pictures: str
    scalars: str


@cache
def load() -> Printing:
    """Return everything known; the tables are read once, when something first asks."""
    pictures = alternatives(words("printing", "pictures"), anything="[^>]*?")
    return Printing(
        words("printing", "kinds"), pictures, alternatives(words("printing", "scalars"))
    )
