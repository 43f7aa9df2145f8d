"""Which rows were learned from and judged on, as the watch counts them."""

from __future__ import annotations

import pytest
from tiers import every_row
from watching import watching


def told(text: str) -> list[str]:
    """Return what is told of a cell; lines count from its first."""
    if ".fit_resample" in text:
        pytest.importorskip("imblearn")
    with watching() as watched:
        watched.run(text)
        assert watched.listener.faults == []
        return watched.told()


WINE = "X, y = load_wine(return_X_y=True)\n"
FRAME = "df = load_wine(as_frame=True).frame; X = df.drop(columns='target'); y = df.target\n"
RARE = "X, y = make_classification(800, weights=[.92], flip_y=.05, random_state=0)\n"
SPLIT = "a, b, c, d = train_test_split(X, y, random_state=0)\n"
SCORE = "m = LogisticRegression().fit(a, c); m.score(b, d)\n"
MASK = "m = np.random.default_rng(3).random(len(X)) < .7\n"

LEAKS = {
    "scaled before the split": (
        WINE + "X = StandardScaler().fit_transform(X)\n" + SPLIT + SCORE,
        ["4 score 45@1 = LogisticRegression:4 0/133, StandardScaler:2 45/178"],
    ),
    "fitted before the split, applied after": (
        FRAME + "s = StandardScaler().fit(X)\n" + SPLIT + "a, b = s.transform(a), s.transform(b)\n"
        "p = LogisticRegression().fit(a, c).predict(b); accuracy_score(d, p)\n",
        ["5 metric 45@1 = LogisticRegression:5 0/133, StandardScaler:2 45/178"],
    ),
    "columns assigned back, parts by position": (
        FRAME + "n = list(df.columns[:5]); df[n] = MinMaxScaler().fit_transform(df[n])\n"
        "t, e = df[:120], df[120:]\n"
        "m = DecisionTreeClassifier().fit(t.drop(columns='target'), y[:120])\n"
        "m.score(e.drop(columns='target'), y[120:])\n",
        ["5 score 58 = DecisionTreeClassifier:4 0/120, MinMaxScaler:2 58/178"],
    ),
    "parts by a mask": (
        WINE + "Z = PCA(3).fit_transform(X)\n" + MASK + "k = LogisticRegression().fit(Z[m], y[m])\n"
        "f1_score(y[~m], k.predict(Z[~m]), average='macro')\n",
        ["5 metric 51 = LogisticRegression:4 0/127, PCA:2 51/178"],
    ),
    "a frame made of the result, columns dropped and added": (
        FRAME + "Z = pd.DataFrame(StandardScaler().fit_transform(X), columns=X.columns)\n"
        "X = Z.drop(columns='ash').assign(flag=1)\n" + SPLIT + "a = a.copy(); a['r'] = a.hue * 2\n"
        "b = b.assign(r=b.hue * 2)\n" + SCORE,
        ["7 score 45@1 = LogisticRegression:7 0/133, StandardScaler:2 45/178"],
    ),
    "features chosen by all": (
        WINE + "X = SelectKBest(k=3).fit_transform(X, y)\n" + SPLIT + SCORE,
        ["4 score 45@1 = LogisticRegression:4 0/133, SelectKBest:2 45/178"],
    ),
    "filled in by all": (
        WINE + "X[::9, 0] = np.nan; X = SimpleImputer().fit_transform(X)\n" + SPLIT + SCORE,
        ["4 score 45@1 = LogisticRegression:4 0/133, SimpleImputer:2 45/178"],
    ),
    "a sparse matrix of words": (
        "t = [f'w{i % 97} v{i % 31} x{i}' for i in range(300)]; y = np.arange(300) % 2\n"
        "X = TfidfVectorizer().fit_transform(t)\n" + SPLIT + SCORE,
        ["4 score 75@1 = LogisticRegression:4 0/225, TfidfVectorizer:2 75/300"],
    ),
    "lists": (
        "X = [[i / 7, i ** .5] for i in range(200)]; y = [i % 2 for i in range(200)]\n"
        "X = StandardScaler().fit_transform(X).tolist()\n"
        + SPLIT
        + "m = LogisticRegression().fit(a, c); accuracy_score(d, m.predict(b))\n",
        ["4 metric 50@1 = LogisticRegression:4 0/150, StandardScaler:2 50/200"],
    ),
    "by a function": (
        WINE + "X = scale(X)\n" + SPLIT + SCORE,
        ["4 score 45@1 = LogisticRegression:4 0/133, scale:2 45/178"],
    ),
    "the test rows scaled by themselves": (
        WINE
        + SPLIT
        + "s = StandardScaler(); a = s.fit_transform(a)\nb = s.fit_transform(b)\n"
        + SCORE,
        [
            (
                "5 score 45@1 = LogisticRegression:5 0/133, StandardScaler:3 0/133, "
                "StandardScaler:4 45/45"
            )
        ],
    ),
    "trained on everything": (
        WINE + SPLIT + "m = LogisticRegression().fit(X, y)\nm.score(b, d)\n",
        ["4 score 45@1 = LogisticRegression:3 45/178"],
    ),
    "train and test joined": (
        (
            "X, y = make_classification(600, random_state=0)\ns = StandardScaler()\n"
            "t, e = X[:400].copy(), X[400:].copy()\ns.fit(np.vstack([t, e]))\n"
            "m = LogisticRegression().fit(s.transform(t), y[:400])\n"
            "m.score(s.transform(e), y[400:])\n"
        ),
        ["6 score 200 = LogisticRegression:5 0/400, StandardScaler:4 200/600"],
    ),
    "cross-validated after scaling": (
        WINE
        + "X = StandardScaler().fit_transform(X)\ncross_val_score(LogisticRegression(), X, y)\n",
        ["3 folds 178 = LogisticRegression:3 0/178, StandardScaler:2 178/178"],
    ),
    "searched after scaling": (
        WINE
        + "X = StandardScaler().fit_transform(X)\n"
        + SPLIT
        + "g = GridSearchCV(LogisticRegression(), {'C': [1, 2]}).fit(a, c)\n"
        "g.best_estimator_.score(b, d)\n",
        [
            "4 folds 133@0 = GridSearchCV:4 0/133, StandardScaler:2 133/178",
            "5 score 45@1 = GridSearchCV:4 0/133, StandardScaler:2 45/178",
        ],
    ),
    "folds by hand after scaling": (
        WINE + "X = StandardScaler().fit_transform(X)\nfor t, e in KFold(2).split(X):\n"
        "    LogisticRegression().fit(X[t], y[t]).score(X[e], y[e])\n",
        ["4 score 89 = LogisticRegression:4 0/89, StandardScaler:2 89/178"],
    ),
    "a target scaled by all": (
        "X, y = load_diabetes(return_X_y=True); s = StandardScaler()\n"
        "y = s.fit_transform(y.reshape(-1, 1)).ravel()\n"
        + SPLIT
        + "r2_score(d, Ridge().fit(a, c).predict(b))\n",
        ["4 metric 111@1 = Ridge:4 0/331, StandardScaler:2 111/442"],
    ),
    "over-sampled before the split": (
        RARE + "X, y = RandomOverSampler(random_state=0).fit_resample(X, y)\n" + SPLIT + SCORE,
        [
            "4 score 361@1 = LogisticRegression:4 0/1081, RandomOverSampler:2 361/800",
            "3 train_test_split copies 186 of 361 made 2",
        ],
    ),
    "rows made up before the split": (
        RARE + "X, y = SMOTE(random_state=0).fit_resample(X, y)\n" + SPLIT + SCORE,
        ["4 score 361@1 = LogisticRegression:4 0/1081, SMOTE:2 194/800"],
    ),
    "drawn again and joined before the split": (
        FRAME + "few = df[df.target == 2].sample(90, replace=True, random_state=0)\n"
        "df = pd.concat([df, few], ignore_index=True)\n"
        "X = df.drop(columns='target'); y = df.target\n" + SPLIT + SCORE,
        [
            "6 score 67@1 = LogisticRegression:6 0/201",
            "5 train_test_split copies 34 of 67 made 2",
        ],
    ),
    "joined with themselves, labels kept, by code that nobody watches": (
        FRAME + "df = df.loc[[*df.index, *df.index[:40]]]\n"
        "X = df.drop(columns='target'); y = df.target\n" + SPLIT + SCORE,
        [
            "5 score 55@1 = LogisticRegression:5 0/163",
            "4 train_test_split copies 15 of 55 made 0",
        ],
    ),
    "equal rows in two files": (
        (
            "X, y = make_classification(1000, random_state=0)\nt = X[:700].copy()\n"
            "e = np.vstack([X[700:], X[:60]]); z = np.r_[y[700:], y[:60]]\n"
            "LogisticRegression().fit(t, y[:700]).score(e, z)\n"
        ),
        [
            "4 score 360 = LogisticRegression:4 0/700",
            "4 LogisticRegression copies 60 of 360 made 0",
        ],
    ),
}

