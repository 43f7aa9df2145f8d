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
from pytest_nbsafe.values import dataclass, field, replace

_STAR = patterns.compile(r"\bimport\b[ \t(]*\*")
_Names = tuple[str, ...] | None


@dataclass(slots=True)
class StarNames:
    """What `from module import *` binds, of each module worked out once.

    Nothing is known where `__all__` is computed, where a `__getattr__` of the module may give any
    name, or something in it may bind names unseen; nor of modules that import all of one another.
    Nor is it `sure` of a package without `__all__`, which holds those of its modules that anybody
    has imported, too.
    """

    find: Find
    sure: bool = True
    _known: dict[str, _Names] = field(default_factory=dict)

    def of(self, module: ModuleFile) -> _Names:
        """Return the names that are brought, None where the text does not tell."""
        if module.name not in self._known:
            self._known[module.name] = None  # until it is known: modules may go in circles
            self._known[module.name] = self._worked_out(module)
        return self._known[module.name]

    def spelled(self, module: ModuleFile) -> ModuleFile:
        """Return a module in which each such import names what it brings, on the same line."""
        return replace(module, text=self._cell(module).source)

    def _worked_out(self, module: ModuleFile) -> _Names:
        try:
            analysis = analyse(self._cell(module))
            listed = _listed(module.text)
        except (CutShort, SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        bound = analysis.leaves
        if analysis.fault or analysis.opaque or "__getattr__" in bound or listed is None:
            return None
        if "__all__" in bound:
            return tuple(sorted(bound.intersection(listed)))
        if self.sure and module.is_package:
            return None
        return tuple(sorted(name for name in bound if not name.startswith("_")))

    def _cell(self, module: ModuleFile) -> Cell:
        cell = Cell(CellId(module.name), 1, "code", module.text)
        return self.spelled_cell(cell, module)

    def spelled_cell(self, cell: Cell, module: ModuleFile | None = None) -> Cell:
        """Return a cell, or a module as one, with its star imports spelled out."""
        if cell.kind != "code" or "*" not in cell.source or not _STAR.search(cell.source):
            return cell
        text = to_python(cell.source).text if module is None else cell.source
        try:
            edits = list(self._edits(parse(text), module))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return cell
        return replace(cell, source=edited(cell.source, edits)) if edits else cell

    def _edits(self, tree: ast.Module, within: ModuleFile | None) -> Iterator[Edit]:
        for node in statements(tree):
            if not isinstance(node, ast.ImportFrom) or node.names[0].name != "*":
                continue
            name = node.module or ""
            if node.level:
                name = within.absolute(name, node.level) if within is not None else ""
            module = self.find(name) if name else None
            names = self.of(module) if module is not None else None
            star, end = node.names[0], node.names[0].end_col_offset
            if names and end is not None:
                yield Edit(star.lineno, star.col_offset, star.lineno, end, ", ".join(names), "*")


def spelled_out(notebook: Notebook, find: Find) -> Notebook:
    """Return a notebook in which each such import names what it brings, on the same line."""
    names = StarNames(find)
    cells = tuple(names.spelled_cell(cell) for cell in notebook.cells)
    return notebook if cells == notebook.cells else replace(notebook, cells=cells)


def _listed(text: str) -> frozenset[str] | None:
    """Return what `__all__` holds, nothing without one, None where it is not only written down."""
    tree = ast.parse(text)
    mentioning = [statement for statement in tree.body if _mentions(statement)]
    names: set[str] = set()
    for statement in mentioning:
        value = _value_of_all(statement)
        if not isinstance(value, ast.List | ast.Tuple):
            return None
        for element in value.elts:
            if not (isinstance(element, ast.Constant) and isinstance(element.value, str)):
                return None
            names.add(element.value)
    return frozenset(names)


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
