"""The form of a data file: TOML of tables, `[section.title]` or `[section]` alone, of words.

Every value is a multi-line literal string:

    [leakage."sklearn.preprocessing"]
    transformer = '''StandardScaler Normalizer'''

The files use so little of TOML that cutting the text reads them, at a tenth of the cost of
importing a parser; a test holds this against the parser.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

Table = Mapping[str, tuple[str, ...]]
"""The words of each key of one table."""


def parse(text: str) -> list[tuple[str, str, Table]]:
    """Return the tables of one file, each after its section and its title ("" without one)."""
    return [(name, *table_of(chunk)) for name, chunk in split(text)]


def split(text: str) -> Iterator[tuple[str, str]]:
    """Yield what stands from each header to the next, after the name of its section."""
    for chunk in f"\n{text}".split("\n[")[1:]:
        yield chunk.partition("]")[0].partition(".")[0], chunk


def table_of(chunk: str) -> tuple[str, Table]:
    """Return the title and the words of each key of a chunk."""
    header, _, body = chunk.partition("]\n")
    pieces = body.split("'''")
    keys = (piece.rpartition("\n")[2].removesuffix(" = ") for piece in pieces[::2])
    table = {key: tuple(value.split()) for key, value in zip(keys, pieces[1::2], strict=False)}
    return header.partition(".")[2].strip('"'), table
