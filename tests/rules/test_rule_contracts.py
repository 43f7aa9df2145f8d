"""Contracts: what each table holds, what a row becomes, and which queries are refused."""

import inspect
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from makenb import write
from rulecase import facts_of, lines, raised, run, tried

from pytest_nbsafe import toml
from pytest_nbsafe.app.explain import explain
from pytest_nbsafe.cli import main
from pytest_nbsafe.config import Config
from pytest_nbsafe.contracts import apart, database, queries, schema
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.judge.trial import Judgement
from pytest_nbsafe.keys import Contract
from pytest_nbsafe.rules import contract_rows, evaluate
from pytest_nbsafe.rules import nbs501_contract_broken as nbs501
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.trace.results import CellResult, Record

TEXT = """\
# %% [1] tags=slow,parameters
import numpy.random as r, os
from .mine import helper as h
try:
    import torch
except ImportError:
    torch = None
# %% [markdown]
Some text.
# %% [3]
r.seed(4, "a", *h, key=os.name)
def f(x, y=1):
    global seen
    import json
    seen = x
    return base + x
base = 2
#> 7
#x ValueError: no
# %% [2]
!ls -l
%matplotlib inline
z = f(base)
z += 1
"""


def asked(sql: str, facts: Facts | None = None) -> list[tuple[object, ...]]:
    """Return the rows of a query to the notebook above, or to other facts."""
    facts = facts or facts_of(TEXT)
    query = queries.prepared((Contract("q", sql),))[0]
    findings = evaluate(facts)
    rows = {table: tuple(contract_rows.of(table, facts, findings)) for table in query.tables}
    return list(apart.answer(rows, sql).rows)


def with_contract(sql: str, message: str = "", **more: str) -> Config:
    contract = Contract(more.get("name", "mine"), sql, message, more.get("severity", "error"))  # type: ignore[arg-type] # a word of the configuration
    return Config(contracts=(contract,), select=("NBS501",))


def told(sql: str, message: str = "", text: str = TEXT) -> list[str]:
    """Return what a contract finds, as "cell:line message"."""
    found = evaluate(facts_of(text, with_contract(sql, message)))
    return [f"{f.location.cell}:{f.location.line} {f.message}" for f in found]


# -- the tables ------------------------------------------------------------------------------------

