"""Which plan is the history: what is asked where the counts leave doubt, and what is not."""

from __future__ import annotations

from pathlib import Path

import percent
import pytest
from makenb import write

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.app.run import run
from pytest_nbsafe.judge import choice_of_order
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.order import orderings
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.order.rival_plans import rivals
from pytest_nbsafe.reports import text
from pytest_nbsafe.trace.results import CellResult, PlanResult

BELOW = """
# %% [1]
x = 1
# %% [5]
print(x)
#> 1
# %% [3]
x = 2
"""
MOVED = 1
BOTH = """
# %% [6]
print(a)
#> 7
# %% [1]
a = 7
# %% [2]
x = 1
# %% [7]
print(x)
#> 1
# %% [3]
x = 2
"""
SURE = """
# %% [3]
print(a)
#> 7
# %% [1]
a = 8
"""


def _ran(plan: Plan, shows: dict[int, str]) -> PlanResult:
    results = (
        CellResult(
            run.step, run.cell, "ok", outputs=(Output("stream", "stdout", f"{shows[run.cell]}\n"),)
        )
        if run.cell in shows
        else CellResult(run.step, run.cell, "ok")
        for run in plan.runs
    )
    return PlanResult(plan, tuple(results))


@pytest.mark.parametrize(
    ("page", "orders"),
    [(BELOW, ["top-down", "inferred"]), (BOTH, ["top-down", "inferred"]), (SURE, [])],
)
def test_a_rival_reads_what_is_in_doubt_from_another_cell(page: str, orders: list[str]) -> None:
    graph = build(percent.parse(page))
    plans = [orderings.plan(graph, name) for name in ("inferred", "top-down")]
    assert orders == [rival.plan.order for rival in rivals(graph, *plans)]


@pytest.mark.parametrize(
    ("replayed", "clean", "chosen"),
    [("2", "1", "top-down"), ("1", "1", None), ("2", "2", None)],
)
def test_the_plan_that_gives_more_of_what_was_saved_is_the_history(
    replayed: str, clean: str, chosen: str | None
) -> None:
    graph = build(percent.parse(BELOW))
    page, plan = (orderings.plan(graph, name) for name in ("top-down", "inferred"))
    asked = choice_of_order.inquiry(graph, _ran(page, {2: clean}), _ran(plan, {2: replayed}))
    try:
        while True:
            asked.send(_ran(next(asked), {2: "3"}))
    except StopIteration as end:
        assert chosen == (end.value and end.value.plan.order)


@pytest.mark.kernel
@pytest.mark.corpus
def test_all_orders_are_run_and_compared(tmp_path: Path) -> None:
    report = run([write(tmp_path / "nb.ipynb", SURE)], {"cache": False, "order": "all"})
    given = {o.order: (o.given, o.failed) for o in report.notebooks[0].compared}
    assert given["recorded"] == given["dependency"] == (0, 0)
    assert given["top-down"] == (0, 1)
    table = text.render(report).split("what each order gives of the saved outputs\n")[1]
    assert table.split("\n")[-4].split() == ["top-down", "2", "0", "of", "1", "1"]


@pytest.mark.kernel
def test_the_saved_outputs_decide_what_was_read(tmp_path: Path) -> None:
    report = run([write(tmp_path / "nb.ipynb", BOTH)], {"cache": False})
    notebook = report.notebooks[0]
    assert any(said.startswith("the saved outputs decide how cell 4") for said in notebook.remarks)
    assert notebook.verdict == "order-dependent"
    assert {f.location.cell for f in report.findings if f.severity == "error"} == {MOVED}
