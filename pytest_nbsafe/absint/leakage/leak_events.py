"""What happens on a notebook that the judge is told of."""

from __future__ import annotations

from pytest_nbsafe.absint.leakage.abstract_values import CodeSite, Eval, ModelFit
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """Something is chosen by scores."""

    site: CodeSite
    scores: frozenset[Eval]


@dataclass(frozen=True, slots=True)
class BestScore:
    """The best score of a search is given as a result."""

    site: CodeSite
    fit: ModelFit


@dataclass(frozen=True, slots=True)
class RowsSplit:
    """Rows are divided into train and test."""

    site: CodeSite


@dataclass(frozen=True, slots=True)
class Ungrouped:
    """Rows of one `group` are cross-validated in different folds."""

    site: CodeSite
    group: str


Event = Eval | Choice | BestScore | RowsSplit | Ungrouped
