"""A run met rows that are on both sides: among those learned from, and those scored on.

Why it matters: a model that has seen a row knows its answer. Every copied row among the test
rows makes the score better than it will be on new rows.

Limits: only a run can tell. Rows that the source itself holds twice are not counted, nor are
tables whose rows repeat anyway. Rows are equal when all their values are: a copy that was
changed, if only by a scaler that is not watched, is not recognised.

Source: Kaufman et al. 2012 (the legitimacy of the examples that are learned from).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_nbsafe.findings import Step
from pytest_nbsafe.rules.base import Claim, Facts, claim

if TYPE_CHECKING:
    from pytest_nbsafe.trace.evaluations import Copies

BAD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier
wine = load_wine(as_frame=True).frame
# %% [2]
few = wine.index[wine["target"] == 2]
wine = wine.reindex([*wine.index, *few])
train, test = train_test_split(wine, random_state=0) #! NBS334
# %% [3]
model = DecisionTreeClassifier().fit(train.drop(columns="target"), train["target"])
print(model.score(test.drop(columns="target"), test["target"]))
"""
GOOD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier
wine = load_wine(as_frame=True).frame
# %% [2]
train, test = train_test_split(wine, random_state=0)
few = train.index[train["target"] == 2]
train = train.reindex([*train.index, *few])
# %% [3]
model = DecisionTreeClassifier().fit(train.drop(columns="target"), train["target"])
print(model.score(test.drop(columns="target"), test["target"]))
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each split or score with copies that no leak of the text explains."""
    if facts.config.leakage_mode == "static":
        return
    from pytest_nbsafe.judge import observed_leaks

    explained = _places_of_leaks(facts)
    for copies in observed_leaks.of_trial(facts.trial)[1]:
        place = copies.cell, copies.line
        no_chance = copies.made is not None or copies.of >= _MANY  # rows were seen to be copied
        if no_chance and place not in explained and copies.made not in explained:
            explained.add(place)
            yield _claim(facts, copies)


_MANY = 30


def _places_of_leaks(facts: Facts) -> set[tuple[int, int]]:
    """Return the cells and lines on the paths of leaks that explain copies."""
    places: set[tuple[int, int]] = set()
    for leak, _ in facts.leaks():
        if leak.code.startswith("NBS31"):
            places |= {(leak.cell, n) for n in range(leak.span.line, leak.span.end_line + 1)}
            places |= {(cell, line) for cell, line, _ in leak.steps}
    return places


def _claim(facts: Facts, copies: Copies) -> Claim:
    steps = (Step(*copies.made, "copies rows"),) if copies.made is not None else ()
    return claim(
        facts,
        "NBS334",
        copies.cell,
        copies.line,
        "observed",
        f"{copies.rows} of the {copies.of} test rows are among the training rows too",
        steps=steps,
        remedy="split first and copy rows of the training part only, or drop the duplicates first",
    )
