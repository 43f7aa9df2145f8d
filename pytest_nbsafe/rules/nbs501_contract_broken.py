"""A contract of the user's own does not hold.

Why it matters: a team knows rules that no tool has, such as "every split is stratified". A
contract states one as a query in SQL over the tables below; each row of it is a finding.

A contract is a table of the configuration. The examples below are checked with this one:

    [[tool.nbsafe.contract]]
    name = "stratified-split"
    sql = '''
        SELECT cell, line FROM calls
        WHERE target = 'sklearn.model_selection.train_test_split'
          AND call NOT IN (SELECT call FROM arguments
                           WHERE keyword IN ('stratify', '**'))
    '''
    message = "this split may leave a class out"   # without one: the row
    severity = "error"                             # or "warning", or "note"

The columns `cell` and `line` of a row say where the finding stands, `column`, `end_line` and
`end_column` more exactly; a row without a cell is at the notebook. In the message {name} stands
for that column of the row.

Limits: a contract that reads a table of a run is asked only when the notebook was run, with
`-k` of the cells that ran. `findings` holds notes and codes that are not selected too, but not
what is ignored in the configuration or silenced in the notebook, and no NBS501 or NBS907. A
query may only read, gives at most 100 findings, and is stopped after about two seconds.

Source: NBLyzer, section 3.2.4 (contracts as queries over the facts of a notebook).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.codes import Needs
from pytest_nbsafe.config import Config, is_selected
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.keys import Contract
from pytest_nbsafe.locations import NOTEBOOK
from pytest_nbsafe.rules.base import Facts, claim

if TYPE_CHECKING:
    from pytest_nbsafe.contracts.database import QueryAnswer, Value

BAD = """\
# %% [1]
from sklearn.model_selection import train_test_split
# %% [2]
train, test = train_test_split(["a", "b", "a", "b"], random_state=0) #! NBS501
"""
GOOD = """\
# %% [1]
from sklearn.model_selection import train_test_split
# %% [2]
labels = ["a", "b", "a", "b"]
train, test = train_test_split(labels, random_state=0, stratify=labels)
"""


def more() -> str:
    """Return the tables, for the end of the help text."""
    from pytest_nbsafe.contracts import schema

    return f"The tables:\n\n{schema.SCHEMA}"


def needs(config: Config) -> Needs:
    """Return whether the text decides what the contracts say ("either" when a run may add)."""
    if not config.contracts or not is_selected("NBS501", config):
        return "static"
    from pytest_nbsafe.contracts import queries

    return "either" if queries.wait_for_run(config.contracts) else "static"


def broken(facts: Facts, others: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    """Yield a finding for each row of each contract, each once.

    `others` returns what the other rules found; it is called when a contract asks.
    """
    from pytest_nbsafe.contracts import apart, database, queries
    from pytest_nbsafe.rules import contract_rows

    asked = [
        query
        for query in queries.prepared(facts.config.contracts)
        if facts.trial.has_run or not query.reads("run")
    ]
    if not asked:
        return
    read = {table for query in asked for table in query.tables}
    findings = tuple(others()) if "findings" in read else ()
    rows = {table: tuple(contract_rows.of(table, facts, findings)) for table in sorted(read)}
    for query in asked:
        try:
            tables = {table: rows[table] for table in query.tables}
            answer = apart.answer(tables, query.contract.sql)
            yield from _findings(facts, query.contract, answer)
        except database.TooMuchWorkError:
            yield _at(facts, query.contract, "its query takes too long on this notebook")
        except database.WrongQueryError as error:
            reason = f"its query fails on this notebook, SQLite says: {error}"
            yield _at(facts, query.contract, reason)


def _findings(facts: Facts, contract: Contract, answer: QueryAnswer) -> Iterator[Finding]:
    """Yield what an answer says: a finding a row, and that there is more when it was cut."""
    from pytest_nbsafe.contracts import queries

    findings: dict[Finding, None] = {}
    for values in answer.rows:
        row: dict[str, Value] = {}
        for name, value in zip(answer.columns, values, strict=True):
            row.setdefault(name, value)
        place = _place(facts, row)
        if isinstance(place, str):
            yield _at(facts, contract, f"a row of its query has {place}")
            return
        cell, where = place
        findings[_finding(facts, contract, cell, where, queries.message(contract, row))] = None
    yield from findings
    if answer.cut:
        yield _at(facts, contract, f"there are more than {len(answer.rows)} rows; the rest is cut")


def _place(facts: Facts, row: Mapping[str, object]) -> tuple[int, Span | int] | str:
    """Return where a row stands, or what of it is no place in this notebook."""
    numbers = {name: row.get(name) for name in ("cell", "line", "column", "end_line", "end_column")}
    for name, value in numbers.items():
        if value is not None and (not isinstance(value, int) or value < 0):
            return f"the {name} {value!r}, which is not a number of 1 or more"
    cell = numbers["cell"] or NOTEBOOK
    line = numbers["line"] or 1
    assert isinstance(cell, int), "checked above"
    assert isinstance(line, int), "checked above"
    if cell > len(facts.notebook.cells):
        return f"the cell {cell}, but there are {len(facts.notebook.cells)}"
    if cell and line > facts.notebook.cell(cell).source.count("\n") + 1:
        return f"the line {line}, which cell {cell} does not have"
    return cell, _span(line, numbers["column"], numbers["end_line"], numbers["end_column"])


def _span(line: int, column: object, end_line: object, end_column: object) -> Span | int:
    """Return the span, or the line alone where no column is given."""
    if not isinstance(column, int) or not column:
        return line
    if not isinstance(end_line, int) or not isinstance(end_column, int) or end_line < line:
        return Span(line, column, line, column + 1)
    return Span(line, column, end_line, end_column)


def _at(facts: Facts, contract: Contract, what: str) -> Finding:
    """Return the finding, at the notebook, that a contract could not be judged to the end."""
    return _finding(facts, contract, NOTEBOOK, 1, f"{contract.name}: {what}")


def _finding(
    facts: Facts, contract: Contract, cell: int, where: Span | int, message: str
) -> Finding:
    remedy = f"correct the notebook, or the contract {contract.name!r}"
    return claim(
        facts, "NBS501", cell, where, "proved", message, remedy=remedy, severity=contract.severity
    ).finding
