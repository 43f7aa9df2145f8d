"""Sessions written as JSON lines: what is read, and how a fault is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.replay import session_file


def written(folder: Path, *lines: object) -> Path:
    path = folder / "session.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def refusal(path: Path, session: int | None = None) -> str:
    with pytest.raises(NbsafeError) as caught:
        session_file.read(path, session)
    return str(caught.value)


def test_the_page_is_in_the_order_of_first_runs(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"cell": "b", "source": "x = 1"},
        {"cell": "a", "source": "y = x"},
        {"cell": "b", "source": "x = 2"},
    )
    recorded = session_file.read(path)
    assert recorded.page == ("b", "a")
    assert [(step.cell, step.line) for step in recorded.steps] == [("b", 1), ("a", 2), ("b", 3)]


def test_the_first_line_may_tell_the_page(tmp_path: Path) -> None:
    steps = [{"cell": "b", "source": "x"}, {"cell": "a", "source": "y"}]
    recorded = session_file.read(written(tmp_path, {"page": ["a", "b"]}, *steps))
    assert recorded.page == ("a", "b")
    assert [step.line for step in recorded.steps] == [2, 3]


def test_a_page_may_have_lost_cells_and_hold_others_that_never_ran(tmp_path: Path) -> None:
    steps = [{"cell": cell, "source": "x"} for cell in ("b", "c", "a", "c")]
    recorded = session_file.read(written(tmp_path, {"page": ["a", "d", "b"]}, *steps))
    assert recorded.page == ("a", "d", "b")
    assert [step.cell for step in recorded.steps] == ["b", "c", "a", "c"]
    told = ("cell c is not on the page: no clean run has it", "cell d was never run")
    assert recorded.notes == told


def test_blank_lines_and_a_byte_order_mark_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"cell": "a", "source": "\\u00e9 = 1"}\r\n\r\n')
    assert [step.source for step in session_file.read(path).steps] == ["é = 1"]


def test_texts_are_cells_of_their_own(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"cell": "a", "source": "x = 1"},
        {"cell": "b", "source": "x = 1"},
        {"cell": "a", "source": "x = 2"},
        {"cell": "a", "source": "x = 1"},
    )
    versions = session_file.versions(session_file.read(path))
    assert versions.numbers == (1, 2, 3, 1)
    assert versions.owner == {1: "a", 2: "b", 3: "a"}
    assert [cell.source for cell in versions.notebook.cells] == ["x = 1", "x = 1", "x = 2"]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([[1]], "line 1: is not an object but [1]"),
        ([{"cell": "a"}], "line 1: has no 'source'"),
        ([{"source": "x"}], "line 1: has no 'cell'"),
        ([{"cell": 3, "source": "x"}], "line 1: the 'cell' is no text"),
        ([{"cell": "", "source": "x"}], "line 1: the 'cell' is empty"),
        ([{"page": "a"}], "line 1: the 'page' is not a list of cells"),
        ([{"page": ["a", "a"]}], "line 1: the page holds 'a' twice"),
        ([{"page": ["a"]}, {"cell": "b", "source": ""}], "line 2: runs 'b', which is not on the"),
        ([{"cell": "a", "source": ""}, {"page": ["a"]}], "line 2: only the first line may give"),
        ([{"page": ["a"]}], "runs no cell"),
    ],
)
def test_a_fault_is_told_with_its_line(tmp_path: Path, lines: list[object], told: str) -> None:
    assert told in refusal(written(tmp_path, *lines))


def test_a_broken_line_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text('{"cell": "a", "source": "x"}\n{"cell": "a", "sou\n', encoding="utf-8")
    said = refusal(path)
    assert "line 2: is not JSON (Unterminated string" in said
    assert '{"cell": "a", "sou (a step is' in said


def test_a_file_that_is_not_there_or_empty(tmp_path: Path) -> None:
    assert "No such file or directory" in refusal(tmp_path / "none.jsonl")
    path = tmp_path / "empty.jsonl"
    path.write_text("\n", encoding="utf-8")
    assert "is empty (a step is" in refusal(path)


def test_a_notebook_is_no_session(tmp_path: Path) -> None:
    path = tmp_path / "nb.ipynb"
    path.write_text('{\n "cells": []\n}', encoding="utf-8")
    assert "holds no session" in refusal(path)


def test_json_lines_hold_one_session(tmp_path: Path) -> None:
    path = written(tmp_path, {"cell": "a", "source": "x"})
    assert "no session 3 (leave out --session)" in refusal(path, 3)
