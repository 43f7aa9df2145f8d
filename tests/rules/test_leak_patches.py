"""Edits that mend leaks: what they look like, and that no leak is told once they are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
from leak_corpus import FOLDER, Case, cases, marks
from rulecase import facts_of
from tiers import every

from pytest_nbsafe.findings import Finding
from pytest_nbsafe.fix import cell_diff, leak_patches
from pytest_nbsafe.fix.remedy import Remedy
from pytest_nbsafe.rules import evaluate
from pytest_nbsafe.rules.base import Facts

MENDED = ("NBS301", "NBS302", "NBS303", "NBS304", "NBS305", "NBS311")
CASES = [
    case
    for file in sorted(FOLDER.rglob("*.txt"))
    for case in cases(file)
    if any(mark.leak[:6] in MENDED for mark in marks(case.text) if mark.of_leak)
]
HEAD = """
# %% [1]
import pandas as pd
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
df = pd.read_csv("a.csv")
X, y = df.drop(columns="y"), df["y"]
scaler = StandardScaler()
"""
SPLIT = "a, b, c, d = train_test_split({}, y, stratify=y, random_state=0)\n"
END = "SVC().fit(a, c).score(b, d)\n"


def found(facts: Facts) -> list[Finding]:
    return [finding for finding in evaluate(facts) if finding.severity != "note"]


def patches(facts: Facts) -> list[tuple[Finding, Remedy]]:
    made = ((f, leak_patches.patch(facts.graph, f)) for f in found(facts))
    return [(finding, remedy) for finding, remedy in made if remedy is not None]


def patched(facts: Facts, remedy: Remedy) -> Facts:
    """Return the facts of the notebook with the remedy carried out."""
    text = ""
    for cell in facts.notebook.cells:
        edit = remedy.edits.get(cell.number)
        source = edit.source if edit is not None and edit.source is not None else cell.source
        kind = " [markdown]" if cell.kind != "code" else f" [{cell.count}]" if cell.count else ""
        text += f"# %%{kind}\n{source}\n"
    return facts_of(text)


def codes(findings: Iterable[Finding]) -> Counter[str]:
    return Counter(finding.code for finding in findings)


@pytest.mark.parametrize("case", every(4, CASES), ids=str)
def test_an_edit_mends_its_leak_and_brings_no_other_finding(case: Case) -> None:
    facts = facts_of(case.text)
    before = codes(found(facts))
    for finding, remedy in patches(facts):
        after = codes(found(patched(facts, remedy)))
        assert after[finding.code] < before[finding.code]
        assert not after - before


def edit_of(text: str) -> list[str]:
    facts = facts_of(HEAD + text)
    return [
        line
        for _, remedy in patches(facts)
        for line in cell_diff.patch(facts.notebook, remedy.edits)
    ]


FORMS = {
    "what is made of the rows by a name": (
        "Z = scaler.fit_transform(X)\n" + SPLIT.format("Z"),
        [
            "- Z = scaler.fit_transform(X)",
            "- a, b, c, d = train_test_split(Z, y, stratify=y, random_state=0)",
            "+ a, b, c, d = train_test_split(X, y, stratify=y, random_state=0)",
            "+ a = scaler.fit_transform(a)",
            "+ b = scaler.transform(b)",
        ],
    ),
    "in a frame again": (
        "X = pd.DataFrame(scaler.fit_transform(X), columns=X.columns)\n" + SPLIT.format("X"),
        [
            "- X = pd.DataFrame(scaler.fit_transform(X), columns=X.columns)",
            "+ a = pd.DataFrame(scaler.fit_transform(a), columns=a.columns)",
            "+ b = pd.DataFrame(scaler.transform(b), columns=b.columns)",
        ],
    ),
    "fitted first, changed later": (
        "scaler.fit(X)\nX = scaler.transform(X)\n" + SPLIT.format("X"),
        [
            "- scaler.fit(X)",
            "- X = scaler.transform(X)",
            "+ scaler.fit(a)",
            "+ a = scaler.transform(a)",
            "+ b = scaler.transform(b)",
        ],
    ),
    "some columns in place": (
        'X[["p"]] = scaler.fit_transform(X[["p"]])\n' + SPLIT.format("X"),
        [
            '- X[["p"]] = scaler.fit_transform(X[["p"]])',
            "+ a, b = a.copy(), b.copy()",
            '+ a[["p"]] = scaler.fit_transform(a[["p"]])',
            '+ b[["p"]] = scaler.transform(b[["p"]])',
        ],
    ),
    "chosen by the labels": (
        "Z = SelectKBest(k=3).fit_transform(X, y)\n" + SPLIT.format("Z"),
        [
            "- Z = SelectKBest(k=3).fit_transform(X, y)",
            "- a, b, c, d = train_test_split(Z, y, stratify=y, random_state=0)",
            "+ a, b, c, d = train_test_split(X, y, stratify=y, random_state=0)",
            "+ select_k_best = SelectKBest(k=3)",
            "+ a = select_k_best.fit_transform(a, c)",
            "+ b = select_k_best.transform(b)",
        ],
    ),
    "a statistic": (
        "Z = X.fillna(X.mean())\n" + SPLIT.format("Z"),
        [
            "- Z = X.fillna(X.mean())",
            "- a, b, c, d = train_test_split(Z, y, stratify=y, random_state=0)",
            "+ a, b, c, d = train_test_split(X, y, stratify=y, random_state=0)",
            "+ b = b.fillna(a.mean())",
            "+ a = a.fillna(a.mean())",
        ],
    ),
    "over several lines": (
        "Z = scaler.fit_transform(\n    X\n)\n" + SPLIT.format("Z"),
        [
            "- Z = scaler.fit_transform(",
            "-     X",
            "- )",
            "- a, b, c, d = train_test_split(Z, y, stratify=y, random_state=0)",
            "+ a, b, c, d = train_test_split(X, y, stratify=y, random_state=0)",
            "+ a = scaler.fit_transform(a)",
            "+ b = scaler.transform(b)",
        ],
    ),
}


@pytest.mark.parametrize(("text", "expected"), FORMS.values(), ids=FORMS)
def test_what_goes_below_the_split(text: str, expected: list[str]) -> None:
    cell, *lines = edit_of(f"# %% [2]\n{text}{END}")
    assert cell == "cell 2"
    assert [line for line in lines if line[:1] != " "] == expected


KEPT = {
    "read beside the split": "Z = scaler.fit_transform(X)\n" + SPLIT.format("Z") + "print(Z)\n",
    "shown before it": "X = scaler.fit_transform(X)\nprint(X.mean())\n" + SPLIT.format("X"),
    "read by a function": "def f():\n    return Z\nZ = scaler.fit_transform(X)\n"
    + SPLIT.format("Z"),
    "changed on the way": "Z = scaler.fit_transform(X)\nX['p'] = 1\n" + SPLIT.format("Z"),
    "other names on the way": "Z = scaler.fit_transform(X)\ny = y + 1\nX = y\n" + SPLIT.format("Z"),
    "what learned is read": "Z = scaler.fit_transform(X)\nprint(scaler.mean_)\n"
    + SPLIT.format("Z"),
    "in a loop": "for _ in range(1):\n    Z = scaler.fit_transform(X)\n" + SPLIT.format("Z"),
    "beside another": "Z = scaler.fit_transform(X); n = 1\n" + SPLIT.format("Z"),
    "a part of it is split": "Z = scaler.fit_transform(X)\n" + SPLIT.format("Z[:, :2]"),
    "with weights": "Z = scaler.fit_transform(X, sample_weight=y)\n" + SPLIT.format("Z"),
    "by a function of its own": "Z = X.apply(lambda p: p.fillna(p.mean()))\n" + SPLIT.format("Z"),
}


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_what_may_mean_something_else_below_the_split_stays(text: str) -> None:
    assert found(facts_of(f"{HEAD}# %% [2]\n{text}{END}")) != []
    assert edit_of(f"# %% [2]\n{text}{END}") == []


def test_a_cell_of_which_nothing_is_left_says_where_it_went() -> None:
    lines = edit_of(f"# %% [2]\nX = scaler.fit_transform(X)\n# %% [3]\n{SPLIT.format('X')}{END}")
    assert lines[:3] == [
        "cell 2",
        "- X = scaler.fit_transform(X)",
        "+ # scaler learns from a, below the split",
    ]


def test_a_name_that_is_taken_is_not_taken_again() -> None:
    text = f"# %% [2]\nX = StandardScaler().fit_transform(X)\n{SPLIT.format('X')}{END}"
    assert "+ scaler_2 = StandardScaler()" in edit_of(text)
