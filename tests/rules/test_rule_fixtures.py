"""Whole notebooks under fixtures/, each with what must be found beside it in a .txt file.

    timeout = 2
    [static]
    NBS101 3:1 proved error
    [run]
    NBS101 3:1 observed error

Each line is a finding (code, cell:line, verdict, severity) and all findings are there, notes too;
a section without lines says that nothing is found.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rulecase import lines

from pytest_nbsafe import check

ROOT = Path(__file__).parents[2] / "fixtures"
NOTEBOOKS = sorted(p for p in ROOT.rglob("*.ipynb") if p.with_suffix(".txt").exists())


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").as_posix()


def expected(path: Path, section: str) -> list[str]:
    text = path.with_suffix(".txt").read_text(encoding="utf-8")
    body = re.split(r"^\[(\w+)\]$", text, flags=re.MULTILINE)
    return body[body.index(section) + 1].strip().splitlines()


def settings(path: Path) -> dict[str, object]:
    text = path.with_suffix(".txt").read_text(encoding="utf-8")
    limit = re.search(r"^timeout = (\d+)$", text, re.MULTILINE)
    return {"notes": True, "timeout": int(limit[1]) if limit else 60}


def test_there_are_fixtures() -> None:
    assert len(NOTEBOOKS) > 30


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_static(path: Path) -> None:
    assert expected(path, "static") == lines(check.check([path], settings(path)).findings)


@pytest.mark.kernel
@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_run(path: Path) -> None:
    assert expected(path, "run") == lines(check.run([path], settings(path)).findings)


def test_the_figure_tells_its_story() -> None:
    figure = ROOT / "papers" / "nbsafety_fig1.ipynb"
    (finding,) = check.check([figure], {}).findings
    assert "`agg_by_col` from cell 2 is older than `custom_agg` of cell 1" in finding.message
    assert finding.remedy == "run cell 2 again, then this cell"
    assert [(step.cell, step.line) for step in finding.steps] == [(2, 1), (1, 1), (3, 9)]
