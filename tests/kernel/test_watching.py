"""The watch is not seen by what it watches, and a fault of it changes nothing."""

from __future__ import annotations

import inspect
import pickle
import sys
import traceback
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import KFold, train_test_split
from sklearn.preprocessing import StandardScaler
from tiers import every_row
from watching import Watched, watching

from pytest_nbsafe.kernel.functions.stand_in import is_ours
from pytest_nbsafe.kernel.learning import fit_log, row_hashes, row_origins, table_rows

WINE = "X, y = load_wine(return_X_y=True)\n"
SPLIT = "a, b, c, d = train_test_split(X, y, random_state=0)\n"
SCORE = "m = LogisticRegression().fit(a, c); m.score(b, d)\n"


@pytest.fixture
def watch() -> Iterator[Watched]:
    with watching() as watched:
        yield watched
    assert watched.listener.faults == []


# ------------------------------------------------------------------ nobody sees the watch


def outcome(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {"np": np, "tts": train_test_split, "y": np.arange(40)}
    exec(text, names)
    return names


DRAWS = """\
X = np.arange(80.).reshape(40, 2)
np.random.seed(5)
first = [part.tolist() for part in tts(X, y)] + [float(np.random.rand())]
state = np.random.RandomState(1)
second = [part.tolist() for part in tts(X, y, stratify=y % 2, random_state=state)]
second.append(float(state.rand()))
third = [part.tolist() for part in tts(X, shuffle=False)]
from sklearn.utils import resample, shuffle
fourth = [resample(X, random_state=0).tolist()]
fourth += [v.tolist() for v in resample(X, y, random_state=0)]
fourth.append(shuffle(X, y, random_state=0, n_samples=5)[1].tolist())
kinds = [type(tts(X)), type(resample(X)), type(resample(X, y)), len(tts(X, y, y))]
"""


@pytest.mark.parametrize("name", ["first", "second", "third", "fourth", "kinds"])
def test_results_and_random_numbers_are_the_same(name: str) -> None:
    without = outcome(DRAWS)[name]
    with watching() as watched:
        watched.desk.start()
        assert without == outcome(DRAWS)[name]


def test_functions_stay_the_same_objects(watch: Watched) -> None:
    before = train_test_split, accuracy_score, StandardScaler.fit, LogisticRegression.score
    names = watch.run("from sklearn.metrics import accuracy_score as again")
    assert before == (
        names["train_test_split"], names["again"], StandardScaler.fit, LogisticRegression.score
    )  # fmt: skip
    for function in before:
        assert pickle.loads(pickle.dumps(function)) is function


def test_what_can_be_asked_of_a_function_is_as_it_was() -> None:
    functions = [
        train_test_split, accuracy_score, KFold.split, StandardScaler.fit,
        StandardScaler.fit_transform, LogisticRegression.fit, LogisticRegression.score,
    ]  # fmt: skip

    def asked() -> list[object]:
        return [
            (
                inspect.signature(f),
                inspect.getfullargspec(f),
                inspect.getsource(f),
                inspect.isgeneratorfunction(f),
                f.__code__.co_varnames[: f.__code__.co_argcount],
                (f.__name__, f.__qualname__, f.__doc__, f.__defaults__, f.__kwdefaults__),
            )
            for f in functions
        ]

    before = asked()
    with watching():
        assert before == asked()
    assert before == asked()


OWN = """\
from sklearn.base import BaseEstimator, TransformerMixin
class Mine(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None, /, *more, k=2, **rest):
        self.seen_ = (k, more, rest)
        self.mean_ = np.mean(X, axis=0)
        return self
    def transform(self, X):
        return X - self.mean_
class Below(Mine):
    def fit(self, X, y=None):
        return super().fit(X, y, 1, k=3, z=4)
mine = Below()
"""


def test_the_users_own_classes_are_watched_and_work(watch: Watched) -> None:
    names = watch.run(OWN + WINE + "X = mine.fit_transform(X)\n" + SPLIT + SCORE.replace("\n", ""))
    assert names["mine"].seen_ == (3, (1,), {"z": 4})
    assert watch.told() == ["16 score 45@1 = LogisticRegression:16 0/133, Below:14 45/178"]


def test_classes_of_a_cell_work_in_a_process_that_is_not_watched(watch: Watched) -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    names = watch.run(OWN)
    blob = cloudpickle.dumps(names["mine"])
    assert b"nbsafe." not in blob
    watch.desk.leave()
    again = pickle.loads(blob)
    assert again.fit_transform(np.eye(3)).sum() == pytest.approx(0)
    assert again.seen_ == (3, (1,), {"z": 4})


def test_a_fitted_estimator_can_be_pickled_and_cloned(watch: Watched) -> None:
    names = watch.run(
        "import pickle\nfrom sklearn.base import clone\n" + WINE
        + "s = StandardScaler().fit(X); t = pickle.loads(pickle.dumps(s)); u = clone(s)\n"
    )  # fmt: skip
    assert names["s"].mean_.tolist() == names["t"].mean_.tolist()
    assert not hasattr(names["u"], "mean_")


def frames(error: BaseException) -> list[str]:
    return [frame.filename for frame in traceback.TracebackException.from_exception(error).stack]


@pytest.mark.parametrize(
    "text",
    [
        "StandardScaler().transform([[1]])",
        "train_test_split(np.eye(3), np.eye(4))",
        "train_test_split()",
        "accuracy_score([1], [1, 2])",
        "LogisticRegression().fit(object(), 1)",
        "LogisticRegression().fit()",
        "StandardScaler().fit(X=None)",
        "cross_val_score(None, np.eye(3))",
    ],
)
def test_errors_are_the_same_and_show_no_frame_of_ours(text: str) -> None:
    shown = []
    for watched in (False, True):
        names: dict[str, Any] = {}
        with watching() as watch:
            names = watch.run("")
            if not watched:
                watch.desk.leave()
            with pytest.raises((TypeError, ValueError)) as caught:
                exec(compile(text, "<cell>", "exec"), names)
            shown.append((str(caught.value), frames(caught.value)[1:]))
    assert shown[0] == shown[1]


def test_warnings_point_where_they_did(watch: Watched) -> None:
    text = (
        "import warnings\nfrom sklearn.base import BaseEstimator\n"
        "class Warns(BaseEstimator):\n    def fit(self, X):\n"
        "        warnings.warn('soon', FutureWarning, stacklevel=2)\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n    Warns().fit([[1]])\n"
    )
    (seen,) = watch.run(text)["seen"]
    assert (seen.filename, seen.lineno) == ("<cell>", 8)


def test_nothing_is_kept_alive(watch: Watched) -> None:
    names = watch.run(
        "import gc, weakref\n"
        + WINE
        + "X = StandardScaler().fit_transform(X)\n"
        + SPLIT
        + SCORE
        + "refs = [weakref.ref(v) for v in (X, y, a, b, c, d, m)]\ndel X, y, a, b, c, d, m\n"
        "gc.collect(); alive = [ref() for ref in refs if ref() is not None]\n"
    )
    assert names["alive"] == []


def test_everything_is_put_back() -> None:
    def state() -> list[object]:
        return [
            train_test_split.__code__, StandardScaler.fit.__code__, list(sys.meta_path),
            "__init_subclass__" in vars(BaseEstimator), traceback.TracebackException.__init__,
        ]  # fmt: skip

    before = state()
    with watching():
        assert before != state()
    assert before == state()


# ------------------------------------------------------------------ faults of ours

POINTS = [
    (fit_log.FitLog, "rows_of"),
    (fit_log.FitLog, "known"),
    (fit_log.FitLog, "fitted"),
    (fit_log.FitLog, "derive"),
    (fit_log.FitLog, "split"),
    (fit_log.FitLog, "judged"),
    (fit_log.FitLog, "place"),
    (row_hashes, "sampled"),
    (row_hashes, "hashes"),
    (row_origins.RowOrigins, "identify"),
    (row_origins.RowOrigins, "take"),
    (row_origins.RowOrigins, "shared"),
    (row_origins.RowOrigins, "alike"),
    (table_rows, "_label"),
]


@pytest.mark.parametrize(("owner", "name"), every_row(2, POINTS), ids=[name for _, name in POINTS])
def test_a_fault_of_ours_changes_nothing(
    owner: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("sabotage")

    text = (
        WINE + "X = StandardScaler().fit_transform(X)\n" + SPLIT + SCORE
        + "out = [X.sum(), a.sum(), len(d), m.coef_.sum(), m.score(b, d)]\n"
    )  # fmt: skip
    with watching() as watched:
        watched.desk.leave()
        without = watched.run(text)["out"]
    with watching() as watched:
        watched.run("")
        monkeypatch.setattr(owner, name, broken)
        assert without == watched.run(text)["out"]
        assert watched.listener.faults == ["watching what learns: RuntimeError: sabotage"]
        assert not watched.desk.on
        assert not is_ours(StandardScaler.fit.__code__)
