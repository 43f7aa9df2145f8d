"""Which cells share no name with others, and which would be left alone by a rename."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from pytest_nbsafe.absint.whatif_answer import Renamed
from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.model import Graph


def isolated(graph: Graph) -> tuple[int, ...]:
    """Return the cells that read nothing of other cells and make nothing that others read.

    Source: NBLyzer, section 4.1 (isolated cells, depth 1). Departs: a cell that may bind names
    unseen, or does not parse, is never called isolated.
    """
    return _isolated(graph, _shared(graph))


def renamed(graph: Graph, cell: int, name: str) -> Renamed:
    """Return what a rename of the name in this cell alone would do to the others."""
    others = [number for number in dependencies.definers(graph, name) if number != cell]
    reads, makes = _shared(graph)
    readers = sorted(n for n in graph.cells if n != cell and name in reads[n])
    elsewhere = tuple((reader, _nearest(others, reader)) for reader in readers if others)
    without = {**makes, cell: makes[cell] - {name}}
    kept = {n: names - {name} if n == cell else names for n, names in reads.items()}
    already = set(_isolated(graph, (reads, makes)))
    return Renamed(
        undefined=() if others else tuple(readers),
        elsewhere=tuple(
            pair for pair in elsewhere if _nearest(sorted([*others, cell]), pair[0]) == cell
        ),
        isolated=tuple(n for n in _isolated(graph, (kept, without)) if n not in already),
    )


def _shared(graph: Graph) -> tuple[Mapping[int, AbstractSet[str]], Mapping[int, AbstractSet[str]]]:
    """Return the names that each cell reads, and those that each binds or changes."""
    reads: dict[int, AbstractSet[str]] = {}
    makes: dict[int, set[str]] = {cell: set() for cell in graph.cells}
    for cell, analysis in graph.cells.items():
        inside = {name for f in analysis.functions.values() for name in f.reads}
        reads[cell] = inside.union(use.name for use in dependencies.needs(graph, cell))
    for found in (graph.binders, graph.changers):
        for name, cells in found.items():
            for cell in cells:
                makes[cell].add(name)
    return reads, makes


def _isolated(
    graph: Graph, shared: tuple[Mapping[int, AbstractSet[str]], Mapping[int, AbstractSet[str]]]
) -> tuple[int, ...]:
    reads, makes = shared
    made_by: dict[str, set[int]] = {}
    read_by: dict[str, set[int]] = {}
    for found, by in ((makes, made_by), (reads, read_by)):
        for cell, names in found.items():
            for name in names:
                by.setdefault(name, set()).add(cell)
    return tuple(
        cell
        for cell, analysis in sorted(graph.cells.items())
        if analysis.fault is None
        and not analysis.opaque
        and not any(made_by.get(name, set()) - {cell} for name in reads[cell])
        and not any(read_by.get(name, set()) - {cell} for name in makes[cell])
    )


def _nearest(definers: list[int], reader: int) -> int:
    """Return the nearest definer above the reader, else the first below it."""
    above = [cell for cell in definers if cell < reader]
    return above[-1] if above else definers[0]
