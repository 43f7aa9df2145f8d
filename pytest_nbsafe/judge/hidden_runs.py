"""Cells that ran more often than the page shows, or never, where the outputs tell of it.

A count that is missing just before a cell's own may be that of another run of it. It was one when
the page with that run added gives what was saved, and the page as it stands does not. So is a cell
without a count shown to have never run.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from itertools import islice

from pytest_nbsafe.analysis import rerun_hazards
from pytest_nbsafe.analysis.dependencies import needs, page_edges, upstream
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.judge.trial import Judgement, RanOtherwise
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.order.missing_counts import missing_before
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.trace.outputs.text_alone import compare, reproduces
from pytest_nbsafe.trace.results import CellResult, PlanResult
from pytest_nbsafe.values import dataclass, replace

_MOST_MISSING = 3


@dataclass(frozen=True, slots=True)
class HiddenRuns:
    """A cell that may have run before its count as well, as each of the `counts` just before it.

    Without any it may never have run.
    """

    cell: int
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RunAsFar:
    """A plan to be run in a kernel of its own, as far as a cell, to its end where it is None."""

    plan: Plan
    cell: int | None


Inquiry = Generator[RunAsFar, PlanResult, RanOtherwise | None]
"""Yields what to run next, is sent what it gave, and returns the cell that ran otherwise."""


def may_be(graph: Graph) -> bool:
    """Return whether the counts leave room for runs that the page does not show.

    The text of a cell says that another run of it would tell.
    """
    return bool(candidates(graph) or never_ran(graph))


def has_room(graph: Graph) -> bool:
    """Return whether any cell may have run once more, or never."""
    return bool(_with_few_missing(graph) or never_ran(graph))


def inquiry(
    graph: Graph,
    clean: PlanResult,
    judgements: Mapping[int, Judgement],
    suspected: Collection[int],
    most_tried: int = 3,
) -> Inquiry:
    """Ask which cell's other runs explain a saved text that nothing else does."""
    shown = may_explain(graph, clean, judgements, suspected)
    if shown is None:
        return None
    for hidden, plan in islice(_other_plans(graph, clean, shown), most_tried):
        other = yield RunAsFar(plan, shown)
        if not gives_the_page(graph.notebook, clean, other, shown):
            continue
        repeated = yield RunAsFar(clean.plan, shown)
        if not gives_the_same(clean, repeated, shown):
            return None
        lines = judgements[shown].saved, judgements[shown].clean
        changes = tuple(sorted(_changed(graph, clean, hidden.cell)))
        return RanOtherwise(hidden.cell, hidden.counts, shown, *lines, changes)
    return None


def may_explain(
    graph: Graph,
    clean: PlanResult,
    judgements: Mapping[int, Judgement],
    suspected: Collection[int],
) -> int | None:
    """Return the cell whose saved text another plan may explain, None when there is none."""
    shown = unexplained(judgements, suspected)
    if shown is None or next(_other_plans(graph, clean, shown), None) is None:
        return None
    return shown


def _other_plans(graph: Graph, clean: PlanResult, shown: int) -> Iterator[tuple[HiddenRuns, Plan]]:
    """Yield the plans that may give what a cell shows: in which what ran how often.

    First those of cells of which the text says that they change their input, then those that were
    seen to; then those of other cells above, for what they change may have another name, too.
    """
    plan = clean.plan
    lost = [cell for cell in never_ran(graph) if cell < shown]
    if lost:
        above = upstream(page_edges(graph), shown)
        cell = max(lost, key=lambda cell: (cell in above, cell))
        yield HiddenRuns(cell, ()), without(plan, lost)
    by_text = candidates(graph)
    seen = tuple(each for each in seen_to_change(graph, clean) if each not in by_text)
    likely = *suspects(graph, by_text, shown), *suspects(graph, seen, shown, clean)
    others = (each for each in reversed(by_text) if each.cell < shown and each not in likely)
    for hidden in (*likely, *others):
        yield hidden, with_runs(plan, hidden)


