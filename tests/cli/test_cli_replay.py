"""`nbsafe replay`: what it prints, and how it refuses."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pytest_nbsafe.cli import main

SESSION = [
    {"page": ["c1", "c2", "c3"]},
    {"cell": "c1", "source": "a = 1"},
    {"cell": "c2", "source": "b = a + 1"},
    {"cell": "c3", "source": "print(b)"},
    {"cell": "c1", "source": "a = 5"},
]


def written(folder: Path) -> str:
    path = folder / "session.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in SESSION), encoding="utf-8")
    return str(path)


@pytest.mark.kernel
def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", written(tmp_path), "--format", "json"]) == 0
    *steps, last = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert [step["step"] for step in steps] == [1, 2, 3, 4]
    assert [step["status"] for step in steps] == ["ok"] * 4
    assert steps[-1]["stale_symbols"] == ["b"]
    assert steps[-1]["stale_cells"] == ["c3"]
    assert steps[-1]["fresh_cells"] == steps[-1]["refresher_cells"] == ["c2"]
    assert list(last) == ["predictive_power", "notes"]


@pytest.mark.corpus
@pytest.mark.kernel
def test_two_replays_print_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path)
    printed = []
    for _ in range(2):
        assert main(["replay", path]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert "`b` is stale: cell c2 in step 2 made it from `a`" in printed[0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"cell": "a"\n', "line 1: is not JSON"),
        ("", "is empty"),
        ('{"page": ["a"]}\n{"cell": "b", "source": ""}\n', "line 2: runs 'b', which is not on"),
    ],
)
def test_bad_input_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(text, encoding="utf-8")
    assert main(["replay", str(path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("nbsafe: error: ")
    assert told in said
    assert said.count("\n") == 1


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "nowhere.jsonl"]) == 2
    assert "cannot read nowhere.jsonl: No such file or directory" in capsys.readouterr().err


def history(folder: Path) -> str:
    path = folder / "history.sqlite"
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE history (session integer, line integer, source, source_raw)")
        for session, texts in ((3, ("a = 1", "b = a", "a = 2", "b = a")), (7, ("x = 1",))):
            rows = [(session, line, text, text) for line, text in enumerate(texts, 1)]
            base.executemany("INSERT INTO history VALUES (?, ?, ?, ?)", rows)
        base.commit()
    return str(path)


def test_sessions_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = history(tmp_path)
    assert main(["replay", path, "--sessions"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "  session 3: 4 runs",
        "  session 7: 1 run",
    ]
    assert main(["replay", path, "--sessions", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[1]) == {"session": 7, "runs": 1}


def test_one_recorded_session_has_none_to_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for option in ("--sessions", "--all"):
        assert main(["replay", written(tmp_path), option]) == 2
        assert "is no history.sqlite" in capsys.readouterr().err


@pytest.mark.kernel
@pytest.mark.corpus
def test_all_sessions_are_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", history(tmp_path), "--all", "--format", "json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["session"] for line in lines if "session" in line] == [3, 7]
    assert [line["status"] for line in lines if "status" in line] == ["ok"] * 5
    assert lines[-1]["sessions"] == 2
    assert lines[-1]["predictive_power"]["next"]["measured"] == 1
