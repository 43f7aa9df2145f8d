"""What `nbsafe run --resume` costs the first time, and what it takes after an edit, as ratios.

Each figure is that of whole processes, against `nbsafe run` on the same notebook without it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

NBSAFE = [sys.executable, "-m", "pytest_nbsafe"]
Page = dict[str, Any]


class Cost(NamedTuple):
    """What a process and all that it waited for took, in seconds."""

    wall_s: float
    cpu_s: float


def cost(path: Path, caches: Path, *options: str) -> Cost:
    """Run a notebook, and return what that took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    environ = {**os.environ, "NBSAFE_CACHE_DIR": str(caches)}
    subprocess.run(
        [*NBSAFE, "run", *options, str(path)], env=environ, check=False, stdout=subprocess.DEVNULL
    )
    wall_s = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(wall_s, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def edited(page: Page, which: float, edit: Callable[[str], str]) -> Page:
    """Return a page whose code cell at a share of its length is edited."""
    copy: Page = json.loads(json.dumps(page))
    cells = [cell for cell in copy["cells"] if cell["cell_type"] == "code"]
    cell = cells[min(int(which * len(cells)), len(cells) - 1)]
    cell["source"] = edit("".join(cell["source"]))
    return copy


EDITS: Mapping[str, Callable[[Page], Page]] = {
    "the first time": lambda page: page,
    "nothing edited": lambda page: page,
    "a comment in the middle": lambda page: edited(page, 0.5, lambda s: f"# why\n\n{s}"),
    "the last cell edited": lambda page: edited(page, 1.0, lambda s: f"{s}\nedited = 1"),
    "the cell in the middle edited": lambda page: edited(page, 0.5, lambda s: f"{s}\nedited = 2"),
}


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def measured(notebook: Path) -> tuple[Cost, Mapping[str, Cost], int]:
    """Return what a full run takes, what each edit takes, and the bytes that are kept then.

    A full run is that before and that after the edits, their mean: a machine has its moods.
    """
    page: Page = json.loads(notebook.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "nbs", notebook.name)
        caches = Path(folder, "caches")
        path.parent.mkdir()
        caches.mkdir(mode=0o700)
        path.write_text(json.dumps(page), encoding="utf-8")
        before = cost(path, caches)
        took = {}
        for name, edit in EDITS.items():
            path.write_text(json.dumps(edit(page)), encoding="utf-8")
            took[name] = cost(path, caches, "--resume")
        after = cost(path, caches)
        held = sum(file.stat().st_size for file in caches.rglob("*") if file.is_file())
    return Cost(*map(statistics.mean, zip(before, after, strict=True))), took, held


def shares(took: Iterable[float], full: Iterable[float]) -> str:
    """Return the median of ratios, and from where to where they go."""
    ratios = sorted(one / whole for one, whole in zip(took, full, strict=True))
    return f"{statistics.median(ratios):6.1%} ({ratios[0]:.0%} to {ratios[-1]:.0%})"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    for notebook in asked.notebooks:
        with tempfile.TemporaryDirectory() as folder:
            cost(notebook, Path(folder))  # what is compiled, and read from disk, is there for all
        rounds = [measured(notebook) for _ in range(asked.rounds)]
        full = [whole for whole, _, _ in rounds]
        wall_s, cpu_s = (statistics.median(each) for each in zip(*full, strict=True))
        say(f"{notebook.name}: {wall_s:.1f} s, {cpu_s:.1f} s CPU, {asked.rounds} rounds")
        for name in EDITS:
            took = [each[name] for _, each, _ in rounds]
            wall = shares((each.wall_s for each in took), (each.wall_s for each in full))
            cpu = shares((each.cpu_s for each in took), (each.cpu_s for each in full))
            say(f"  {name:32} wall {wall:24} CPU {cpu}")
        say(f"  kept on disk: {max(held for _, _, held in rounds) / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
