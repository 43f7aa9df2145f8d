"""Which cells must run before which, so that each finds what it found in a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_nbsafe.fix.fewest_moves import Before
from pytest_nbsafe.trace.results import CellResult


def of_run(results: Sequence[CellResult]) -> Before:
    """Return for each cell those that must run before it, as the names show that a run touched.

    A cell that reads a name comes after the one that made it, and before the next that makes it
    again. Of a cell that ran several times only the last run counts.
    """
    last = {result.cell: result for result in results}
    runs = [result for result in results if last[result.cell] is result]
    read = frozenset[str]().union(*(result.entry_names for result in runs))
    before: dict[int, frozenset[int]] = {}
    makers: dict[str, list[int]] = {}
    readers: dict[str, list[int]] = {}
    imported: dict[str, bool] = {}
    for result in runs:
        earlier: set[int] = set()
        imports = _imported(result)
        for name in result.entry_names:
            earlier.update(makers.get(name, ()))
            readers.setdefault(name, []).append(result.cell)
        for name in result.made & read:
            if name in imports and imported.get(name, False):  # it gives the same module
                continue
            earlier.update(makers.get(name, ()), readers.get(name, ()))
            makers[name], readers[name] = [result.cell], []
            imported[name] = name in imports
        before[result.cell] = frozenset(earlier - {result.cell})
    return before


def _imported(result: CellResult) -> frozenset[str]:
    """Return the names that nothing but imports made in a run."""
    bound = _made(record.writes for record in result.records if record.imports)
    other = (record for record in result.records if not record.imports)
    return bound - _made((*r.writes, *r.mutates) for r in other)


def _made(names: Iterable[Iterable[str]]) -> frozenset[str]:
    return frozenset(name for group in names for name in group)
