"""NBS312: a model is scored on rows that it was fitted on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pytest_nbsafe.rules import leaks
from pytest_nbsafe.rules.base import Claim, Facts, Needs
from pytest_nbsafe.rules.leaks import Leak, named, verb


class TrainedOnTest:
    """A model is scored as on test rows, on rows that it was fitted on.

    Why it matters: a model can know its training rows by heart; its score on them says nothing of
    new rows. `model.fit(X, y)` below the split, or a model of another cell that was fitted on
    everything, makes the test score just such a score.

    Limits: told where the rows are a test part or a fold, or the model was fitted on more than its
    training part. A score on the training rows beside one on test rows is common and left alone;
    that it is the only one is NBS314.

    Source: NBLyzer, section 4.2 (data that a model was trained and evaluated on).
    """

    code: ClassVar[str] = "NBS312"
    needs: ClassVar[Needs] = "static"
    bad: ClassVar[str] = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
# %% [2]
model = LogisticRegression().fit(X, y) #! NBS312
# %% [3]
print(model.score(X_test, y_test))
"""
    good: ClassVar[str] = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
# %% [2]
model = LogisticRegression().fit(X_train, y_train)
print(model.score(X_test, y_test))
# %% [3]
final = LogisticRegression().fit(X, y)
"""

    def check(self, facts: Facts) -> Iterator[Claim]:
        """Yield a claim for each model that was fitted on its test rows."""
        yield from leaks.claims(facts, self.code, _says, _remedy)


def _says(leak: Leak) -> str:
    what = named(leak.what or leak.model)
    does = verb(leak, "is", "may be")
    return f"{what} {does} fitted on rows that it is later scored on"


def _remedy(_: Leak) -> str:
    return "fit it on the training rows before it is scored, and on all rows only after that"
