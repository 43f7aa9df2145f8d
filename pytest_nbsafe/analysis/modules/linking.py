"""A notebook with the modules of its project put in front, each as a cell of its own.

So all that is known of functions of cells is known of those in modules: what they change, draw and
learn from. A module's names are given others, which no notebook has, and the imports of the cells
become assignments of these. The modules are only read, never run: of their own level definitions,
imports, assignments and calls count alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from pytest_nbsafe.analysis import syntax, trees
from pytest_nbsafe.analysis.build import added, build
from pytest_nbsafe.analysis.imports import STAR
from pytest_nbsafe.analysis.model import Definition, Graph, Linked
from pytest_nbsafe.analysis.modules import renaming
from pytest_nbsafe.analysis.modules.module_text import Find, among_cells, bound_names
from pytest_nbsafe.analysis.modules.renaming import Edit, Renamed, edited, of_node
from pytest_nbsafe.analysis.modules.star_imports import StarNames
from pytest_nbsafe.module_files import ModuleFile
from pytest_nbsafe.notebook.model import Cell, CellId
from pytest_nbsafe.values import dataclass, field, replace

_MOST_MODULES = 40
_KEPT = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom),
    *(ast.Assign, ast.AnnAssign, ast.Expr),
)
"""The statements of a module's own level that count."""


def link(graph: Graph, find: Find) -> Linked | None:
    """Return the notebook linked with the modules that its cells import, None where there are none.

    Only what the cells' own level imports counts, and no module whose text cannot be read.
    """
    linker = _Linker(find, StarNames(find, sure=False))
    for cell in graph.cells:
        for each in syntax.imports(graph, cell):
            if not each.level:
                linker.take(each.module)
                if each.attribute not in {"", STAR}:
                    linker.take(f"{each.module}.{each.attribute}")
    if not linker.read:
        return None
    modules = tuple(linker.read.values())
    ahead = len(modules)
    front = [_as_cell(number, each, linker) for number, each in enumerate(modules, start=1)]
    paths = _paths_of(graph, linker)
    own = [
        replace(cell, number=cell.number + ahead, source=_linked_source(graph, cell, linker, paths))
        for cell in graph.notebook.cells
    ]
    notebook = replace(graph.notebook, cells=(*front, *own))
    linked = build(notebook)
    paths_shown = tuple(each.module.path for each in modules)
    return Linked(linked, paths_shown) if linked.budget.suffices else None


def with_modules(graph: Graph, linked: Linked) -> Graph:
    """Return the graph of a notebook with what its calls of functions in modules change."""
    changes: dict[int, dict[str, Definition]] = {}
    for number, definitions in linked.graph.through_calls.items():
        cell = linked.cell(number)
        if cell:
            known = {n: d for n, d in definitions.items() if n in graph.binders}
            changes[cell] = {**known, **graph.through_calls.get(cell, {})}
    return replace(
        graph,
        changers=added(graph.changers, changes),
        through_calls={**graph.through_calls, **changes},
        kept={},  # what was asked before did not know of modules
        linked=linked,
    )


@dataclass(frozen=True, slots=True)
class _Read:
    """A module that was read: its tree and the names it binds."""

    module: ModuleFile
    tree: ast.Module
    names: frozenset[str]


