"""What a project declares: each file that may say so, and which folders count."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_nbsafe import project
from pytest_nbsafe.project import requirements


def laid(folder: Path, files: dict[str, str]) -> Path:
    """Write files below a folder and return the path of a notebook in it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "nb.ipynb"


def declared(folder: Path, files: dict[str, str]) -> str | None:
    found = project.of(laid(folder, files)).declared
    return None if found is None else " ".join(sorted(found))


PYPROJECT = """\
[build-system]
requires = ["setuptools"]
[project]
name = "My.Pkg"
dependencies = ["a>=1", "B_b[x] ~= 2; python_version < '4'"]
[project.optional-dependencies]
plot = ["c"]
[dependency-groups]
test = ["d", {include-group = "dev"}]
dev = ["e @ https://host/e.whl"]
"""
POETRY = """\
[tool.poetry]
name = "mine"
[tool.poetry.dependencies]
python = "^3.10"
a = "^1"
B_b = {version = "1", optional = true}
[tool.poetry.group.dev.dependencies]
c = "*"
"""
OTHERS = """\
[tool.pdm.dev-dependencies]
test = ["a"]
[tool.hatch.envs.default]
dependencies = ["b"]
[tool.uv]
dev-dependencies = ["c"]
[tool.pixi.dependencies]
d = "*"
[tool.pixi.feature.x.pypi-dependencies]
e = "*"
"""
CONDA = """\
name: env
channels:
  - conda-forge
dependencies:
  - python=3.10
  - numpy=1.2=py38_0  # why
  - "scipy>=1"
  - conda-forge::pytorch
  # - left-out
  - pip
  - pip:
    - Shap==0.4
    - git+https://host/me/thing.git
variables:
  KEY: "- no"
"""
SETUP_PY = """\
from setuptools import setup
NEEDS = ["a", "b>1"]
setup(name="mine", install_requires=NEEDS, extras_require={"x": ["c"]}, setup_requires=["no"])
"""
SETUP_CFG = """\
[metadata]
name = mine
[options]
install_requires =
    a>=1
    # no
    b; python_version > "3"
[options.extras_require]
x = c
"""
REQUIREMENTS = """\
# everything
a==1 \\
    --hash=sha256:0
B.b >= 1  # why
-r more/dev.txt
-c constraints.txt
--index-url https://host/simple
-e git+https://host/me/c.git#egg=c
./local
https://host/d-1.0-py3-none-any.whl
e @ file:///f
"""


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pyproject.toml": PYPROJECT}, "a b-b c d e my-pkg"),
        ({"pyproject.toml": POETRY}, "a b-b c mine"),
        ({"pyproject.toml": OTHERS}, "a b c d e"),
        ({"pyproject.toml": "[tool.ruff]\n"}, None),
        ({"pyproject.toml": "[project]\nname = 'x'\ndependencies = []\n"}, None),
        ({"environment.yml": CONDA}, "numpy pip python pytorch scipy shap thing"),
        ({"binder/environment.yaml": "dependencies: [a, b=1]\n"}, "a b"),
        ({"environment.yml": "dependencies:\n- a\n- pip:\n  - b\nprefix: /x\n"}, "a b"),
        ({"setup.py": SETUP_PY}, "a b c mine"),
        ({"setup.cfg": SETUP_CFG}, "a b c mine"),
        (
            {"requirements.txt": REQUIREMENTS, "more/dev.txt": "f\n-r ../g.txt", "g.txt": "g"},
            "a b-b c d e f g",
        ),
        ({"requirements/base.txt": "a", "requirements-dev.txt": "b"}, "a b"),
        ({"Pipfile": "[packages]\na = '*'\n[dev-packages]\nb = '*'\n[requires]\nc = '1'"}, "a b"),
        ({}, None),
        ({"notes.txt": "a", "data.yml": "dependencies:\n- a"}, None),
    ],
)
def test_each_file(tmp_path: Path, files: dict[str, str], expected: str | None) -> None:
    assert declared(tmp_path, files) == expected
    assert project.of(tmp_path / "nb.ipynb").unknown == ""


