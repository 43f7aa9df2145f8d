"""The tables that a contract reads: each column with its meaning, as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

Filled = Literal["text", "findings", "run"]
"""Where a table's rows come from: the text alone, what the rules found, or a run."""


class Column(NamedTuple):
    """One column: its name, its type in SQLite, and what it holds."""

    name: str
    type: str
    says: str


class Table(NamedTuple):
    """One table: what a row of it is, where the rows come from, and its columns."""

    name: str
    says: str
    filled: Filled
    columns: tuple[Column, ...]


def _int(name: str, says: str) -> Column:
    return Column(name, "INTEGER", says)


def _text(name: str, says: str) -> Column:
    return Column(name, "TEXT", says)


def _real(name: str, says: str) -> Column:
    return Column(name, "REAL", says)


_CELL = _int("cell", "the cell's number on the page, from 1")
_LINE = _int("line", "the line in the cell, from 1")
_PLACE = (
    _CELL,
    _LINE,
    _int("column", "the column in the line, from 1"),
    _int("end_line", "the line where it ends"),
    _int("end_column", "one past its last column"),
)
_FUNCTION = _text("function", "the function it stands in, empty outside of functions")
_RUN = _text("run", "clean (top-down), replay (the recorded or inferred order), or second")
_STEP = _int("step", "the step in the order, from 1")

