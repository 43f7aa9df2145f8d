"""What learns, watched in real kernels: told with cells and lines, and not seen by the notebook."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_nbsafe.judge.observed_leaks import watched
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.trace.evaluations import Evaluation
from pytest_nbsafe.trace.results import CellResult
from runner.kernels import notebook

pytestmark = pytest.mark.kernel

Run = Callable[..., list[CellResult]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run cells in a kernel of their own, in which what learns is watched or is not."""

    def run_cells(*sources: str, watch: bool = True) -> list[CellResult]:
        book = notebook(*sources)
        learning = watched() if watch else None
        with KernelSession(book, cwd=tmp_path, timeout_s=120, learning=learning) as session:
            return [session.run(cell, step) for step, cell in enumerate(book.code_cells, 1)]

    return run_cells


IMPORTS = """\
import sys, warnings
import numpy as np
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.preprocessing import StandardScaler
X, y = load_wine(return_X_y=True)
"""
CELLS = (
    IMPORTS,
    "# before the split\nZ = StandardScaler().fit_transform(X)",
    "a, b, c, d = train_test_split(Z, y, random_state=0)",
    "%%time\nm = LogisticRegression().fit(a, c)",
    "round(m.score(b, d), 3)",
    "m.fit(1, 2)",
    "import traceback\ntry:\n    m.predict([[1]])\nexcept ValueError:\n    traceback.print_exc()",
    (
        "from sklearn.base import BaseEstimator, ClassifierMixin\n"
        "class Most(ClassifierMixin, BaseEstimator):\n"
        "    def fit(self, X, y):\n        self.classes_ = np.unique(y)\n        return self\n"
        "    def predict(self, X):\n        return np.ones(len(X), int)\n"
        "cross_val_score(Most(), X, y, n_jobs=2, cv=3).round(3).tolist()"
    ),
    "sorted(n for n in dir() if 'nbsafe' in n), Most().fit, m, train_test_split",
    "train_test_split?",
    "m.predict??",
    "train_test_split(X, y[:3])",
)


def essence(result: CellResult) -> object:
    outputs = [(o.kind, o.name, o.text, o.traceback) for o in result.outputs]
    text = re.sub(r"0x[0-9a-f]+|ipykernel_\d+/\d+|[\d.]+ [mnµμ]?s\b", "_", repr(outputs))
    return result.status, text


@pytest.mark.corpus
def test_a_notebook_runs_as_it_does_without_the_watch(run: Run) -> None:
    with_, without = run(*CELLS), run(*CELLS, watch=False)
    for cell, one, other in zip(CELLS, with_, without, strict=True):
        assert essence(one) == essence(other), cell
    assert [i for result in with_ for i in result.incidents] == []
    assert [result.evaluations for result in without] == [()] * len(CELLS)


@pytest.mark.corpus
def test_an_evaluation_is_told_with_cells_and_lines(run: Run) -> None:
    results = run(*CELLS[:5])
    assert [len(result.evaluations) for result in results] == [0, 0, 0, 0, 1]
    (seen,) = results[4].evaluations
    assert isinstance(seen, Evaluation)
    assert (seen.cell, seen.line, seen.what, seen.how, seen.rows) == (
        5, 1, "LogisticRegression", "score", 45,
    )  # fmt: skip
    assert seen.part == 1
    model, scaler = seen.learned
    assert (model.what, model.role, model.cell, model.line) == (
        "LogisticRegression", "classifier", 4, 2,
    )  # fmt: skip
    assert (model.rows, model.shared) == (133, 0)
    assert (scaler.what, scaler.role, scaler.cell, scaler.line) == (
        "StandardScaler", "transformer", 2, 2,
    )  # fmt: skip
    assert (scaler.rows, scaler.shared) == (178, 45)


@pytest.mark.corpus
def test_a_helper_is_told_by_the_line_of_its_text(run: Run) -> None:
    helper = "def prepared(X):\n    s = StandardScaler()\n    return s.fit_transform(X)"
    *_, result = run(
        IMPORTS,
        helper,
        "def scored(m, X, y):\n    return m.score(X, y)",
        "a, b, c, d = train_test_split(prepared(X), y, random_state=0)\n"
        "scored(LogisticRegression().fit(a, c), b, d)",
    )
    (seen,) = result.evaluations
    assert (seen.cell, seen.line) == (4, 2)
    assert [(one.what, one.cell, one.line) for one in seen.learned] == [
        ("LogisticRegression", 4, 2),
        ("StandardScaler", 2, 3),
    ]


def test_nothing_is_imported_that_the_notebook_does_not_import(run: Run) -> None:
    (result,) = run(
        "import json, sys\n[n for n in ('numpy', 'pandas', 'sklearn') if n in sys.modules]"
    )
    assert result.outputs[-1].text == "[]"


@pytest.mark.corpus
def test_values_have_the_fingerprints_that_they_have_without_the_watch(run: Run) -> None:
    cells = (
        IMPORTS + "from sklearn.base import BaseEstimator\nk = 3\n"
        "class Mine(BaseEstimator):\n    def fit(self, X, y=None):\n"
        "        self.m_ = k * X.mean()\n        return self\n",
        "mine = Mine().fit(X)\nmodel = LogisticRegression().fit(X, y)\nf = train_test_split",
        "mine, model, f, Mine",
    )
    with_, without = run(*cells)[-1], run(*cells, watch=False)[-1]
    assert {"mine", "model", "f", "Mine", "k"} <= set(with_.reads)
    for name in ("mine", "model", "f", "k"):
        assert with_.reads[name].hash == without.reads[name].hash != ""
    assert with_.reads["Mine"].cause == ""


@pytest.mark.corpus
def test_what_we_took_is_counted_as_ours(run: Run) -> None:
    results = run(IMPORTS, "Z = StandardScaler().fit_transform(X)")
    assert all(result.status == "ok" for result in results)
    assert [result.incidents for result in results] == [(), ()]


@pytest.mark.corpus
def test_a_fault_of_ours_is_an_incident_and_ends_the_watch(run: Run) -> None:
    sabotage = (
        "import sys\ndef broken(*a): raise RuntimeError('sabotage')\n"
        "sys.modules['_nbsafe.learning.row_hashes'].sampled = broken"
    )
    results = run(IMPORTS, sabotage, "StandardScaler().fit(X).n_features_in_", "1 + 1")
    assert [result.status for result in results] == ["ok"] * 4
    assert results[2].outputs[-1].text == "13"
    (incident,) = results[2].incidents
    assert incident.kind == "tracer"
    assert "sabotage" in incident.message
    assert results[3].incidents == ()
