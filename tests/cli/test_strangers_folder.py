"""Nothing of the folder that is looked at runs: modules lie there under every name there is."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from makenb import BROKEN, CLEAN, OUT_OF_ORDER, write

DECOY = """\
with open({log!r}, "a") as log:
    log.write(__name__ + "\\n")
raise SystemExit("a module of the folder was run")
"""
NBSAFE = Path(sysconfig.get_path("scripts")) / "nbsafe"
SETTINGS = '[tool.nbsafe]\njobs = "auto"\nnotes = true\nselect = ["NBS"]\n'
NOTEBOOKS = 60
"""More than a process is started for."""

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with many notebooks and a module of every name that is installed."""
    folder = tmp_path_factory.mktemp("stranger")
    log = str(folder / "log")
    ours = {"pytest_nbsafe", "__main__", "conftest"}
    for name in {*sys.stdlib_module_names, *packages_distributions()} - ours:
        (folder / f"{name}.py").write_text(DECOY.format(log=log))
    for name in ("sitecustomize", "usercustomize", "pytest_nbsafe_rules", "setup"):
        (folder / f"{name}.py").write_text(DECOY.format(log=log))
    (folder / "pyproject.toml").write_text(SETTINGS)
    for number in range(NOTEBOOKS):
        write(folder / f"{number}.ipynb", (BROKEN, CLEAN, OUT_OF_ORDER)[number % 3])
    return folder


@pytest.fixture
def executed(folder: Path) -> Callable[[], list[str]]:
    """Return what tells which modules of the folder ran."""
    log = folder / "log"
    log.unlink(missing_ok=True)
    return lambda: log.read_text().split() if log.exists() else []


@pytest.fixture
def run(folder: Path, tmp_path: Path) -> Run:
    environ = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "PYTHONSAFEPATH"}}
    environ["NBSAFE_CACHE_DIR"] = str(tmp_path / "cache")

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=folder, env=environ, capture_output=True, text=True, check=False
        )

    return run


@pytest.mark.parametrize(
    ("arguments", "code", "shown"),
    [
        ("check", 1, "NBS101"),
        ("check --jobs 2 --no-cache", 1, "NBS101"),
        ("check --format json", 1, '"NBS101"'),
        ("order 2.ipynb", 0, "order"),
        ("whatif 2.ipynb --run 1", 0, "cell"),
        ("rules", 0, "NBS101"),
        ("explain NBS101", 0, "NBS101"),
    ],
)
def test_a_command_runs_nothing(
    arguments: str, code: int, shown: str, run: Run, executed: Callable[[], list[str]]
) -> None:
    done = run(str(NBSAFE), *arguments.split())
    assert executed() == []
    assert (done.returncode, done.stderr) == (code, "")
    assert shown in done.stdout


@pytest.mark.corpus
@pytest.mark.parametrize("options", ["--nbsafe-static", "--collect-only"])
def test_pytest_runs_nothing(options: str, run: Run, executed: Callable[[], list[str]]) -> None:
    pytest_itself = str(NBSAFE.with_name("pytest"))
    done = run(pytest_itself, "--nbsafe", options, "-p", "no:cacheprovider", "0.ipynb", "1.ipynb")
    assert executed() == []
    assert "0.ipynb" in done.stdout


def test_as_a_module_it_runs_no_more_than_python_does(
    run: Run, executed: Callable[[], list[str]]
) -> None:
    """What `-m` needs to find a module is imported before the module can do anything."""
    command = f"{sys.executable} -m pytest_nbsafe check --jobs 2".split()
    if sys.version_info >= (3, 11):
        done = run(command[0], "-P", *command[1:])
        assert executed() == []
        assert done.returncode == 1
    run(*command)
    by_us = set(executed())
    assert by_us <= {"runpy", "importlib", "contextlib", "types"}, by_us


def test_the_hook_runs_nothing(folder: Path, run: Run, executed: Callable[[], list[str]]) -> None:
    run("git", "init", "-q")
    hook = Path(__file__).parents[2] / "hooks" / "pre-commit"
    shutil.copy(hook, folder / ".git" / "hooks" / "pre-commit")
    run("git", "add", "0.ipynb", "1.ipynb")
    path = f"PATH={NBSAFE.parent}{os.pathsep}{os.environ['PATH']}"
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    done = run("env", path, "git", *who, "commit", "-m", "x")
    assert executed() == []
    assert done.returncode == 1
    assert "NBS101" in done.stdout + done.stderr
