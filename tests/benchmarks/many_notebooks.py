"""What the host holds while it runs many notebooks: memory, threads, open files, processes.

All run in one process, by `pytest --nbsafe` (without `-n`) or as `nbsafe run` does; every so many,
a line tells what is there between two notebooks. What grows from line to line is left behind.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import percent  # noqa: E402

if TYPE_CHECKING:
    from pytest_nbsafe.findings import Report

KINDS = {
    "clean": "# %% [1]\na = {n}\n# %% [2]\nprint(a)\n#> {n}\n",
    "fails": "# %% [1]\na = {n}\n# %% [2]\na / 0\n",
    "draws": "# %% [1]\nimport random\nx = random.random()\n# %% [2]\nprint(x)\n#> 0.5\n",
    "trial": "# %% [4]\na = {n}\n# %% [2]\nb = a\n# %% [3]\nc = a + b\nprint(c)\n#> 3\n",
    "prints": "# %% [1]\nfor i in range(2000):\n    print(i, {n})\n",
}
DYING = "# %% [1]\nimport os\nos._exit(3)\n"


def written(folder: Path, number: int) -> list[Path]:
    """Write so many notebooks, all kinds in turn, of which the seventh ends its kernel."""
    texts = list(KINDS.values())
    paths = []
    for n in range(number):
        text = DYING if n == 6 else texts[n % len(texts)].format(n=n)
        paths.append(folder / f"nb{n:04}.ipynb")
        percent.write(percent.parse(text), paths[-1])
    return paths


def held() -> dict[str, int]:
    """Return what this process holds now."""
    gc.collect()
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    rss = next(line for line in status if line.startswith("VmRSS:"))
    fds = [Path(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd")]  # noqa: PTH208
    links = [link for fd in fds if (link := _target(fd))]
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="utf-8").split()
    return {
        "RSS MB": int(rss.split()[1]) // 1024,
        "objects": len(gc.get_objects()),
        "threads": threading.active_count(),
        "fds": len(links),
        "sockets": sum(link.startswith("socket:") for link in links),
        "children": len(children),
    }


def _target(descriptor: Path) -> str:
    try:
        return str(descriptor.readlink())
    except OSError:  # that of the listing
        return ""


class Curve:
    """Prints a line of figures after every so many notebooks; a plugin of pytest."""

    def __init__(self, step: int) -> None:
        self.step = step
        self.number = 0
        self.started = time.perf_counter()
        self.told()

    def told(self) -> None:
        """Print what is held now."""
        what = held()
        if self.number == 0:
            self._line(("notebooks", *what, "s"))
        self._line((self.number, *what.values(), round(time.perf_counter() - self.started)))

    def count(self) -> None:
        """Take in that a notebook is done."""
        self.number += 1
        if self.number % self.step == 0 or self.number == 1:
            self.told()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Count a notebook when its last item is done."""
        if nodeid.endswith("::notebook"):
            self.count()

    @staticmethod
    def _line(words: Sequence[object]) -> None:
        assert sys.__stderr__ is not None, "it is run in a terminal"
        sys.__stderr__.write("".join(f"{word:>10}" for word in words) + "\n")


def by_pytest(paths: Sequence[Path], curve: Curve) -> None:
    """Run the notebooks as one run of pytest; what it prints itself goes nowhere."""
    import pytest

    options = ["--nbsafe", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir"]
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        pytest.main([*options, str(paths[0].parent), str(paths[0].parent)], plugins=[curve])


def by_run(paths: Sequence[Path], curve: Curve) -> None:
    """Run the notebooks as `nbsafe run` does."""
    from pytest_nbsafe.app.inputs import configuration
    from pytest_nbsafe.app.session import examine
    from pytest_nbsafe.findings import merged

    def reports() -> Iterator[Report]:
        for path in paths:
            yield examine(path, configuration(path, {}))
            curve.count()

    merged(reports())


def main() -> None:
    """Run, and print the curve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notebooks", type=int, default=500)
    parser.add_argument("--step", type=int, default=50)
    parser.add_argument("--by", choices=("pytest", "run"), default="pytest")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = written(Path(folder), options.notebooks)
        (by_pytest if options.by == "pytest" else by_run)(paths, Curve(options.step))


if __name__ == "__main__":
    main()
