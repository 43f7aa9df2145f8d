"""Statements of the notebook's own level that stand alone on their lines, and edits of them.

What a remedy takes out, moves or writes anew are such statements: their lines are theirs alone,
and are Python as they stand in the cell.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from pytest_nbsafe.analysis import trees
from pytest_nbsafe.analysis.model import Graph, Statement
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Placed:
    """A statement of a cell, from `line` to `end`; `index` is its place among its neighbours."""

    cell: int
    node: ast.stmt
    index: int

    @property
    def line(self) -> int:
        """Its first line, from 1."""
        return self.node.lineno

    @property
    def end(self) -> int:
        """Its last line."""
        return self.node.end_lineno or self.node.lineno

    @property
    def place(self) -> tuple[int, int]:
        """Where it begins, to be compared with others from the top of the page."""
        return self.cell, self.line


def at(graph: Graph, cell: int, line: int) -> Placed | None:
    """Return the statement that a line of a cell belongs to, None where it does not stand alone."""
    return next((each for each in of_cell(graph, cell) if each.line <= line <= each.end), None)


def of_cell(graph: Graph, cell: int) -> Iterator[Placed]:
    """Yield the statements of a cell that stand alone, from the top."""
    if cell not in graph.cells:
        return
    body = trees.of(graph, cell).body
    python = trees.python_of(graph, cell).text.split("\n")
    page = graph.notebook.cell(cell).source.split("\n")
    for index, node in enumerate(body):
        placed = Placed(cell, node, index)
        lines = slice(placed.line - 1, placed.end)
        before = (body[index - 1].end_lineno or 0) if index else 0
        after = body[index + 1].lineno if index + 1 < len(body) else placed.end + 1
        if before < placed.line and placed.end < after and python[lines] == page[lines]:
            yield placed


def imports(graph: Graph, cell: int) -> list[Placed]:
    """Return the imports of a cell that stand alone, from the top."""
    kinds = ast.Import | ast.ImportFrom
    return [placed for placed in of_cell(graph, cell) if isinstance(placed.node, kinds)]


def between(graph: Graph, first: Placed, last: Placed) -> Iterator[tuple[int, Statement]]:
    """Yield what runs on the page after one statement and before another, with its cell."""
    for cell, statement in below(graph, first):
        if (cell, statement.span.line) < last.place:
            yield cell, statement


def below(graph: Graph, first: Placed) -> Iterator[tuple[int, Statement]]:
    """Yield what stands on the page after a statement, with its cell."""
    for cell, analysis in sorted(graph.cells.items()):
        for statement in analysis.statements:
            if (cell, statement.span.line) > (first.cell, first.end):
                yield cell, statement


def rewritten(source: str, node: ast.AST, news: Iterable[tuple[ast.AST, str]]) -> str:
    """Return the text of a node with new texts for nodes inside it, which do not overlap."""
    lines = source.encode().split(b"\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)  # columns of a tree count bytes

    def ends(each: ast.AST) -> tuple[int, int]:
        assert isinstance(each, (ast.expr, ast.stmt)), "only these have places"
        end_line, end_column = each.end_lineno or each.lineno, each.end_col_offset or 0
        return (starts[each.lineno - 1] + each.col_offset, starts[end_line - 1] + end_column)

    begin, stop = ends(node)
    text, reached = b"", begin
    whole = source.encode()
    for old, new in sorted(news, key=lambda pair: ends(pair[0])):
        first, last = ends(old)
        text += whole[reached:first] + new.encode()
        reached = last
    return (text + whole[reached:stop]).decode()


def with_lines(source: str, news: Iterable[tuple[Placed, tuple[str, ...]]]) -> str:
    """Return a source with new lines in the place of statements, none where they go."""
    lines = source.split("\n")
    for placed, new in sorted(news, key=lambda pair: pair[0].line, reverse=True):
        lines[placed.line - 1 : placed.end] = [line for text in new for line in text.split("\n")]
    return "\n".join(lines)
