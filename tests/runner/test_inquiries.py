"""Which cells are run again in a copy of the kernel of a plan, when, and after which."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import percent
import pytest

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.app.facts import static_facts
from pytest_nbsafe.app.run import run
from pytest_nbsafe.config import Config
from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.runner import inquiries
from pytest_nbsafe.runner.inquiries import Inquiries, Limits
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.runner.planrun import PlanRun
from pytest_nbsafe.trace.results import CellResult, Failure, Record, Value
from pytest_nbsafe.trace.side_runs import Counterfactual
from runner.fake_session import FakeSession

STALE = (
    "# %% [1]\nrate = 0.5\n# %% [3]\nrate = 0.25\n"
    "# %% [2]\nprice = 100 * (1 + rate)\n# %% [4]\ntotal = 3 * price\n"
)
OLD = "# %% [1]\na = 1\n# %% [4]\na = 2\n# %% [2]\nb = a\n# %% [3]\nc = b\n"


class Fake(FakeSession):
    """A session that notes what it is asked; `answers` are values by the cells that ran aside."""

    def __init__(self, answers: dict[tuple[int, ...], str] | None = None, cause: str = "") -> None:
        super().__init__()
        self.asked: list[tuple[int, ...]] = []
        self.stirred: list[bool] = []
        self.here: list[bool] = []
        self._answers = answers or {}
        self._cause = cause
        self.duration_s = 0.0

    def run(self, cell: Cell, step: int) -> CellResult:
        return self._result(cell, step, str(step))

    def counterfactual(
        self, cells: Sequence[Cell], *, limit_s: float, stir: bool, here: bool, at: int | None
    ) -> Counterfactual:
        assert limit_s > 0
        assert at is None
        self.here.append(here)
        numbers = tuple(cell.number for cell in cells)
        self.asked.append(numbers)
        self.stirred.append(stir)
        if self._cause:
            return Counterfactual(cause=self._cause)
        value = self._answers.get(numbers, "?")
        if value == "raises":
            failed = CellResult(1, numbers[0], "raised", Failure("KeyError", "no", 1))
            return Counterfactual((failed,))
        results = tuple(self._result(cell, i, value) for i, cell in enumerate(cells, 1))
        shown = {"made": {"value": value}}
        return Counterfactual(results, shown=shown)

    def _result(self, cell: Cell, step: int, value: str) -> CellResult:
        empty: frozenset[str] = frozenset()
        record = Record((step, 1), cell.number, 1, empty, {"made": empty}, {})
        return CellResult(
            step,
            cell.number,
            "ok",
            after={"made": Value(value)},
            records=(record,),
            duration_s=self.duration_s,
        )


def tried(text: str, session: Fake, limits: Limits | None = None) -> Inquiries:
    facts, _ = static_facts(percent.parse(text), Config())
    asking = Inquiries(facts.graph, facts.suspicions, limits)
    run = PlanRun(facts.graph, facts.plan, lambda: session)
    while not run.finished:
        asking.before(run)
        run.advance()
    asking.end(run)
    return asking


def test_a_stale_read_runs_as_it_is_refreshed_and_stirred() -> None:
    session = Fake({(4,): "old", (3, 4): "new"})
    asking = tried(STALE, session)
    assert session.asked[:3] == [(4,), (3, 4), (3, 4)]
    assert session.stirred[:3] == [False, False, True]
    found = asking.reads[4]
    assert (found.result, found.after) == ("differs", (3,))
    assert found.differences == ("`made` old -> new",)


def test_a_read_that_is_the_same_refreshed_needs_no_third_run() -> None:
    session = Fake({(4,): "old", (3, 4): "old"})
    assert tried(STALE, session).reads[4].result == "same"
    assert session.asked[:3] == [(4,), (3, 4), (3,)]


@pytest.mark.parametrize(
    ("session", "cause"),
    [
        (Fake(cause="it would write 'a.csv'"), "it would write 'a.csv'"),
        (Fake({(4,): "old", (3, 4): "raises"}), "cell 3 raised KeyError when it ran again"),
    ],
)
def test_a_cell_that_cannot_be_run_says_why(session: Fake, cause: str) -> None:
    found = tried(STALE, session).reads[4]
    assert (found.result, found.cause) == ("nothing-to-compare", cause)


def test_an_outdated_result_runs_again_at_the_end_after_what_it_reads() -> None:
    session = Fake({(3,): "new", (3, 4): "new"})
    asking = tried(OLD, session)
    assert asking.reads == {}
    assert {cell: found.after for cell, found in asking.endings.items()} == {3: (), 4: (3,)}
    assert session.asked[-1] == (3, 4)


def test_all_that_is_outdated_above_runs_again_first() -> None:
    text = "# %% [1]\na = 1\n# %% [4]\na = 2\n# %% [2]\nb = a\n# %% [3]\nc = a + b\n"
    assert tried(text, Fake()).endings[4].after == (3,)


def test_what_takes_long_is_not_run_twice() -> None:
    session = Fake()
    session.duration_s = Limits().question_s
    assert {found.cause for found in tried(OLD, session).endings.values()} == {
        "it would take too long"
    }
    assert session.asked == []


def test_all_questions_have_one_budget() -> None:
    session = Fake()
    assert tried(STALE, session, Limits(all_s=0.0)).reads[4].cause == "it would take too long"
    assert session.asked == []


def test_what_is_one_too_many_says_so() -> None:
    session = Fake()
    assert {rerun.cause for rerun in tried(STALE, session, Limits(most=0)).reads.values()} == {
        "as many other cells have been run again as may be"
    }
    asking = tried(OLD, Fake({(3,): "new", (3, 4): "new"}), Limits(most=1))
    assert {cell: rerun.cause for cell, rerun in asking.endings.items()} == {
        3: "",
        4: "as many other cells have been run again as may be",
    }


@pytest.mark.parametrize(
    ("cpu_s", "duration_s", "cost_s"), [(2.0, 30.0, 2.0), (0.5, 30.0, 30.0), (8.0, 2.0, 2.0)]
)
def test_a_run_costs_what_it_computes_unless_it_waits(
    cpu_s: float, duration_s: float, cost_s: float
) -> None:
    assert CellResult(1, 1, "ok", duration_s=duration_s, cpu_s=cpu_s).cost_s == cost_s


@pytest.mark.corpus
@pytest.mark.kernel
@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork")
def test_a_finding_tells_what_was_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inquiries, "Limits", lambda: Limits(all_s=0.0))
    path = Path(__file__).parents[2] / "fixtures/rules/nbs201/another_order_of_rows.ipynb"
    causes = [step.cause for finding in run([path], {}).findings for step in finding.steps]
    assert "what it makes when it runs again is not known: it would take too long" in causes


def test_a_session_that_is_gone_cannot_be_asked() -> None:
    session = Fake()
    facts, _ = static_facts(percent.parse(STALE), Config())
    run = PlanRun(facts.graph, facts.plan, lambda: session)
    run.advance()
    session.alive = False
    assert run.aside((1,), 1.0).cause == "there is no kernel to run it in"


@pytest.mark.kernel
def test_in_a_real_kernel(tmp_path: Path) -> None:
    notebook = percent.parse(STALE)
    facts, _ = static_facts(notebook, Config())
    asking = Inquiries(facts.graph, facts.suspicions)
    run = PlanRun(build(notebook), facts.plan, lambda: KernelSession(notebook, cwd=tmp_path))
    try:
        while not run.finished:
            asking.before(run)
            run.advance()
        asking.end(run)
    finally:
        run.close()
    assert asking.reads[4].differences == ("`total` 450.0 -> 375.0",)
    assert asking.endings[3].differences == ("`price` 150.0 -> 125.0",)
    assert [result.status for result in run.results] == ["ok"] * 4
