"""What lambdas change when others call them: no hook stands in one, and no word tells of it.

`f.register(int, lambda x: log.append(x))` lets any cell that calls `f` change `log`. So the small
values that a lambda may change are compared after each run, without those that the run mentions.
"""

from __future__ import annotations

import ast
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from ..contract import Fingerprint
from ..functions.reach import is_own

_KINDS = frozenset({list, dict, set, bytearray, deque, Counter, OrderedDict, defaultdict})
_PURE = frozenset(
    {"get", "keys", "values", "items", "index", "count", "copy", "union", "intersection"}
    | {"difference", "issubset", "issuperset", "isdisjoint"}
)
"""Methods of these kinds that change nothing."""
_CHANGING = frozenset({"setattr", "delattr", "next"})
_MOST_NAMES = 50
_MOST_ITEMS = 1_000
_MOST_WORK = 5_000  # some 20 microseconds, see `hasher.NODE_WORK`


class LambdaChanges:
    """The names of small values that lambdas may change, as they were after the last run."""

    def __init__(self, home: Mapping[str, Any]) -> None:
        self._home = home
        self._names: dict[str, None] = {}
        self._large: set[str] = set()
        self._known: dict[str, Fingerprint] = {}

    def read(self, tree: ast.Module) -> None:
        """Learn of the lambdas in a text."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Lambda):
                self._names.update((name, None) for name in _changed_in(node.body))

    def changed(
        self,
        own: Collection[str],
        told: Mapping[str, Fingerprint],
        take: Callable[[str], Fingerprint],
        work: Callable[[], int],
    ) -> dict[str, Fingerprint]:
        """Return the fingerprints of names that hold something else now than after the last run.

        `told` are those that are known already; `take` takes one, and `work` says how much that
        was.
        """
        changed: dict[str, Fingerprint] = {}
        own = {*own}.intersection(self._names)
        for name in [*self._names][:_MOST_NAMES]:
            if name not in own or not self._is_small(name):
                self._known.pop(name, None)
                continue
            if name in told:
                self._known[name] = told[name]
                continue
            old, now = self._known.get(name), take(name)
            if work() > _MOST_WORK or not now["hash"]:
                self._large.add(name)
            self._known[name] = now
            if old is None or old["identity"] != now["identity"]:
                continue
            if old["hash"] and old["hash"] != now["hash"]:
                changed[name] = now
        return changed

    def _is_small(self, name: str) -> bool:
        value = self._home[name]
        kind = type(value)
        is_short = kind in _KINDS and len(value) <= _MOST_ITEMS
        return name not in self._large and (is_short or is_own(kind))


def _changed_in(body: ast.expr) -> Iterator[str]:
    """Yield the names whose objects an expression may change: it calls them, or passes them on."""
    for node in ast.walk(body):
        if not isinstance(node, ast.Call):
            continue
        function: ast.expr = node.func
        if isinstance(function, ast.Name):
            passes = function.id in _CHANGING
        else:
            passes = True
            if not isinstance(function, ast.Attribute) or function.attr not in _PURE:
                yield from _root(function)
        for argument in node.args if passes else ():
            yield from _root(argument)


def _root(node: ast.expr) -> Iterator[str]:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id
