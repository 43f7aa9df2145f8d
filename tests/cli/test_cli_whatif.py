"""`nbsafe whatif`: what it prints, in both forms, and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from makenb import write

from pytest_nbsafe.cli import main
from pytest_nbsafe.reports.escape import clean

FIXTURE = Path(__file__).parents[2] / "fixtures" / "papers" / "nblyzer_ex1_1.ipynb"
NOTEBOOK = """
# %% [1]
a = 1
# %% [markdown]
Some text.
# %% [2]
b = a
# %% [3]
print(b)
"""

OWN_SCALER = """
# %% [1]
from helpers import MyScaler
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC
X, y = load_wine(return_X_y=True)
# %% [2]
scaled = MyScaler().fit_transform(X)
# %% [3]
a, b, c, d = train_test_split(scaled, y, random_state=0)
# %% [4]
print(SVC().fit(a, c).score(b, d))
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_example_of_the_paper(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["whatif", str(FIXTURE), "--run", "1"]) == 0
    lines = capsys.readouterr().out.split("\n")
    at = lines.index("Stale reads, if you run")
    assert lines[at + 1 : at + 4] == [
        "  1, 4",
        "    cell 4 (line 1) reads `x`, which cell 2 made from the old `d`",
        "    run cell 2 before cell 4",
    ]
    at = lines.index("Leaks, if you run")
    assert lines[at + 1] == "  1, 2, 4, 5"
    assert lines[at + 2].endswith("of which mean was taken (NBS302)")
    assert lines[at + 3 : at + 6] == [
        "      cell 1 (line 5): d = all rows of read_csv()",
        "      cell 2 (line 1): d.mean() is computed from all of them",
        "      cell 4 (line 2): test is part of them",
    ]
    at = lines.index("Safe to run")
    assert lines[at + 1 : at + 3] == ["  1, 3, 4, 5", ""]


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    write(Path("nb.ipynb"), NOTEBOOK)
    assert main(["whatif", "nb.ipynb", "--run", "1", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["version"] == 1
    assert [document[key] for key in ("run", "change", "depth", "order")] == [
        1,
        None,
        3,
        "recorded",
    ]
    (stale,) = document["stale"]
    assert list(stale) == ["sequence", "cell", "line", "name", "left_out", "cause", "steps"]
    assert [stale["sequence"], stale["name"], stale["left_out"]] == [[1, 4], "b", [3]]
    assert document["safe"] == [[1, 3, 4]]
    assert [again["cell"] for again in document["rerun"]] == [3, 4]
    assert document["complete"] is True
    assert document["leaks"] == []


def test_a_rename(capsys: pytest.CaptureFixture[str]) -> None:
    write(Path("nb.ipynb"), NOTEBOOK)
    assert main(["whatif", "nb.ipynb", "--run", "1", "--change", "a", "--depth", "all"]) == 0
    said = capsys.readouterr().out
    assert "  cell 3 would read `a`, which no cell defines" in said
    assert "  cell 1 would share no name with any other cell" in said


def test_nothing_follows(capsys: pytest.CaptureFixture[str]) -> None:
    write(Path("nb.ipynb"), NOTEBOOK)
    assert main(["whatif", "nb.ipynb", "--run", "4"]) == 0
    assert "nothing else has to run." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--run", "2"], "cell 2 is a markdown cell (cells with code: 1, 3, 4)"),
        (["--run", "7"], "there is no cell 7 (its cells are 1 to 4"),
        (["--run", "1", "--change", "b"], "cell 1 does not define 'b' (it defines a)"),
        (["--run", "1", "--depth", "0"], "--depth 0 (a number from 1 on, or all)"),
    ],
)
def test_misuse_is_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(Path("nb.ipynb"), NOTEBOOK)
    assert main(["whatif", "nb.ipynb", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_an_unreadable_notebook_is_misuse(capsys: pytest.CaptureFixture[str]) -> None:
    Path("nb.ipynb").write_text("{", encoding="utf-8")
    assert main(["whatif", "nb.ipynb", "--run", "1"]) == 2
    assert capsys.readouterr().err.startswith("nbsafe: error: nb.ipynb, line 1: ")


def test_what_a_notebook_says_cannot_steer_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(Path("nb.ipynb"), NOTEBOOK.replace("b = a", "b = a, '\x1b[2J\u202e'"))
    assert main(["whatif", "nb.ipynb", "--run", "1"]) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert "  cell 3 [2]" in said


def test_a_name_of_any_length_leaves_a_line_that_can_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "limit" * 8_000
    page = f"# %% [1]\n{name} = 1\n# %% [2]\nother = {name}\n"
    assert main(["whatif", str(write(tmp_path / "x.ipynb", page)), "--run", "1"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) < 2_000


def test_colour_changes_nothing_but_colour(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["whatif", str(FIXTURE), "--run", "1"]) == 0
    plain = capsys.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["whatif", str(FIXTURE), "--run", "1"]) == 0
    coloured = capsys.readouterr().out
    assert coloured != plain
    assert clean(coloured) == plain


def test_check_and_whatif_know_the_same_tables(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").write_text(
        '[tool.nbsafe.leakage.helpers]\ntransformer = ["MyScaler"]\n', encoding="utf-8"
    )
    write(Path("nb.ipynb"), OWN_SCALER)
    assert main(["check", "nb.ipynb", "--select", "NBS301"]) == 1
    assert "NBS301" in capsys.readouterr().out
    assert main(["whatif", "nb.ipynb", "--run", "2", "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [leak["sequence"] for leak in answer["leaks"]] == [[2, 3, 4]]
    assert answer["safe"] == []
