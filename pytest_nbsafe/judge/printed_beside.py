"""What a cell shows beside what it asks the clock, the machine or a model: that can be compared.

`print("run at", datetime.now())` shows another text tomorrow, `print("accuracy", accuracy)` below
it does not. A line of the output is known for the latter's by the words that it begins with, and
the result of a cell is known anyway.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pytest_nbsafe.analysis import syntax, trees
from pytest_nbsafe.analysis.model import Graph, Statement, kept
from pytest_nbsafe.judge import outside_influences
from pytest_nbsafe.judge.flow import Touched
from pytest_nbsafe.judge.makers import makers
from pytest_nbsafe.notebook.model import Output

_SHORTEST = 3
_PASSES_NOTHING_ON = (ast.Assign, ast.Import, ast.ImportFrom)
"""Statements that pass on what they ask by the names alone that they bind."""
_Pair = tuple[tuple[Output, ...], tuple[Output, ...]]


class _Shows(NamedTuple):
    """What the lines begin with that a cell prints for sure, and whether its result is sure too."""

    beginnings: tuple[str, ...] = ()
    result: bool = False


def beside_outside(
    graph: Graph, cell: int, saved: Sequence[Output], new: Sequence[Output]
) -> _Pair:
    """Return of both outputs of a cell that looks outside what its other statements show.

    That is nothing unless each of these has its one line in the new output, and in what is saved,
    or nothing is saved at all.
    """
    return _paired(_beside_outside(graph, cell), saved, new)


def beside_learning(
    graph: Graph, cell: int, saved: Sequence[Output], new: Sequence[Output]
) -> _Pair:
    """Return of both outputs of a cell that learns or solves what its other statements show."""
    return _paired(_beside_learning(graph, cell), saved, new)


def prints_anyway(graph: Graph, cell: int) -> tuple[str, ...]:
    """Return what the lines begin with that a cell prints whatever it is given; "" for unknown."""
    module = trees.of(graph, cell)
    return tuple(_first_words(shows) for node in module.body if (shows := _printed(node)))


@kept
def _beside_outside(graph: Graph, cell: int) -> _Shows:
    lines = outside_influences.looking_lines(graph, cell)
    names = outside_influences.read_from_outside(graph).get(cell, frozenset())
    return _shown_for_sure(graph, cell, Touched(lines, names), is_learning=False)


@kept
def _beside_learning(graph: Graph, cell: int) -> _Shows:
    touched = makers(graph).learned.get(cell, Touched())
    return _shown_for_sure(graph, cell, touched, is_learning=True)


def _shown_for_sure(graph: Graph, cell: int, touched: Touched, *, is_learning: bool) -> _Shows:
    """Return what a cell shows whatever touches it: the outside, or what learns and solves.

    Threads may change anything at any time; what branches and loops do with what they are given is
    not known, nor what calls do with what they are given of the outside.
    """
    if any("threads" in outside_influences.asked_by(graph, n) for n in graph.cells):
        return _Shows()
    module, span = trees.of(graph, cell), syntax.span_of(graph, cell)
    nodes = {span(node): node for node in module.body}
    names, beginnings, result = set(touched.names), [], False
    for statement in graph.cells[cell].statements if cell in graph.cells else ():
        node = nodes.get(statement.span)
        shows = _printed(node)
        if _is_untouched(statement, touched.lines, names):
            if shows is not None:
                beginnings.append(_first_words(shows))
            result = shows is None and isinstance(node, ast.Expr) and node is module.body[-1]
            continue
        if shows is None and not (
            isinstance(node, _PASSES_NOTHING_ON) or _is_call(node, bare=not is_learning)
        ):
            return _Shows()
        names |= statement.writes.keys() | statement.mutates.keys()
    return _Shows(tuple(words for words in beginnings if len(words) >= _SHORTEST), result)


def _is_untouched(statement: Statement, lines: frozenset[int], names: set[str]) -> bool:
    own = range(statement.span.line, statement.span.end_line + 1)
    return lines.isdisjoint(own) and names.isdisjoint(statement.reads)


def _printed(node: ast.stmt | None) -> ast.expr | None:
    """Return what a statement prints first, None where it does not print a line of its own."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return None
    is_print = call.func.id == "print" and call.args and not call.keywords
    return call.args[0] if is_print else None


def _is_call(node: ast.stmt | None, *, bare: bool) -> bool:
    """Return whether a statement only calls; `bare`: what is given nothing, `gc.collect()`."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and not (bare and (call.args or call.keywords))


def _first_words(shown: ast.expr) -> str:
    """Return the words that a text begins with, "" where they are not known."""
    while isinstance(shown, (ast.JoinedStr, ast.BinOp)):
        shown = shown.values[0] if isinstance(shown, ast.JoinedStr) else shown.left
    text = shown.value if isinstance(shown, ast.Constant) else None
    return text.partition("%")[0].strip() if isinstance(text, str) and "\n" not in text else ""


# -- in the outputs --------------------------------------------------------------------------------


def _paired(shows: _Shows, saved: Sequence[Output], new: Sequence[Output]) -> _Pair:
    beginnings = shows.beginnings
    after = _beginning_with(beginnings, new)
    before = _beginning_with(beginnings, saved)
    if len(after) != len(beginnings) or (saved and len(before) != len(after)):
        before, after = [], []
    results = [_results(each) if shows.result else () for each in (saved, new)]
    if len(results[1]) != 1 or (saved and len(results[0]) != 1):
        results = [(), ()]
    return (*_as_output(before), *results[0]), (*_as_output(after), *results[1])


def _beginning_with(beginnings: Sequence[str], outputs: Sequence[Output]) -> list[str]:
    return [line for line in _lines(outputs) if line.lstrip().startswith(tuple(beginnings))]


def _lines(outputs: Sequence[Output]) -> Iterator[str]:
    printed = "".join(o.text for o in outputs if o.kind == "stream" and o.name == "stdout")
    return iter(printed.split("\n"))


def _results(outputs: Sequence[Output]) -> tuple[Output, ...]:
    return tuple(output for output in outputs if output.kind == "execute_result")


def _as_output(lines: Sequence[str]) -> tuple[Output, ...]:
    return (Output("stream", name="stdout", text="\n".join(lines)),) if lines else ()
