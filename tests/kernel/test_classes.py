"""Objects of many classes: a change is told, none is told where there is none."""

from __future__ import annotations

import functools
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from pytest_nbsafe.kernel.checkpoint import blobs, keeping
from pytest_nbsafe.kernel.hashing.function_texts import Texts
from pytest_nbsafe.kernel.hashing.snapshot import Snapshot

CASES = {
    "logger": ("import logging; x = logging.getLogger('t')", "x.setLevel(7)", "x.level"),
    "handlers": (
        "import logging; x = logging.getLogger('u')",
        "x.addHandler(logging.NullHandler())",
        "x.handlers",
    ),
    "bunch": (
        "from sklearn.utils import Bunch; x = Bunch(a=[1], b=2)",
        "x.a.append(2)",
        "x.b",
    ),
    "search": (
        (
            "import numpy as np; from sklearn.linear_model import Ridge\n"
            "from sklearn.model_selection import GridSearchCV\n"
            "p = np.arange(20.0).reshape(10, 2)\n"
            "x = GridSearchCV(Ridge(), {'alpha': [1, 2]}, cv=2).fit(p, p[:, 0])"
        ),
        "x.cv_results_['mean_test_score'][0] += 1",
        "x.predict(p)",
    ),
    "tree": (
        (
            "import numpy as np; from sklearn.neighbors import KDTree; "
            "p = np.arange(20.0).reshape(10, 2); x = KDTree(p)"
        ),
        "x = KDTree(p + 1)",
        "x.query([[0.5, 0.5]])",
    ),
    "other tree": (
        (
            "import numpy as np; from scipy.spatial import cKDTree\n"
            "p = np.arange(20.0).reshape(10, 2); x = cKDTree(p.copy())"
        ),
        "x = cKDTree(p + 1)",
        "x.query([[0.5, 0.5]])",
    ),
    "set of arrays": (
        "import xarray as xr; x = xr.Dataset({'a': ('t', [1, 2])}, {'t': [0, 1]})",
        "x['a'][0] = 5",
        "x['a'].mean().item(), x.sizes, x.indexes",
    ),
    "texts": (
        "import pandas as pd; x = pd.DataFrame({'a': ['u', None], 'b': [1, 2]})",
        "x.loc[0, 'a'] = 'v'",
        "x['a'].str.upper()",
    ),
    "records": (
        "x = [{'a': [i, str(i)], 'b': (i,)} for i in range(50)]",
        "x[7]['a'][1] += ' '",
        "len(x)",
    ),
}
BY_CELLS = {"logger", "handlers"}


@pytest.mark.parametrize("case", CASES)
def test_a_class(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    construct, change, use = CASES[case]
    module = types.ModuleType("__main__")
    home = vars(module)
    monkeypatch.setitem(sys.modules, "__main__", module)
    tracer = types.SimpleNamespace(
        home=home,
        shell=object(),
        texts=Texts(),
        is_own=lambda name: not name.startswith("__"),
        name_fingerprints=types.SimpleNamespace(known=dict),
    )

    def look() -> str:
        fingerprint = Snapshot(Texts(), home).fingerprint(home["x"])
        assert fingerprint["cause"] == ""
        return fingerprint["hash"]

    exec(construct, home)
    before = look()
    exec(use, home)
    assert look() == before
    write = functools.partial(blobs.write, str(tmp_path))
    (kept,) = keeping.kept(tracer, ["x"], write, keeping.surface_of(tracer), {}, in_kernel=False)
    assert bool(kept["cause"]) == (case in BY_CELLS), kept["cause"]
    assert look() == before
    exec(change, home)
    assert look() != before


def test_what_a_search_found_counts_and_not_how_long_it_took() -> None:
    construct, _, _ = CASES["search"]
    hashes = set()
    for seconds in (0.1, 0.2):
        home: dict[str, Any] = {}
        exec(construct, home)
        home["x"].refit_time_ = seconds
        home["x"].cv_results_["mean_fit_time"] += seconds
        hashes.add(Snapshot(Texts(), home).fingerprint(home["x"])["hash"])
    assert len(hashes) == 1
