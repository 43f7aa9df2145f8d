"""NBS102 of an import: the statement moves up, into the first cell that needs it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.fix import own_statements
from pytest_nbsafe.fix.notebook_text import CellEdit
from pytest_nbsafe.fix.remedy import Patient, Remedy


def remedies(patient: Patient) -> Iterator[Remedy]:
    """Yield a remedy for each name that is read above the import which binds it."""
    notebook = patient.notebook
    for finding in patient.findings:
        if finding.code != "NBS102" or len(finding.steps) != 2:
            continue
        reader, definer = notebook.cell(finding.location.cell), notebook.cell(finding.steps[1].cell)
        where = finding.location
        line = reader.source.split("\n")[where.line - 1]
        name = line[where.column - 1 : (where.end_column or where.column) - 1]
        lines = _import_of(name, build(notebook), definer.number)
        if lines and not reader.source.startswith("%%") and "__future__" not in reader.source:
            says = f"the import of `{name}` moves up, from cell {definer.number} to {reader.number}"
            moved = definer.source.split("\n")[lines.start : lines.stop]
            edits = {
                reader.number: CellEdit(_with(moved, reader.source)),
                definer.number: CellEdit(_without(lines, definer.source)),
            }
            yield Remedy("NBS102", says, edits)


def _import_of(name: str, graph: Graph, cell: int) -> range:
    """Return the offsets of the lines that hold the import of a name and nothing else."""
    for placed in own_statements.imports(graph, cell):
        node = placed.node
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            continue
        assert isinstance(node, ast.Import | ast.ImportFrom), "imports alone are asked for"
        if name in {(a.asname or a.name).partition(".")[0] for a in node.names}:
            return range(placed.line - 1, placed.end)
    return range(0)


def _without(lines: range, source: str) -> str:
    return "\n".join(t for at, t in enumerate(source.split("\n")) if at not in lines)


def _with(moved: Sequence[str], source: str) -> str:
    """Return a source with these lines below its first comments, which may go for all of it."""
    lines = source.split("\n")
    head = next(
        (at for at, text in enumerate(lines) if text.strip() and not text.startswith("#")), 0
    )
    return "\n".join((*lines[:head], *moved, *lines[head:]))
