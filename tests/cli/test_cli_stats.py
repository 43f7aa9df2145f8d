"""`nbsafe stats` and `nbsafe order --stats --plot`: what they print, and what they draw."""

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from makenb import CLEAN, OUT_OF_ORDER, write

from pytest_nbsafe.cli import main


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("a.ipynb"), CLEAN)
    write(Path("b.ipynb"), OUT_OF_ORDER)
    Path("bad.ipynb").write_text("{", encoding="utf-8")


def history(*sessions: list[str]) -> Path:
    path = Path("history.sqlite")
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE history (session INT, line INT, source TEXT, source_raw TEXT)")
        for number, texts in enumerate(sessions, 1):
            for line, text in enumerate(texts, 1):
                base.execute("INSERT INTO history VALUES (?, ?, ?, ?)", (number, line, text, text))
        base.commit()
    return path


def test_stats_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "--plot", "out.svg"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("2 executed notebooks of 2, 5 executed cells\n")
    assert "\nLeft out\n  bad.ipynb: " in printed
    root = ET.parse("out.svg").getroot()
    assert root.tag.endswith("svg")


def test_stats_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "a.ipynb", "b.ipynb", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["path"] for one in document["notebooks"]] == ["a.ipynb", "b.ipynb"]
    assert document["notebooks"][1]["orders"]["recorded"] == {"unbound": 2, "out_of_order": 2}
    assert document["together"]["orders"]["inferred"]["out_of_order"] == 0


def test_stats_as_csv(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "b.ipynb", "--format", "csv"]) == 0
    (row,) = csv.DictReader(capsys.readouterr().out.splitlines())
    assert (row["path"], row["runs"], row["out-of-order recorded"]) == ("b.ipynb", "4", "2")


def test_stats_of_a_history(capsys: pytest.CaptureFixture[str]) -> None:
    first = [letter * 20 for letter in "abcdefghijkl"]
    again = [*first[:8], *(letter * 20 for letter in "mnopqr")]
    path = history([*first, first[-1] + " "], again, ["x"])
    assert main(["stats", str(path), "--format", "json"]) == 0
    (past,) = json.loads(capsys.readouterr().out)["histories"]
    assert (past["sessions"], past["compared"], past["runs"]) == (3, 2, 27)
    assert (past["repeats"], past["at_once"], past["repeated"]) == (1, 1, 1)
    assert (past["revisits"], past["distances"]) == (1, [1])


def test_measures_and_drawing_of_one_notebook(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["order", "b.ipynb", "--stats", "--plot", "b.svg"]) == 0
    assert "  gaps 1, missing counts 1, jumps 1\n" in capsys.readouterr().out
    root = ET.parse("b.svg").getroot()
    assert sum(element.tag.endswith("circle") for element in root) == 4


def test_a_drawing_that_cannot_be_written_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "--plot", "no/where.svg"]) == 2
    assert "cannot write no/where.svg" in capsys.readouterr().err.replace("\\", "/")
