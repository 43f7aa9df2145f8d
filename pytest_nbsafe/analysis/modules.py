"""The modules of the repository, each analysed like the one cell of a notebook of its own."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping

from pytest_nbsafe.analysis import changes_by_calls, trees
from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.imported import Star
from pytest_nbsafe.analysis.imports import STAR, Import
from pytest_nbsafe.analysis.model import CellAnalysis, Function, Graph
from pytest_nbsafe.module_files import ModuleFile, ModuleFiles
from pytest_nbsafe.notebook.model import Cell, CellId, Notebook
from pytest_nbsafe.notebook.source import to_python
from pytest_nbsafe.values import dataclass, field, replace

_MOST_NAMES = 500
_DEEPEST = 12
_ONLY = 1
"""The number of a module's one cell."""


@dataclass(frozen=True, slots=True)
class Modules:
    """The modules that a notebook may import, or one of them, `within`.

    `left_out` are the top names that stand for something known. `graphs` are the modules that have
    been asked for: None where one cannot be read, or is being analysed (imports in a circle).
    """

    files: ModuleFiles
    libraries: str = ""
    left_out: Collection[str] = ()
    within: ModuleFile | None = None
    graphs: dict[str, Graph | None] = field(default_factory=dict)
    depth: int = 0

    def star(self, module: str, level: int) -> Star | None:
        """Return what `from module import *` binds, None where it is not known."""
        dotted = self._absolute(module, level)
        graph = self._graph(dotted)
        if graph is None:
            return None
        analysis = graph.cells.get(_ONLY, CellAnalysis(_ONLY))
        names, exact = _declared(trees.of(graph, _ONLY)), not analysis.opaque
        if names is None:
            if "__all__" in analysis.defines or "__getattr__" in analysis.defines:
                return None
            names = sorted(name for name in analysis.leaves if name[0] != "_")
            # a package holds its submodules, too, once anything imports them
            exact = exact and not self._is_package(dotted)
        spelled = "." * level + module
        return Star(spelled, tuple(names), exact) if len(names) <= _MOST_NAMES else None

    def functions(self, imports: Iterable[Import]) -> Mapping[str, Function]:
        """Return the imported functions that change what they are given, by the name for them."""
        functions: dict[str, Function] = {}
        for imported in imports:
            if imported.function:
                continue
            for name, graph, called in self._brought(imported):
                function = _changing(graph, called)
                if function is not None:
                    functions[name] = replace(function, name=name, span=imported.span)
        return functions

    # -- which function a name leads to ------------------------------------------------------------

    def _brought(self, imported: Import) -> Iterator[tuple[str, Graph, str]]:
        """Yield the functions that an import brings: the name here, the module, the name there."""
        dotted = self._absolute(imported.module, imported.level)
        if not imported.attribute:
            yield from self._of_module(imported.name, imported.target)
        elif imported.attribute == STAR:
            star = self.star(imported.module, imported.level)
            for name in star.names if star is not None else ():
                yield from self._named(name, dotted, name)
        else:
            yield from self._named(imported.name, dotted, imported.attribute)

    def _of_module(self, name: str, dotted: str) -> Iterator[tuple[str, Graph, str]]:
        graph = self._graph(dotted)
        if graph is not None and _ONLY in graph.cells:
            for called in graph.cells[_ONLY].functions:
                if called.isidentifier():
                    yield f"{name}:{called}", graph, called

    def _named(self, name: str, dotted: str, called: str) -> Iterator[tuple[str, Graph, str]]:
        """Yield the one function that `from dotted import called` brings, or those of a module."""
        graph = self._graph(dotted)
        analysis = graph.cells.get(_ONLY) if graph is not None else None
        if graph is not None and analysis is not None and called in analysis.leaves:
            if called in analysis.functions and _is_bound_once(analysis, called):
                yield name, graph, called
        elif self._is_package(dotted) or graph is None:
            yield from self._of_module(name, f"{dotted}.{called}")

    # -- the modules -------------------------------------------------------------------------------

    def _absolute(self, module: str, level: int) -> str:
        if not level:
            return module
        return self.within.absolute(module, level) if self.within is not None else ""

    def _is_package(self, dotted: str) -> bool:
        file = self.files.find(dotted)
        return file is not None and file.is_package

    def _graph(self, dotted: str) -> Graph | None:
        """Return a module as a graph of one cell."""
        if not dotted or dotted.partition(".")[0] in self.left_out or self.depth > _DEEPEST:
            return None
        if dotted not in self.graphs:
            self.graphs[dotted] = None
            file = self.files.find(dotted)
            if file is not None and to_python(file.text).text == file.text:
                inner = replace(self, within=file, depth=self.depth + 1)
                cell = Cell(CellId(file.path), _ONLY, "code", file.text)
                graph = build(Notebook(file.path, (cell,), libraries=self.libraries), inner)
                if all(cell.fault is None for cell in graph.cells.values()):
                    self.graphs[dotted] = graph
        return self.graphs[dotted]


def _is_bound_once(analysis: CellAnalysis, name: str) -> bool:
    return sum(d.binds for d in analysis.definitions if d.name == name) == 1


def _changing(graph: Graph, name: str) -> Function | None:
    """Return a function without all that is its module's own, None where it changes nothing."""
    changed = changes_by_calls.changed_by(graph)
    function = graph.cells[_ONLY].functions[name]
    methods = {
        method: _bare(inside, changed[_ONLY, f"{name}.{method}"])
        for method, inside in _methods(graph, name).items()
    }
    bare = replace(_bare(function, changed[_ONLY, name]), methods=methods)
    return bare if bare.changes or any(m.changes for m in methods.values()) else None


def _bare(function: Function, changed: frozenset[str]) -> Function:
    return replace(
        function,
        reads={},
        returns=frozenset(),
        writes=frozenset(),
        calls=frozenset(),
        sure_calls=frozenset(),
        changes=changed.intersection(function.parameters),
        own_calls=frozenset(),
        inner=frozenset(),
        methods={},
    )


def _methods(graph: Graph, name: str) -> Mapping[str, Function]:
    return graph.cells[_ONLY].functions[name].methods


def _declared(tree: ast.Module) -> list[str] | None:
    """Return what a module says in `__all__`, None where it says nothing, or computes it."""
    mentions = sum(isinstance(n, ast.Name) and n.id == "__all__" for n in ast.walk(tree))
    for node in tree.body if mentions == 1 else ():
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List | ast.Tuple):
            target, items = node.targets[0], node.value.elts
            if isinstance(target, ast.Name) and target.id == "__all__":
                texts = [item.value for item in items if isinstance(item, ast.Constant)]
                names = [text for text in texts if isinstance(text, str) and text.isidentifier()]
                return names if len(names) == len(items) else None
    return None
