"""Comments that tell of tables and splits, and what of them tells nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pytest_nbsafe.absint.leakage import declared
from pytest_nbsafe.absint.leakage.declared import Comment, Declaration
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
        faulty: list[tuple[Comment | Declaration, tuple[str, str] | None]] = [
            (comment, _misspelt(comment.word)) for comment in declared.comments(cell.source)
        ]
        faulty += [(each, _fault(facts, cell, each)) for each in declared.of_source(cell.source)]
        for comment, fault in faulty:
            if fault is not None:
                at = Span(comment.line, comment.column, comment.line, comment.column + 1)
                message, remedy = fault
                yield claim(facts, code, cell.number, at, "proved", message, remedy=remedy).finding


def _misspelt(word: str) -> tuple[str, str] | None:
    """Return what is wrong with a comment's word, and what would be right, None for nothing."""
    near = nearest(word.lower(), _WORDS) if word.lower() not in _WORDS else ""
    if not near:
        return None  # right, or prose
    return f"this comment says `{word}`, which has no effect", f"did you mean `{near}`?"


def _fault(facts: Facts, cell: Cell, declaration: Declaration) -> tuple[str, str] | None:
    """Return what is wrong with a declaration, and what would be right, None for nothing."""
    node = _statement(facts, cell, declaration)
    if node is None:
        return (
            f"`{declaration.kind}` is at no assignment, so it has no effect",
            "put it behind the line that assigns the table, or on the line above",
        )
    if declaration.kind == "source":
        return None
    whole, parts = declaration.whole, declaration.parts
    if not whole or len(parts) < 2 * len(whole) or len(parts) % len(whole):
        return "this `split` does not say what is split into what", _FORM
    known = {d.name for each in facts.graph.cells.values() for d in each.definitions}
    for name in whole:
        if name not in known:
            return f"`split` names `{name}`, which no cell defines", _near(name, known)
    assigned = _assigned(node)
    for name in parts if assigned else ():
        if name not in assigned:
            return f"`split` names `{name}`, which this line does not assign", _near(name, assigned)
    return None


_FORM = "write `# nbsafe: split X -> train, test`"


def _near(name: str, known: set[str]) -> str:
    near = nearest(name, sorted(known))
    return f"did you mean `{near}`?" if near else "write a name that the code assigns"


def _statement(facts: Facts, cell: Cell, declaration: Declaration) -> ast.stmt | None:
    for node in ast.walk(trees.of(facts.graph, cell.number)):
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        if node.lineno <= declaration.of <= (node.end_lineno or node.lineno):
            return node
    return None


def _assigned(node: ast.stmt) -> set[str]:
    """Return the names that a statement assigns, nothing where it assigns anything else."""
    targets = node.targets if isinstance(node, ast.Assign) else ()
    names: set[str] = set()
    for target in targets:
        parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        if not all(isinstance(part, ast.Name) for part in parts):
            return set()
        names.update(part.id for part in parts if isinstance(part, ast.Name))
    return names
