"""`nbsafe replay`: what it prints, and how it refuses."""

from __future__ import annotations

import json
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
