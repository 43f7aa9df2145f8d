"""The places in a text at which it tells of its accesses, and the calls that tell."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Callable
from typing import Any, NamedTuple

from ..tracing.names import DEFINITIONS, parts_of

USE, AT, KEY, END, CALL, MORE = (
    f"__nbsafe_{word}__" for word in ("use", "at", "key", "end", "call", "more")
)
HOOKS = (USE, AT, KEY, END, CALL, MORE)
_OF_HOOKS = frozenset(HOOKS)
LOOK, TAKE, ARG, CALLEE, KEEP = "look", "take", "arg", "callee", "keep"
"""What becomes of a value: it is looked at, taken elsewhere, passed to a call, called, or kept
under a local name."""


class ChainLink(NamedTuple):
    """One attribute or subscript: `keys` are those known from the text, `DYNAMIC` the others."""

    attribute: str
    keys: list[Any]
    last: int
    many: bool


class Site:
    """A place in a text: `line` of the cell (0: in a function), the name that it begins with."""

    def __init__(self, line: int, name: str, mode: str, call: int) -> None:
        self.line = line
        self.name = name
        self.mode = mode
        self.call = call
        self.links: list[ChainLink] = []
        self.stores = ""
        self.inplace = False


def is_followed(value: Any) -> bool:
    """Return whether a function tells of all that it accesses."""
    if type(value) is not types.FunctionType:
        return False
    return not _OF_HOOKS.isdisjoint(value.__code__.co_names)


def statement_lines(tree: ast.Module, line_of: Callable[[int], int]) -> dict[int, int]:
    """Return, for each line of a text, the cell's line on which its statement begins."""
    lines: dict[int, int] = {}
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.stmt):
            line = line_of(node.lineno)
            end = node.end_lineno or node.lineno
            lines.update((number, line) for number in range(node.lineno, end + 1))
        if not isinstance(node, DEFINITIONS):
            waiting += parts_of(node)
    return lines


def line_executing(lines: dict[str, dict[int, int]]) -> int:
    """Return the line of the cell whose statement is executing, 0 when none is."""
    frame: types.FrameType | None = sys._getframe(1)  # noqa: SLF001  # what else knows it
    while frame is not None:
        known = lines.get(frame.f_code.co_filename)
        if known is not None and frame.f_code.co_name.startswith(("<module", "<cell")):
            return known.get(frame.f_lineno, 0)
        frame = frame.f_back
    return 0
