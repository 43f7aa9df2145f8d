"""Edits of the text of an `.ipynb` that leave every other character of the file as it is.

The places of cells, sources, counts and outputs come from the text itself, so that the order of
keys, indents, escapes and ends of lines stay those of whichever tool wrote the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_nbsafe import patterns
from pytest_nbsafe.notebook.jsontext import Place, decode, items, members
from pytest_nbsafe.values import dataclass

_LINES = patterns.compile(r"[^\n]*\n|[^\n]+")
_ESCAPED = patterns.compile(r"\\u(?:00[89a-fA-F]|0[1-9a-fA-F]|[1-9a-cA-C])")
"""A character that needs no escape, written as one."""
_SURROGATE = patterns.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class CellEdit:
    """What becomes of a cell: its new source, outputs and count; None leaves each as it is.

    New `outputs` are saved with this `count`, or without any; a count alone goes to the old ones.
    """

    source: str | None = None
    outputs: Sequence[Mapping[str, Any]] | None = None
    count: int | None = None


def is_editable(content: bytes) -> bool:
    """Return whether the content of a notebook is of nbformat 4: places in older ones differ."""
    return bool(json.loads(content.decode("utf-8-sig"))["nbformat"] == 4)


def edited(text: str, edits: Mapping[int, CellEdit], order: Sequence[int] | None = None) -> str:
    """Return the text of a notebook with these cells changed, and all put into this order.

    `edits` and `order` name cells by their number, from 1. The text is one that was read as a
    notebook of nbformat 4; what stands between the cells stays where it is.
    """
    places = _cell_places(text)
    cells = [
        _edited_cell(text, place, edits[number]) if number in edits else text[slice(*place)]
        for number, place in enumerate(places, start=1)
    ]
    if not places:
        return text
    pieces = [text[: places[0][0]]]
    ends = [place[0] for place in places[1:]] + [len(text)]
    for number, place, end in zip(order or range(1, len(cells) + 1), places, ends, strict=True):
        pieces += [cells[number - 1], text[place[1] : end]]
    return "".join(pieces)


def _cell_places(text: str) -> list[Place]:
    mark = len(text) - len(text.removeprefix("\ufeff"))
    begin = decode(text[mark:]).cells_at + mark
    return items(text, begin) if text.startswith("[", begin) else []


# -- one cell --------------------------------------------------------------------------------------


def _edited_cell(text: str, place: Place, edit: CellEdit) -> str:
    begin, end = place
    parts = members(text, begin)
    news: list[tuple[Place, str]] = []
    if edit.source is not None and "source" in parts:
        news.append((parts["source"], _source(text, parts["source"], edit.source)))
    counts = [parts["execution_count"]] if "execution_count" in parts else []
    if edit.outputs is not None and "outputs" in parts:
        news.append((parts["outputs"], _value(text, parts["outputs"], edit.outputs)))
    elif edit.count is not None and "outputs" in parts:
        outputs = (members(text, at) for at, _ in items(text, parts["outputs"][0]))
        counts += [each["execution_count"] for each in outputs if "execution_count" in each]
    if edit.outputs is not None or edit.count is not None:
        new = "null" if edit.count is None else str(edit.count)
        news += [(place, new) for place in counts]
    pieces: list[str] = []
    for (start, stop), new in sorted(news):
        pieces += [text[begin:start], new]
        begin = stop
    return "".join((*pieces, text[begin:end]))


def _source(text: str, place: Place, new: str) -> str:
    """Return the JSON of a new source; lines that stay keep the characters of their strings."""
    written = text[slice(*place)]
    if written.startswith('"'):
        return written if json.loads(written) == new else _string(new, text)
    places = items(text, place[0])
    olds = [text[slice(*each)] for each in places]
    values = [json.loads(old) for old in olds]
    if "".join(values) == new:
        return written
    lines: list[str] = _LINES.findall(new)
    if not lines:
        return "[]"
    before, after, between = _around(text, place, places)
    kept = dict(zip(values, olds, strict=True))
    return f"{before}{between.join(kept.get(line) or _string(line, text) for line in lines)}{after}"


def _around(text: str, place: Place, places: Sequence[Place]) -> tuple[str, str, str]:
    """Return what stands before the first item of a list, behind the last, and between two."""
    if not places:
        inside = _indent(text, place[0])
        unit = inside - _indent_around(text, place[0])
        if inside <= 0 or unit <= 0:
            return "[", "]", ", "
        end = _end_of_line(text)
        new = f"{end}{' ' * (inside + unit)}"
        return f"[{new}", f"{end}{' ' * inside}]", f",{new}"
    before = text[place[0] : places[0][0]]
    if len(places) > 1:
        between = text[places[0][1] : places[1][0]]
    else:
        between = f",{before[1:]}" if len(before) > 1 else ", "
    return before, text[places[-1][1] : place[1]], between


def _string(value: str, text: str) -> str:
    """Return the JSON of a string, escaped as the file escapes what is not ASCII."""
    escapes = bool(_SURROGATE.search(value)) or (text.isascii() and bool(_ESCAPED.search(text)))
    return json.dumps(value, ensure_ascii=escapes)


# -- a value of any kind ---------------------------------------------------------------------------


def _value(text: str, place: Place, new: Any) -> str:
    """Return the JSON of a value, indented as what stands around it; the same value stays."""
    written = text[slice(*place)]
    if json.loads(written) == new:
        return written
    inside = _indent(text, place[0])
    unit = inside - _indent_around(text, place[0])
    escapes = text.isascii() and bool(_ESCAPED.search(text))
    indent = unit if inside > 0 and unit > 0 else None
    shown = json.dumps(new, indent=indent, sort_keys=True, ensure_ascii=escapes)
    if _SURROGATE.search(shown):
        shown = json.dumps(new, indent=indent, sort_keys=True)
    return shown.replace("\n", f"{_end_of_line(text)}{' ' * inside}")


def _indent(text: str, at: int) -> int:
    """Return by how many spaces the line is indented that holds this offset; -1 without lines."""
    begin = text.rfind("\n", 0, at) + 1
    line = text[begin:at]
    return len(line) - len(line.lstrip(" ")) if begin else -1


def _indent_around(text: str, at: int) -> int:
    """Return by how many spaces the nearest line above is indented that is so by less."""
    inside, above = _indent(text, at), at
    while (above := text.rfind("\n", 0, above)) > 0:
        around = _indent(text, above)
        if around < inside:
            return max(around, 0)
    return inside


def _end_of_line(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