_TABLES = (
    Table(
        "cells",
        "each cell of the page",
        "text",
        (
            _CELL,
            _text("kind", "code, markdown or raw"),
            _text("id", "its id in the file"),
            _int("count", "its recorded count, NULL without one"),
            _text("tags", "its tags, with commas between"),
            _text("source", "its text"),
            _int("lines", "how many lines the text has"),
            _int("outputs", "how many outputs are saved with it"),
            _text("fault", "why it does not parse, empty when it does"),
        ),
    ),
    Table(
        "statements",
        "each statement outside of functions; of a compound one its head",
        "text",
        (
            *_PLACE,
            _text("kind", "assign, import, function, ..., empty when it defines nothing"),
            _text("reads", "the names it reads, with commas between"),
            _text("writes", "the names it binds"),
            _text("mutates", "the names whose object it changes in place"),
            _text("deletes", "the names it deletes"),
            _text("calls", "the names it calls"),
        ),
    ),
    Table(
        "reads",
        "each name that a statement, or the body of a function, reads",
        "text",
        (
            _CELL,
            _LINE,
            _text("name", "the name"),
            _text("function", "the function whose body reads it, empty for a statement"),
        ),
    ),
    Table(
        "defs",
        "each place that binds, deletes or changes a name of the notebook",
        "text",
        (
            *_PLACE,
            _text("name", "the name"),
            _text("kind", "assign, import, function, loop, mutation, delete, ..."),
            _int("certain", "1 when each run of the cell passes here or binds it elsewhere"),
        ),
    ),
    Table(
        "uses",
        "each name that a cell needs from other cells, at its first read",
        "text",
        (
            *_PLACE,
            _text("name", "the name"),
            _int("certain", "1 when each run of the cell reads it"),
            _int("guarded", "1 when it may be missing here"),
            _text("via", "the function whose body reads it, empty for the cell's own text"),
        ),
    ),
    Table(
        "edges",
        "each name that a cell reads as another cell left it, in page order",
        "text",
        (
            _int("reader", "the cell that reads"),
            _int("reader_line", "the line that reads"),
            _int("definer", "the cell that it reads from"),
            _int("definer_line", "the line there"),
            _text("name", "the name"),
            _text("cause", "the same as a sentence"),
        ),
    ),
    Table(
        "orders",
        "each step of each order",
        "text",
        (
            _text("plan", "recorded, inferred or top-down"),
            _int("chosen", "1 in the order that is replayed"),
            _STEP,
            _CELL,
            _int("count", "the count that the step stands for, or NULL"),
            _int("session", "the session, from 1"),
            _int("recorded", "1 when the page records this run, 0 when it is inferred"),
            _text("reason", "why the cell runs here"),
        ),
    ),
    Table(
        "imports",
        "each name that an import binds",
        "text",
        (
            *_PLACE,
            _text("name", "the name bound, * for all"),
            _text("module", "the dotted module"),
            _text("package", "its first part, empty for a relative import"),
            _text("attribute", "what is taken from it, empty for `import module`"),
            _int("level", "the dots of a relative import"),
            _int("guarded", "1 when a missing module is expected"),
            _FUNCTION,
        ),
    ),
    Table(
        "calls",
        "each call",
        "text",
        (
            _int("call", "its number in the notebook, which `arguments` refers to"),
            *_PLACE,
            _text("callee", "what is called, as written"),
            _text("target", "the same through the imports: numpy.random.seed; empty if unknown"),
            _FUNCTION,
        ),
    ),
    Table(
        "arguments",
        "each argument of each call",
        "text",
        (
            _int("call", "the call, as in `calls`"),
            _CELL,
            _int("position", "its place among the arguments, from 1"),
            _text("keyword", "its keyword; empty without one, * or ** for what is unpacked"),
            _text("text", "a literal or a dotted name as written, empty for all else"),
            _int("literal", "1 for a literal"),
        ),
    ),
    Table(
        "texts",
        "each text constant, docstrings left out",
        "text",
        (*_PLACE, _text("value", "the text"), _FUNCTION),
    ),
    Table(
        "magics",
        "each magic and each shell command",
        "text",
        (
            _CELL,
            _LINE,
            _text("kind", "line-magic, cell-magic, shell, help, assign-shell, ..."),
            _text("name", "the magic's name"),
            _text("text", "its arguments, or the command"),
        ),
    ),
    Table(
        "functions",
        "each function and class of the notebook",
        "text",
        (
            *_PLACE,
            _text("name", "its name"),
            _text("parameters", "its parameters, with commas between"),
            _text("reads", "the names of the notebook that its body reads"),
            _text("writes", "the names that it declares global and binds"),
            _text("calls", "the names of the notebook that it calls"),
        ),
    ),
    Table(
        "outputs",
        "each saved output",
        "text",
        (
            _CELL,
            _int("position", "its place among the cell's outputs, from 1"),
            _text("kind", "stream, display_data, execute_result or error"),
            _text("name", "stdout or stderr of a stream"),
            _text("text", "its text, or its plain form"),
            _text("ename", "the class of an error"),
            _text("evalue", "the message of an error"),
        ),
    ),
    Table(
        "findings",
        "what the rules found: notes too, without what is ignored or silenced in the notebook",
        "findings",
        (
            _text("code", "NBS101"),
            _text("name", "undefined-name"),
            _text("severity", "error, warning or note"),
            _text("verdict", "proved, observed, confirmed or suspected"),
            _int("cell", "the cell, NULL for the notebook as a whole"),
            _LINE,
            _int("column", "the column, from 1"),
            _text("message", "what it says"),
        ),
    ),
    Table(
        "runs",
        "each run of a cell",
        "run",
        (
            _RUN,
            _STEP,
            _CELL,
            _text("status", "ok, raised, timed-out, died, skipped or not-reached"),
            _text("ename", "the class of what it raised, empty if nothing"),
            _text("evalue", "its message"),
            _int("line", "the line that failed, NULL if none"),
            _text("reason", "why it was skipped"),
            _real("duration_s", "seconds by the clock"),
            _real("cpu_s", "seconds of the processor"),
        ),
    ),
    Table(
        "lineage",
        "each version of a name: one row a parent, one with NULL as parent without any",
        "run",
        (
            _RUN,
            _text("name", "the name"),
            _STEP,
            _int("statement", "the statement in that run, from 1"),
            _CELL,
            _LINE,
            _text("parent", "a name that the value was made from, or NULL"),
            _int("parent_cell", "the cell that had made it"),
            _int("parent_step", "the step that had made it"),
            _int("imported", "1 when an import bound the name"),
        ),
    ),
    Table(
        "verdicts",
        "what the clean run says of a cell's saved output, and of the values it read",
        "run",
        (
            _CELL,
            _text("name", "the name that was read, NULL for the saved output"),
            _text("verdict", "same, differs, drift, nondeterministic or nothing-to-compare"),
            _text("saved", "the first line of the saved output that differs"),
            _text("clean", "that line of the clean run"),
        ),
    ),
)

TABLES: Mapping[str, Table] = {table.name: table for table in _TABLES}


def statements() -> Iterator[str]:
    """Yield the CREATE TABLE of each table."""
    for table in _TABLES:
        columns = ", ".join(f'"{column.name}" {column.type}' for column in table.columns)
        yield f'CREATE TABLE "{table.name}" ({columns})'


def manual() -> str:
    """Return the tables and their columns with what they hold, as `nbsafe explain` shows them."""
    return "\n\n".join(_entry(table) for table in _TABLES)


def _entry(table: Table) -> str:
    run = " (of a run)" if table.filled == "run" else ""
    wide = max(len(column.name) for column in table.columns)
    columns = (f"    {column.name:{wide}}  {column.says}" for column in table.columns)
    return "\n".join((f"{table.name}: {table.says}{run}", *columns))
