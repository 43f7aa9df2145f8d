"""How long a kernel that was checked out takes to undo one cell, from what is on disk.

    python tests/benchmarks/undo_time.py NB...

The notebook is run once with `--resume` and opened after its last cell, twice; then cell after
cell is undone with `%nbsafe --before CELL`, the last first. Where only a new kernel comes to a
state, one is opened there. Seconds by the clock; of each notebook what opening took, and the undos.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from resume.visiting import front_end

from pytest_nbsafe.app import session
from pytest_nbsafe.app.checkout import checked_out
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.notebook import load


def undone(path: Path, cells: list[int]) -> tuple[list[float], list[tuple[float, int, str]]]:
    """Return what each opening took, and each undo with its cell and what was said."""
    opened, undos, left = [], [], cells[::-1]
    while left:
        with checked_out(path, {}, left[0], before=False) as state, front_end(state) as visitor:
            opened.append(state.took_s)
            visitor.run("pass")
            while left:
                began = time.perf_counter()
                said = visitor.run(f"%nbsafe --before {left[0]}")
                undos.append((time.perf_counter() - began, left[0], said.splitlines()[0]))
                left.pop(0)
                if "only a new kernel" in said:
                    break
    return opened, undos


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def main() -> None:
    """Print a line for each notebook, and with `-v` one for each undo."""
    verbose = "-v" in sys.argv
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NBSAFE_CACHE_DIR"] = folder
        for path in (Path(given) for given in sys.argv[1:] if given != "-v"):
            session.examine(path, configuration(path, {"resume": "on"}))
            cells = [cell.number for cell in load.read(path).code_cells]
            for _ in range(2):
                opened, undos = undone(path, cells)
            moved = [took for took, _, said in undos if "new kernel" not in said]
            _say(
                f"{path.name}: opened in {opened[0]:.2f} s; {len(moved)} of {len(undos)} cells "
                f"undone, last {undos[0][0]:.2f} s, median {statistics.median(moved):.2f}, "
                f"most {max(moved):.2f}"
            )
            for took, cell, said in undos if verbose else ():
                _say(f"  {cell:3} {took:.2f} {said}")


if __name__ == "__main__":
    main()
