"""What every name was made from, and when: versions over time, replayed from records."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.call_graph import called_by
from pytest_nbsafe.analysis.model import Function, Graph, Statement, kept
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.trace.results import CellResult, Record, Timestamp
from pytest_nbsafe.values import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Link:
    """A parent of a version: made at `at` in cell `maker`, read at `read_at` in `cell`."""

    parent: str
    at: Timestamp
    maker: int
    read_at: Timestamp
    cell: int
    line: int


@dataclass(frozen=True, slots=True)
class Version:
    """What a name held from `at` on, where it was made, and its parents (Def. 3) by name."""

    name: str
    at: Timestamp
    cell: int
    line: int
    links: Mapping[str, Link] = field(default_factory=dict)
    imported: bool = False


def is_newer(link: Link, parent: Version) -> bool:
    """Return whether a later run made the parent again than the one that read it.

    Source: Macke et al. 2021, Def. 2: what one run of a cell does has one timestamp. A cell
    that reads `x` and then changes it does so in every order.
    """
    return parent.at[0] > link.read_at[0]


@dataclass(frozen=True, slots=True)
class Descent:
    """A name, one of the links it was made by, and that parent as it is now."""

    name: str
    link: Link
    parent: Version

    @property
    def is_newer(self) -> bool:
        """Whether a later run made the parent again than the one that read it."""
        return is_newer(self.link, self.parent)


_NEVER: Timestamp = (0, 0)


def _by_parent(found: tuple[Link, Version]) -> str:
    return found[0].parent


@dataclass(frozen=True, slots=True)
class LineageState:
    """The symbol table at one moment: the current versions, and when names were last deleted."""

    symbols: Mapping[str, Version] = field(default_factory=dict)
    deleted: Mapping[str, Timestamp] = field(default_factory=dict)

    def parents(self, name: str) -> Iterator[Descent]:
        """Yield the parents of a name that are still there, by their names.

        A parent that was deleted is no parent any more, though its name be bound again.
        """
        for link, parent in sorted(self.still_there(name), key=_by_parent):
            yield Descent(name, link, parent)

    def still_there(self, name: str) -> list[tuple[Link, Version]]:
        """Return the same as links and what they lead to now, in no order."""
        symbols, deleted = self.symbols, self.deleted
        return [
            (link, symbols[other])
            for other, link in symbols[name].links.items()
            if other in symbols and deleted.get(other, _NEVER) <= link.at
        ]

    def roots(
        self, name: str, scan: Callable[[int], None] = lambda _links: None
    ) -> Iterator[tuple[Descent, ...]]:
        """Yield why a name is stale, nearest first: the way to each parent that is newer.

        A name is stale exactly when there is one. The way starts with the name itself; only the
        last parent on it is newer than the read of it.

        Source: Macke et al. 2021, Def. 4; the recursion is a search, so that names made from
        each other end it. Departs: an input counts from when it was *read*, not from when the
        symbol last changed. The two are the same until a symbol is changed in place (`a += 1`,
        `a['k'] = 1`), which by the letter of Def. 4 would make a stale symbol fresh.
        `scan` is told how many links of a name are looked at.
        """
        ways: deque[tuple[str, tuple[Descent, ...]]] = deque([(name, ())])
        passed = {name}
        while ways:
            symbol, way = ways.popleft()
            if symbol not in self.symbols:
                continue
            scan(len(self.symbols[symbol].links))
            for descent in self.parents(symbol):
                if descent.is_newer:
                    yield (*way, descent)
                elif descent.parent.name not in passed:
                    passed.add(descent.parent.name)
                    ways.append((descent.parent.name, (*way, descent)))


def replay(records: Iterable[Record]) -> LineageTable:
    """Return what the records, in the order they ran, say of every name: the table at their end.

    Source: Macke et al. 2021, Def. 2-4 and Table 1. Departs: a timestamp counts statements too,
    not cells only; an import over an import makes nothing newer, since running an import again
    gives the same module (two modules imported under one name are not told apart).
    """
    table = LineageTable()
    for record in records:
        table.apply(record)
    return table


class LineageTable:
    """The symbol table while records are applied to it, and every version in the order of making.

    `now` is its state, which changes as it does; `touched` are the names that were made or
    deleted, `gone` those that were deleted, until someone clears them.
    """

    def __init__(self) -> None:
        self.versions: list[Version] = []
        self.touched: set[str] = set()
        self.gone: set[str] = set()
        self._symbols: dict[str, Version] = {}
        self._deleted: dict[str, Timestamp] = {}
        self._aliases: dict[str, set[str]] = {}
        self.now = LineageState(self._symbols, self._deleted)

    def apply(self, record: Record) -> None:
        """Change the table as one statement did."""
        before = self._symbols  # until all is known that the statement made
        known_before = len(self.versions)
        writes = dict(record.writes)
        for name, inflow in sorted(record.mutates.items()):
            writes.pop(name, None)
            self._mutate(record, name, inflow, before)
        for name, inflow in sorted(writes.items()):
            if name in inflow and self._still_shared(record, name):
                self._mutate(record, name, inflow, before)
            else:
                self._write(record, name, inflow, before)
        for version in self.versions[known_before:]:
            self._symbols[version.name] = version
            self.touched.add(version.name)
        for name in sorted(record.deletes):
            self._part(name)
            self._symbols.pop(name, None)
            self._deleted[name] = record.at
            self.touched.add(name)
            self.gone.add(name)
        for group in record.aliases:
            self._join(group)

    def _write(
        self, record: Record, name: str, inflow: Collection[str], before: Mapping[str, Version]
    ) -> None:
        """Bind a name; a value made from the name's own keeps its parents (`a = a + e`)."""
        old = before.get(name)
        self._part(name)
        if record.imports and old is not None and old.imported:
            return
        links = _links(record, inflow, before)
        if old is not None and name in inflow:
            links = {**old.links, **links}
            links.pop(name, None)
        version = Version(name, record.at, record.cell, record.line, links, record.imports)
        self.versions.append(version)

    def _mutate(
        self, record: Record, name: str, inflow: Collection[str], before: Mapping[str, Version]
    ) -> None:
        """Make every name of the changed object new, with what flowed into it."""
        if name in before and before[name].imported:
            return  # `np.random.seed(0)`, `plt.title(t)`: a module is not made again by that
        group = self._aliases.get(name, {name})
        for alias in sorted(group):
            old = before.get(alias)
            kept = dict(old.links) if old is not None else {}
            kept.update(_links(record, set(inflow) - group, before))
            for twin in group & kept.keys():
                kept[twin] = _link(record, twin, record.at, record.cell)
            kept.pop(alias, None)
            self.versions.append(Version(alias, record.at, record.cell, record.line, kept))

    def _still_shared(self, record: Record, name: str) -> bool:
        """Whether the name held one object with others before the statement and does after it."""
        others = self._aliases.get(name, set()) - {name}
        return any(name in group and others & group for group in record.aliases)

    def _part(self, name: str) -> None:
        """Take a name out of the names of its object."""
        if name in self._aliases:
            self._aliases.pop(name).discard(name)

    def _join(self, names: Collection[str]) -> None:
        """Note that these names hold one object now, with all that held it before.

        All names of one object share one set. The largest of the sets takes in the others, so that
        a long chain of copies does not copy its names again with each.
        """
        known = [self._aliases[name] for name in names if name in self._aliases]
        group = max(known, key=len, default=set[str]())
        for other in (*known, names):
            if other is not group:
                group.update(other)
                self._aliases.update(dict.fromkeys(other, group))