ANSWERS = {
    "SELECT cell, kind, count, tags, lines, outputs, fault FROM cells": [
        (1, "code", 1, "slow,parameters", 6, 0, ""),
        (2, "markdown", None, "", 1, 0, ""),
        (3, "code", 3, "", 7, 2, ""),
        (4, "code", 2, "", 4, 0, ""),
    ],
    "SELECT source FROM cells WHERE cell = 2": [("Some text.",)],
    "SELECT line, kind, reads, writes, calls FROM statements WHERE cell = 4 AND line > 2": [
        (3, "assign", "base,f", "z", "f"),
        (4, "augmented", "z", "z", ""),
    ],
    "SELECT mutates, deletes FROM statements WHERE cell = 4 AND line = 4": [("", "")],
    "SELECT line, name, function FROM reads WHERE cell = 3": [
        (1, "h", ""),
        (1, "os", ""),
        (1, "r", ""),
        (6, "base", "f"),
    ],
    "SELECT cell, line, name, kind, certain FROM defs WHERE kind <> 'import'": [
        (1, 6, "torch", "assign", 1),
        (3, 1, "r", "mutation", 1),
        (3, 2, "f", "function", 1),
        (3, 7, "base", "assign", 1),
        (4, 3, "z", "assign", 1),
        (4, 4, "z", "augmented", 1),
    ],
    "SELECT cell, line, name, via FROM uses WHERE cell = 3": [
        (3, 1, "r", ""),
        (3, 1, "h", ""),
        (3, 1, "os", ""),
    ],
    "SELECT line, name FROM uses WHERE cell = 4": [(3, "f"), (3, "base")],
    "SELECT reader, reader_line, definer, definer_line, name FROM edges": [
        (3, 1, 1, 1, "r"),
        (3, 1, 1, 2, "h"),
        (3, 1, 1, 1, "os"),
        (4, 3, 3, 2, "f"),
        (4, 3, 3, 7, "base"),
    ],
    "SELECT cell, count, recorded FROM orders WHERE plan = 'recorded'": [
        (1, 1, 1),
        (4, 2, 1),
        (3, 3, 1),
    ],
    "SELECT cell FROM orders WHERE plan = 'top-down' ORDER BY step": [(1,), (3,), (4,)],
    "SELECT DISTINCT plan FROM orders WHERE chosen": [("recorded",)],
    "SELECT cell, line, name, module, package, attribute, level, guarded FROM imports": [
        (1, 1, "r", "numpy.random", "numpy", "", 0, 0),
        (1, 1, "os", "os", "os", "", 0, 0),
        (1, 2, "h", "mine", "", "helper", 1, 0),
        (1, 4, "torch", "torch", "torch", "", 0, 1),
        (3, 4, "json", "json", "json", "", 0, 0),
    ],
    "SELECT function FROM imports WHERE module = 'json'": [("f",)],
    "SELECT call, cell, line, callee, target FROM calls": [
        (1, 3, 1, "r.seed", "numpy.random.seed"),
        (2, 4, 3, "f", ""),
    ],
    "SELECT call, position, keyword, text, literal FROM arguments": [
        (1, 1, "", "4", 1),
        (1, 2, "", "'a'", 1),
        (1, 3, "*", "h", 0),
        (1, 4, "key", "os.name", 0),
        (2, 1, "", "base", 0),
    ],
    "SELECT cell, line, value FROM texts": [(3, 1, "a")],
    "SELECT cell, line, kind, name, text FROM magics": [
        (4, 1, "shell", "system", "ls -l"),
        (4, 2, "line-magic", "matplotlib", "inline"),
    ],
    "SELECT cell, line, name, parameters, reads, writes FROM functions": [
        (3, 2, "f", "x,y", "base", "seen"),
    ],
    "SELECT cell, position, kind, name, text, ename, evalue FROM outputs": [
        (3, 1, "stream", "stdout", "7\n", "", ""),
        (3, 2, "error", "", "", "ValueError", "no"),
    ],
}


@pytest.mark.parametrize("sql", ANSWERS)
def test_what_the_text_holds(sql: str) -> None:
    assert asked(sql) == ANSWERS[sql]


def test_a_cell_that_does_not_parse_says_why() -> None:
    facts = facts_of("# %% [1]\nx = = 1\n")
    assert asked("SELECT cell FROM cells WHERE fault <> ''", facts) == [(1,)]


RUN_TABLES = ("runs", "lineage", "verdicts")


@pytest.mark.parametrize("table", RUN_TABLES)
def test_the_tables_of_a_run_are_empty_without_one(table: str) -> None:
    assert asked(f"SELECT * FROM {table}") == []


def test_what_a_run_leaves() -> None:
    text = "# %% [1]\nimport os\na = 1\n# %% [2]\nb = a / 0\n#> 1\n"
    none: frozenset[str] = frozenset()
    records = (
        Record((1, 1), 1, 1, none, {"os": none}, {}, imports=True),
        Record((1, 2), 1, 2, none, {"a": none}, {}),
        Record((1, 3), 1, 2, frozenset({"a"}), {"b": frozenset({"a"})}, {}),
    )
    results = {
        1: CellResult(1, 1, "ok", records=records, duration_s=0.25),
        **raised(2, "ZeroDivisionError", "division by zero"),
    }
    judgement = Judgement(2, "differs", "1", "2", {"a": "same"})
    facts = tried(facts_of(text), results, judgements=[judgement])
    assert asked("SELECT step, cell, status, ename, line FROM runs WHERE run = 'clean'", facts) == [
        (1, 1, "ok", "", None),
        (2, 2, "raised", "ZeroDivisionError", 1),
    ]
    assert asked("SELECT run, count(*) FROM runs GROUP BY run", facts) == [
        ("clean", 2),
        ("replay", 2),
    ]
    assert asked("SELECT duration_s FROM runs WHERE cell = 1 AND run = 'clean'", facts) == [(0.25,)]
    assert asked("SELECT * FROM lineage WHERE run = 'clean'", facts) == [
        ("clean", "os", 1, 1, 1, 1, None, None, None, 1),
        ("clean", "a", 1, 2, 1, 2, None, None, None, 0),
        ("clean", "b", 1, 3, 1, 2, "a", 1, 1, 0),
    ]
    assert asked("SELECT * FROM verdicts", facts) == [
        (2, None, "differs", "1", "2"),
        (2, "a", "same", "", ""),
    ]


