"""Cells that ran more often than the page shows, or never, where the outputs tell of it.

A count that is missing just before a cell's own may be that of another run of it. It was one when
the page with that run added gives what was saved, and the page as it stands does not. So is a cell
without a count shown to have never run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from pytest_nbsafe.analysis import graph as graphs
from pytest_nbsafe.analysis import reruns
from pytest_nbsafe.analysis.graph import Graph
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.notebook.plan import Plan, Run
from pytest_nbsafe.trace.model import CellResult, Judgement, PlanResult
from pytest_nbsafe.trace.outputs import compare
from pytest_nbsafe.values import dataclass

_MOST_MISSING = 3


@dataclass(frozen=True, slots=True)
class Again:
    """A cell that may have run before its count as well, as each of the `counts` just before it."""

    cell: int
    counts: tuple[int, ...]


def candidates(graph: Graph) -> tuple[Again, ...]:
    """Return the cells with missing counts before their own that change what they read.

    None where counts repeat: what is missing in one session may be there in another.
    """
    known = [cell.count for cell in graph.notebook.code_cells if cell.count is not None]
    if len(set(known)) != len(known):
        return ()
    return tuple(_candidates(graph, frozenset(known)))


def _candidates(graph: Graph, known: Collection[int]) -> Iterator[Again]:
    for cell in graph.notebook.code_cells:
        if cell.count is None or cell.number not in graph.cells:
            continue
        before = max((count for count in known if count < cell.count), default=0)
        gap = tuple(range(before + 1, cell.count))
        if 0 < len(gap) <= _MOST_MISSING and _changes_input(graph, cell.number):
            yield Again(cell.number, gap)


def _changes_input(graph: Graph, cell: int) -> bool:
    analysis = graph.cells[cell]
    used = {use.name for use in analysis.uses}
    changed = any(d.name in used and d.kind != "import" for d in analysis.definitions)
    return changed or any(True for _ in reruns.hazards(graph, cell))


def never_ran(graph: Graph) -> tuple[int, ...]:
    """Return the cells without a count and outputs that hold code, above a cell with a count."""
    counted = [cell.number for cell in graph.notebook.code_cells if cell.count is not None]
    last = max(counted, default=0)
    return tuple(
        cell.number
        for cell in graph.notebook.code_cells
        if cell.count is None
        and not cell.outputs
        and cell.number < last
        and graph.cells[cell.number].statements
    )


def without(plan: Plan, cells: Collection[int]) -> Plan:
    """Return the plan in which these cells do not run."""
    return _numbered(plan, [run for run in plan.runs if run.cell not in cells])


def unexplained(judgements: Mapping[int, Judgement], suspected: Collection[int]) -> int | None:
    """Return the first cell whose saved text the clean run does not give, and nobody knows why."""
    differing = (n for n in sorted(judgements) if judgements[n].output == "differs")
    return next((cell for cell in differing if cell not in suspected), None)


def suspects(graph: Graph, found: Collection[Again], cell: int) -> tuple[Again, ...]:
    """Return those that `cell` is made from, however far, the nearest first; itself is one."""
    above = made_from(graph, cell)
    return tuple(sorted((one for one in found if one.cell in above), key=lambda one: -one.cell))


def made_from(graph: Graph, cell: int) -> frozenset[int]:
    """Return the cells that `cell` is made from, however far, and itself."""
    above = {cell}
    page = tuple(one.number for one in graph.notebook.code_cells)
    for edge in sorted(graphs.edges(graph, page), key=lambda edge: edge.reader, reverse=True):
        if edge.reader in above and edge.definer < edge.reader:
            above.add(edge.definer)
    return frozenset(above)


def with_runs(plan: Plan, again: Again) -> Plan:
    """Return the plan in which the cell runs as each of the missing counts, too."""
    runs: list[Run] = []
    for run in plan.runs:
        if run.cell == again.cell:
            runs += (Run(0, run.cell, count, recorded=False, reason="") for count in again.counts)
        runs.append(run)
    return _numbered(plan, runs)


def _numbered(plan: Plan, runs: Iterable[Run]) -> Plan:
    steps = (
        Run(step, run.cell, run.count, recorded=run.recorded, reason=run.reason)
        for step, run in enumerate(runs, 1)
    )
    return Plan(plan.order, tuple(steps))


def gives_the_page(notebook: Notebook, clean: PlanResult, other: PlanResult, cell: int) -> bool:
    """Return whether another plan gives what was saved of `cell`, and of all that the clean does.

    Asked of the cells as far as that one.
    """
    if _as_saved(notebook, other.last(cell)) != "same":
        return False
    return all(
        _as_saved(notebook, other.last(result.cell)) == "same"
        for result in clean.results
        if result.cell < cell and _as_saved(notebook, result) == "same"
    )


def gives_the_same(clean: PlanResult, second: PlanResult, cell: int) -> bool:
    """Return whether a second clean run shows the same of a cell: no chance has part in it."""
    first, again = clean.last(cell), second.last(cell)
    if first is None or again is None:
        return False
    return compare(first.outputs, again.outputs).result == "same" or not first.outputs


def _as_saved(notebook: Notebook, result: CellResult | None) -> str:
    if result is None or result.status not in {"ok", "raised"}:
        return ""
    return compare(notebook.cell(result.cell).outputs, result.outputs).result
