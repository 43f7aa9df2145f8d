"""The rows of the tables that contracts read, from a notebook's facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from operator import attrgetter

from pytest_nbsafe.analysis import dependencies, syntax
from pytest_nbsafe.analysis.invocations import CellSyntax, Invocation
from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.contracts.database import Row
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.order import orderings as orders
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.trace import lineage as lineages
from pytest_nbsafe.trace.results import PlanResult


def of(table: str, facts: Facts, findings: Iterable[Finding]) -> Iterator[Row]:
    """Yield the rows of one table of the schema, in page order."""
    if table == "findings":
        return _findings(findings)
    return _READERS[table](facts)


def _cells(facts: Facts) -> Iterator[Row]:
    for cell in facts.notebook.cells:
        analysis = facts.graph.cells.get(cell.number)
        fault = analysis.fault.message if analysis and analysis.fault else ""
        lines = cell.source.count("\n") + 1 if cell.source else 0
        tags, outputs = ",".join(cell.tags), len(cell.outputs)
        yield (
            *(cell.number, cell.kind, str(cell.id), cell.count, tags),
            *(cell.source, lines, outputs, fault),
        )


def _outputs(facts: Facts) -> Iterator[Row]:
    for cell in facts.notebook.cells:
        for position, output in enumerate(cell.outputs, start=1):
            what = (output.kind, output.name, output.text, output.ename, output.evalue)
            yield (cell.number, position, *what)


# -- names -----------------------------------------------------------------------------------------


def _statements(facts: Facts) -> Iterator[Row]:
    for number, cell in facts.graph.cells.items():
        for statement in cell.statements:
            groups = attrgetter("reads", "writes", "mutates", "deletes", "calls")(statement)
            yield (number, *_place(statement.span), statement.kind, *map(_listed, groups))


def _reads(facts: Facts) -> Iterator[Row]:
    for number, cell in facts.graph.cells.items():
        for statement in cell.statements:
            yield from ((number, statement.span.line, name, "") for name in sorted(statement.reads))
        for function in cell.functions.values():
            for name in sorted(function.reads):
                yield (number, function.reads[name].span.line, name, function.name)


def _defs(facts: Facts) -> Iterator[Row]:
    for number, cell in facts.graph.cells.items():
        for definition in cell.definitions:
            what = definition.name, definition.kind, int(definition.certain)
            yield (number, *_place(definition.span), *what)


def _uses(facts: Facts) -> Iterator[Row]:
    for number in facts.graph.cells:
        for use in dependencies.needs(facts.graph, number):
            sure = int(use.certain), int(use.guarded)
            yield (number, *_place(use.span), use.name, *sure, use.via)


def _edges(facts: Facts) -> Iterator[Row]:
    for edge in dependencies.edges(facts.graph, tuple(facts.graph.cells)):
        lines = edge.use.span.line, edge.definition.span.line
        yield (edge.reader, lines[0], edge.definer, lines[1], edge.name, edge.cause)


def _functions(facts: Facts) -> Iterator[Row]:
    for number, cell in facts.graph.cells.items():
        for function in cell.functions.values():
            groups = map(_listed, (function.reads, function.writes, function.calls))
            parameters = ",".join(function.parameters)
            yield (number, *_place(function.span), function.name, parameters, *groups)


def _orders(facts: Facts) -> Iterator[Row]:
    for name, strategy in orders.ORDERINGS.items():
        chosen = name == facts.plan.order
        plan = facts.plan if chosen else strategy(facts.graph)
        for run in plan.runs:
            ran = run.step, run.cell, run.count, run.session, int(run.recorded)
            yield (name, int(chosen), *ran, run.reason)


# -- syntax ----------------------------------------------------------------------------------------


def _imports(facts: Facts) -> Iterator[Row]:
    for number in facts.graph.cells:
        for imported in syntax.imports(facts.graph, number):
            package = "" if imported.level else imported.module.partition(".")[0]
            names = imported.name, imported.module, package, imported.attribute
            where = imported.level, int(imported.guarded), imported.function
            yield (number, *_place(imported.span), *names, *where)


def _calls(facts: Facts) -> Iterator[Row]:
    for call, cell, invocation in _numbered_calls(facts):
        names = invocation.callee, invocation.target, invocation.function
        yield (call, cell, *_place(invocation.span), *names)


def _arguments(facts: Facts) -> Iterator[Row]:
    for call, cell, invocation in _numbered_calls(facts):
        for position, given in enumerate(invocation.arguments, start=1):
            yield (call, cell, position, given.keyword, given.text, int(given.literal))


def _numbered_calls(facts: Facts) -> Iterator[tuple[int, int, Invocation]]:
    """Yield each call with its number in the notebook and its cell."""
    numbers = count(1)
    for cell in _syntaxes(facts):
        for invocation in cell.invocations:
            yield next(numbers), cell.cell, invocation


def _texts(facts: Facts) -> Iterator[Row]:
    for cell in _syntaxes(facts):
        for text in cell.texts:
            yield (cell.cell, *_place(text.span), text.value, text.function)


def _magics(facts: Facts) -> Iterator[Row]:
    for cell in _syntaxes(facts):
        for escape in cell.escapes:
            yield (cell.cell, escape.line, escape.kind, escape.name, escape.text)


def _syntaxes(facts: Facts) -> Iterator[CellSyntax]:
    return (syntax.of(facts.graph, number) for number in facts.graph.cells)


# -- what only a run tells ------------------------------------------------------------------------


def _runs(facts: Facts) -> Iterator[Row]:
    """Yield each run of a cell."""
    for name, result in _results(facts):
        for run in result.results:
            failure = run.failure
            raised = (failure.ename, failure.evalue) if failure else ("", "")
            line = run.failing_line if failure else None
            took = run.duration_s, run.cpu_s
            yield (name, run.step, run.cell, run.status, *raised, line, run.reason, *took)


def _lineage(facts: Facts) -> Iterator[Row]:
    """Yield each version of a name, once for each parent."""
    for run, result in _results(facts):
        records = (record for step in result.results for record in step.records)
        for version in lineages.replay(records).versions:
            where = run, version.name, *version.at, version.cell, version.line
            links = [version.links[parent] for parent in sorted(version.links)]
            for link in links:
                yield (*where, link.parent, link.maker, link.at[0], int(version.imported))
            if not links:
                yield (*where, None, None, None, int(version.imported))


def _verdicts(facts: Facts) -> Iterator[Row]:
    """Yield what the clean run says of each cell's saved output and of each value it read."""
    judgements = facts.trial.judgements
    for cell in sorted(judgements):
        judgement = judgements[cell]
        yield (cell, None, judgement.output, judgement.saved, judgement.clean)
        for name in sorted(judgement.values):
            yield (cell, name, judgement.values[name], "", "")


def _results(facts: Facts) -> Iterator[tuple[str, PlanResult]]:
    for name in ("replay", "clean", "second"):
        result: PlanResult | None = getattr(facts.trial, name)
        if result is not None:
            yield name, result


# -- the rest --------------------------------------------------------------------------------------


def _findings(findings: Iterable[Finding]) -> Iterator[Row]:
    for finding in findings:
        where = finding.location
        what = finding.code, finding.name, finding.severity, finding.verdict
        yield (*what, where.cell or None, where.line, where.column, finding.message)


def _place(span: Span) -> tuple[int, int, int, int]:
    return span.line, span.column, span.end_line, span.end_column


def _listed(names: Iterable[str]) -> str:
    return ",".join(sorted(names))


_READERS: Mapping[str, Callable[[Facts], Iterator[Row]]] = {
    "cells": _cells,
    "statements": _statements,
    "reads": _reads,
    "defs": _defs,
    "uses": _uses,
    "edges": _edges,
    "orders": _orders,
    "imports": _imports,
    "calls": _calls,
    "arguments": _arguments,
    "texts": _texts,
    "magics": _magics,
    "functions": _functions,
    "outputs": _outputs,
    "runs": _runs,
    "lineage": _lineage,
    "verdicts": _verdicts,
}
