"""Which cells were last run in the same kernel session, told apart where counts repeat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from pytest_nbsafe.notebook.model import Cell

_Session = dict[int, int]
"""The places of its cells among all that have a count, by count; in page order."""


def split(cells: Sequence[Cell]) -> Mapping[int, int]:
    """Return the session, from 1, of every cell that has a count; the cells are in page order.

    Counts that never repeat are one session: the file shows no second one. Else a cell joins the
    session without its count that it continues best: a few places on, and as many counts; if there
    is none, it begins a new one. A session whose gaps are just as long as the cells of another
    that lie in them came before that one, which ran them again; where that does not tell, the
    higher on the page comes first.

    Departs from the Archaeology paper, section 5.1, which grows the sessions from an alignment
    at the most frequent count by the likelihood of each gap-jump: a simple split comes first.
    """
    counted = [(cell.number, cell.count) for cell in cells if cell.count is not None]
    sessions: list[_Session] = []
    for place, (_, count) in enumerate(counted, 1):
        open_to_it = [session for session in sessions if count not in session]
        if len(open_to_it) == 1:
            open_to_it[0][count] = place
        elif open_to_it:
            best = min(open_to_it, key=lambda s: (_leap(s, place, count), -max(s.values())))
            best[count] = place
        else:
            sessions.append({count: place})
    sessions.sort(key=lambda s: (_overwritten(sessions, s), _middle(s), min(s.values())))
    return {
        counted[place - 1][0]: index
        for index, session in enumerate(sessions, 1)
        for place in session.values()
    }


def _middle(session: _Session) -> float:
    """Return the median of its places."""
    places = sorted(session.values())
    half = len(places) // 2
    return (places[half] + places[~half]) / 2


def _leap(session: _Session, place: int, count: int) -> float:
    """Return how far a cell is from being the next in its session, on the page and in counts."""
    before = max((known for known in session if known < count), default=None)
    if before is None:
        return float("inf")
    jump = place - session[before]
    return abs(count - before - jump) + abs(jump - 1)


def _overwritten(sessions: Sequence[_Session], session: _Session) -> int:
    """Return how many of its cells lie in fitting gaps of others, less those of others in its."""
    mine, theirs = set(session.values()), _fitting(session)
    fits = [_fitting(other) for other in sessions if other is not session]
    return sum(len(mine & fit) for fit in fits) - len(theirs)


def _fitting(session: _Session) -> set[int]:
    """Return the places between two cells of the session that are as far apart as their counts."""
    line = sorted((place, count) for count, place in session.items())
    return {
        between
        for (above, low), (below, high) in pairwise([(0, 0), *line])
        if below - above == high - low
        for between in range(above + 1, below)
    }
