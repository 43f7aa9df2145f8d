"""What the repository's own modules do is known without a run: `nbsafe check` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import makenb
import pytest

from pytest_nbsafe.app.check import check
from pytest_nbsafe.store import place

HELPERS = "import os\n\ndef load():\n    return 1\n\n_private = 2\n"
STAR = """
# %% [1]
from helpers import *
# %% [2]
print(load())
#> 1
# %% [3]
print(missing)
"""


def told(root: Path, text: str, files: Mapping[str, str], **settings: object) -> list[str]:
    """Return the findings in a notebook of a repository with these files: code, cell, message."""
    (root / ".git").mkdir(exist_ok=True)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    notebook = makenb.write(root / "nb" / "x.ipynb", text)
    report = check([notebook], {"cache": False, **settings})
    return [f"{f.code} {f.location.cell} {f.message}" for f in report.findings]


def codes(root: Path, text: str, files: Mapping[str, str], **settings: object) -> list[str]:
    return [" ".join(line.split()[:2]) for line in told(root, text, files, **settings)]


@pytest.mark.parametrize(
    "files",
    [
        {"nb/helpers.py": HELPERS},
        {"src/helpers.py": HELPERS},
        {"helpers.py": HELPERS},
        {"nb/helpers/__init__.py": '__all__ = ["load"]\nfrom .io import load\n',
         "nb/helpers/io.py": HELPERS},
        {"nb/helpers.py": "from base import *\n", "nb/base.py": HELPERS},
    ],
)  # fmt: skip
def test_names_of_a_star_import_are_known(files: Mapping[str, str], tmp_path: Path) -> None:
    assert codes(tmp_path, STAR, files) == ["NBS101 3"]


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"nb/helpers.py": HELPERS, "src/helpers.py": HELPERS},  # which of them is not sure
        {"nb/helpers.py": f"{HELPERS}__all__ = ['load']\n__all__ += ['m' + 'issing']\n"},
        {"nb/helpers.py": f"{HELPERS}def __getattr__(name): return 1\n"},
        {"nb/helpers.py": f"{HELPERS}globals().update(names())\n"},
        {"nb/helpers.py": f"{HELPERS}from numpy import *\n"},
        {"nb/helpers.py": f"{HELPERS}from helpers import *\n"},
        {"nb/helpers.py": f"{HELPERS}def (:\n"},
        {"nb/helpers/__init__.py": "from .io import load\n", "nb/helpers/io.py": HELPERS},
        {"nb/helpers.py": HELPERS + "#" * 300_000},
    ],
)
def test_where_it_is_not_sure_any_name_may_be_bound(
    files: Mapping[str, str], tmp_path: Path
) -> None:
    assert codes(tmp_path, STAR, files) == []


def test_a_module_outside_of_the_repository_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text(HELPERS, encoding="utf-8")
    root = tmp_path / "repository"
    (root / "nb").mkdir(parents=True)
    (root / "nb" / "helpers.py").symlink_to(tmp_path / "outside.py")
    assert codes(root, STAR, {}) == []


CHANGES = """
# %% [1]
from acme.prep import add
rows = []
# %% [3]
add(rows)
# %% [2]
print(rows)
#> []
"""


def test_what_a_module_changes_in_its_arguments_counts(tmp_path: Path) -> None:
    changing = "def add(xs):\n    xs.append(1)\n"
    keeping = "def add(xs):\n    return [*xs, 1]\n"
    package = {"src/acme/__init__.py": "from .prep import add as put\n"}
    assert codes(tmp_path, CHANGES, {**package, "src/acme/prep.py": changing}) == ["NBS103 3"]
    reexported = CHANGES.replace(".prep import add", " import put as add")
    assert codes(tmp_path, reexported, {}) == ["NBS103 3"]
    by_module = CHANGES.replace("acme.prep import add", "acme import prep as p")
    assert codes(tmp_path, by_module.replace("add(", "p.add("), {}) == ["NBS103 3"]
    assert codes(tmp_path, CHANGES, {"src/acme/prep.py": keeping}) == []


def test_an_answer_hangs_on_the_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(place.VARIABLE, str(tmp_path / "cache"))
    place.folder.cache_clear()
    root = tmp_path / "root"
    answers = []
    helpers = root / "nb" / "helpers.py"
    for text in (None, HELPERS, HELPERS, f"{HELPERS}missing = 1\n", None):
        helpers.parent.mkdir(parents=True, exist_ok=True)
        helpers.unlink(missing_ok=True)
        if text is not None:
            helpers.write_text(text, encoding="utf-8")
        answers.append(codes(root, STAR, {}, cache=True))
    place.folder.cache_clear()
    assert answers == [[], ["NBS101 3"], ["NBS101 3"], [], []]


PREP = """
from sklearn.preprocessing import StandardScaler

def scale(X):
    scaler = StandardScaler()
    return scaler.fit_transform(X)
"""
LEAK = """
# %% [1]
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from acme.prep import scale
df = pd.read_csv("d.csv")
X, y = df.drop(columns="y"), df["y"]
# %% [2]
X = scale(X)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=1)
model = LogisticRegression().fit(X_train, y_train)
print(model.score(X_test, y_test))
"""


OWN_CLASS = """
from sklearn.preprocessing import StandardScaler

NAMES = ["a", "b"]

class Base:
    def fit_transform(self, X, names=NAMES):
        self.inner = make().fit(X[names])
        return self.inner.transform(X[names])

def make():
    return StandardScaler()

class Scale(Base):
    pass

def scale(X):
    return Scale().fit_transform(X)

if __name__ == "__main__":
    X = None
