"""Which values a cell only looks at, by its text, so that they need not be compared again.

A value is left alone where nobody but its name holds it, every mention of the name looks on, and
no code that runs later (a function, a lambda, a generator) mentions it. Anything else is compared.
"""

from __future__ import annotations

import ast
import re
import sys
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

_SIDE_WAYS = re.compile(
    r"(?m)^[ \t\f]*[%!]"
    r"|\b(globals|locals|vars|exec|eval|gc|sys|inspect|ctypes|builtins|get_ipython)\b"
    r"|\b(user_\w*ns|__\w+__|import_module|_getframe|setattr|In|Out)\b|import\s*\*"
)


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


BUILTINS = words(
    """
    abs all any bool dict divmod enumerate float frozenset int isinstance len list max min print
    range repr reversed round set sorted str sum tuple type zip
    """
)
_READERS = words(
    """
    copy count difference get index intersection isdisjoint issubset issuperset items keys
    symmetric_difference union values
    """
)


def goes_side_ways(raw: str) -> bool:
    """Tell whether a cell's text may reach names otherwise than by writing them."""
    return _SIDE_WAYS.search(raw) is not None


def is_alone(home: dict[str, Any], name: str) -> bool:
    """Tell whether nothing but its name refers to a value, if there is one."""
    if name not in home or sys.getrefcount(home[name]) > 2:
        return False
    try:
        return weakref.getweakrefcount(home[name]) == 0
    except TypeError:
        return True


def only_looked_at(tree: ast.Module, names: Iterable[str], home: dict[str, Any]) -> set[str]:
    """Return those names of flat lists, dicts and sets that a cell's text does not change."""
    nodes = list(ast.walk(tree))
    mentions = [node for node in nodes if isinstance(node, ast.Name)]
    stored = {node.id for node in mentions if not isinstance(node.ctx, ast.Load)}
    if not stored.isdisjoint(BUILTINS):
        return set()
    times_mentioned = Counter(node.id for node in mentions)
    times_looked_at = Counter(name for node in nodes for name in _looks(node, home))
    return {name for name in {*names} - stored if times_mentioned[name] == times_looked_at[name]}


def _looks(node: ast.AST, home: dict[str, Any]) -> Iterator[str]:
    """Yield the names that a node only looks at, each as often as it does."""
    if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        parts = [node.iter]
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        parts = [node.value]
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        parts = node.comparators if isinstance(node.ops[0], (ast.In, ast.NotIn)) else []
    elif isinstance(node, ast.FormattedValue):
        parts = [node.value]
    elif isinstance(node, ast.Call):
        parts = _looking_parts(node, home)
    else:
        return
    yield from (part.id for part in parts if isinstance(part, ast.Name))


def _looking_parts(node: ast.Call, home: dict[str, Any]) -> list[ast.expr]:
    function = node.func
    if isinstance(function, ast.Name) and function.id in BUILTINS and function.id not in home:
        return node.args
    if isinstance(function, ast.Attribute) and function.attr in _READERS:
        return [function.value]
    if isinstance(function, ast.Attribute) and function.attr == "join":
        return node.args if isinstance(function.value, ast.Constant) else []
    return []
