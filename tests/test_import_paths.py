"""Where modules of a repository are imported from: pytest's paths, source folders, and a run."""

from __future__ import annotations

from pathlib import Path

import makenb
import pytest

from pytest_nbsafe import project
from pytest_nbsafe.app.run import run
from pytest_nbsafe.project import own_files

PACKAGE = {"lib/acme/__init__.py": "", "lib/acme/prep.py": "", "lib/tool.py": ""}


def laid(root: Path, files: dict[str, str]) -> Path:
    """Write files below a folder that is a repository, and return a path in its `nb`."""
    (root / ".git").mkdir()
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root / "nb" / "x.ipynb"


def paths(root: Path, files: dict[str, str]) -> list[list[str]]:
    """Return the import paths of a repository, those of pytest and those of packages."""
    there = project.of(laid(root, files)).paths
    return [
        [Path(name).relative_to(root.resolve()).as_posix() for name in names]
        for names in (there.tests, there.sources)
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\npythonpath = lib nosuch\n"),
        ("tox.ini", "[pytest]\npythonpath = lib\n"),
        ("setup.cfg", "[tool:pytest]\npythonpath =\n  lib\n"),
        ("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = ["lib"]\n'),
        ("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = "lib"\n'),
        ("pyproject.toml", '[tool.pytest]\npythonpath = ["lib"]\n'),
        ("pytest.toml", '[pytest]\npythonpath = ["lib"]\n'),
    ],
)
def test_what_pytest_is_told_counts(name: str, text: str, tmp_path: Path) -> None:
    assert paths(tmp_path, {**PACKAGE, name: text}) == [["lib"], []]


def test_the_first_file_of_pytest_counts(tmp_path: Path) -> None:
    ini = {"pytest.ini": "[pytest]\n", "setup.cfg": "[tool:pytest]\npythonpath = lib\n"}
    assert paths(tmp_path, {**PACKAGE, **ini}) == [[], []]


@pytest.mark.parametrize(
    "text",
    [
        '[tool.setuptools.package-dir]\n"" = "lib"\n',
        '[tool.setuptools.packages.find]\nwhere = ["lib"]\n',
        '[tool.hatch.build.targets.wheel]\npackages = ["lib/acme"]\n',
        '[tool.hatch.build]\nsources = ["lib"]\n',
        '[tool.poetry]\npackages = [{ include = "acme", from = "lib" }]\n',
        '[tool.pdm.build]\npackage-dir = "lib"\n',
        '[tool.uv.build-backend]\nmodule-root = "lib"\n',
        '[tool.maturin]\npython-source = "lib"\n',
    ],
)
def test_source_folders_of_a_build_count(text: str, tmp_path: Path) -> None:
    assert paths(tmp_path, {**PACKAGE, "pyproject.toml": text}) == [[], ["lib"]]


def test_a_setup_cfg_and_a_plain_src_count(tmp_path: Path) -> None:
    cfg = "[options]\npackage_dir =\n    = lib\n"
    files = {**PACKAGE, "src/other/__init__.py": "", "setup.cfg": cfg}
    assert paths(tmp_path, files) == [[], ["lib", "src"]]


def test_what_lies_outside_or_is_no_package_does_not_count(tmp_path: Path) -> None:
    text = '[tool.setuptools.package-dir]\n"" = "../elsewhere"\n[tool.pdm.build]\npackage-dir = 3\n'
    assert paths(tmp_path, {"pyproject.toml": text, "src/notes.py": ""}) == [[], []]


def test_folders_of_conftest_files_count_but_for_the_packages_they_are_in(tmp_path: Path) -> None:
    files = {"conftest.py": "", "nb/conftest.py": "", "nb/__init__.py": "", "tests/conftest.py": ""}
    assert paths(tmp_path, files) == [["."], []]


def test_importlib_mode_adds_no_folder(tmp_path: Path) -> None:
    ini = "[pytest]\naddopts = --import-mode=importlib\n"
    assert paths(tmp_path, {"conftest.py": "", "pytest.ini": ini}) == [[], []]


@pytest.mark.parametrize("name", ["pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini"])
@pytest.mark.parametrize("text", ["[[[", "\0", "[pytest]\npythonpath = \0 lib", "x = [" * 500])
def test_a_broken_file_says_nothing(name: str, text: str, tmp_path: Path) -> None:
    tests, sources = paths(tmp_path, {name: text})
    assert (tests, sources) == ([], [])


@pytest.mark.parametrize(
    ("module", "file"),
    [
        ("acme", "lib/acme"),
        ("acme.prep", "lib/acme/prep.py"),
        ("acme.gone", "lib/acme"),
        ("tool", "lib/tool.py"),
        ("nosuch", None),
        ("acme/../x", None),
    ],
)
def test_a_module_is_looked_for_in_the_whole_repository(
    module: str, file: str | None, tmp_path: Path
) -> None:
    venv = {"venv/pyvenv.cfg": "", "venv/lib/nosuch.py": "", ".tox/nosuch.py": ""}
    place = own_files.module(project.of(laid(tmp_path, {**PACKAGE, **venv})), module)
    assert (place and place[0].relative_to(tmp_path.resolve()).as_posix()) == file


IMPORTS = """
# %% [1]
from own import where
import packed, beside, json
print(where, packed.where, beside.where, hasattr(json, "loads"))
#> lib src nb True
# %% [2]
import numpy
print(hasattr(numpy, "array"))
#> True
"""


@pytest.mark.kernel
@pytest.mark.corpus
def test_modules_of_the_repository_reach_the_kernel(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["lib"]\n',
        "lib/own.py": "where = 'lib'",
        "lib/json.py": "raise SystemExit('not the standard library')",
        "src/packed/__init__.py": "where = 'src'",
        "src/numpy/__init__.py": "",
        "nb/beside.py": "where = 'nb'",
    }
    path = makenb.write(laid(tmp_path, files), IMPORTS)
    assert run([path], {}).findings == ()