"""


@pytest.mark.parametrize(
    ("brought", "files"),
    [
        ("from acme.prep import scale", {"src/acme/prep.py": PREP}),
        ("import acme.prep as p\nscale = p.scale", {"src/acme/prep.py": PREP}),
        ("import acme.prep\nscale = acme.prep.scale", {"src/acme/prep.py": PREP}),
        ("from acme import prep\nscale = prep.scale", {"src/acme/prep.py": PREP}),
        ("from acme.prep import *", {"src/acme/prep.py": PREP}),
        ("from acme import to_one as scale", {
            "acme/__init__.py": "from .prep import scale as to_one", "acme/prep.py": PREP}),
        ("from acme.prep import scale", {"acme/prep.py": OWN_CLASS}),
        ("from acme.prep import Scale\nscale = Scale().fit_transform",
         {"acme/prep.py": OWN_CLASS}),
    ],
)  # fmt: skip
def test_a_leak_through_a_module_is_found(
    brought: str, files: Mapping[str, str], tmp_path: Path
) -> None:
    page = LEAK.replace("from acme.prep import scale", brought)
    (finding,) = codes(tmp_path, page, files)  # of a bound method where its object was made
    assert finding == ("NBS301 1" if ".fit_transform" in brought else "NBS301 2")


def test_the_path_of_a_leak_names_the_line_of_the_module(tmp_path: Path) -> None:
    told(tmp_path, LEAK, {"src/acme/prep.py": PREP})
    report = check([tmp_path / "nb" / "x.ipynb"], {"cache": False})
    (finding,) = report.findings
    assert (finding.location.cell, finding.location.line) == (2, 1)
    assert [step.cause for step in finding.steps][:2] == [
        'df = all rows of pd.read_csv("d.csv")',
        "scaler.fit_transform(X) learns from all of them (src/acme/prep.py, line 6)",
    ]


@pytest.mark.parametrize(
    "module",
    [
        "def scale(X):\n    return X / 2\n",
        PREP.replace("def scale", "@check\ndef scale").replace("fit_transform(X)", "get(X)"),
        PREP.replace("    scaler", "    global X_test\n    X_test = X\n    scaler").replace(
            "fit_transform(X)", "name"
        ),
        "from acme.prep import scale\n",
        "def scale(X):\n    return scale(X)\n",
    ],
)
def test_a_module_that_learns_nothing_is_no_leak(module: str, tmp_path: Path) -> None:
    assert codes(tmp_path, LEAK, {"src/acme/prep.py": module}) == []


def test_what_learns_from_training_rows_alone_is_no_leak(tmp_path: Path) -> None:
    page = LEAK.replace("X = scale(X)\n", "").replace("fit(X_train", "fit(scale(X_train)")
    assert codes(tmp_path, page, {"src/acme/prep.py": PREP}) == []


def test_the_name_of_a_known_library_is_not_read_here(tmp_path: Path) -> None:
    page = LEAK.replace("from acme.prep import scale", "from sklearn.mine import scale")
    assert codes(tmp_path, page, {"sklearn/mine.py": PREP, "sklearn/__init__.py": ""}) == []


def test_a_long_chain_of_modules_is_not_followed_to_its_end(tmp_path: Path) -> None:
    chain = {f"m{n}.py": f"from m{n + 1} import *\n" for n in range(80)}
    page = LEAK.replace("acme.prep", "m0")
    assert codes(tmp_path, page, {**chain, "m80.py": PREP}) == []


DRAWS = """
# %% [1]
import acme.noise as noise
from acme.noise import sample
# %% [2]
print(sample(3))
"""
NOISE = """\
import numpy as np

def sample(n):
    return _raw(n)

def _raw(n):
    return np.random.rand(n)
"""


def test_what_a_module_draws_at_random_is_found_at_the_call(tmp_path: Path) -> None:
    (line,) = told(tmp_path, DRAWS, {"src/acme/noise.py": NOISE})
    assert line == (
        "NBS405 2 `np.random.rand` draws from numpy's global state, which is not seeded above"
    )
    (finding,) = check([tmp_path / "nb" / "x.ipynb"], {"cache": False}).findings
    assert [step.cause for step in finding.steps] == [
        "calls `acme.noise._raw`",
        "calls `np.random.rand` in it (src/acme/noise.py, line 7)",
    ]
    through_module = DRAWS.replace("print(sample(", "print(noise.sample(")
    assert codes(tmp_path, through_module, {}) == ["NBS405 2"]


@pytest.mark.parametrize(
    ("page", "module"),
    [
        (DRAWS.replace("sample(3)", "len('')"), NOISE),
        (DRAWS, NOISE.replace("np.random.rand(n)", "np.zeros(n)")),
        (DRAWS, f"{NOISE}\nnp.random.seed(1)\n"),  # when it is imported
        (DRAWS, NOISE.replace("return _raw", "np.random.seed(1)\n    return _raw")),
        (DRAWS.replace("print(", "noise.start()\nprint("),
         f"{NOISE}\ndef start():\n    np.random.seed(1)\n"),
    ],
)  # fmt: skip
def test_what_is_seeded_or_not_drawn_is_no_finding(page: str, module: str, tmp_path: Path) -> None:
    assert codes(tmp_path, page, {"src/acme/noise.py": module}) == []


def test_modules_that_import_one_another_in_every_way_are_read_once(tmp_path: Path) -> None:
    """What each of them seeds is told once a module, not once for each way to it."""
    lines = "".join(f"from m{n} import *\n" for n in range(12))
    seeds = "import random\nrandom.seed(1)\ndef f(xs):\n    xs.append(random.random())\n"
    files = {f"m{n}.py": lines + seeds for n in range(12)}
    page = "\n# %% [1]\nfrom m0 import *\n# %% [2]\nxs = []\n# %% [3]\nf(xs)\nprint(xs)\n"
    assert codes(tmp_path, page, files) == []
