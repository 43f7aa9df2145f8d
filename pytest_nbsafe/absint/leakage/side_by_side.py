"""Tables side by side: the rows of the first, with the columns of all."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from pytest_nbsafe.absint.leakage import named_columns
from pytest_nbsafe.absint.leakage.abstract_values import Data
from pytest_nbsafe.values import replace


def beside(parts: Sequence[Data], key: Hashable = None) -> Data:
    """Return tables side by side; `key` is one for the table that they become."""
    first = next((part for part in parts if part.rows and not part.random), parts[0])
    deps = first.deps
    named = dict(first.named)
    for part in parts:
        if part is not first:
            deps |= part.deps
            named.update(part.named)
    result = replace(
        first,
        deps=deps,
        named=tuple(named.items()),
        mask=None,
        form="frame" if first.form == "series" else first.form,
        scores=frozenset().union(*(part.scores for part in parts)),
        vague=any(part.vague for part in parts),
        origins=frozenset(),
        uses=frozenset(),
    )
    if all(part is first or not part.rows for part in parts):  # only statistics come to it
        return result
    if key is not None and result.form == "frame":
        return named_columns.anew(replace(result, former=None), ("beside", key))
    return replace(result, base=None, columns=None, former=None)
