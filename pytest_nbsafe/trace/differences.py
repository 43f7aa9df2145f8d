"""What cells make when they run on the side, and how that differs from what they made before."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_nbsafe.trace.model import CellResult
from pytest_nbsafe.values import dataclass, field

Aspects = Mapping[str, str]
"""A few words on a value, by aspect: `value`, `length`, `shape`, `mean`...; none: unknown."""


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """What came of cells that ran on the side, from the state that a session was in.

    `results` are those of the cells in the order they were given, to the first that failed; none
    where they could not be run, and `cause` says why in a fragment of a sentence; `cell` is then
    the cell that it speaks of, 0 when of none. `shown` describes what the names that the last of
    them touched hold at its end.
    """

    results: tuple[CellResult, ...] = ()
    cause: str = ""
    cell: int = 0
    shown: Mapping[str, Aspects] = field(default_factory=dict)
