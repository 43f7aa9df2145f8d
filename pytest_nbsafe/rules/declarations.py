"""Comments that tell of tables and splits, and what of them tells nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pytest_nbsafe.absint.leakage import declared
from pytest_nbsafe.absint.leakage.declared import Declaration
from pytest_nbsafe.analysis import trees
from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.errors import nearest
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.rules.base import Facts, claim

_WORDS = ("ignore", "source", "split")


def faults(facts: Facts, code: str) -> Iterator[Finding]:
    """Yield a finding for each comment that is misspelt, or says something that cannot be."""
    for cell in facts.notebook.code_cells:
        if "nbsafe:" not in cell.source:
            continue
        yield from _misspelt(facts, cell, code)
        for said in declared.of_source(cell.source):
            fault = _fault(facts, cell, said)
            if fault is not None:
                span = Span(said.line, said.column, said.line, said.column + 1)
                message, remedy = fault
                yield claim(
                    facts, code, cell.number, span, "proved", message, remedy=remedy
                ).finding


def _misspelt(facts: Facts, cell: Cell, code: str) -> Iterator[Finding]:
    for comment in declared.comments(cell.source):
        word = comment.word
        if word.lower() in _WORDS:
            continue
        near = nearest(word.lower(), _WORDS)
        if near:  # anything else is prose
            message = f"this comment says `{word}`, which has no effect"
            remedy = f"did you mean `{near}`?"
            span = Span(comment.line, comment.column, comment.line, comment.column + 1)
            yield claim(facts, code, cell.number, span, "proved", message, remedy=remedy).finding


def _fault(facts: Facts, cell: Cell, said: Declaration) -> tuple[str, str] | None:
    """Return what is wrong with a declaration, and what would be right, None for nothing."""
    node = _statement(facts, cell, said)
    if node is None:
        return (
            f"`{said.kind}` is at no assignment, so it has no effect",
            "put it behind the line that assigns the table, or on the line above",
        )
    if said.kind == "source":
        return None
    if not said.whole or len(said.parts) < 2 * len(said.whole) or len(said.parts) % len(said.whole):
        return "this `split` does not say what is split into what", _FORM
    known = {d.name for each in facts.graph.cells.values() for d in each.definitions}
    for name in said.whole:
        if name not in known:
            return f"`split` names `{name}`, which no cell defines", _near(name, known)
    assigned = _assigned(node)
    for name in said.parts if assigned else ():
        if name not in assigned:
            return f"`split` names `{name}`, which this line does not assign", _near(name, assigned)
    return None


_FORM = "write `# nbsafe: split X -> train, test`"


def _near(name: str, known: set[str]) -> str:
    near = nearest(name, sorted(known))
    return f"did you mean `{near}`?" if near else _FORM


def _statement(facts: Facts, cell: Cell, said: Declaration) -> ast.stmt | None:
    for node in ast.walk(trees.of(facts.graph, cell.number)):
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        if node.lineno <= said.of <= (node.end_lineno or node.lineno):
            return node
    return None


def _assigned(node: ast.stmt) -> set[str]:
    """Return the names that a statement assigns, nothing where it assigns anything else."""
    targets = node.targets if isinstance(node, ast.Assign) else ()
    found: set[str] = set()
    for target in targets:
        parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        if not all(isinstance(part, ast.Name) for part in parts):
            return set()
        found.update(part.id for part in parts if isinstance(part, ast.Name))
    return found
