"""Loops that make a name from a copy of itself: each run goes on from where the last ended."""

from __future__ import annotations

import ast
from collections.abc import Callable

from pytest_nbsafe.analysis.reruns.symbols import names

_COPYING = frozenset({"copy", "deepcopy", "clone"})


class Steps:
    """The copies that a cell takes in loops.

    `loops` are the variables of the loops around the present statement, `copies` the names that
    hold a copy: of what, and the variables of the loop in which it was taken.
    """

    def __init__(self) -> None:
        self.loops: list[set[str]] = []
        self.copies: dict[str, tuple[str, set[str]]] = {}

    def note(self, name: str, value: ast.expr, is_live: Callable[[str], bool]) -> None:
        """Note `before = x.copy()` in a loop, for an `x` that comes from another cell."""
        self.copies.pop(name, None)
        source = _copied(value)
        if self.loops and is_live(source):
            self.copies[name] = source, self.loops[-1]

    def goes_on(self, name: str, target: ast.expr, value: ast.expr) -> bool:
        """Tell whether `target` under a name is computed from a copy of the name's own state.

        Not where the loop takes one part after another (`df[c] = before[c] - m`).
        """
        if not self.copies or not isinstance(value, ast.BinOp):
            return False
        used, at = names(value), names(target)
        return any(
            source == name and copy in used and at.isdisjoint(variables)
            for copy, (source, variables) in self.copies.items()
        )


def _copied(node: ast.expr) -> str:
    """Return the name that is copied by `x.copy()`, `np.copy(x)` or `x[:]`, "" if none is."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        plain = node.slice.lower is None and node.slice.upper is None
        node = node.value if plain else node
    func = node.func if isinstance(node, ast.Call) else None
    if isinstance(node, ast.Call) and isinstance(func, ast.Attribute) and func.attr in _COPYING:
        node = node.args[0] if node.args else func.value
    return node.id if isinstance(node, ast.Name) else ""
