"""Which parts of a name (`df['a']`, `config.rate`) a text reads and changes.

A part is the path of constant keys below a name, `()` the whole of it. It is asked for after the
analysis, and only of names that something suspects.

Source: Macke et al. 2021, section 3.1 (subscripts and attributes are symbols). Departs: `df.a` and
`df['a']` are one part, as in a DataFrame; where a path goes on through a key that is not constant,
or through an attribute that nothing in the notebook stores (it may be a property or a method), the
part ends before it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache

from pytest_nbsafe.analysis import trees
from pytest_nbsafe.analysis.model import Graph, kept
from pytest_nbsafe.analysis.scopes import root

Part = tuple["str | int", ...]
Parts = frozenset[Part]
WHOLE: Parts = frozenset({()})
_BY_LABEL = frozenset({"loc", "at"})
_CHAINED = (ast.Name, ast.Attribute, ast.Subscript)
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete, ast.Expr)


def apart(some: Parts, others: Parts) -> bool:
    """Return whether no part of one holds, or lies in, a part of the other."""
    if () in some or () in others:
        return False
    return not any(
        a[: min(len(a), len(b))] == b[: min(len(a), len(b))] for a in some for b in others
    )


class Reader:
    """Reads in the cells of a notebook which parts of names they read and change."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._stored = cache(lambda: _stored(trees.of(graph, cell) for cell in graph.cells))
        self._mentioned = cache(self._mentions)
        self._changed = cache(self._changes)
        self._statements = cache(lambda cell: _by_line(trees.of(graph, cell)))

    def read(self, name: str, cell: int, line: int = 0) -> Parts:
        """Return the parts of a name that a cell, or the statement at its line, mentions.

        The whole, when that cannot be told, or a function of the notebook may read it.
        """
        if name in _hidden(self._graph):
            return WHOLE
        return self._mentioned(cell, line).get(name, WHOLE)

    def changed(self, name: str, cell: int, line: int) -> Parts:
        """Return the parts that the statement at a line of a cell stores, deletes or changes."""
        return self._changed(name, cell, line)

    def _changes(self, name: str, cell: int, line: int) -> Parts:
        statement = self._statement(cell, line)
        if statement is None or name in _hidden(self._graph):
            return WHOLE
        if isinstance(statement, ast.Expr):
            return self._mentioned(cell, line).get(name, WHOLE)
        targets = getattr(statement, "targets", None) or [statement.target]  # type: ignore[attr-defined]
        own = [target for target in targets if _is_under(name, target)]
        return frozenset(part for target in own for part in self._parts(target)) or WHOLE

    def _statement(self, cell: int, line: int) -> ast.stmt | None:
        """Return the simple statement at a line, None when there is another, or several."""
        begun = self._statements(cell).get(line, [])
        return begun[0] if len(begun) == 1 and isinstance(begun[0], _SIMPLE) else None

    def _mentions(self, cell: int, line: int) -> dict[str, Parts]:
        """Return the parts of each name that a cell, or the statement at its line, mentions.

        Of a method's receiver, what stands before the dot.
        """
        self._graph.budget.scan(0 if line else len(self._graph.notebook.cell(cell).source))
        tree = self._statement(cell, line) if line else trees.of(self._graph, cell)
        mentioned: dict[str, set[Part]] = {}
        rest: list[ast.AST] = [] if tree is None else [tree]
        while rest:
            node = rest.pop()
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                rest.extend((node.func.value, *node.args, *node.keywords))
            elif isinstance(node, _CHAINED) and (name := root(node)) is not None:
                mentioned.setdefault(name.id, set()).update(self._parts(node))
                link: ast.expr = node
                while not isinstance(link, ast.Name):
                    if isinstance(link, ast.Subscript):
                        rest.append(link.slice)
                    link = link.value  # type: ignore[attr-defined] # `root` went the same way
            else:
                rest.extend(ast.iter_child_nodes(node))
        return {name: frozenset(parts) for name, parts in mentioned.items()}

    def _parts(self, node: ast.expr) -> Iterator[Part]:
        """Yield the parts that a chain of attributes and subscripts reaches."""
        links: list[ast.Attribute | ast.Subscript] = []
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            links.append(node)
            node = node.value
        part: Part = ()
        by_label = False
        for link in reversed(links):
            keys = self._keys(link, by_label=by_label)
            by_label = isinstance(link, ast.Attribute) and link.attr in _BY_LABEL
            if by_label:
                continue
            if len(keys) != 1:
                yield from ((*part, key) for key in keys)
                if not keys:
                    yield part
                return
            part = (*part, keys[0])
        yield part

    def _keys(self, link: ast.Attribute | ast.Subscript, *, by_label: bool) -> list[str | int]:
        """Return the keys that one link takes, none when they are not constant."""
        if isinstance(link, ast.Attribute):
            return [link.attr] if link.attr in self._stored() else []
        index = link.slice
        if by_label:  # df.loc[rows, 'a']
            columns = index.elts[1:] if isinstance(index, ast.Tuple) else []
            index = columns[0] if len(columns) == 1 else ast.Constant(None)
        several = index.elts if isinstance(index, ast.List) else [index]
        keys = [_constant(key) for key in several]
        return [key for key in keys if key is not None] if None not in keys else []


@kept
def reader_of(graph: Graph) -> Reader:
    """Return the reader of a notebook's cells: one, which reads each of them once."""
    return Reader(graph)


def _by_line(module: ast.Module) -> dict[int, list[ast.stmt]]:
    """Return the statements of a module, those in blocks too, by the line that each begins on."""
    statements: dict[int, list[ast.stmt]] = {}
    for node in trees.statements(module):
        statements.setdefault(node.lineno, []).append(node)
    return statements


def _is_under(name: str, node: ast.expr) -> bool:
    bottom = root(node)
    return bottom is not None and bottom.id == name


@kept
def _hidden(graph: Graph) -> frozenset[str]:
    """Return the names that a function of the notebook may read or change."""
    return frozenset(
        name
        for analysis in graph.cells.values()
        for function in analysis.functions.values()
        for name in (*function.reads, *function.writes, *function.changes)
    )


def _constant(node: ast.expr) -> str | int | None:
    """Return a key that means the same place whatever the length: a text, or a count from 0."""
    if not isinstance(node, ast.Constant):
        return None
    key = node.value
    return key if isinstance(key, str) or (type(key) is int and key >= 0) else None


def _stored(modules: Iterable[ast.Module]) -> frozenset[str]:
    """Return the attributes and text keys that the notebook stores: they hold data.

    So do the columns with which it makes a table.
    """
    keys: set[str] = set()
    for module in modules:
        for node in ast.walk(module):
            if isinstance(node, ast.Call):
                keys.update(_columns(node))
            elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                keys.add(node.attr)
            elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                key = _constant(node.slice)
                if isinstance(key, str):
                    keys.add(key)
    return frozenset(keys)


def _columns(call: ast.Call) -> Iterator[str]:
    """Yield the columns of a table that a call makes from a dict: `pd.DataFrame({"a": ...})`."""
    is_table = isinstance(call.func, ast.Attribute) and call.func.attr == "DataFrame"
    if is_table and call.args and isinstance(call.args[0], ast.Dict):
        for key in call.args[0].keys:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value
