"""Several models on one test set are told where a loop or a helper scores them at one place."""

from __future__ import annotations

import pytest
from leakcase import leaks_of

PAGE = """\
# %% [1]
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC
df = pd.read_csv("a.csv")
X, y = df.drop(columns="y"), df["y"]
a, b, c, d = train_test_split(X, y)
# %% [2]
"""


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("for m in [LogisticRegression(), SVC()]:\n    m.fit(a, c)\n    print(m.score(b, d))", 3),
        (
            (
                "models = {'lr': LogisticRegression(), 'svc': SVC()}\n"
                "for name, m in models.items():\n"
                "    m.fit(a, c)\n"
                "    print(name, accuracy_score(d, m.predict(b)))"
            ),
            4,
        ),
        (
            (
                "def report(m):\n    m.fit(a, c)\n    print(m.score(b, d))\n"
                "report(LogisticRegression())\nreport(SVC())"
            ),
            3,
        ),
        ("for m in [SVC(), SVC(C=9)]:\n    m.fit(a, c)\n    print(m.score(b, d))", 3),
        ("print([m.fit(a, c).score(b, d) for m in (LogisticRegression(), SVC())])", 1),
    ],
    ids=["list", "dict", "helper", "two of a class", "comprehension"],
)
def test_models_that_are_scored_at_one_place_are_several(body: str, place: int) -> None:
    assert [("NBS323", 2, place)] == [
        (leak.code, leak.cell, leak.span.line) for leak in leaks_of(PAGE + body)
    ]


@pytest.mark.parametrize(
    "body",
    [
        "for C in range(1, 9):\n    print(SVC(C=C).fit(a, c).score(b, d))",
        "for n in [100, 200]:\n    print(SVC().fit(a[:n], c[:n]).score(b, d))",
        (
            "for seed in range(5):\n"
            "    a, b, c, d = train_test_split(X, y, random_state=seed)\n"
            "    print(SVC().fit(a, c).score(b, d))"
        ),
    ],
    ids=["other settings", "more rows", "other rows"],
)
def test_a_model_that_a_loop_makes_is_one_model(body: str) -> None:
    assert leaks_of(PAGE + body) == ()


def test_one_seed_splits_fewer_or_more_rows_in_another_way() -> None:
    again = (
        "print(SVC().fit(a, c).score(b, d))\n"
        "X, y = Sampler().fit_resample(X, y)\n"
        "a, b, c, d = train_test_split(X, y, random_state=0)\n"
        "print(LogisticRegression().fit(a, c).score(b, d))"
    )
    page = PAGE.replace("(X, y)\n", "(X, y, random_state=0)\n")
    fewer = "from imblearn.under_sampling import RandomUnderSampler as Sampler\n"
    more = "from imblearn.over_sampling import RandomOverSampler as Sampler\n"
    assert leaks_of(page + fewer + again) == ()
    assert [leak.code for leak in leaks_of(page + more + again)] == ["NBS311"]