def test_text_that_no_encoding_has_and_giant_numbers_are_held() -> None:
    facts = facts_of("# %% [99999999999999999999]\nx = 'a'\n# %%\ny = 1\n")
    assert asked("SELECT count FROM cells WHERE cell = 1", facts) == [(99999999999999999999.0,)]
    assert database._held("\ud800é") == "\\ud800é"


# -- the documentation -----------------------------------------------------------------------------


def test_the_manual_shows_each_column_of_each_table() -> None:
    text = explain("NBS501")
    for table in schema.TABLES.values():
        _, _, rest = text.partition(f"\nCREATE TABLE {table.name} ( -- ")
        body, _, _ = rest.partition("\n);")
        described = [line.split()[0] for line in body.split("\n")[1:] if " -- " in line]
        assert tuple(described) == table.columns != ()


def test_each_table_is_made_with_its_columns() -> None:
    connection = sqlite3.connect(":memory:")
    connection.executescript(schema.SCHEMA)
    rows = connection.execute("SELECT name FROM sqlite_master").fetchall()
    assert {name for (name,) in rows} == set(schema.TABLES)
    for name, table in schema.TABLES.items():
        columns = connection.execute(f"PRAGMA table_info({name})").fetchall()
        assert tuple(column[1] for column in columns) == table.columns
    connection.close()


def test_the_rows_fit_the_columns() -> None:
    for name, table in schema.TABLES.items():
        columns = ", ".join(table.columns)
        assert asked(f"SELECT {columns} FROM {name} WHERE 0") == []
        for row in contract_rows.of(name, facts_of(TEXT), ()):
            assert len(row) == len(table.columns)


def test_the_example_of_the_manual() -> None:
    shown = (nbs501.__doc__ or "").split("with this one:\n")[1].split("The columns")[0]
    (table,) = toml.loads(inspect.cleandoc(shown))["tool"]["nbsafe"]["contract"]
    config = Config(contracts=(Contract(**table),), select=("NBS501",))
    assert lines(evaluate(facts_of(nbs501.BAD, config))) == ["NBS501 2:1 proved error"]
    assert evaluate(facts_of(nbs501.GOOD, config)) == ()


# -- from rows to findings -------------------------------------------------------------------------


def test_a_row_is_told_where_it_says() -> None:
    assert told("SELECT cell, line FROM calls") == [
        "3:1 mine: it does not hold",
        "4:3 mine: it does not hold",
    ]
    assert told("SELECT count(*) AS n, NULL AS what FROM calls") == ["0:1 mine: n = 2, what = NULL"]
    assert told("SELECT Cell, 'a  b\nc' AS t FROM calls LIMIT 1") == ["3:1 mine: t = a b c"]


def test_a_row_may_say_more_of_its_place() -> None:
    found = evaluate(facts_of(TEXT, with_contract("SELECT * FROM calls WHERE cell = 4")))
    place = found[0].location
    assert (place.line, place.column, place.end_line, place.end_column) == (3, 5, 3, 12)
    found = evaluate(facts_of(TEXT, with_contract("SELECT 4 AS cell, 3 AS line, 5 AS column")))
    assert (found[0].location.end_line, found[0].location.end_column) == (3, 6)


def test_findings_are_complete() -> None:
    (found,) = evaluate(facts_of(TEXT, with_contract("SELECT 4 AS cell, 3 AS line")))
    assert (found.verdict, found.severity, found.count, found.anchor) == (
        "proved",
        "error",
        2,
        "z = f(base)",
    )


@pytest.mark.parametrize("severity", ["error", "warning", "note"])
def test_the_contract_says_how_severe_it_is(severity: str) -> None:
    (found,) = evaluate(facts_of(TEXT, with_contract("SELECT 1 AS cell", severity=severity)))
    assert found.severity == severity


