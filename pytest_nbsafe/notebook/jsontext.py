"""JSON decoded at full speed, with the places where a notebook's source lines stand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pytest_nbsafe import patterns
from pytest_nbsafe.values import dataclass, field

_DECODER = json.JSONDecoder()
_SPACE = patterns.compile(r"[ \t\n\r]*")
_KEY = patterns.compile(r"[ \t\n\r]*\"((?:[^\"\\\x00-\x1f]|\\.)*)\"[ \t\n\r]*:[ \t\n\r]*")
_MARK = patterns.compile(r"[ \t\n\r]*([,\]}])[ \t\n\r]*")
"""What stands behind a value in a list or an object: a comma, or the end."""


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
    reader = _TextReader(text)
    try:
        decoded = reader.notebook() if reader.is_at("{") else Decoded(reader.value())
        complete = not text[reader.at :].strip(" \t\n\r")
    except _NoJsonError:
        complete = False
    return decoded if complete else Decoded(json.loads(text))  # it raises, and says what is wrong


Place = tuple[int, int]
"""Where a value begins in the text, and one past its end."""


def members(text: str, begin: int) -> dict[str, Place]:
    """Return the place of each value of the object that begins there, in text that `decode` took.

    Of several values under one key it is the last, the one that counts.
    """
    reader = _TextReader(text, begin)
    keys = reader.keys()
    return {key: reader.place() for key in keys}


def items(text: str, begin: int) -> list[Place]:
    """Return the place of each item of the list that begins there, in text that `decode` took."""
    reader = _TextReader(text, begin)
    return [reader.place() for _ in reader.items()]


class _NoJsonError(Exception):
    """The punctuation is not that of JSON."""


class _TextReader:
    """Reads the values of a text one after another; `at` is where the next one begins."""

    def __init__(self, text: str, begin: int = 0) -> None:
        self.text = text
        self.at = begin
        self._skip(begin)

    def is_at(self, mark: str) -> bool:
        """Tell whether the next value begins with this mark."""
        return self.text.startswith(mark, self.at)

    def value(self) -> Any:
        """Read one value of any kind."""
        value, self.at = _DECODER.raw_decode(self.text, self.at)
        return value

    def place(self) -> Place:
        """Read one value of any kind; return where it stands."""
        begin = self.at
        self.value()
        return begin, self.at

    def keys(self) -> Iterator[str]:
        """Read an object: yield each key, whose value is to be read before the next."""
        more = self._begins("}")
        while more:
            key = _KEY.match(self.text, self.at)
            if key is None:
                raise _NoJsonError
            if "\\" in key[1]:
                name, _ = _DECODER.raw_decode(self.text, key.start(1) - 1)
            else:
                name = key[1]
            self.at = key.end()
            yield name
            more = self._goes_on("}")

    def items(self) -> Iterator[int]:
        """Read a list: yield where each item begins, which is to be read before the next."""
        more = self._begins("]")
        while more:
            yield self.at
            more = self._goes_on("]")

    def _begins(self, end: str) -> bool:
        """Step into a list or an object; tell whether there is anything in it."""
        self._skip(self.at + 1)
        empty = self.is_at(end)
        self.at += empty
        return not empty

    def _skip(self, at: int) -> None:
        space = _SPACE.match(self.text, at)
        self.at = space.end() if space else at

    def _goes_on(self, end: str) -> bool:
        """Step over what stands behind a value; tell whether another value follows."""
        mark = _MARK.match(self.text, self.at)
        if mark is None or mark[1] not in {",", end}:
            raise _NoJsonError
        self.at = mark.end()
        return mark[1] == ","

    def notebook(self) -> Decoded:
        """Read the outermost object."""
        decoded = Decoded({})
        for key in self.keys():
            if key != "cells":
                decoded.value[key] = self.value()
                continue
            decoded.cells, decoded.cells_at = [], self.at
            if self.is_at("["):
                decoded.value[key] = [self.cell(decoded.cells) for _ in self.items()]
            else:
                decoded.value[key] = self.value()
        return decoded

    def cell(self, places: list[CellPlace]) -> Any:
        """Read a cell, and note its place."""
        begin = source = self.at
        strings: list[int] = []
        if not self.is_at("{"):
            places.append(CellPlace(begin, begin))
            return self.value()
        cell: dict[str, Any] = {}
        for key in self.keys():
            if key != "source":
                cell[key] = self.value()
                continue
            source, strings = self.at, []
            if not self.is_at("["):
                cell[key] = self.value()
                continue
            cell[key] = lines = []
            for at in self.items():
                strings.append(at)
                lines.append(self.value())
        places.append(CellPlace(begin, source, tuple(strings)))
        return cell