def candidates(graph: Graph) -> tuple[HiddenRuns, ...]:
    """Return the cells with a few missing counts before their own that change what they read."""
    return tuple(each for each in _with_few_missing(graph) if _changes_input(graph, each.cell))


def seen_to_change(graph: Graph, clean: PlanResult) -> tuple[HiddenRuns, ...]:
    """Return those that were seen to change what another cell made, though no text says so."""
    return tuple(each for each in _with_few_missing(graph) if _changed(graph, clean, each.cell))


def _with_few_missing(graph: Graph) -> tuple[HiddenRuns, ...]:
    gaps = sorted(missing_before(graph).items())
    return tuple(
        HiddenRuns(cell, tuple(gap))
        for cell, gap in gaps
        if len(gap) <= _MOST_MISSING and cell in graph.cells
    )


def _changes_input(graph: Graph, cell: int) -> bool:
    analysis = graph.cells[cell]
    used = {use.name for use in analysis.uses}
    changed = any(d.name in used and d.kind != "import" for d in analysis.definitions)
    return changed or any(True for _ in rerun_hazards.hazards(graph, cell))


def _changed(graph: Graph, clean: PlanResult, cell: int) -> frozenset[str]:
    """Return what a run of a cell changed of what cells above made."""
    analysis, result = graph.cells[cell], clean.last(cell)
    used = {use.name for use in analysis.uses}
    by_text = {d.name for d in analysis.definitions if d.name in used and d.kind != "import"}
    records = result.records if result is not None else ()
    seen = {name for record in records for name in (*record.writes, *record.mutates)}
    changed = (by_text | seen) - analysis.dead
    return frozenset(name for name in changed if any(n < cell for n in graph.binders.get(name, ())))


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


def suspects(
    graph: Graph,
    candidates: Collection[HiddenRuns],
    cell: int,
    clean: PlanResult | None = None,
) -> tuple[HiddenRuns, ...]:
    """Return those that `cell` is made from, however far, the nearest first; itself is one.

    Of a run also those that changed what it, or one of these, reads.
    """
    above = {cell, *upstream(page_edges(graph), cell)}
    if clean is not None:
        read = {use.name for each in above for use in needs(graph, each)}
        above |= {
            each.cell
            for each in candidates
            if each.cell < cell and not read.isdisjoint(_changed(graph, clean, each.cell))
        }
    return tuple(
        sorted((runs for runs in candidates if runs.cell in above), key=lambda runs: -runs.cell)
    )


def with_runs(plan: Plan, hidden: HiddenRuns) -> Plan:
    """Return the plan in which the cell runs as each of the missing counts, too."""
    runs: list[Run] = []
    for run in plan.runs:
        if run.cell == hidden.cell:
            runs += (Run(0, run.cell, count, recorded=False, reason="") for count in hidden.counts)
        runs.append(run)
    return _numbered(plan, runs)


def _numbered(plan: Plan, runs: Iterable[Run]) -> Plan:
    return Plan(plan.order, tuple(replace(run, step=step) for step, run in enumerate(runs, 1)))


def gives_the_page(notebook: Notebook, clean: PlanResult, other: PlanResult, cell: int) -> bool:
    """Return whether another plan gives what was saved of `cell`, and of all that the clean does.

    Asked of the cells as far as that one.
    """
    right = [r.cell for r in clean.results if r.cell < cell and _is_as_saved(notebook, r)]
    return all(_is_as_saved(notebook, other.last(number)) for number in (cell, *right))


def gives_the_same(clean: PlanResult, second: PlanResult, cell: int) -> bool:
    """Return whether a second clean run shows the same of a cell: no chance has part in it."""
    first, repeated = clean.last(cell), second.last(cell)
    if first is None or repeated is None:
        return False
    return compare(first.outputs, repeated.outputs).result == "same" or not first.outputs


def _is_as_saved(notebook: Notebook, result: CellResult | None) -> bool:
    if result is None or not result.came_to_end:
        return False
    return reproduces(result.outputs, notebook.cell(result.cell).outputs)
