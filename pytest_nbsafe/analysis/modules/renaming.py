"""Edits that give the names of a module's own level, or paths through a module, other names.

Lines stay where they are: what is reported of a line is right in the module's file, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from pytest_nbsafe.analysis.modules.module_text import stored
from pytest_nbsafe.analysis.scopes import words
from pytest_nbsafe.values import dataclass, replace

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Edit:
    """A part of a text, as `ast` counts (lines from 1, bytes from 0), and what stands there then.

    It is not made where something else than `old` stands there: before Python 3.12 the places in
    f-strings are not always right.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    old: str = ""


def of_node(node: ast.expr | ast.stmt, text: str) -> Edit:
    """Return the edit that puts a text in the place of a node, on as many lines."""
    end_line, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return Edit(node.lineno, node.col_offset, end_line, end, text + "\n" * (end_line - node.lineno))


def edited(text: str, edits: list[Edit]) -> str:
    """Return a text with all edits made; they do not overlap."""
    lines = [line.encode() for line in text.split("\n")]
    for edit in sorted(edits, key=lambda e: (e.line, e.column), reverse=True):
        first, last = edit.line - 1, edit.end_line - 1
        if edit.old and lines[first][edit.column : edit.end_column] != edit.old.encode():
            continue
        joined = lines[first][: edit.column] + edit.text.encode() + lines[last][edit.end_column :]
        lines[first : last + 1] = joined.split(b"\n")
    return b"\n".join(lines).decode()


@dataclass(frozen=True, slots=True)
class Renamed:
    """What names stand for: other `names`; and `paths`, of modules, under which names lie."""

    names: Mapping[str, str]
    paths: Mapping[str, str]


def renaming(tree: ast.Module, renamed: Renamed) -> Iterator[Edit]:
    """Yield an edit for each use of a renamed name, where nothing nearer binds that name."""
    for statement in tree.body:
        yield from _statement(statement, renamed, frozenset())


def _statement(node: ast.stmt, renamed: Renamed, hidden: frozenset[str]) -> Iterator[Edit]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return  # who imports has its own edits
    if isinstance(node, ast.Global):
        yield from _global(node, renamed)
    elif isinstance(node, _FUNCTIONS):
        yield from _definition(node, renamed, hidden)
        yield from _function(node, renamed, hidden)
    elif isinstance(node, ast.ClassDef):
        yield from _definition(node, renamed, hidden)
        yield from _class(node, renamed, hidden)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _part(child, renamed, hidden)


def _function(
    node: ast.FunctionDef | ast.AsyncFunctionDef, renamed: Renamed, hidden: frozenset[str]
) -> Iterator[Edit]:
    outside = (*node.decorator_list, *_defaults(node.args), *_annotations(node.args), node.returns)
    for expression in filter(None, outside):
        yield from _part(expression, renamed, hidden)
    inside = hidden | _bound_in(node)
    for statement in node.body:
        yield from _statement(statement, renamed, inside)


def _class(node: ast.ClassDef, renamed: Renamed, hidden: frozenset[str]) -> Iterator[Edit]:
    keywords = (keyword.value for keyword in node.keywords)
    for expression in (*node.decorator_list, *node.bases, *keywords):
        yield from _part(expression, renamed, hidden)
    own = {name for statement in node.body for name in stored(statement)}
    own |= {s.name for s in node.body if isinstance(s, ast.FunctionDef | ast.ClassDef)}
    for statement in node.body:
        if isinstance(statement, _FUNCTIONS):  # whose body does not see the names of the class
            yield from _function(statement, renamed, hidden)
        else:
            yield from _statement(statement, renamed, hidden | own)


def _part(node: ast.AST, renamed: Renamed, hidden: frozenset[str]) -> Iterator[Edit]:
    if isinstance(node, ast.stmt):
        yield from _statement(node, renamed, hidden)
    elif isinstance(node, ast.Name):
        if node.id in renamed.names and node.id not in hidden:
            yield _named(node, renamed.names[node.id], node.id)
    elif isinstance(node, ast.Attribute) and (edit := _path(node, renamed, hidden)):
        yield edit
    elif isinstance(node, ast.Lambda):
        for default in _defaults(node.args):
            yield from _part(default, renamed, hidden)
        yield from _part(node.body, renamed, hidden | _parameters(node.args))
    elif isinstance(node, _COMPREHENSIONS):
        targets = (name for each in node.generators for name in stored(each))
        for child in ast.iter_child_nodes(node):
            yield from _part(child, renamed, hidden.union(targets))
    else:
        for child in ast.iter_child_nodes(node):
            yield from _part(child, renamed, hidden)


def _path(node: ast.Attribute, renamed: Renamed, hidden: frozenset[str]) -> Edit | None:
    """Return the edit of `prep.scale`, where `prep` is a module of the project."""
    parts = words(node)
    if not parts or parts[0] in hidden:
        return None
    name = renamed.paths.get(".".join(parts))
    return _named(node, name, ".".join(parts)) if name else None


def _named(node: ast.expr, new: str, old: str) -> Edit:
    return replace(of_node(node, new), old=old)


def _global(node: ast.Global, renamed: Renamed) -> Iterator[Edit]:
    names = [renamed.names.get(name, name) for name in node.names]
    if names != node.names:
        yield of_node(node, f"global {', '.join(names)}")


def _definition(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
    renamed: Renamed,
    hidden: frozenset[str],
) -> Iterator[Edit]:
    """Yield the edit of the name in `def name`, which has no node of its own."""
    new = renamed.names.get(node.name)
    if new is None or node.name in hidden:
        return
    word = "class " if isinstance(node, ast.ClassDef) else "def "
    skipped = len("async ") if isinstance(node, ast.AsyncFunctionDef) else 0
    start = node.col_offset + skipped + len(word)
    end = start + len(node.name.encode())
    yield Edit(node.lineno, start, node.lineno, end, new, node.name)


def _annotations(arguments: ast.arguments) -> Iterator[ast.expr | None]:
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return (argument.annotation for argument in every)


def _defaults(arguments: ast.arguments) -> Iterator[ast.expr]:
    yield from arguments.defaults
    yield from (default for default in arguments.kw_defaults if default is not None)


def _parameters(arguments: ast.arguments) -> frozenset[str]:
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    others = (arguments.vararg, arguments.kwarg)
    return frozenset(a.arg for a in (*every, *others) if a is not None)


def _bound_in(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """Return the names that are a function's own: parameters, and what it binds."""
    own = set(_parameters(function.args))
    outside: set[str] = set()
    todo: list[ast.stmt] = list(function.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Global):
            outside |= {*node.names}
        elif isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            own.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            own |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        else:
            own.update(stored(node))
            for block in ("body", "orelse", "finalbody"):
                todo.extend(getattr(node, block, []))
            for handler in getattr(node, "handlers", []):
                own.update({handler.name} - {None})
                todo.extend(handler.body)
            for case in getattr(node, "cases", []):
                todo.extend(case.body)
    return frozenset(own - outside)
