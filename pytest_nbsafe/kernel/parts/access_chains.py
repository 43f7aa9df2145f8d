"""A chain of attributes and subscripts under way: what it has reached, and where it leads."""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any

from .access_sites import Site
from .access_steps import CALLED, STUCK, Kind

if TYPE_CHECKING:
    Paths = list[tuple[Any, ...]]


class Track:
    """A chain under way: the symbols of what it has reached, and how it goes on from there.

    `line` is that of the statement: when it is known that the chain was left, another may be
    executing.
    """

    __slots__ = ("keys", "kind", "line", "next", "paths", "place", "site")

    def __init__(self, site: Site, paths: Paths, kind: Kind, place: int, line: int) -> None:
        self.site = site
        self.line = line
        self.paths = paths
        self.kind = kind
        self.place = place
        self.keys: list[Any] = []
        self.next: Any = STUCK


def joined(some: Paths, others: Paths) -> Paths:
    """Return some symbols and those of others that are not among them."""
    return [*some, *(path for path in others if path not in some)] if others else some


def after(track: Track) -> Paths:
    """Return the symbols that a chain leads to by its next link: itself where that is not told."""
    if track.next is STUCK or track.next is CALLED:
        return track.paths
    return [(*path, *step) for path in track.paths for step in track.next]


def plain_key(value: Any) -> Any:
    """Return a key that names a part: a text, a number, a list of texts; None for all others."""
    if type(value) in (str, int):
        return value
    if type(value) is list and value and all(type(key) is str for key in value):
        return [*value]
    return None


def line_executing(lines: dict[str, dict[int, int]]) -> int:
    """Return the line of the cell whose statement is executing, 0 when none is."""
    frame: types.FrameType | None = sys._getframe(1)  # noqa: SLF001  # what else knows it
    while frame is not None:
        known = lines.get(frame.f_code.co_filename)
        if known is not None and frame.f_code.co_name.startswith(("<module", "<cell")):
            return known.get(frame.f_lineno, 0)
        frame = frame.f_back
    return 0
