"""The engine under every domain: how an abstract state spreads from one cell to the others."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.findings import Step
from pytest_nbsafe.values import dataclass

MOST_STATES = 150
"""So many distinct states are looked into; then the search says that it gave up."""
GROWTHS = 8
"""A cell's state may grow so often along one sequence before the domain is asked to widen it."""

S = TypeVar("S", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Violation:
    """What is wrong with one run of a cell: where, with which name, and how it came to be."""

    cell: int
    span: Span
    name: str
    cause: str
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Offence:
    """A violation and the shortest sequence of cells that leads to it, its own cell last.

    `follows` is set when an earlier run of the sequence offends already: this is a consequence.
    """

    sequence: tuple[int, ...]
    violation: Violation
    follows: bool = False


class Domain(Protocol[S]):
    """What one analysis knows of a notebook's state, and what a run of a cell does to it.

    A domain is made for one notebook (`whatif.DOMAINS`), so it holds the graph and whatever it
    looks up. States are values: never changed, hashable, equal when they say the same.
    """

    def initial(self) -> S:
        """Return the state before the what-if."""

    def transfer(self, cell: int, state: S) -> S:
        """Return the state after an abstract run of the cell from this one."""

    def widen(self, old: S, new: S) -> S:
        """Return a state that allows all that either allows, such that a chain of these ends."""

    def covers(self, old: S, new: S) -> bool:
        """Return whether what can follow from `new` can follow from `old` as well."""

    def phi(self, state: S, cell: int) -> bool:
        """Return whether to propagate this state into this cell."""

    def check(self, cell: int, entry: S, after: S) -> Iterable[Violation]:
        """Yield what is wrong with a run of the cell between these states."""


@dataclass(frozen=True, slots=True)
class Exploration(Generic[S]):
    """What was reached from one cell.

    `states` counts the distinct states that were looked into, `transfers` the abstract runs.
    `gave_up` says why the search ended early, empty when it did not.
    """

    first: S
    offences: tuple[Offence, ...]
    states: int
    transfers: int
    gave_up: str = ""


@dataclass(slots=True)
class _Node(Generic[S]):
    """A state and the first, so shortest, sequence of runs that led to it."""

    cell: int
    state: S
    before: _Node[S] | None
    offends: bool
    growths: int = 0


def explore(
    domain: Domain[S],
    source: int,
    cells: Sequence[int],
    depth: int | None,
    most_states: int = MOST_STATES,
) -> Exploration[S]:
    """Return what a run of `source`, and up to `depth` runs of other cells after it, leads to.

    `depth` None goes on until nothing new is reached. Each violation (a cell and a name) is told
    once, with the shortest sequence that leads to it, of equals the first in the order of `cells`.

    Source: NBLyzer, Algorithm 3 and section 3.2.2. Departs: the algorithm walks every path and
    joins the states in which a cell was ever entered, so an update on one path blurs the others
    and the report repeats itself O(n^K) times. Here states are not joined; the search goes by
    breadth, and a state is not looked into again that was met at no greater depth, or is covered by
    one on its own way (Observation 3.1). So the cost is at most states x cells abstract runs, and
    the first sequence found is a shortest. A join is made only to widen, when the state of one cell
    has grown `GROWTHS` times along a sequence. Where states are too many the search ends and says
    so.
    """
    start = domain.initial()
    first = domain.transfer(source, start)
    own = tuple(domain.check(source, start, first))
    offences = {(v.cell, v.name): Offence((source,), v) for v in own}
    frontier = [_Node(source, first, None, bool(own))]
    met: set[S] = {first}
    transfers, level = 1, 0
    gave_up = ""
    while frontier and not gave_up and (depth is None or level < depth):
        level += 1
        reached: list[_Node[S]] = []
        for node in frontier:
            for child in _runs(domain, node, cells, offences):
                transfers += 1
                if level != depth and not _is_met(domain, child, met):
                    met.add(child.state)
                    reached.append(child)
            if len(met) > most_states:
                gave_up = f"gave up after {most_states} states, {level} runs from cell {source}"
                break
        frontier = sorted(reached, key=lambda node: node.offends)
    return Exploration(first, tuple(offences.values()), len(met), transfers, gave_up)


def _runs(
    domain: Domain[S],
    node: _Node[S],
    cells: Sequence[int],
    offences: dict[tuple[int, str], Offence],
) -> Iterator[_Node[S]]:
    """Yield what a run of each cell makes of the state, and note what is wrong with it."""
    for cell in cells:
        if domain.phi(node.state, cell):
            after = domain.transfer(cell, node.state)
            violations = tuple(domain.check(cell, node.state, after))
            _note(offences, node, violations)
            child = _Node(cell, after, node, node.offends or bool(violations))
            _widen(domain, child)
            yield child


def follow(domain: Domain[S], sequence: Sequence[int]) -> tuple[Offence, ...]:
    """Return what goes wrong when just these cells run one after another."""
    state, offences = domain.initial(), []
    for cell in sequence:
        after = domain.transfer(cell, state)
        offences += [Offence(tuple(sequence), wrong) for wrong in domain.check(cell, state, after)]
        state = after
    return tuple(offences)


def _note(
    offences: dict[tuple[int, str], Offence], node: _Node[S], violations: Iterable[Violation]
) -> None:
    for violation in violations:
        key = violation.cell, violation.name
        if key not in offences:
            sequence = (*_sequence(node), violation.cell)
            offences[key] = Offence(sequence, violation, follows=node.offends)


def _way(node: _Node[S] | None) -> Iterator[_Node[S]]:
    while node is not None:
        yield node
        node = node.before


def _sequence(node: _Node[S]) -> tuple[int, ...]:
    return tuple(step.cell for step in _way(node))[::-1]


def _is_met(domain: Domain[S], child: _Node[S], met: Container[S]) -> bool:
    """Return whether nothing can follow from the state that was not looked into already."""
    state = child.state
    return state in met or any(domain.covers(step.state, state) for step in _way(child.before))


def _widen(domain: Domain[S], child: _Node[S]) -> None:
    """Let the domain widen a state that has grown too often since the cell first ran."""
    last = next((step for step in _way(child.before) if step.cell == child.cell), None)
    if last is None or last.state == child.state:
        return
    child.growths = last.growths + 1
    if child.growths >= GROWTHS:
        child.state = domain.widen(last.state, child.state)
