"""Symbolic sets of rows: where rows come from, and which parts of a table two names share."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import takewhile
from typing import Literal

from pytest_nbsafe.values import dataclass, replace

MADE = "made"
"""Begins the origin of a column that is no column of the file."""
Answer = Literal["yes", "no", "unknown"]
Kind = Literal["random", "chosen", "fold", "round"]


@dataclass(frozen=True, slots=True)
class Division:
    """One division of rows: `key` says which division it is, `part` which part of it is kept.

    A part is ("is", value), ("not", part) or ("range", low, high). `kind`: "random" rows meet
    those of any other division; a "fold" is one of many, as is what each "round" of a loop divides.
    `mixed`: what was divided came from several tables or parts, or nobody knows by what it was
    divided, so the part may be without any of some rows.
    """

    key: Hashable
    part: tuple[Hashable, ...]
    kind: Kind = "chosen"
    mixed: bool = False

    def rest(self) -> Division:
        """Return the same division with all but this part kept."""
        return replace(self, part=opposite(self.part))


@dataclass(frozen=True, slots=True)
class Atom:
    """Rows of one source, after the divisions that they went through."""

    source: Hashable
    steps: tuple[Division, ...] = ()


@dataclass(frozen=True, slots=True)
class ByPlace:
    """A division by position, of rows in an `order` of their own or as they come.

    `labels`: by what rows are called, a date for one, which stays the same whatever is dropped.
    """

    order: Hashable = None
    labels: bool = False


@dataclass(frozen=True, slots=True)
class ByColumn:
    """A division by the values of a column, compared with something unknown where that is set.

    `in_turn`: a loop compares it with one value after another.
    """

    origin: Hashable
    compared: Hashable = None
    in_turn: bool = False

    @property
    def is_made(self) -> bool:
        """Whether the page made the column, or what it is compared with."""
        made = isinstance(self.origin, tuple) and self.origin[:1] == (MADE,)
        return made or (self.compared is not None and not self.in_turn)


@dataclass(frozen=True, slots=True)
class ByUnknown:
    """A division by something of which nobody can tell what it has looked at."""

    chooser: Hashable


@dataclass(frozen=True, slots=True)
class Both:
    """A division by two others at once: `op` says how, `sides` are their keys and parts."""

    op: str
    sides: tuple[tuple[Hashable, Hashable], ...]


@dataclass(frozen=True, slots=True)
class EachGroup:
    """The division into groups that a loop goes through, one after another."""

    run: Hashable
    line: Hashable


@dataclass(frozen=True, slots=True)
class Sampled:
    """The division by a draw of some rows: the others may not be used at all."""

    draw: Hashable


Rows = frozenset[Atom]
NONE: Rows = frozenset()


@dataclass(frozen=True, slots=True)
class GroupsOf:
    """The source of the rows of a table of groups: those of some `rows` of a table."""

    base: Hashable
    rows: Rows = NONE


def source(key: Hashable) -> Rows:
    """Return all rows of a source."""
    return frozenset((Atom(key),))


def divide(rows: Rows, step: Division) -> Rows:
    """Return the part of rows that one division keeps."""
    if len(rows) > 1 and step.kind == "chosen":
        step = replace(step, mixed=True)
    return frozenset(
        atom if step in atom.steps else Atom(atom.source, (*atom.steps, step)) for atom in rows
    )


def complement(rows: Rows, part: Rows) -> Rows | None:
    """Return the rows that are not in a part of them, None when that cannot be told."""
    for atom in rows:
        for other in part:
            if other.source == atom.source and _starts(other.steps, atom.steps):
                extra = other.steps[len(atom.steps) :]
                if extra:
                    return divide(rows, extra[0].rest())
    return None


def opposite(part: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
    """Return what a division leaves when this part is taken."""
    if part[0] == "not" and isinstance(part[1], tuple):
        return part[1]
    return ("not", part)


def either(left: Rows, right: Rows) -> Rows:
    """Return the rows that there are after one of two paths, which of the two nobody knows.

    They are those of one of them, never of both: what one path dropped is no part to be held back.
    """
    rows: set[Atom] = set()
    for key in sources(left | right):
        mine, yours = ({atom for atom in some if atom.source == key} for some in (left, right))
        if mine == yours or len(mine) != 1 or len(yours) != 1:
            rows |= mine | yours
            continue
        (one,), (other,) = mine, yours
        pairs = zip(one.steps, other.steps, strict=False)
        common = tuple(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        ways = frozenset(atom.steps[len(common) :] for atom in (one, other))
        step = Division(ByUnknown(("either", ways)), ("is", True))
        rows.add(Atom(key, (*common, step)))
    return frozenset(rows)


def overlap(some: Rows, other: Rows) -> Answer:
    """Return whether two sets have rows in common.

    A part of several tables may be without rows of any one of them, but not of all.
    """
    if (len(some) > 1 and within(some, other)) or (len(other) > 1 and within(other, some)):
        return "yes"
    answers = {_meet(a, b) for a in some for b in other}
    return "yes" if "yes" in answers else "unknown" if "unknown" in answers else "no"


def within(some: Rows, other: Rows) -> bool:
    """Return whether all of some rows are surely among others."""
    return all(any(a.source == b.source and _starts(a.steps, b.steps) for b in other) for a in some)


def sources(rows: Rows) -> frozenset[Hashable]:
    """Return the sources that rows come from."""
    return frozenset(atom.source for atom in rows)


def kinds(rows: Iterable[Atom]) -> set[Kind]:
    """Return the kinds of division that rows went through."""
    return {step.kind for atom in rows for step in atom.steps}


def _starts(steps: tuple[Division, ...], prefix: tuple[Division, ...]) -> bool:
    return len(prefix) <= len(steps) and all(
        a.key == b.key and a.part == b.part for a, b in zip(steps, prefix, strict=False)
    )


def _meet(a: Atom, b: Atom) -> Answer:
    if a.source != b.source:
        return "no"
    for place, (left, right) in enumerate(zip(a.steps, b.steps, strict=False)):
        if left.key != right.key or left.part != right.part:
            return _differ(a.steps[place:], b.steps[place:])
    shared = min(len(a.steps), len(b.steps))
    extra = a.steps[shared:] or b.steps[shared:]
    return "unknown" if any(step.mixed for step in extra) else "yes"


def _differ(left: tuple[Division, ...], right: tuple[Division, ...]) -> Answer:
    """Return whether rows meet whose divisions differ from the first of these steps on.

    A part of a column's values is the same part whatever was done before; parts by position or
    by chance are those of one division only where all that went before is the same.
    """
    answer: Answer = "unknown"
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            if a.key == b.key and (i == j == 0 or not _by_place(a)):
                apart = disjoint(a.part, b.part)
                if apart:
                    return "no"
                if apart is False:
                    answer = "yes"
    if answer == "yes" and _ends_apart(left, right):
        answer = "unknown"  # of rows some of which may have been dropped, by place
    if left[0].key == right[0].key or _opaque(left[0]) or _opaque(right[0]):
        return answer
    if _looks_at(left[0].key, right[0].key) or _looks_at(right[0].key, left[0].key):
        return answer
    return "yes" if {"random", "round"} & {left[0].kind, right[0].kind} else answer


def _ends_apart(left: tuple[Division, ...], right: tuple[Division, ...]) -> bool:
    """Return whether the last divisions are the two ends of one by place."""
    a, b = left[-1], right[-1]
    return a.key == b.key and _by_place(a) and disjoint(a.part, b.part) is True


def _opaque(step: Division) -> bool:
    """Return whether nobody can tell what chose the rows: it may have looked at the other part."""
    key = step.key
    by_unknown = isinstance(key, ByUnknown) or (isinstance(key, ByColumn) and key.is_made)
    return by_unknown and step.kind == "chosen"


def _looks_at(key: Hashable, other: Hashable) -> bool:
    """Return whether a division is made of another."""
    return isinstance(key, Both) and any(k == other or _looks_at(k, other) for k, _ in key.sides)


def _by_place(step: Division) -> bool:
    key = step.key
    return step.kind != "chosen" or (isinstance(key, ByPlace) and not key.labels)


def disjoint(left: tuple[Hashable, ...], right: tuple[Hashable, ...]) -> bool | None:
    """Return whether two parts of one division have no row in common, None when unknown."""
    if "range" in {left[0], right[0]} and "not" not in {left[0], right[0]}:
        return _ranges_apart(left, right) if left[0] == right[0] else None
    if left[0] == "is" and right[0] == "is":
        return left[1] != right[1]
    if opposite(left) == right or opposite(right) == left:
        return True
    return False if left == right else None


def is_part(some: Division, other: Division) -> bool:
    """Return whether one division keeps no row that the other leaves out."""
    return some.key == other.key and disjoint(some.part, opposite(other.part)) is True


def _ranges_apart(left: tuple[Hashable, ...], right: tuple[Hashable, ...]) -> bool | None:
    answers = {_before(left[2], right[1]), _before(right[2], left[1])}
    return True if True in answers else None if None in answers else False


def _before(end: Hashable, start: Hashable) -> bool | None:
    """Return whether a range that ends here lies before one that starts there."""
    if end is None or start is None:
        return False
    if end == start:
        return True
    if isinstance(end, tuple) and isinstance(start, tuple):
        comparable = type(end[0]) is type(start[0]) and isinstance(end[0], int | float | str)
        return bool(end <= start) if comparable else None
    if isinstance(end, int | float | str) and type(end) is type(start):
        if isinstance(end, int | float) and isinstance(start, int | float):
            return None if (end < 0) != (start < 0) else end <= start
        return str(end) <= str(start)
    return None
