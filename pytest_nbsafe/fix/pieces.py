"""Pieces of a cell's text, put in the place of others."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_nbsafe.analysis.model import Span


def piece(source: str, span: Span) -> str:
    """Return the text of a span, "" where it goes over several lines."""
    if span.line != span.end_line:
        return ""
    return source.split("\n")[span.line - 1][span.column - 1 : span.end_column - 1]


def with_pieces(source: str, news: Iterable[tuple[Span, str]]) -> str:
    """Return a source with new texts for spans of single lines that do not overlap."""
    lines = source.split("\n")
    for span, new in sorted(news, key=lambda each: (each[0].line, each[0].column), reverse=True):
        line = lines[span.line - 1]
        lines[span.line - 1] = line[: span.column - 1] + new + line[span.end_column - 1 :]
    return "\n".join(lines)
