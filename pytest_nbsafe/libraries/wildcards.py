"""Names with `*` in them: `pandas.read_*` stands for every name that begins so."""

from __future__ import annotations

from collections.abc import Iterable


def fits(name: str, pattern: str) -> bool:
    """Return whether a name is what a pattern stands for; `*` stands for anything, or nothing."""
    first, *rest = pattern.split("*")
    if not rest:
        return name == pattern
    *inner, last = rest
    if len(name) < len(first) + len(last):
        return False
    place = len(first)
    for piece in inner:
        place = name.find(piece, place, len(name) - len(last)) + len(piece)
        if place < len(first) + len(piece):
            return False
    return name.startswith(first) and name.endswith(last)


def expression(words: Iterable[str]) -> str:
    """Return the regular expression that finds in a dotted name what one of the words stands for.

    A word stands for the whole name, but for `*` at its start or end. One with a leading dot stands
    for the last word of a name.
    """
    return "|".join(map(_expression, sorted(words)))


def _expression(word: str) -> str:
    start = "" if word.startswith("*") else r"(?:^|\.)" if word.startswith(".") else "^"
    end = "" if word.endswith("*") else "$"
    inside = word.removeprefix(".").strip("*")
    return start + inside.replace(".", r"\.").replace("*", r"\w*") + end


def alternatives(words: Iterable[str], anything: str = r"\w*") -> str:
    """Return the regular expression of one of these words; `anything` is what `*` stands for."""
    return "|".join(word.replace(".", r"\.").replace("*", anything) for word in sorted(words))
