"""Notebooks that went wrong and run: pytest tells what their cells do, and nothing is left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import mutations
import pytest

_BATCH = 10
_IN_ALL = 200
_OFFLINE = {"PIP_NO_INDEX": "1"}
"""What keeps a cell with `%pip install` from changing the environment that the tests run in."""
_NO_OTHERS = ("-p", "no:rerunfailures")
"""A plugin that opens a socket of its own where pytest-xdist is installed."""
_COUNTS_SOCKETS = f"""
import sys
from pathlib import Path

sys.path.insert(0, {str(Path(__file__).parent)!r})
from probe import sockets


def pytest_unconfigure():
    Path("sockets.txt").write_text("\\n".join(sockets()))
"""
pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks into /proc"),
]


def batches() -> list[object]:
    """Return the first number of each batch: one in the corpus tier, the others by a marker."""
    return [
        pytest.param(first, marks=pytest.mark.fuzz if first else pytest.mark.corpus)
        for first in range(0, _IN_ALL, _BATCH)
    ]


@pytest.mark.parametrize("first", batches())
def test_any_notebook_runs_and_leaves_nothing(first: int, tmp_path: Path) -> None:
    folder, temporary = tmp_path / "notebooks", tmp_path / "temporary"
    folder.mkdir()
    temporary.mkdir()
    for number in range(first, first + _BATCH):
        (folder / f"input_{number}.ipynb").write_bytes(mutations.runnable(number))
    (folder / "conftest.py").write_text(_COUNTS_SOCKETS, encoding="utf-8")
    mark = f"NBSAFE_FUZZ={uuid4()}"
    name, _, value = mark.partition("=")
    options = ("-p", "no:cacheprovider", *_NO_OTHERS, "--nbsafe", "--nbsafe-timeout", "15")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "."],
        cwd=folder,
        env={**os.environ, name: value, "TMPDIR": str(temporary), **_OFFLINE},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=600,
    )
    told = done.stdout + done.stderr
    assert done.returncode in {0, 1}, told
    assert "INTERNAL" not in told
    assert "pytest_nbsafe/" not in told
    assert (folder / "sockets.txt").read_text() == ""
    assert processes_with(mark) == []
    assert sorted(temporary.iterdir()) == []


def processes_with(mark: str) -> list[str]:
    """Return what still runs of the processes that were started with a variable."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_text())
        except OSError:  # it is another user's, or it has ended
            continue
    return found
