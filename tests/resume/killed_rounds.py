"""Runs of real notebooks killed at any moment, and what a resumed run makes of what they left.

    python tests/resume/killed_rounds.py --edits 25 --seed 1 NOTEBOOK...

Each round takes the page, edits a cell, starts `nbsafe run --resume` in a process of its own, kills
that by SIGKILL, every second time with all that it has started, edits another cell, and holds a
resumed run against full ones, as `random_edits.py` does. Two of three rounds begin with an empty
store; every second waits until values are being kept. Only notebooks that may be executed are to be
given.
"""

from __future__ import annotations

import argparse
import copy
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from resume import killing, page_edits, random_edits

_NBSAFE = [sys.executable, "-m", "pytest_nbsafe"]
_EDITS = (
    page_edits.Project.constant,
    page_edits.Project.line,
    page_edits.Project.first_line,
    page_edits.Project.twice,
)
_SOONEST_S = 0.5
_LATER_S = 0.05
"""When it is killed at the most, once values are being kept."""


def rounds(notebook: Path, folder: Path, seed: int, number: int) -> Iterator[random_edits.Edited]:
    """Kill runs of a notebook so many times, and yield what came of each."""
    rng = random.Random(f"{seed} {notebook.name}")
    project = page_edits.Project(notebook, folder / "project", folder / "site-packages", rng)
    store = folder / "cache" / "runs"
    page = copy.deepcopy(project.page)
    project.lay()
    started = time.perf_counter()
    subprocess.run(_run(project), capture_output=True, check=False)
    took_s = time.perf_counter() - started
    for step in range(1, number + 1):
        started = time.perf_counter()
        project.page = copy.deepcopy(page)
        is_fresh = step % 3 != 0
        if is_fresh:
            subprocess.run([*_NBSAFE, "store", "--clear"], capture_output=True, check=True)
        what = [rng.choice(_EDITS)(project)]
        within_s = took_s if is_fresh else took_s / 2
        waits, alone = step % 2 == 0, step % 4 < 2
        what.append(_killed(project, store, rng, within_s, waits=waits, alone=alone))
        wrong = killing.parts_that_are_not_whole(store) if store.exists() else []
        what.append(rng.choice(_EDITS)(project))
        more, reused = random_edits.held_against_full_runs(project)
        done = str(notebook), step, "; ".join(what), [*wrong, *more], reused
        yield random_edits.Edited(*done, time.perf_counter() - started)


def _run(project: page_edits.Project) -> list[str]:
    return [*_NBSAFE, "run", "--resume", str(project.path)]


def _killed(
    project: page_edits.Project,
    store: Path,
    rng: random.Random,
    within_s: float,
    *,
    waits: bool,
    alone: bool,
) -> str:
    """Start a run, kill it, and return in words when that was."""
    project.lay()
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(_run(project), stdout=quiet, stderr=quiet, start_new_session=True)
    started = time.perf_counter()
    at_s, later_s = rng.uniform(_SOONEST_S, within_s), rng.uniform(0.0, _LATER_S)
    if waits:
        at_s = 2 * within_s
    while process.poll() is None and time.perf_counter() - started < at_s:
        time.sleep(0.005)
        if waits and killing.is_keeping(process, store):
            time.sleep(later_s)
            break
    if process.poll() is not None:
        return "(it was over)"
    is_keeping = killing.is_keeping(process, store)
    after_s = time.perf_counter() - started
    killing.end_with_all_that_it_started(process, alone=alone)
    words = "alone" if alone else "with all that it started"
    return f"(killed {words} after {after_s:.1f} s{', KEEPING' if is_keeping else ''})"


def main() -> int:
    """Kill runs of notebooks, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", type=Path, nargs="+")
    parser.add_argument("--edits", type=int, default=25, help="rounds of each notebook")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--within", type=Path, help="the folder of one process")
    given, out = parser.parse_args(), sys.stdout
    if given.within:
        (notebook,) = given.notebooks
        random_edits.tell(
            rounds(notebook.resolve(), given.within, given.seed, given.edits), given.seed
        )
        return 0
    wrong = 0
    for notebook in given.notebooks:
        folder = Path(tempfile.mkdtemp(prefix="killed-"))
        about = notebook, folder, given.seed, given.edits
        done = random_edits.in_a_process(*about, limit_s=36_000, script=__file__)
        killed = [each for each in done if "(killed " in each.what]
        keeping = [each for each in killed if "KEEPING" in each.what]
        differing = [each for each in done if each.wrong]
        wrong += len(differing)
        out.write(
            f"{notebook.name}: {len(done)} rounds, {len(killed)} killed, {len(keeping)} of these"
            f" while values were kept, {len(differing)} differ\n"
        )
        for each in differing:
            out.write(f"  {each.step} {each.what[:300]}\n")
            out.writelines(f"      {line}\n" for line in each.wrong[:12])
        out.flush()
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
