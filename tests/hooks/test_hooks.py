"""The hooks: the plain one, and the one that pre-commit installs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from makenb import BROKEN, CLEAN, OUT_OF_ORDER, write

ROOT = Path(__file__).parents[2]
IDENTITY = ("-c", "user.name=test", "-c", "user.email=test@example.org")

posix = pytest.mark.skipif(sys.platform == "win32", reason="a shell script")


def git(*arguments: str, cwd: Path, path: str = "") -> subprocess.CompletedProcess[str]:
    """Run git away from the settings of whoever runs the tests."""
    environ = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    environ["PATH"] = path or environ["PATH"]
    return subprocess.run(
        ["git", *IDENTITY, *arguments],
        cwd=cwd,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a new repository with the plain hook."""
    folder = tmp_path / "repository"
    folder.mkdir()
    assert git("init", cwd=folder).returncode == 0
    hook = folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    shutil.copy(ROOT / "hooks" / "pre-commit", hook)
    return folder


@pytest.fixture
def with_nbsafe(tmp_path: Path) -> str:
    """Return a PATH with an `nbsafe` that is the one under test."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "nbsafe"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pytest_nbsafe "$@"\n')
    command.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@posix
def test_a_finding_stops_the_commit(repository: Path, with_nbsafe: str) -> None:
    write(repository / "mit Leerzeichen.ipynb", BROKEN)
    git("add", ".", cwd=repository)
    done = git("commit", "-m", "x", cwd=repository, path=with_nbsafe)
    assert done.returncode != 0
    assert "NBS101 undefined-name" in done.stdout + done.stderr
    write(repository / "mit Leerzeichen.ipynb", CLEAN)
    git("add", ".", cwd=repository)
    assert git("commit", "-m", "x", cwd=repository, path=with_nbsafe).returncode == 0


@posix
def test_only_staged_notebooks_are_looked_at(repository: Path, with_nbsafe: str) -> None:
    write(repository / "nb.ipynb", BROKEN)
    (repository / "text.txt").write_text("text\n")
    git("add", "text.txt", cwd=repository)
    assert git("commit", "-m", "x", cwd=repository, path=with_nbsafe).returncode == 0


@posix
def test_without_nbsafe_the_hook_says_so(repository: Path, tmp_path: Path) -> None:
    write(repository / "nb.ipynb")
    git("add", ".", cwd=repository)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("git", "sh", "xargs"):
        (tools / name).symlink_to(shutil.which(name) or name)
    done = git("commit", "-m", "x", cwd=repository, path=str(tools))
    assert done.returncode != 0
    assert "nbsafe: not on the PATH" in done.stderr


def test_a_repository_without_notebooks_needs_no_nbsafe(repository: Path) -> None:
    (repository / "text.txt").write_text("text\n")
    git("add", ".", cwd=repository)
    assert git("commit", "-m", "x", cwd=repository).returncode == 0


@posix
def test_pre_commit_shows_warnings_and_names_what_it_checks(
    tmp_path: Path, with_nbsafe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hooks as they stand, but for the installation."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("PATH", with_nbsafe)
    user = tmp_path / "user"
    user.mkdir()
    git("init", cwd=user)
    manifest = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    indented = "".join(f"  {line}\n" for line in manifest.splitlines())
    config = "repos:\n- repo: local\n  hooks:\n" + indented.replace("python", "system")
    (user / ".pre-commit-config.yaml").write_text(config)
    (user / "nbsafe.toml").write_text("exclude = ['drafts']\n")
    write(user / "one.ipynb", OUT_OF_ORDER)
    write(user / "two.ipynb", CLEAN)
    write(user / "drafts" / "nb.ipynb", BROKEN)

    mild = _pre_commit(user, "nbsafe")
    assert mild.returncode == 0, mild.stdout + mild.stderr
    lines = mild.stdout.splitlines()
    assert lines[0].startswith("nbsafe (notebooks, checked without running them)...")
    assert any(line.startswith("one.ipynb:cell 2:line 1  warning NBS103") for line in lines)
    assert "1 warning in 2 notebooks" in lines
    strict = _pre_commit(user, "nbsafe-strict")
    assert strict.returncode == 1
    assert "1 warning in 2 notebooks" in strict.stdout.splitlines()


@pytest.mark.corpus
def test_pre_commit_installs_and_runs_the_hook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    hooks, user = _clone(tmp_path / "hooks"), tmp_path / "user"
    rev = git("rev-parse", "HEAD", cwd=hooks).stdout.strip()
    user.mkdir()
    git("init", cwd=user)
    config = f"repos:\n- repo: {hooks}\n  rev: {rev}\n  hooks:\n  - id: nbsafe\n"
    (user / ".pre-commit-config.yaml").write_text(config)
    write(user / "nb.ipynb", BROKEN)
    (user / "text.txt").write_text("text\n")

    broken = _pre_commit(user)
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert "nb.ipynb:cell 3:line 2  error NBS101 undefined-name (proved)" in broken.stdout
    write(user / "nb.ipynb", OUT_OF_ORDER)
    assert "1 warning in 1 notebook" in _pre_commit(user).stdout
    write(user / "nb.ipynb", CLEAN)
    clean = _pre_commit(user)
    assert clean.returncode == 0, clean.stdout + clean.stderr
    (user / "nb.ipynb").unlink()
    assert "Skipped" in _pre_commit(user).stdout


def _clone(target: Path) -> Path:
    """Return a clone of this repository with what lies in its working tree committed."""
    assert git("clone", str(ROOT), str(target), cwd=ROOT).returncode == 0
    for name in ("pytest_nbsafe", "pyproject.toml", ".pre-commit-hooks.yaml", "README.md"):
        source = ROOT / name
        if source.is_dir():
            shutil.rmtree(target / name, ignore_errors=True)
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy(source, target / name)
    git("add", "--all", cwd=target)
    git("commit", "--allow-empty", "-m", "as it lies here", cwd=target)
    return target


def _pre_commit(folder: Path, *hooks: str) -> subprocess.CompletedProcess[str]:
    git("add", "--all", cwd=folder)
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--all-files", *hooks],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
