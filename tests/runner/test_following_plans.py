"""Which cells are followed on the side of a plan, and what is kept of it."""

from __future__ import annotations

from collections.abc import Sequence

import percent
import pytest

from pytest_nbsafe.app.facts import static_facts
from pytest_nbsafe.config import Config
from pytest_nbsafe.judge import followed_cells
from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.runner.inquiries import Inquiries
from pytest_nbsafe.runner.planrun import PlanRun
from pytest_nbsafe.trace import lineage
from pytest_nbsafe.trace.results import CellResult, Record, Value
from pytest_nbsafe.trace.side_runs import Counterfactual, TouchedParts
from runner.fake_session import FakeSession

STALE = """\
# %% [1]
d, key = {'r': 2, 's': 1}, 'r'
# %% [3]
{change}
# %% [2]
p = d[key]
# %% [4]
t = p
"""
PART = frozenset({("r",)})
SEEN = TouchedParts({("d", 0): PART}, {("d", 0): PART}, entered=frozenset({"d"}))


class Fake(FakeSession):
    """A session that runs what the text says, statement by statement, and notes what it is asked.

    `d` holds something else from each run to the next where it is `restless`.
    """

    def __init__(self, text: str, *, restless: bool = False) -> None:
        super().__init__()
        facts, _ = static_facts(percent.parse(text), Config())
        self.facts = facts
        self.asked: list[tuple[int, ...]] = []
        self._restless = restless
        self._runs = 0

    def run(self, cell: Cell, step: int) -> CellResult:
        plan = self.facts.plan
        records = [r for r in lineage.static_records(self.facts.graph, plan) if r.at[0] == step]
        return self._result(cell, step, tuple(records))

    def counterfactual(
        self, cells: Sequence[Cell], *, limit_s: float, stir: bool, here: bool, at: int | None
    ) -> Counterfactual:
        assert (limit_s > 0, here, at) == (True, False, None)
        self.asked.append(tuple(cell.number for cell in cells))
        results = tuple(self._result(cell, i, ()) for i, cell in enumerate(cells, 1))
        return Counterfactual(results, touched=(None if stir else SEEN,) * len(cells))

    def _result(self, cell: Cell, step: int, records: tuple[Record, ...]) -> CellResult:
        self._runs += 1
        held = {"d": Value(str(self._runs if self._restless else 0))}
        return CellResult(step, cell.number, "ok", reads=held, after=held, records=records)


def tried(session: Fake) -> Inquiries:
    asking = Inquiries(session.facts.graph, session.facts.suspicions)
    run = PlanRun(session.facts.graph, session.facts.plan, lambda: session)
    while not run.finished:
        asking.before(run)
        run.advance()
    asking.end(run)
    return asking


def test_what_changes_a_name_in_parts_the_text_hides_is_followed_at_its_step() -> None:
    session = Fake(STALE.replace("{change}", "d[key] = 3"))
    seen = tried(session).following.seen
    assert session.asked[0] == (2,)
    assert seen.changed("d", 2) == PART


@pytest.mark.parametrize("change", ["d['r'] = 3", "d = {'r': 3}"])
def test_what_the_text_tells_is_not_followed_for_that(change: str) -> None:
    session = Fake(STALE.replace("{change}", change))
    tried(session)
    assert session.asked[0] == (4,)


def test_what_runs_from_another_state_stands_for_the_plan_only_if_the_name_alone_differs() -> None:
    session = Fake(STALE.replace("{change}", "d[key] = 3"), restless=True)
    seen = tried(session).following.seen
    assert (seen.read("d", 3), seen.read("key", 3)) == (PART, None)
    assert (seen.changed("d", 2), seen.changed("d", 3)) == (PART, None)


def test_what_the_trace_suspects_besides_is_followed_at_the_end() -> None:
    text = "# %% [1]\nd = {'r': 2}\n# %% [3]\nd['r'] = 3\n# %% [2]\np = d['r']\n"
    session = Fake(text)
    asking = tried(session)
    plan = session.facts.plan
    results = [session.run(session.facts.notebook.cell(run.cell), run.step) for run in plan.runs]
    fresh = followed_cells.FollowedCells(session.facts.graph, session.facts.suspicions)
    assert fresh.left(plan, results) == (2, 3)
    assert asking.following.left(plan, results) == ()


def test_nothing_is_left_of_a_plan_in_page_order() -> None:
    session = Fake("# %% [1]\nd = {'r': 2}\n# %% [2]\nd['r'] = 3\n# %% [3]\np = d['r']\n")
    tried(session)
    assert session.asked == []
