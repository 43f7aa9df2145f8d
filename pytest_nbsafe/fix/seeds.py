"""NBS405: a seed is set right after the import of the library that draws."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pytest_nbsafe.analysis import draws
from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.fix.notebook_text import CellEdit
from pytest_nbsafe.fix.remedy import Patient, Remedy
from pytest_nbsafe.libraries import random_sources
from pytest_nbsafe.libraries.random_sources import Source
from pytest_nbsafe.notebook.model import Cell, Notebook


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
    place = _import(graph.notebook, needs.split()[1])
    if place is None:
        if first in graph.binders:  # by a `from` import, or it is something else
            return None
        cell = graph.notebook.code_cells[0]
        edit = CellEdit(f"{needs}\n\n{source.seed}\n{cell.source}")
        return Remedy(
            "NBS405", f"cell {cell.number}: `{source.seed}` at the top", {cell.number: edit}
        )
    cell, line, name = place
    if graph.binders.get(name, ()) != (cell.number,):
        return None
    lines = cell.source.split("\n")
    text = "\n".join((*lines[:line], f"{name}.{call}", *lines[line:]))
    says = f"cell {cell.number}: `{name}.{call}` behind the imports"
    return Remedy("NBS405", says, {cell.number: CellEdit(text)})


def _import(notebook: Notebook, module: str) -> tuple[Cell, int, str] | None:
    """Return the cell that imports a module, the last line of its imports, and the name."""
    for cell in notebook.code_cells:
        try:
            body = ast.parse(cell.source).body
        except (SyntaxError, ValueError):  # a magic, or half-written
            continue
        imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
        for node in imports:
            for alias in node.names if isinstance(node, ast.Import) else ():
                if alias.name == module:
                    last = imports[-1]
                    return cell, last.end_lineno or last.lineno, alias.asname or module
    return None
