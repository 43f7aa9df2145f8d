"""Libraries that nothing needs are not imported again; what comes out is as if they had been."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import makenb
import percent
import pytest

from pytest_nbsafe.app import session
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.resume.needed_imports import Reduced, may_tell, quiet, reduced
from pytest_nbsafe.resume.past_runs import PastRun
from pytest_nbsafe.runner.executed import Executed
from pytest_nbsafe.runner.live_kernel import LiveKernel

NOTHING: Any = {"drew": [], "modules": {}, "packages": []}


def ran(source: str, **used: Any) -> PastRun:
    event: Any = {"raised": False, "inputs": NOTHING | used, "after": {}, "bindings": {}}
    return PastRun("", source, Executed("ok", event=event), {}, {})


def text(source: str, *wanted: str, **used: Any) -> str:
    (found,) = reduced([ran(source, **used)], [frozenset(wanted)])
    return found.source


@pytest.mark.parametrize(
    ("source", "wanted", "expected"),
    [
        ("import numpy as np", (), "pass"),
        ("import numpy as np", ("np",), "import numpy as np"),
        ("import numpy as np, json, pandas", ("np",), "import numpy as np, json"),
        ("import json, numpy", (), "import json"),
        ("import sklearn.svm as s; import os", ("os",), "pass; import os"),
        ("from sklearn import svm\nfrom scipy import stats", ("stats",), None),
        ("import scipy\nfrom sklearn.svm import SVC", ("scipy",), None),
        ("from sklearn.svm import (\n    SVC,\n    SVR,\n)\nx = 1", (), "pass\n\n\n\nx = 1"),
        ("from sklearn.svm import (SVC,\n    SVR); x = 1", (), None),
        ("from sklearn.svm import *", (), None),
        ("from . import numpy", (), None),
        ("import numpy as np\nx = np.ones(3)", (), None),
        (
            "import random\nimport sklearn\nrandom.seed(3)",
            (),
            "import random\npass\nrandom.seed(3)",
        ),
        ("import numpy as np\ndef f():\n    return 1", (), None),
        ("import numpy as np\nf = lambda: 1", (), None),
        ("try:\n    import numpy\nexcept ImportError:\n    numpy = None", (), None),
        ("%matplotlib inline\nimport numpy\n!ls", (), "%matplotlib inline\npass\n!ls"),
        ("%%time\nimport numpy", (), None),
        ("import seaborn as sns, torch", (), None),
        ("x = 'é'; import numpy as np; y = 2", (), "x = 'é'; pass; y = 2"),
        ("import numpy as np )", (), None),
    ],
)
def test_what_is_left_of_a_text(source: str, wanted: tuple[str, ...], expected: str | None) -> None:
    assert text(source, *wanted) == (source if expected is None else expected)


def test_a_text_is_run_whole_where_more_than_its_values_hangs_on_it() -> None:
    source = "import numpy as np"
    assert text(source, modules={"/home/me/numpy.py": ""}) == source
    assert text(source, modules={"/home/me/pandas/__init__.py": ""}) == source
    assert text(source, modules={"/home/me/mine.py": ""}) == "pass"


def test_half_a_character_is_left_as_it_is() -> None:
    source = "x = '\ud800'"
    (found,) = reduced([ran(source)], [frozenset()])
    assert found.source == source


def test_a_library_that_any_text_needs_is_imported_by_all() -> None:
    runs = [ran("import sklearn as sk"), ran("from sklearn.svm import SVC"), ran("import numpy")]
    assert reduced(runs, [frozenset(), frozenset({"SVC"}), frozenset()]) == [
        Reduced("import sklearn as sk"),
        Reduced("from sklearn.svm import SVC"),
        Reduced("pass", frozenset({"numpy"})),
    ]


def test_words_that_tell_of_imports() -> None:
    assert may_tell({"x", "environ"})
    assert not may_tell({"x", "np"})


LOOK = """
import copyreg, decimal, gc, locale, logging, os, random, signal, sys, threading
import matplotlib.pyplot, matplotlib.units
def look():
    return {
        "numbers": random.getstate(), "legacy": legacy(), "rc": dict(matplotlib.rcParams),
        "units": [*map(str, matplotlib.units.registry)], "maps": sorted(matplotlib.colormaps),
        "logs": [*map(str, logging.getLogger().handlers), logging.getLogger().level],
        "hooks": [sys.excepthook, sys.displayhook, *sys.meta_path, *sys.path],
        "collector": (gc.get_threshold(), gc.isenabled()), "cwd": os.getcwd(),
        "decimal": str(decimal.getcontext()), "recursion": sys.getrecursionlimit(),
        "threads": threading.enumerate(), "signals": [*map(signal.getsignal, (2, 15))],
        "locale": locale.setlocale(locale.LC_ALL), "pandas": options(),
    }
