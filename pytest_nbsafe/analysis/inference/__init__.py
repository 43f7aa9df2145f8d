"""Which class the object of a name has: from the text where it plainly shows, else by astroid."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_nbsafe.analysis.inference import text
from pytest_nbsafe.analysis.inference.origins import callee
from pytest_nbsafe.values import dataclass

if TYPE_CHECKING:
    from pytest_nbsafe.analysis.graph import Graph

__all__ = ["Inferred", "callee", "class_at", "class_of"]


@dataclass(frozen=True, slots=True)
class Inferred:
    """The classes that an object may have, by qualified name; `cause` says why none is known."""

    names: tuple[str, ...] = ()
    cause: str = ""


def class_of(graph: Graph, name: str, cell: int) -> Inferred:
    """Return the classes that the object of a name may have when a cell starts, in page order.

    A class of the notebook is named as it is there ("C"), one of Python by its name ("list"). The
    answer depends on the notebook and on Python's own library alone: nothing of the user's code is
    imported or run, and no other library is read.
    """
    return class_at(graph, ast.Name(name, ast.Load()), cell)


def class_at(graph: Graph, node: ast.expr, cell: int, *, deeper: bool = True) -> Inferred:
    """Return the same for a symbol under a name (`d['k']`), which the text alone must show.

    Without `deeper` that holds for a name too.
    """
    try:
        return Inferred(text.shown(graph, node, cell))
    except text.UnknownError as unknown:
        if not (deeper and unknown.deeper and isinstance(node, ast.Name)):
            return Inferred(cause=str(unknown))
        cause = str(unknown)
    from pytest_nbsafe.analysis.inference import deep

    try:
        return Inferred(deep.inferred(graph, node.id, cell))
    except text.UnknownError as unknown:
        return Inferred(cause=f"{cause}; {unknown}")
