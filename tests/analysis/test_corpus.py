"""Real notebooks: the scopes hold against CPython's own symbol tables."""

from __future__ import annotations

import ast
import symtable
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.cell import analyse
from pytest_nbsafe.analysis.dependencies import edges, unbound
from pytest_nbsafe.analysis.model import CellAnalysis
from pytest_nbsafe.analysis.scopes import is_known
from pytest_nbsafe.notebook.load import Unreadable, read
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.notebook.source import to_python

CORPUS = Path(__file__).parents[2].parent / "shared/notebooks"
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here"),
]


def notebooks() -> Iterator[Notebook]:
    for path in sorted(CORPUS.rglob("*.ipynb")):
        try:
            notebook = read(path)
        except Unreadable:
            continue
        if notebook.language == "python":
            yield notebook


def test_every_notebook_is_analysed() -> None:
    found = list(notebooks())
    assert len(found) > 190
    for notebook in found:
        graph = build(notebook)
        order = [cell.number for cell in notebook.code_cells]
        assert set(graph.cells) == set(order)
        edges(graph, order)
        unbound(graph, order)


def tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from tables(child)


def said_by_python(text: str) -> tuple[set[str], set[str]]:
    """Return the names of module scope that Python says are bound and are read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        top = symtable.symtable(text, "<cell>", "exec")
    bound = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    read_names = {s.get_name() for s in top.get_symbols() if s.is_referenced()}
    for table in tables(top):
        if table is not top:
            symbols = [s for s in table.get_symbols() if s.is_global()]
            read_names |= {s.get_name() for s in symbols if s.is_referenced()}
            bound |= {s.get_name() for s in symbols if s.is_assigned()}
    if sys.version_info >= (3, 12):  # comprehensions are inlined, and their names with them
        bound -= comprehension_names(text)
        read_names -= comprehension_names(text)
    return bound, {name for name in read_names if not is_known(name)}


def comprehension_names(text: str) -> set[str]:
    targets = (n.target for n in ast.walk(ast.parse(text)) if isinstance(n, ast.comprehension))
    return {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}


def said_by_us(analysis: CellAnalysis) -> tuple[set[str], set[str]]:
    bound = {d.name for d in analysis.definitions if d.kind != "mutation"}
    read_names = {use.name for use in analysis.uses}
    for statement in analysis.statements:
        read_names |= statement.reads
    for function in analysis.functions.values():
        bound |= function.writes
        read_names |= function.reads.keys()
    return bound, {name for name in read_names if not name.startswith("<")}


def test_scopes_against_symtable() -> None:
    checked = 0
    for notebook in notebooks():
        for cell in notebook.code_cells:
            text = to_python(cell.source).text
            try:
                bound, read_names = said_by_python(text)
            except (SyntaxError, ValueError):
                continue
            analysis = analyse(cell)
            if analysis.fault is not None or analysis.opaque or "return" in text.split("def")[0]:
                continue
            our_bound, our_read = said_by_us(analysis)
            if sys.version_info >= (3, 12):
                our_bound -= comprehension_names(text)
                our_read -= comprehension_names(text)
            where = (notebook.path, cell.number)
            assert {n for n in bound if n in our_bound} == bound, (where, bound - our_bound)
            assert our_bound <= bound, (where, our_bound - bound)
            assert our_read <= read_names | bound, (
                where,
                our_read - read_names,
            )  # `x += 1` reads x
            checked += 1
            missing = read_names - our_read
            assert not missing or missing <= bound, (where, missing)
    assert checked > 3000
