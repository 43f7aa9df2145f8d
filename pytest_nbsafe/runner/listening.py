"""What is told while a notebook runs: which cell has begun, and what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

Shown = Callable[[int, str], None]
"""Is told a cell and a text that it shows, from the thread that reads what the kernel sends."""


class Listener(Protocol):
    """Is told what happens in the runs of one notebook, as it happens.

    The texts are as the notebook made them, not made safe for a terminal.
    """

    def starts(self, order: str, cell: int, cells: int) -> None:
        """Take note that a cell begins to run in this order, of a notebook that has so many."""

    def shows(self, cell: int, text: str) -> None:
        """Take note of a text that a cell shows in its clean run; called from another thread."""


class NobodyListens:
    """Is told everything, and does nothing."""

    def starts(self, order: str, cell: int, cells: int) -> None:
        """Do nothing."""

    def shows(self, cell: int, text: str) -> None:
        """Do nothing."""


def text_of(kind: str, content: Mapping[str, Any]) -> str:
    """Return the text that a message of the output channel shows, "" where it shows none."""
    if kind == "stream":
        return _text(content.get("text"))
    if kind == "error":
        return "".join(f"{line}\n" for line in content.get("traceback") or () if _text(line))
    is_shown = kind in {"display_data", "execute_result"}
    text = _text((content.get("data") or {}).get("text/plain")) if is_shown else ""
    return f"{text}\n" if text else ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
