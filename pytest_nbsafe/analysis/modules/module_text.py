"""One module of the project as text: which names it binds, and what they are called elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from pytest_nbsafe.module_files import ModuleFile

JOINT = "\N{MODIFIER LETTER TRIANGULAR COLON}"
"""Stands for the dots in the name that a module's name has among the cells' own."""
Find = Callable[[str], ModuleFile | None]
"""Returns the module of the project with a dotted name, None for one that is not the project's."""


def among_cells(module: str, name: str) -> str:
    """Return what a module's name is called where its text stands among the cells."""
    return JOINT.join((*module.split("."), name))


def in_words(name: str) -> str:
    """Return a name as its module has it: `acme.prep.scale`."""
    return name.replace(JOINT, ".")


def own_word(name: str) -> str:
    """Return a name as it stands in the text of its module: `scale`."""
    return name.rpartition(JOINT)[2]


def bound_names(tree: ast.Module) -> frozenset[str]:
    """Return the names that the text of a module binds at its own level."""
    return frozenset(_bound(tree.body))


def _bound(body: list[ast.stmt]) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield statement.name
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                yield alias.asname or alias.name.partition(".")[0]
        else:
            yield from stored(statement)
            for block in ("body", "orelse", "finalbody"):
                yield from _bound(getattr(statement, block, []))
            for handler in getattr(statement, "handlers", []):
                yield from _bound(handler.body)


def stored(node: ast.AST) -> Iterator[str]:
    """Yield the names that a statement binds by itself: not in its blocks, nor in functions."""
    todo = [
        child
        for child in ast.iter_child_nodes(node)
        if not isinstance(child, ast.stmt | ast.excepthandler)
    ]
    while todo:
        part = todo.pop()
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
        if not isinstance(
            part, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
        ):
            todo.extend(ast.iter_child_nodes(part))
