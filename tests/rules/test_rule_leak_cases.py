"""Notebooks under fixtures/leakage: what leaks, at the marked line, and what only looks like it."""

from __future__ import annotations

from pathlib import Path

import pytest
from rulecase import facts_of, marked

from pytest_nbsafe.rules import evaluate

FOLDER = Path(__file__).parents[2] / "fixtures" / "leakage"
LEAKY = sorted(FOLDER.glob("leaky_*.txt"))
CLEAN = sorted(FOLDER.glob("clean_*.txt"))


def told(path: Path) -> set[str]:
    """Return the leaks that are told as errors or warnings, as "NBS301 3:1"."""
    return {
        f"{f.code} {f.location.cell}:{f.location.line}"
        for f in evaluate(facts_of(path.read_text(encoding="utf-8")))
        if f.code.startswith("NBS3") and f.severity != "note"
    }


def test_there_are_as_many_that_only_look_like_it() -> None:
    assert len(LEAKY) > 40
    assert len(CLEAN) > 35


@pytest.mark.parametrize("path", LEAKY, ids=lambda path: path.stem)
def test_a_leak_is_told_where_it_comes_from(path: Path) -> None:
    assert set(marked(path.read_text(encoding="utf-8"))) == told(path)


@pytest.mark.parametrize("path", CLEAN, ids=lambda path: path.stem)
def test_what_is_clean_is_left_alone(path: Path) -> None:
    assert told(path) == set()
