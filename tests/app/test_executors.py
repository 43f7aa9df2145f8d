"""`--executor`: one seam for processes here, Dask, Ray, and what the user names."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import tiers
from makenb import BROKEN, write

from pytest_nbsafe.app import executors, spread
from pytest_nbsafe.app.progress import Progress
from pytest_nbsafe.cli import main
from pytest_nbsafe.errors import NbsafeError

KILLS = """
# %% [1]
import os, signal
parent = os.getppid()
while b"pytest_nbsafe" not in open(f"/proc/{parent}/cmdline", "rb").read():
    parent = int(open(f"/proc/{parent}/stat").read().rpartition(")")[2].split()[1])
os.kill(parent, signal.SIGKILL)
"""
posix = pytest.mark.skipif(sys.platform != "linux", reason="it looks for processes in /proc")


def pool() -> Executor:
    """Return what a user's factory might give."""
    return ProcessPoolExecutor(2)


def nothing() -> int:
    return 3


def checked(folder: Path, *options: str) -> tuple[int, dict[str, Any]]:
    target = folder.parent / "report.json"
    code = main(["check", "--format", "json", "--output", str(target), *options, str(folder)])
    return code, json.loads(target.read_text())


def without_times(report: dict[str, Any]) -> dict[str, Any]:
    for notebook in report["notebooks"]:
        del notebook["duration_s"]
    return report


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(6):
        write(tmp_path / "nbs" / f"{number}.ipynb", *([BROKEN] if number % 2 else []))
    return tmp_path / "nbs"


def is_there(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


@pytest.mark.parametrize(
    "spec",
    [
        "local:2",
        "test_executors:pool",
        pytest.param(
            "dask:local-4",
            marks=[
                pytest.mark.corpus,
                pytest.mark.skipif(not is_there("distributed"), reason="Dask is not installed"),
            ],
        ),
        pytest.param(
            "ray",
            marks=[
                pytest.mark.corpus,
                pytest.mark.skipif(not is_there("ray"), reason="Ray is not installed"),
            ],
        ),
    ],
)
@pytest.mark.filterwarnings("default")
def test_the_report_is_that_of_one_process(
    spec: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    expected = checked(folder, "--no-cache")
    if spec == "dask:local-4":
        from distributed import LocalCluster

        with (
            mock.patch.dict(os.environ),  # where Dask sets a hash seed, and leaves it
            LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None) as cluster,
        ):
            spec = f"dask:{cluster.scheduler_address}"
            shared = checked(folder, "--executor", spec)
    else:
        shared = checked(folder, "--executor", spec)

    assert shared[0] == expected[0] == 1
    assert without_times(shared[1]) == without_times(expected[1])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nowhere:pool", "there is no module 'nowhere'"),
        ("nowhere", "nowhere: there is no executor of that name"),
        ("test_executors:missing", "AttributeError"),
        ("test_executors:nothing", "nothing: it gives int, no concurrent.futures.Executor"),
        ("local:many", "local:many: 'many' is no number of processes"),
        ("local:0", "local:0: '0' is no number of processes"),
    ],
)
def test_what_is_no_executor(spec: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    with pytest.raises(NbsafeError, match=message) as caught:
        executors.opened(spec)
    assert caught.value.slug == "bad-executor"


@posix
@pytest.mark.kernel
@pytest.mark.corpus
def test_a_notebook_that_kills_its_worker_is_tried_again_alone(tmp_path: Path) -> None:
    folder = tmp_path / "nbs"
    for number in range(3):
        write(folder / f"{number}.ipynb")
    killer = write(folder / "killer.ipynb", KILLS)
    target = tmp_path / "report.json"
    command = [sys.executable, "-m", "pytest_nbsafe", "run", "--executor", "local:2"]
    subprocess.run([*command, "--format", f"json:{target}", str(folder)], check=False, timeout=120)

    report = json.loads(target.read_text())
    assert [Path(n["path"]).name for n in report["notebooks"]] == [
        "0.ipynb", "1.ipynb", "2.ipynb", "killer.ipynb"
    ]  # fmt: skip
    (finding,) = report["findings"]
    assert (finding["code"], finding["path"]) == ("NBS903", str(killer))
    assert "and again when alone" in finding["message"]


@posix
@pytest.mark.kernel
@pytest.mark.parametrize(
    ("options", "request_to_end", "code"),
    tiers.every_row(
        2, [([], signal.SIGINT, 130), (["--executor", "local:1"], signal.SIGTERM, 128 + 15)]
    ),
)
def test_what_is_done_is_reported_when_it_is_stopped(
    options: list[str], request_to_end: signal.Signals, code: int, tmp_path: Path
) -> None:
    folder = tmp_path / "nbs"
    mark = tmp_path / "mark"
    write(folder / "quick.ipynb")
    slow = f"# %% [1]\nopen({str(mark)!r}, 'w').close()\nimport time\ntime.sleep(300)\n"
    write(folder / "slow.ipynb", slow)
    target = tmp_path / "report.json"
    command = [sys.executable, "-m", "pytest_nbsafe", "run", *options]
    with subprocess.Popen(
        [*command, "--format", f"json:{target}", str(folder)], stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 60
        while not mark.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(request_to_end)
        _, says = process.communicate(timeout=60)

    assert process.returncode == code
    assert "stopped: 1 of 2 notebooks done, 0 failing; the report holds these alone" in says
    (notebook,) = json.loads(target.read_text())["notebooks"]
    assert Path(notebook["path"]).name == "quick.ipynb"


def test_progress_says_done_failing_and_time_left(tmp_path: Path) -> None:
    path, here = write(tmp_path / "nb.ipynb", BROKEN), Path.cwd()
    shown: list[str] = []
    progress = Progress(4, lambda text, _: shown.append(text), 0.0)
    report = spread.work(spread.Task(path, {"static": True}, str(tmp_path)))

    os.chdir(here)
    assert not isinstance(report, Exception)
    progress.add(report, 10.0)
    progress.add(report, 4000.0)
    assert shown == [
        "1 of 4 notebooks done, 1 failing, about 30 s left",
        "2 of 4 notebooks done, 2 failing, about 67 min left",
    ]
