"""Reads that one of two cells may have made what they read: what NBS104 tells.

By the page a read gets what the nearest definer above it made; by the counts, what the definer
that ran last before it made. Where these are two cells the order decides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

from pytest_nbsafe.analysis import graph as graphs
from pytest_nbsafe.analysis.model import Definition, Statement, Use
from pytest_nbsafe.order import sessions
from pytest_nbsafe.order.cells import runnable
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.values import dataclass

Reason = Literal["ran-later", "never-run", "untold"]
_PASSING = frozenset({"loop", "with", "except", "delete", "mutation", "annotation"})
"""A name bound so serves the cell itself; that another cell reads it is no sign of a choice."""


@dataclass(frozen=True, slots=True)
class Ambiguous:
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


def ambiguous(facts: Facts) -> Iterator[Ambiguous]:
    """Yield the reads of the page whose definer the order decides, in page order.

    Counts of several sessions cannot be compared, so such a notebook has none.
    """
    cells = runnable(facts.graph)
    page = [cell.number for cell in cells]
    counts = {cell.number: cell.count for cell in cells if cell.count is not None}
    sure = _sure_definers(facts, frozenset(page))
    if not sure or len(set(sessions.split(cells).values())) > 1:
        return
    for reader in page:
        for use in graphs.needs(facts.graph, reader):
            unsure = use.guarded or (use.via and not use.certain)
            if use.name in sure and not unsure:
                found = _judge(facts, reader, use, sure[use.name], counts)
                if found is not None and _is_choice(facts, found):
                    yield found


def _sure_definers(facts: Facts, page: Collection[int]) -> Mapping[str, Sequence[int]]:
    """Return the cells of the page that surely bind a name, for the names that have several."""
    found: dict[str, list[int]] = defaultdict(list)
    for name, cells in facts.graph.binders.items():
        if len(cells) > 1:
            found[name] = [n for n in cells if n in page and name in facts.graph.cells[n].sure]
    return {name: cells for name, cells in found.items() if len(cells) > 1}


def _judge(
    facts: Facts, reader: int, use: Use, definers: Sequence[int], counts: Mapping[int, int]
) -> Ambiguous | None:
    above = [cell for cell in definers if cell < reader]
    if len(above) < 2:
        return None
    nearest, before = above[-1], above[-2]
    if not counts:
        return Ambiguous(reader, use, nearest, before, "untold")
    if reader not in counts:
        return None
    ran = [d for d in definers if d != reader and counts.get(d, counts[reader]) < counts[reader]]
    last = max(ran, key=lambda cell: counts[cell], default=None)
    if last is None or last >= nearest:
        return None  # nobody knows; as the page says; or a read from below, which NBS103 tells
    if nearest not in counts:
        shown = facts.notebook.cell(nearest).outputs
        return None if shown else Ambiguous(reader, use, nearest, last, "never-run")
    if counts[nearest] > counts[reader]:
        return None  # NBS103 tells that the nearest ran after this
    return Ambiguous(reader, use, nearest, last, "ran-later")


# -- is it a choice? -----------------------------------------------------------------------------


def _is_choice(facts: Facts, found: Ambiguous) -> bool:
    """Return whether both cells surely make a value of their own, which nothing between hides."""
    name = found.use.name
    both = [definition_of(facts, cell, name) for cell in (found.other, found.nearest)]
    if any(d.kind in _PASSING for d in both) or all(d.kind == "import" for d in both):
        return False
    if _text(facts, found.other, both[0]) == _text(facts, found.nearest, both[1]):
        return False
    if _may_be_hidden(facts, found):
        return False
    if found.reason == "never-run":
        return all(use.name != name for use in graphs.needs(facts.graph, found.nearest))
    return found.reason != "untold" or _is_replaced(facts, found, both[0])


def definition_of(facts: Facts, cell: int, name: str) -> Definition:
    """Return the last place where a cell that leaves the name bound binds it."""
    places = [d for d in facts.graph.cells[cell].definitions if d.name == name]
    binding = [d for d in places if d.kind not in {"delete", "mutation"}]
    return (binding or places)[-1]


def _text(facts: Facts, cell: int, definition: Definition) -> str:
    """Return the lines of the statement that binds the name, without comments."""
    made = _statement(facts, cell, definition)
    span = made.span if made is not None else definition.span
    lines = facts.notebook.cell(cell).source.split("\n")[span.line - 1 : span.end_line]
    return "\n".join(line.split(" #")[0].rstrip() for line in lines)


def _statement(facts: Facts, cell: int, definition: Definition) -> Statement | None:
    """Return the statement that binds the name at this place; a call of a function has none."""
    line = definition.span.line
    return next(
        (
            statement
            for statement in facts.graph.cells[cell].statements
            if statement.span.line <= line <= statement.span.end_line
            and definition.name in statement.writes
        ),
        None,
    )


def _may_be_hidden(facts: Facts, found: Ambiguous) -> bool:
    """Return whether another cell may have bound the name, or deleted it, before the reader."""
    name, analyses = found.use.name, facts.graph.cells
    unsure = any(
        cell != found.reader and name not in analyses[cell].sure
        for cell in graphs.definers(facts.graph, name)
    )
    return unsure or any(
        analysis.opaque or analysis.fault or name in analysis.removed
        for cell, analysis in analyses.items()
        if found.other < cell < found.reader
    )


def _is_replaced(facts: Facts, found: Ambiguous, definition: Definition) -> bool:
    """Return whether the very next cell makes all anew that this statement binds, and none read it.

    So `df = clean(df)`, a name that each part of a notebook uses for itself, and a first version
    that the text goes on from are no choice.
    """
    analyses = facts.graph.cells
    made = _statement(facts, found.other, definition)
    next_to_it = found.nearest == found.other + 1
    if made is None or not next_to_it or not made.writes.keys() <= analyses[found.nearest].sure:
        return False
    maker = analyses[found.other]
    after = [s for s in maker.statements if s.span.line > made.span.line]
    reads = {name for statement in after for name in statement.reads}
    reads.update(name for function in maker.functions.values() for name in function.reads)
    reads.update(use.name for use in graphs.needs(facts.graph, found.nearest))
    return reads.isdisjoint(made.writes)