def _links(
    record: Record, parents: Iterable[str], before: Mapping[str, Version]
) -> dict[str, Link]:
    """Return links to the parents that are symbols: builtins, say, are none."""
    return {
        parent: _link(record, parent, before[parent].at, before[parent].cell)
        for parent in sorted(parents)
        if parent in before
    }


def _link(record: Record, parent: str, at: Timestamp, maker: int) -> Link:
    return Link(parent, at, maker, record.at, record.cell, record.line)


# --- records from the text alone -------------------------------------------------------------


def records(results: Iterable[CellResult]) -> tuple[Record, ...]:
    """Return what the statements of runs did, in their order."""
    return tuple(record for result in results for record in result.records)


_STATEMENT = 5
"""The steps that it takes to follow what one statement makes of all names."""


def static_records(graph: Graph, plan: Plan) -> tuple[Record, ...]:
    """Return what the plan would leave if every statement of its cells ran once, top to bottom.

    Source: Macke et al. 2021, Table 1 and section 3.2. Departs: both branches of an `if` count,
    and a loop's body once, since nothing is run; two names are taken to share one object only
    where the text says so (`b = a`, `a = b = ...`).
    """
    cells = plan.cells
    # Who asks goes through all of them, also where they are known already.
    graph.budget.spend(_STATEMENT * sum(len(graph.cells[cell].statements) for cell in cells))
    return _static_records(graph, cells)


