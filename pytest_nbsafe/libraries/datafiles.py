"""The data files, one a library, read section by section.

A file is TOML of tables, `[section.title]` or `[section]` alone, and every value is a multi-line
literal string of words:

    [leakage."sklearn.preprocessing"]
    transformer = '''StandardScaler Normalizer'''
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent

Table = Mapping[str, tuple[str, ...]]
"""The words of each key of one table."""


def parse(text: str) -> list[tuple[str, str, Table]]:
    """Return the tables of one file, each after its section and its title ("" without one).

    The files use so little of TOML that cutting the text reads them, at a tenth of the cost of
    importing a parser; a test holds this against the parser.
    """
    return [(name, *_table(chunk)) for name, chunk in _chunks(text)]


@cache
def section(name: str, extra: str = "") -> tuple[tuple[str, Table], ...]:
    """Return the tables of one section of all files, each after its title, by file and place.

    `extra` is the user's `[tool.nbsafe.libraries]` as JSON text; its tables come last.

    Raises:
        NbsafeError: a table of the user's is not understood.

    """
    if extra:
        from pytest_nbsafe.libraries import own_tables

        return section(name) + own_tables.read(extra).get(name, ())
    return tuple(map(_table, _by_section().get(name, ())))


def words(name: str, key: str, extra: str = "") -> frozenset[str]:
    """Return the words that the tables of a section hold under one key."""
    return frozenset(word for _, table in section(name, extra) for word in table.get(key, ()))


def phrase(name: str, key: str) -> str:
    """Return the text that a section holds under a key, "" for none."""
    return next((" ".join(table[key]) for _, table in section(name) if key in table), "")


@cache
def _by_section() -> dict[str, list[str]]:
    """Return the chunks of all files, which are cut once and parsed when a section is asked for."""
    chunks: dict[str, list[str]] = {}
    for file in sorted(FOLDER.glob("*.toml")):
        for name, chunk in _chunks(file.read_text(encoding="utf-8")):
            chunks.setdefault(name, []).append(chunk)
    return chunks


def _chunks(text: str) -> Iterator[tuple[str, str]]:
    """Yield what stands from each header to the next, after the name of its section."""
    for chunk in f"\n{text}".split("\n[")[1:]:
        yield chunk.partition("]")[0].partition(".")[0], chunk


def _table(chunk: str) -> tuple[str, Table]:
    """Return the title and the words of each key of a chunk."""
    header, _, body = chunk.partition("]\n")
    pieces = body.split("'''")
    keys = (piece.rpartition("\n")[2].removesuffix(" = ") for piece in pieces[::2])
    table = {key: tuple(value.split()) for key, value in zip(keys, pieces[1::2], strict=False)}
    return header.partition(".")[2].strip('"'), table
