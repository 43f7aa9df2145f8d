"""Orders that begin alike: their common part runs once, and the verdict is that of whole runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makenb import write

from pytest_nbsafe.app.run import run
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.runner import planrun
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.runner.live_kernel import LiveKernel
from pytest_nbsafe.runner.shared_prefixes import branches, shared
from runner.kernels import notebook

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork")
CELLS = st.lists(st.integers(1, 4), max_size=6)


def plan(cells: list[int]) -> Plan:
    runs = (Run(step, cell, None, recorded=False, reason="") for step, cell in enumerate(cells, 1))
    return Plan("recorded", tuple(runs))


@given(CELLS, CELLS)
def test_what_two_plans_share_is_their_longest_common_beginning(
    one: list[int], two: list[int]
) -> None:
    length = shared(plan(one), plan(two))
    assert one[:length] == two[:length]
    assert one[: length + 1] != two[: length + 1] or one == two
    assert branches(plan(one), [plan(two)]) == ({length} if 0 < length < len(one) else frozenset())


# -- a kernel that is held -------------------------------------------------------------------------


@pytest.fixture
def session(tmp_path: Path) -> Iterator[KernelSession]:
    with KernelSession(notebook(""), cwd=tmp_path, timeout_s=60) as started:
        yield started


def text(session: KernelSession, source: str) -> str:
    result = session.run(notebook(source).cells[0], 1)
    return "".join(output.text for output in result.outputs)


@pytest.mark.kernel
def test_what_was_held_answers_as_the_kernel_would_have_then(session: KernelSession) -> None:
    text(session, "import random\nrandom.seed(3)\nxs = [1]")
    assert session.hold(1)
    assert (
        text(session, "xs.append(random.random())\nlen(xs), __import__('os').getpid()")[:3] == "(2,"
    )
    text(session, "del xs")
    asked = notebook("xs.append(2)\nxs", "xs.append(random.random())\nxs[2]").cells
    told = session.counterfactual(asked, at=1)
    expected = text(session, "random.seed(3)\nrandom.random()")
    assert [output.text for result in told.results for output in result.outputs] == [
        "[1, 2]",
        expected,
    ]
    assert [result.step for result in told.results] == [2, 3]
    assert text(session, "'xs' in globals()") == "False"
    assert session.counterfactual(asked, at=1).cause == "nothing was held there"


@pytest.mark.corpus
@pytest.mark.kernel
def test_what_is_held_ends_with_its_kernel(tmp_path: Path) -> None:
    psutil = pytest.importorskip("psutil")
    with KernelSession(notebook(""), cwd=tmp_path, timeout_s=60) as session:
        kernel = psutil.Process(int(text(session, "import os\nos.getpid()")))
        assert session.hold(0)
        (held,) = kernel.children()
    until = time.monotonic() + 30
    while held.is_running() and time.monotonic() < until:
        time.sleep(0.05)
    assert not held.is_running()


# -- trials ----------------------------------------------------------------------------------------

LATE = """
# %% [1]
base = list(range(10))
# %% [2]
rate = 2
# %% [5]
rate = 3
total = sum(base) * rate
# %% [4]
print(total)
#> 90
# %% [3]
total = sum(base) * rate
"""
BY_CHANCE = LATE.replace("print(total)", "import os\nprint(total, os.urandom(4).hex())")
WRITES = LATE.replace(
    "print(total)", "print(total)\nlist.__class__ and get_ipython().system('true')"
)
EARLY = LATE.replace("base = list", "import os\nchance = os.urandom(8).hex()\nchance\nbase = list")


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("page", "saved"),
    [
        pytest.param(LATE, 1, id="all repeats"),
        pytest.param(BY_CHANCE, 0, id="not after it was held", marks=pytest.mark.corpus),
        pytest.param(WRITES, 0, id="not on the side", marks=pytest.mark.corpus),
        pytest.param(EARLY, 0, id="not before it was held", marks=pytest.mark.corpus),
    ],
)
def test_the_second_clean_run_begins_where_the_plan_goes_another_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str, saved: int
) -> None:
    started = counted(monkeypatch)
    path = write(tmp_path / "nb.ipynb", page)

    def told(least_s: float) -> list[tuple[str, str, str]]:
        monkeypatch.setattr(planrun, "_WORTH_HOLDING_S", least_s)
        report = run([path], {"cache": False})
        return [(f.code, f.verdict, f.message) for f in report.findings]

    from_held, kernels = told(0.0), started()
    assert from_held == told(float("inf"))
    assert started() == kernels + saved


@pytest.mark.kernel
@pytest.mark.corpus
def test_orders_that_are_compared_share_what_they_begin_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = counted(monkeypatch)
    path = write(tmp_path / "nb.ipynb", SEVERAL)

    def told(least_s: float) -> list[tuple[str, int | None, int | None]]:
        monkeypatch.setattr(planrun, "_WORTH_HOLDING_S", least_s)
        (notebook,) = run([path], {"cache": False, "order": "all"}).notebooks
        return [(each.order, each.given, each.failed) for each in notebook.compared]

    from_held, once = told(0.0), started()
    assert from_held == told(float("inf"))
    assert once < started()


SEVERAL = """
# %% [1]
xs = [1]
# %% [2]
xs.append(2)
# %% [6]
print(len(xs))
#> 3
# %% [4]
xs.append(3)
# %%
xs.clear()
# %% [8]
print(xs)
#> [1, 2, 3]
"""


def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Return what tells how many kernels have started since it was last asked."""
    started: list[LiveKernel] = []
    start = LiveKernel.start

    def counting(kernel: LiveKernel) -> None:
        started.append(kernel)
        start(kernel)

    def number() -> int:
        total = len(started)
        started.clear()
        return total

    monkeypatch.setattr(LiveKernel, "start", counting)
    return number
