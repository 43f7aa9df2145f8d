"""Runs of ten notebooks that are stopped at some moment leave nothing behind.

Ctrl-C and SIGTERM, sent to the run alone and to its whole process group. All moments are tried by
`-m long`, which takes minutes, two of each by `-m corpus`.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from makenb import CLEAN, OUT_OF_ORDER, write

MARK = "NBSAFE_FAULT_POINT"
"""A variable that all processes of a run inherit, by which they are known afterwards."""
_GONE_WITHIN_S = 20.0
_SLOW = "import time\ntime.sleep(1.5)\nx = 1\n"
_NOTEBOOKS = {
    "clean": CLEAN,
    "trial": OUT_OF_ORDER,
    "trial2": OUT_OF_ORDER.replace("5", "6"),
    "fails": "# %% [1]\na = 1\n# %% [2]\na / 0\n",
    "sleeps": f"# %% [1]\n{_SLOW}# %% [2]\nx += 1\n",
    "shell": "# %% [1]\n!sleep 1\n# %% [2]\nprint(1)\n#> 1\n",
    "child": "# %% [1]\nimport subprocess\nsubprocess.run(['sleep', '1'])\n# %% [2]\nx = 1\n",
    "busy": "# %% [1]\nsum(i for i in range(10**7))\n# %% [2]\nx = 1\n",
    "dies": "# %% [1]\nimport os\nos._exit(3)\n",
    "random": "# %% [1]\nimport random\n# %% [2]\nprint(random.random())\n#> 0.5\n",
}
_PATCH = "from pytest_nbsafe.runner import provision\nprovision._short_root = lambda: {root!r}\n"


@dataclass(frozen=True)
class Ended:
    """How a run ended, and what was there a while later."""

    code: int
    shown: str
    processes: tuple[str, ...]
    folders: tuple[str, ...]


@contextmanager
def project() -> Iterator[Path]:
    """Make a folder with the notebooks, and one beside it for all temporary files."""
    folder = Path(tempfile.mkdtemp(prefix="nbfp-", dir="/tmp"))
    try:
        for name, text in _NOTEBOOKS.items():
            write(folder / "books" / f"{name}.ipynb", text)
        (folder / "t").mkdir()
        patch = _PATCH.format(root=str(folder / "t"))
        (folder / "books" / "conftest.py").write_text(patch, encoding="utf-8")
        yield folder
    finally:
        shutil.rmtree(folder)


PYTEST = ("-m", "pytest", "--nbsafe", "-q", "-p", "no:cacheprovider", "-n", "2")
NBSAFE = (
    "-c",
    (
        "import sys\nsys.path.insert(0, '.')\nimport conftest\n"
        "from pytest_nbsafe.cli import main\nsys.exit(main(['run']))"
    ),
)
FAR = 20
"""So many moments of each kind; a run of pytest takes 12 seconds, one of nbsafe 20."""


def moments(signals: Sequence[signal.Signals]) -> list[object]:
    """Return commands, signals, when each is sent, and whether to the group; two of each early."""
    chance = random.Random(1)
    points: list[object] = []
    for how, number in itertools.product(signals, range(FAR)):
        command = PYTEST if number % 4 < 2 else NBSAFE
        early = number in {0, 3}
        after_s = chance.uniform(2, 4.5) if early else chance.uniform(0.3, 13)
        mark = pytest.mark.corpus if early else pytest.mark.long
        name = f"{how.name}-{'pytest' if command is PYTEST else 'nbsafe'}-{number}"
        point = (command, how, after_s, bool(number % 2))
        points.append(pytest.param(*point, marks=mark, id=name))
    return points


def stopped(
    folder: Path, command: Sequence[str], how: signal.Signals, after_s: float, *, group: bool
) -> Ended:
    """Run, stop the run (or its whole process group) after some seconds, and look around."""
    mark = uuid.uuid4().hex
    env = {**os.environ, MARK: mark, "TMPDIR": str(folder / "t"), "PYTHONDONTWRITEBYTECODE": "1"}
    output = folder / "shown"
    with output.open("wb") as stream:
        run = subprocess.Popen(
            [sys.executable, *command],
            cwd=folder / "books",
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        try:
            run.wait(after_s)
        except subprocess.TimeoutExpired:
            (os.killpg if group else os.kill)(run.pid, how)
        run.wait(60)
        until = time.monotonic() + _GONE_WITHIN_S
        while (left := _processes(mark)) and time.monotonic() < until:
            time.sleep(0.1)
        shown = output.read_text(encoding="utf-8", errors="replace")
        folders = sorted(
            str(path.relative_to(folder / "t")) for path in (folder / "t").glob("nbsafe-*")
        )
        return Ended(run.returncode, shown, tuple(left.values()), tuple(folders))
    finally:
        for pid in _processes(mark):
            os.kill(pid, signal.SIGKILL)
        for path in (folder / "t").iterdir():
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()


def _processes(mark: str) -> dict[int, str]:
    """Return the processes of a run that are there, and how each was called."""
    found = {}
    for place in Path("/proc").iterdir():
        if not place.name.isdecimal():
            continue
        try:
            if f"{MARK}={mark}".encode() in (place / "environ").read_bytes():
                words = (place / "cmdline").read_bytes().replace(b"\0", b" ")
                found[int(place.name)] = words.decode(errors="replace")
        except OSError:
            continue
    return found


@pytest.mark.kernel
@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
@pytest.mark.parametrize(
    ("command", "how", "after_s", "group"), moments((signal.SIGINT, signal.SIGTERM))
)
def test_a_stopped_run_leaves_nothing(
    command: Sequence[str], how: signal.Signals, after_s: float, *, group: bool
) -> None:
    with project() as folder:
        ended = stopped(folder, command, how, after_s, group=group)
    assert (ended.processes, ended.folders) == ((), ()), ended
    if command is NBSAFE:
        assert ended.code in {0, 1, 128 + how}
        assert "Traceback" not in ended.shown
    else:
        # Before pytest listens, and while it finishes, a signal ends it as any Python.
        assert ended.code in {0, 1, 2, -how}
        assert "INTERNAL" not in ended.shown
