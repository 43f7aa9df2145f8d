"""What following a cell takes does not grow with the cells that ran before: calls are counted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from runner.kernels import notebook
from tiers import by_hand

from pytest_nbsafe.judge.observed_leaks import watched
from pytest_nbsafe.notebook.model import Cell, CellId
from pytest_nbsafe.runner.kernel_session import KernelSession

pytestmark = pytest.mark.kernel

RUNS = 150
EARLY = range(20, 25)
LATE = range(RUNS - 5, RUNS)
COUNTER = """\
import sys, types
counter = sys.modules['counter'] = types.ModuleType('counter')
counter.calls = 0
def note(frame, event, arg, counter=counter):
    if event in ('call', 'c_call') and frame.f_code.co_filename.startswith('<_nbsafe'):
        counter.calls += 1
counter.note = note
sys.setprofile(note)
del counter, note"""
TAKE = "c = __import__('counter'); print(c.calls); c.calls = 0; del c"
SPLIT = """\
from sklearn.datasets import load_iris
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
X, y = load_iris(return_X_y=True)"""
WORK: Mapping[str, tuple[str, Callable[[int], str]]] = {
    "one cell again and again": (
        "def f(a):\n    return a",
        lambda _: "x = [f(i) for i in range(3)]\nfor j in range(2):\n    y = f(j)\nprint(x, y)",
    ),
    "another cell each time": ("", lambda i: f"late{i} = {i}\nlater{i} = late{i} + 1"),
    "another function each time": ("", lambda i: f"def f{i}(a):\n    return a\nx = f{i}({i})"),
    "cells that raise": ("", lambda i: f"x{i} = [{i}]\nx{i}[1]"),
    "frames": (
        "import pandas as pd\ndf = pd.DataFrame({'a': [1, 2]})",
        lambda i: f"df = pd.DataFrame({{'a': [{i}, 2]}})\ndf['b'] = df.a + 1\ndf",
    ),
    "what learns": (
        SPLIT,
        lambda i: (
            f"a, b, c, d = train_test_split(X, y, random_state={i})\n"
            "s = StandardScaler().fit(a)\nm = Ridge().fit(s.transform(a), c)\n"
            "score = m.score(s.transform(b), d)"
        ),
    ),
}


class Host:
    """Counts the calls of our own functions in this process."""

    def __init__(self) -> None:
        self.calls = 0

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        if event in {"call", "c_call"} and "pytest_nbsafe" in frame.f_code.co_filename:
            self.calls += 1


def counted(folder: Path, before: str, source: Callable[[int], str]) -> dict[int, tuple[int, int]]:
    """Return how many calls early and late runs took, each in the kernel and here."""
    host, found = Host(), {}
    with KernelSession(notebook("0"), cwd=folder, timeout_s=60, learning=watched()) as session:

        def run(text: str, number: int) -> str:
            result = session.run(Cell(CellId(f"c{number}"), number, "code", text), number)
            assert [i for i in result.incidents if i.kind == "tracer"] == []
            return "".join(output.text for output in result.outputs)

        run(f"{before}\n{COUNTER}", 1000)
        for number in range(RUNS):
            if number not in EARLY and number not in LATE:
                run(source(number), number)
                continue
            run(TAKE, 1001)
            host.calls = 0
            sys.setprofile(host.note)
            run(source(number), number)
            sys.setprofile(None)
            found[number] = int(run(TAKE, 1001)), host.calls
    return found


@pytest.mark.parametrize("name", by_hand(3, WORK))
def test_a_late_cell_takes_what_an_early_one_takes(name: str, tmp_path: Path) -> None:
    found = counted(tmp_path, *WORK[name])
    for where in (0, 1):
        early, late = (sorted(found[n][where] for n in each) for each in (EARLY, LATE))
        assert early[0] > 10
        assert late[2] <= early[2] * 1.05 + 5, (early, late)
