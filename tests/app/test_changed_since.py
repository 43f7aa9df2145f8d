"""`--changed-since`: what a branch touches is checked, all else is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from makenb import CLEAN, write

from pytest_nbsafe import git, project
from pytest_nbsafe.app import changes
from pytest_nbsafe.cli import main

IDENTITY = ("-c", "user.name=test", "-c", "user.email=test@example.org")
PAGES = {
    "plain": "# %% [1]\na = 1\n",
    "direct": "# %% [1]\nimport helpers as h, os\n",
    "through": "# %% [1]\nfrom pkg.tables import load\n",
    "relative": "# %% [1]\nfrom pkg import sub\n",
    "sources": "# %% [1]\nimport ours\n",
    "reads": "# %% [1]\nimport pandas as pd\nprices = pd.read_csv('data/prices.csv')\n",
    "folder": "# %% [1]\nimport pandas as pd\nprices = pd.read_parquet('data/parts')\n",
    "runs": "# %% [1]\n%run plain.ipynb\n",
    "asks": "# %% [1]\n!python tools/fetch.py\n",
}
FILES = {
    "helpers.py": "x = 1\n",
    "pkg/__init__.py": "",
    "pkg/tables.py": "from . import deep\nload = deep\n",
    "pkg/deep.py": "import json\n",
    "pkg/sub/__init__.py": "from ..deep import *\n",
    "src/ours/__init__.py": "from ours.inner import (\n    a,\n    b,\n)\n",
    "src/ours/inner.py": "a = b = 1\n",
    "data/prices.csv": "a,b\n",
    "data/parts/0.parquet": "x",
    "data/parts.csv": "x",
    "tools/fetch.py": "pass\n",
    "other.py": "pass\n",
}


def ask(folder: Path, *arguments: str) -> None:
    answer = git._asked(folder, [*IDENTITY, *arguments])
    assert answer is not None
    assert answer[0] == 0, answer


@pytest.fixture(autouse=True)
def folder(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository, the working folder, with a commit that is called `base`."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    for name, text in PAGES.items():
        write(pytester.path / f"{name}.ipynb", text)
    for name, text in FILES.items():
        file = pytester.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    ask(pytester.path, "init", "-b", "base")
    ask(pytester.path, "add", ".")
    ask(pytester.path, "commit", "-m", "base")
    ask(pytester.path, "checkout", "-b", "work")
    forget()
    return pytester.path


def forget() -> None:
    git.repository.cache_clear()
    changes._changed.cache_clear()
    changes._text.cache_clear()
    project.forget()


def touched(folder: Path) -> list[str]:
    forget()
    return [name for name in PAGES if changes.is_touched(folder / f"{name}.ipynb", "base")]


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("helpers.py", ["direct"]),
        ("pkg/deep.py", ["through", "relative"]),
        ("pkg/__init__.py", ["through", "relative"]),
        ("src/ours/inner.py", ["sources"]),
        ("data/prices.csv", ["reads"]),
        ("data/parts/0.parquet", ["folder"]),
        ("data/parts.csv", []),
        ("tools/fetch.py", ["asks"]),
        ("other.py", []),
        ("plain.ipynb", ["plain", "runs"]),
        ("new.ipynb", []),
    ],
)
def test_what_rests_on_a_changed_file(folder: Path, file: str, names: list[str]) -> None:
    (folder / file).write_text("changed = 1\n", encoding="utf-8")
    assert touched(folder) == names
    ask(folder, "add", ".")
    ask(folder, "commit", "-m", "changed")
    assert touched(folder) == names


def test_what_is_gone_has_changed(folder: Path) -> None:
    (folder / "helpers.py").unlink()
    (folder / "data" / "prices.csv").rename(folder / "data" / "costs.csv")
    assert touched(folder) == ["direct", "reads"]


def test_what_the_other_branch_did_does_not_count(folder: Path) -> None:
    ask(folder, "checkout", "base")
    (folder / "helpers.py").write_text("x = 2\n", encoding="utf-8")
    ask(folder, "commit", "-am", "theirs")
    ask(folder, "checkout", "work")
    (folder / "plain.ipynb").write_text("{}", encoding="utf-8")
    assert touched(folder) == ["plain", "runs"]


def test_on_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--changed-since", "base"]) == 0
    said = capsys.readouterr()
    assert said.out == "no findings in 0 notebooks\n"
    assert said.err == "nbsafe: no notebook is touched by what has changed since base\n"
    (folder / "helpers.py").write_text("x = 2\n", encoding="utf-8")
    write(folder / "new.ipynb", CLEAN)
    forget()
    assert main(["check", "--changed-since", "base"]) == 0
    assert capsys.readouterr().out == "no findings in 2 notebooks\n"


@pytest.mark.parametrize("reference", ["nosuch", "--output=x", ""])
def test_a_commit_that_is_none(reference: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["check", f"--changed-since={reference}"])
    assert code == (2 if reference else 0)
    assert ("commit" in capsys.readouterr().err) is bool(reference)


def test_outside_of_a_repository(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook = write(tmp_path_factory.mktemp("nowhere") / "nb.ipynb", CLEAN)
    assert main(["check", "--changed-since", "base", str(notebook)]) == 2
    assert "lies in no git repository" in capsys.readouterr().err


def test_pytest(folder: Path, pytester: pytest.Pytester) -> None:
    arguments = ("--nbsafe", "--nbsafe-static", "--nbsafe-changed-since=base")
    result = pytester.runpytest(*arguments)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*nbsafe: 9 notebooks untouched since base*"])
    result = pytester.runpytest(*arguments, "-n1")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*nbsafe: 9 notebooks untouched since base*"])
    (folder / "helpers.py").write_text("x = 2\n", encoding="utf-8")
    forget()
    result = pytester.runpytest(*arguments)
    result.assert_outcomes(passed=2, deselected=16)
    result.stdout.fnmatch_lines(["direct.ipynb ..*", "*nbsafe: 8 notebooks untouched since base*"])
    result = pytester.runpytest(*arguments, "plain.ipynb")
    assert result.ret == pytest.ExitCode.OK
    result = pytester.runpytest("--nbsafe", "--nbsafe-changed-since=nosuch")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: git knows no commit 'nosuch' in *"])
