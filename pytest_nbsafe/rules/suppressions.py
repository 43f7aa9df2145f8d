"""What the author silenced, by comment or by tag, and what of it silences nothing."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.codes import CODES
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.keys import matching
from pytest_nbsafe.notebook.model import LEFT_OUT, Cell, Notebook
from pytest_nbsafe.values import dataclass

_COMMENT = patterns.compile(r"#\s*nbsafe:\s*ignore\b(?:\s*\[)?", re.IGNORECASE)
_TAG = "nbsafe:ignore"
_MARK = "nbsafe:"


@dataclass(frozen=True, slots=True)
class Suppression:
    """One word of a comment or a tag: the codes that it hides, in a cell or on a line of it.

    `span` is where the word stands, None for a tag; `whole` whether it goes for the whole cell.
    `word` is empty where all codes are meant; a word that is no code has no `codes`.
    """

    cell: int
    span: Span | None
    whole: bool
    word: str
    codes: frozenset[str]
    hint: str = ""


def of(notebook: Notebook) -> tuple[Suppression, ...]:
    """Return every suppression of a notebook, in page order."""
    return tuple(each for cell in notebook.code_cells for each in _of_cell(cell))


def silences(cell: Cell) -> bool:
    """Return whether a cell may hold a suppression."""
    return _MARK in cell.source.lower() or any(tag.startswith(_MARK) for tag in cell.tags)


def hides(suppression: Suppression, finding: Finding) -> bool:
    """Return whether a suppression goes for this finding: its cell, its lines, its code."""
    where = finding.location
    if suppression.cell != where.cell or finding.code not in suppression.codes:
        return False
    if suppression.whole or suppression.span is None:
        return True
    return where.line <= suppression.span.line <= (where.end_line or where.line)


def is_left_out(finding: Finding, notebook: Notebook) -> bool:
    """Return whether the finding's cell is left out as a whole."""
    return bool(finding.location.cell) and LEFT_OUT in notebook.cell(finding.location.cell).tags


# -- where they stand ------------------------------------------------------------------------------


def _of_cell(cell: Cell) -> Iterator[Suppression]:
    if not silences(cell):
        return
    for tag in cell.tags:
        name, _, words = tag.partition("=")
        if name.strip() == _TAG:
            yield from _words(cell.number, words, None, whole=True)
    if not _COMMENT.search(cell.source):
        return
    held = _string_lines(cell.source)
    head = True
    for number, line in enumerate(cell.source.split("\n"), start=1):
        # What comes before the first line of code; a cell magic has to stand above all.
        head = head and (not line.strip() or line.lstrip().startswith(("#", "%%")))
        for comment in _COMMENT.finditer(line):
            if not _inside(held, number, comment.start()):
                words, end = _bracketed(line, comment)
                span = Span(number, comment.start() + 1, number, end + 1)
                yield from _words(cell.number, words, span, whole=head)


def _bracketed(line: str, comment: re.Match[str]) -> tuple[str, int]:
    """Return what stands in the brackets of a comment, and where it ends."""
    closed = line.find("]", comment.end()) if comment[0].endswith("[") else -1
    if closed < 0:
        return "", comment.start() + len(comment[0].rstrip("[").rstrip())
    return line[comment.end() : closed], closed + 1


def _words(cell: int, text: str, span: Span | None, *, whole: bool) -> Iterator[Suppression]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        yield Suppression(cell, span, whole, "", frozenset(CODES))
    for word in words:
        try:
            yield Suppression(cell, span, whole, word, frozenset(matching(word)))
        except NbsafeError as error:
            yield Suppression(cell, span, whole, word, frozenset(), error.hint)


_Place = tuple[int, int]
_STRINGS = frozenset({"STRING", "FSTRING_MIDDLE", "TSTRING_MIDDLE"})


def _string_lines(source: str) -> list[tuple[_Place, _Place]]:
    """Return where strings begin and end: what looks like a comment in one is none."""
    import io
    import tokenize

    strings: list[tuple[_Place, _Place]] = []
    # a magic, or a half-written cell, ends it: what was read until there counts
    with contextlib.suppress(tokenize.TokenError, SyntaxError):
        strings.extend(
            (token.start, token.end)
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if tokenize.tok_name[token.type] in _STRINGS
        )
    return strings


def _inside(held: list[tuple[_Place, _Place]], line: int, offset: int) -> bool:
    return any(start <= (line, offset) < end for start, end in held)
