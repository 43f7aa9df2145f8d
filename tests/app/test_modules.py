"""What the repository's own modules do is known without a run: `nbsafe check` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import makenb
import pytest

from pytest_nbsafe.app import cache
from pytest_nbsafe.app.check import check

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
        {"nb/helpers.py": HELPERS + "#" * 600_000},
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
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    cache.folder.cache_clear()
    root = tmp_path / "root"
    answers = []
    helpers = root / "nb" / "helpers.py"
    for text in (None, HELPERS, HELPERS, f"{HELPERS}missing = 1\n", None):
        helpers.parent.mkdir(parents=True, exist_ok=True)
        helpers.unlink(missing_ok=True)
        if text is not None:
            helpers.write_text(text, encoding="utf-8")
        answers.append(codes(root, STAR, {}, cache=True))
    cache.folder.cache_clear()
    assert answers == [[], ["NBS101 3"], ["NBS101 3"], [], []]