@dataclass(slots=True)
class _Linker:
    """The modules that were read so far, by their names; those that others need come first."""

    find: Find
    stars: StarNames
    read: dict[str, _Read] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)

    def take(self, name: str) -> None:
        """Read a module of the project, and those that it imports, unless that has been done."""
        if name in self.asked or len(self.asked) > 4 * _MOST_MODULES:
            return
        self.asked.add(name)
        module = self.find(name)
        if module is None:
            return
        module = self.stars.spelled(module)
        try:
            tree = ast.parse(module.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        for statement in tree.body:
            if isinstance(statement, ast.Import):
                for alias in statement.names:
                    self.take(alias.name)
            elif isinstance(statement, ast.ImportFrom):
                base = module.absolute(statement.module or "", statement.level)
                self.take(base)
                for alias in statement.names:
                    self.take(f"{base}.{alias.name}")
        if len(self.read) < _MOST_MODULES:
            self.read[name] = _Read(module, tree, bound_names(tree))

    def stands_for(self, module: str, name: str) -> str:
        """Return what a name of a module is called among the cells, "" if it is not known."""
        known = self.read.get(module)
        return among_cells(module, name) if known is not None and name in known.names else ""

    def below(self, name: str, module: str) -> Iterator[tuple[str, str]]:
        """Yield the paths that lead through a name that holds a module, and what they stand for."""
        known = self.read.get(module)
        for inner in known.names if known is not None else ():
            yield f"{name}.{inner}", among_cells(module, inner)
        ahead = f"{module}."
        for other in self.read:
            if other.startswith(ahead):
                rest = other.removeprefix(ahead)
                for inner in self.read[other].names:
                    yield f"{name}.{rest}.{inner}", among_cells(other, inner)


# -- a module as a cell ----------------------------------------------------------------------------


def _as_cell(number: int, read: _Read, linker: _Linker) -> Cell:
    """Return the text of a module as a cell, line by line where it was."""
    module = read.module
    names = {name: among_cells(module.name, name) for name in read.names}
    paths: dict[str, str] = {}
    edits: list[Edit] = []
    kept = ast.Module([], [])
    for statement in read.tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            edits.append(of_node(statement, _import(statement, module, linker, paths)))
        elif isinstance(statement, _KEPT):
            kept.body.append(statement)
        else:
            edits.append(of_node(statement, "pass"))
    edits.extend(renaming.renaming(kept, Renamed(names, paths)))
    source = edited(module.text, edits)
    return Cell(CellId(f"module {module.name}"), number, "code", source)


def _import(
    statement: ast.Import | ast.ImportFrom,
    module: ModuleFile,
    linker: _Linker,
    paths: dict[str, str],
) -> str:
    """Return the import of a module as it reads among the cells; note the paths that it opens."""
    parts: list[str] = []
    base = ""
    if isinstance(statement, ast.ImportFrom):
        base = module.absolute(statement.module or "", statement.level)
    for alias in statement.names:
        bound = alias.asname or alias.name.partition(".")[0]
        own = among_cells(module.name, bound)
        if isinstance(statement, ast.Import):
            target = alias.name if alias.asname else bound
            paths.update(linker.below(bound, target))
            parts.append(f"import {target} as {own}")
        elif alias.name == STAR:
            continue
        elif made := linker.stands_for(base, alias.name):
            parts.append(f"{own} = {made}")
        else:
            paths.update(linker.below(bound, f"{base}.{alias.name}"))
            parts.append(f"from {base or '.'} import {alias.name} as {own}")
    return "; ".join(parts) or "pass"


# -- the cells of the notebook ---------------------------------------------------------------------


def _paths_of(graph: Graph, linker: _Linker) -> Mapping[str, str]:
    """Return the paths that lead through names which the notebook's imports alone bind."""
    holds: dict[str, set[str]] = {}
    for cell in graph.cells:
        for each in syntax.imports(graph, cell):
            if not each.function and each.attribute != STAR:
                holds.setdefault(each.name, set()).add(each.target)
    otherwise = {
        definition.name
        for analysis in graph.cells.values()
        for definition in analysis.definitions
        if definition.kind not in {"import", "mutation"}
    }
    paths: dict[str, str] = {}
    for name, targets in holds.items():
        if len(targets) == 1 and name not in otherwise:
            paths.update(linker.below(name, *targets))
    return paths


def _linked_source(graph: Graph, cell: Cell, linker: _Linker, paths: Mapping[str, str]) -> str:
    """Return the text of a cell with its imports of the project's modules as assignments."""
    if cell.number not in graph.cells:
        return cell.source
    tree = trees.of(graph, cell.number)
    edits = [
        of_node(statement, text)
        for statement in trees.statements(tree)
        if isinstance(statement, ast.ImportFrom) and (text := _assignments(statement, linker))
    ]
    edits.extend(renaming.renaming(tree, Renamed({}, paths)))
    return edited(cell.source, edits)


def _assignments(statement: ast.ImportFrom, linker: _Linker) -> str:
    """Return what an import of a cell is among modules that are cells, "" if it stays."""
    known = linker.read.get(statement.module or "") if not statement.level else None
    if known is None:
        return ""
    if statement.names[0].name == STAR:
        names = linker.stars.of(known.module) or ()
        made_from = ((name, linker.stands_for(known.module.name, name)) for name in names)
        return "; ".join(f"{name} = {made}" for name, made in made_from if made)
    parts: list[str] = []
    for alias in statement.names:
        made = linker.stands_for(known.module.name, alias.name)
        bound = alias.asname or alias.name
        as_it_was = f"from {statement.module} import {alias.name} as {bound}"
        parts.append(f"{bound} = {made}" if made else as_it_was)
    return "; ".join(parts)