CLEAN = {
    "a pipeline": (
        WINE + SPLIT + "p = make_pipeline(StandardScaler(), LogisticRegression()).fit(a, c)\n"
        "p.score(b, d); roc_auc_score(d, p.predict_proba(b), multi_class='ovr')\n",
        ["4 score 45@1 = Pipeline:3 0/133", "4 metric 45@1 = Pipeline:3 0/133"],
    ),
    "scaled in place by what train taught": (
        FRAME + SPLIT + "n = list(a.columns); s = StandardScaler().fit(a)\n"
        "a[n] = s.transform(a); b[n] = s.transform(b)\n" + SCORE + "m.score(a, c)\n",
        [
            "5 score 45@1 = LogisticRegression:5 0/133, StandardScaler:3 0/133",
            "6 score 133@0 = LogisticRegression:5 133/133, StandardScaler:3 133/133",
        ],
    ),
    "frames with the old labels": (
        FRAME + SPLIT + "s = StandardScaler(); k = dict(columns=X.columns)\n"
        "a = pd.DataFrame(s.fit_transform(a), index=a.index, **k)\n"
        "b = pd.DataFrame(s.transform(b), index=b.index, **k)\n" + SCORE,
        ["6 score 45@1 = LogisticRegression:6 0/133, StandardScaler:4 0/133"],
    ),
    "a scaler fitted again on train": (
        WINE
        + "s = StandardScaler(); s.fit(X)\n"
        + SPLIT
        + "s.fit(a); a, b = map(s.transform, (a, b))\n"
        + SCORE,
        ["5 score 45@1 = LogisticRegression:5 0/133, StandardScaler:4 0/133"],
    ),
    "only train over-sampled": (
        RARE + SPLIT + "a, c = SMOTE(random_state=0).fit_resample(a, c)\n" + SCORE,
        ["4 score 200@1 = LogisticRegression:4 0/1090, SMOTE:3 0/600"],
    ),
    "three parts": (
        WINE + "a, t, c, z = train_test_split(X, y, random_state=0)\n"
        "a, b, c, d = train_test_split(a, c, random_state=0)\n" + SCORE + "m.score(t, z)\n",
        [
            "4 score 34@1 = LogisticRegression:4 0/99",
            "5 score 45@1 = LogisticRegression:4 0/99",
        ],
    ),
    "folds by hand": (
        WINE + "for t, e in KFold(2).split(X):\n    s = StandardScaler().fit(X[t])\n"
        "    k = LogisticRegression().fit(s.transform(X[t]), y[t])\n"
        "    k.score(s.transform(X[e]), y[e])\n",
        ["5 score 89 = LogisticRegression:4 0/89, StandardScaler:3 0/89"],
    ),
    "rows that the source repeats": (
        "g = np.random.default_rng(0); X = g.integers(0, 3, (500, 3)); y = g.integers(0, 2, 500)\n"
        + SPLIT
        + "DecisionTreeClassifier().fit(a, c).score(b, d)\n"
        + MASK
        + "DecisionTreeClassifier().fit(X[m], y[m]).score(X[~m], y[~m])\n",
        [
            "3 score 125@1 = DecisionTreeClassifier:3 0/375",
            "5 score 145 = DecisionTreeClassifier:5 0/355",
        ],
    ),
    "two files of few kinds of rows": (
        (
            "g = np.random.default_rng(0)\ndef made(n):\n"
            "    return np.c_[g.integers(1, 4, n), g.integers(0, 2, n), g.integers(1, 70, n), "
            "g.integers(0, 15, n)]\nX, E = made(891), made(418); s = StandardScaler().fit(X)\n"
            "m = LogisticRegression().fit(s.transform(X), g.integers(0, 2, 891))\n"
            "m.score(s.transform(E), g.integers(0, 2, 418))\n"
        ),
        ["6 score 418 = LogisticRegression:5 0/891, StandardScaler:4 0/891"],
    ),
    "a bootstrap and what it left out": (
        WINE + "i = np.random.default_rng(0).integers(0, 178, 178)\n"
        "o = np.setdiff1d(range(178), i)\n"
        "DecisionTreeClassifier().fit(X[i], y[i]).score(X[o], y[o])\n",
        ["4 score 61 = DecisionTreeClassifier:4 0/178"],
    ),
    "categories coded before the split beside other columns": (
        "g = np.random.default_rng(0); y = g.integers(0, 2, 500)\n"
        "k = g.choice(list('xyz'), (500, 1))\n"
        "Z = OneHotEncoder(sparse_output=False).fit_transform(k)\n"
        "X = pd.DataFrame({'flag': (g.random(500) < .01) * 1, 'v': g.normal(size=500)})\n"
        + SPLIT
        + SCORE,
        ["6 score 125@1 = LogisticRegression:6 0/375"],
    ),
    "columns that pass through": (
        FRAME
        + "t = ColumnTransformer([('s', StandardScaler(), ['ash'])], remainder='passthrough')\n"
        "t.fit(X); X = X.drop(columns='ash')\n" + SPLIT + SCORE,
        ["5 score 45@1 = LogisticRegression:5 0/133"],
    ),
    "a batch after another": (
        RARE + SPLIT + "m = SGDClassifier()\nfor _ in range(3):\n    for i in range(0, 600, 200):\n"
        "        m.partial_fit(a[i:i + 200], c[i:i + 200], classes=[0, 1])\nm.score(b, d)\n",
        ["7 score 200@1 = SGDClassifier:6 0/600"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), every_row(2, LEAKS.values()), ids=LEAKS)
def test_rows_that_are_met_again_are_counted(text: str, expected: list[str]) -> None:
    assert expected == told(text)


@pytest.mark.parametrize(("text", "expected"), every_row(2, CLEAN.values()), ids=CLEAN)
def test_rows_that_are_not_met_again_are_not(text: str, expected: list[str]) -> None:
    assert expected == told(text)


def test_false_negative_rows_that_are_scaled_by_hand_are_strangers() -> None:
    text = WINE + "s = StandardScaler().fit(X)\nX = X / X.max()\n" + SPLIT + SCORE
    assert told(text) == ["5 score 45@1 = LogisticRegression:5 0/133"]


def test_false_negative_parts_by_a_mask_of_rows_that_repeat() -> None:
    text = (
        "g = np.random.default_rng(0); X = g.integers(0, 3, (500, 2)); y = g.integers(0, 2, 500)\n"
        + MASK
        + "k = DecisionTreeClassifier().fit(X, y); k.score(X[~m], y[~m])\n"
    )
    assert told(text) == ["3 score 145 = DecisionTreeClassifier:3 0/500"]


def test_false_negative_predictions_that_no_watched_function_judges() -> None:
    text = (
        WINE + "X = scale(X)\n" + SPLIT + "(LogisticRegression().fit(a, c).predict(b) == d).mean()"
    )
    assert told(text) == []


def test_false_negative_columns_that_are_chosen_by_hand() -> None:
    text = WINE + "k = SelectKBest(k=3).fit(X, y).get_support()\nX = X[:, k]\n" + SPLIT + SCORE
    assert told(text) == ["5 score 45@1 = LogisticRegression:5 0/133"]
