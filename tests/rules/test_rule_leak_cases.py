"""The leak cases of fixtures/leakage: each leak is told at its mark, and nothing else is."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from leak_corpus import FOLDER, Case, cases, marks, paths
from rulecase import facts_of, lines, run
from tiers import sampled

from pytest_nbsafe.codes import CODES
from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.rules import evaluate

FILES = sorted(FOLDER.rglob("*.txt"))
CASES = [case for file in FILES for case in cases(file)]
BY_DEFAULT = ("nbs301",)
"""A leak that a run confirms; the corpus tier runs all of them."""

RUN = [case for case in CASES if case.file.parent.name == "run"]


def told(findings: Iterable[Finding]) -> list[str]:
    """Return the findings of leaks, notes left out."""
    return lines(f for f in findings if f.code.startswith("NBS3") and f.severity != "note")


def test_every_file_of_the_folder_is_a_case_or_lies_beside_one_that_runs() -> None:
    read = {case.file for case in CASES}
    beside = {path for path in (FOLDER / "run").iterdir() if path.suffix in {".csv", ".py"}}
    assert {path for path in FOLDER.rglob("*") if path.is_file()} == read | beside


def test_every_case_has_a_name_of_its_own() -> None:
    assert [name for name, times in Counter(map(str, CASES)).items() if times > 1] == []


def test_a_notebook_says_by_its_name_whether_it_leaks() -> None:
    whole = [case for case in CASES if case.file.parent.name == "whole"]
    leaky = [str(case) for case in whole if marks(case.text)]
    assert leaky == [str(case) for case in whole if case.file.name.startswith("leaky_")]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_leaks_is_told_at_its_mark(case: Case) -> None:
    facts = facts_of(case.text)
    marked = [mark for mark in marks(case.text) if mark.of_leak]
    leaks = [leak for leak, _ in facts.leaks()]
    weighing = [leak for leak in leaks if CODES[leak.code].severity != "note"]
    assert sorted(mark.leak for mark in marked) == sorted(
        f"{leak.code}{'' if leak.certain else '?'} {leak.cell}:{leak.span.line}"
        for leak in weighing
    )
    assert sorted(mark.finding() for mark in marked if mark.own) == sorted(told(evaluate(facts)))
    steps = {leak.code: [f"{c}:{line} {cause}" for c, line, cause in leak.steps] for leak in leaks}
    for code, path in paths(case.text).items():
        assert path == steps[code]


@pytest.mark.parametrize("case", RUN, ids=str)
def test_all_that_is_told_of_a_text(case: Case) -> None:
    findings = evaluate(facts_of(case.text, Config(notes=True)))
    assert [mark.finding() for mark in marks(case.text)] == lines(findings)


@pytest.mark.kernel
@pytest.mark.parametrize(
    "case", sampled(RUN, lambda case: case.file.stem.startswith(BY_DEFAULT), 2), ids=str
)
def test_all_that_a_run_tells(case: Case, tmp_path: Path) -> None:
    for data in case.file.parent.iterdir():
        if data.suffix != ".txt":
            shutil.copy(data, tmp_path)
    told_by_run = lines(run(case.text, tmp_path))
    assert [mark.finding(ran=True) for mark in marks(case.text)] == told_by_run
