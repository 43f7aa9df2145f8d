"""The tables that a contract reads: schema.sql, which says in comments what each column holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from pytest_nbsafe import patterns

Filled = Literal["text", "findings", "run"]
"""Where a table's rows come from: the text alone, what the rules found, or a run."""


class FactTable(NamedTuple):
    """One table: where its rows come from, and the names of its columns."""

    name: str
    filled: Filled
    columns: tuple[str, ...]


SCHEMA = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
"""The statements that make the tables, and the manual of them."""

_TABLE = patterns.compile(r"CREATE TABLE (\w+) \( -- (.*)\n((?:    .*\n)*)\);")
_COLUMN = patterns.compile(r"(?m)^    (\w+) ")


def _read(name: str, comment: str, body: str) -> FactTable:
    filled: Filled = "run" if comment.endswith("(of a run)") else "text"
    return FactTable(
        name, "findings" if name == "findings" else filled, tuple(_COLUMN.findall(body))
    )


TABLES: Mapping[str, FactTable] = {row[0]: _read(*row) for row in _TABLE.findall(SCHEMA)}
