"""Help for the leakage tests: a notebook with its leaks marked, and what is found in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pytest_nbsafe.absint.leakage.leak import Leak
from pytest_nbsafe.absint.leakage.orders import leaks
from pytest_nbsafe.analysis.graph import build
from pytest_nbsafe.notebook import percent

IMPORTS = """\
# %% [1]
import numpy as np
import pandas as pd
from functools import partial
from imblearn.over_sampling import SMOTE, RandomOverSampler
from imblearn.pipeline import make_pipeline as balanced_pipeline
from imblearn.under_sampling import RandomUnderSampler
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.datasets import load_iris, load_wine, make_classification
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_classif
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, f1_score, mean_squared_error, roc_auc_score, roc_curve
from sklearn.model_selection import (
    GridSearchCV, GroupKFold, KFold, StratifiedKFold, TimeSeriesSplit, cross_val_predict,
    cross_val_score, cross_validate, train_test_split,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    LabelEncoder, MinMaxScaler, Normalizer, OneHotEncoder, PolynomialFeatures, StandardScaler,
    TargetEncoder,
)
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import resample, shuffle
from xgboost import XGBClassifier
"""
NOTES = {"NBS323", "NBS324"}


def found(text: str, order: Sequence[int] = (), extra: str = "") -> tuple[Leak, ...]:
    """Return the leaks of a notebook below the imports, from top to bottom or in another order."""
    notebook = percent.parse(IMPORTS + re.sub(r"\s*#!.*", "", text))
    cells = [cell.number for cell in notebook.code_cells]
    return leaks(build(notebook), order or cells, extra)


def told(text: str, *, notes: bool = False) -> list[str]:
    """Return the leaks as "code line", the line counted below the imports; "?" for the doubtful."""
    starts = [n for n, line in enumerate(text.splitlines(), 1) if line.startswith("# %%")]
    return sorted(
        f"{leak.code}{'' if leak.certain else '?'} {starts[leak.cell - 2] + leak.span.line}"
        for leak in found(text)
        if notes or leak.code not in NOTES
    )


def marked(text: str) -> list[str]:
    """Return the leaks that the marks `#! NBS301` name, in the form of `told`."""
    return sorted(_marks(text))


def _marks(text: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), 1):
        for code in re.findall(r"NBS\d+\??", line.partition("#!")[2]):
            yield f"{code} {number}"
