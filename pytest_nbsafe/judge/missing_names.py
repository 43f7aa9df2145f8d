"""Names that a cell reads though nothing above it binds them: what NBS101 and NBS102 judge.

A static *must* is proved; anything that may have another explanation is at most suspected; what
a run shows stands over both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.model import CellAnalysis, Graph, Span, Use, kept
from pytest_nbsafe.notebook.model import Cell, is_skipped, may_raise, saved_error
from pytest_nbsafe.trace.results import CellResult, Failure, PlanResult, exception, undefined_name
from pytest_nbsafe.values import dataclass

Place = tuple[int, int]

_PLATFORM = frozenset({"dbutils", "displayHTML", "sc", "spark", "sqlContext", "table"})
"""Names that Spark and Databricks kernels bring along, as builtins do."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A read of a name that no cell above leaves bound.

    `later` are the cells below that define it; `deleted_by` is the cell above that deletes it, 0
    where no cell above defines it. `verdict` is observed when the clean run raised NameError there.
    """

    cell: int
    name: str
    span: Span
    verdict: Literal["observed", "proved", "suspected"]
    later: tuple[int, ...]
    via: str = ""
    deleted_by: int = 0

    @property
    def is_first_defined_later(self) -> bool:
        """Return whether only cells below define the name."""
        return bool(self.later) and not self.deleted_by


def missing(
    graph: Graph, clean: PlanResult, given: frozenset[str] = frozenset()
) -> tuple[Missing, ...]:
    """Return the missing names of every cell, in page order; not what a run refutes.

    `given` are names that the kernel is said to bring along: a run alone can tell otherwise.
    """
    order = tuple(cell.number for cell in graph.notebook.code_cells)
    by_place: dict[tuple[int, str], Missing] = {}
    own: dict[int, Mapping[str, Place]] = {}
    for index, use in dependencies.unbound(graph, order):
        cell = order[index]
        if cell not in own:
            own[cell] = _first_bindings(graph.cells[cell])
        result = clean.last(cell)
        verdict = _verdict(graph.notebook.cell(cell), result, use, own[cell])
        above, later = _definers(graph, cell, use.name)
        if verdict != "observed" and (use.name in given or use.name in _bound_by_functions(graph)):
            continue  # who calls the function, a widget maybe, the text need not say
        deleted_by = _deleter(graph, cell, use.name) if above else 0
        if verdict is not None and (deleted_by or not above):
            item = Missing(cell, use.name, use.span, verdict, later, use.via, deleted_by)
            by_place[cell, use.name] = item
    for item in _missing_in_run(graph, clean):
        by_place.setdefault((item.cell, item.name), item)
    return tuple(by_place[key] for key in sorted(by_place))


@kept
def _bound_by_functions(graph: Graph) -> frozenset[str]:
    """Return the names that some function of the notebook binds, as `global` lets it."""
    analyses = graph.cells.values()
    return frozenset[str]().union(*(f.writes for each in analyses for f in each.functions.values()))


def _definers(graph: Graph, cell: int, name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the cells above and those below that define the name."""
    cells = graph.binders.get(name, ())
    return tuple(n for n in cells if n < cell), tuple(n for n in cells if n > cell)


def _deleter(graph: Graph, cell: int, name: str) -> int:
    """Return the last cell above that deletes a name for sure, 0 for none that is to run."""
    above = (n for n, each in graph.cells.items() if n < cell and name in each.removed)
    last = max(above, default=0)
    return last if last and not is_skipped(graph.notebook.cell(last)) else 0


def _verdict(
    page: Cell, result: CellResult | None, use: Use, own: Mapping[str, Place]
) -> Literal["observed", "proved", "suspected"] | None:
    if use.guarded or _expected(page, use.name):
        return None
    failure = exception(result) if result else None
    if failure is not None:
        if undefined_name(failure.ename, failure.evalue) == use.name:
            return "observed"
        if not _is_after(page, use, failure):
            return None
    elif result is not None and result.status == "ok":
        return None
    if use.certain and not use.via and use.name not in _PLATFORM:
        return "proved"
    # In a loop or an `if` the cell may have bound it itself: whether it does is for a run to show.
    place = (use.span.line, use.span.column)
    return None if own.get(use.name, place) < place else "suspected"


def _is_after(page: Cell, use: Use, failure: Failure) -> bool:
    """Return whether the cell failed before it came to the read: `f(lost, use)`."""
    if use.span.line != failure.line:
        return use.span.line > failure.line
    name = undefined_name(failure.ename, failure.evalue)
    lost = mention(page, failure.line, name) if name is not None else None
    return lost is not None and lost.column < use.span.column


def _first_bindings(analysis: CellAnalysis) -> Mapping[str, Place]:
    """Return where a cell may bind each of its names for the first time."""
    places: dict[str, Place] = {}
    for definition in analysis.definitions:
        if definition.binds:
            place = (definition.span.line, definition.span.column)
            places[definition.name] = min(places.get(definition.name, place), place)
    return places


def mention(cell: Cell, line: int, name: str) -> Span | None:
    """Return where a line of the cell first mentions a name."""
    match = re.search(rf"\b{re.escape(name)}\b", cell.line(line))
    return Span(line, match.start() + 1, line, match.end() + 1) if match else None


def _expected(page: Cell, name: str) -> bool:
    """Return whether the page itself says that this cell fails so, or is not to run."""
    saved = saved_error(page)
    shown = saved is not None and undefined_name(saved.ename, saved.evalue) == name
    return shown or may_raise(page) or is_skipped(page)


def _missing_in_run(graph: Graph, clean: PlanResult) -> Iterator[Missing]:
    """Yield what the clean run saw missing, whether or not the text says so."""
    for result in clean.results:
        failure = exception(result)
        if failure is None:
            continue
        name = undefined_name(failure.ename, failure.evalue)
        page = graph.notebook.cell(result.cell)
        if name is None or _expected(page, name):
            continue
        above, later = _definers(graph, result.cell, name)
        span = mention(page, failure.line, name)
        if not above and (span or _in_frames(graph, name, failure)):
            line = max(failure.line, 1)
            where = span or Span(line, 1, line, 1)
            yield Missing(result.cell, name, where, "observed", later)


def _in_frames(graph: Graph, name: str, failure: Failure) -> bool:
    """Return whether a function of the notebook that the failure passed through mentions it."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    return any(word.search(graph.notebook.cell(cell).line(line)) for cell, line in failure.frames)
