"""A kernel that was forked is as one that started on its own, and ends as one."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import tiers

from pytest_nbsafe.runner import forked_kernels
from pytest_nbsafe.runner.kernel_session import KernelSession
from runner.kernels import notebook, process_of

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux only"),
]

SNAPSHOT = """
import gc, inspect, locale, os, signal, sys, tempfile, threading, time, warnings
time.sleep(0.5)  # the channels that no cell needs are connected a moment after the others
main, environ = sys.modules["__main__"], open("/proc/self/environ").read().split(chr(0))
own = os.environ["NBSAFE_KERNEL"]
print(__import__("json").dumps({
    "modules": sorted(sys.modules),
    "finders": [type(finder).__name__ for finder in sys.meta_path],
    "path": sys.path,
    "argv": [text.replace(own, "") for text in sys.argv],
    "orig_argv": [text.replace(own, "") for text in getattr(sys, "orig_argv", [])],
    "flags": str(sys.flags),
    "variables": {n: text for n, text in os.environ.items()
                  if own not in text and n != "JPY_PARENT_PID"},
    "parent": os.environ["JPY_PARENT_PID"] == str(os.getppid()),
    "mark": [text for text in environ if "NBSAFE_KERNEL=" in text] == ["NBSAFE_KERNEL=" + own],
    "filters": [str(entry) for entry in warnings.filters],
    "threads": [type(thread).__name__ for thread in threading.enumerate()],
    "signals": [str(signal.getsignal(number)) for number in range(1, 32)],
    "gc": [gc.get_threshold(), gc.isenabled()],
    "locale": locale.setlocale(locale.LC_ALL),
    "main": sorted(vars(main)),
    "depth": len(inspect.stack()),
    "recursion": sys.getrecursionlimit(),
    "folders": [os.getcwd(), tempfile.gettempdir()],
    "leads": os.getsid(0) == os.getpgid(0) == os.getpid(),
    "input": [os.isatty(0), os.read(0, 1).decode()],
    "umask": os.umask(18),
    "files": sorted(os.readlink(f"/proc/self/fd/{n}").partition(":")[0].replace(own, "")
                    for n in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{n}")),
}))
"""


def shown(cell: str, folder: Path, **options: Any) -> str:
    """Return what a cell prints in a kernel of its own."""
    page = notebook(cell)
    with KernelSession(page, cwd=folder, **options) as session:
        result = session.run(page.code_cells[0], 1)
        process = process_of(session)._client.km.provisioner.process
    is_fork = isinstance(process, forked_kernels.ForkedKernel)
    if not is_fork and importlib.util.find_spec("sitecustomize"):
        pytest.skip("a sitecustomize of this Python keeps its kernels from being forked")
    assert is_fork == (options.get("slot", 0) is not None)
    assert result.status == "ok", result
    return "".join(output.text for output in result.outputs)


def ends(process: int) -> bool:
    """Return whether a process ends, if nobody may have asked yet how it did."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


@pytest.mark.corpus
def test_a_fork_is_as_what_starts_on_its_own(tmp_path: Path) -> None:
    alone, forked = (json.loads(shown(SNAPSHOT, tmp_path, slot=slot)) for slot in (None, 0))
    assert set(forked["modules"]) == set(alone["modules"])
    assert forked == alone
    assert forked["mark"]
    assert forked["parent"]


def test_kernels_of_two_slots_share_no_choice_of_python(tmp_path: Path) -> None:
    hashes = [shown("print(hash('a'))", tmp_path, slot=slot) for slot in (0, 1)]
    assert len(set(hashes)) == 2


def test_two_kernels_of_one_slot_draw_other_numbers(tmp_path: Path) -> None:
    draw = "import random, uuid, numpy\nprint(random.random(), uuid.uuid4(), numpy.random.rand())"
    draws = [shown(draw, tmp_path).split() for _ in range(2)]
    assert not set(draws[0]) & set(draws[1])


@pytest.mark.parametrize(
    ("cell", "reason"),
    tiers.every_row(
        2,
        [
            ("import os; os._exit(3)", "the kernel exited with code 3"),
            ("import os; os.kill(os.getpid(), 9)", "the kernel was killed by SIGKILL"),
        ],
    ),
)
def test_how_a_fork_ended_is_told(tmp_path: Path, cell: str, reason: str) -> None:
    page = notebook(cell)
    with KernelSession(page, cwd=tmp_path) as session:
        result = session.run(page.code_cells[0], 1)
    assert result.status == "died"
    assert reason in result.reason


@pytest.mark.corpus
def test_a_server_that_was_killed_is_done_without(tmp_path: Path) -> None:
    shown("print(1)", tmp_path)
    for server in forked_kernels._servers.values():
        server._process.kill()
        server._process.wait()
    try:
        page = notebook("print(2)")
        with KernelSession(page, cwd=tmp_path) as session:
            assert session.run(page.code_cells[0], 1).status == "ok"
    finally:
        for server in forked_kernels._servers.values():
            server.close()
        forked_kernels._servers.clear()


DETACHED = """
import os, time
if not os.fork():
    os.setsid()
    open("pid.new", "w").write(str(os.getpid()))
    os.rename("pid.new", "pid")
    time.sleep(600)
while not os.path.exists("pid"):
    time.sleep(0.01)
"""


def test_servers_end_that_have_no_kernel(tmp_path: Path) -> None:
    page = notebook("print(1)")
    with KernelSession(page, cwd=tmp_path) as session:
        forked_kernels.close_idle()
        assert session.run(page.code_cells[0], 1).status == "ok"
    forked_kernels.close_idle()
    assert forked_kernels._servers == {}


@pytest.mark.corpus
def test_the_server_that_comes_up_ahead_is_the_one_that_is_asked(tmp_path: Path) -> None:
    forked_kernels.close_idle()
    given = {"GIVEN": "yes", "PYDEVD_DISABLE_FILE_VALIDATION": "0"}
    assert shown("print(1)", tmp_path, environ=given).strip() == "1"  # skipped where none forks
    page = notebook("print(1)")
    forked_kernels.close_idle()
    with KernelSession(page, cwd=tmp_path, environ=given) as session:
        assert session.run(page.code_cells[0], 1).status == "ok"
        assert [server.kernels for server in forked_kernels._servers.values()] == [1]
    forked_kernels.close_idle()


@pytest.mark.corpus
def test_a_detached_fork_of_a_cell_is_ended(tmp_path: Path) -> None:
    shown(DETACHED, tmp_path)
    assert ends(int((tmp_path / "pid").read_text()))


def test_kernels_end_with_the_program_that_was_killed(tmp_path: Path) -> None:
    program = f"""
import os, pathlib, sys
sys.path.insert(0, {str(Path(__file__).parent.parent)!r})
from runner.kernels import notebook
from pytest_nbsafe.runner.kernel_session import KernelSession
page = notebook("import os; open('pid', 'w').write(str(os.getpid()))")
with KernelSession(page, cwd=pathlib.Path({str(tmp_path)!r})) as session:
    session.run(page.code_cells[0], 1)
    os.kill(os.getpid(), 9)
"""
    assert (
        subprocess.run([sys.executable, "-c", program], check=False).returncode == -signal.SIGKILL
    )
    assert ends(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("paths", ["src", "/x:", ":/x"])
def test_paths_that_count_from_the_folder_start_a_kernel_on_its_own(
    tmp_path: Path, paths: str
) -> None:
    launch = forked_kernels.Launch(
        [sys.executable, "-m", "ipykernel_launcher", "-f", "x"],
        {**os.environ, "PYTHONPATH": paths},
        str(tmp_path),
        "",
        0,
    )
    assert forked_kernels.fork(launch) is None


def test_kernels_of_others_start_on_their_own(tmp_path: Path) -> None:
    for command in (["R", "--slave"], [sys.executable, "-m", "bash_kernel", "-f", "x"]):
        launch = forked_kernels.Launch(command, dict(os.environ), str(tmp_path), "", 0)
        assert forked_kernels.fork(launch) is None
