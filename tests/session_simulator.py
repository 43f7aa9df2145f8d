"""A user at a notebook: sessions that are known, and the page that they leave.

Shares are those measured on real sessions: where the next run goes, how much of it is scratch work
that is deleted later (in bursts), how often a cell is edited, inserted, moved or cleared, and how
often the kernel is started anew.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from linked_sessions import Linked

_TIDY = 0.5
_NEXT_OF_TIDY, _NEXT, _SAME, _BACK = 0.88, 0.45, 0.57, 0.24
"""The share of runs that are of the next cell; of the others those of the same and of one above."""
_EDITED, _REBOUND = 0.24, 0.15
_INSERTED, _MOVED, _CLEARED = 0.05, 0.012, 0.03
_RESTARTED, _ALL_ABOVE, _ALL = 0.006, 0.5, 0.7
_BURST, _BURST_LASTS = 0.02, 0.94
_SCRATCH_BINDS = 0.2
_FIXED, _TRIES = 0.9, 4


@dataclass(eq=False)
class _Cell:
    defines: list[str]
    reads: list[str]
    count: int | None = None
    session: int = 0
    made_by: dict[str, tuple[_Cell, str] | None] = field(default_factory=dict)


class Simulator:
    """One user, from a seed."""

    def __init__(self, seed: int, *, cells: int = 16) -> None:
        self._chance = random.Random(seed)
        self._wanted = cells
        self._next = _NEXT_OF_TIDY if self._chance.random() < _TIDY else _NEXT
        self._names = 0
        self._session = self._counter = 0
        self._bound: dict[str, _Cell] = {}
        self._page: list[_Cell] = []
        self._steps: list[tuple[int, int, _Cell]] = []

    def record(self) -> Linked:
        """Return the page that is saved in the end, with its true history."""
        self._work()
        for cell in self._page:
            if self._chance.random() < _CLEARED:
                cell.count = None
        place = {cell: index for index, cell in enumerate(self._page)}
        ran = [cell for cell in self._page if cell.count is not None]
        edges = {
            (place[cell], name): self._definer(place, maker)
            for cell in ran
            for name, maker in cell.made_by.items()
            if maker is not None and maker[0] is not cell
        }
        return Linked(
            "simulated",
            "simulated.ipynb",
            [cell.count for cell in self._page],
            [cell.defines for cell in self._page],
            [cell.reads for cell in self._page],
            [[] for _ in self._page],
            edges,
            {place[cell]: cell.session for cell in ran},
            [(session, count, place.get(cell)) for session, count, cell in self._steps],
        )

    @staticmethod
    def _definer(place: dict[_Cell, int], maker: tuple[_Cell, str]) -> int | None:
        cell, name = maker
        return place.get(cell) if name in cell.defines else None

    # -- what the user does ------------------------------------------------------------------------

    def _work(self) -> None:
        cursor = -1
        while cursor < self._wanted - 1 or len(self._page) < self._wanted:
            draw = self._chance.random()
            if draw < _RESTARTED:
                cursor = self._restart(cursor)
            elif draw < _RESTARTED + _BURST:
                self._scratch()
            elif draw < _RESTARTED + _BURST + _MOVED and self._page:
                self._move()
            else:
                cursor = self._step(cursor)

    def _step(self, cursor: int) -> int:
        """Run the next cell, the same, or another one; write it first if there is none."""
        last = len(self._page) - 1
        where = self._chance.random()
        if cursor < 0 or self._chance.random() < self._next:
            target = cursor + 1
            if target > last or self._chance.random() < _INSERTED:
                self._page.insert(target, self._written())
        elif where < _SAME:
            target = cursor
        elif where < _SAME + _BACK:
            target = max(0, cursor - 1 - int(self._chance.expovariate(0.4)))
        else:
            target = min(last, cursor + 1 + int(self._chance.expovariate(0.5)))
        self._run_or_mend(self._page[target])
        return target

    def _run_or_mend(self, cell: _Cell) -> None:
        if self._chance.random() < _EDITED and cell.count is not None:
            self._edit(cell)
        for _ in range(_TRIES):
            missing = self._run(cell)
            if missing is None or self._chance.random() > _FIXED:
                return
            at = self._page.index(cell)
            above = [c for c in self._page[:at] if missing in c.defines]
            if not above:
                cell.reads = [name for name in cell.reads if name != missing]
            else:
                self._run(above[-1])

    def _run(self, cell: _Cell) -> str | None:
        """Run a cell; return a name that it misses, or None."""
        self._counter += 1
        self._steps.append((self._session, self._counter, cell))
        cell.count, cell.session = self._counter, self._session
        makers = {name: self._bound.get(name) for name in cell.reads}
        cell.made_by = {name: (maker, name) if maker else None for name, maker in makers.items()}
        missing = next((name for name, maker in makers.items() if maker is None), None)
        if missing is None:
            self._bound.update(dict.fromkeys(cell.defines, cell))
        return missing

    def _restart(self, cursor: int) -> int:
        self._session += 1
        self._counter = 0
        self._bound.clear()
        how = self._chance.random()
        if how < _ALL_ABOVE:
            again: Sequence[_Cell] = self._page[: cursor + 1]
        else:
            again = self._page if how < _ALL else ()
        for cell in list(again):
            self._run_or_mend(cell)
        return len(again) - 1 if again else cursor

    def _scratch(self) -> None:
        """Run a burst of cells that are deleted later; what they bind may be read all the same."""
        while self._chance.random() < _BURST_LASTS:
            binds = self._chance.random() < _SCRATCH_BINDS
            cell = _Cell([self._new_name()] if binds else [], self._some_names(2))
            self._run(cell)

    def _move(self) -> None:
        cell = self._page.pop(self._chance.randrange(len(self._page)))
        self._page.insert(self._chance.randrange(len(self._page) + 1), cell)

    # -- what the cells hold -----------------------------------------------------------------------

    def _written(self) -> _Cell:
        defines = [self._new_name() for _ in range(self._chance.choice((0, 1, 1, 2, 3)))]
        if self._bound and self._chance.random() < 0.12:
            defines.append(self._chance.choice(sorted(self._bound)))
        return _Cell(defines, self._some_names(self._chance.choice((0, 1, 2, 2, 3, 4))))

    def _edit(self, cell: _Cell) -> None:
        if cell.defines and self._chance.random() < _REBOUND:
            cell.defines = [*cell.defines[1:], self._new_name()]

    def _new_name(self) -> str:
        self._names += 1
        return f"n{self._names}"

    def _some_names(self, most: int) -> list[str]:
        """Return names that are bound now, the newest more often, the oldest (imports), too."""
        known = sorted(self._bound, key=lambda name: -int(name[1:]))
        picked: dict[str, None] = {}
        for _ in range(most if known else 0):
            place = min(int(self._chance.paretovariate(0.7)) - 1, len(known) - 1)
            picked[known[place]] = None
        return list(picked)


def simulated(number: int, first: int = 0) -> Iterator[Linked]:
    """Yield the records of so many users."""
    sizes = (6, 10, 16, 24, 40)
    for seed in range(first, first + number):
        yield Simulator(seed, cells=sizes[seed % len(sizes)]).record()
