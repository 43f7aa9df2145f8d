"""sklearn: estimators, and functions that split, draw and judge."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from ..hashing import instances
from ..hashing.hasher import Handler, Hasher, qualified

STATE_IS_DICT = True
CACHES = frozenset({"_stop_words_id"})  # the address of a setting: another in each process
CONSTANTS = frozenset({"Interval"})
"""What bounds a loss, or a setting: a module holds those that estimators have."""
LEARNERS = ("sklearn.base", "BaseEstimator")
WATCHED_EFFECTS = frozenset({"split", "resample", "shuffle", "cv", "cv_curve"})
_COUNTERS = slice(7, 11)
"""Where the state of a tree counts how it was asked."""
_SHOWING = ("sklearn.utils._repr_html.estimator", "sklearn.utils._estimator_html_repr")
_SHOWN = ("_CONTAINER_ID_COUNTER", "_ESTIMATOR_ID_COUNTER")


def running_numbers() -> Mapping[str, Any]:
    """Return what numbers the elements of the estimators that are shown."""
    modules = [sys.modules[name] for name in _SHOWING if name in sys.modules]
    counters = [getattr(module, name, None) for module in modules[:1] for name in _SHOWN]
    return {counter.prefix: counter for counter in counters if counter is not None}


def places_of(value: Any) -> list[tuple[int, int]]:
    """Return where the points of a tree lie: in the array that it was made of."""
    if type(value).__name__ not in _TREES:
        return []
    points = sys.modules["numpy"].asarray(value.data)
    return [(points.__array_interface__["data"][0], points.nbytes)]


_TREES = frozenset(f"{kind}Tree{bits}" for kind in ("KD", "Ball") for bits in ("", "32", "64"))


def _bunch(hasher: Hasher, value: Any) -> None:
    """Write what a bunch of data holds; its warnings of old names are lost with pickle."""
    hasher.all("bunch", [*dict.keys(value)])
    hasher.all("values", [*dict.values(value)])


def _tree(hasher: Hasher, value: Any) -> None:
    state = list(value.__getstate__())
    del state[_COUNTERS]
    hasher.all(f"tree {qualified(type(value))}", state)


def _search(hasher: Hasher, value: Any) -> None:
    """Write what a search found, but for the seconds that it took."""
    if type(value).__module__ == instances.HOME_MODULE:
        instances.add_instance(hasher, value)
        return
    state = {name: held for name, held in vars(value).items() if name != "refit_time_"}
    results = state.pop("cv_results_", None)
    hasher.tag(f"search {qualified(type(value))}")
    hasher.attributes(state)
    if type(results) is not dict:
        hasher.all("results", [results])
        return
    hasher.attributes(
        {name: held for name, held in results.items() if not str(name).endswith("_time")}
    )


HASHED: dict[str, dict[str, Handler]] = {
    "sklearn.utils": {"Bunch": _bunch},
    "sklearn.model_selection": {"GridSearchCV": _search, "RandomizedSearchCV": _search},
    "sklearn.neighbors": {"KDTree": _tree, "BallTree": _tree},
}
