"""The path of a leak: what happened to the rows, in the order in which it happened."""

import pytest
from leakcase import IMPORTS

from pytest_nbsafe.absint.leakage.leak import Leak
from pytest_nbsafe.absint.leakage.orders import leaks
from pytest_nbsafe.analysis import graph
from pytest_nbsafe.notebook import percent

SPLIT = "X_train, X_test, y_train, y_test = train_test_split(X, y)\n"
LOAD = "# %% [2]\nX, y = load_wine(return_X_y=True)\n"
SOURCE = "2:1 X = all rows of load_wine(return_X_y=True)"
PARTED = "train_test_split: X_test is part of X"
RAN = "svc.score(X_test, y_test) evaluates"
FIT = "svc = SVC().fit(X_train, y_train)\nsvc.score(X_test, y_test)\n"


def _leaks(text: str) -> tuple[Leak, ...]:
    notebook = percent.parse(IMPORTS + text)
    return leaks(graph.build(notebook), [cell.number for cell in notebook.code_cells])


def _path(text: str, code: str) -> list[str]:
    """Return the path of the one leak with this code, as "cell:line cause"."""
    (leak,) = [leak for leak in _leaks(text) if leak.code == code]
    return [f"{cell}:{line} {cause}" for cell, line, cause in leak.steps]


def test_rows_that_a_scaler_learned_from_before_the_split() -> None:
    text = LOAD + "# %% [3]\nX = StandardScaler().fit_transform(X)\n" + SPLIT + FIT
    assert _path(text, "NBS301") == [
        SOURCE,
        "3:1 StandardScaler().fit_transform(X) learns from all of them",
        f"3:2 {PARTED}",
        f"3:4 {RAN} on rows it learned from",
    ]


def test_what_is_learned_after_the_split_stands_after_it() -> None:
    text = LOAD + SPLIT + "# %% [3]\nX_test = PCA().fit_transform(X_test)\n" + FIT
    assert _path(text, "NBS304") == [
        SOURCE,
        f"2:2 {PARTED}",
        "3:1 PCA().fit_transform(X_test) learns from the test rows",
        f"3:3 {RAN} on rows it learned from",
    ]


def test_a_part_by_a_mask_has_its_place() -> None:
    text = """\
# %% [2]
df = pd.read_csv("a.csv")
df["x"] = df["x"] / df["x"].max()
test = df[df["year"] > 2020]
train = df[df["year"] <= 2020]
svc = SVC().fit(train[["x"]], train["y"])
svc.score(test[["x"]], test["y"])
"""
    assert _path(text, "NBS302") == [
        '2:1 df = all rows of pd.read_csv("a.csv")',
        '2:2 df["x"].max() is taken of all of them',
        "2:3 test is part of them",
        '2:6 svc.score(test[["x"]], test["y"]) evaluates on rows it learned from',
    ]


def test_of_two_parts_it_is_the_one_that_is_scored_on() -> None:
    text = """\
# %% [2]
df = pd.read_csv("a.csv")
df["x"] = df["x"] / df["x"].max()
train, test = df[df["year"] <= 2020], df[df["year"] > 2020]
svc = SVC().fit(train[["x"]], train["y"])
print((svc.predict(test[["x"]]) == test["y"]).mean())
"""
    assert "2:3 test is part of them" in _path(text, "NBS302")


def test_folds_are_parts() -> None:
    text = LOAD + (
        "X = MinMaxScaler().fit_transform(X)\n"
        "for a, b in KFold(5).split(X):\n"
        "    SVC().fit(X[a], y[a]).score(X[b], y[b])\n"
    )
    assert _path(text, "NBS305") == [
        SOURCE,
        "2:2 MinMaxScaler().fit_transform(X) learns from all of them",
        "2:3 KFold: the test rows of each fold are part of X",
        "2:4 SVC().fit(X[a], y[a]).score(X[b], y[b]) evaluates on folds it learned from",
    ]


def test_a_cross_validation_needs_no_split() -> None:
    text = LOAD + "Z = SelectKBest(k=3).fit_transform(X, y)\ncross_val_score(SVC(), Z, y)\n"
    assert _path(text, "NBS303") == [
        SOURCE,
        "2:2 SelectKBest(k=3).fit_transform(X, y) looks at the target in all of them",
        "2:3 cross_val_score(SVC(), Z, y) cross-validates on rows whose labels chose the features",
    ]


def test_two_files_that_are_joined_are_both_named() -> None:
    text = """\
# %% [2]
train, test = pd.read_csv("a.csv"), pd.read_csv("b.csv")
both = pd.concat([train, test])
sc = StandardScaler().fit(both[["x"]])
svc = SVC().fit(sc.transform(train[["x"]]), train["y"])
svc.score(sc.transform(test[["x"]]), test["y"])
"""
    assert _path(text, "NBS306") == [
        '2:1 train = all rows of pd.read_csv("a.csv")',
        '2:1 test = all rows of pd.read_csv("b.csv")',
        '2:3 StandardScaler().fit(both[["x"]]) learns from all of them',
        '2:5 svc.score(sc.transform(test[["x"]]), test["y"]) evaluates on rows it learned from',
    ]


def test_a_model_that_was_fitted_on_all_rows() -> None:
    text = LOAD + SPLIT + "svc = SVC()\nsvc.fit(X, y)\nsvc.score(X_test, y_test)\n"
    assert _path(text, "NBS312") == [
        SOURCE,
        f"2:2 {PARTED}",
        "2:4 svc.fit(X, y) learns from all of them",
        f"2:5 {RAN} on rows it learned from",
    ]


