"""NBS405: a seed is set right after the import of the library that draws."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pytest_nbsafe.analysis import draws
from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.fix import own_statements
from pytest_nbsafe.fix.notebook_text import CellEdit
from pytest_nbsafe.fix.own_statements import Placed
from pytest_nbsafe.fix.remedy import Patient, Remedy
from pytest_nbsafe.libraries import random_sources
from pytest_nbsafe.libraries.random_sources import Source


def remedies(patient: Patient) -> Iterator[Remedy]:
    """Yield a seed for each source that draws without one, if what changes results may be done.

    It goes behind the first import of the source's module, in its cell; or, where another
    library draws from it and nobody imports it, above the first code cell, with the import.
    """
    if not patient.unsafe or not any(f.code == "NBS405" for f in patient.findings):
        return
    graph = build(patient.notebook)
    known = random_sources.load(patient.notebook.libraries).sources
    for source in dict.fromkeys(source for _, source in draws.unseeded(graph)):
        remedy = _seeded(graph, known[source]) if known[source].seed else None
        if remedy is not None:
            yield remedy


def _seeded(graph: Graph, source: Source) -> Remedy | None:
    first, _, call = source.seed.partition(".")
    needs = source.imports or f"import {first}"
    place = _import(graph, needs.split()[1])
    if place is None:
        if first in graph.binders:  # by a `from` import, or it is something else
            return None
        cell = graph.notebook.code_cells[0]
        edit = CellEdit(f"{needs}\n\n{source.seed}\n{cell.source}")
        return Remedy(
            "NBS405", f"cell {cell.number}: `{source.seed}` at the top", {cell.number: edit}
        )
    last, name = place
    if graph.binders.get(name, ()) != (last.cell,):
        return None
    lines = graph.notebook.cell(last.cell).source.split("\n")
    text = "\n".join((*lines[: last.end], f"{name}.{call}", *lines[last.end :]))
    says = f"cell {last.cell}: `{name}.{call}` behind the imports"
    return Remedy("NBS405", says, {last.cell: CellEdit(text)})


def _import(graph: Graph, module: str) -> tuple[Placed, str] | None:
    """Return the last import of the cell that imports a module, and the name of the module."""
    for cell in graph.notebook.code_cells:
        imports = own_statements.imports(graph, cell.number)
        for each in imports:
            for alias in each.node.names if isinstance(each.node, ast.Import) else ():
                if alias.name == module:
                    return imports[-1], alias.asname or module
    return None
