"""Reads that one of two cells may have made what they read: what NBS104 tells.

By the page a read gets what the nearest definer above it made; by the counts, what the definer
that ran last before it made. Where these are two cells the order decides.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.model import Definition, Graph, Statement, Use
from pytest_nbsafe.order import session_split
from pytest_nbsafe.order.plan import runnable
from pytest_nbsafe.values import dataclass

Reason = Literal["ran-later", "never-run", "untold"]
_PASSING = frozenset({"loop", "with", "except", "delete", "mutation", "annotation"})
"""A name bound so serves the cell itself; that another cell reads it is no sign of a choice."""


@dataclass(frozen=True, slots=True)
class AmbiguousRead:
    """`reader` reads `use.name`, which `nearest` makes by the page and `other`, above it, too.

    `reason`: "ran-later" when `other` ran after `nearest`, and the reader after both; "never-run"
    when `nearest` never ran though the reader did, and does not go on from `other`; "untold" when
    there are no counts to tell, and `nearest`, the next cell, replaces what `other` made.
    """

    reader: int
    use: Use
    nearest: int
    other: int
    reason: Reason


def ambiguous(graph: Graph) -> Iterator[AmbiguousRead]:
    """Yield the reads of the page whose definer the order decides, in page order.

    Counts of several sessions cannot be compared, so such a notebook has none.
    """
    cells = runnable(graph)
    page = [cell.number for cell in cells]
    counts = {cell.number: cell.count for cell in cells if cell.count is not None}
    sure = {
        name: _Definers(definers, counts)
        for name, definers in _sure_definers(graph, frozenset(page)).items()
    }
    if not sure or session_split.split(graph, cells).number > 1:
        return
    for reader in page:
        for use in dependencies.needs(graph, reader):
            if use.name in sure and use.is_needed:
                read = _judge(graph, reader, use, sure[use.name], counts)
                if read is not None and _is_choice(graph, read):
                    yield read


class _Definers:
    """The cells that surely bind one name: by page order, and by count where they have one."""

    def __init__(self, page: Sequence[int], counts: Mapping[int, int]) -> None:
        self.page = page
        self._counted = sorted((counts[cell], -cell) for cell in page if cell in counts)

    def above(self, reader: int) -> Sequence[int]:
        """Return the last two above a cell of the page, or fewer."""
        end = bisect_left(self.page, reader)
        return self.page[max(0, end - 2) : end]

    def last_before(self, count: int) -> int | None:
        """Return the one that ran last before a count; of several the first on the page."""
        end = bisect_left(self._counted, (count,))
        return -self._counted[end - 1][1] if end else None


def _sure_definers(graph: Graph, page: Collection[int]) -> Mapping[str, Sequence[int]]:
    """Return the cells of the page that surely bind a name, for the names that have several."""
    definers = {
        name: [n for n in cells if n in page and name in graph.cells[n].sure]
        for name, cells in graph.binders.items()
        if len(cells) > 1
    }
    return {name: cells for name, cells in definers.items() if len(cells) > 1}


def _judge(
    graph: Graph, reader: int, use: Use, definers: _Definers, counts: Mapping[int, int]
) -> AmbiguousRead | None:
    above = definers.above(reader)
    if len(above) < 2:
        return None
    before, nearest = above
    if not counts:
        return AmbiguousRead(reader, use, nearest, before, "untold")
    if reader not in counts:
        return None
    last = definers.last_before(counts[reader])
    if last is None or last >= nearest:
        return None  # nobody knows; as the page says; or a read from below, which NBS103 tells
    if nearest not in counts:
        shown = graph.notebook.cell(nearest).outputs
        return None if shown else AmbiguousRead(reader, use, nearest, last, "never-run")
    if counts[nearest] > counts[reader]:
        return None  # NBS103 tells that the nearest ran after this
    return AmbiguousRead(reader, use, nearest, last, "ran-later")


# -- is it a choice? -----------------------------------------------------------------------------


def _is_choice(graph: Graph, read: AmbiguousRead) -> bool:
    """Return whether both cells surely make a value of their own, which nothing between hides."""
    name = read.use.name
    length = sum(len(graph.cells[cell].statements) for cell in (read.other, read.nearest))
    graph.budget.scan(length)
    both = [definition_of(graph, cell, name) for cell in (read.other, read.nearest)]
    if any(d.kind in _PASSING for d in both) or all(d.kind == "import" for d in both):
        return False
    if _text(graph, read.other, both[0]) == _text(graph, read.nearest, both[1]):
        return False
    if _may_be_hidden(graph, read):
        return False
    if read.reason == "never-run":
        return all(use.name != name for use in dependencies.needs(graph, read.nearest))
    return read.reason != "untold" or _is_replaced(graph, read, both[0])


def definition_of(graph: Graph, cell: int, name: str) -> Definition:
    """Return the last place where a cell that leaves the name bound binds it."""
    places = [d for d in graph.cells[cell].definitions if d.name == name]
    return ([d for d in places if d.binds] or places)[-1]


def _text(graph: Graph, cell: int, definition: Definition) -> str:
    """Return the lines of the statement that binds the name, without comments."""
    statement = _statement(graph, cell, definition)
    span = statement.span if statement is not None else definition.span
    lines = graph.notebook.cell(cell).source.split("\n")[span.line - 1 : span.end_line]
    return "\n".join(line.split(" #")[0].rstrip() for line in lines)


def _statement(graph: Graph, cell: int, definition: Definition) -> Statement | None:
    """Return the statement that binds the name at this place; a call of a function has none."""
    line = definition.span.line
    return next(
        (
            statement
            for statement in graph.cells[cell].statements
            if statement.span.line <= line <= statement.span.end_line
            and definition.name in statement.writes
        ),
        None,
    )


def _may_be_hidden(graph: Graph, read: AmbiguousRead) -> bool:
    """Return whether another cell may have bound the name, or deleted it, before the reader."""
    name, analyses = read.use.name, graph.cells
    unsure = any(
        cell != read.reader and name not in analyses[cell].sure
        for cell in graph.binders.get(name, ())
    )
    return unsure or any(
        analysis.opaque or analysis.fault or name in analysis.removed
        for cell, analysis in analyses.items()
        if read.other < cell < read.reader
    )


def _is_replaced(graph: Graph, read: AmbiguousRead, definition: Definition) -> bool:
    """Return whether the very next cell makes all that this statement binds, and none read it.

    So `df = clean(df)`, a name that each part of a notebook uses for itself, and a first version
    that the text goes on from are no choice.
    """
    analyses = graph.cells
    binding = _statement(graph, read.other, definition)
    next_to_it = read.nearest == read.other + 1
    if (
        binding is None
        or not next_to_it
        or not binding.writes.keys() <= analyses[read.nearest].sure
    ):
        return False
    maker = analyses[read.other]
    after = [s for s in maker.statements if s.span.line > binding.span.line]
    reads = {name for statement in after for name in statement.reads}
    reads.update(name for function in maker.functions.values() for name in function.reads)
    reads.update(use.name for use in dependencies.needs(graph, read.nearest))
    return reads.isdisjoint(binding.writes)
