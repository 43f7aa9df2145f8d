"""Which stale names a cell would really read: it runs on the side without them, and is compared.

The text of a statement says what it may read: a branch of `a if c else b`, the body of a lambda
that nobody calls, a function's other path may not come to it. And it does not say what `exec`, or a
lambda that lies in a list, reads.
"""

from __future__ import annotations

import ast
import builtins

from pytest_nbsafe import patterns
from pytest_nbsafe.notebook.source import to_python
from pytest_nbsafe.replay.session_runs import SessionEvidence
from pytest_nbsafe.replay.stale_cells import StaleCells, shown
from pytest_nbsafe.replay.stale_names import StaleNames
from pytest_nbsafe.trace.results import CellResult, Value, compared
from pytest_nbsafe.values import dataclass, replace

_BY_NAME = patterns.compile(r"\b(?:exec|eval|globals|vars|locals|getattr|run_cell|ev|ex)\b")
_MISSING = frozenset({"NameError", "KeyError", "UnboundLocalError"})


@dataclass(frozen=True, slots=True)
class ReadDoubt:
    """A cell and a stale name that it may read; `recorded` is what its last run says."""

    cell: str
    name: str
    recorded: bool


def doubts(
    session: SessionEvidence,
    names: StaleNames,
    known: StaleCells,
) -> tuple[ReadDoubt, ...]:
    """Return what a run on the side may settle, cells in page order.

    A cell that surely reads one stale name is in no doubt.
    """
    last, texts = session.last, {cell: session.text(cell) for cell in session.last}
    lazy = {cell: lazily_read(text.source) for cell, text in texts.items()}
    anywhere = frozenset[str]().union(*lazy.values())
    doubtful = [
        cell
        for cell in session.page
        if cell in last and cell not in known.unrunnable and last[cell].result.status == "ok"
        if known.reads[cell].isdisjoint(texts[cell].certain - lazy[cell])
    ]
    return tuple(
        ReadDoubt(cell, name, name in known.reads[cell])
        for cell in doubtful
        for name in sorted(names.stale)
        if not hasattr(builtins, name)
        and (name in known.reads[cell] or _may_read(texts[cell].source, name, anywhere))
    )


def _may_read(source: str, name: str, lazy: frozenset[str]) -> bool:
    """Return whether a text may read a name that its own statements do not."""
    return ("(" in source or "." in source) and (name in lazy or bool(_BY_NAME.search(source)))


def lazily_read(source: str) -> frozenset[str]:
    """Return the names in lambdas and generators of a text, which are read when these run."""
    if "lambda" not in source and " for " not in source and "yield" not in source:
        return frozenset()
    try:
        tree = ast.parse(to_python(source).text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    return frozenset(
        inner.id
        for node in ast.walk(tree)
        if _runs_later(node)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name)
    )


def _runs_later(node: ast.AST) -> bool:
    """Return whether what stands in a node runs when others ask for it, not in one go."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in ast.walk(node))
    return isinstance(node, (ast.Lambda, ast.GeneratorExp))


def settled(doubt: ReadDoubt, plain: CellResult, without: CellResult) -> bool:
    """Return whether a cell reads a name, from runs on the side with it and without it."""
    failure = without.failure
    missed = (
        failure is not None and failure.ename in _MISSING and f"'{doubt.name}'" in failure.evalue
    )
    if missed:
        return plain.status == "ok"
    if not doubt.recorded:
        return False
    return _changes(plain, doubt.name) or not _same(doubt.name, plain, without)


def _changes(result: CellResult, name: str) -> bool:
    """Return whether a run changed what a name held: it must have read that before."""
    bound: set[str] = set()
    for record in result.records:
        if name in record.mutates and name not in bound:
            value = result.after.get(name)
            return value is not None and value.hash != ""
        bound.update(record.writes)
    return False


def _same(name: str, plain: CellResult, without: CellResult) -> bool:
    """Return whether two runs surely gave the same, but for one name itself.

    A generator in between cannot be compared, and is taken for the same.
    """
    if plain.status != without.status or shown(plain) != shown(without):
        return False
    names = (plain.after.keys() | without.after.keys()) - {name}
    return all(
        compared(other, plain.after, without.after) == "same"
        or (_is_generator(plain.after.get(other)) and _is_generator(without.after.get(other)))
        for other in names
    )


def _is_generator(value: Value | None) -> bool:
    return value is not None and value.kind == "generator" and not value.hash


def corrected(known: StaleCells, doubt: ReadDoubt, *, reads: bool) -> StaleCells:
    """Return what is known of the cells, once it is settled whether one reads a stale name."""
    names = known.reads[doubt.cell]
    names = names | {doubt.name} if reads else names - {doubt.name}
    return replace(known, reads={**known.reads, doubt.cell: names})
