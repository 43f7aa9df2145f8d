"""Code frames: the lines around a place in a cell, with the place marked."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from pytest_nbsafe.locations import NOTEBOOK, Location
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.reports import escape
from pytest_nbsafe.reports.colour import Paint, plain

_BEFORE, _AFTER = 2, 1
_WIDTH, _LEAD = 100, 40


def place(location: Location, count: int | None, file_line: int | None = None) -> str:
    """Return where something stands in words: `cell 3 [5], line 2`."""
    if location.cell == NOTEBOOK:
        return f"line {file_line} of the file" if file_line else "the notebook"
    counted = f" [{count}]" if count is not None else ""
    return f"cell {location.cell}{counted}, line {location.line}"


def of_notebook(notebook: Notebook | None, location: Location, anchor: str) -> dict[int, str]:
    """Return the lines to show around a place, by number; only `anchor` without the notebook."""
    if notebook is None or not 0 < location.cell <= len(notebook.cells):
        return {location.line: anchor} if anchor.strip() else {}
    source = notebook.cell(location.cell).source.split("\n")
    first = max(1, location.line - _BEFORE)
    last = min(len(source), location.line + _AFTER)
    lines = {number: source[number - 1] for number in range(first, last + 1)}
    while lines and not lines[max(lines)].strip() and max(lines) > location.line:
        del lines[max(lines)]
    while lines and not lines[min(lines)].strip() and min(lines) < location.line:
        del lines[min(lines)]
    return lines


def frame(lines: dict[int, str], location: Location, paint: Paint = plain) -> list[str]:
    """Return `lines` with a gutter, carets under the span (or a mark at the line without one)."""
    if not lines:
        return []
    gutter = len(str(max(lines)))
    span = location.end_column is not None
    drawn = []
    for number, text in sorted(lines.items()):
        here = number == location.line
        pieces = escape.visible(text)
        start, end = _columns(location, text) if here and span else (0, 0)
        cut, offset = _cut(pieces, start, end)
        mark = paint(">", "mark") if here and not span and len(lines) > 1 else " "
        shown = "".join(cut)
        bar = paint(f"{number:>{gutter}} |", "frame")
        drawn.append(f"  {mark} {bar} {shown}".rstrip())
        if end > start:
            indent = " " * (bool(offset) + _width(pieces[offset:start]))
            carets = "^" * max(1, min(_width(pieces[start:end]), _width(cut) - len(indent)))
            bar = paint(f"{'':>{gutter}} |", "frame")
            drawn.append(f"    {bar} {indent}{paint(carets, 'mark')}")
    return drawn


def _columns(location: Location, text: str) -> tuple[int, int]:
    """Return the span's character offsets in its first line; to the line's end if it goes on."""
    start = min(location.column - 1, len(text))
    goes_on = location.end_line is not None and location.end_line > location.line
    end = len(text) if goes_on else min((location.end_column or 1) - 1, len(text))
    return start, max(end, start)


def _cut(pieces: Sequence[str], start: int, end: int) -> tuple[list[str], int]:
    """Return a long line cut so that it shows offset `start`, and the offset where it begins."""
    offset = start if _width(pieces[:end]) > _WIDTH else 0
    room = _LEAD if offset else 0
    while offset and (room := room - _width(pieces[offset - 1])) >= 0:
        offset -= 1
    stop, room = offset, _WIDTH
    while stop < len(pieces) and (room := room - _width(pieces[stop])) >= 0:
        stop += 1
    head = ["…"] if offset else []
    tail = ["…"] if stop < len(pieces) else []
    return [*head, *pieces[offset:stop], *tail], offset


def _width(pieces: Iterable[str]) -> int:
    """Return how many columns of a terminal the pieces fill."""
    return sum(_character_width(c) for piece in pieces for c in piece)


def _character_width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