def test_a_baseline_tells_contracts_apart_by_their_names() -> None:
    contracts = (Contract("a", "SELECT 3 AS cell"), Contract("b: c", "SELECT 3 AS cell, 1 AS n"))
    found = evaluate(facts_of(TEXT, Config(contracts=contracts, select=("NBS501",))))
    again = evaluate(facts_of(TEXT, with_contract("SELECT 3 AS cell, 2 AS n", name="b: c")))
    assert [f.location for f in found] == [again[0].location] * 2
    assert [f.fingerprint == again[0].fingerprint for f in found] == [False, True]


def test_rows_that_say_the_same_are_one_finding() -> None:
    assert len(told("SELECT 3 AS cell FROM calls")) == 1


def test_the_message_is_filled_from_the_row() -> None:
    sql = "SELECT cell, module AS Module FROM imports WHERE cell = 3"
    assert told(sql, "no {module} in cell { CELL }, {{please}}") == [
        "3:1 mine: no json in cell 3, {please}"
    ]


def test_of_two_columns_with_one_name_the_first_counts() -> None:
    assert told("SELECT 3 AS cell, 'a' AS t, 4 AS cell, 'b' AS t") == ["3:1 mine: t = a"]


def test_a_long_value_is_cut() -> None:
    (message,) = told("SELECT printf('%.500c', 'x') AS t", "{t}")
    assert message == f"0:1 mine: {'x' * 119}…"


NO_NUMBER = "which is not a number of 1 or more"


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELECT 5 AS cell", "a row of its query has the cell 5, but there are 4"),
        ("SELECT 'x' AS cell", f"a row of its query has the cell 'x', {NO_NUMBER}"),
        ("SELECT -1 AS line", f"a row of its query has the line -1, {NO_NUMBER}"),
        (
            "SELECT 2 AS cell, 9 AS line",
            "a row of its query has the line 9, which cell 2 does not have",
        ),
        (
            "SELECT abs(-9223372036854775807 - cell) AS n FROM cells",
            "its query fails on this notebook, SQLite says: integer overflow",
        ),
        (
            "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT max(x) FROM r",
            "its query takes too long on this notebook",
        ),
    ],
)
def test_a_contract_that_cannot_be_judged_says_so_at_the_notebook(sql: str, says: str) -> None:
    assert told(sql) == [f"0:1 mine: {says}"]


