"""What the cells of a notebook set in modules: `config.RATE = 3`, `os.environ['HOME'] = path`.

Only what cells set themselves is followed, and only where they name it: what a library does with
its own settings is its own affair. The symbol is the full path, whatever the module is called.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from pytest_nbsafe.analysis import syntax, trees
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.analysis.state import StateUse

_ENVIRONMENT = {"os.environ.get", "os.getenv", "os.environ.setdefault"}
_LAST = re.compile(r"\w+(?=\W*$)")


def accesses(graph: Graph) -> Iterator[tuple[int, StateUse]]:
    """Yield where cells set what belongs to a module, and where they read that."""
    settings: dict[str, set[int]] = {}
    stores: list[tuple[int, StateUse]] = []
    for cell in _setting(graph):
        for access in _set(graph, cell):
            settings.setdefault(access.symbol, set()).add(cell)
            stores.append((cell, access))
    if not settings:
        return
    yield from stores
    words = re.compile("|".join({_word(symbol) for symbol in settings}))
    for cell in graph.cells:
        if words.search(graph.notebook.cell(cell).source):
            yield from ((cell, a) for a in _read(graph, cell) if a.symbol in settings)


def _word(symbol: str) -> str:
    last = _LAST.search(symbol)
    return re.escape(last[0] if last else symbol)


def _setting(graph: Graph) -> Iterator[int]:
    """Yield the cells that may store into something that an import bound."""
    imported = {d.name for a in graph.cells.values() for d in a.definitions if d.kind == "import"}
    for cell, analysis in graph.cells.items():
        if any(not imported.isdisjoint(s.mutates) for s in analysis.statements) or any(
            not imported.isdisjoint(f.changes) for f in analysis.functions.values()
        ):
            yield cell


def _set(graph: Graph, cell: int) -> Iterator[StateUse]:
    span_of = syntax.span_of(graph, cell)
    for function, node in trees.inside(trees.of(graph, cell)):
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
            targets = [node.target]
        else:
            continue
        for target in targets:
            symbol = _path(graph, cell, target)
            if symbol:
                if isinstance(node, ast.AugAssign):
                    yield StateUse(symbol, span_of(node), "read", function)
                yield StateUse(symbol, span_of(node), "set", function)


def _read(graph: Graph, cell: int) -> Iterator[StateUse]:
    span_of = syntax.span_of(graph, cell)
    for function, statement in trees.inside(trees.of(graph, cell)):
        for node in _own(statement):
            if isinstance(node, ast.Call):
                symbol = _environment(graph, cell, node)
            elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(
                node.ctx, ast.Load
            ):
                symbol = _path(graph, cell, node)
            else:
                continue
            if symbol:
                yield StateUse(symbol, span_of(node), "read", function)


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement's own expressions, without those of its blocks."""
    waiting: list[ast.AST] = [n for n in ast.iter_child_nodes(statement) if _is_own(n)]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [child for child in ast.iter_child_nodes(node) if _is_own(child)]


def _is_own(node: ast.AST) -> bool:
    return isinstance(node, (ast.expr, ast.keyword, ast.withitem, ast.comprehension))


def _path(graph: Graph, cell: int, node: ast.expr) -> str:
    """Return the symbol of what an expression names in a module, "" for anything else."""
    links: list[str] = []
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Attribute):
            links.append(f".{node.attr}")
        elif isinstance(node.slice, ast.Constant):
            links.append(f"[{node.slice.value!r}]")
        else:
            return ""
        node = node.value
    if not links or not isinstance(node, ast.Name):
        return ""
    module = syntax.stands_for(graph, cell, node.id)
    return module + "".join(reversed(links)) if module else ""


def _environment(graph: Graph, cell: int, call: ast.Call) -> str:
    """Return the symbol that `os.environ.get('HOME')` reads."""
    called = _path(graph, cell, call.func)
    if called not in _ENVIRONMENT or not call.args or not isinstance(call.args[0], ast.Constant):
        return ""
    return f"os.environ[{call.args[0].value!r}]"
