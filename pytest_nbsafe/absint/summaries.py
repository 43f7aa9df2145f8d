"""What a run of a cell takes and leaves, name by name, and the same in bits of an integer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.call_graph import called_by
from pytest_nbsafe.analysis.model import CellAnalysis, Graph, Statement, Use
from pytest_nbsafe.values import dataclass, replace

How = Literal["binds", "may bind", "changes", "deletes"]
_FITTING = frozenset({"fit", "fit_transform", "fit_predict", "fit_resample"})
"""Methods after which an estimator knows nothing of what it was fitted on before."""


@dataclass(frozen=True, slots=True)
class NameOutput:
    """What a run of a cell leaves of one name.

    `made_from` are the names at the cell's entry that the value is made from, `through` those of
    the cell's own making that it passed through. `how` is "changes" when the object is only
    changed in place; if it is `refitted`, that leaves nothing of an earlier change by this cell.
    Nothing makes what is `imported` again but an edit.
    """

    name: str
    line: int
    how: How
    made_from: frozenset[str] = frozenset()
    through: frozenset[str] = frozenset()
    imported: bool = False
    refitted: bool = False


def uses_of(graph: Graph, cell: int) -> Mapping[str, Use]:
    """Return the names that a run of the cell reads before it binds them, each with its read.

    Source: NBLyzer, section 3.2.1 (unbound variables of the use-def structure). Departs: reads
    that expect the name to be missing, and those in functions that may not be reached, are left
    out, since they prove nothing.
    """
    return {use.name: use for use in dependencies.needs(graph, cell) if use.is_needed}


def outputs_of(graph: Graph, cell: int) -> tuple[NameOutput, ...]:
    """Return what a run of the cell leaves, its statements taken once, top to bottom.

    Source: NBLyzer, section 4.1.1 (assignments, functions). Departs: a value is followed to the
    names at the cell's entry, so that one pass serves every entry state; a statement that does not
    stand at the cell's margin (in a loop, under an `if`) adds to what a name is made from. What a
    loop carries from one turn to the next through a statement above is missed.
    """
    analysis = graph.cells[cell]
    graph.budget.scan(len(analysis.definitions) * len(analysis.calls))
    flows: dict[str, NameOutput] = {}
    for statement in analysis.statements:
        _apply(graph, analysis, statement, flows)
    for name, line in _changed_by_calls(graph, analysis):
        if name not in flows:
            reads = _reads_of_calls(analysis, name)
            flows[name] = _output(name, line, "changes", reads | {name}, flows)
    return tuple(_final(analysis, out) for _, out in sorted(flows.items()))


# -- statements ----------------------------------------------------------------------------------


def _apply(
    graph: Graph, analysis: CellAnalysis, statement: Statement, flows: dict[str, NameOutput]
) -> None:
    called = called_by(graph, analysis.cell, statement)
    returned = frozenset[str]().union(*(function.returns for function in called))
    outputs: dict[str, NameOutput] = {}
    line = statement.span.line
    for name, parents in statement.writes.items():
        out = _output(name, line, "binds", parents | returned, flows)
        if statement.span.column > 1 and name in flows:
            out = _both(flows[name], out)
        outputs[name] = _imported(out) if statement.kind == "import" else out
    for name, parents in statement.mutates.items():
        if name not in outputs and _surely_changes(graph, analysis, name):
            how: How = flows[name].how if name in flows else "changes"
            outputs[name] = _output(name, line, how, parents | returned | {name}, flows)
    for function in called:
        for name in function.writes:
            outputs.setdefault(
                name, _output(name, line, "may bind", frozenset(function.reads), flows)
            )
    for name in statement.deletes:
        outputs[name] = NameOutput(name, line, "deletes")
    flows.update(outputs)


def _output(
    name: str, line: int, how: How, parents: frozenset[str], flows: Mapping[str, NameOutput]
) -> NameOutput:
    """Return an output whose parents are followed to the cell's entry."""
    made_from: set[str] = set()
    through: set[str] = set()
    for parent in parents:
        own = flows.get(parent)
        if own is None:
            made_from.add(parent)
        else:
            made_from |= own.made_from
            through |= own.through | {parent}
    return NameOutput(name, line, how, frozenset(made_from), frozenset(through - {name}))


