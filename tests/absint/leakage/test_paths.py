"""The path of a leak: what happened to the rows, in the order in which it happened."""

import pytest

from pytest_nbsafe.absint.leakage.orders import leaks
from pytest_nbsafe.analysis import graph
from pytest_nbsafe.notebook import percent

HEAD = """\
# %% [1]
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
X, y = load_wine(return_X_y=True)
# %% [2]
"""
BEFORE = """\
X = StandardScaler().fit_transform(X)
# %% [3]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
# %% [4]
svc = SVC().fit(X_train, y_train)
svc.score(X_test, y_test)
"""
AFTER = """\
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
# %% [3]
A = StandardScaler().fit_transform(X_train)
B = StandardScaler().fit_transform(X_test)
# %% [4]
svc = SVC().fit(A, y_train)
svc.score(B, y_test)
"""
SPLIT = "X is split into training and test rows"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (
            BEFORE,
            [
                (2, 1, "StandardScaler learns from all rows of X"),
                (3, 1, SPLIT),
                (4, 1, "SVC is fitted on X_train"),
                (4, 2, "SVC is scored on X_test"),
            ],
        ),
        (
            AFTER,
            [
                (2, 1, SPLIT),
                (3, 2, "StandardScaler learns from all rows of X_test"),
                (4, 1, "SVC is fitted on A"),
                (4, 2, "SVC is scored on B"),
            ],
        ),
    ],
    ids=["before the split", "after the split"],
)
def test_the_split_stands_where_it_happened(text: str, path: list[tuple[int, int, str]]) -> None:
    notebook = graph.build(percent.parse(HEAD + text))
    (leak,) = leaks(notebook, [1, 2, 3, 4])
    assert list(leak.steps) == path


@pytest.mark.parametrize("function", ["min", "max", "sum"])
def test_a_statistic_has_the_name_that_the_page_calls(function: str) -> None:
    text = HEAD + BEFORE.replace("StandardScaler().fit_transform(X)", f"X / {function}(X)")
    (leak,) = leaks(graph.build(percent.parse(text)), [1, 2, 3, 4])
    assert (leak.code, leak.what) == ("NBS302", function)
