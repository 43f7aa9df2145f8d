"""The data files, one a library, read section by section."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pytest_nbsafe.libraries.word_tables import Table, split, table_of

FOLDER = Path(__file__).parent


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
    return tuple(map(table_of, _by_section().get(name, ())))


@cache
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
        for name, chunk in split(file.read_bytes().decode("utf-8").replace("\r\n", "\n")):
            chunks.setdefault(name, []).append(chunk)
    return chunks