_TEXT = "printf('%.*c', {}, '{}')"
_SEARCHES = [
    f"instr({_TEXT.format(900_000, 'a')}, {_TEXT.format(400_000 + n, 'a')} || 'b')"
    for n in range(9)
]


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param(
            "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 30000000) "
            "SELECT n FROM r ORDER BY n DESC",
            marks=pytest.mark.corpus,
        ),
        pytest.param(f"SELECT {' + '.join(_SEARCHES)} AS n", marks=pytest.mark.corpus),
        f"SELECT replace({_TEXT.format(900000, 'a')}, 'a', {_TEXT.format(900000, 'b')}) AS n",
        pytest.param("SELECT printf('%.*c', 2000000000, 'a') AS n", marks=pytest.mark.corpus),
        (
            "WITH RECURSIVE r(n, t) AS (SELECT 1, 'ab' UNION ALL SELECT n + 1, t || t FROM r) "
            "SELECT max(length(t)) AS n FROM r"
        ),
    ],
    ids=["a sort that fills memory", "instr", "replace", "a long text", "one that doubles"],
)
def test_a_contract_that_wants_too_much_is_stopped(sql: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (only,) = told(sql)
    refused = ("takes too long", "too big", "out of memory", "n = NULL")
    assert any(reason in only for reason in refused)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000
    assert told("SELECT 1 AS cell") == ["1:1 mine: it does not hold"]  # the next is answered


def test_the_rows_of_an_answer_are_cut_by_their_length_too() -> None:
    sql = f"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 9) \
SELECT n, {_TEXT.format(300000, 'a')} AS t FROM r"
    answers = told(sql)
    assert answers[-1] == "0:1 mine: there are more than 3 rows; the rest is cut"
    assert max(map(len, answers)) < 200


def test_an_endless_answer_is_cut() -> None:
    sql = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r"
    found = told(sql)
    assert found[:2] == ["0:1 mine: n = 1", "0:1 mine: n = 2"]
    assert found[-1] == "0:1 mine: there are more than 100 rows; the rest is cut"
    assert len(found) == database.MOST_ROWS + 1


def test_one_contract_that_fails_leaves_the_others() -> None:
    contracts = (Contract("a", "SELECT 9 AS cell"), Contract("b", "SELECT 1 AS cell"))
    found = evaluate(facts_of(TEXT, Config(contracts=contracts, select=("NBS501",))))
    assert [f.message[:2] for f in found] == ["a:", "b:"]


# -- with the other rules --------------------------------------------------------------------------

FAULTY = "# %% [1]\nprint(w)\n# %%\nx = 1\n# %% [2]\nprint(v)  # nbsafe: ignore[NBS101]\n"
"""Two undefined names, of which one is silenced, and a cell that was never run."""


def broken(config: Config, text: str = FAULTY) -> list[str]:
    found = evaluate(facts_of(text, config))
    return [f.message for f in found if f.code == "NBS501"]


def test_findings_are_those_of_the_other_rules() -> None:
    sql = "SELECT cell, code, severity FROM findings WHERE code IN ('NBS101', 'NBS107')"
    held = ["mine: code = NBS101, severity = error", "mine: code = NBS107, severity = note"]
    assert broken(with_contract(sql)) == held  # though only NBS501 is selected
    contract = with_contract(sql).contracts
    assert broken(Config(contracts=contract)) == held
    assert broken(Config(contracts=contract, ignore=("NBS1",))) == held
    assert broken(Config(contracts=contract, ignore=("NBS107",))) == held[:1]


def test_a_contract_can_be_silenced_and_switched_off() -> None:
    silenced = "# %% [1]\nx = 1  # nbsafe: ignore[NBS501]\n"
    plain = "# %% [1]\nx = 1\n"
    config = with_contract("SELECT cell, line FROM statements")
    assert broken(config, silenced) == []
    assert broken(config, plain) == ["mine: it does not hold"]
    assert broken(Config(contracts=config.contracts, ignore=("NBS501",)), plain) == []
    assert broken(config, "# %% [1] tags=nbsafe:skip\nx = 1\n") == []


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT cell FROM statements WHERE 0", ["NBS907 1:1 proved warning"]),
        ("SELECT cell FROM runs WHERE 0", []),  # a run may still use it
        ("SELECT cell FROM findings WHERE 0", []),
    ],
)
def test_a_suppression_of_a_contract_that_holds_is_unused(sql: str, expected: list[str]) -> None:
    config = Config(contracts=(Contract("c", sql),))
    assert lines(evaluate(facts_of("# %% [1]\nx = 1  # nbsafe: ignore[NBS501]\n", config))) == (
        expected
    )


def test_a_contract_about_a_run_waits_for_one() -> None:
    config = with_contract("SELECT cell FROM cells WHERE cell NOT IN (SELECT cell FROM runs)")
    facts = facts_of("# %% [1]\nx = 1\n# %% [markdown]\nText.\n", config)
    assert evaluate(facts) == ()
    assert lines(evaluate(tried(facts))) == ["NBS501 2:1 proved error"]


@pytest.mark.parametrize(
    ("sql", "ignore", "needed"),
    [
        ("SELECT cell FROM runs", (), "either"),
        ("SELECT cell FROM findings", (), "either"),
        ("SELECT cell FROM cells", (), "static"),
        ("SELECT cell FROM runs", ("NBS501",), "static"),
    ],
)
def test_what_contracts_need(sql: str, ignore: tuple[str, ...], needed: str) -> None:
    assert nbs501.needs(Config(contracts=(Contract("c", sql),), ignore=ignore)) == needed


