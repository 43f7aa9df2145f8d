"""A session that was run again: its runs, what the kernel holds, and the clean run beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_nbsafe import patterns
from pytest_nbsafe.trace.model import CellResult, Value
from pytest_nbsafe.values import dataclass, field, replace

_ONCE = patterns.compile(
    r"generator|coroutine|async_generator|map|filter|zip|enumerate|\w*iterator"
)


@dataclass(frozen=True, slots=True)
class Holding:
    """What a kernel holds between two runs: all names, and digests of state that no name shows.

    The keys of `beside` are libraries (`random`, `decimal`) and files (`file:data.csv`). `shared`
    are hashes of names whose values lie in folders of one kernel, as if all had the same.
    """

    names: Mapping[str, Value] = field(default_factory=dict)
    beside: Mapping[str, str] = field(default_factory=dict)
    shared: Mapping[str, str] = field(default_factory=dict)

    def end(self, name: str) -> Value | None:
        """Return what a name holds, to be compared with what it holds in another kernel."""
        value = self.names.get(name)
        if value is None or name not in self.shared:
            return value
        return replace(value, hash=self.shared[name])


@dataclass(frozen=True, slots=True)
class Passed:
    """A step of a session that has been run: the cell's id on the page, and what came of it.

    `result.cell` is the number of the text that ran (`notebook.sessionfile.Versions`).
    """

    step: int
    cell: str
    result: CellResult


@dataclass(frozen=True, slots=True)
class Clean:
    """A clean run of the latest texts in page order, past every error: the judge.

    `runs` are all that ran, in order; of a cell whose last run in the session raised, the last
    text that ran comes first. `holding` is what the kernel held in the end, `beside` what stood
    beside the names before the first run and after each.
    """

    runs: tuple[Passed, ...]
    holding: Holding
    beside: tuple[Mapping[str, str], ...]

    def last(self, cell: str) -> CellResult | None:
        """Return the result of a cell's latest text."""
        return next((p.result for p in reversed(self.runs) if p.cell == cell), None)

    def before(self, cell: str) -> Mapping[str, str]:
        """Return what stood beside the names before a cell's latest text ran."""
        places = [place for place, passed in enumerate(self.runs) if passed.cell == cell]
        return self.beside[places[-1]] if places else {}

    def drew(self, cell: str) -> frozenset[str]:
        """Return the sources of random numbers that a cell drew from, by their states."""
        return frozenset(
            source
            for place, passed in enumerate(self.runs)
            if passed.cell == cell
            for source in RANDOM
            if source in self.beside[place]  # else it was loaded only now
            and self.beside[place][source] != self.beside[place + 1].get(source)
        )

    def unlike(self, other: Clean, cell: str) -> frozenset[str]:
        """Return the sources whose state after a cell is not the same in another clean run."""
        return frozenset(
            source
            for place, passed in enumerate(self.runs)
            if passed.cell == cell and place < len(other.runs)
            for source in RANDOM
            if self.beside[place + 1].get(source) != other.beside[place + 1].get(source)
        )


RANDOM = ("random", "numpy.random")


@dataclass(frozen=True, slots=True)
class StepAnswer:
    """What is said after a step of a session.

    `causes` says of each stale symbol why it is stale, `judged` whether a clean run decided.
    `unknown` are the symbols of which neither values nor lineage tell. The cells are ids.
    """

    step: int
    cell: str
    status: str
    stale_symbols: tuple[str, ...] = ()
    stale_cells: tuple[str, ...] = ()
    fresh_cells: tuple[str, ...] = ()
    refresher_cells: tuple[str, ...] = ()
    unrunnable_cells: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    causes: Mapping[str, str] = field(default_factory=dict)
    judged: bool = False
    reason: str = ""


# ------------------------------------------------------------------ what a run read and made


def entry_reads(result: CellResult) -> frozenset[str]:
    """Return the names that a run read, or deleted, as they were when it began."""
    found: set[str] = set()
    bound: set[str] = set()
    for record in result.records:
        found |= (record.reads | record.deletes) - bound
        bound.update(record.writes)
        bound -= record.deletes
    return frozenset(found)


def values_read(result: CellResult) -> frozenset[str]:
    """Return the names of which a run read the value: `del` alone reads none."""
    found: set[str] = set()
    bound: set[str] = set()
    for record in result.records:
        found |= record.reads - bound
        bound.update(record.writes)
    return frozenset(found)


def made(result: CellResult) -> frozenset[str]:
    """Return the names that a run bound or changed in place."""
    return frozenset(flows(result))


def flows(result: CellResult) -> Mapping[str, frozenset[str]]:
    """Return what each name that a run made was made from, in names as they were at its begin."""
    found: dict[str, frozenset[str]] = {}

    def sources(names: frozenset[str]) -> frozenset[str]:
        return frozenset[str]().union(*(found.get(name, frozenset({name})) for name in names))

    for record in result.records:
        new = {name: sources(parents) for name, parents in record.writes.items()}
        for name, inflow in record.mutates.items():
            more = frozenset[str]() if is_once(result.after.get(name)) else inflow
            new[name] = sources(more | {name}) | new.get(name, frozenset())
        found.update(new)
    return found


def is_once(value: Value | None) -> bool:
    """Return whether a value is used up as it is looked at: to use it makes it no other."""
    return value is not None and _ONCE.fullmatch(value.kind) is not None


def bound(result: CellResult) -> frozenset[str]:
    """Return the names that a run bound anew."""
    return frozenset[str]().union(*(record.writes.keys() for record in result.records))


@dataclass(frozen=True, slots=True)
class Contribution:
    """A run that made what a name holds: `place` in the list of runs, and the names it used."""

    place: int
    passed: Passed
    inputs: frozenset[str]


def contributions(runs: Sequence[Passed], name: str) -> tuple[Contribution, ...]:
    """Return the run that last bound a name and those that changed its object since, in order."""
    found: list[Contribution] = []
    for place in range(len(runs) - 1, -1, -1):
        result = runs[place].result
        inputs = flows(result).get(name)
        if inputs is None:
            continue
        found.append(Contribution(place, runs[place], inputs))
        if name in bound(result):
            break
    return tuple(reversed(found))


def last_runs(runs: Sequence[Passed]) -> Mapping[str, Passed]:
    """Return the last run of each cell."""
    return {passed.cell: passed for passed in runs}


def in_page_order(page: Sequence[str], cells: frozenset[str] | set[str]) -> tuple[str, ...]:
    """Return cells sorted as they stand on the page."""
    return tuple(cell for cell in page if cell in cells)


def walk(runs: Sequence[Passed]) -> Iterator[tuple[int, Passed]]:
    """Yield runs with their places, the latest first."""
    yield from ((place, runs[place]) for place in range(len(runs) - 1, -1, -1))
