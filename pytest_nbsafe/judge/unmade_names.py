"""Names that failed cells did not make: what reads them need not run.

After a cell failed, the cells that read what it failed to make are skipped because of it; the
others run. A cell that does not parse may have made any of its words, one with a star import or
the like any name that no cell defines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.analysis.scopes import is_known
from pytest_nbsafe.trace.results import CellResult

_WORD = patterns.compile(r"[^\W\d]\w*")
_Foreign = Callable[[str], bool]


def blocker(graph: Graph, results: Sequence[CellResult], cell: int) -> tuple[str, int] | None:
    """Return a name that a cell needs and the cell that failed to make it, None for none.

    `results` are those of the steps before it.
    """
    if all(result.status == "ok" for result in results):
        return None
    defined = {name for analysis in graph.cells.values() for name in analysis.leaves}

    def is_foreign(name: str) -> bool:
        """Return whether no cell defines the name in plain sight, nor Python does."""
        return name not in defined and not is_known(name, graph.notebook.python_major)

    unmade, hiding = _unmade_by(graph, results, is_foreign)
    for use in dependencies.needs(graph, cell):
        if not use.guarded and use.name in unmade:
            return use.name, unmade[use.name]
        if not use.guarded and hiding and is_foreign(use.name):
            return use.name, hiding
    return None


def _unmade_by(
    graph: Graph, results: Sequence[CellResult], is_foreign: _Foreign
) -> tuple[Mapping[str, int], int]:
    """Return each name that is missing with the cell that failed to make it.

    The second is the failed cell that hides which names it binds, 0 for none: one that passed
    may have bound any name.
    """
    unmade: dict[str, int] = {}
    hiding: int | None = None
    for result in results:
        analysis = graph.cells[result.cell]
        failed = result.because or result.cell
        for name in (name for record in result.records for name in record.writes):
            unmade.pop(name, None)
        if result.status != "ok":
            if analysis.opaque and hiding is None:
                hiding = failed
            unmade.update(dict.fromkeys(_unmade(graph, result, is_foreign), failed))
            continue
        for name in analysis.dead:
            unmade.pop(name, None)
        if analysis.opaque:
            hiding = 0
    return unmade, hiding or 0


def _unmade(graph: Graph, result: CellResult, is_foreign: _Foreign) -> frozenset[str]:
    """Return the names that the cell should have made or changed, and did not.

    What stands above the line that failed has had its chance: a branch not taken there
    leaves nothing undone. What the failed statement itself changed is not to be trusted.
    """
    analysis = graph.cells[result.cell]
    if analysis.fault is not None:
        return frozenset(filter(is_foreign, _WORD.findall(graph.notebook.cell(result.cell).source)))
    failed = result.failing_line
    wanted = {d.name for d in analysis.definitions if d.kind != "delete"}
    done = {
        (record.line, name)
        for record in result.records
        for name in (*record.writes, *record.mutates)
    }
    undone = {
        name
        for statement in analysis.statements
        if statement.span.end_line >= failed
        for name in (*statement.writes, *statement.mutates)
        if statement.span.line <= failed or (statement.span.line, name) not in done
    }
    return frozenset((wanted - result.made) | undone)
