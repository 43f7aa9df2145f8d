"""Time of the plugin against nbmake on the same notebooks, wall and CPU, the tracer on and off.

Every figure is the least of some whole processes that took turns, printed as a ratio to nbmake.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import percent  # noqa: E402

PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
CONTENDERS = {
    "nbmake": ["--nbmake", "-p", "no:nbsafe"],
    "nbsafe": ["--nbsafe", "-p", "no:nbmake"],
    "nbsafe, no tracer": ["--nbsafe", "-p", "no:nbmake"],
}
LOOP = "total = 0\nfor i in range(1_000_000):\n    total += i\nprint(total)\n#> 499999500000\n"
CALLEE = "def f(x):\n    y = x + 1\n    return y\n"
SMALL = "# %% [1]\nimport math\nx = {0}\n# %% [2]\nprint(math.floor(x / 2))\n#> {1}\n"
MOVED = "# %% [2]\nprint(x)\n#> {0}\n# %% [1]\nx = {0}\n"


class Cost(NamedTuple):
    """What a process and all that it waited for took, in seconds."""

    cpu_s: float
    wall_s: float


def groups(folder: Path) -> Iterator[tuple[str, list[Path]]]:
    """Write the notebooks that are measured when none are named, and yield them in groups."""
    texts = {
        "loop": [f"# %% [1]\n{LOOP}"],
        "calls": [f"# %% [1]\n{CALLEE}# %% [2]\nfor i in range(100_000):\n    f(i)\n"],
        "100 cells": ["".join(f"# %% [{i}]\nx{i} = {i}\n" for i in range(1, 101))],
        "1 small": [SMALL.format(0, 0)],
        "50 small": [SMALL.format(i, i // 2) for i in range(50)],
        "10 out of order": [MOVED.format(i) for i in range(10)],
    }
    for name, notebooks in texts.items():
        place = folder / name.replace(" ", "-")
        place.mkdir()
        paths = [place / f"nb{position}.ipynb" for position in range(len(notebooks))]
        for path, text in zip(paths, notebooks, strict=True):
            percent.write(percent.parse(text), path)
        yield name, paths


def cost(contender: str, notebooks: Sequence[Path]) -> Cost:
    """Return what a contender takes for some notebooks, which lie in one folder.

    It works on a copy of the folder, so that nobody finds what another has left.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve() / "work"
        shutil.copytree(notebooks[0].parent, folder)
        if contender.endswith("no tracer"):
            (folder / "nbsafe.toml").write_text("trace = false\n", encoding="utf-8")
        names = [notebook.name for notebook in notebooks]
        command = [*PYTEST, "--rootdir", str(folder), *CONTENDERS[contender], *names]
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, cwd=folder, capture_output=True, check=False)
        wall_s, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall_s)


def least(notebooks: Sequence[Path], rounds: int) -> dict[str, Cost]:
    """Return the least that each contender takes; they take turns."""
    costs: dict[str, list[Cost]] = {name: [] for name in CONTENDERS}
    for _ in range(rounds):
        for name, taken in costs.items():
            taken.append(cost(name, notebooks))
    return {name: Cost(*map(min, zip(*taken, strict=True))) for name, taken in costs.items()}


def main() -> None:
    """Measure, and print a line for each contender and group, then the median of the groups."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        named = [(path.name, [path.resolve()]) for path in options.notebooks]
        ratios: dict[str, list[Cost]] = {name: [] for name in CONTENDERS}
        for name, notebooks in named or groups(Path(temporary).resolve()):
            taken = least(notebooks, options.rounds)
            base = taken["nbmake"]
            sys.stdout.write(f"{name}  (nbmake: {base.cpu_s:.2f} CPU s, {base.wall_s:.2f} s)\n")
            for contender, (cpu_s, wall_s) in list(taken.items())[1:]:
                ratio = Cost(cpu_s / base.cpu_s, wall_s / base.wall_s)
                ratios[contender].append(ratio)
                sys.stdout.write(
                    f"  {contender:20} CPU x {ratio.cpu_s:.2f}  wall x {ratio.wall_s:.2f}\n"
                )
            sys.stdout.flush()
        for contender, found in list(ratios.items())[1:]:
            cpu, wall = (statistics.median(each) for each in zip(*found, strict=True))
            sys.stdout.write(f"median, {contender:20} CPU x {cpu:.2f}  wall x {wall:.2f}\n")


if __name__ == "__main__":
    main()
