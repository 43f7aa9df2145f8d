"""Which cells were last run in the same kernel session, and in what order the sessions came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.model import Graph, kept
from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.order import run_times
from pytest_nbsafe.order.chances import JOINS, joining, starting
from pytest_nbsafe.order.plan import runnable
from pytest_nbsafe.order.shown_values import evidence
from pytest_nbsafe.values import dataclass

_Session = dict[int, int]
"""The places of its cells among all that have a count, by count; in page order."""


@dataclass(frozen=True, slots=True)
class Split:
    """The session, from 1, of every cell that has a count, and how likely each is the right one.

    `by_times` when saved times told it, which leave no doubt.
    """

    of: Mapping[int, int]
    chance: Mapping[int, float]
    by_times: bool = False

    @property
    def number(self) -> int:
        """How many sessions there are."""
        return max(self.of.values(), default=1)


def least(cells: Sequence[Cell]) -> int:
    """Return how many sessions there must have been: how often the commonest count stands.

    Source: Koop 2021, section 4.1.
    """
    counts = Counter(cell.count for cell in cells if cell.count is not None)
    return max(counts.values(), default=0)


@kept
def counts_repeat(graph: Graph) -> bool:
    """Return whether a count stands at two cells, so that there was more than one session."""
    return least(graph.notebook.code_cells) > 1


def split(graph: Graph, cells: Sequence[Cell]) -> Split:
    """Return the sessions of the cells, which are in page order.

    Where saved times tell when the cells ran, a count that falls as time grows starts a session.
    Else counts that never repeat are one session: the file shows no second one. If they repeat,
    each cell down the page goes to the likeliest session that has not its count, by how far it is
    from the last cell of that session in counts and places (`chances`).

    Departs from the Archaeology paper, section 5.1, which grows the sessions from an alignment at
    the commonest count by the likelihood of each gap-jump. On linked notebooks that splits worse
    than following the page. A search over whole splits, of which the one is taken that agrees best
    with all likely ones, splits better, but what the plan then says of lost makers gets worse.
    """
    return _split(graph, tuple(cell.number for cell in cells if cell.count is not None))


@kept
def of_page(graph: Graph) -> Split:
    """Return the sessions of all cells of the page that can run."""
    return split(graph, runnable(graph))


@kept
def _split(graph: Graph, numbered: tuple[int, ...]) -> Split:
    counted = [graph.notebook.cell(number) for number in numbered]
    timed = run_times.sessions(counted)
    if timed is not None:
        return Split(timed, dict.fromkeys(timed, 1.0), by_times=True)
    if least(counted) < 2:
        return Split({c.number: 1 for c in counted}, {c.number: 1.0 for c in counted})
    sessions, chances = _grown(graph, [(cell.number, cell.count or 0) for cell in counted])
    numbers = {place: cell.number for place, cell in enumerate(counted, 1)}
    of = {
        numbers[place]: index
        for index, session in enumerate(_in_order(graph, sessions, numbers), 1)
        for place in session.values()
    }
    return Split(of, {numbers[place]: chance for place, chance in chances.items()})


def _grown(
    graph: Graph, counted: Sequence[tuple[int, int]]
) -> tuple[list[_Session], dict[int, float]]:
    """Return the sessions, and for each place how likely its session was beside the others."""
    sessions: list[_Session] = []
    last: list[tuple[int, int]] = []
    chances: dict[int, float] = {}
    for place, (_, count) in enumerate(counted, 1):
        graph.budget.scan(len(sessions))
        odds = [
            0.0
            if count in session
            else joining(count - known, place - at, next_to_it=at == place - 1)
            for session, (known, at) in zip(sessions, last, strict=True)
        ]
        odds.append(starting(count) if sessions else JOINS)
        best = max(range(len(odds)), key=lambda index: (odds[index], *last[index : index + 1]))
        if best == len(sessions):
            sessions.append({})
            last.append((0, 0))
        sessions[best][count] = place
        last[best] = (count, place)
        chances[place] = odds[best] / sum(odds)
    return sessions, chances


# -- which came first ------------------------------------------------------------------------------


def _in_order(graph: Graph, sessions: list[_Session], numbers: Mapping[int, int]) -> list[_Session]:
    """Return the sessions, oldest first.

    A session comes after those that read names which only its cells define: they ran these cells,
    too, and it ran them again. Where no name tells, a session comes before the ones whose cells
    lie in its gaps, if these gaps are just as long; else the higher on the page comes first.
    """
    votes, gaps = _votes(graph, sessions, numbers), [_fitting(session) for session in sessions]
    fits = Counter(place for gap in gaps for place in gap)
    keys = [
        (vote, _overwritten(session, gap, fits), _middle(session), min(session.values()))
        for vote, session, gap in zip(votes, sessions, gaps, strict=True)
    ]
    ranked = sorted(range(len(sessions)), key=lambda index: keys[index])
    return [sessions[index] for index in ranked]


def _votes(graph: Graph, sessions: Sequence[_Session], numbers: Mapping[int, int]) -> list[int]:
    """Return for each session over how many others it came later, less how many came after it.

    Where a saved output shows who made a name, other cells that bind it do not count.
    """
    session_of = {
        numbers[place]: index
        for index, session in enumerate(sessions)
        for place in session.values()
    }
    later: Counter[tuple[int, int]] = Counter()
    for reader, own in session_of.items():
        for use in dependencies.needs(graph, reader):
            definers = graph.binders.get(use.name, ())
            graph.budget.scan(len(definers))
            shown = evidence(graph, reader, use.name).maker
            definers = definers if shown is None else (shown,)
            others = {session_of[cell] for cell in definers if cell in session_of}
            if use.is_needed and own not in others and len(others) == 1:
                later[others.pop(), own] += 1
    votes = [0] * len(sessions)
    for (one, other), number in later.items():
        if number > later.get((other, one), 0):
            votes[one] += 1
            votes[other] -= 1
    return votes


def _middle(session: _Session) -> float:
    """Return the median of its places."""
    places = sorted(session.values())
    half = len(places) // 2
    return (places[half] + places[~half]) / 2


def _overwritten(session: _Session, gap: set[int], fits: Mapping[int, int]) -> int:
    """Return how many of its cells lie in fitting gaps of others, less those of others in its.

    `gap` are the places in its own gaps, `fits` in how many gaps of any session a place lies.
    """
    return sum(fits[place] - (place in gap) for place in session.values()) - len(gap)


def _fitting(session: _Session) -> set[int]:
    """Return the places between two cells of the session that are as far apart as their counts."""
    line = sorted((place, count) for count, place in session.items())
    return {
        between
        for (above, low), (below, high) in pairwise([(0, 0), *line])
        if below - above == high - low
        for between in range(above + 1, below)
    }
