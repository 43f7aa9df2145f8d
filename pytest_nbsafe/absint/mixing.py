"""Cells that would mix a new value with an old one if the cell they read from ran again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from pytest_nbsafe.absint import engine, impact
from pytest_nbsafe.absint.engine import Violation
from pytest_nbsafe.absint.impact import Impact, Past, Rebuild, state_before_last
from pytest_nbsafe.absint.summaries import Numbering, numbered
from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.values import dataclass

_CODE = frozenset({"function", "class", "import"})
_STEPS_OF_A_PROOF = 100
_MOST_MAKERS = 16
"""So many cells on either side are looked at that may make a name."""


@dataclass(frozen=True, slots=True)
class Mixture:
    """A cell that reads `fresh` of cell `source`, and what cell `maker` made from that before.

    If `source` runs again and then this cell, without the cells in `left_out` that carry the new
    value on, it reads a new value beside a stale one: `stale` tells of that read.
    """

    source: int
    fresh: str
    maker: int
    left_out: tuple[int, ...]
    stale: Violation


def mixtures(graph: Graph, plan: Plan) -> Iterator[Mixture]:
    """Yield the first mixture of each cell, in page order, after a run as the plan says.

    Every chain of three cells can go stale at its end; what is worth telling is a reader that has
    the new value before its eyes, so that nothing seems to be missing. Sought is one run after
    that of the source (more add next to nothing), each mixture proved by the impact domain. What
    is a function, a class or an import on either side is left out.

    Source: NBLyzer, section 4.1.2.
    """
    readers = set(_may_mix(graph))
    if not readers:
        return
    known = numbered(graph)
    before = impact.past(known, plan.cells)
    for reader in sorted(readers & before.entries.keys()):
        for source, fresh, maker, stale in _candidates(known, before, reader):
            mixture = _proved(known, before, reader, source, fresh, maker, stale)
            if mixture is not None:
                yield mixture
                break


def _may_mix(graph: Graph) -> Iterator[int]:
    """Yield the cells that read two names of which one may be made from the other.

    Cheap, and says yes too often: every cell near by that may make a name counts, and all that it
    reads or makes beside it. Sets of names are bits of an integer.
    """
    numbers: dict[str, int] = {}

    def bits(names: Iterable[str]) -> int:
        return sum({1 << numbers.setdefault(name, len(numbers)) for name in names})

    code = bits(_code_names(graph))
    defines = {cell: bits(analysis.defines) for cell, analysis in graph.cells.items()}
    above: dict[int, int] = {}
    for cell in sorted(graph.cells):
        names = [use.name for use in dependencies.needs(graph, cell)]
        reached = bits(names)
        reads = reached & ~code
        mixes = False
        for name in names:
            own = bits([name])
            for maker in _makers(graph, name, cell):
                graph.budget.spend()
                parents = above.get(maker, 0) if maker < cell else reads
                mixes = mixes or bool(own & reads and parents & reads & ~own)
                reached |= parents | defines[maker]
        above[cell] = reached
        if mixes:
            yield cell


def _makers(graph: Graph, name: str, cell: int) -> Iterator[int]:
    """Yield the cells nearest to this one, above and below, that make or change a name."""
    for cells in (graph.binders.get(name, ()), graph.changers.get(name, ())):
        at = bisect_left(cells, cell)
        for maker in cells[max(0, at - _MOST_MAKERS) : at + _MOST_MAKERS]:
            if maker != cell:
                yield maker


def _code_names(graph: Graph) -> set[str]:
    """Return the names that hold nothing but functions, classes and modules."""
    kinds: dict[str, bool] = {}
    for analysis in graph.cells.values():
        for definition in analysis.definitions:
            if definition.kind != "mutation":
                name = definition.name
                kinds[name] = kinds.get(name, True) and definition.kind in _CODE
    return {name for name, is_code in kinds.items() if is_code}


def _candidates(known: Numbering, before: Past, reader: int) -> Iterator[tuple[int, str, int, str]]:
    """Yield (source, its name, maker, name made from that), both names read by the cell.

    Both still hold what the cell read then.
    """
    entry, end = before.entries[reader], before.end
    reads = sorted(known.cells[reader].uses.values(), key=lambda u: (u.span.line, u.span.column))
    numbers = [known.numbers[use.name] for use in reads]
    held = [
        n
        for n in numbers
        if entry.sources[n] == end.sources[n] and entry.makers[n] == end.makers[n] != 0
    ]
    makers = {n: _maker(known, entry.makers[n], n) for n in held}
    for fresh in held:
        source, output = makers[fresh]
        if source == reader or _is_code(known, source, known.names[fresh]):
            continue
        known.graph.budget.spend(len(held))
        for stale in held:
            maker = makers[stale][0]
            name = known.names[stale]
            if maker in {source, reader} or _is_code(known, maker, name):
                continue
            if entry.sources[stale] >> output & 1:
                yield source, known.names[fresh], maker, name


def _maker(known: Numbering, makers: int, name: int) -> tuple[int, int]:
    """Return the last cell of those that made a name, and the number of that output."""
    cell = known.order[makers.bit_length() - 1]
    return cell, next(out.number for out in known.cells[cell].outs if out.name == name)


def _is_code(known: Numbering, cell: int, name: str) -> bool:
    definitions = known.graph.cells[cell].definitions
    return any(d.name == name and d.kind in _CODE for d in definitions)


def _proved(
    known: Numbering, before: Past, reader: int, source: int, fresh: str, maker: int, stale: str
) -> Mixture | None:
    known.graph.budget.spend(_STEPS_OF_A_PROOF)
    edited = impact.edits(known, source, fresh)
    domain = Impact(known, before, before, source, edited, frozenset({reader}))
    for offence in engine.explore(domain, source, [reader], 1).offences:
        if offence.violation.name == stale and offence.violation.cell == reader:
            now = state_before_last(domain, offence.sequence)
            names = 1 << known.numbers[stale]
            needed = Rebuild(known, before, now).needed(reader, names)
            through = impact.affected(known, before, source, edited)
            left_out = tuple(cell for cell in needed if cell in through)
            return Mixture(source, fresh, maker, left_out, offence.violation)
    return None
