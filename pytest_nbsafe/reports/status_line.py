"""A line on a terminal that tells what runs and for how long, and leaves nothing behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from pytest_nbsafe.reports import escape

_EACH_S = 1.0
_CLEAR_LINE = "\r\x1b[K"
_PATH_WIDTH = 60


class StatusLine:
    """A text and the seconds since it began, drawn again each second until `clear`.

    `draw` writes a text in place of the one before, `erase` takes it away. Both may be called by a
    thread of its own, never at the same time.
    """

    def __init__(self, draw: Callable[[str], None], erase: Callable[[], None]) -> None:
        self._draw = draw
        self._erase = erase
        self._text = ""
        self._since = 0.0
        self._lock = threading.Lock()
        self._ended: threading.Event | None = None

    def show(self, text: str, since: float) -> None:
        """Show a text, and how long ago its time (of `time.monotonic`) was."""
        with self._lock:
            self._text, self._since = text, since
            if self._ended is None:
                self._ended = threading.Event()
                thread = threading.Thread(target=self._go_on, args=(self._ended,), daemon=True)
                thread.start()
            self._again()

    def clear(self) -> None:
        """Take the text away; safe to call when there is none."""
        with self._lock:
            if self._ended is not None:
                self._ended.set()
                self._ended = None
                self._erase()

    def _go_on(self, ended: threading.Event) -> None:
        while not ended.wait(_EACH_S):
            with self._lock:
                if not ended.is_set():
                    self._again()

    def _again(self) -> None:
        self._draw(f"{self._text}, {time.monotonic() - self._since:.0f} s")


class NotebookStatus:
    """Tells which cell of a notebook runs, and for how long the notebook has been running.

    `head` stands before it.
    """

    def __init__(self, status: StatusLine, head: str = "") -> None:
        self._status = status
        self._head = head
        self._since: float | None = None

    def starts(self, order: str, cell: int, cells: int) -> None:
        """Show the cell, and the order where it is not the page's own."""
        self._since = self._since or time.monotonic()
        where = f"cell {cell} of {cells}"
        words = where if order == "top-down" else f"{order} order: {where}"
        self._status.show(f"{self._head}{words}", self._since)

    def shows(self, cell: int, text: str) -> None:
        """Show nothing."""


# ------------------------------------------------------------ on a line of its own


@contextmanager
def on_last_line(stream: TextIO | None) -> Iterator[StatusLine | None]:
    """Give a line below all others on a terminal, None elsewhere; in the end it is clear."""
    if stream is None or not stream.isatty():
        yield None
        return

    def write(text: str) -> None:
        stream.write(text)
        stream.flush()

    status = StatusLine(lambda text: write(f"{_CLEAR_LINE}{text}"), lambda: write(_CLEAR_LINE))
    try:
        yield status
    finally:
        status.clear()


def shown(path: Path | str) -> str:
    """Return a path as it stands on the line: its end."""
    return escape.line(str(path))[-_PATH_WIDTH:]
