"""Saved text outputs against new ones: what a reader would call another result.

Only what a reader sees as text is compared: standard output, and the plain text of results,
displays and errors. Standard error is left out (warnings come and go with versions), and so is
what no two runs share: addresses, timings, the repr of a figure; and what no two machines do:
absolute paths, the names of dtypes, which version and system choose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal

from pytest_nbsafe import patterns
from pytest_nbsafe.libraries.datafiles import words
from pytest_nbsafe.libraries.wildcards import alternatives
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.values import dataclass

ESCAPES = patterns.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
"""What a terminal takes for a command: colours, titles, links."""
_ADDRESS = patterns.compile(r"\b0x[0-9a-fA-F]{4,}\b")
_LONG_FLOAT = patterns.compile(r"(?<![\w.])-?\d+\.\d{6,}(?:[eE][-+]?\d+)?(?![\w.])")
_DTYPE = patterns.compile(r"\bdtype: \w+$|(?<=, )dtype=\w+(?=\)$)")
_PATH = patterns.compile(r"(?<![\w:/.])(?:[A-Za-z]:\\|/(?=\w+/))[^\s'\",:;()\[\]]+")
_SPACES = patterns.compile(r"[ \t]+")
_TIMING = patterns.compile(
    r"^(?:CPU times: |Wall time: |Compiler : |The slowest run took )"
    r"|\bloops?,? (?:each|best of)\b|\bper loop\b"
)
_SETTINGS = patterns.compile(r"[A-Z]\w*\((?:\w+=[^=]+,\s+){4,}\w+=")
_SIGNIFICANT_DIGITS = 8


@dataclass(frozen=True, slots=True)
class TextComparison:
    """How two outputs compare, and the first line of each that differs."""

    result: Literal["same", "differs", "nothing-to-compare"]
    saved: str = ""
    new: str = ""


@cache
def _picture() -> re.Pattern[str]:
    pictures = alternatives(words("printing", "pictures"), anything="[^>]*?")
    return re.compile(rf"^[\[(]*<(?:{pictures})")


@cache
def _wrapped_number() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{alternatives(words('printing', 'scalars'))})\(([^()]*)\)")


def text_lines(outputs: Iterable[Output]) -> tuple[str, ...]:
    """Return the lines of text that a reader would compare, made equal where chance differs."""
    lines: list[str] = []
    for chunk in _chunks(outputs):
        if _picture().match(chunk):
            continue
        lines.extend(line for line in map(_normalised, chunk.split("\n")) if line)
    return tuple(lines)


def compare(saved: Sequence[Output], new: Sequence[Output]) -> TextComparison:
    """Return how a cell's saved outputs compare with new ones, as text.

    A cell whose saved outputs hold no text has nothing to compare: its outputs may have been
    cleared, or are pictures.
    """
    before, after = text_lines(saved), text_lines(new)
    if not before:
        return TextComparison("nothing-to-compare")
    if before == after:
        return TextComparison("same")
    first = next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b),
        min(len(before), len(after)),
    )
    return TextComparison("differs", _line(before, first), _line(after, first))


def reproduces(new: Sequence[Output], saved: Sequence[Output]) -> bool:
    """Return whether new outputs hold the saved text, and there is any."""
    return compare(saved, new).result == "same"


def is_of_other_library(saved: Iterable[Output], new: Iterable[Output]) -> bool:
    """Return whether both show one object, the saved text with all its settings at length.

    So scikit-learn did before 0.23; what else it gives has changed since, too.
    """
    return any(
        _SETTINGS.match(before.text) is not None
        and _SETTINGS.match(after.text) is None
        and after.text.startswith(f"{before.text.partition('(')[0]}(")
        for before, after in zip(saved, new, strict=False)
    )


def pictures(outputs: Iterable[Output]) -> list[tuple[str, object]]:
    """Return the pictures among outputs, each with its kind, in the order they are shown."""
    return [
        (kind, content.strip() if isinstance(content, str) else content)
        for output in outputs
        for kind, content in sorted(output.data.items())
        if kind.startswith("image/")
    ]


def _chunks(outputs: Iterable[Output]) -> Iterable[str]:
    """Yield the texts of outputs; the pieces of one stream are joined."""
    stream: list[str] = []
    for output in outputs:
        if output.kind == "stream":
            if output.name == "stdout":
                stream.append(output.text)
            continue
        if stream:
            yield "".join(stream)
            stream = []
        yield f"{output.ename}: {output.evalue}" if output.kind == "error" else output.text
    if stream:
        yield "".join(stream)


def _normalised(line: str) -> str:
    line = ESCAPES.sub("", line).rstrip("\r").rsplit("\r", 1)[-1]
    if _TIMING.search(line):
        return ""
    line = _ADDRESS.sub("0x...", line)
    line = _PATH.sub("/...", _DTYPE.sub("dtype", line))
    line = _wrapped_number().sub(r"\1", line)
    line = _LONG_FLOAT.sub(lambda match: f"{float(match[0]):.{_SIGNIFICANT_DIGITS}g}", line)
    return _SPACES.sub(" ", line).strip()


def _line(lines: Sequence[str], index: int) -> str:
    return lines[index] if index < len(lines) else ""
