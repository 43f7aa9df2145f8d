"""What a run saw of learning, and what becomes of the leaks in the text."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from rulecase import facts_of, lines, tried

from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.judge import observed_leaks
from pytest_nbsafe.rules import evaluate
from pytest_nbsafe.rules import nbs301_preprocessing_before_split as nbs301
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.trace.evaluations import Copies, Evaluation, Fitted
from pytest_nbsafe.trace.results import CellResult

LEAKY = nbs301.BAD
CLEAN = nbs301.GOOD
HIDDEN = """\
# %% [1]
from sklearn.linear_model import LogisticRegression
from ours import prepared
# %% [2]
X_train, X_test, y_train, y_test = prepared()
# %% [3]
model = LogisticRegression().fit(X_train, y_train)
print(model.score(X_test, y_test))
"""
TEST = 1


def fitted(what: str, role: str, cell: int, line: int, rows: int, shared: int) -> Fitted:
    return Fitted(what, role, cell, line, rows, shared)


MODEL = fitted("LogisticRegression", "classifier", 3, 1, 133, 0)


def score(*learned: Fitted, part: int | None = TEST, how: str = "score") -> Evaluation:
    return Evaluation(3, 2, "LogisticRegression", how, 45, part, learned)


def told(
    text: str,
    *evaluations: Evaluation,
    copies: tuple[Copies, ...] = (),
    config: Config | None = None,
) -> tuple[Finding, ...]:
    """Return what is found of leaks when the run of cell 3 saw this."""
    facts: Facts = facts_of(text, config)
    result = CellResult(3, 3, "ok", evaluations=evaluations, copies=copies)
    ran = tried(facts, {3: result})
    merge = partial(observed_leaks.merged, facts.leaks(), ran.trial, facts.notebook)
    found = evaluate(replace(ran, leaks=merge))
    return tuple(f for f in found if f.code.startswith("NBS3"))


def test_a_leak_of_the_text_that_the_run_saw_is_confirmed_with_its_numbers() -> None:
    (found,) = told(LEAKY, score(MODEL, fitted("StandardScaler", "transformer", 2, 1, 178, 45)))
    assert (found.code, found.verdict, found.severity) == ("NBS301", "confirmed", "error")
    last = found.steps[-1]
    assert (last.cell, last.line) == (3, 2)
    assert "45 of the 45 rows" in last.cause
    assert "178 that StandardScaler was fitted on" in last.cause


def test_a_leak_of_the_text_that_the_run_did_not_meet_stays_as_it_was() -> None:
    alone = lines(told(LEAKY))
    assert alone == ["NBS301 2:1 proved error"]
    assert lines(told(LEAKY, score(MODEL))) == alone


def test_a_leak_that_no_text_shows_is_observed() -> None:
    hidden = fitted("StandardScaler", "transformer", 2, 1, 178, 45)
    assert lines(told(HIDDEN)) == []
    assert lines(told(HIDDEN, score(MODEL, hidden))) == ["NBS301 2:1 observed error"]


@pytest.mark.parametrize(
    ("one", "code"),
    [
        (fitted("SelectKBest", "selector", 2, 1, 178, 45), "NBS303"),
        (fitted("StandardScaler", "transformer", 2, 1, 45, 45), "NBS304"),
        (fitted("SMOTE", "sampler", 2, 1, 178, 45), "NBS311"),
    ],
)
def test_the_code_says_what_learned(one: Fitted, code: str) -> None:
    assert lines(told(HIDDEN, score(MODEL, one))) == [f"{code} 2:1 observed error"]


def test_what_learns_before_the_folds_is_told_as_such() -> None:
    one = fitted("StandardScaler", "transformer", 2, 1, 178, 45)
    found = told(HIDDEN, score(MODEL, one, part=None, how="folds"))
    assert lines(found) == ["NBS305 2:1 observed error"]


def test_a_model_scored_on_test_rows_that_it_knows() -> None:
    knows = fitted("LogisticRegression", "classifier", 3, 1, 178, 45)
    assert lines(told(HIDDEN, score(knows))) == ["NBS312 3:2 observed error"]


@pytest.mark.parametrize(
    "evaluation",
    [
        # the score on the training rows
        score(replace(MODEL, shared=45), part=0),
        # rows of no known split: it may be the training score
        score(replace(MODEL, shared=45), part=None),
        # the training score of a model whose scaler learned from the same rows
        score(
            replace(MODEL, shared=45),
            fitted("StandardScaler", "transformer", 2, 1, 133, 45),
            part=None,
        ),
        # what learns only which categories there are, or nothing, or may have been told all
        score(MODEL, fitted("OneHotEncoder", "encoder", 2, 1, 178, 45)),
        score(MODEL, fitted("Normalizer", "transformer", 2, 1, 178, 45)),
        score(MODEL, fitted("SimpleImputer", "imputer", 2, 1, 178, 45)),
        # a class that nobody knows
        score(MODEL, fitted("OurScaler", "transformer", 2, 1, 178, 45)),
        # some rows met by chance
        score(MODEL, fitted("StandardScaler", "transformer", 2, 1, 178, 3)),
        score(),
    ],
)
def test_what_may_be_right_is_not_told_by_the_run_alone(evaluation: Evaluation) -> None:
    assert lines(told(HIDDEN, evaluation)) == []


def test_one_leak_is_told_once_however_often_it_is_scored() -> None:
    one = fitted("StandardScaler", "transformer", 2, 1, 178, 45)
    again = replace(score(MODEL, one), line=3)
    assert lines(told(LEAKY, score(MODEL, one), again)) == ["NBS301 2:1 confirmed error"]
    assert lines(told(HIDDEN, score(MODEL, one), again)) == ["NBS301 2:1 observed error"]


def test_rows_on_both_sides() -> None:
    copies = (Copies(3, 2, "train_test_split", 7, 45, None),)
    (found,) = told(CLEAN, copies=copies)
    assert (found.code, found.verdict, found.severity) == ("NBS334", "observed", "warning")
    assert "7 of the 45 test rows" in found.message


def test_a_handful_of_equal_rows_may_be_chance() -> None:
    few = Copies(3, 2, "LogisticRegression", 2, 3, None)
    assert told(CLEAN, copies=(few,)) == ()
    assert lines(told(CLEAN, copies=(replace(few, made=(2, 1)),))) == [
        "NBS334 3:2 observed warning"
    ]


def test_rows_on_both_sides_are_looked_for_in_runs_only_where_wanted() -> None:
    copies = (Copies(3, 2, "train_test_split", 7, 45, None),)
    assert told(CLEAN, copies=copies, config=Config(leakage_mode="static")) == ()