def test_rows_that_were_copied() -> None:
    text = LOAD + "X, y = SMOTE().fit_resample(X, y)\n" + SPLIT + FIT
    path = _path(text, "NBS311")
    assert path[1:] == [
        "2:2 SMOTE().fit_resample(X, y) makes more rows out of all of them",
        f"2:3 {PARTED}",
        f"2:5 {RAN} on rows of which there are copies in the training rows",
    ]


def test_the_end_of_a_choice_is_where_the_best_is_kept() -> None:
    text = (
        LOAD
        + SPLIT
        + (
            "Cs = (0.1, 1.0, 10.0)\n"
            "told = [SVC(C=c, tol=0.01).fit(X_train, y_train).score(X_test, y_test) for c in Cs]\n"
            "print(max(told))\n"
        )
    )
    assert _path(text, "NBS321")[1:] == [
        f"2:2 {PARTED}",
        "2:4 SVC is scored on rows that the choice is made by",
        "2:5 the best score is kept",
    ]


def test_what_a_model_stops_by() -> None:
    text = (
        LOAD
        + SPLIT
        + (
            "xgb = XGBClassifier(early_stopping_rounds=5)\n"
            "xgb.fit(X_train, y_train, eval_set=[(X_test, y_test)])\n"
            "xgb.score(X_test, y_test)\n"
        )
    )
    assert _path(text, "NBS322")[1:] == [
        f"2:2 {PARTED}",
        "2:4 xgb.fit(X_train, y_train, eval_set=[(X_test, y_test)]) stops by X_test",
        "2:5 xgb.score(X_test, y_test) evaluates on the rows it stopped by",
    ]


@pytest.mark.parametrize(
    ("made", "path"),
    [
        ("", ["2:4 SVC().fit(a, a_y): y is among the features"]),
        (
            'df["z"] = 2 * df["y"]\nX = df.drop(columns="y")\n',
            ["2:3 this column is made of y", "2:6 SVC().fit(a, a_y) learns from it"],
        ),
    ],
    ids=["itself", "a copy"],
)
def test_the_target_among_the_features(made: str, path: list[str]) -> None:
    text = (
        '# %% [2]\ndf = pd.read_csv("a.csv")\nX = df\n'
        + made
        + 'a, b, a_y, b_y = train_test_split(X, df["y"])\nSVC().fit(a, a_y).score(b, b_y)\n'
    )
    told = _path(text, "NBS341")
    assert [step for step in told if step in path] == path
    assert told[-1].endswith("evaluates with the target among the features")


def test_dated_rows_that_are_shuffled() -> None:
    text = """\
# %% [2]
df = pd.read_csv("a.csv")
df["lag"] = df["y"].shift(1)
train, test = train_test_split(df)
svc = SVC().fit(train[["lag"]], train["y"])
svc.score(test[["lag"]], test["y"])
"""
    assert _path(text, "NBS331") == [
        '2:1 df = all rows of pd.read_csv("a.csv")',
        "2:3 train_test_split: rows in order of time go to either side",
        '2:5 svc.score(test[["lag"]], test["y"]) evaluates on rows between those it learned from',
    ]


def test_a_call_over_several_lines_is_named_by_what_it_is_of() -> None:
    text = LOAD + "X = StandardScaler(\n    with_mean=False\n).fit_transform(X)\n" + SPLIT + FIT
    assert _path(text, "NBS301")[1] == "2:4 fit_transform(X) learns from all of them"


def test_letters_of_more_than_one_byte_do_not_shift_the_text() -> None:
    text = LOAD + "Ä = 'é'; X = PCA().fit_transform(X)\n" + SPLIT + FIT
    assert _path(text, "NBS301")[1] == "2:2 PCA().fit_transform(X) learns from all of them"


def test_the_path_follows_the_order_that_was_run() -> None:
    text = LOAD + "# %% [4]\n" + SPLIT + "# %% [3]\nX = PCA().fit_transform(X)\n# %% [5]\n" + FIT
    notebook = graph.build(percent.parse(IMPORTS + text))
    (leak,) = leaks(notebook, [1, 2, 4, 3, 5])
    assert [cell for cell, _, _ in leak.steps] == [2, 4, 3, 5]


@pytest.mark.parametrize("function", ["min", "max", "sum"])
def test_a_statistic_has_the_name_that_the_page_calls(function: str) -> None:
    (leak,) = _leaks(LOAD + f"X = X / {function}(X)\n" + SPLIT + FIT)
    assert (leak.code, leak.what) == ("NBS302", function)


def test_the_best_score_of_a_search_that_is_given_alone() -> None:
    text = LOAD + "search = GridSearchCV(SVC(), {'C': [1, 2]}).fit(X, y)\nsearch.best_score_\n"
    assert _path(text, "NBS324") == [
        "2:2 GridSearchCV(SVC(), {'C': [1, 2]}).fit(X, y) keeps the best of its candidates",
        "2:3 its score is given",
    ]


def test_groups_that_are_parted() -> None:
    text = (
        LOAD
        + "groups = np.load('g.npy')\n"
        + "cross_val_score(SVC(), X, y, groups=groups, cv=GroupKFold(3))\n"
        + SPLIT
        + FIT
    )
    assert _path(text, "NBS332") == [
        SOURCE,
        "2:4 train_test_split: rows of one group (groups) go to either side",
        f"2:6 {RAN} on groups it learned from",
    ]


def test_a_training_score_that_is_the_only_one() -> None:
    text = LOAD + SPLIT + "svc = SVC().fit(X_train, y_train)\nsvc.score(X_train, y_train)\n"
    assert _path(text, "NBS314")[-1] == (
        "2:4 svc.score(X_train, y_train) evaluates on the training rows, and nothing else does"
    )
