"""Leaks that show only with what the user knows of a library of his own."""

import json

import leakcase

OWN = """\
# %% [1]
from ourlib import by_year, fetch
from ourlib.prep import RowScaler
from sklearn.linear_model import LogisticRegression
X = fetch()
# %% [2]
X = RowScaler().fit_transform(X)
train, test = by_year(X, 2020)
# %% [3]
model = LogisticRegression().fit(train[:, :-1], train[:, -1])
print(model.score(test[:, :-1], test[:, -1]))
"""


def test_a_library_of_the_users_own_from_source_to_score() -> None:
    table = {"ourlib": {"load": ["fetch"], "split": ["by_year"]}}
    assert leakcase.leaks_of(OWN, json.dumps(table)) == ()
    table["ourlib.prep"] = {"transformer": ["RowScaler"]}
    (leak,) = leakcase.leaks_of(OWN, json.dumps(table))
    assert (leak.code, leak.certain, leak.cell, leak.span.line) == ("NBS301", True, 2, 1)
