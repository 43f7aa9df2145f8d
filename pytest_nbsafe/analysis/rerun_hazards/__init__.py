"""What running a cell a second time would change in the names that it takes from other cells."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pytest_nbsafe.analysis.model import CellAnalysis, Graph, Span, kept
from pytest_nbsafe.values import dataclass

if TYPE_CHECKING:
    from pytest_nbsafe.analysis.rerun_hazards.statement_walk import Change

_VALUES = frozenset({"assign", "augmented", "with", "annotation", "walrus", "loop", "magic"})
"""The kinds of definition whose name holds data, and no module, function or class."""


@dataclass(frozen=True, slots=True)
class Hazard:
    """A name whose object a second run would find changed by the first.

    `does` continues "a second run of this cell ...". `maker` is the nearest cell above that binds
    the name. `rebinds` tells an assignment from a change in place; `raises` what a second run
    fails at from what it does in silence.
    """

    name: str
    span: Span
    does: str
    maker: int
    rebinds: bool
    raises: bool


def hazards(graph: Graph, cell: int) -> tuple[Hazard, ...]:
    """Return what a second run of a cell would change or fail at, one a name, in page order.

    Only what is surely so: names that the cell takes from cells above and does not make again, and
    methods whose second call is known to matter for the object's class. What stands under `if` or
    `try` is left out, for that is how a second run is guarded against.
    """
    analysis = graph.cells[cell]
    makers = dict(_candidates(graph, analysis))
    if not makers:
        return ()
    from pytest_nbsafe.analysis.rerun_hazards.statement_walk import Walk  # few ask

    try:
        walk = Walk(graph, cell, frozenset(makers))
    except RecursionError:  # nested too deeply: nothing is known
        return ()
    first: dict[str, Change] = {}
    for change in walk.lasting():
        before = first.get(change.name)
        stronger = before is None or (change.kind == "raises" and before.kind != "raises")
        if change.name not in analysis.dead and stronger:
            first[change.name] = change
    graph.budget.scan(len(first) * len(analysis.statements))
    each = (_hazard(analysis, change, makers[name]) for name, change in first.items())
    return tuple(sorted(each, key=lambda hazard: (hazard.span.line, hazard.span.column)))


def _candidates(graph: Graph, analysis: CellAnalysis) -> Iterator[tuple[str, int]]:
    """Yield each name that a cell reads and then binds, changes or deletes, and its maker."""
    touched = {d.name for d in analysis.definitions if not d.doubtful}
    for use in analysis.uses:
        if use.name in touched:
            binders = graph.binders.get(use.name, ())
            above = bisect_left(binders, analysis.cell)
            if above and _holds_data(graph, binders[above - 1], use.name):
                yield use.name, binders[above - 1]


def _holds_data(graph: Graph, cell: int, name: str) -> bool:
    kinds = _kinds(graph, cell).get(name)
    return kinds is None or not kinds.isdisjoint(_VALUES)


@kept
def _kinds(graph: Graph, cell: int) -> Mapping[str, set[str]]:
    """Return how a cell binds or changes each of its names."""
    kinds: dict[str, set[str]] = {}
    for definition in graph.cells[cell].definitions:
        kinds.setdefault(definition.name, set()).add(definition.kind)
    return kinds


def _hazard(analysis: CellAnalysis, change: Change, maker: int) -> Hazard:
    line = change.node.lineno
    spans = [s.span for s in analysis.statements if s.span.line == line]
    here = [s for s in spans if s.column == change.node.col_offset + 1] or spans
    span = here[0] if here else Span(line, 1, line, 2)
    rebinds = any(
        d.span.line >= line and d.name == change.name and d.kind in _VALUES
        for d in analysis.definitions
    )
    return Hazard(change.name, span, change.does, maker, rebinds, change.kind == "raises")
