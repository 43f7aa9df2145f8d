"""marimo's notebooks: a Python file whose functions are the cells; it is read, never run.

marimo runs a cell after those that make what it reads, wherever they stand. So the cells come here
in that order: what is "above" a cell is what marimo runs before it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_nbsafe import patterns
from pytest_nbsafe.notebook.unreadable import Unreadable
from pytest_nbsafe.values import dataclass

_APP = patterns.compile(r"(?m)^app = marimo\.App\(")
_WHOLE = frozenset({"function", "class_definition"})
"""Cells that are one function or class, kept as they stand."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell: its lines of source, where they stand, and the names that it reads and gives."""

    lines: Sequence[str]
    first: int
    reads: frozenset[str]
    gives: frozenset[str]


def is_one(text: str) -> bool:
    """Return whether a Python file is a notebook of marimo."""
    return _APP.search(text) is not None


def cells(text: str) -> tuple[list[dict[str, Any]], list[tuple[int, ...]]]:
    """Return the cells of a marimo file, in the order of running, and the lines of each.

    Raises:
        Unreadable: the file is not Python.

    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None) or 1
        hint = "mend that line, or open it in marimo and save it again"
        raise Unreadable(line, f"this marimo file is not valid Python: {error}", hint) from error
    lines = text.split("\n")
    in_page_order = [cell for node in tree.body for cell in _of_statement(node, lines)]
    ordered = [*_in_order(in_page_order)]
    made: list[dict[str, Any]] = [
        {"cell_type": "code", "source": "\n".join(cell.lines), "metadata": {}} for cell in ordered
    ]
    return made, [tuple(cell.first + i for i in range(len(cell.lines))) for cell in ordered]


def _of_statement(node: ast.stmt, lines: Sequence[str]) -> Iterator[_Cell]:
    if isinstance(node, ast.With) and any(_of_app(item.context_expr) for item in node.items):
        gives = frozenset(
            name.asname or name.name.partition(".")[0]
            for inner in ast.walk(node)
            if isinstance(inner, ast.Import | ast.ImportFrom)
            for name in inner.names
        ) | frozenset(
            inner.id
            for inner in ast.walk(node)
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
        )
        yield _cut(node.body, lines, frozenset(), gives)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        kinds = {_of_app(decorator) for decorator in node.decorator_list}
        if not isinstance(node, ast.ClassDef) and "cell" in kinds:
            yield _function(node, lines)
        elif kinds & _WHOLE:
            reads = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
            yield _cut([node], lines, frozenset(reads), frozenset({node.name}))
    elif isinstance(node, ast.Expr) and _of_app(node.value) == "_unparsable_cell":
        yield from _unparsable(node)


def _of_app(node: ast.expr) -> str:
    """Return the attribute of `app` that is meant, called or not; empty for anything else."""
    target = node.func if isinstance(node, ast.Call) else node
    own = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
    if not own or not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
        return ""
    return target.attr if target.value.id == "app" else ""


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: Sequence[str]) -> _Cell:
    """Return the body of a cell's function, whose arguments and result say what it exchanges."""
    body, gives = node.body, frozenset[str]()
    reads = frozenset(argument.arg for argument in node.args.args)
    last = body[-1]
    if isinstance(last, ast.Return):
        body = body[:-1]
        value = last.value
        given = value.elts if isinstance(value, ast.Tuple) else [value]
        gives = frozenset(name.id for name in given if isinstance(name, ast.Name))
    return _cut(body, lines, reads, gives, node.body[0].lineno)


def _cut(
    body: Sequence[ast.stmt],
    lines: Sequence[str],
    reads: frozenset[str],
    gives: frozenset[str],
    first: int = 1,
) -> _Cell:
    """Return statements, and comments on top, as lines without their indent.

    Lines within a text keep theirs, as marimo writes them.
    """
    if not body:
        return _Cell(("",), first, reads, gives)
    first, indent = body[0].lineno, body[0].col_offset
    while lines[first - 2].lstrip().startswith("#"):
        first -= 1
    in_texts = {
        line
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Constant | ast.JoinedStr)
        for line in range(node.lineno + 1, (node.end_lineno or node.lineno) + 1)
    }
    source = [
        line if at in in_texts else line[indent:] if not line[:indent].strip() else line
        for at, line in enumerate(lines[first - 1 : body[-1].end_lineno], first)
    ]
    return _Cell(source, first, reads, gives)


def _unparsable(node: ast.Expr) -> Iterator[_Cell]:
    call = node.value
    if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant):
        source = call.args[0].value
        if isinstance(source, str):
            yield _Cell(source.split("\n"), call.args[0].lineno, frozenset(), frozenset())


def _in_order(page: Sequence[_Cell]) -> Iterator[_Cell]:
    """Yield the cells, each after those that give what it reads, else as they stand."""
    givers: Mapping[str, int] = {name: at for at, cell in enumerate(page) for name in cell.gives}
    waiting = dict(enumerate(page))
    while waiting:
        ready = (
            at
            for at, cell in waiting.items()
            if not any(givers.get(name, at) in waiting.keys() - {at} for name in cell.reads)
        )
        yield waiting.pop(next(ready, next(iter(waiting))))  # in a circle: as it stands