def legacy():
    numpy = sys.modules.get("numpy")
    return numpy and repr(numpy.random.get_state())
def options():
    pandas = sys.modules.get("pandas")
    return pandas and str(pandas.describe_option(_print_desc=False))
"""


@pytest.mark.corpus
@pytest.mark.parametrize("library", sorted(quiet()))
def test_a_quiet_library_changes_nothing_for_others(library: str) -> None:
    pytest.importorskip(library)
    more = {
        "sklearn": "import sklearn.ensemble, sklearn.model_selection",
        "scipy": "import scipy.stats",
    }
    numbers = "" if library == "numpy" else "import numpy"
    text = f"{LOOK}\n{numbers}\nbefore = look()\n"
    text += f"import {library}\n{more.get(library, '')}\nafter = look()\n"
    text += "assert all(before[k] == after[k] or before[k] is None for k in before), [\n"
    text += "    k for k in before if before[k] != after[k]]"
    subprocess.run([sys.executable, "-c", text], check=True)


IMPORTS = "import pandas as pd, numpy as np\nfrom sklearn.linear_model import LinearRegression"
ABOVE = (
    IMPORTS,
    "LinearRegression()",  # it is numbered
    "table = pd.DataFrame({'x': [1, 2, 3]})",
    "table['y'] = table.x * 2",
)


def told(path: Path, *cells: str, resume: str) -> tuple[list[str], object]:
    """Return what each cell shows or fails with, and what was found and where it ran."""
    makenb.write(path, percent.page_of(*cells))
    each = session.NotebookSession(path, configuration(path, {"resume": resume}))
    try:
        outcomes = [each.outcome(cell.number) for cell in each.cells]
        each.outcome(0)
        assert each.trial is not None
        environment = each.trial.clean.environment
        assert environment is not None
        assert "scikit-learn" in {entry.name for entry in environment.packages}
        return [f"{o.output} {o.reason} {o.findings}" for o in outcomes], environment
    finally:
        each.close()


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("edited", "imported"),
    [
        pytest.param("print(table.y.sum())", False, id="not needed", marks=pytest.mark.corpus),
        pytest.param(
            "print(LinearRegression().fit(table[['x']], table.y).coef_)",
            True,
            id="needed",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "import sys\nprint('sklearn' in sys.modules)", True, id="told", marks=pytest.mark.long
        ),
        pytest.param("table.nothing", True, id="fails", marks=pytest.mark.corpus),
        pytest.param(
            "import sklearn.svm\nsklearn.svm.SVC()", True, id="shows", marks=pytest.mark.corpus
        ),
        pytest.param("%who", True, id="all names", marks=pytest.mark.long),
    ],
)
def test_a_resumed_run_shows_what_a_full_one_does(
    own_store: Path, monkeypatch: pytest.MonkeyPatch, edited: str, *, imported: bool
) -> None:
    pytest.importorskip("sklearn")
    path, ran = own_store / "nb.ipynb", list[str]()
    told(path, *ABOVE, "print(len(table))", resume="on")
    execute = LiveKernel.execute

    def noted(kernel: LiveKernel, source: str, *rest: Any) -> Any:
        ran.append(source)
        return execute(kernel, source, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(LiveKernel, "execute", noted)
        resumed = told(path, *ABOVE, edited, resume="on")
    assert resumed == told(path, *ABOVE, edited, resume="off")
    assert (IMPORTS in ran) == imported
    assert ast.parse(ran[0])
