"""Edits of cells that set what no name shows: after some it is set as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_nbsafe.resume.setting_texts import setting_text
from resume.test_needless_runs import run_again
from resume.test_resume import Runs

SETS = """\
import warnings
import random as rnd
limit = 3
def limits():
    return limit
%precision 3
warnings.filterwarnings("ignore")
rnd.seed(limits())
"""


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("import warnings", "import os, json\nimport warnings"),
        ("import warnings", "from os import path\nimport warnings, sys  # more"),
        ("import warnings", '"What it is."\nimport warnings'),
        ("limit = 3", "limit = 3\nother = [1, {'a': (2, -3)}]"),
        ("limit = 3", "limit = 3\ndef other(x=1): return limits"),
        ("%precision 3\n", 'print("ready", warnings.__version__, f"{1}")\n%precision 3\n'),
    ],
)
def test_what_sets_nothing_is_left_out(was: str, now: str) -> None:
    assert setting_text(SETS) is not None
    assert setting_text(SETS.replace(was, now, 1)) == setting_text(SETS)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("limit = 3", "limit = 4"),
        ("return limit", "return limit + 1"),
        ("as rnd", "as rnd\nimport numpy.random as rnd"),
        ("%precision 3", "%precision 4"),
        ("%precision 3\n", ""),
        ('"ignore"', '"error"'),
        ("limit = 3", "limit = 3\nrnd.random()"),
        ("limit = 3", "limit = 3\nlimit += 1"),
        ("limit = 3", "limit = 3\nwarnings = None"),
        ("limit = 3", "limit = 3\nprint(limits())"),
        ("limit = 3", "limit = 3\nprint(1, file=rnd)"),
        ("limit = 3", "limit = 3\n@rnd.told\ndef other(): pass"),
        ("limit = 3", "limit = 3\ndef other(x=rnd.random()): pass"),
        ("limit = 3", "limit = 3\nclass Other(rnd.Base): pass"),
        ("import warnings", "from __future__ import annotations\nimport warnings"),
    ],
)
def test_what_may_set_something_counts(was: str, now: str) -> None:
    text = SETS.replace(was, now, 1)
    assert text != SETS
    assert setting_text(text) != setting_text(SETS)


@pytest.mark.parametrize(
    "text",
    [
        "import os\nx = 3",
        "from os import *\nchdir('..')",
        "exec('import os')",
        "%run other.py\nimport os\nos.chdir('..')",
        "!ls\nimport os\nos.chdir('..')",
        "get_ipython().run_cell(text)",
        "_ + 1",
        "import os\nos.chdir(",
        "%precision $x\nf()",
        "import os\nos.chdir('..')\nx = " + "+".join(["1"] * 5_000),
    ],
)
def test_where_all_of_a_text_may_set_something_or_nothing_does(text: str) -> None:
    assert setting_text(text) is None


@pytest.mark.parametrize("found", ["other", "found('other * 2')", "(lambda: other)()"])
def test_what_the_settings_are_made_of_counts(found: str) -> None:
    text = f"import os\nother = 1\ndef f():\n    return {found}\nos.chdir(f())"
    assert setting_text(text) != setting_text(text.replace("= 1", "= 2"))
    assert setting_text(text) == setting_text(text.replace("import os", "import os, sys"))


def test_where_something_else_is_printed_to_each_print_counts() -> None:
    text = "import sys\nsys.stdout = own\nprint(1)"
    told = setting_text(text)
    assert told is not None
    assert "print(1)" in told.text


PAGE = """
# %% [1]
import random
import warnings
limit = 3
# %% [2]
random.seed(limit)
warnings.filterwarnings("ignore")
%precision 3
# %% [3]
random.random()
# %% [4]
1 / 3
# %% [5]
random.random()
"""


@pytest.fixture
def runs(own_store: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    return Runs(own_store, monkeypatch)


@pytest.mark.kernel
def test_cells_below_settings_that_are_made_as_before_are_not_run_again(runs: Runs) -> None:
    seed, limit = "random.seed(limit)", "limit = 3"
    edits = {
        (seed, f"import json\nother = 1\nprint('ready')\n{seed}"): [2],
        (limit, f"{limit}\nother = 2"): [1],
        (limit, "limit = 4"): [1, 2, 3, 4, 5],
        (seed, f"{seed}\nrandom.random()"): [2, 3, 4, 5],
        (seed, f"print(random.random())\n{seed}"): [2, 3, 4, 5],
        ('"ignore"', '"error"'): [2, 3, 4, 5],
        ("%precision 3", "%precision 4"): [2, 3, 4, 5],
    }
    run_again(runs, PAGE, edits)


@pytest.mark.corpus
@pytest.mark.kernel
def test_why_cells_ran_again_is_told(runs: Runs) -> None:
    runs.write(PAGE)
    assert runs.run().notebooks[0].remarks == (), "nothing was to be reused"
    runs.write(PAGE.replace("limit = 3", "limit = 4"))
    (remark,) = runs.run().notebooks[0].remarks
    assert remark == (
        "0 of 5 runs reused, 0.0 s saved; "
        "run again: cell 1; cell 2 since `limit` changed; "
        "cells 3 to 5 since settings (shell, warnings) changed"
    )


DRAWS = """
# %% [1]
from copy import copy
from random import choice, random
# %% [2]
import random as numbers
numbers.seed(1)
copy.calls = 0
# %% [3]
random(), choice([1, 2, 3])
# %% [4]
copy.calls += 1
# %% [5]
copy.calls, random()
"""


@pytest.mark.corpus
@pytest.mark.kernel
def test_functions_of_a_library_that_know_something(runs: Runs) -> None:
    added = "from copy import copy"
    edits = {
        (added, f"import os\n{added}"): [1],
        ("seed(1)", "seed(2)"): [2, 3, 4, 5],
        ("copy.calls = 0", "copy.calls = 5"): [2, 3, 4, 5],
        ("copy.calls += 1", "copy.calls += 2"): [4, 5],
        ("random(), choice", "choice"): [3, 5],
    }
    run_again(runs, DRAWS, edits)


@pytest.mark.corpus
@pytest.mark.kernel
def test_an_import_that_changes_what_was_set(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "site-packages"
    installed.mkdir()
    (installed / "drawing.py").write_text("import random\nrandom.random()\n", encoding="utf-8")
    (installed / "quiet.py").write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(installed))
    page = '# %% [1]\nimport random\nrandom.seed(1)\n"end"\n# %% [2]\nrandom.random()\n'
    edits = {('"end"', 'import quiet\n"end"'): [1], ('"end"', 'import drawing\n"end"'): [1, 2]}
    run_again(runs, page, edits)
