"""A run leaves this process as it was: no thread, open file or child more than before."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest
from makenb import CLEAN, OUT_OF_ORDER, write

from pytest_nbsafe.app.run import run

NOTEBOOKS = {
    "clean": CLEAN,
    "dies": "# %% [1]\nimport os\nos._exit(3)\n",
    "endless": "# %% [1]\nwhile True: pass\n",
    "fails": "# %% [1]\n1 / 0\n",
    "shell": "# %% [1]\n!sleep 0.1\n",
    "trial": OUT_OF_ORDER,
}


def held() -> tuple[int, list[str], str]:
    """Return the number of open files, the threads and the children of this process."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii")
    threads = sorted(thread.name for thread in threading.enumerate())
    return len(list(Path("/proc/self/fd").iterdir())), threads, children


@pytest.mark.corpus
@pytest.mark.kernel
@pytest.mark.skipif(sys.platform != "linux", reason="looked up in /proc")
def test_a_run_leaves_what_was_there(tmp_path: Path) -> None:
    first = write(tmp_path / "first.ipynb", CLEAN)
    for name, text in NOTEBOOKS.items():
        write(tmp_path / "books" / f"{name}.ipynb", text)
    run([first], {})  # zmq keeps a thread and a few sockets for all kernels that are to come
    before = held()
    report = run([tmp_path / "books"], {"timeout": 2})
    assert held() == before
    codes = {finding.code for finding in report.findings}
    assert {"NBS401", "NBS903", "NBS904"} <= codes
