"""What notebooks leave behind is ended, removed and told; what killed runs of ours left, too."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from makenb import write

from pytest_nbsafe.app.run import run
from pytest_nbsafe.reports import json as as_json
from pytest_nbsafe.reports import text
from pytest_nbsafe.runner import own_folders
from pytest_nbsafe.runner.temporary_folder import Left, TemporaryFolder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="locks, and /proc")

LEAVES = """# %% [2]
import os, subprocess, tempfile
base = os.path.join(tempfile.gettempdir(), "left.csv")
_ = open(base, "w").write("a")
os.mkdir(os.path.join(tempfile.gettempdir(), "closed"), 0)
_ = subprocess.Popen(["sleep", "600"], start_new_session=True)
# %% [3]
print(base)
#> TEMP/left.csv
# %% [1]
!echo $TMPDIR
#> TEMP
# %% [4]
print(len(base), os.path.relpath(base, "/"), base)
open(base + "/below")
"""


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary files lie for one test; its path is as short as usual."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    shutil.rmtree(folder)


@pytest.mark.corpus
@pytest.mark.kernel
def test_what_is_left_is_ended_removed_and_told(tmp_path: Path, temporary: Path) -> None:
    path = write(tmp_path / "nb" / "nb.ipynb", LEAVES.replace("TEMP", str(temporary)))
    report = run([path], {"cache": False})
    left = "ended 1 process and removed 1 file and 1 folder in the temporary folder"
    (remark,) = report.notebooks[0].remarks
    assert remark == f"the notebook left something behind: {left}"
    assert f"nb.ipynb: {remark}\n" in text.render(report)
    assert json.loads(as_json.render(report))["notebooks"][0]["remarks"] == [remark]
    assert list(temporary.iterdir()) == []
    assert [finding.code for finding in report.findings] == ["NBS401"]
    assert "nbsafe-" not in as_json.render(report)
    assert f"'{temporary}/left.csv/below'" in report.findings[0].message


@pytest.mark.corpus
@pytest.mark.kernel
def test_pytest_tells_it_at_the_notebook(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", "# %% [1]\nimport tempfile\n_ = tempfile.mkstemp()\n")
    result = pytester.runpytest("--nbsafe", "-rA", "-v", "-p", "no:cacheprovider")
    told = "the notebook left something behind: removed 1 file in the temporary folder"
    result.stdout.fnmatch_lines(["*Captured remarks of the notebook*", told, f"nb.ipynb: {told}"])
    result.assert_outcomes(passed=2)


def test_a_message_is_shown_as_without_the_folder(temporary: Path) -> None:
    folder = TemporaryFolder()
    here = folder.environ["TMPDIR"]
    shown = folder.hide(
        json.dumps({"text": f"{here}/a, ../{Path(here).relative_to(temporary)}/b"}).encode()
    )
    assert json.loads(shown) == {"text": f"{temporary}/a, ../b"}
    folder.close()
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("length", [60, 90])
def test_sockets_fit_where_they_would_without_the_folder(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    long = temporary / ("x" * (length - len(f"{temporary}/")))
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    folder = TemporaryFolder()
    here = folder.environ["TMPDIR"]
    socket = f"{here}/pymp-12345678/listener-12345678"
    assert len(socket) < 104 or length > 71
    assert folder.hide(f"'{here}/a'".encode()) == f"'{long}/a'".encode()
    folder.close()
    assert list(long.iterdir()) == []


def test_only_the_most_that_one_kernel_left_is_told(temporary: Path) -> None:
    folder = TemporaryFolder()
    here = Path(folder.environ["TMPDIR"])
    (here / "a").mkdir()
    (here / "pymp-1234").mkdir()
    (here / "link").symlink_to(temporary)
    folder.empty(2)
    here.rmdir()
    folder.empty(0)
    assert here.is_dir()
    assert folder.left == Left(processes=2, files=1, folders=1)
    folder.close()
    assert temporary.is_dir()
    assert str(Left()) == ""


SLOW = """# %% [1]
import os, subprocess, time
child = subprocess.Popen(["sleep", "600"], start_new_session=True)
open("processes", "w").write(f"{os.getpid()} {child.pid}")
time.sleep(600)
"""
RUNS = """
import sys
from pytest_nbsafe.cli import main
from pytest_nbsafe.runner import provision
provision._short_root = lambda: None
main(["run", *sys.argv[1:]])
"""


@pytest.mark.kernel
@pytest.mark.corpus
def test_what_a_killed_run_left_the_next_one_removes(tmp_path: Path) -> None:
    temporary = tmp_path / "t"
    temporary.mkdir()
    slow, quick = write(tmp_path / "slow.ipynb", SLOW), write(tmp_path / "quick.ipynb")
    env = {**os.environ, "TMPDIR": str(temporary)}
    command = [sys.executable, "-c", RUNS]
    host = subprocess.Popen([*command, slow], cwd=tmp_path, env=env, stdout=subprocess.DEVNULL)
    processes = tmp_path / "processes"
    _wait_until(lambda: processes.exists() and len(processes.read_text().split()) == 2)
    kernel, child = processes.read_text().split()
    host.send_signal(signal.SIGKILL)
    host.wait()
    _wait_until(lambda: not _runs(kernel))  # it ends by itself
    assert _runs(child)
    assert list(temporary.iterdir()) != []
    subprocess.run([*command, quick], cwd=tmp_path, env=env, check=True)
    assert list(temporary.iterdir()) == []
    _wait_until(lambda: not _runs(child))


def test_what_is_not_ours_stays(temporary: Path, tmp_path: Path) -> None:
    mine = own_folders.OwnFolder()  # its owner lives
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(0o700)
    (elsewhere / "owner").touch()
    (temporary / "nbsafe-link").symlink_to(elsewhere)
    for name, mode in {"open": 0o755, "without": 0o700, "linked": 0o700, "pipe": 0o700}.items():
        (temporary / f"nbsafe-{name}").mkdir(mode)
    (temporary / "nbsafe-open" / "owner").touch()
    (temporary / "nbsafe-linked" / "owner").symlink_to(elsewhere / "owner")
    os.mkfifo(temporary / "nbsafe-pipe" / "owner")
    (temporary / "nbsafe-file").touch()
    (temporary / "other").mkdir(0o700)
    (temporary / "other" / "owner").touch()
    before = sorted(temporary.rglob("*"))
    own_folders.remove_abandoned(str(temporary))
    assert sorted(temporary.rglob("*")) == before
    gone = temporary / "nbsafe-gone"
    gone.mkdir(0o700)
    (gone / "owner").touch()
    (gone / "link").symlink_to(elsewhere)
    own_folders.remove_abandoned(str(temporary))
    assert sorted(temporary.rglob("*")) == before
    assert (elsewhere / "owner").exists()
    mine.close()
    assert not mine.path.exists()


def _wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.05)


def _runs(process: str) -> bool:
    try:
        return "\nState:\tZ" not in Path("/proc", process, "status").read_text()
    except OSError:
        return False
