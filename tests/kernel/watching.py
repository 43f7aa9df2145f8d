"""Runs code in this process as if it were a cell, under the watch of the kernel's hooks."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from pytest_nbsafe.judge.observed_leaks import watched
from pytest_nbsafe.kernel.learning.desk import Desk
from pytest_nbsafe.kernel.learning.watching import install
from pytest_nbsafe.kernel.learning_contract import Copies, Evaluation
from pytest_nbsafe.kernel.tracing.cell_positions import CellPositions
from pytest_nbsafe.kernel.tracing.incidents import Watch

CELL = "<cell>"
IMPORTS = """\
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine, make_classification
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.metrics import accuracy_score, f1_score, r2_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler, scale
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import resample, shuffle
try:
    from imblearn.over_sampling import SMOTE, RandomOverSampler
except ImportError:
    pass
"""


class Listener:
    """Stands in for the kernel's watch."""

    def __init__(self) -> None:
        self.run = 1
        self.places = CellPositions()
        self.places.learn(CELL, 1, int)
        self.faults: list[str] = []

    def fault(self, error: BaseException, doing: str) -> None:
        self.faults.append(f"{doing}: {type(error).__name__}: {error}")


class Watched:
    """A process under watch: `run` runs a text, `told` is what has been told since."""

    def __init__(self, listener: Listener, desk: Desk) -> None:
        self.listener, self.desk = listener, desk
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.evaluations: list[Evaluation] = []
        self.copies: list[Copies] = []

    def run(self, text: str) -> dict[str, Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(IMPORTS, "<imports>", "exec"), self.names)
            self.desk.start()
            exec(compile(text, CELL, "exec"), self.names)
        evaluations, copies = self.desk.report()
        self.evaluations += evaluations
        self.copies += copies
        return self.names

    def told(self) -> list[str]:
        return [_evaluation(seen) for seen in self.evaluations] + [
            f"{seen['line']} {seen['what']} copies {seen['rows']} of {seen['of']} "
            f"made {seen['made_line']}"
            for seen in self.copies
        ]


def _evaluation(seen: Evaluation) -> str:
    part = seen["part"]
    rows = f"{seen['rows']}" if part is None else f"{seen['rows']}@{part}"
    learned = ", ".join(
        f"{fitted['what']}:{fitted['line']} {fitted['shared']}/{fitted['rows']}"
        for fitted in seen["learned"]
    )
    return f"{seen['line']} {seen['how']} {rows} = {learned}"


@contextmanager
def watching() -> Iterator[Watched]:
    """Watch until the end of the block, then put everything back."""
    listener = Listener()
    tables = json.loads(json.dumps(watched()))
    desk = install(tables, object(), cast("Watch", listener))
    try:
        yield Watched(listener, desk)
    finally:
        desk.leave()
