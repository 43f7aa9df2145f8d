"""A plan under way, with a kernel made up by hand: what is skipped, what goes on, what is lost."""

from collections.abc import Callable

import percent

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.order import orderings as order
from pytest_nbsafe.runner.planrun import PlanRun
from pytest_nbsafe.trace.results import CellResult, Failure, Record, RunStatus
from runner.fake_session import FakeSession


class ScriptedSession(FakeSession):
    """Runs nothing: the cells named in `fates` end as told, at `line`, the others succeed."""

    def __init__(self, fates: dict[int, RunStatus], made: dict[int, set[str]], line: int) -> None:
        super().__init__()
        self.line = line
        self.fates = fates
        self.made = made
        self.started = self.closed = 0

    def start(self) -> None:
        self.started += 1

    def run(self, cell: Cell, step: int) -> CellResult:
        status = self.fates.get(cell.number, "ok")
        self.alive = status != "died"
        writes = {name: frozenset[str]() for name in self.made.get(cell.number, set())}
        record = Record((step, 1), cell.number, 1, frozenset(), writes, {})
        failure = Failure("Error", "", self.line) if status == "raised" else None
        return CellResult(step, cell.number, status, failure, records=(record,))

    def close(self) -> None:
        self.closed += 1


def statuses(
    text: str,
    fates: dict[int, RunStatus],
    made: dict[int, set[str]] | None = None,
    line: int = 2,
) -> str:
    """Run a notebook top-down and tell each cell's status, and whom a skipped one waits for."""
    run, _ = plan_run(text, fates, made, line)
    while not run.finished:
        run.advance()
    return " ".join(
        r.status + (f"({r.because})" if r.because else "") for r in run.result().results
    )


def plan_run(
    text: str,
    fates: dict[int, RunStatus],
    made: dict[int, set[str]] | None = None,
    line: int = 2,
) -> tuple[PlanRun, ScriptedSession]:
    graph = build(percent.parse(text))
    session = ScriptedSession(fates, made or {}, line)
    make: Callable[[], ScriptedSession] = lambda: session  # noqa: E731
    return PlanRun(graph, order.plan(graph, "top-down"), make), session


CHAIN = """\
# %%
a = 1
# %%
b = a
# %%
c = b
# %%
d = 4
"""


def test_what_needs_a_failed_cell_is_skipped_because_of_it_and_the_rest_runs() -> None:
    assert statuses(CHAIN, {1: "raised"}) == "raised skipped(1) skipped(1) ok"


def test_a_name_made_before_the_failure_is_there() -> None:
    assert statuses(CHAIN, {1: "raised"}, {1: {"a"}}) == "raised ok ok ok"


def test_a_later_cell_may_make_the_name_after_all() -> None:
    text = "# %%\na = 1\n# %%\na = 2\n# %%\nb = a\n"
    assert statuses(text, {1: "raised"}) == "raised ok ok"


def test_a_change_that_did_not_happen_blocks_its_readers() -> None:
    text = "# %%\nxs = []\n# %%\nxs.append(f())\n# %%\nprint(xs)\n"
    assert statuses(text, {2: "raised"}, {1: {"xs"}}) == "ok raised skipped(2)"


def test_a_change_that_failed_blocks_what_was_made_just_before() -> None:
    text = "# %%\nmodel = Model()\nmodel.fit(X)\n# %%\nprint(model)\n# %%\nprint(1)\n"
    assert statuses(text, {1: "raised"}, {1: {"model"}}, line=2) == "raised skipped(1) ok"


def test_a_statement_of_several_lines_failed_whole() -> None:
    text = "# %%\nxs = []\nxs.append(\n    f()\n)\n# %%\nprint(xs)\n"
    assert statuses(text, {1: "raised"}, {1: {"xs"}}, line=3) == "raised skipped(1)"


def test_a_branch_not_taken_above_the_failure_blocks_nothing() -> None:
    text = "# %%\nif a:\n    x = 1\nelse:\n    x = 2\nfail()\n# %%\nprint(x)\n"
    assert statuses(text, {1: "raised"}, {1: {"x"}}, line=5) == "raised ok"


def test_a_star_import_that_failed_blocks_names_that_no_cell_defines() -> None:
    text = "# %%\nfrom m import *\n# %%\nload()\n# %%\nlen([late])\n# %%\nlate = 1\n"
    assert statuses(text, {1: "raised"}) == "raised skipped(1) ok ok"


def test_where_another_opaque_cell_ran_the_name_may_be_there() -> None:
    text = "# %%\nfrom m import *\n# %%\nfrom n import *\n# %%\nload()\n"
    assert statuses(text, {2: "raised"}) == "ok raised ok"
    assert statuses(text, {1: "raised"}) == "raised ok ok"


def test_a_cell_that_does_not_parse_blocks_its_words() -> None:
    text = "# %%\ny = 1\n# %%\nx = (y,\n# %%\nx\n# %%\ny\n"
    assert statuses(text, {2: "raised"}) == "ok raised skipped(2) ok"


def test_a_guarded_read_is_not_blocked() -> None:
    text = "# %%\na = 1\n# %%\ntry:\n    a\nexcept NameError:\n    pass\n"
    assert statuses(text, {1: "raised"}) == "raised ok"


def test_a_dead_kernel_leaves_the_rest_unreached() -> None:
    assert statuses(CHAIN, {2: "died"}, {1: {"a"}}) == ("ok died not-reached(2) not-reached(2)")


def test_it_runs_no_further_than_asked_and_stops_the_kernel() -> None:
    run, session = plan_run(CHAIN, {})
    result = run.until(2)
    assert result is not None
    assert (result.cell, len(run.results), run.finished) == (2, 2, False)
    run.close()
    run.close()
    assert (session.started, session.closed) == (1, 1)


def test_a_cell_outside_the_plan_has_no_result() -> None:
    run, session = plan_run(CHAIN, {})
    assert run.until(9) is None
    assert session.started == 0
