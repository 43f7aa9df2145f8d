"""The entries of the steps of a replay, with the names that are stale then.

What is stale is kept up to date from step to step: to ask every name again at each of them would
take a time that grows with the square of a notebook's length.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from pytest_nbsafe.trace.lineage import (
    Descent,
    LineageState,
    LineageTable,
    Link,
    Version,
    is_newer,
)
from pytest_nbsafe.trace.results import Record, Timestamp
from pytest_nbsafe.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class StepEntry:
    """The entry of a step; step 0 is the end of the last one.

    `state` and `stale` (its `stale_names`) are those of this moment
    until the next one is asked for; `touched` are the names that were made or deleted since the
    entry that was yielded before.
    """

    step: int
    state: LineageState
    stale: AbstractSet[str]
    touched: AbstractSet[str]


def step_entries(
    records: Iterable[Record], steps: AbstractSet[int] | None = None
) -> Iterator[StepEntry]:
    """Yield the entry of each step of the records, in the order they ran, and then the end.

    With `steps`, of these alone: what happened between two of them is taken in at once.
    """
    table = LineageTable()
    staleness = _Staleness(table.now)
    for step in _steps(records, table):
        if steps is None or step in steps:
            yield _moment(step, table, staleness)


def entry_states(records: Iterable[Record]) -> Iterator[tuple[int, LineageState]]:
    """Yield the same steps, each with the state alone, which is that of its moment."""
    table = LineageTable()
    for step in _steps(records, table):
        yield step, table.now


def _steps(records: Iterable[Record], table: LineageTable) -> Iterator[int]:
    """Yield each step before its records are applied to the table, and 0 when all are."""
    begun: set[int] = set()
    for record in records:
        step = record.at[0]
        if step not in begun:
            begun.add(step)
            yield step
        table.apply(record)
    yield 0


def stale_names(state: LineageState) -> frozenset[str]:
    """Return the names of a state that are stale (Macke et al. 2021, Def. 4)."""
    staleness = _Staleness(state)
    staleness.update(state.symbols.keys(), frozenset())
    return frozenset(staleness.stale)


def _moment(step: int, table: LineageTable, staleness: _Staleness) -> StepEntry:
    touched = frozenset(table.touched)
    staleness.update(touched, table.gone)
    table.touched.clear()
    table.gone.clear()
    return StepEntry(step, table.now, staleness.stale, touched)


class _Staleness:
    """The stale names of a state that changes.

    Source: Macke et al. 2021, Def. 4. A name is stale when a parent is newer than the read of it
    (those are in `_newer`), or is stale itself. `_parents` are those that are still there,
    `_linked` all that a name was made from, and `_children` the same seen from there.
    """

    def __init__(self, state: LineageState) -> None:
        self.stale: set[str] = set()
        self._state = state
        self._newer: set[str] = set()
        self._parents: dict[str, tuple[str, ...]] = {}
        self._linked: dict[str, tuple[str, ...]] = {}
        self._children: dict[str, set[str]] = {}

    def update(self, touched: AbstractSet[str], gone: AbstractSet[str]) -> None:
        """Take in that some names were made or deleted, and some of them deleted.

        What has a newer parent keeps it when that is made again, but not when it is deleted.
        """
        changed = set(touched)
        for name in touched:
            children = self._children.get(name, set())
            changed |= children if name in gone else children - self._newer
        for name in changed:
            self._relate(name)
        freed = self._freed(changed)
        self.stale -= freed
        self._spread([name for name in changed | freed if self._is_stale(name)])

    def _relate(self, name: str) -> None:
        """Bring the links of one name up to date."""
        for parent in self._linked.pop(name, ()):
            self._children[parent].discard(name)
        self._newer.discard(name)
        self._parents.pop(name, None)
        version = self._state.symbols.get(name)
        if version is None:
            return
        self._linked[name] = tuple(version.links)
        for parent in version.links:
            self._children.setdefault(parent, set()).add(name)
        found = self._state.still_there(name)
        self._parents[name] = tuple([parent.name for _, parent in found])
        if any(is_newer(link, parent) for link, parent in found):
            self._newer.add(name)

    def _freed(self, changed: AbstractSet[str]) -> set[str]:
        """Return the stale names that may be so no more, and those that were so through them."""
        freed: set[str] = set()
        waiting = list(changed & self.stale)
        while waiting:
            name = waiting.pop()
            if name not in freed and name not in self._newer:
                freed.add(name)
                waiting.extend(self._children.get(name, set()) & self.stale)
        return freed

    def _is_stale(self, name: str) -> bool:
        return name in self._newer or not self.stale.isdisjoint(self._parents.get(name, ()))

    def _spread(self, names: list[str]) -> None:
        self.stale.update(names)
        while names:
            parent = names.pop()
            for child in self._children.get(parent, ()):
                if child not in self.stale and parent in self._parents[child]:
                    self.stale.add(child)
                    names.append(child)


# -- what a run has made newer ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Life:
    """A version that was there from one moment until before another, counted from 0.

    `deleted` is when the name was last deleted before.
    """

    version: Version
    begin: int
    end: float
    deleted: Timestamp


class Relations:
    """What was made from an older version of what, at any moment of a run."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records
        self._lives: dict[str, list[_Life]] = {}

    def holds(self, descent: Descent) -> bool:
        """Return whether it was ever so: the same names, made and read by the same cells."""
        self._live()
        link, parent = descent.link, descent.parent
        return any(
            _met(life, mine, other)
            for life in self._lives.get(descent.name, ())
            if (mine := life.version.links.get(link.parent)) is not None
            and (mine.cell, mine.maker) == (link.cell, link.maker)
            for other in self._lives.get(parent.name, ())
            if other.version.cell == parent.cell
        )

    def _live(self) -> None:
        """Replay the run, the first time that anything is asked of it."""
        for number, moment in enumerate(step_entries(self._records) if self._records else ()):
            for name in moment.touched:
                self._turn(name, number, moment.state)
        self._records = ()

    def _turn(self, name: str, number: int, state: LineageState) -> None:
        """End the life of a name's version, and begin that of the next, if it has changed."""
        lives = self._lives.setdefault(name, [])
        version = state.symbols.get(name)
        if lives and lives[-1].end == _FOREVER:
            lives[-1] = replace(lives[-1], end=number)
        if version is not None:
            lives.append(_Life(version, number, _FOREVER, state.deleted.get(name, (0, 0))))


_FOREVER = float("inf")


def _met(child: _Life, link: Link, parent: _Life) -> bool:
    """Return whether at some moment the parent was there, and newer than the child's read of it."""
    together = max(child.begin, parent.begin) < min(child.end, parent.end)
    return together and parent.deleted <= link.at and parent.version.at[0] > link.read_at[0]
