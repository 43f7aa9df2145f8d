"""What a cell says about being tested, in our own tags and those of nbval and nbmake."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pytest_nbsafe import patterns
from pytest_nbsafe.notebook.model import MAY_RAISE, RAISES, SKIP_TAGS, Cell

OutputMode = Literal["off", "lenient", "exact"]
OUTPUT_MODES: tuple[OutputMode, ...] = ("off", "lenient", "exact")
_OUTPUT = "nbsafe:output="
_COMMENT = patterns.compile(r"^[ \t]*#[ \t]*((?:NBVAL|PYTEST_VALIDATE)_[A-Z_]+)", re.MULTILINE)
_OF_NBVAL = {
    "nbval-skip": "nbsafe:skip",
    "nbval-raises-exception": RAISES,
    "nbval-ignore-output": f"{_OUTPUT}off",
    "pytest-validate-ignore-output": f"{_OUTPUT}off",
    "nbval-check-output": f"{_OUTPUT}lenient",
}
"""What the tags of nbval, and its comments in small letters with hyphens, mean here."""
PARAMETERS, INJECTED = "parameters", "injected-parameters"
"""The tags of papermill: of the cell that holds the defaults, and of the one put below it."""
_HEEDED = ("nbsafe", *_OF_NBVAL, *SKIP_TAGS, RAISES, PARAMETERS, INJECTED)
"""How all tags begin that say how a cell is run or judged."""


def tags(own: tuple[str, ...], source: str, notebook: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the tags of a cell, and those that stand for what it says in other words.

    `own` are the tags of its metadata, `notebook` is the metadata of the notebook.
    """
    execution = notebook.get("execution")
    may_fail = isinstance(execution, Mapping) and execution.get("allow_errors") is True
    more = (MAY_RAISE,) if may_fail else ()
    return tuple(dict.fromkeys((*own, *_meant(own, source), *more)))


def is_heeded(tag: str) -> bool:
    """Return whether a tag may say how a cell is run or judged; all others are for people."""
    return tag.strip().startswith(_HEEDED)


def timeout_s(notebook: Mapping[str, Any]) -> float | None:
    """Return the limit for a cell that nbmake reads in a notebook's metadata, None without one."""
    execution = notebook.get("execution")
    seconds = execution.get("timeout") if isinstance(execution, Mapping) else None
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        return None
    return float(seconds) if 0 < seconds < 10**7 else None


def output_mode(cell: Cell) -> OutputMode | None:
    """Return how a cell asks for its output to be compared, None where it does not."""
    asked = (tag[len(_OUTPUT) :] for tag in cell.tags if tag.startswith(_OUTPUT))
    return next((mode for text in asked for mode in OUTPUT_MODES if mode == text), None)


def written_as(cell: Cell, tag: str) -> str:
    """Return the words on the page that give a cell a tag: `tagged nbval-skip`."""
    other = next((word for word, meant in _words(cell.tags, cell.source) if meant == tag), tag)
    return f"{'tagged' if other in cell.tags else 'marked'} {other}"


def _meant(own: tuple[str, ...], source: str) -> Iterator[str]:
    return (meant for _, meant in _words(own, source))


def _words(own: tuple[str, ...], source: str) -> Iterator[tuple[str, str]]:
    comments = _COMMENT.findall(source) if "NBVAL" in source or "PYTEST_VALIDATE" in source else ()
    for word in (*own, *comments):
        meant = _OF_NBVAL.get(word.lower().replace("_", "-"))
        if meant is not None:
            yield word, meant
