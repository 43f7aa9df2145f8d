"""What a run may change before it binds the name anew: `rows.append(1); rows = []`.

A name that is bound anew tells nothing of the object that it held. Who else holds a part of that
is looked for before the run, and looked at after it.
"""

from __future__ import annotations

import ast
import dis
from collections.abc import Collection, Iterable, Mapping
from types import FunctionType
from typing import Any

from ..contract import Fingerprint
from ..functions.reach import inside, names_of_code
from ..hashing.snapshot import Snapshot
from ..tracing.names import all_bound
from .links import FIXED, Links

_STORES = {dis.opmap["STORE_GLOBAL"], dis.opmap["DELETE_GLOBAL"]}


class ReboundNames:
    """The names that share objects with those that a run binds anew, and what they held before."""

    def __init__(self, home: dict[str, Any], links: Links, snapshot: Snapshot) -> None:
        self._home = home
        self._links = links
        self._snapshot = snapshot
        self._before: dict[str, Fingerprint] = {}
        self._unknown: dict[int, Fingerprint] = {}

    def start(self) -> None:
        """Forget the last run."""
        self._before, self._unknown = {}, {}

    def read(
        self, tree: ast.Module, before: Mapping[str, Fingerprint], own: Collection[str]
    ) -> None:
        """Look at who shares objects with the names that a text, about to run, binds.

        `before` are those that it accesses.
        """
        functions = list(self._functions(before))
        bound = all_bound(tree, in_comprehensions=False).union(*map(_stored, functions))
        bound = {n for n in bound if n in before and before[n]["kind"] not in FIXED}
        if bound:
            reached = {n for each in functions for n in names_of_code(each.__code__)}
            bound -= {n for n in bound - reached if _is_untouched(n, tree)}
        for name, others in self._links.counted(sorted(bound), own).items() if bound else ():
            if others is None:
                self._unknown[before[name]["identity"]] = before[name]
            for other in others or ():
                if other not in before and other not in self._before:
                    self._before[other] = self._snapshot.fingerprint(self._home[other])

    def changed(self, known: Collection[str], own: Collection[str]) -> dict[str, Fingerprint]:
        """Return what such names hold after the run that it has changed, or may have.

        Of those that are `known` it has been told. Where it is not known who shares objects with a
        name, those that hold the very object are looked at.
        """
        was = dict(self._before)
        for name in own if self._unknown else ():
            if name in self._home and id(self._home[name]) in self._unknown:
                was.setdefault(name, self._unknown[id(self._home[name])])
        found: dict[str, Fingerprint] = {}
        for name in sorted(was.keys() - known):
            if name in self._home and id(self._home[name]) == was[name]["identity"]:
                now = self._snapshot.fingerprint(self._home[name])
                if not now["hash"] or now["hash"] != was[name]["hash"]:
                    found[name] = now
        return found

    def _functions(self, names: Iterable[str]) -> Iterable[FunctionType]:
        """Yield the functions of cells among the values of names, and in their classes."""
        for value in (self._home.get(name) for name in names):
            is_class = type(value) is type and value.__module__ == "__main__"
            for item in vars(value).values() if is_class else (value,):
                if type(item) is FunctionType and item.__globals__ is self._home:
                    yield item


def _stored(function: FunctionType) -> set[str]:
    """Return the names that a function may bind, and some more."""
    codes = (function.__code__, *inside(function.__code__))
    return {name for each in codes if _STORES & {*each.co_code[::2]} for name in each.co_names}


def _is_untouched(name: str, tree: ast.Module) -> bool:
    """Return whether a text binds a name, once, before it may do anything to what that holds."""
    first = next((each for each in tree.body if name in _words(each)), None)
    if isinstance(first, ast.Assign):
        targets: list[ast.AST] = [*first.targets]
        value: ast.AST = first.value
    elif isinstance(first, ast.For):
        targets, value = [first.target], first.iter
    else:
        return False
    stores = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name]
    stored = sum(not isinstance(node.ctx, ast.Load) for node in stores)
    held = [node.id for each in targets for node in ast.walk(each) if isinstance(node, ast.Name)]
    plain = all(isinstance(each, (ast.Name, ast.Tuple)) for each in targets)
    return plain and held.count(name) == stored == 1 and name not in _words(value)


def _words(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
