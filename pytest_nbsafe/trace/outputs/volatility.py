"""What two runs give differently by themselves, and is therefore not compared with the page.

A draw of two runs may agree by chance in one place and not in the next, so what varies is told by
its kind: a line whose numbers vary stands for all lines with the same words around numbers, a
cell of a table for its column, a leaf of a document for its list. The price: a change of the page
in another number of such a line is not seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pytest_nbsafe.trace.outputs.difference import Change, Part
from pytest_nbsafe.trace.outputs.tokens import is_number, tokens
from pytest_nbsafe.values import dataclass, field


@dataclass(frozen=True, slots=True)
class Volatile:
    """Groups of parts that vary, by output; `is_all` where outputs come and go."""

    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)
    is_all: bool = False

    def holds(self, output: str) -> bool:
        """Return whether anything of an output varies."""
        return output in self.groups

    def stable(self, output: str, parts: Iterable[Part]) -> list[Part]:
        """Return the parts of one output that do not vary."""
        groups = self.groups.get(output)
        return [part for part in parts if not groups or groups.isdisjoint(_groups(part))]


NOTHING = Volatile()


def groups_of(changes: Iterable[Change]) -> frozenset[str]:
    """Return the groups of what differs between two runs."""
    groups: set[str] = set()
    for saved, new in changes:
        both = [part for part in (saved, new) if part is not None]
        shapes = {_shape(part.text) for part in both}
        if any(part.group for part in both):
            groups.update(part.group for part in both)
        elif len(both) > 1 and len(shapes) == 1:
            groups.add(f"numbers of {shapes.pop()}")
        else:
            groups.update(f"words of {_skeleton(part.text)}" for part in both)
    return frozenset(groups)


def _groups(part: Part) -> Iterator[str]:
    if part.group:
        yield part.group
    else:
        yield f"numbers of {_shape(part.text)}"
        yield f"words of {_skeleton(part.text)}"


def _shape(text: str) -> str:
    """Return a text with one sign for each run of numbers."""
    return _collapsed("#" if is_number(token) else token for token in tokens(text))


def _skeleton(text: str) -> str:
    """Return a text with one sign for each run of numbers, and of words."""
    return _collapsed(
        "#" if is_number(token) else "w" if token[0].isalpha() else token for token in tokens(text)
    )


def _collapsed(signs: Iterable[str]) -> str:
    kept: list[str] = []
    for sign in signs:
        if sign in "#w" and kept[-2:] == [sign, ","]:
            kept.pop()
        elif not kept or kept[-1] != sign:
            kept.append(sign)
    return " ".join(kept)
