"""What a call does to the object that it is a method of, and to its arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from typing import Literal

from pytest_nbsafe.analysis.scopes import last_word, words
from pytest_nbsafe.libraries import inplace, spellings

Effect = Literal["changes", "draws", "leaves", "unknown"]
"""A method changes its object in place, only adds to a picture, leaves it as it was, or who knows.
"""


def of_method(call: ast.Call, libraries: str, *, kept: bool) -> Effect:
    """Return what a method call does to its object, by the method's name alone.

    `libraries` is what the user says of libraries, as JSON text, here and below.
    `kept` tells whether anything takes the call's value: then only methods count that return
    something beside the change, for the others would leave nothing but None.
    """
    if not isinstance(call.func, ast.Attribute):
        return "leaves"
    known = inplace.load(libraries).any_class
    name = call.func.attr
    if call.keywords and is_in_place(call):
        return "changes"
    if kept:
        return "changes" if name in known.changes_and_returns else "unknown"
    if name in known.changes:
        return "changes"
    if name in known.pure or name in known.inplace or _is_of_accessor(call.func, known.accessors):
        return "leaves"
    return "draws" if name in known.draws else "unknown"


def _is_of_accessor(method: ast.Attribute, accessors: frozenset[str]) -> bool:
    return isinstance(method.value, ast.Attribute) and method.value.attr in accessors


def is_in_place(call: ast.Call) -> bool:
    """Tell whether the call says `inplace=True`, or `in_place=True`."""
    given = [k.value for k in call.keywords if k.arg in {"inplace", "in_place"}]
    return any(isinstance(value, ast.Constant) and value.value is True for value in given)


def changed_arguments(call: ast.Call, libraries: str) -> Iterator[ast.expr]:
    """Yield the arguments that a well-known function changes in place (`random.shuffle(x)`)."""
    candidates = _by_last_word(libraries).get(last_word(call.func))
    if candidates:
        path = dotted(call.func, libraries)
        for name, position in candidates:
            if (name[0] == "." or name == path) and position < len(call.args):
                yield call.args[position]
    for keyword in call.keywords:
        if keyword.arg == "out":
            yield keyword.value


def changes_alone(node: ast.expr, libraries: str) -> ast.expr | None:
    """Return the method that is called here if it is one that is only called for a change.

    Such a call may stand where its value seems kept: `[xs.append(x) for x in ys]`.
    """
    method = node.func if isinstance(node, ast.Call) else None
    if isinstance(method, ast.Attribute) and method.attr in inplace.load(libraries).only_change:
        return method
    return None


@cache
def _by_last_word(libraries: str) -> dict[str, list[tuple[str, int]]]:
    functions: dict[str, list[tuple[str, int]]] = {}
    for name, position in inplace.load(libraries).functions.changes.items():
        functions.setdefault(name.rpartition(".")[2], []).append((name, position))
    return functions


def dotted(node: ast.expr, libraries: str) -> str:
    """Return `a.b.c` as text, its first word as what it nearly always stands for; else ""."""
    first, *rest = words(node) or [""]
    return ".".join((spellings.load(libraries).aliases.get(first, first), *rest))
