"""What a cell did to names, and the words for it: it made, changed, seeded, wrote or set them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.state import is_random, is_state, outlives_kernel
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.rules.wording import few
from pytest_nbsafe.values import dataclass

_Kind = Literal["made", "changed", "drew from", "seeded", "wrote", "set"]
_DONE = {"drew from": "drawn from", "wrote": "written"}
_AGAIN = frozenset({"made", "wrote", "set"})


@dataclass(frozen=True, slots=True)
class Action:
    """What a cell did, and to what: names as a sentence calls them."""

    kind: _Kind
    names: str

    @property
    def once(self) -> str:
        """Return "made `a`", "drew from numpy's random state", without a word of before."""
        return f"{self.kind} {self.names}"

    @property
    def again(self) -> str:
        """Return "made `a` again", and without "again" what only changes: it keeps the old."""
        return f"{self.once} again" if self.kind in _AGAIN else self.once

    @property
    def done_again(self) -> str:
        """Return what stands behind "had": "made `a` again", "written `a.csv` again"."""
        done = f"{_DONE.get(self.kind, self.kind)} {self.names}"
        return f"{done} again" if self.kind in _AGAIN else done


def action(facts: Facts, cell: int, made: Sequence[str], shown: Sequence[str] = ()) -> Action:
    """Return what a cell did to names; `shown` are the parts of them that it is about."""
    return Action(_kind(facts, cell, made, shown), few(shown or made))


def _kind(facts: Facts, cell: int, made: Sequence[str], shown: Sequence[str]) -> _Kind:
    if only_changes(facts, cell, made) or {*shown}.difference(made):
        return "drew from" if is_random(made[0]) else "changed"
    if not is_state(made[0]):
        return "made"
    if is_random(made[0]):
        return "seeded"
    return "wrote" if outlives_kernel(made[0]) else "set"


def only_changes(facts: Facts, cell: int, symbols: Sequence[str]) -> bool:
    """Return whether a cell makes none of the symbols: what it does to them is to change them."""
    own = facts.graph.cells[cell].definitions
    through_calls = dependencies.changed_by_calls(facts.graph, cell)
    kinds = {d.kind for d in (*own, *through_calls) if d.name in symbols}
    return kinds == {"mutation"}
