"""sklearn: estimators, and functions that split, draw and judge."""

from __future__ import annotations

from typing import Any

from ..hashing.hasher import Handler, Hasher, qualified

STATE_IS_DICT = True
LEARNERS = ("sklearn.base", "BaseEstimator")
WATCHED_EFFECTS = frozenset({"split", "resample", "shuffle", "cv", "cv_curve"})
_COUNTERS = slice(7, 11)
"""Where the state of a tree counts how it was asked."""


def _bunch(hasher: Hasher, value: Any) -> None:
    """Write what a bunch of data holds; its warnings of old names are lost with pickle."""
    hasher.all("bunch", [*dict.keys(value)])
    hasher.all("values", [*dict.values(value)])


def _tree(hasher: Hasher, value: Any) -> None:
    state = list(value.__getstate__())
    del state[_COUNTERS]
    hasher.all(f"tree {qualified(type(value))}", state)


HASHED: dict[str, dict[str, Handler]] = {
    "sklearn.utils": {"Bunch": _bunch},
    "sklearn.neighbors": {"KDTree": _tree, "BallTree": _tree},
}
