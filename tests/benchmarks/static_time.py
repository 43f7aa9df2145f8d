"""What `nbsafe check` costs: against reading and parsing the same cells, cold, warm, and in bulk.

Every figure is the median of whole processes run in turn; nothing is asserted.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

READ_AND_PARSE = """\
import json, ast, sys
for path in sys.argv[1:]:
    try:
        with open(path, encoding="utf-8") as file:
            cells = json.load(file)["cells"]
    except (ValueError, KeyError):
        continue
    for cell in cells:
        if cell["cell_type"] == "code":
            try:
                ast.parse("".join(cell["source"]))
            except (SyntaxError, ValueError):
                pass
"""
MEMORY = """\
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=False)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
NBSAFE = (sys.executable, "-m", "pytest_nbsafe", "check")
PARSE = (sys.executable, "-c", READ_AND_PARSE)

# ---------------------------------------------------------------- made notebooks


def made(folder: Path, cells: int, *, shuffled: bool = False) -> Path:
    """Write a notebook of so many cells, ten kinds in turn, and return its path.

    `shuffled` gives each fifth cell a count that contradicts the page.
    """
    counts = list(range(1, cells + 1))
    if shuffled:
        for place in range(0, cells - 5, 5):
            counts[place], counts[place + 3] = counts[place + 3], counts[place]
    document = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {
                "cell_type": "code",
                "id": f"cell-{number}",
                "metadata": {},
                "execution_count": count,
                "outputs": [],
                "source": _source(number).splitlines(keepends=True),
            }
            for number, count in enumerate(counts)
        ],
    }
    path = folder / f"made-{cells}{'-shuffled' if shuffled else ''}.ipynb"
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return path


def _source(n: int) -> str:
    if n == 0:
        return (
            "import numpy as np\nimport pandas as pd\n\nx0 = y0 = y1 = y2 = y3 = 1\n"
            "\ndef f0(a, b=1):\n    return a + b + x0\n"
        )
    if n % 10 == 0:
        return f"x{n} = x{n - 1}\n\ndef f{n}(a, b=1):\n    return a + b + x{n}\n"
    if n % 10 == 5:
        call = f"f{n - 5}(x{n - 1}, i)"
        loop = f"for i in range(9):\n    x{n} = {call} if i % 2 else np.sum(x{n - 2})\n"
        return f"x{n} = 0\n{loop}print(x{n})"
    if n % 10 == 7:
        frame = f"df{n} = pd.DataFrame({{'a': [1, 2, 3]}})\ndf{n}['b'] = df{n}['a'] * x{n - 1}\n"
        return f"{frame}x{n} = df{n}.sum()\ndf{n}.head()"
    return f"x{n} = x{n - 1} * 2 + y{n % 4}\ny{n % 4} = x{n}\nprint(x{n}, y{n % 4})"


# ---------------------------------------------------------------- measuring


def measure(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, float]:
    """Return each command's median wall seconds; they take turns."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            started = time.perf_counter()
            subprocess.run(command, capture_output=True, check=False)
            taken[name].append(time.perf_counter() - started)
    return {name: statistics.median(times) for name, times in taken.items()}


def told(title: str, seconds: Mapping[str, float], base: str) -> None:
    """Print what was measured, each as a ratio to `base`."""
    sys.stdout.write(f"{title}\n")
    for name, wall in seconds.items():
        sys.stdout.write(f"  {name:32} {wall * 1000:8.1f} ms  x {wall / seconds[base]:.2f}\n")


def one_notebook(notebook: Path, folder: Path, rounds: int) -> None:
    """Tell what a cold process costs, with and without the cache, and one with nothing to do."""
    project, empty = folder / "project", folder / "empty"
    for place in (project, empty):
        place.mkdir()
    (project / "pyproject.toml").touch()
    copy = shutil.copyfile(notebook, project / notebook.name)
    subprocess.run([*NBSAFE, str(copy)], capture_output=True, check=False)
    commands = {
        "reads and parses": [*PARSE, str(copy)],
        "nbsafe check --no-cache": [*NBSAFE, "--no-cache", str(copy)],
        "nbsafe check, unchanged": [*NBSAFE, str(copy)],
        "nbsafe check of no notebook": [*NBSAFE, str(empty)],
    }
    told(f"one notebook: {notebook.name}", measure(commands, rounds), "reads and parses")


def many_notebooks(notebooks: Sequence[Path], rounds: int) -> None:
    """Tell what many notebooks cost in one process, in several, and how much memory that takes."""
    named = [str(path) for path in notebooks]
    commands = {
        "reads and parses": [*PARSE, *named],
        "nbsafe check --no-cache": [*NBSAFE, "--no-cache", *named],
        "the same with --jobs auto": [*NBSAFE, "--no-cache", "--jobs", "auto", *named],
    }
    told(f"{len(named)} notebooks", measure(commands, rounds), "reads and parses")
    command = [sys.executable, "-c", MEMORY, *NBSAFE, "--no-cache", *named]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        sys.stdout.write(f"  memory at most: {int(done.stdout) // 1024} MB\n")


def growth(folder: Path, rounds: int) -> None:
    """Tell what 100 and 1,000 cells cost, beyond a process that checks nothing."""
    for shuffled in (False, True):
        commands = {
            str(cells): [*NBSAFE, "--no-cache", str(made(folder, cells, shuffled=shuffled))]
            for cells in (1, 100, 1000)
        }
        seconds = measure(commands, rounds)
        few, many = (seconds[cells] - seconds["1"] for cells in ("100", "1000"))
        how = "out of order" if shuffled else "in page order"
        sys.stdout.write(f"1,000 cells {how} against 100: x {many / few:.1f}\n")


def main() -> None:
    """Measure, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="notebooks (default: made ones)")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp()).resolve()
    try:
        notebooks = sorted(options.folder.rglob("*.ipynb")) if options.folder else _some(folder)
        middle = sorted(notebooks, key=lambda path: path.stat().st_size)[len(notebooks) // 2]
        one_notebook(middle, folder, options.rounds)
        many_notebooks(notebooks, max(options.rounds // 3, 1))
        growth(folder, max(options.rounds // 3, 1))
    finally:
        shutil.rmtree(folder)


def _some(folder: Path) -> list[Path]:
    """Write notebooks of many lengths, as there are in a project."""
    sizes: Iterable[int] = (5, 10, 12, 15, 18, 20, 25, 30, 35, 40, 60, 90)
    return [made(folder, size + more) for size in sizes for more in range(6)]


if __name__ == "__main__":
    main()
