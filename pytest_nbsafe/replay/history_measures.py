"""How often the sessions of a `history.sqlite` ran a text again, and came back to earlier work."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from pytest_nbsafe.replay import history_database
from pytest_nbsafe.replay.history_file import ALIKE, similarity, work
from pytest_nbsafe.values import dataclass

_FEWEST, _MOST = 10, 100
"""Sessions of so few, or of so many runs, are not looked at."""
_WITHIN = 50
"""A session is compared with so many that came before it."""
_REVISITED = 0.5
_TRIED = 10
_HOPELESS = 0.1
_MOST_WORK = 200_000_000
"""Comparing texts ends here; what is left counts only where a text is the same."""


@dataclass(frozen=True, slots=True)
class HistoryMeasures:
    """Repeats and revisits of a history.

    `sessions` are all that ran anything, `compared` those of a length that can be compared, `runs`
    theirs. `repeats` are pairs of runs of one session that are alike, `at_once` those of them that
    follow one another, `repeated` the runs that have such an earlier one. `revisits` are pairs of
    sessions of which the later repeats half of the earlier, `distances` how far apart they are.
    """

    sessions: int
    compared: int
    runs: int
    repeats: int
    at_once: int
    repeated: int
    revisits: int
    distances: tuple[int, ...]
    is_whole: bool = True


def measures(path: Path) -> HistoryMeasures:
    """Return the measures of a history file.

    Source: Koop 2021, section 4.2: alike is a Levenshtein distance of less than a fifth.

    Raises:
        NbsafeError: the file is no history that can be read.

    """
    sessions = history_database.all_sessions(path)
    texts = [[text for _, text in runs] for _, runs in sessions if _FEWEST < len(runs) < _MOST]
    comparing = _Comparing()
    repeats = at_once = repeated = 0
    distinct: list[list[str]] = []
    for runs in texts:
        again: set[int] = set()
        for one, other in combinations(range(len(runs)), 2):
            if comparing.alike(runs[one], runs[other]):
                repeats += 1
                at_once += other == one + 1
                again.add(other)
        repeated += len(again)
        distinct.append([text for place, text in enumerate(runs) if place not in again])
    distances = tuple(
        later - earlier
        for later in range(len(distinct))
        for earlier in range(max(0, later - _WITHIN), later)
        if _is_revisit(distinct[earlier], distinct[later], comparing)
    )
    return HistoryMeasures(
        len(sessions),
        len(texts),
        sum(map(len, texts)),
        repeats,
        at_once,
        repeated,
        len(distances),
        distances,
        is_whole=comparing.left >= 0,
    )


class _Comparing:
    """Says whether two texts are alike, as long as its work is not done."""

    def __init__(self) -> None:
        self.left = _MOST_WORK

    def alike(self, one: str, other: str) -> bool:
        if one == other:
            return True
        if self.left < 0:
            return False
        self.left -= work(one, other, ALIKE)
        return similarity(one, other, ALIKE) >= ALIKE


def _is_revisit(earlier: Sequence[str], later: Sequence[str], comparing: _Comparing) -> bool:
    """Return whether a session repeats half of an earlier one; far from it is soon seen."""
    shared = 0
    for number, text in enumerate(earlier, 1):
        shared += any(comparing.alike(text, other) for other in later)
        if number == _TRIED and shared < _HOPELESS * number:
            return False
    return bool(earlier) and shared >= _REVISITED * len(earlier)
