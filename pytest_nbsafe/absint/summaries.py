"""What one run of a cell takes from its entry and leaves at its end, name by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


@dataclass(frozen=True, slots=True)
class CellSummary:
    """A cell in short: what it reads of the state it begins with, and what it leaves."""

    cell: int
    reads: Mapping[str, Use]
    outputs: tuple[NameOutput, ...]


def pre_summary(graph: Graph, cell: int) -> Mapping[str, Use]:
    """Return the names that a run of the cell reads before it binds them, each with its read.

    Source: NBLyzer, section 3.2.1 (unbound variables of the use-def structure). Departs: reads
    that expect the name to be missing, and those in functions that may not be reached, are left
    out, since they prove nothing.
    """
    return {
        use.name: use
        for use in dependencies.needs(graph, cell)
        if not use.guarded and (use.certain or not use.via)
    }


def summary(graph: Graph, cell: int) -> CellSummary:
    """Return what a run of the cell reads and leaves, its statements taken once, top to bottom.

    Source: NBLyzer, section 4.1.1 (assignments, functions). Departs: a value is followed to the
    names at the cell's entry, so that one pass serves every entry state; a statement that does not
    stand at the cell's margin (in a loop, under an `if`) adds to what a name is made from. What a
    loop carries from one turn to the next through a statement above is missed.
    """
    analysis = graph.cells[cell]
    flows: dict[str, NameOutput] = {}
    for statement in analysis.statements:
        _apply(graph, analysis, statement, flows)
    for name, line in _changed_by_calls(graph, analysis):
        if name not in flows:
            reads = _reads_of_calls(analysis, name)
            flows[name] = _output(name, line, "changes", reads | {name}, flows)
    return CellSummary(
        cell,
        pre_summary(graph, cell),
        tuple(_final(analysis, out) for _, out in sorted(flows.items())),
    )


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
    return analysis.cell in dependencies.mutators(graph, name) and any(
        d.name == name and d.kind == "mutation" and not d.doubtful for d in analysis.definitions
    )


def _changed_by_calls(graph: Graph, analysis: CellAnalysis) -> Iterator[tuple[str, int]]:
    """Yield the names whose object the functions that the cell calls change, and the line."""
    own = {d.name for d in analysis.definitions if d.kind == "mutation"}
    called = {
        name for statement in analysis.statements if statement.calls for name in statement.reads
    }
    for name in sorted(called - own):
        if analysis.cell in dependencies.mutators(graph, name):
            line = next(s.span.line for s in analysis.statements if s.calls and name in s.reads)
            yield name, line


def _reads_of_calls(analysis: CellAnalysis, name: str) -> frozenset[str]:
    reads = (s.reads for s in analysis.statements if s.calls and name in s.reads)
    return frozenset[str]().union(*reads)
