"""What a cell prints beside what it asks the clock or the machine: that can be compared.

`print("run at", datetime.now())` shows another text tomorrow, `print("accuracy", accuracy)` below
it does not. A line of the output is known for the latter's by the words that it begins with.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pytest_nbsafe.analysis import syntax, trees
from pytest_nbsafe.analysis.model import Graph, kept
from pytest_nbsafe.judge import outside_influences
from pytest_nbsafe.notebook.model import Output

_SHORTEST = 3
_PASSES_NOTHING_ON = (ast.Assign, ast.Import, ast.ImportFrom)
"""Statements that pass on what they ask by the names alone that they bind."""


def lines_beside(
    graph: Graph, cell: int, saved: Sequence[Output], new: Sequence[Output]
) -> tuple[tuple[Output, ...], tuple[Output, ...]]:
    """Return of both outputs of a cell that looks outside what its other prints show.

    That is nothing unless each of these has its one line in the new output, and in what is saved,
    or nothing is saved at all.
    """
    beginnings = _beginnings(graph, cell)
    after = _beginning_with(beginnings, new)
    before = _beginning_with(beginnings, saved)
    if len(after) == len(beginnings) and (len(before) == len(after) or not saved):
        return _as_output(before), _as_output(after)
    return (), ()


@kept
def _beginnings(graph: Graph, cell: int) -> tuple[str, ...]:
    """Return what the lines begin with that a cell prints for sure, whatever is outside.

    Threads may change anything at any time; what branches, loops and calls do with what they are
    given of the outside is not known.
    """
    if any("threads" in outside_influences.asked_by(graph, n) for n in graph.cells):
        return ()
    module, span = trees.of(graph, cell), syntax.span_of(graph, cell)
    nodes = {span(node): node for node in module.body}
    looking = outside_influences.looking_lines(graph, cell)
    outside = set(outside_influences.read_from_outside(graph).get(cell, ()))
    beginnings = []
    for statement in graph.cells[cell].statements if cell in graph.cells else ():
        node = nodes.get(statement.span)
        shows = _printed(node)
        lines = range(statement.span.line, statement.span.end_line + 1)
        if looking.isdisjoint(lines) and outside.isdisjoint(statement.reads):
            if shows is not None:
                beginnings.append(_first_words(shows))
            continue
        if shows is None and not (isinstance(node, _PASSES_NOTHING_ON) or _is_bare_call(node)):
            return ()
        outside |= statement.writes.keys() | statement.mutates.keys()
    return tuple(words for words in beginnings if len(words) >= _SHORTEST)


def _printed(node: ast.stmt | None) -> ast.expr | None:
    """Return what a statement prints first, None where it does not print a line of its own."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return None
    is_print = call.func.id == "print" and call.args and not call.keywords
    return call.args[0] if is_print else None


def _is_bare_call(node: ast.stmt | None) -> bool:
    """Return whether a statement only calls what is given nothing: `gc.collect()`."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and not call.args and not call.keywords


def _first_words(shown: ast.expr) -> str:
    """Return the words that a text begins with, "" where they are not known."""
    while isinstance(shown, (ast.JoinedStr, ast.BinOp)):
        shown = shown.values[0] if isinstance(shown, ast.JoinedStr) else shown.left
    text = shown.value if isinstance(shown, ast.Constant) else None
    return text.partition("%")[0].strip() if isinstance(text, str) and "\n" not in text else ""


def _beginning_with(beginnings: Sequence[str], outputs: Sequence[Output]) -> list[str]:
    return [line for line in _lines(outputs) if line.lstrip().startswith(tuple(beginnings))]


def _lines(outputs: Sequence[Output]) -> Iterator[str]:
    printed = "".join(o.text for o in outputs if o.kind == "stream" and o.name == "stdout")
    return iter(printed.split("\n"))


def _as_output(lines: Sequence[str]) -> tuple[Output, ...]:
    return (Output("stream", name="stdout", text="\n".join(lines)),) if lines else ()
