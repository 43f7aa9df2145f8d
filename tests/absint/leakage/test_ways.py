"""Ways to part a table: parts are never said to share rows that they may not, and leaks show."""

from pathlib import Path

import pytest
from leakcase import marked, told

HEAD = """\
# %% [2]
import json, itertools, zlib
from ourlib import get_mask, helper
from sklearn.model_selection import PredefinedSplit, ShuffleSplit
df = pd.read_csv("a.csv")
"""
BEFORE = 'df[["x"]] = StandardScaler().fit_transform(df[["x"]])\n'
PLAIN = 'm = Ridge().fit(train[["x"]], train["y"])\nm.score(test[["x"]], test["y"])\n'
AFTER = """\
sc = StandardScaler().fit(train[["x"]])
m = Ridge().fit(sc.transform(train[["x"]]), train["y"])
m.score(sc.transform(test[["x"]]), test["y"])
"""
WAYS = (Path(__file__).parent / "ways.txt").read_text(encoding="utf-8").split("\n\n")


@pytest.mark.parametrize("way", WAYS)
def test_parts_are_apart_or_nothing_is_said(way: str) -> None:
    assert told(HEAD + way + "\n" + AFTER) == []


@pytest.mark.parametrize("way", WAYS)
def test_what_is_learned_before_is_learned_of_the_test_rows(way: str) -> None:
    codes = {line.split()[0] for line in told(HEAD + BEFORE + way + "\n" + PLAIN)}
    assert codes in ({"NBS301"}, {"NBS305"})


@pytest.mark.parametrize(
    "way", ["train, test = helper(df)\n", "train = helper(df)\ntest = helper(df)\n"]
)
def test_parts_of_an_unknown_function_leak_in_doubt(way: str) -> None:
    assert told(HEAD + way + "\n" + AFTER) == []
    leaks = told(HEAD + BEFORE + way + "\n" + PLAIN)
    assert [line.split()[0] for line in leaks] == ["NBS301?"]


def test_false_negative_chunks_of_a_file() -> None:
    way = (
        "chunks = pd.read_csv('a.csv', chunksize=500)\ntrain = next(chunks)\ntest = next(chunks)\n"
    )
    assert told(HEAD + way + "\n" + AFTER) == []
    assert told(HEAD + BEFORE + way + "\n" + PLAIN) == []


# -- folds that are made by hand -------------------------------------------------------------------

FOLDS = """\
# %% [2]
X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X) #! NBS305
order = np.random.default_rng(0).permutation(len(X))
folds = np.array_split(order, 5)
"""
LOOP = """\
    m = LogisticRegression().fit(X[train], y[train])
    print(m.score(X[test], y[test]))
"""


@pytest.mark.parametrize(
    "loop",
    [
        (
            "for k in range(5):\n    test = folds[k]\n"
            "    train = np.concatenate([folds[j] for j in range(5) if j != k])\n"
        ),
        (
            "for k in range(5):\n    test = folds[k]\n"
            "    train = np.concatenate(folds[:k] + folds[k + 1:])\n"
        ),
        "for k, test in enumerate(folds):\n    train = np.setdiff1d(order, test)\n",
    ],
    ids=["filter", "slices", "difference"],
)
def test_folds_of_positions(loop: str) -> None:
    assert told(FOLDS + loop + LOOP) == marked(FOLDS)
    clean = "\n".join(line for line in FOLDS.split("\n") if "#!" not in line)
    assert told(clean + loop + LOOP) == []


TABLES = """\
# %% [2]
df = pd.read_csv("a.csv").sample(frac=1, random_state=0)
df["x"] = (df["x"] - df["x"].mean()) / df["x"].std() #! NBS302
"""
FIT = """\
    m = Ridge().fit(train[["x"]], train["y"])
    print(m.score(test[["x"]], test["y"]))
"""


@pytest.mark.parametrize(
    "loop",
    [
        (
            "parts = np.array_split(df, 5)\nfor k in range(5):\n    test = parts[k]\n"
            "    train = pd.concat(parts[:k] + parts[k + 1:])\n"
        ),
        (
            "parts = np.array_split(df, 5)\nfor k in range(5):\n    test = parts[k]\n"
            "    train = pd.concat([p for i, p in enumerate(parts) if i != k])\n"
        ),
        (
            "df['fold'] = np.random.randint(0, 5, len(df))\nfor k in range(5):\n"
            "    train, test = df[df['fold'] != k], df[df['fold'] == k]\n"
        ),
        "for k, test in df.groupby('fold'):\n    train = df.drop(test.index)\n",
        (
            "n = len(df) // 5\nfor k in range(5):\n    test = df.iloc[k * n:(k + 1) * n]\n"
            "    train = pd.concat([df.iloc[:k * n], df.iloc[(k + 1) * n:]])\n"
        ),
    ],
    ids=["slices", "filter", "column", "groups", "bounds"],
)
def test_folds_of_tables(loop: str) -> None:
    assert told(TABLES + loop + FIT) == marked(TABLES)
    clean = "\n".join(line for line in TABLES.split("\n") if "#!" not in line)
    assert told(clean + loop + FIT) == []
