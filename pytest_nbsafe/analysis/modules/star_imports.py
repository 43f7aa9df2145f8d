"""`from helpers import *` with the names that it brings, where the project's own module tells."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis.budget import CutShort
from pytest_nbsafe.analysis.cell import analyse, parse
from pytest_nbsafe.analysis.modules.module_text import Find
from pytest_nbsafe.analysis.modules.renaming import Edit, edited
from pytest_nbsafe.analysis.trees import statements
from pytest_nbsafe.module_files import ModuleFile
from pytest_nbsafe.notebook.model import Cell, CellId, Notebook
from pytest_nbsafe.notebook.source import to_python
from pytest_nbsafe.values import replace

_STAR = patterns.compile(r"(?m)^[ \t]*from[ \t]+[\w.]+[ \t]+import[ \t]*\(?[ \t]*\*")
_DEEPEST = 8
"""How many modules may bring all names of the next."""


def spelled_out(notebook: Notebook, find: Find) -> Notebook:
    """Return a notebook in which each such import names what it brings, on the same line."""
    cells = tuple(_spelled(cell, None, find, 0, sure=True) for cell in notebook.cells)
    return notebook if cells == notebook.cells else replace(notebook, cells=cells)


def public_names(
    module: ModuleFile, find: Find, depth: int = 0, *, sure: bool = True
) -> tuple[str, ...] | None:
    """Return what `from module import *` binds, None where its text does not tell.

    It does not where `__all__` is computed, where a `__getattr__` of the module may give any name,
    or something in it may bind names unseen. Nor is it `sure` of a package without `__all__`, which
    holds those of its modules that anybody has imported, too.
    """
    try:
        analysis = analyse(_as_cell(module, find, depth, sure=sure))
    except CutShort:
        return None
    bound = analysis.leaves
    if depth > _DEEPEST or analysis.fault or analysis.opaque or "__getattr__" in bound:
        return None
    if "__all__" not in bound:
        if sure and module.is_package:
            return None
        return tuple(sorted(name for name in bound if not name.startswith("_")))
    listed = _listed(ast.parse(module.text))
    return None if listed is None else tuple(sorted(bound.intersection(listed)))


def spelled_module(module: ModuleFile, find: Find) -> ModuleFile:
    """Return a module in which each such import names what it brings, on the same line."""
    return replace(module, text=_as_cell(module, find, 0, sure=False).source)


def _as_cell(module: ModuleFile, find: Find, depth: int, *, sure: bool) -> Cell:
    cell = Cell(CellId(module.name), 1, "code", module.text)
    return _spelled(cell, module, find, depth, sure=sure)


def _listed(tree: ast.Module) -> frozenset[str] | None:
    """Return what `__all__` holds, None where it is not only written down."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Name) and node.id == "__all__"):
            continue
        values = [value for value in map(_value_of_all, tree.body) if value is not None]
        if not values or sum(_mentions(statement) for statement in tree.body) != len(values):
            return None
        for value in values:
            if not isinstance(value, ast.List | ast.Tuple):
                return None
            for element in value.elts:
                if not (isinstance(element, ast.Constant) and isinstance(element.value, str)):
                    return None
                names.add(element.value)
        return frozenset(names)
    return None


def _value_of_all(statement: ast.stmt) -> ast.expr | None:
    """Return what a statement assigns, or adds, to `__all__`."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
        target = statement.target
    else:
        return None
    is_all = isinstance(target, ast.Name) and target.id == "__all__"
    return statement.value if is_all else None


def _mentions(statement: ast.stmt) -> bool:
    return any(isinstance(n, ast.Name) and n.id == "__all__" for n in ast.walk(statement))


def _spelled(cell: Cell, module: ModuleFile | None, find: Find, depth: int, *, sure: bool) -> Cell:
    """Return a cell, or a module as one, with its star imports spelled out."""
    if cell.kind != "code" or "*" not in cell.source or not _STAR.search(cell.source):
        return cell
    text = to_python(cell.source).text if module is None else cell.source
    try:
        edits = list(_edits(parse(text), module, find, depth, sure=sure))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return cell
    return replace(cell, source=edited(cell.source, edits)) if edits else cell


def _edits(
    tree: ast.Module, within: ModuleFile | None, find: Find, depth: int, *, sure: bool
) -> Iterator[Edit]:
    for node in statements(tree):
        if not isinstance(node, ast.ImportFrom) or node.names[0].name != "*":
            continue
        name = node.module or ""
        if node.level:
            name = within.absolute(name, node.level) if within is not None else ""
        module = find(name) if name and depth <= _DEEPEST else None
        names = public_names(module, find, depth + 1, sure=sure) if module is not None else None
        star, end = node.names[0], node.names[0].end_col_offset
        if names and end is not None:
            text = ", ".join(names)
            yield Edit(star.lineno, star.col_offset, star.lineno, end, text, "*")