# -- queries that are refused ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELECT * FROM cels", r"no such table: cels \(did you mean cells\?"),
        ("SELECT c.sell FROM cells c", r"no such column: c.sell \(did you mean cell\?"),
        ("SELECT * FROM cells WHERE", r"incomplete input \(see the tables in"),
        ("DELETE FROM cells", "does not begin with SELECT"),
        ("PRAGMA table_list", "does not begin with SELECT"),
        ("ATTACH 'x.db' AS x", "does not begin with SELECT"),
        ("QUERY PLAN SELECT 1", "does not begin with SELECT"),
        ("-- only a comment", "does not begin with SELECT"),
        ("WITH r AS (SELECT 1) DELETE FROM cells", "not authorized .a contract is one query"),
        ("WITH r AS (SELECT 1) INSERT INTO cells(cell) SELECT 1", "not authorized"),
        ("SELECT 1; DELETE FROM cells", "one statement at a time"),
        ("SELECT * FROM sqlite_master", "prohibited"),
        ("SELECT * FROM pragma_database_list", "not authorized"),
        ("SELECT load_extension('x')", "not authorized to use function: load_extension"),
        ("SELECT random()", "not authorized to use function: random"),
        ("SELECT ?", "bindings"),
        ("SELECT 1 \x00", "null character"),
    ],
)
def test_a_wrong_query_is_misuse(sql: str, says: str) -> None:
    with pytest.raises(NbsafeError, match=f"^contract 'mine': .*{says}") as caught:
        queries.prepared((Contract("mine", sql),))
    assert caught.value.slug == "bad-contract"


@pytest.mark.parametrize(
    "sql",
    [
        "/* a\n */ -- b\nselect cell from cells; -- c",
        "VALUES (1)",
        "WITH cells AS (SELECT 1 AS cell) SELECT * FROM cells;",
        "SELECT 1 UNION SELECT cell FROM cells ORDER BY 1 LIMIT 3",
    ],
)
def test_what_only_reads_is_asked(sql: str) -> None:
    assert asked(sql) != []


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ("{cel}", r"names {cel}, which is not a column of its sql \(did you mean cell\?\)"),
        ("{zzz}", r"\(its columns: cell, kind\)"),
        ("{}", "names {}"),
        ("{kind!r}", "names {kind!r}"),
        ("50 {", "single brace"),
        ("} 50", "single brace"),
    ],
)
def test_a_wrong_message_is_misuse(message: str, says: str) -> None:
    with pytest.raises(NbsafeError, match=says):
        queries.prepared((Contract("mine", "SELECT cell, kind FROM cells", message),))


def test_only_the_tables_that_are_read_are_filled() -> None:
    read = [
        query.tables
        for query in queries.prepared(
            (
                Contract("a", "SELECT 'calls' FROM cells"),
                Contract("b", "SELECT count(*) FROM runs"),
                Contract("c", "WITH runs AS (SELECT 1) SELECT * FROM runs, edges AS uses"),
            )
        )
    ]
    assert read == [{"cells"}, {"runs"}, {"edges"}]


def test_a_database_cannot_be_written() -> None:
    filled = database.filled({"cells": []})
    try:
        for sql in ("DELETE FROM cells", "CREATE TABLE x (y)", "ATTACH ':memory:' AS x"):
            with pytest.raises(database.WrongQueryError, match="not authorized"):
                database.ask(filled, sql)
    finally:
        filled.close()


# -- run -------------------------------------------------------------------------------------------


def messages(found: tuple[Finding, ...]) -> list[str]:
    return [f"{f.location.cell}:{f.location.line} {f.message}" for f in found if f.code == "NBS501"]


@pytest.mark.kernel
def test_a_run_fills_runs_and_lineage(tmp_path: Path) -> None:
    contracts = [
        {
            "name": "raw",
            "sql": "SELECT cell, line, name FROM lineage WHERE parent = 'raw' AND run = 'clean'",
            "message": "{name} is made of raw",
        },
        {"name": "ran", "sql": "SELECT cell, status FROM runs WHERE run = 'clean'"},
        {"name": "reads", "sql": "SELECT cell, name FROM verdicts WHERE verdict = 'differs'"},
    ]
    text = "# %% [1]\nraw = [1]\n# %% [2]\ny = len(raw)\nz = y\nprint(z)\n#> 2\n"
    assert messages(run(text, tmp_path, contract=contracts)) == [
        "1:1 ran: status = ok",
        "2:1 raw: y is made of raw",
        "2:1 ran: status = ok",
        "2:1 reads: name = NULL",
    ]


# -- end to end ------------------------------------------------------------------------------------

PYPROJECT = """\
[[tool.nbsafe.contract]]
name = "no-os"
sql = "SELECT cell, line, column, end_line, end_column FROM imports WHERE package = 'os'"
message = "os is not for notebooks"
"""


