"""Which cells a plan may run, and what each of them needs and leaves bound."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pytest_nbsafe.analysis import dependencies, state
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.notebook.cell_marks import is_skipped
from pytest_nbsafe.notebook.model import Cell


def runnable(graph: Graph) -> tuple[Cell, ...]:
    """Return the cells that a plan may run, in page order: code, not empty, not told to skip."""
    return tuple(c for c in graph.notebook.code_cells if not is_skipped(c))


def needed_names(graph: Graph, cell: int) -> tuple[str, ...]:
    """Return the names without which the cell cannot do its work, in order of appearance.

    A read inside a function that may not be reached, and a read where a missing name is
    expected, prove nothing. A file may be there from before.
    """
    uses = (use for use in dependencies.needs(graph, cell) if not state.outlives_kernel(use.name))
    wanted = (use.name for use in uses if not use.guarded and (use.certain or not use.via))
    return tuple(dict.fromkeys(wanted))


def bound_by_cells(graph: Graph) -> Mapping[int, frozenset[str]]:
    """Return for each cell the names that a run of it may leave bound."""
    bound: dict[int, set[str]] = {cell: set() for cell in graph.cells}
    for name, cells in graph.binders.items():
        for cell in cells:
            bound[cell].add(name)
    return {cell: frozenset(names) for cell, names in bound.items()}


def nearest_definer(
    graph: Graph, name: str, reader: int, candidates: Collection[Cell]
) -> int | None:
    """Return the candidate that most likely made `name` for the cell `reader`.

    A cell that was run goes before one that never was, above the reader before below, one that
    surely defines it before one that may, and near before far.
    """
    definers = set(graph.binders.get(name, ()))
    ranked = sorted(
        (
            cell.count is None,
            cell.number > reader,
            name not in graph.cells[cell.number].sure,
            abs(cell.number - reader),
            cell.number,
        )
        for cell in candidates
        if cell.number in definers
    )
    return ranked[0][-1] if ranked else None
