"""Colour for a terminal, and when not to use it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TextIO

Role = Literal["error", "warning", "note", "frame", "mark", "remedy", "heading"]
Paint = Callable[[str, Role], str]

MARKUP: dict[Role, tuple[str, ...]] = {
    "error": ("bold", "red"),
    "warning": ("bold", "yellow"),
    "note": ("bold", "cyan"),
    "frame": ("blue",),
    "mark": ("bold", "red"),
    "remedy": ("green",),
    "heading": ("bold",),
}
"""What each role looks like, in the words of pytest's terminal writer."""

_SEQUENCES = {"bold": 1, "red": 31, "green": 32, "yellow": 33, "blue": 34, "cyan": 36}


def plain(text: str, _role: Role) -> str:
    """Return the text as it is."""
    return text


def ansi(text: str, role: Role) -> str:
    """Return the text between the escape sequences of its role."""
    codes = ";".join(str(_SEQUENCES[word]) for word in MARKUP[role])
    return f"\x1b[{codes}m{text}\x1b[0m"


def wanted(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Return whether to colour what goes to `stream`: NO_COLOR, FORCE_COLOR, then a terminal."""
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and environ.get("TERM") != "dumb"