@kept
def _static_records(graph: Graph, cells: tuple[int, ...]) -> tuple[Record, ...]:
    records: list[Record] = []
    ran: deque[int] = deque()
    alike: dict[int, tuple[Record, ...]] = {}
    for step, cell in enumerate(cells, 1):
        made = alike.get(cell)
        if made is None:
            made = tuple(_records_of_run(graph, cell, ran))
            if not any(statement.calls for statement in graph.cells[cell].statements):
                alike[cell] = made
        records.extend(_at_step(record, step) for record in made)
        ran.appendleft(cell)
    return tuple(records)


def _records_of_run(graph: Graph, cell: int, ran: Sequence[int]) -> Iterator[Record]:
    """Yield what a run of a cell does, as at step 0; `ran` are the cells before, last one first.

    Which functions it calls hangs on them.
    """
    for ordinal, statement in enumerate(graph.cells[cell].statements, 1):
        called = called_by(graph, cell, statement, before=ran)
        changed = _with_changes(graph, cell, statement)
        yield statement_record((0, ordinal), cell, changed, called)


def _at_step(record: Record, step: int) -> Record:
    return Record(
        (step, record.at[1]),
        record.cell,
        record.line,
        record.reads,
        record.writes,
        record.mutates,
        record.deletes,
        record.aliases,
        record.imports,
    )


def _with_changes(graph: Graph, cell: int, statement: Statement) -> Statement:
    """Return a statement with what the functions that it calls change in place: `add(items)`."""
    span = statement.span
    changed = {
        definition.name: statement.reads - {definition.name}
        for definition in dependencies.changed_by_calls(graph, cell)
        if span.line <= definition.span.line <= span.end_line
        and definition.name in statement.reads
        and definition.name not in statement.writes
    }
    return replace(statement, mutates={**changed, **statement.mutates}) if changed else statement


def statement_record(
    at: Timestamp, cell: int, statement: Statement, called: tuple[Function, ...]
) -> Record:
    """Return a statement's record; what the functions it calls read, return and bind is its own."""
    reads = statement.reads.union(*(function.reads for function in called))
    returned = frozenset[str]().union(*(function.returns for function in called))
    writes = {name: parents | returned for name, parents in statement.writes.items()}
    for function in called:
        for name in function.writes:
            writes.setdefault(name, frozenset(function.reads) - {name})
    return Record(
        at=at,
        cell=cell,
        line=statement.span.line,
        reads=reads,
        writes=writes,
        mutates={name: inflow | returned for name, inflow in statement.mutates.items()},
        deletes=statement.deletes,
        aliases=(statement.same,) if statement.same else (),
        imports=statement.kind == "import",
    )
