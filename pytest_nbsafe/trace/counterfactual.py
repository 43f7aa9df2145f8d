"""What cells would do if they ran now: the answer of a run on the side."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_nbsafe.trace.results import CellResult
from pytest_nbsafe.trace.seen_parts import TouchedParts
from pytest_nbsafe.values import dataclass, field

Aspects = Mapping[str, str]
"""A few words on a value, by aspect: `value`, `length`, `shape`, `mean`...; none: unknown."""


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """What came of cells that ran on the side, from the state that a session was in.

    `results` are those of the cells in the order they were given, to the first that failed; none
    where they could not be run, and `cause` says why in a fragment of a sentence. `elsewhere` tells
    that only this session is in the way, which cannot be forked. `shown` describes what the names
    that the last of them touched hold at its end. `touched` are the parts of names that each run
    read and changed, None where it was not followed below the names.
    """

    results: tuple[CellResult, ...] = ()
    cause: str = ""
    elsewhere: bool = False
    shown: Mapping[str, Aspects] = field(default_factory=dict)
    touched: tuple[TouchedParts | None, ...] = ()
