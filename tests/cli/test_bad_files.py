"""The commands, given files and streams that are not what they should be: one line, exit 2."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from makenb import CLEAN, write
from tiers import every

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices of POSIX")
RED = "\x1b[31m"


def nbsafe(*arguments: str, cwd: Path, shell: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest_nbsafe", *arguments]
    if shell:
        command = ["sh", "-c", f'"$@" {shell}', "sh", *command]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a project with one good notebook and files that must not be read."""
    write(tmp_path / "good.ipynb", CLEAN)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "circle").symlink_to("circle")
    with (tmp_path / "sparse").open("wb") as stream:
        stream.truncate(40 * 1024**3)
    (tmp_path / "deep").write_text("a = " + "[" * 100_000)
    (tmp_path / "nul").write_bytes(b'{"version": 1, "notebooks": {"a\0": []}}')
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\xd8" * 100)
    return tmp_path


BAD = ("pipe", "zero", "circle", "sparse", "deep", "nul", "binary")


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """Return the complaint, which is one line without anything that acts on a terminal."""
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stderr
    *_, line = done.stderr.splitlines()
    assert line.startswith("nbsafe: error: ")
    return line


@pytest.mark.parametrize("bad", every(3, BAD))
def test_a_notebook_that_is_none_is_a_finding(folder: Path, bad: str) -> None:
    (folder / bad).rename(folder / "bad.ipynb")
    done = nbsafe("check", ".", cwd=folder)
    assert done.returncode == 2
    assert done.stdout.count("NBS901") == 1
    assert "1 error in 2 notebooks" in done.stdout
    assert done.stderr == ""
    for command in (["order", "bad.ipynb"], ["whatif", "bad.ipynb", "--run", "1"]):
        assert "bad.ipynb, line" in one_line(nbsafe(*command, cwd=folder))


@pytest.mark.parametrize("bad", every(3, BAD))
def test_settings_that_cannot_be_read_are_told_once(folder: Path, bad: str) -> None:
    (folder / bad).rename(folder / "nbsafe.toml")
    done = nbsafe("check", ".", cwd=folder)
    if bad in {"pipe", "zero", "circle"}:  # no file of settings at all
        assert (done.returncode, done.stderr) == (0, "")
    else:
        assert "nbsafe.toml" in one_line(done)


@pytest.mark.parametrize("bad", every(3, BAD))
def test_a_baseline_that_cannot_be_read_is_told_once(folder: Path, bad: str) -> None:
    assert "baseline" in one_line(nbsafe("check", ".", "--baseline", bad, cwd=folder)) or (
        bad == "nul"
    )


DECLARING = ("requirements.txt", "setup.cfg", "setup.py", "environment.yml", "Pipfile")


@pytest.mark.parametrize("case", every(4, product(BAD, DECLARING)), ids="-".join)
def test_a_declaration_that_cannot_be_read_is_unknown(folder: Path, case: tuple[str, str]) -> None:
    bad, name = case
    (folder / bad).rename(folder / name)
    write(folder / "good.ipynb", "# %% [1]\nimport plotly\n")
    done = nbsafe("check", ".", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("bad", every(3, BAD))
def test_a_session_that_cannot_be_read_is_told(folder: Path, bad: str) -> None:
    assert bad in one_line(nbsafe("replay", bad, cwd=folder))


@pytest.mark.parametrize(
    "settings",
    every(4, [
        "timeout = 1e400", f"timeout = {'9' * 400}", f"jobs = {'9' * 400}", f"jobs = {'9' * 5000}",
        "timeout = nan", "max-notebook-mb = 0", 'baseline = "a\\u0000b"', f"a = {'[' * 5000}",
        'select = ["\\u001b[31m"]', '"\\u001b[31m" = 1', 'order = "\\u001b]0;title\\u0007"',
    ]),
)  # fmt: skip
def test_settings_that_mean_nothing_are_told(folder: Path, settings: str) -> None:
    (folder / "nbsafe.toml").write_text(settings)
    one_line(nbsafe("check", ".", cwd=folder))


@pytest.mark.parametrize(
    "arguments",
    every(4, [
        ["check", f"{RED}no.ipynb"], ["order", f"{RED}no.ipynb"], ["explain", RED], [RED],
        ["check", f"--{RED}"], ["check", "--format", RED], ["check", "--select", RED],
        ["whatif", f"{RED}no.ipynb", "--run", "1"], ["replay", f"{RED}no.ipynb"],
        ["check", "a" * 5000], ["order", "a" * 5000], ["replay", "a" * 5000],
        ["check", "--baseline", RED], ["whatif", "good.ipynb", "--run", "1", "--change", RED],
        ["check", "circle"],
    ]),
)  # fmt: skip
def test_a_complaint_is_one_line_that_is_safe_to_show(folder: Path, arguments: list[str]) -> None:
    assert len(one_line(nbsafe(*arguments, cwd=folder))) < 1000


OUTPUTS = ("pipe/x", ".", "/dev/full", "good.ipynb/x", "a" * 300)


@pytest.mark.parametrize("case", every(4, product(("check", "run", "rules"), OUTPUTS)), ids=repr)
def test_a_report_that_cannot_be_written_is_told(folder: Path, case: tuple[str, str]) -> None:
    command, output = case
    assert "cannot write" in one_line(nbsafe(command, "--output", output, cwd=folder))


@pytest.mark.parametrize(("stream", "says"), [(">&-", "is closed"), ("> /dev/full", "No space")])
def test_a_standard_output_that_takes_nothing_is_told(folder: Path, stream: str, says: str) -> None:
    done = nbsafe("check", cwd=folder, shell=stream)
    assert says in one_line(done)


def test_a_standard_error_that_is_closed_changes_no_answer(folder: Path) -> None:
    done = nbsafe("check", "good.ipynb", cwd=folder, shell="2>&-")
    assert (done.returncode, done.stdout) == (0, "no findings in 1 notebook\n")
    assert nbsafe("check", "none.ipynb", cwd=folder, shell="2>&-").returncode == 2
