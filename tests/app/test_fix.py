"""`nbsafe fix`: what it mends, and that all else stays as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_nbsafe.cli import main

SUPPRESSED = "total = 3  # nbsafe: ignore[NBS902] known"
NEEDED = "total =  # nbsafe: ignore[NBS902] half written on purpose"
LATE = ("# head\nprint(math.pi)", "import math\ne = math.e")


def _write(path: Path, *sources: str) -> str:
    cells = [
        {
            "source": source.splitlines(keepends=True),
            "outputs": [],
            "metadata": {"é": 1},
            "execution_count": count,
            "cell_type": "code",
        }
        for count, source in enumerate(sources, start=1)
    ]
    data = {"nbformat_minor": 2, "nbformat": 4, "metadata": {}, "cells": cells}
    text = json.dumps(data, indent=3).replace("\n", "\r\n")
    path.write_bytes(text.encode())
    return text


def _fixed(path: Path, *options: str) -> tuple[int, str]:
    code = main(["fix", "--static", *options, str(path)])
    return code, path.read_bytes().decode()


def test_a_comment_that_ignores_nothing_goes_and_no_other_byte(tmp_path: Path) -> None:
    text = _write(tmp_path / "a.ipynb", SUPPRESSED, "total")
    expected = text.replace("  # nbsafe: ignore[NBS902] known", "")
    assert (0, expected) == _fixed(tmp_path / "a.ipynb")
    assert (0, expected) == _fixed(tmp_path / "a.ipynb", "--check")


def test_an_import_moves_up_below_the_head_of_its_first_reader(tmp_path: Path) -> None:
    _write(tmp_path / "a.ipynb", *LATE)
    expected = _write(tmp_path / "b.ipynb", "# head\nimport math\nprint(math.pi)", "e = math.e")
    assert (0, expected) == _fixed(tmp_path / "a.ipynb")


@pytest.mark.parametrize("option", ["--check", "--diff"])
def test_what_only_shows_writes_nothing(
    tmp_path: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = _write(tmp_path / "a.ipynb", *LATE)
    assert (int(option == "--check"), text) == _fixed(tmp_path / "a.ipynb", option)
    assert "import" in capsys.readouterr().out


@pytest.mark.parametrize(
    "sources", [(NEEDED,), ("print(math.pi)", "e = 1; import math"), ("a = 1", "a")]
)
def test_what_is_needed_or_not_certain_stays(tmp_path: Path, sources: tuple[str, ...]) -> None:
    text = _write(tmp_path / "a.ipynb", *sources)
    assert (0, text) == _fixed(tmp_path / "a.ipynb")


def test_it_says_how_much_was_mended_and_what_would_change_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(tmp_path / "late.ipynb", *LATE)
    _write(tmp_path / "drawn.ipynb", "import numpy as np", "np.random.rand(3)")
    said = []
    for options in (("--check",), (), (), ("--unsafe",)):
        main(["fix", "--static", *options, str(tmp_path)])
        said.append(capsys.readouterr().err.strip())
    assert said == [
        "nbsafe: 1 edit to make, in 1 of 2 notebooks; 1 more with --unsafe, for results change",
        "nbsafe: 1 edit made, in 1 of 2 notebooks; 1 more with --unsafe, for results change",
        "nbsafe: nothing to mend in 2 notebooks; 1 more with --unsafe, for results change",
        "nbsafe: 1 edit made, in 1 of 2 notebooks",
    ]


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_mended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.ipynb").write_text("{", encoding="utf-8")
    _write(tmp_path / "b.ipynb", SUPPRESSED)
    assert main(["fix", "--static", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "a.ipynb: cannot be read: not valid JSON" in said
    assert "1 edit made, in 1 of 1 notebook" in said
