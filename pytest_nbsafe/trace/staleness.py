"""Which runs read a stale name, which results are outdated, and what is suspect beyond the page.

Lineage suspects only: a clean run decides by value (`verdicts`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import groupby, islice

from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.dependencies import page_edges
from pytest_nbsafe.analysis.model import Edge, Graph
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.trace.cellsets import live, renewers
from pytest_nbsafe.trace.lineage import Descent, LineageState, Link
from pytest_nbsafe.trace.part_versions import PartVersions
from pytest_nbsafe.trace.results import Record, Timestamp, entry_reads
from pytest_nbsafe.trace.side_runs import NOTHING_SEEN, SeenParts
from pytest_nbsafe.trace.step_entries import Relations, entry_states, step_entries
from pytest_nbsafe.trace.suspicions import (
    Cause,
    OutdatedResult,
    ReadFromBelow,
    StaleRead,
    Suspicions,
)
from pytest_nbsafe.values import dataclass, replace

_Way = tuple[Descent, ...]
_Harm = Callable[[int, _Way], _Way]
"""Given a cell and the way from what it reads to a newer parent: the way to the one that harms."""

_MOST_THROUGH = 16
"""A cell at the end of a long chain may be outdated for every cell of it: the nearest will do."""

_WAY = 2
"""The steps that it takes to ask of one way whether it does harm."""

_MOST_ROOTS = 50
"""And of a name made from very many newer ones, the nearest of these are looked at."""


@dataclass(frozen=True, slots=True)
class _Old:
    """An outdated result, and the name that the cell reads of it."""

    result: OutdatedResult
    entered: str


def _outdated_results(
    graph: Graph, plan: Plan, symbols: PartVersions
) -> tuple[OutdatedResult, ...]:
    """Return the cells with an input that was made again after they last ran, in page order.

    Only what reaches the cell in page order counts: the definer stands above it. A cell whose
    input comes from an outdated cell is outdated too, through it, unless it ran after the change:
    then it read a stale name. In nbsafety's words these are the fresh cells (Def. 9), and the
    cells that such a cell feeds.
    """
    above: dict[int, list[Edge]] = {}
    for edge in page_edges(graph):
        above.setdefault(edge.reader, []).append(edge)
    last = plan.last_runs
    results: dict[int, tuple[_Old, ...]] = {}
    for reader in sorted(above):
        run = last.get(reader)
        if run is not None:
            results[reader] = _outdated(graph, plan, run, above[reader], symbols, results)
    return tuple(old.result for reader in sorted(results) for old in results[reader])


def _reads_from_below(
    graph: Graph, plan: Plan, records: Sequence[Record], symbols: PartVersions
) -> tuple[ReadFromBelow, ...]:
    """Return the recorded runs that read a name as a cell below them on the page had made it.

    Only names that a cell above makes too: else the name is defined later, and nothing else.
    Reads that may not happen are left out, and what an import binds.
    """
    last = plan.last_runs
    first_reads = _entry_reads(records, {run.step for run in last.values() if run.recorded})
    reads_from_below: dict[tuple[int, str], ReadFromBelow] = {}
    for step, state in entry_states(records):
        reads = first_reads.get(step, ())
        if not reads:
            continue
        run = plan.runs[step - 1]
        doubtful = _doubtful(graph, run.cell)
        for cell, line, name in reads:
            version = state.symbols.get(name)
            if version is None or version.imported or version.cell <= cell or name in doubtful:
                continue
            version = symbols.reaching(cell, version)
            if version is None or version.cell <= cell:
                continue
            maker = plan.runs[version.at[0] - 1]
            above = any(definer < cell for definer in graph.binders.get(name, ()))
            if above and maker.recorded and maker.session == run.session:
                reads_from_below.setdefault(
                    (cell, name),
                    ReadFromBelow(step, cell, line, name, version.cell, version.line),
                )
    return tuple(reads_from_below[key] for key in sorted(reads_from_below))


def _doubtful(graph: Graph, cell: int) -> frozenset[str]:
    """Return the names that the cell may read, or may do without."""
    return frozenset(u.name for u in dependencies.needs(graph, cell) if not u.is_needed)


def suspicions(
    graph: Graph,
    plan: Plan,
    records: Sequence[Record],
    clean_records: Sequence[Record],
    parts_seen: SeenParts = NOTHING_SEEN,
) -> Suspicions:
    """Return what lineage suspects of the plan and not of the clean run in page order.

    A stale read is left out when the clean run has the same relation at any time: the symbol and
    both versions of its parent were made by the same cells. So a notebook that was run top to
    bottom is never suspect, whatever it binds twice, nor are the cells that read `n` of
    `n = len(df); df = clean(df)`. Only the last run of a cell counts, since that is the one whose
    result the page shows. Nothing becomes newer by running an import again (`lineage.replay`); a
    function defined again does, since its text may have been another. Left out too is what only
    runs that the plan made up would show (`_is_made_up`), and a parent that the cell made for
    itself (`_is_own`). Of all versions of a parent since it was read the newest that tells is
    taken: `fit` makes `model` newer on every page, `Model()` not.
    """
    last = {run.step for run in plan.last_runs.values()}
    told = frozenset(run.step for run in plan.runs if run.recorded)
    usual = Relations(clean_records)
    symbols = PartVersions(graph, records, parts_seen)

    telling: dict[tuple[str, Link, Timestamp], Descent | None] = {}

    def tells(newer: Descent) -> Descent | None:
        if not _is_own(graph, newer):
            for version in symbols.left_since(newer, told):
                newest = replace(newer, parent=version)
                if not (_is_made_up(plan, newest) or usual.holds(newest)):
                    return None if symbols.is_other_part(newest) else newest
        return None

    def harm(cell: int, way: _Way) -> _Way:
        newer = way[-1]
        if newer.parent.name == way[0].name:
            return ()  # it is itself what was made again: `df` from a file that `df` went into
        asked = newer.name, newer.link, newer.parent.at
        if asked not in telling:
            telling[asked] = tells(newer)
        newest = telling[asked]
        if newest is None or symbols.is_apart(cell, way := (*way[:-1], newest)):
            return ()
        return way

    return Suspicions(
        stale_reads=stale_reads(graph, records, harm, last),
        outdated=_outdated_results(graph, plan, symbols),
        from_below=_reads_from_below(graph, plan, records, symbols),
    )


# --- stale reads -----------------------------------------------------------------------------


def _is_own(graph: Graph, descent: Descent) -> bool:
    """Return whether the cell made the parent itself: `t` of `t = time(); took = time() - t`.

    Who runs that cell again gets another such `t`, whatever the name holds before.
    """
    link = descent.link
    return link.at[0] == link.read_at[0] and link.parent not in live(graph, link.cell)


def _is_made_up(plan: Plan, descent: Descent) -> bool:
    """Return whether only the plan's own guess lets the parent be newer than the read of it.

    It is so when the older version came from a run that no count shows, of a cell further down,
    which the plan had to put there.
    """
    before = plan.runs[descent.link.at[0] - 1]
    return not before.recorded and before.cell > descent.link.cell


def stale_reads(
    graph: Graph,
    records: Sequence[Record],
    harm: _Harm = lambda _cell, way: way,
    steps: AbstractSet[int] | None = None,
) -> tuple[StaleRead, ...]:
    """Return the reads of names that were stale when the run began, by step and line.

    With `steps`, of these steps alone.

    Source: Macke et al. 2021, Def. 4 and 7. Departs: instead of all live names those that the run
    really read before it bound them.
    """
    first_reads = _entry_reads(records, steps)
    definers = renewers(graph)
    stale_reads: list[StaleRead] = []
    for moment in step_entries(records, steps):
        for cell, line, name in first_reads.get(moment.step, ()):
            stale = name in moment.stale
            chain = _chain(graph, moment.state, name, partial(harm, cell)) if stale else ()
            if chain:
                symbols = [cause.symbol for cause in chain]
                refreshers = _refreshers(graph, definers, moment.stale, cell, symbols)
                rest = _rest(graph, chain, refreshers)
                stale_reads.append(
                    StaleRead(moment.step, cell, line, name, chain, refreshers, rest)
                )
    return tuple(sorted(stale_reads, key=lambda read: (read.step, read.line, read.name)))


def _entry_reads(
    records: Iterable[Record], steps: AbstractSet[int] | None = None
) -> dict[int, list[tuple[int, int, str]]]:
    """Return, for each step, what it read of the state it began with: (cell, line, name).

    With `steps`, for these alone.
    """
    told = (record for record in records if steps is None or record.at[0] in steps)
    runs = {step: tuple(run) for step, run in groupby(told, lambda record: record.at[0])}
    return {
        step: [(run[0].cell, line, name) for name, line in entry_reads(run).items()]
        for step, run in runs.items()
    }


def _chain(
    graph: Graph, state: LineageState, name: str, harm: Callable[[_Way], _Way]
) -> tuple[Cause, ...]:
    """Return the way to the nearest newer parent that does harm, empty if there is none."""
    for way in islice(state.roots(name, graph.budget.scan), _MOST_ROOTS):
        graph.budget.spend(_WAY)
        if harmful := harm(way):
            return tuple(_cause(descent) for descent in harmful)
    return ()


def _cause(descent: Descent) -> Cause:
    link, parent = descent.link, descent.parent
    made_anew = parent.name, parent.cell, parent.line, parent.at
    return Cause(descent.name, link.cell, link.line, link.read_at, *made_anew)


# --- refreshers ------------------------------------------------------------------------------


def _refreshers(
    graph: Graph,
    definers: Mapping[str, Sequence[int]],
    stale: AbstractSet[str],
    reader: int,
    symbols: Iterable[str],
) -> tuple[int, ...]:
    """Return the refreshers of the first of the symbols that has any, nearest to the reader first.

    When every cell that would refresh the name is stale itself, one must begin further back.
    """
    for symbol in symbols:
        cells = [cell for cell in definers.get(symbol, ()) if stale.isdisjoint(live(graph, cell))]
        if cells:
            return tuple(sorted(cells, key=lambda cell: (abs(cell - reader), cell)))
    return ()


def _rest(graph: Graph, chain: Sequence[Cause], refreshers: Sequence[int]) -> tuple[int, ...]:
    """Return the cell that changed what a refresher above it makes: `model.fit`, not `Model`."""
    maker = chain[0].cell
    definitions = [d for d in graph.cells[maker].definitions if d.name == chain[0].symbol]
    changes = {definition.kind for definition in definitions} == {"mutation"}
    return (maker,) if changes and refreshers and refreshers[0] < maker else ()


# --- outdated results ------------------------------------------------------------------------


def _outdated(
    graph: Graph,
    plan: Plan,
    run: Run,
    edges: Collection[Edge],
    symbols: PartVersions,
    results: Mapping[int, tuple[_Old, ...]],
) -> tuple[_Old, ...]:
    """Return what made the last run of one cell outdated; one entry a name and definer.

    What the cell's own text reads comes before what the functions do that it calls. Of what comes
    through other cells the nearest are kept (`_MOST_THROUGH`).
    """
    outdated_by: dict[tuple[str, int], _Old] = {}
    for edge in sorted(edges, key=_place):
        line = edge.use.span.line
        version = symbols.last_made(edge.definer, edge.name)
        if version is not None and version.at[0] > run.step:
            version = symbols.reaching(run.cell, version, edge.definer)
        if version is not None and version.at[0] > run.step:
            made: tuple[int, Timestamp] | None = version.line, version.at
        else:
            made = _changed_again(graph, plan, run, edge, symbols)
        if made is not None:
            maker = edge.name, edge.definer
            result = OutdatedResult(run.step, run.cell, line, *maker, *made)
            outdated_by[maker] = _Old(result, edge.name)
    through = [
        (edge, old.result)
        for edge in edges
        for old in _entering(graph, edge, results.get(edge.definer, ()))
        if old.result.definer_at[0] > run.step
    ]
    graph.budget.spend(len(edges) + len(through))
    most = len(outdated_by) + _MOST_THROUGH
    for edge, old in sorted(through, key=lambda way: (len(way[1].through), way[0].use.span.line)):
        if len(outdated_by) >= most:
            break
        if (old.name, old.definer) not in outdated_by:
            result = _through(run, edge, old)
            outdated_by[old.name, old.definer] = _Old(result, edge.name)
    return tuple(outdated_by.values())


def _changed_again(
    graph: Graph, plan: Plan, run: Run, edge: Edge, symbols: PartVersions
) -> tuple[int, Timestamp] | None:
    """Return where and when the definer, whose text changes what the reader reads, ran after it.

    The same change twice shows in no record, but what its text was before is not known.
    """
    later = plan.last_runs.get(edge.definer)
    if later is None or later.step <= run.step or edge.definition.kind != "mutation":
        return None
    for change in graph.cells[edge.definer].definitions:
        is_change = change.name == edge.name and change.kind == "mutation" and not change.doubtful
        line = change.span.line
        if is_change and symbols.is_read_of(run.cell, edge.name, edge.definer, line):
            return line, (later.step, line)
    return None


def _place(edge: Edge) -> tuple[bool, int, int]:
    return bool(edge.use.via), edge.use.span.line, edge.use.span.column


def _entering(graph: Graph, edge: Edge, old: Sequence[_Old]) -> Sequence[_Old]:
    """Return what is old of what the definer made a name from; all of it where that is not told."""
    if len(old) < 2:
        return old
    wanted = {edge.name}
    for statement in reversed(graph.cells[edge.definer].statements):
        for target, parents in (*statement.writes.items(), *statement.mutates.items()):
            if target in wanted:
                wanted |= parents
    return [each for each in old if each.entered in wanted] or old


def _through(run: Run, edge: Edge, result: OutdatedResult) -> OutdatedResult:
    """Return what a cell's outdated result makes of that of its reader."""
    line, through = edge.use.span.line, (edge.definer, *result.through)
    return replace(result, step=run.step, cell=run.cell, line=line, through=through)
