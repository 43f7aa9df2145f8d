"""The Python of a cell and its tree for those who ask later than the analysis; read once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pytest_nbsafe.analysis.cell import parse
from pytest_nbsafe.analysis.model import Graph, kept
from pytest_nbsafe.notebook.source import PythonSource, to_python


@kept
def python_of(graph: Graph, cell: int) -> PythonSource:
    """Return the Python of a code cell, with what was escaped in it; another language has none."""
    is_python = graph.notebook.language == "python"
    return to_python(graph.notebook.cell(cell).source if is_python else "")


@kept
def of(graph: Graph, cell: int) -> ast.Module:
    """Return the tree of a code cell's Python, empty for one that does not parse."""
    analysis = graph.cells.get(cell)
    if analysis is None or analysis.fault is not None:
        return ast.Module([], [])
    return parse(python_of(graph, cell).text)


def statements(module: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements of the module's level, also those in its blocks, in no set order."""
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, block, [])
            waiting.extend(inner if isinstance(inner, list) else [])


def inside(module: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Yield all statements, each with the outermost function or class that it stands in, or ""."""
    for node in statements(module):
        yield "", node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = (child for each in node.body for child in ast.walk(each))
            yield from ((node.name, child) for child in inner if isinstance(child, ast.stmt))