def _both(earlier: NameOutput, later: NameOutput) -> NameOutput:
    return replace(
        later,
        made_from=earlier.made_from | later.made_from,
        through=earlier.through | later.through,
    )


def _imported(out: NameOutput) -> NameOutput:
    return replace(out, made_from=frozenset(), through=frozenset(), imported=True)


def _final(analysis: CellAnalysis, out: NameOutput) -> NameOutput:
    """Return the output as the cell's end knows it: bound on all paths, or on some."""
    if out.how == "changes" and any(
        call.name == out.name and call.method in _FITTING for call in analysis.calls
    ):
        return replace(out, refitted=True)
    if out.how != "binds" or out.name in analysis.sure:
        return out
    how: How = "deletes" if out.name in analysis.removed else "may bind"
    return replace(out, how=how)


def _surely_changes(graph: Graph, analysis: CellAnalysis, name: str) -> bool:
    """Return whether the cell is known to change the name's object, and it is no module."""
    return analysis.cell in graph.changers.get(name, ()) and any(
        d.name == name and d.kind == "mutation" and not d.doubtful for d in analysis.definitions
    )


def _changed_by_calls(graph: Graph, analysis: CellAnalysis) -> Iterator[tuple[str, int]]:
    """Yield the names whose object the functions that the cell calls change, and the line."""
    own = {d.name for d in analysis.definitions if d.kind == "mutation"}
    for name, definition in sorted(graph.through_calls.get(analysis.cell, {}).items()):
        if definition.kind == "mutation" and name not in own:
            yield name, definition.span.line


def _reads_of_calls(analysis: CellAnalysis, name: str) -> frozenset[str]:
    reads = (s.reads for s in analysis.statements if s.calls and name in s.reads)
    return frozenset[str]().union(*reads)


# -- in bits ---------------------------------------------------------------------------------------


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
    """A cell in short, in bits: what it reads of the state it begins with, and what it leaves.

    `uses` are its reads, by the name.
    """

    uses: Mapping[str, Use]
    bit: int
    reads: int
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
    pairs = {cell: (uses_of(graph, cell), outputs_of(graph, cell)) for cell in sorted(graph.cells)}
    numbers: dict[str, int] = {}
    for uses, leaves in pairs.values():
        made_from = (name for output in leaves for name in sorted(output.made_from))
        for name in (*uses, *(output.name for output in leaves), *made_from):
            numbers.setdefault(name, len(numbers))
    cells: dict[int, NumberedCell] = {}
    outputs: list[tuple[int, NameOutput]] = []
    readers: dict[int, int] = {}
    for position, (number, (uses, leaves)) in enumerate(pairs.items()):
        cells[number] = numbered_cell = _in_bits(uses, leaves, 1 << position, len(outputs), numbers)
        outputs.extend((number, output) for output in leaves)
        for own in numbered_cell.outs:
            for read in ones(own.inputs):
                readers[read] = readers.get(read, 0) | own.bit
    return Numbering(
        graph,
        tuple(numbers),
        numbers,
        tuple(pairs),
        cells,
        tuple(outputs),
        readers,
        _twins(graph, numbers),
    )


def _in_bits(
    uses: Mapping[str, Use],
    leaves: Sequence[NameOutput],
    bit: int,
    first: int,
    numbers: Mapping[str, int],
) -> NumberedCell:
    own = {out.name: 1 << (first + i) for i, out in enumerate(leaves)}
    outs = tuple(
        NumberedOutput(
            output=out,
            number=first + i,
            name=numbers[out.name],
            bit=own[out.name],
            inputs=bits_of(numbers[name] for name in out.made_from),
            through=sum(own[name] for name in out.through if name in own),
        )
        for i, out in enumerate(leaves)
    )
    return NumberedCell(
        uses,
        bit,
        reads=bits_of(numbers[name] for name in uses),
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
