"""How well sets of cells foretell which cell a user runs next (nbsafety, Def. 12 and Table 2)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from pytest_nbsafe.replay.session_runs import StepAnswer
from pytest_nbsafe.values import dataclass

SETS = ("next", "random", "stale", "fresh", "new_fresh", "refresher", "new_refresher")
_SEED = 1


@dataclass(frozen=True, slots=True)
class Power:
    """The mean predictive power of a set, over the steps at which it held any cell."""

    mean: float | None
    measured: int


def sets_of(answer: StepAnswer, before: StepAnswer | None) -> Mapping[str, frozenset[str]]:
    """Return the cell sets after a step; the new ones were not there after the step before."""
    fresh, refreshers = frozenset(answer.fresh_cells), frozenset(answer.refresher_cells)
    old_fresh = frozenset(before.fresh_cells) if before else frozenset[str]()
    old_refreshers = frozenset(before.refresher_cells) if before else frozenset[str]()
    return {
        "stale": frozenset(answer.stale_cells),
        "fresh": fresh,
        "new_fresh": fresh - old_fresh,
        "refresher": refreshers,
        "new_refresher": refreshers - old_refreshers,
    }


def powers(page: Sequence[str], answers: Sequence[StepAnswer]) -> dict[str, Power]:
    """Return the predictive power of each set of cells, averaged over the session.

    A step counts when it runs a cell that has run before, and that cell and the one before it are
    on the page; a set when it holds any cell after the step before. `next` is the cell below the
    one that ran last, `random` one drawn by chance (from a seed of its own, so that two replays
    print the same).

    Source: Macke et al. 2021, Def. 12: P(H) = I{c in H} * |N| / |H|, and section 6.2.
    """
    chance = random.Random(_SEED)  # noqa: S311  # a baseline, no secret
    measured: dict[str, list[float]] = {name: [] for name in SETS}
    known: set[str] = set()
    before: StepAnswer | None = None
    last: StepAnswer | None = None
    for answer in answers:
        if last is not None and answer.cell in known and {answer.cell, last.cell} <= {*page}:
            there = [cell for cell in page if cell in known]
            highlights = {**sets_of(last, before), **_baselines(there, last.cell, chance)}
            for name, cells in highlights.items():
                if cells:
                    measured[name].append(power(answer.cell, cells, len(there)))
        known.add(answer.cell)
        before, last = last, answer
    return {
        name: Power(sum(values) / len(values) if values else None, len(values))
        for name, values in measured.items()
    }


def together(sessions: Iterable[Mapping[str, Power]]) -> dict[str, Power]:
    """Return the predictive power of each set over all steps of several sessions.

    Source: Macke et al. 2021, Table 2.
    """
    measured: dict[str, list[Power]] = {name: [] for name in SETS}
    for session in sessions:
        for name, one in session.items():
            measured[name].append(one)
    together: dict[str, Power] = {}
    for name, each in measured.items():
        steps = sum(one.measured for one in each)
        total = sum(one.mean * one.measured for one in each if one.mean is not None)
        together[name] = Power(total / steps if steps else None, steps)
    return together


def power(cell: str, cells: AbstractSet[str], number: int) -> float:
    """Return how much more often than by chance a set of cells holds the one that runs next."""
    return number / len(cells) if cell in cells else 0.0


def _baselines(
    there: Sequence[str], last: str, chance: random.Random
) -> Mapping[str, frozenset[str]]:
    at = there.index(last) + 1
    return {"next": frozenset(there[at : at + 1]), "random": frozenset({chance.choice(there)})}
