"""Suppressions by tag and comment, and one fault, one finding."""

from __future__ import annotations

import percent
import pytest
from rulecase import facts_of, found, lines

from pytest_nbsafe.rules import base, faults
from pytest_nbsafe.rules.base import Claim
from pytest_nbsafe.rules.filters import resolve


@pytest.mark.parametrize(
    "cell",
    [
        "# %% [1] tags=nbsafe:ignore\nprint(w)\n",
        "# %% [1] tags=nbsafe:ignore=NBS101\nprint(w)\n",
        "# %% [1]\nprint(w)  # nbsafe: ignore[NBS101] the platform has it\n",
        "# %% [1]\nprint(w)  # nbsafe: ignore\n",
        "# %% [1]\nprint(w)  # nbsafe: ignore[NBS201, undefined-name]\n",
        "# %% [1]\n# A heading\n# nbsafe: ignore[NBS1]\n\nprint(w)\n",
    ],
)
def test_a_suppression_silences_its_finding(cell: str) -> None:
    assert found(cell) == []


@pytest.mark.parametrize(
    "cell",
    [
        "# %% [1] tags=nbsafe:ignore=NBS201\nprint(w)\n",
        "# %% [1]\nprint(w)  # nbsafe: ignore[NBS201]\n",
        "# %% [1]\nprint(w)\nx = 1  # nbsafe: ignore\n",
    ],
)
def test_a_suppression_silences_nothing_else(cell: str) -> None:
    assert found(cell) == ["NBS101 1:1 proved error"]


def test_a_fault_that_is_silenced_in_one_cell_is_told_at_the_next() -> None:
    text = "# %% [1]\nprint(w)  # nbsafe: ignore\n# %% [2]\nprint(w)\n"
    assert found(text) == ["NBS101 2:1 proved error"]


def test_what_a_silenced_finding_accounts_for_stays_silent() -> None:
    text = "# %% [4]\nf = 1\n# %% [2]\ng = [f]\n# %% [5]\nprint(g)  # nbsafe: ignore[NBS201]\n"
    assert found(text) == []


FACTS = facts_of("# %% [1]\na = 1\nb = 2\n")


def claim(code: str, line: int, *marks: int, fault: str | None = None) -> Claim:
    explains = [("raise", mark, 0) for mark in marks]
    return base.claim(FACTS, code, 1, line, "observed", code, explains=explains, fault=fault)


def test_the_cause_stands_over_the_symptom() -> None:
    assert lines(resolve([claim("NBS401", 1, 1), claim("NBS101", 2, 1)])) == [
        "NBS101 1:2 observed error"
    ]


def test_a_claim_that_explains_more_than_others_stays() -> None:
    both = resolve([claim("NBS401", 1, 1, 2), claim("NBS101", 2, 1)])
    assert lines(both) == ["NBS101 1:2 observed error", "NBS401 1:1 observed error"]


def test_claims_of_one_fault_are_told_at_the_first() -> None:
    same = resolve([claim("NBS101", 2, fault="w"), claim("NBS101", 1, fault="w")])
    assert lines(same) == ["NBS101 1:1 observed error"]


def test_faults_without_facts() -> None:
    broken = faults.unreadable("a.ipynb", 7, "not JSON", "save it again")
    assert lines([broken]) == ["NBS901 0:1 proved error"]
    assert broken.file_line == 7
    missing = faults.no_such_kernel("a.ipynb", "pyhton3", ["ir", "python3"])
    assert lines([missing]) == ["NBS905 0:1 observed error"]
    assert "--nbsafe-kernel=python3" in missing.remedy
    assert lines([faults.kernel_failed("a.ipynb", "no")]) == ["NBS905 0:1 observed error"]


def test_a_finding_knows_its_place_in_the_notebook() -> None:
    notebook = percent.parse("# %% [1]\nprint(w)\n")
    (told,) = [c.finding for c in [claim("NBS101", 2)]]
    assert told.anchor == "b = 2"
    assert told.count == 1
    assert notebook.cell(1).line(1) == "print(w)"
