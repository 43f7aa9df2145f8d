"""Which notebooks are looked at: the same ones by the command line and by pytest."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from makenb import BROKEN, OUT_OF_ORDER, write

from pytest_nbsafe import git
from pytest_nbsafe.app.discovery import Which, notebooks_in
from pytest_nbsafe.cli import main
from pytest_nbsafe.errors import NbsafeError

EVERYWHERE = (
    "nb.ipynb",
    "analysis/nb.ipynb",
    "analysis/drafts/nb.ipynb",
    "drafts/deep/nb.ipynb",
    "ignored/nb.ipynb",
    "ignored/kept.ipynb",
    "env/share/nb.ipynb",
    "conda/share/nb.ipynb",
    "lib/site-packages/pkg/nb.ipynb",
    "build/nb.ipynb",
    "dist/nb.ipynb",
    "docs/_build/nb.ipynb",
    "node_modules/pkg/nb.ipynb",
    ".hidden/nb.ipynb",
    "analysis/.ipynb_checkpoints/nb-checkpoint.ipynb",
)
OWN = ["analysis/drafts/nb.ipynb", "analysis/nb.ipynb", "drafts/deep/nb.ipynb", "nb.ipynb"]
IGNORED = ["ignored/kept.ipynb", "ignored/nb.ipynb"]


pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def folder(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder, the working one, that has notebooks everywhere."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    first = write(pytester.path / EVERYWHERE[0])
    for name in EVERYWHERE[1:]:
        path = pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(first.read_bytes())
    (pytester.path / "env" / "pyvenv.cfg").touch()
    (pytester.path / "conda" / "conda-meta").mkdir()
    git._asked(pytester.path, ["init"])
    git.repository.cache_clear()
    return pytester.path


@pytest.fixture
def both(pytester: pytest.Pytester) -> Callable[..., list[str]]:
    """Return what names the notebooks that the command line and pytest both look at."""

    def names(*paths: str, **options: str) -> list[str]:
        by_hand = {key: value.split() for key, value in options.items()}
        given = [Path(path) for path in paths] or [Path()]
        ours = [path.as_posix() for path in notebooks_in(given, by_hand)]
        arguments = [f"--nbsafe-{key}={word}" for key, words in by_hand.items() for word in words]
        # What pytest itself would leave out is not the question here.
        everywhere = ("--collect-in-virtualenv", "-o", "norecursedirs=")
        command = ("--nbsafe", "--collect-only", "-q", *everywhere, *arguments, *paths)
        lines = pytester.runpytest(*command).outlines
        theirs = [line.partition("::")[0] for line in lines if line.endswith("::notebook")]
        assert sorted(theirs) == ours
        return ours

    return names


def test_what_tools_put_there_is_left_out(both: Callable[..., list[str]]) -> None:
    assert both() == sorted([*OWN, *IGNORED])


def test_what_is_named_is_looked_at(both: Callable[..., list[str]]) -> None:
    assert both("build", "env/share/nb.ipynb") == ["build/nb.ipynb", "env/share/nb.ipynb"]
    assert both("docs") == []


def test_what_git_ignores_is_left_out(folder: Path, both: Callable[..., list[str]]) -> None:
    (folder / ".gitignore").write_text("ignored/\n", encoding="utf-8")
    git._asked(folder, ["add", "--force", "ignored/kept.ipynb"])
    assert both() == sorted([*OWN, IGNORED[0]])
    (folder / "nbsafe.toml").write_text("respect-gitignore = false\n", encoding="utf-8")
    assert both() == sorted([*OWN, *IGNORED])


def test_an_ignored_folder_that_is_named_is_looked_at(
    folder: Path, both: Callable[..., list[str]]
) -> None:
    (folder / ".gitignore").write_text("ignored/\nnb.ipynb\n", encoding="utf-8")
    assert both("ignored") == IGNORED
    assert both("nb.ipynb") == ["nb.ipynb"]
    assert both() == []


def test_a_repository_within_another(folder: Path, both: Callable[..., list[str]]) -> None:
    git._asked(folder / "analysis", ["init"])
    git._asked(folder / "drafts", ["init"])
    git.repository.cache_clear()
    (folder / ".gitignore").write_text("/drafts/\nignored\n", encoding="utf-8")
    (folder / "analysis" / ".gitignore").write_text("drafts\n", encoding="utf-8")
    assert both() == ["analysis/nb.ipynb", "nb.ipynb"]


def test_without_git_nothing_is_ignored(
    folder: Path, both: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / ".gitignore").write_text("ignored/\n", encoding="utf-8")
    monkeypatch.setenv("PATH", "")
    assert both() == sorted([*OWN, *IGNORED])


@pytest.mark.skipif(os.name == "nt", reason="a program of POSIX")
def test_a_strangers_settings_start_nothing(folder: Path) -> None:
    (folder / "evil").write_text("#!/bin/sh\ntouch started\n", encoding="utf-8")
    (folder / "evil").chmod(0o755)
    git._asked(folder, ["config", "core.fsmonitor", str(folder / "evil")])
    git._asked(folder, ["add", "nb.ipynb"])
    notebooks_in([Path()], {})
    assert not (folder / "started").exists()


def test_a_hook_of_another_repository_does_not_matter(
    folder: Path, both: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / ".gitignore").write_text("ignored/\n", encoding="utf-8")
    monkeypatch.setenv("GIT_DIR", str(folder / "nowhere"))
    assert both() == OWN


@pytest.mark.parametrize(
    ("glob", "left"),
    [
        ("drafts", ["analysis/nb.ipynb", "nb.ipynb"]),
        ("drafts/", ["analysis/nb.ipynb", "nb.ipynb"]),
        ("drafts/*", ["analysis/drafts/nb.ipynb", "analysis/nb.ipynb", "nb.ipynb"]),
        ("**/drafts/**/*.ipynb", ["analysis/nb.ipynb", "nb.ipynb"]),
        ("./analysis", ["drafts/deep/nb.ipynb", "nb.ipynb"]),
        ("nb.ipynb", []),
        ("no*", OWN),
    ],
)
def test_exclude(folder: Path, both: Callable[..., list[str]], glob: str, left: list[str]) -> None:
    (folder / ".gitignore").write_text("ignored/\n", encoding="utf-8")
    assert both(exclude=glob) == left
    (folder / "nbsafe.toml").write_text(f"exclude = ['{glob}']\n", encoding="utf-8")
    assert both() == left


def test_include_is_all_that_is_looked_at(folder: Path, both: Callable[..., list[str]]) -> None:
    (folder / "nbsafe.toml").write_text("include = ['analysis/*']\n", encoding="utf-8")
    assert both() == ["analysis/drafts/nb.ipynb", "analysis/nb.ipynb"]
    assert both(exclude="drafts") == ["analysis/nb.ipynb"]
    assert both(include="drafts/*") == ["drafts/deep/nb.ipynb"]
    assert both("nb.ipynb") == ["nb.ipynb"]


def test_a_hook_names_files_and_leaves_them_out_nevertheless(folder: Path) -> None:
    (folder / "nbsafe.toml").write_text("exclude = ['drafts']\n", encoding="utf-8")
    given = [Path(name) for name in EVERYWHERE]
    meant = notebooks_in(given, {}, Which(force_exclude=True))
    assert [path.as_posix() for path in meant] == sorted(
        ["analysis/nb.ipynb", "nb.ipynb", *IGNORED]
    )


def test_a_setting_that_is_not_understood_is_misuse(folder: Path) -> None:
    (folder / "nbsafe.toml").write_text("exclude = 3\n", encoding="utf-8")
    with pytest.raises(NbsafeError, match="exclude cannot be 3"):
        notebooks_in([folder], {})


# ----------------------------------------------------------------- standard input


def check_text(monkeypatch: pytest.MonkeyPatch, content: bytes, *arguments: str) -> int:
    """Return the exit code of `nbsafe check -` for a text."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    return main(["check", "-", *arguments])


