"""Whole notebooks under fixtures/, each with what must be found beside it in a .txt file.

fixtures/README.md says how these files are written.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rulecase import lines
from tiers import sampled

from pytest_nbsafe.app.check import check
from pytest_nbsafe.app.run import run
from pytest_nbsafe.codes import CODES

ROOT = Path(__file__).parents[2] / "fixtures"
FOLDERS = ("bad", "papers", "rules")
NOTEBOOKS = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.ipynb"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").as_posix()


def runs_by_default(path: Path) -> bool:
    """Return whether the default tier runs it: the first of a folder, each twelfth of bad/."""
    beside = sorted(path.parent.glob("*.ipynb"))
    return path in (beside[::12] if path.parent.name == "bad" else beside[:1])


def expected(path: Path, section: str) -> list[str]:
    text = path.with_suffix(".txt").read_text(encoding="utf-8")
    body = re.split(r"^\[(\w+)\]$", text, flags=re.MULTILINE)
    return body[body.index(section) + 1].strip().splitlines()


def settings(path: Path) -> dict[str, object]:
    text = path.with_suffix(".txt").read_text(encoding="utf-8")
    limit = re.search(r"^timeout = (\d+)$", text, re.MULTILINE)
    return {"notes": True, "cache": False, "timeout": int(limit[1]) if limit else 60}


def test_every_notebook_is_read() -> None:
    assert set(ROOT.rglob("*.ipynb")) == set(NOTEBOOKS)
    assert [path for path in NOTEBOOKS if not path.with_suffix(".txt").exists()] == []


def test_every_code_is_found_in_some_notebook() -> None:
    texts = [*ROOT.rglob("leakage/run/*.txt"), *(path.with_suffix(".txt") for path in NOTEBOOKS)]
    found = {code for path in texts for code in re.findall(r"NBS\d+", path.read_text("utf-8"))}
    assert set(CODES) - found == {
        "NBS334",
        "NBS907",
        "NBS908",
    }  # their own examples run in test_rules


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_static(path: Path) -> None:
    assert expected(path, "static") == lines(check([path], settings(path)).findings)


@pytest.mark.kernel
@pytest.mark.parametrize("path", sampled(NOTEBOOKS, runs_by_default, 2), ids=name_of)
def test_run(path: Path) -> None:
    assert expected(path, "run") == lines(run([path], settings(path)).findings)


def test_the_figure_tells_its_story() -> None:
    figure = ROOT / "papers" / "nbsafety_fig1.ipynb"
    (finding,) = check([figure], {"cache": False}).findings
    assert "`agg_by_col` from cell 2 is older than `custom_agg` of cell 1" in finding.message
    assert finding.remedy == "run cell 2 again, then this cell"
    assert [(step.cell, step.line) for step in finding.steps] == [(2, 1), (1, 1), (3, 9)]
