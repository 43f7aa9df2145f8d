"""Contracts made ready: each query proved against the tables, each message against the query."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from pytest_nbsafe.contracts.schema import TABLES
from pytest_nbsafe.errors import NbsafeError, nearest, suggestion
from pytest_nbsafe.keys import Contract

_SELECT = re.compile(
    r"(?:\s|--[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/)*(?:select|with|values)\b",
    re.IGNORECASE | re.DOTALL,
)
_MISSING = re.compile(r"no such (table|column): (?:\w+\.)?(\S+)")
_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_SHOWN = 120
"""A longer value is cut short in a message."""
_PLACES = ("cell", "line", "column", "end_line", "end_column")
"""The columns that say where a row stands."""


class Query(NamedTuple):
    """A contract, and the tables that its query reads."""

    contract: Contract
    tables: frozenset[str]

    def reads(self, *filled: str) -> bool:
        """Return whether it reads a table that is filled from one of these."""
        return any(TABLES[table].filled in filled for table in self.tables)


@lru_cache(maxsize=64)
def prepared(contracts: tuple[Contract, ...]) -> tuple[Query, ...]:
    """Return the contracts, each with what it reads.

    Raises:
        NbsafeError: a query or a message is wrong; SQLite's own words say how.

    """
    return tuple(map(_prepared, contracts))


def wait_for_run(contracts: tuple[Contract, ...]) -> bool:
    """Return whether a run may add to what the contracts say.

    Raises:
        NbsafeError: as for `prepared`.

    """
    return any(query.reads("run", "findings") for query in prepared(contracts))


def message(contract: Contract, row: Mapping[str, object]) -> str:
    """Return what a row has to say: the contract's message filled from it, else the row."""
    if contract.message:
        text = _BRACES.sub(lambda brace: _filled(brace, row), contract.message)
    else:
        values = [(name, value) for name, value in row.items() if name not in _PLACES]
        text = ", ".join(f"{name} = {_shown(value)}" for name, value in values)
        text = text or "it does not hold"
    return f"{contract.name}: {text}"


def _prepared(contract: Contract) -> Query:
    try:
        from pytest_nbsafe.contracts import apart, database
    except ImportError as error:
        reason = "contracts need the module sqlite3, which this Python is built without"
        raise NbsafeError("no-sqlite", reason, "use another build of Python") from error
    if not _SELECT.match(contract.sql):
        raise _bad(contract, "its sql does not begin with SELECT, WITH or VALUES", _READS_ONLY)
    try:
        shape = apart.shape(contract.sql)
    except database.TooMuchWorkError:
        raise _bad(contract, "SQLite takes too long to understand its sql", _READS_ONLY) from None
    except database.WrongQueryError as error:
        raise _bad(contract, f"SQLite says: {error}", _hint(str(error))) from error
    _check_message(contract, shape.columns)
    return Query(contract, shape.tables)


_READS_ONLY = "a contract is one query that only reads; each row it gives is a fault"
_MANUAL = "see the tables in `nbsafe explain NBS501`"


def _bad(contract: Contract, what: str, hint: str) -> NbsafeError:
    return NbsafeError("bad-contract", f"contract {contract.name!r}: {what}", hint)


def _hint(message: str) -> str:
    """Return what to do about SQLite's message: the nearest table or column, where one is near."""
    missing = _MISSING.match(message)
    if missing is None:
        reads = "not authorized" in message or "prohibited" in message or "one statement" in message
        return _READS_ONLY if reads else _MANUAL
    known = [column for table in TABLES.values() for column in table.columns]
    near = nearest(missing[2].lower(), TABLES if missing[1] == "table" else known)
    return f"did you mean {near}? {_MANUAL}" if near else _MANUAL


# -- messages --------------------------------------------------------------------------------------


def _check_message(contract: Contract, columns: tuple[str, ...] | None) -> None:
    for brace in _BRACES.finditer(contract.message):
        if brace[0] in {"{", "}"}:
            raise _bad(contract, "its message has a single brace", "write {{ or }} for a brace")
        name = (brace[1] or "").strip().lower()
        if brace[1] is None or columns is None or name in columns:
            continue
        hint = suggestion(name, columns, f"its columns: {', '.join(columns)}")
        fault = f"its message names {brace[0]}, which is not a column of its sql"
        raise _bad(contract, fault, hint)


def _filled(brace: re.Match[str], row: Mapping[str, object]) -> str:
    if brace[1] is None:
        return brace[0][0]
    name = brace[1].strip().lower()
    return _shown(row[name]) if name in row else brace[0]


def _shown(value: object) -> str:
    text = "NULL" if value is None else " ".join(str(value).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
