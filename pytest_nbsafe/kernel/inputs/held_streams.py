"""What is written to memory that no cell need name: output that is caught, records of `logging`."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Collection, Iterator
from typing import Any

from ..hashing.instances import HOME_MODULE

_EMIT = frozenset({"emit", "handle", "filter", "format", "write"})
"""What `logging` and `print` call of objects of cells that stand for their own."""
_IN_MEMORY = (io.StringIO, io.BytesIO)


class HeldStreams:
    """How far texts and buffers in memory, that output and records go to, were written."""

    def __init__(self) -> None:
        self._began: dict[int, int] = {}
        self._output: list[Any] = []

    def start(self) -> None:
        """Take note that a run begins."""
        self._output = []
        self._began = dict(map(_length, _of_handlers()))

    def meet(self) -> None:
        """Take note of where output goes as a statement begins: not between the runs of cells."""
        for stream in (sys.stdout, sys.stderr):
            is_known = any(stream is known for known in self._output)
            if not is_known and (type(stream) in _IN_MEMORY or _is_of_cells(stream)):
                self._output.append(stream)
                key, length = _length(stream)
                self._began.setdefault(key, length)

    def are_written(self, called: Collection[str]) -> bool:
        """Return whether any was since; `called` are the functions of cells that were."""
        targets = [*self._output, *_of_handlers()]
        if any(self._began.get(key, length) != length for key, length in map(_length, targets)):
            return True
        return not _EMIT.isdisjoint(called) and any(map(_is_of_cells, targets))


def _of_handlers() -> Iterator[Any]:
    """Yield the handlers of `logging`, and what they hold."""
    for reference in [*getattr(logging, "_handlerList", ())]:
        handler = reference()
        yield handler
        yield from getattr(handler, "__dict__", {}).values()


def _length(target: Any) -> tuple[int, int]:
    """Return which object it is, and how much was written to it, as far as that is told."""
    kind = type(target)
    if kind in _IN_MEMORY and not target.closed:
        return id(target), target.tell()
    return id(target), len(target) if kind is list else 0


def _is_of_cells(target: object) -> bool:
    return type(target).__module__ == HOME_MODULE
