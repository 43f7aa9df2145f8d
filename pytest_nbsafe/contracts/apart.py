"""Contracts are asked in a process of its own, which is ended when one computes without end.

A contract may be a stranger's. Most of its work is counted by SQLite, but a single function of it
(`instr` of two long texts) is one step that may last for ever, and only the end of the process ends
it. The limit counts the time that the process computes, so that a busy machine answers as an idle
one.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_nbsafe.contracts import database
from pytest_nbsafe.contracts.database import QueryAnswer, QueryShape, Row, TooMuchWorkError
from pytest_nbsafe.workers import EndedError, Worker

MOST_CPU_S = 5.0
"""More than twice as long as the work that a query may do takes."""

_workers: list[Worker] = []
"""The process, once there is one."""


def shape(sql: str) -> QueryShape:
    """Return what a query reads and returns; see `database.shape`."""
    result: QueryShape = _asked(database.shape, sql)
    return result


def answer(tables: Mapping[str, Sequence[Row]], sql: str) -> QueryAnswer:
    """Return the first rows that a query gives, of tables that hold these rows.

    Raises:
        TooMuchWorkError: it reached a limit.
        WrongQueryError: SQLite cannot answer it.

    """
    result: QueryAnswer = _asked(database.answer, tables, sql)
    return result


def _asked(do: Callable[..., Any], *arguments: object) -> Any:
    if not _workers:
        _workers.append(Worker())
    try:
        return _workers[0].ask(do, *arguments, cpu_s=MOST_CPU_S)
    except EndedError as error:
        _end()
        raise TooMuchWorkError(str(error)) from error
    except BaseException:  # Ctrl-C: its answer would be taken for that of the next question
        _end()
        raise


@atexit.register
def _end() -> None:
    while _workers:
        _workers.pop().end()
