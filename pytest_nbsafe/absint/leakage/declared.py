"""Comments that say what the analysis cannot see: `# nbsafe: split X -> train, test`, `source`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pytest_nbsafe import patterns
from pytest_nbsafe.values import dataclass

_COMMENT = patterns.compile(r"#\s*nbsafe:\s*([A-Za-z]+)\b\s*([^#\n]*)")


@dataclass(frozen=True, slots=True)
class Declaration:
    """One comment: what the names on its line hold; `whole` is split into `parts`.

    `line` is where it stands, `of` the line that it speaks of: a comment on a line of its own
    speaks of the next one.
    """

    kind: Literal["source", "split"]
    line: int
    of: int
    column: int
    whole: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment to nbsafe: its first word and the rest; `alone` on its line or behind code."""

    line: int
    column: int
    alone: bool
    word: str
    rest: str


def comments(source: str) -> Iterator[Comment]:
    """Yield the comments of a cell that speak to nbsafe; what only looks like one is in a string.

    Where a cell cannot be read as Python, because of a magic, each of its lines is looked at.
    """
    if "nbsafe:" not in source:
        return
    import io
    import tokenize

    lines = source.split("\n")
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
        places = [token.start for token in tokens if token.type == tokenize.COMMENT]
    except (tokenize.TokenError, SyntaxError):
        places = [(number, 0) for number in range(1, len(lines) + 1)]
    for number, offset in places:
        line = lines[number - 1]
        match = _COMMENT.search(line, offset)
        if match is not None:
            alone = line.lstrip().startswith("#")
            yield Comment(number, match.start() + 1, alone, match[1], match[2])


def of_source(source: str) -> Iterator[Declaration]:
    """Yield the declarations of a cell, in the order of its lines."""
    for comment in comments(source):
        if comment.word in {"source", "split"}:
            whole, _, parts = comment.rest.partition("->")
            yield Declaration(
                "split" if comment.word == "split" else "source",
                comment.line,
                comment.line + comment.alone,
                comment.column,
                tuple(whole.replace(",", " ").split()),
                tuple(parts.replace(",", " ").split()),
            )