def test_standard_input(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    content = write(folder / "elsewhere.ipynb", BROKEN).read_bytes()
    assert check_text(monkeypatch, content) == 1
    assert "-:cell 3:line 2  error NBS101" in capsys.readouterr().out
    named = ("--stdin-filename", "drafts/new.ipynb", "--format", "json")
    assert check_text(monkeypatch, content, *named) == 1
    document = json.loads(capsys.readouterr().out)
    assert [f["path"] for f in document["findings"]] == [str(Path("drafts/new.ipynb"))]


def test_the_settings_of_standard_input_are_those_of_its_place(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    content = write(folder / "elsewhere.ipynb", OUT_OF_ORDER).read_bytes()
    (folder / "drafts" / "nbsafe.toml").write_text(
        "strict = true\nexclude = ['deep']\n", encoding="utf-8"
    )
    assert check_text(monkeypatch, content, "--stdin-filename", "nb.ipynb") == 0
    assert check_text(monkeypatch, content, "--stdin-filename", "drafts/nb.ipynb") == 1
    deep = ("--stdin-filename", "drafts/deep/nb.ipynb", "--force-exclude")
    assert check_text(monkeypatch, content, *deep) == 0
    assert "no findings in 0 notebooks" in capsys.readouterr().out


@pytest.mark.parametrize("content", [b"", b"{", b"\xff"])
def test_standard_input_that_is_no_notebook(
    monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    assert check_text(monkeypatch, content) == 2


def test_standard_input_comes_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_text(monkeypatch, b"", "nb.ipynb") == 2
    assert "standard input" in capsys.readouterr().err


def test_nothing_to_look_at_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "docs"]) == 0
    said = capsys.readouterr()
    assert said.out == "no findings in 0 notebooks\n"
    assert said.err.startswith("nbsafe: no notebooks there: ")
