"""Whole processes killed at any moment: the store opens, holds what is whole, and nothing else."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import makenb
import pytest

from resume import killing

pytest.importorskip("psutil")
TO_THE_END = 6
"""Each so many-th round comes to its end, the others are killed."""
NB = """
# %% [1]
import time
seed = {seed}
# %% [2]
time.sleep(0.3)
rows = [(seed * 31 + 7 * number) % 1009 for number in range(100_000)]
# %% [3]
time.sleep(0.2)
data = bytearray(number % 251 for number in rows) * 40
# %% [4]
time.sleep(0.2)
table = {{"rows": rows, "data": data}}
rows.append(seed)
# %% [5]
time.sleep(0.2)
data[0] = seed
words = [str(number) for number in rows]
# %% [6]
assert (len(rows), rows[-1], data[0], sum(data), sum(map(int, words))) == {expected}
# %% [7]
assert table["rows"] is rows and table["data"] is data and {moment}
"""


def page(seed: int, moment: int) -> str:
    """Return a page that fails where any value is another than it should be."""
    rows = [(seed * 31 + 7 * number) % 1009 for number in range(100_000)]
    data = bytearray(number % 251 for number in rows) * 40
    data[0] = seed
    total = sum(rows) + seed
    expected = (len(rows) + 1, seed, seed, sum(data), total)
    return NB.format(seed=seed, expected=expected, moment=moment)


@pytest.mark.parametrize(
    "rounds",
    [pytest.param(9, marks=pytest.mark.corpus), pytest.param(60, marks=pytest.mark.long)],
)
@pytest.mark.skipif(sys.platform == "win32", reason="what ends a process there is another")
def test_a_run_that_is_killed_leaves_nothing_wrong(own_store: Path, rounds: int) -> None:
    rng = random.Random(20)
    path = own_store / "nb.ipynb"
    command = [sys.executable, "-m", "pytest_nbsafe", "run", "--resume", str(path)]
    runs = own_store.parent / "cache" / "runs"
    took_s, reused = 4.0, 0
    for number in range(1, rounds + 1):
        makenb.write(path, page(seed=1 + number // 4 % 200, moment=number))
        if number % TO_THE_END == 0:
            started = time.perf_counter()
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
            took_s = max(time.perf_counter() - started, 2.0)
            assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
            assert "no findings" in ran.stdout
            reused += "runs reused" in ran.stdout
            continue
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        with suppress(subprocess.TimeoutExpired):
            process.wait(rng.uniform(0.3, took_s))
        if process.poll() is None:
            killing.end_with_all_that_it_started(process, alone=rng.random() < 0.5)
        assert killing.parts_that_are_not_whole(runs) == [], f"round {number}"
    assert reused, "some of what was kept before it was killed was of use"
