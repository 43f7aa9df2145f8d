"""Sessions of IPython's history: which cell a run belongs to, and what is mended."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.replay import session_file
from pytest_nbsafe.replay.history_file import distance, similarity
from pytest_nbsafe.replay.session_runs import RecordedSession

texts = st.text(alphabet="ab \n", max_size=14)


def history(folder: Path, *sessions: list[str]) -> Path:
    path = folder / "history.sqlite"
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE history (session integer, line integer, source, source_raw)")
        for number, session in enumerate(sessions, 1):
            rows = [(number, line, "transformed", raw) for line, raw in enumerate(session, 1)]
            base.executemany("INSERT INTO history VALUES (?, ?, ?, ?)", rows)
        base.commit()
    return path


def read(folder: Path, *sources: str) -> RecordedSession:
    return session_file.read(history(folder, list(sources)))


def refusal(path: Path, session: int | None = None) -> str:
    with pytest.raises(NbsafeError) as caught:
        session_file.read(path, session)
    return str(caught.value)


def plain_distance(left: str, right: str) -> int:
    row = list(range(len(right) + 1))
    for place, a in enumerate(left, 1):
        new = [place]
        for other, b in enumerate(right, 1):
            new.append(min(row[other] + 1, new[-1] + 1, row[other - 1] + (a != b)))
        row = new
    return row[-1]


@given(texts, texts)
def test_the_distance_is_levenshteins(left: str, right: str) -> None:
    assert distance(left, right) == plain_distance(left, right)


@given(texts, texts)
def test_what_is_below_the_least_is_nothing(left: str, right: str) -> None:
    whole = similarity(left, right)
    assert similarity(left, right, 0.8) == (whole if whole >= 0.8 else 0.0)


def test_a_text_that_is_alike_is_the_same_cell(tmp_path: Path) -> None:
    recorded = read(tmp_path, "radius = 21", "print(radius)", "radius = 34", "area = 3")
    assert [step.cell for step in recorded.steps] == ["c1", "c2", "c1", "c3"]
    assert recorded.page == ("c1", "c2", "c3")
    assert [step.line for step in recorded.steps] == [1, 2, 3, 4]


def test_edits_are_followed_from_text_to_text(tmp_path: Path) -> None:
    recorded = read(tmp_path, "abcdefghij", "abcdefghXX", "abcdefYYXX", "abcdZZYYXX")
    assert [step.cell for step in recorded.steps] == ["c1", "c1", "c1", "c1"]
    assert similarity("abcdefghij", "abcdZZYYXX") == pytest.approx(0.4)


def test_of_two_cells_the_more_similar_is_taken(tmp_path: Path) -> None:
    recorded = read(tmp_path, "value = 1000000", "valve = 2222200", "value = 1000009")
    assert [step.cell for step in recorded.steps] == ["c1", "c2", "c1"]


def test_system_commands_are_taken_out(tmp_path: Path) -> None:
    source = "x = 1\nif x:\n    !ls \\\n      -l\n%pip install a\nfiles = !ls\ny = 2"
    (step,) = read(tmp_path, source).steps
    assert step.source == "x = 1\nif x:\n    pass\n\npass\npass\ny = 2"
    assert step.skip == ""


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("%%bash\nls", "runs system commands"),
        ("n = input('how many?')", "asks its user for input"),
        ("exit()", "ends the session"),
        ("quit", "ends the session"),
        ("my.input(3)", ""),
        ("%%time\nx = 1", ""),
        ("exit_code = 1", ""),
    ],
)
def test_what_cannot_be_run_again_is_left_out(tmp_path: Path, source: str, why: str) -> None:
    (step,) = read(tmp_path, source).steps
    assert step.skip == why


def test_what_was_mended_is_told(tmp_path: Path) -> None:
    recorded = read(tmp_path, "x = 1", "!ls", "input()", "import matplotlib.pyplot as plt")
    assert recorded.notes == (
        "a short session: 4 runs (the paper takes 50 or more)",
        "1 run left out, which cannot be run again",
        "system commands taken out of 1 run",
    )
    assert recorded.before == "%matplotlib inline"
    assert recorded.elsewhere


def test_a_session_must_be_chosen(tmp_path: Path) -> None:
    path = history(tmp_path, ["a = 1"], ["b = 1", "c = 1"])
    assert (
        "holds 2 sessions, 1 (1 run), 2 (2 runs) (choose one with --session N, or take --all)"
        in refusal(path)
    )
    assert "holds no session 7 (there are 1 (1 run), 2 (2 runs))" in refusal(path, 7)
    assert [step.source for step in session_file.read(path, 1).steps] == ["a = 1"]


def test_another_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE other (x)")
        base.commit()
    assert "is not a history of IPython: it holds no table of runs" in refusal(path, 1)
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"SQLite format 3\0 and nothing")
    assert "is not a history of IPython" in refusal(broken, 1)
    assert "holds no runs" in refusal(history(tmp_path))


def test_the_file_is_not_changed(tmp_path: Path) -> None:
    path = history(tmp_path, ["a = 1"])
    before = path.read_bytes()
    session_file.read(path)
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["history.sqlite"]