def test_the_command_line_tells_and_exits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "nb.ipynb", "# %% [1]\nimport os\nprint(os.name)\n")
    config = tmp_path / "pyproject.toml"
    config.write_text(PYPROJECT, encoding="utf-8")
    assert main(["check"]) == 1
    out = capsys.readouterr().out
    assert out.startswith(
        "nb.ipynb:cell 1:line 1  error NBS501 contract-broken (proved)  no-os: os"
    )
    config.write_text(PYPROJECT.replace("imports", "import_s"), encoding="utf-8")
    assert main(["check"]) == 2
    assert capsys.readouterr().err == (
        "nbsafe: error: contract 'no-os': SQLite says: no such table: import_s "
        "(did you mean imports? see the tables in `nbsafe explain NBS501`)\n"
    )


def test_what_was_not_selected_is_found_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "nb.ipynb", "# %% [1]\nimport sklearn\nprint(sklearn.__version__)\n")
    text = """\
[project]
dependencies = ["pandas"]
[[tool.nbsafe.contract]]
name = "declared"
sql = "SELECT cell, line, code FROM findings"
severity = "warning"
"""
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    assert main(["check", "--select", "NBS501"]) == 0
    assert "(proved)  declared: code = NBS408\n" in capsys.readouterr().out


def test_sqlite_is_imported_only_for_contracts(tmp_path: Path) -> None:
    write(tmp_path / "nb.ipynb", "# %% [1]\nimport os\n")
    script = """\
import sys
from pytest_nbsafe.cli import main
main(["check"])
print("sqlite3" in sys.modules)
"""
    for text, imported in (("[tool.nbsafe]\n", "False"), (PYPROJECT, "True")):
        (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout.split("\n")[-2] == imported


# -- contracts that a team may want ----------------------------------------------------------------

USEFUL = {
    "no cell imports all of a module": (
        "SELECT cell, line FROM imports WHERE attribute = '*'",
        "# %% [1]\nfrom os import *\nfrom sys import path\n",
        ["1:1"],
    ),
    "no cell is longer than two lines": (
        "SELECT cell, lines FROM cells WHERE kind = 'code' AND lines > 2",
        "# %% [1]\na = 1\n# %% [2]\nb = 1\nc = 2\nd = 3\n",
        ["2:1"],
    ),
    "each import is used": (
        (
            "SELECT cell, line FROM imports"
            " WHERE function = '' AND name <> '*' AND name NOT IN (SELECT name FROM reads)"
        ),
        "# %% [1]\nimport os, sys\nimport json\n# %% [2]\ndef f():\n    return os.name\nsys.path\n",
        ["1:2"],
    ),
    "each file is read in the first cell of code": (
        (
            "SELECT cell, line FROM calls WHERE target LIKE 'pandas.read_%'"
            " AND cell > (SELECT min(cell) FROM cells WHERE kind = 'code')"
        ),
        "# %% [1]\nimport pandas as pd\npd.read_csv('a')\n# %% [2]\nx = 1\npd.read_csv('b')\n",
        ["2:2"],
    ),
    "no error is saved": (
        "SELECT cell, ename FROM outputs WHERE kind = 'error'",
        "# %% [1]\n1\n# %% [2]\n1 / 0\n#x ZeroDivisionError: division by zero\n",
        ["2:1"],
    ),
    "the page begins with a title": (
        (
            "SELECT 1 AS cell WHERE NOT EXISTS"
            " (SELECT 1 FROM cells WHERE cell = 1 AND kind = 'markdown' AND source LIKE '# %')"
        ),
        "# %% [1]\na = 1\n",
        ["1:1"],
    ),
    "each cell was run": (
        "SELECT cell FROM cells WHERE kind = 'code' AND count IS NULL AND source <> ''",
        "# %% [1]\na = 1\n# %%\nb = 1\n",
        ["2:1"],
    ),
    "no token stands in the text": (
        "SELECT cell, line FROM texts WHERE value GLOB 'ghp_*'",
        "# %% [1]\na = 1\nb = 'ghp_0123'\n",
        ["1:2"],
    ),
}


@pytest.mark.parametrize("name", USEFUL)
def test_useful_contracts(name: str) -> None:
    sql, text, expected = USEFUL[name]
    assert [line.partition(" ")[0] for line in told(sql, text=text)] == expected
