"""The names, cells and outputs of a notebook in numbers, and sets of them as bits of an integer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pytest_nbsafe.absint.summaries import CellSummary, NameOutput, summary
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class NumberedOutput:
    """An output in bits: its own number, its name's, and the names that it is made from."""

    output: NameOutput
    number: int
    name: int
    bit: int
    inputs: int
    through: int


@dataclass(frozen=True, slots=True)
class NumberedCell:
    """A cell's summary in bits."""

    summary: CellSummary
    bit: int
    reads: int
    binds: int
    leaves: int
    outs: tuple[NumberedOutput, ...]


@dataclass(frozen=True, slots=True)
class Numbering:
    """The names, cells and outputs of a notebook, numbered, and the summaries in those numbers.

    The bits of the cells follow `order`, that of the page. `readers` maps the number of a name to
    the outputs that are made from it; `twins` to the names that the text somewhere makes share an
    object with it.
    """

    graph: Graph
    names: tuple[str, ...]
    numbers: Mapping[str, int]
    order: tuple[int, ...]
    cells: Mapping[int, NumberedCell]
    outputs: tuple[tuple[int, NameOutput], ...]
    readers: Mapping[int, int]
    twins: Mapping[int, int]


def numbered(graph: Graph) -> Numbering:
    """Return the numbered summaries of a notebook; they serve every what-if on it."""
    summaries = {cell: summary(graph, cell) for cell in sorted(graph.cells)}
    numbers: dict[str, int] = {}
    for cell_summary in summaries.values():
        for name in (*cell_summary.reads, *(out.name for out in cell_summary.outputs)):
            numbers.setdefault(name, len(numbers))
        for output in cell_summary.outputs:
            for name in sorted(output.made_from):
                numbers.setdefault(name, len(numbers))
    cells: dict[int, NumberedCell] = {}
    outputs: list[tuple[int, NameOutput]] = []
    readers: dict[int, int] = {}
    for position, (number, cell_summary) in enumerate(summaries.items()):
        cells[number] = numbered_cell = _in_bits(cell_summary, 1 << position, len(outputs), numbers)
        outputs.extend((number, out) for out in cell_summary.outputs)
        for own in numbered_cell.outs:
            for read in ones(own.inputs):
                readers[read] = readers.get(read, 0) | own.bit
    return Numbering(
        graph,
        tuple(numbers),
        numbers,
        tuple(summaries),
        cells,
        tuple(outputs),
        readers,
        _twins(graph, numbers),
    )


def _in_bits(
    cell_summary: CellSummary, bit: int, first: int, numbers: Mapping[str, int]
) -> NumberedCell:
    own = {out.name: 1 << (first + i) for i, out in enumerate(cell_summary.outputs)}
    outs = tuple(
        NumberedOutput(
            output=out,
            number=first + i,
            name=numbers[out.name],
            bit=own[out.name],
            inputs=bits_of(numbers[name] for name in out.made_from),
            through=sum(own[name] for name in out.through if name in own),
        )
        for i, out in enumerate(cell_summary.outputs)
    )
    return NumberedCell(
        cell_summary,
        bit,
        reads=bits_of(numbers[name] for name in cell_summary.reads),
        binds=bits_of(out.name for out in outs if out.output.how == "binds"),
        leaves=bits_of(out.name for out in outs),
        outs=outs,
    )


def _twins(graph: Graph, numbers: Mapping[str, int]) -> dict[int, int]:
    twins: dict[int, int] = {}
    for analysis in graph.cells.values():
        for statement in analysis.statements:
            same = [numbers[name] for name in statement.same if name in numbers]
            for name in same:
                twins[name] = twins.get(name, 0) | bits_of(same)
    return twins


def bits_of(numbers: Iterable[int]) -> int:
    """Return an integer in which the bits of these numbers are set."""
    bits = 0
    for number in numbers:
        bits |= 1 << number
    return bits


def ones(bits: int) -> Iterator[int]:
    """Yield the numbers whose bits are set, lowest first."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
