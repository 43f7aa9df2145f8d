"""Sessions that a stranger made: each is refused in one line, and soon."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from pytest_nbsafe.cli import main
from pytest_nbsafe.replay import history_database, history_file

TABLE = "CREATE TABLE history (session integer, line integer, source, source_raw)"


def row(line: str, text: str, session: str = "1") -> str:
    return f"INSERT INTO history VALUES ({session}, {line}, '', {text})"


ROW = row("1", "'x = 1'")
COUNTED = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) "
RUNS = "INSERT INTO history SELECT 1, i, '', 'x' FROM n"
ENDLESS = f"{COUNTED.format('i + 2')} SELECT 1 session, i line, '' source, 'x' source_raw FROM n"
COMPUTED = "CREATE TABLE history (session, line, source_raw AS (hex(zeroblob(4000))))"
MEGABYTE = "printf('%s%s', {}, hex(zeroblob(400000)))"
DATABASES = {
    "a-view": ([f"CREATE VIEW history AS {ENDLESS}"], "no table of runs"),
    "a-virtual-table": (["CREATE VIRTUAL TABLE history USING fts5(session, line)"], "no table of"),
    "computed": ([COMPUTED, "INSERT INTO history VALUES (1, 1)"], "no table of runs"),
    "a-trigger": ([TABLE, f"CREATE TRIGGER t AFTER INSERT ON history BEGIN {ROW}; END"], "no runs"),
    "a-giant-text": ([TABLE, row("1", "hex(zeroblob(600000))")], "line 1 has more than 1,000,000"),
    "giants": ([TABLE, *(row("1", MEGABYTE.format(n)) for n in range(90))], "more than 64 MB"),
    "many-runs": ([TABLE, COUNTED.format(20_000) + RUNS], "more than 10,000 runs"),
    "a-line-of-text": ([TABLE, row("'no'", "'x'")], "no number"),
    "no-line": ([TABLE, row("NULL", "'x'")], "no number"),
    "a-session-of-text": ([TABLE, row("1", "'x'", session="'no'")], "no runs"),
    "no-text": ([TABLE, row("1", "NULL")], "line 1 holds no text"),
    "bytes": ([TABLE, row("1", "x'00ff'")], "line 1 holds no text"),
    "not-utf-8": ([TABLE, row("1", "CAST(x'78ff' AS TEXT)")], "UTF-8"),
    "no-columns": (["CREATE TABLE history (a)"], "no table of runs"),
}


def made(path: Path, statements: list[str]) -> Path:
    with closing(sqlite3.connect(path)) as base:
        for statement in statements:
            base.execute(statement)
        base.commit()
    return path


def refusal(path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert main(["replay", str(path), *options]) == 2
    said = capsys.readouterr().err
    assert said.startswith("nbsafe: error: ")
    assert said.count("\n") == 1
    assert "\x1b" not in said
    assert len(said) < 1000
    return said


@pytest.mark.parametrize("kind", DATABASES)
def test_a_database_that_is_no_history(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    statements, reason = DATABASES[kind]
    assert reason in refusal(made(tmp_path / "history.sqlite", statements), capsys)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:3000])


def scrambled(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:100] + bytes(reversed(data[100:])))


def foreign_text(path: Path) -> None:
    """Say in the header that texts are UTF-16."""
    data = bytearray(path.read_bytes())
    data[59] = 2
    path.write_bytes(data)


@pytest.mark.parametrize("spoil", [cut, scrambled, foreign_text])
def test_a_broken_database(
    spoil: Callable[[Path], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = made(tmp_path / "history.sqlite", [TABLE, ROW])
    spoil(path)
    assert "is not a history of IPython" in refusal(path, capsys)


@pytest.mark.parametrize("session", [2**70, -(2**70), 2**63, 0])
def test_a_session_that_is_not_there(
    session: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = made(tmp_path / "history.sqlite", [TABLE, ROW])
    assert f"holds no session {session} (there are 1 (1 run))" in refusal(
        path, capsys, f"--session={session}"
    )


def test_a_history_that_is_being_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_database, "_PATIENCE_S", 0.1)
    path = made(tmp_path / "history.sqlite", [TABLE, ROW])
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        assert "locked (close what writes to it, or give a copy)" in refusal(path, capsys)


def test_a_log_that_was_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = made(tmp_path / "history.sqlite", ["PRAGMA journal_mode = WAL", TABLE, ROW])
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("INSERT INTO history VALUES (1, 2, '', 'y = 1')")
        writer.commit()
        before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
        assert "history.sqlite-wal lies beside it" in refusal(path, capsys)
        assert before == {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert "no session 7" in refusal(path, capsys, "--session=7")
    assert [file.name for file in tmp_path.iterdir()] == ["history.sqlite"]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices of POSIX")
@pytest.mark.parametrize("suffix", ["-journal", "-wal"])
def test_a_pipe_beside_a_history(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = made(tmp_path / "history.sqlite", [TABLE, ROW])
    os.mkfifo(f"{path}{suffix}")
    assert f"history.sqlite{suffix} lies beside it" in refusal(path, capsys)


LINES: dict[str, tuple[str | bytes, str]] = {
    "a-page-of-many": (json.dumps({"page": ["c"] * 200_000}), "the page holds 'c' twice"),
    "deep": ("[" * 200_000, "is not JSON"),
    "a-deep-list": ("[" * 900 + "]" * 900, "is not an object"),
    "a-long-number": ("9" * 10_000, "line 1"),
    "a-long-key": (json.dumps({"cell": "\x1b[31m" * 99_999, "source": 1}), "the 'source' is no"),
    "half-a-character": ('{"cell": "a", "source": "x = \'\\ud800\'"}', "half of a character"),
    "half-a-name": ('{"cell": "\\ud800", "source": "1"}', "half of a character"),
    "a-page-of-halves": ('{"page": ["\\ud800"]}', "half of a character"),
    "utf-16": ("x = 1\n".encode("utf-16"), "is not JSON"),
    "a-page-alone": ('{"page": []}', "runs no cell"),
    "infinite": ('{"cell": Infinity, "source": NaN}', "the 'cell' is no text"),
}


@pytest.mark.parametrize("kind", LINES)
def test_lines_that_are_no_session(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, reason = LINES[kind]
    path = tmp_path / "session.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert reason in refusal(path, capsys)


@pytest.mark.corpus
@pytest.mark.parametrize(("number", "length"), [(3, 400_000), (2_000, 300)])
def test_telling_cells_apart_ends(
    number: int, length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the end nothing is compared but whether texts are equal."""
    chance = random.Random(1)
    texts = ["".join(chance.choices("abcdefgh", k=length)) for _ in range(number)]
    monkeypatch.setattr(history_file, "MOST_WORK", 1_000_000)
    path = made(tmp_path / "history.sqlite", [TABLE])
    with closing(sqlite3.connect(path)) as base:
        rows = [(1, n, "", text) for n, text in enumerate([*texts, texts[-1], texts[0]])]
        base.executemany("INSERT INTO history VALUES (?, ?, ?, ?)", rows)
        base.commit()
    recorded = history_file.read(path, 1)
    steps = recorded.steps
    assert (steps[-2].cell, steps[-1].cell) == (steps[-3].cell, steps[0].cell)
    assert any("were only compared whole" in note for note in recorded.notes)
