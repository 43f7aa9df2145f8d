"""Which cells must run, and in which order, so that a cell reads again what it read then."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from pytest_nbsafe.absint.impact import Impact, ImpactState, Past
from pytest_nbsafe.absint.numbering import Numbering, ones
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Rebuild:
    """A state to start from, and the past that says what each cell read."""

    known: Numbering
    then: Past
    now: ImpactState

    def needed(self, cell: int, names: int | None = None) -> tuple[int, ...]:
        """Return the cells to run before this one, in the order of the past.

        Without them it would not read what it read then, of all its names or of these: the name
        is outdated now, or holds what other cells made.
        """
        found: set[int] = set()
        todo = [(cell, self.known.cells[cell].reads if names is None else names)]
        while todo:
            reader, wanted = todo.pop()
            for name in ones(wanted):
                for maker in self._makers(reader, name):
                    if maker not in found:
                        found.add(maker)
                        todo.append((maker, self.known.cells[maker].reads))
        return self.in_order(found - {cell})

    def _makers(self, reader: int, name: int) -> Iterator[int]:
        """Yield the cells that had a part in what the name held then, none if it is as it was."""
        then = self.then.entries.get(reader)
        outdated = self.now.outdated >> name & 1
        if then is None:
            had = self.now.sources[name] if outdated else 0
        else:
            had = then.sources[name]
            same = had == self.now.sources[name] and then.makers[name] == self.now.makers[name]
            had = had if outdated or not same else 0
        for number in ones(had):
            cell, out = self.known.outputs[number]
            if self.known.numbers[out.name] == name and not out.imported:
                yield cell

    def in_order(self, cells: Collection[int]) -> tuple[int, ...]:
        """Return the cells as they ran last, those that never ran behind them in page order."""
        last = {cell: step for step, cell in enumerate(self.then.order)}
        return tuple(sorted(cells, key=lambda cell: (last.get(cell, len(last)), cell)))


def is_safe(domain: Impact, sequence: Sequence[int]) -> bool:
    """Return whether no run of the sequence, which the source begins, reads an outdated name."""
    state = domain.initial()
    for cell in sequence:
        if domain.stale(cell, state):
            return False
        state = domain.transfer(cell, state)
    return True


def state_before_last(domain: Impact, sequence: Sequence[int]) -> ImpactState:
    """Return the state in which the last run of the sequence begins."""
    state = domain.initial()
    for cell in sequence[:-1]:
        state = domain.transfer(cell, state)
    return state
