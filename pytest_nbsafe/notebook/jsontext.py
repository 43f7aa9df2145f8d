"""JSON decoded at full speed, with the places where a notebook's source lines stand."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pytest_nbsafe import patterns
from pytest_nbsafe.values import dataclass, field

_SPACE = patterns.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_STRING: Callable[[str, int], tuple[str, int]] = _DECODER.parse_string  # type: ignore[attr-defined]
"""Decodes a string; the offset is that after its opening quote."""


@dataclass(frozen=True, slots=True)
class CellPlace:
    """Offsets of one cell in the text: where it begins, its source, and the source's strings."""

    begin: int
    source: int
    strings: tuple[int, ...] = ()


@dataclass(slots=True)
class Decoded:
    """A decoded file: its value, where `cells` stands, and the place of each of its cells."""

    value: Any
    cells_at: int = 0
    cells: list[CellPlace] = field(default_factory=list)


def decode(text: str) -> Decoded:
    """Return the JSON value of `text`; whatever `json.loads` takes is taken, nothing else.

    Only the way down to the source strings is walked here; all other values are left to the
    decoder in C, so that the whole costs little more than `json.loads`.

    Raises:
        json.JSONDecodeError: the text is not JSON.
        ValueError: a number has too many digits.
        RecursionError: the nesting is too deep.

    """
    begin = _skip(text, 0)
    if text[begin : begin + 1] == "{":
        decoded = Decoded({})
        end = _notebook(text, begin, decoded)
    else:
        value, end = _DECODER.raw_decode(text, begin)
        decoded = Decoded(value)
    end = _skip(text, end)
    if end != len(text):
        raise json.JSONDecodeError("Extra data", text, end)
    return decoded


def _notebook(text: str, begin: int, decoded: Decoded) -> int:
    """Decode the outermost object into `decoded`; return where it ends."""
    at, key = _first_key(text, begin)
    while key is not None:
        if key == "cells":
            decoded.cells, decoded.cells_at = [], at
        if key == "cells" and text[at : at + 1] == "[":
            decoded.value[key], at = _cells(text, at, decoded.cells)
        else:
            decoded.value[key], at = _DECODER.raw_decode(text, at)
        at, key = _next_key(text, at)
    return at


def _cells(text: str, begin: int, places: list[CellPlace]) -> tuple[list[Any], int]:
    cells: list[Any] = []
    at = _skip(text, begin + 1)
    if text[at : at + 1] == "]":
        return cells, at + 1
    while True:
        if text[at : at + 1] == "{":
            cell, place, at = _cell(text, at)
        else:
            place = CellPlace(at, at)
            cell, at = _DECODER.raw_decode(text, at)
        cells.append(cell)
        places.append(place)
        at, more = _next_item(text, at)
        if not more:
            return cells, at


def _cell(text: str, begin: int) -> tuple[dict[str, Any], CellPlace, int]:
    cell: dict[str, Any] = {}
    source = begin
    strings: tuple[int, ...] = ()
    at, key = _first_key(text, begin)
    while key is not None:
        if key == "source":
            source, strings = at, ()
        if key == "source" and text[at : at + 1] == "[":
            cell[key], strings, at = _strings(text, at)
        else:
            cell[key], at = _DECODER.raw_decode(text, at)
        at, key = _next_key(text, at)
    return cell, CellPlace(begin, source, strings), at


def _strings(text: str, begin: int) -> tuple[list[Any], tuple[int, ...], int]:
    """Decode a list; return its items, the offset of each, and where it ends."""
    items: list[Any] = []
    places: list[int] = []
    at = _skip(text, begin + 1)
    if text[at : at + 1] == "]":
        return items, (), at + 1
    while True:
        places.append(at)
        if text[at : at + 1] == '"':
            item, at = _STRING(text, at + 1)
        else:
            item, at = _DECODER.raw_decode(text, at)
        items.append(item)
        at, more = _next_item(text, at)
        if not more:
            return items, tuple(places), at


# The punctuation of JSON; the messages are those of the json module. What nearly every notebook
# holds between two values is matched as one; the rest, and what is wrong, is gone through in steps.

_COMMA = patterns.compile(r"[ \t\n\r]*,[ \t\n\r]*")
_COMMA_KEY = patterns.compile(r"[ \t\n\r]*,[ \t\n\r]*\"([^\"\\\x00-\x1f]*)\"[ \t\n\r]*:[ \t\n\r]*")


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _first_key(text: str, begin: int) -> tuple[int, str | None]:
    """Step into an object; return where its first value begins, and its key (None: empty)."""
    at = _skip(text, begin + 1)
    if text[at : at + 1] == "}":
        return at + 1, None
    return _key(text, at)


def _next_key(text: str, at: int) -> tuple[int, str | None]:
    """Step from the end of a value to the next; return where it begins, and its key."""
    usual = _COMMA_KEY.match(text, at)
    if usual is not None:
        return usual.end(), usual[1]
    at = _skip(text, at)
    mark = text[at : at + 1]
    if mark == "}":
        return at + 1, None
    if mark != ",":
        raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
    return _key(text, _skip(text, at + 1))


def _key(text: str, at: int) -> tuple[int, str]:
    if text[at : at + 1] != '"':
        problem = "Expecting property name enclosed in double quotes"
        raise json.JSONDecodeError(problem, text, at)
    key, at = _DECODER.raw_decode(text, at)
    at = _skip(text, at)
    if text[at : at + 1] != ":":
        raise json.JSONDecodeError("Expecting ':' delimiter", text, at)
    return _skip(text, at + 1), key


def _next_item(text: str, at: int) -> tuple[int, bool]:
    """Step from the end of an item to the next; False when the list ended instead."""
    usual = _COMMA.match(text, at)
    if usual is not None:
        return usual.end(), True
    at = _skip(text, at)
    mark = text[at : at + 1]
    if mark == "]":
        return at + 1, False
    raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
