"""Wall time of the plugin against nbmake and plain nbclient, and the tracer on against off.

Every figure is the median of whole processes run in turn, printed as a ratio to plain nbclient.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from pytest_nbsafe.notebook import percent  # noqa: E402

PLAIN = """\
import sys, nbformat
from nbclient import NotebookClient
for path in sys.argv[1:]:
    NotebookClient(nbformat.read(path, 4), allow_errors=True).execute()
"""

LOOP = "total = 0\nfor i in range(1_000_000):\n    total += i\nprint(total)\n"
CALLEE = "def f(x):\n    y = x + 1\n    return y\n"


def made(folder: Path) -> list[Path]:
    """Write the notebooks that are measured when none are named."""
    texts = {
        "loop": f"# %% [1]\n{LOOP}",
        "calls": f"# %% [1]\n{CALLEE}# %% [2]\nfor i in range(100_000):\n    f(i)\n",
        "many": "".join(f"# %% [{i}]\nx{i} = {i}\n" for i in range(1, 101)),
    }
    paths = []
    for name, text in texts.items():
        paths.append(folder / f"{name}.ipynb")
        percent.write(percent.parse(text), paths[-1])
    return paths


def commands(notebooks: Sequence[Path]) -> dict[str, list[str]]:
    """Return the command of each contender."""
    names = [str(n) for n in notebooks]
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
    top = ["--nbsafe", "--nbsafe-order=top-down", "--rootdir", str(notebooks[0].parent)]
    found = {
        "nbclient": [sys.executable, "-c", PLAIN, *names],
        "nbsafe, no tracer": [*pytest, *top, "--nbsafe-trace=no", *names],
        "nbsafe": [*pytest, *top, *names],
    }
    try:
        import nbmake  # noqa: F401
    except ImportError:
        return found
    return {**found, "nbmake": [*pytest, "--nbmake", *names]}


def measure(notebooks: Sequence[Path], rounds: int) -> dict[str, float]:
    """Return each contender's median wall seconds; the contenders take turns."""
    taken: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, command in commands(notebooks).items():
            started = time.perf_counter()
            subprocess.run(command, capture_output=True, check=False)
            taken.setdefault(name, []).append(time.perf_counter() - started)
    return {name: statistics.median(times) for name, times in taken.items()}


def main() -> None:
    """Measure, and print one table a notebook."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    try:
        for notebook in options.notebooks or made(folder):
            seconds = measure([notebook.resolve()], options.rounds)
            base = seconds["nbclient"]
            sys.stdout.write(f"{notebook.name}  (nbclient alone: {base:.2f} s)\n")
            for name, wall in seconds.items():
                sys.stdout.write(f"  {name:20} {wall:6.2f} s  x {wall / base:.2f}\n")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