@pytest.mark.parametrize(
    ("files", "cause"),
    [
        ({"pyproject.toml": "[project"}, "pyproject.toml: it cannot be read"),
        ({"pyproject.toml": "[project]\ndynamic = ['dependencies']"}, "when it is built"),
        ({"Pipfile": "["}, "Pipfile: it cannot be read"),
        ({"setup.cfg": "no section"}, "setup.cfg: it cannot be read"),
        ({"setup.py": "("}, "setup.py: it cannot be read"),
        ({"setup.py": "setup(install_requires=read())"}, "setup.py: install_requires is computed"),
        ({"requirements.txt": "-r gone.txt"}, "requirements.txt: gone.txt cannot be read"),
        ({"environment.yml": "dependencies:\n- pip:\n  - -r x.txt"}, "it includes another file"),
    ],
)
def test_what_is_broken_or_computed_is_unknown(
    tmp_path: Path, files: dict[str, str], cause: str
) -> None:
    found = project.of(laid(tmp_path, files))
    assert found.declared is None
    assert cause in found.unknown


def test_bytes_that_are_no_text_are_unknown(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_bytes(b"a\xff\xfa")
    assert "cannot be read" in project.of(tmp_path / "nb.ipynb").unknown


def test_files_with_a_mark_are_read(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_bytes("a==1\r\nb\r\n".encode("utf-16"))
    assert project.of(tmp_path / "nb.ipynb").declared == frozenset({"a", "b"})


def test_dynamic_dependencies_of_a_file_are_read(tmp_path: Path) -> None:
    text = (
        "[project]\ndynamic = ['dependencies']\n"
        "[tool.setuptools.dynamic]\ndependencies = {file = ['needs.txt']}\n"
    )
    assert declared(tmp_path, {"pyproject.toml": text, "needs.txt": "a\nb"}) == "a b"


def test_a_computed_list_beside_a_file_of_requirements_is_that_file(tmp_path: Path) -> None:
    files = {"setup.py": "setup(install_requires=read())", "requirements.txt": "a"}
    assert declared(tmp_path, files) == "a"
    assert project.of(tmp_path / "nb.ipynb").unknown == ""


def test_all_folders_of_a_repository_count(tmp_path: Path) -> None:
    files = {"repo/.git/HEAD": "", "repo/requirements.txt": "a", "repo/nb/sub/environment.yml": ""}
    laid(tmp_path, {**files, "requirements.txt": "outside", "repo/nb/requirements.txt": "b"})
    found = project.of(tmp_path / "repo" / "nb" / "sub" / "nb.ipynb")
    assert found.declared == frozenset({"a", "b"})


def test_the_nearest_folder_counts_outside_of_a_repository(tmp_path: Path) -> None:
    laid(tmp_path, {"requirements.txt": "a", "x/requirements.txt": "b", "x/y/n.py": ""})
    assert project.of(tmp_path / "x" / "y" / "nb.ipynb").declared == frozenset({"b"})


def test_modules_beside_the_notebook_at_the_root_and_in_src(tmp_path: Path) -> None:
    files = [
        ".git/HEAD",
        "top.py",
        "src/pkg/__init__.py",
        "data/x.csv",
        "nb/helper.py",
        "nb/fast.cpython-311-x.so",
        "nb/not-a-module.py",
        "nb/space/inner.py",
    ]
    laid(tmp_path, dict.fromkeys(files, ""))
    found = project.of(tmp_path / "nb" / "nb.ipynb")
    assert found.local == {"top", "pkg", "helper", "fast", "space", "nb"}


def test_the_key_is_that_of_what_is_declared(tmp_path: Path) -> None:
    keys = [
        project.of(laid(tmp_path / str(n), files)).key
        for n, files in enumerate(
            [
                {"requirements.txt": "a\nb"},
                {"requirements.txt": "b\na==2"},
                {"requirements.txt": "a"},
                {"requirements.txt": "a", "m.py": ""},
                {},
            ]
        )
    ]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 4


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("scikit_Learn>=1", "scikit-learn"),
        ("a[x,y]==1", "a"),
        ("a;python_version<'3'", "a"),
        ("git+ssh://git@host/me/a.git@v1", "a"),
        ("https://host/me/a-1.0.tar.gz", "a"),
        ("../x", ""),
        (".", ""),
        ("--pre", ""),
    ],
)
def test_the_name_of_a_requirement(text: str, name: str) -> None:
    assert requirements.name_of(text) == name
