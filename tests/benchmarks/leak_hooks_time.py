"""What watching the libraries that learn costs: the same notebook in one kernel with, one without.

Both kernels run every cell in turn, so that both see the same machine; the figure is the median of
the rounds, as a ratio of the wall time and of the kernel's CPU time of all cells. Whoever runs a
cell second may find the memory that it needs in another state, so that each round is two: the
second with the order turned round.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

Taken = tuple[float, float]

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from pytest_nbsafe.judge.observed_leaks import watched  # noqa: E402
from pytest_nbsafe.notebook.model import Cell, CellId, Notebook  # noqa: E402
from pytest_nbsafe.runner.kernel_session import KernelSession  # noqa: E402

IMPORTS = """\
import numpy as np, pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.preprocessing import StandardScaler
"""
DATA = """\
rng = np.random.default_rng(0)
X = rng.normal(size=({rows}, {columns}))
y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=len(X)) > 1).astype(int)
"""
FRAME = "X = pd.DataFrame(X, columns=[f'f{i}' for i in range(X.shape[1])])\ny = pd.Series(y)\n"
REST = (
    "a, b, c, d = train_test_split(X, y, random_state=0)",
    "scaler = StandardScaler()\na = scaler.fit_transform(a)\nb = scaler.transform(b)",
    "model = LogisticRegression().fit(a, c)\nprint(model.score(b, d))",
    "print(accuracy_score(d, model.predict(b)), model.score(a, c))",
)
FOREST = (
    "wood = RandomForestClassifier({trees}, n_jobs=2, random_state=0).fit(a, c)\nwood.score(b, d)"
)
FOLDS = "cross_val_score(LogisticRegression(), a, c)"


def book(rows: int, columns: int, trees: int, *, frame: bool) -> Notebook:
    """Return a notebook that splits, scales, fits and scores."""
    data = DATA.format(rows=rows, columns=columns) + (FRAME if frame else "")
    sources = [IMPORTS, data, *REST, FOLDS]
    if trees:
        sources.append(FOREST.format(trees=trees))
    cells = (Cell(CellId(str(n)), n, "code", text) for n, text in enumerate(sources, 1))
    return Notebook("nb.ipynb", tuple(cells))


def measure(notebook: Notebook, cwd: Path) -> tuple[list[Taken], list[Taken]]:
    """Return what each cell took without and with the watch, the mean of both orders."""
    first, second = (both(notebook, cwd, turned=turned) for turned in (False, True))
    off, on = (
        [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in zip(*side, strict=True)]
        for side in zip(first, second, strict=True)
    )
    return off, on


def both(notebook: Notebook, cwd: Path, *, turned: bool) -> tuple[list[Taken], list[Taken]]:
    """Return what each cell took in one kernel without and in one with the watch."""
    seconds: tuple[list[Taken], list[Taken]] = ([], [])
    off = KernelSession(notebook, cwd=cwd, trace=False)
    on = KernelSession(notebook, cwd=cwd, trace=False, learning=watched())
    with off, on:
        for step, cell in enumerate(notebook.code_cells, turned):
            pairs = [(off, seconds[0]), (on, seconds[1])]
            for session, taken in pairs if step % 2 else pairs[::-1]:
                started = time.perf_counter()
                result = session.run(cell, step)
                taken.append((time.perf_counter() - started, result.cpu_s))
                if result.status != "ok":
                    raise SystemExit(f"cell {cell.number}: {result.failure}")
    return seconds


def medians(rounds: list[list[Taken]], which: int) -> list[float]:
    """Return each cell's median: of wall seconds (0), of the kernel's CPU seconds (1)."""
    cells = zip(*rounds, strict=True)
    return [statistics.median(taken[which] for taken in cell) for cell in cells]


def main() -> None:
    """Measure, and print a line for each notebook."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--trees", type=int, default=20, help="0 leaves the forest out")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cells", action="store_true", help="print each cell's medians too")
    options = parser.parse_args()
    out = sys.stdout.write
    for name, frame in (("numpy", False), ("pandas", True)):
        notebook = book(options.rows, options.columns, options.trees, frame=frame)
        with tempfile.TemporaryDirectory() as folder:
            rounds = [measure(notebook, Path(folder)) for _ in range(options.rounds)]
        for which, kind in enumerate(("wall", "CPU")):
            off, on = (medians([r[side] for r in rounds], which) for side in (0, 1))
            ratio = sum(on) / sum(off)
            out(f"{name:7}{kind:5} off {sum(off):6.2f} s  on {sum(on):6.2f} s  x {ratio:.3f}\n")
            for number, (without, with_) in enumerate(zip(off, on, strict=True), 1):
                if options.cells:
                    out(f"   cell {number}: {without * 1000:8.1f} ms  {with_ * 1000:8.1f} ms\n")


if __name__ == "__main__":
    main()
