"""Which rows of joined tables stay, where some have their like in the other and some have not."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage import tabular
from pytest_nbsafe.absint.leakage.abstract_values import AnyValue, Data
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.rows import ByUnknown, Division
from pytest_nbsafe.values import replace

_HAVE_THEIR_LIKE = ("is", True)
_ALL_STAY = frozenset({"left", "outer", "full"})
_ANTI = frozenset({"anti", "left_anti", "leftanti"})
_CHOOSE = _ANTI | {"semi", "left_semi", "leftsemi"}


def matched(joined: Data, parts: Sequence[Data], arguments: Arguments) -> Data:
    """Return joined tables, with the rows of the first that the join leaves.

    A join with a part of the very rows leaves some of them: which is not known, but that those with
    their like there (`how="inner"`, `"semi"`) and those without (`"anti"`) are no common ones. What
    is not known is taken for a table of more columns, where the join does not only choose rows.
    """
    first, *others = parts
    how = arguments.constant("how")
    shows_origin = arguments.constant("indicator", default=False) is not False
    lacks = how not in _ALL_STAY and any(_is_part(other, first) for other in others)
    if not (how in _CHOOSE or shows_origin or lacks):
        return joined
    machine = arguments.machine
    unknown = [value for value in arguments.every() if isinstance(machine.get(value), AnyValue)]
    with_whom = *map(machine.token, unknown), *(other.rows for other in others)
    step = Division(ByUnknown(("join", frozenset(with_whom))), _HAVE_THEIR_LIKE, mixed=True)
    if how not in _ANTI:
        return tabular.part(joined, step)
    for other in others:
        left = _others_of(first, other)
        if left is not None:
            return replace(first, rows=left, mask=None)
    return tabular.part(first, step.rest())


def _is_part(some: Data, whole: Data) -> bool:
    """Return whether a table has rows of the same source, and perhaps not all of them."""
    common = sets.sources(some.rows) & sets.sources(whole.rows)
    return bool(common) and not sets.within(whole.rows, some.rows)


def _others_of(whole: Data, part: Data) -> sets.Rows | None:
    """Return the rows of a table but those of a part that one division made of it."""
    left = sets.complement(whole.rows, part.rows)
    if left is None or len(whole.rows) != 1 or len(part.rows) != 1:
        return None
    (atom,), (other,) = whole.rows, part.rows
    return left if len(other.steps) == len(atom.steps) + 1 else None
