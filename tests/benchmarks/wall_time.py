"""Wall time of the plugin against nbmake and plain nbclient, and the tracer on against off.

Every figure is the median of whole processes run in turn, printed as a ratio to plain nbclient.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import percent  # noqa: E402

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


def contenders(notebook: Path, folder: Path) -> dict[str, list[str]]:
    """Return the command of each contender, all on a copy of the notebook of their own."""
    untraced = folder / "untraced"
    untraced.mkdir(exist_ok=True)
    (untraced / "nbsafe.toml").write_text("trace = false\n", encoding="utf-8")
    for place in (folder, untraced):
        if place / notebook.name != notebook:
            shutil.copy(notebook, place)
    copy = str(folder / notebook.name)
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
    nbsafe = [*pytest, "--rootdir", str(folder), "--nbsafe", "--nbsafe-order=top-down"]
    found = {
        "nbclient": [sys.executable, "-c", PLAIN, copy],
        "nbsafe": [*nbsafe, copy],
        "nbsafe, no tracer": [*nbsafe, str(untraced / notebook.name)],
    }
    if importlib.util.find_spec("nbmake"):
        found["nbmake"] = [*pytest, "--rootdir", str(folder), "--nbmake", copy]
    return found


def measure(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, float]:
    """Return each contender's median wall seconds; the contenders take turns."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            started = time.perf_counter()
            subprocess.run(command, capture_output=True, check=False)
            taken[name].append(time.perf_counter() - started)
    return {name: statistics.median(times) for name, times in taken.items()}


def main() -> None:
    """Measure, and print one table a notebook."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp()).resolve()
    try:
        for notebook in options.notebooks or made(folder):
            seconds = measure(contenders(notebook.resolve(), folder), options.rounds)
            base = seconds["nbclient"]
            sys.stdout.write(f"{notebook.name}  (nbclient alone: {base:.2f} s)\n")
            for name, wall in seconds.items():
                sys.stdout.write(f"  {name:20} {wall:6.2f} s  x {wall / base:.2f}\n")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
