"""Names that are looked up by what stands in a text: `ne.evaluate("x * 2")`, `pickle.loads(data)`.

A library that looks up names where it was called from asks Python for a frame, which is told. Which
names it looks for then nobody sees: it may be all that stand in texts of the cells. Of a class that
`pickle` looks for the name is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from types import CodeType, FrameType
from typing import Any

from .. import audit
from ..functions.reach import inside, names_of_code
from ..hashing.instances import HOME_MODULE
from .callers import MACHINERY, Callers, frames, is_import, module_of

_WORD = re.compile(r"[^\W\d]\w*")
_LONGEST, _MOST = 10_000, 100
"""How long a text may be, and of how many one value is looked through."""


class TextLookups:
    """What the code of the current run looks up by texts."""

    def __init__(self, callers: Callers, home: Mapping[str, Any]) -> None:
        self._callers = callers
        self._home = home
        self._asks = self._on = False
        self._classes: set[str] = set()

    def install(self) -> None:
        """Listen from now on."""
        audit.listen(self._framed, ["sys._getframe"])
        audit.listen(self._unpickled, ["pickle.find_class"])

    def start(self) -> None:
        """Forget the last run."""
        self._asks, self._on, self._classes = False, True, set()

    def stop(self) -> None:
        """Take no more notes."""
        self._on = False

    def words(
        self, codes: Iterable[CodeType], called: Iterable[str], texts: Iterable[str]
    ) -> set[str]:
        """Return the words that the run may have looked up as names.

        `codes` are what ran, `called` and `texts` the names and the texts that stand in functions
        that it called.
        """
        found = set(self._classes)
        if self._asks:
            for text in (*texts, *(text for code in codes for text in texts_of(code))):
                found.update(_WORD.findall(text[:_LONGEST]))
            names = {*called, *(name for code in codes for name in names_of_code(code))}
            for name in names & self._home.keys():
                for text in _held(self._home[name]):
                    found.update(_WORD.findall(text[:_LONGEST]))
        return found

    def _framed(self, _event: str, args: tuple[Any, ...]) -> None:
        if self._on and not self._asks and not self._is_of_python(args[0]):
            self._asks = self._is_asked_from_a_cell()

    def _is_of_python(self, frame: FrameType) -> bool:
        """Return whether a frame is of Python's own library, but for `inspect`."""
        return self._callers.is_pythons(frame) and module_of(frame) != "inspect"

    def _is_asked_from_a_cell(self) -> bool:
        """Return whether a library that cells call, or a cell, asks for a frame.

        Python's own library asks to tell where somebody stands: it logs, and names classes.
        """
        asker = None
        for frame in frames():
            if is_import(frame):
                return False
            if self._is_of_python(frame):
                if asker is None:
                    return False
            elif asker is None and not self._callers.is_pythons(frame):
                asker = frame
                if self._callers.library(frame) in MACHINERY:
                    return False
            if self._callers.is_users(frame):
                return asker is not None
        return False

    def _unpickled(self, _event: str, args: tuple[Any, ...]) -> None:
        module, name = args
        if self._on and module == HOME_MODULE:
            self._classes.add(str(name).partition(".")[0])


def texts_of(code: CodeType) -> Iterator[str]:
    """Yield the texts that stand in code, and in the code inside it."""
    for each in (code, *inside(code)):
        waiting = [*each.co_consts]
        while waiting:
            const = waiting.pop()
            if type(const) is str:
                yield const
            elif type(const) in {tuple, frozenset}:
                waiting += const


def _held(value: object) -> Iterator[str]:
    """Yield the texts that a value is, or holds."""
    kind = type(value)
    if kind is str:
        yield value  # type: ignore[misc]  # it is one
    elif kind in {list, tuple, dict}:
        parts: Any = value.values() if kind is dict else value  # type: ignore[attr-defined]  # it has
        yield from (part for part in islice(parts, _MOST) if type(part) is str)
