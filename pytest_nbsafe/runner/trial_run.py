"""The trial of a notebook: its own plan, a clean run in page order, and what the judge asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Literal

from pytest_nbsafe.analysis import files
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.judge import changed_outputs, choice_of_order, evidence, hidden_runs
from pytest_nbsafe.judge.hidden_runs import RunAsFar
from pytest_nbsafe.judge.trial import ChosenOrder, Trial
from pytest_nbsafe.order import orderings
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.runner import shared_prefixes
from pytest_nbsafe.runner.inquiries import Inquiries, settle
from pytest_nbsafe.runner.listening import Listener
from pytest_nbsafe.runner.notebook_limit import NotebookLimit
from pytest_nbsafe.runner.pace import Pace
from pytest_nbsafe.runner.planrun import PlanRun, Session
from pytest_nbsafe.trace.outputs.expectations import NONE_EXPECTED, Expectations
from pytest_nbsafe.trace.results import CellResult, PlanResult
from pytest_nbsafe.trace.suspicions import Suspicions
from pytest_nbsafe.values import replace

MOST_RUNS = 1000
"""How long a plan may be that is run only to be compared: free counts may be many."""
MOST_S = 60.0
"""How long a page may compute so that it is run again to look for runs that it does not show."""
Purpose = Literal["clean", "evidence", "repeat"]
"""What a kernel is started for: a `repeat` has another environment."""


class TrialRun:
    """A trial under way.

    `plan` is the recorded or inferred plan when it differs from the page order, `clean` the page
    order. Without a plan one clean run is all there is, and it goes only as far as it is asked
    to; where counts are missing, and it computed no longer than `MOST_S`, a saved text that it
    does not give is asked about. Otherwise the clean order runs first, then the plan, then, if a
    suspected cell differs, or an output is not as `expected`, the clean order again as far as that
    cell; `repeat` times in all the first of these. Where the `order` is left
    open, the plan gives way to one that gives more of the saved outputs, if something is in doubt;
    "all" runs every order besides. All runs together take no
    longer than `limit_s`. `make_session` is told what for, `listener` what runs. `once` is for a
    clean run alone, which proves nothing of what is suspected.
    """

    def __init__(  # a trial is put together in one place
        self,
        graph: Graph,
        plan: Plan | None,
        clean: Plan,
        suspicions: Suspicions,
        make_session: Callable[[Purpose], Session],
        listener: Listener,
        *,
        expected: Expectations = NONE_EXPECTED,
        repeat: int = 1,
        once: bool = False,
        order: str = "",
        limit_s: float | None = None,
    ) -> None:
        self._graph = graph
        self._limit = NotebookLimit(limit_s)
        self._by_text = suspicions
        self._expected = expected
        self._make_session = make_session
        self._listener = listener
        self._repeat = 1 if once else repeat
        self._pace: Pace | None = None
        self._plan = None if once else plan
        self._chooses, self._compares = order in {"auto", "all"}, order == "all"
        self._waiting: list[PlanRun] = []
        self._may_hold = not files.may_write(graph.notebook)
        self._orders = self._all_orders() if self._compares and not once else {}
        self._clean = self._plan_run(clean, purpose="clean", others=self._orders.values())
        self._inquiries = Inquiries(graph, suspicions)
        self._once = once
        self.replayed = self._plan is not None
        self._may_seek = plan is None and not once and hidden_runs.has_room(graph)
        self.may_ask_more = self._may_seek and hidden_runs.may_be(graph)

    def until(self, cell: int) -> CellResult | None:
        """Run the clean order as far as `cell`; None when it does not hold the cell."""
        try:
            result = self._clean.until(cell)
        except BaseException:
            self.close()
            raise
        if self._clean.finished:
            self._done_with(self._clean)
        return result

    def so_far(self) -> Trial:
        """Return the trial as it stands, without running anything more."""
        trial = Trial(self._clean.result(), suspicions=self._by_text)
        if self._once:
            return evidence.with_comparison(self._graph, trial, self._expected)
        return evidence.verdict(self._graph, trial, self._expected)

    def is_as_expected(self, cell: int) -> bool:
        """Return whether a cell of the clean order showed what was saved, as far as it tells."""
        trial = Trial(self._clean.result(described=False), suspicions=self._by_text)
        asked = self._graph, trial, self._expected
        is_same = changed_outputs.is_as_saved(*asked, cell)
        return is_same or cell not in changed_outputs.to_repeat(*asked)

    def finish(self, last: int | None = None) -> Trial:
        """Run what is left and return the whole trial.

        `last` is the last cell of the page that is asked for: the clean run stops there.
        """
        if self._once:
            self._run_as_far(self._clean, last)
            return self.so_far()
        try:
            clean = self._run_as_far(self._clean, last)
            self._pace = Pace(clean)
            replay = self._run_replay(self._plan) if self._plan else None
            choice = self._choice(clean, replay) if replay and self._chooses else None
            if choice is not None:
                replay = self._replay_instead(choice.plan, clean.plan)
            trial = replace(self._unjudged(clean, replay), choice=choice)
            again = evidence.second_run(self._graph, trial, self._expected)
            if again is not None:
                trial = replace(trial, second=self._second(clean, RunAsFar(clean.plan, again)))
            if replay is None:
                trial = self._explained(trial)
            trial = replace(trial, repeats=tuple(self._repeats(trial)))
            if self._compares:
                trial = replace(trial, compared=dict(self._compared(trial, last)))
        finally:
            self.close()
        if replay is not None:
            asked, settled = self._inquiries, evidence.settled(self._graph, trial)
            asked.elsewhere(self._once_more, replay, settled)
            trial = replace(
                trial, reruns=asked.reads, endings=asked.endings, seen=asked.following.seen
            )
        return evidence.verdict(self._graph, trial, self._expected)

    def close(self) -> None:
        """Stop the kernel of the clean run, and those that hold states."""
        for run in (self._clean, *self._waiting):
            run.close()
        self._waiting.clear()

    def _plan_run(
        self,
        plan: Plan,
        limit_s: float | None = None,
        *,
        purpose: Purpose = "evidence",
        others: Iterable[Plan] = (),
    ) -> PlanRun:
        """Return the run of a plan, which holds the states from which `others` could go on."""
        make, starts = partial(self._make_session, purpose), self._listener.starts
        asked = self._graph, plan, make, limit_s, self._limit
        return PlanRun(
            *asked,
            pace=self._pace,
            described=purpose == "clean",
            starts=starts,
            branches=shared_prefixes.branches(plan, others) if self._may_hold else (),
        )

    def _done_with(self, run: PlanRun) -> None:
        """Stop the kernel of a run, unless it holds states that others may go on from."""
        if run.held and run not in self._waiting:
            self._waiting.append(run)
        if not run.held:
            run.close()

    def _second(self, clean: PlanResult, asked: RunAsFar) -> PlanResult:
        """Return what the page's order gives another time, as far as a cell.

        It begins where the plan goes another way, in the plan's kernel: that is another than the
        clean run's, and what ran in it up to there came out the same. If not all that runs from
        there does so too, nothing is made of it.
        """
        waiting = [run for run in self._waiting if run is not self._clean]
        second = shared_prefixes.continued(waiting, asked)
        if second is not None and not [*evidence.differing(second, clean)]:
            return second
        return self._run_alone(asked)

    def _choice(self, clean: PlanResult, replay: PlanResult) -> ChosenOrder | None:
        """Return the plan that gives more of the saved outputs, if there is doubt and one does."""
        if sum(result.cost_s for result in replay.results) > MOST_S:
            return None
        asked = choice_of_order.inquiry(self._graph, clean, replay)
        return settle(asked, lambda plan: self._run_alone(RunAsFar(plan, None)))

    def _replay_instead(self, plan: Plan, clean: Plan) -> PlanResult | None:
        """Run another plan as the history; the page's own order has run already."""
        self._plan = None if plan == clean else plan
        self._by_text = evidence.by_text(self._graph, plan, clean)
        self._inquiries = Inquiries(self._graph, self._by_text)
        return self._run_replay(plan) if self._plan else None

    def _unjudged(self, clean: PlanResult, replay: PlanResult | None) -> Trial:
        """Return the two runs, and what is suspected of them."""
        suspected = self._by_text
        if replay is not None:
            parts_seen, refreshed = self._inquiries.following.seen, self._inquiries.differing
            suspected = evidence.suspicions(
                self._graph, self._by_text, (replay, clean), parts_seen, refreshed
            )
        return Trial(clean, replay, suspicions=suspected)

    def _explained(self, trial: Trial) -> Trial:
        """Return the trial with the cell whose other runs explain a saved text, if there is one.

        Where the page computes for too long to be run again, the trial says that nobody looked.
        """
        if not self._may_seek:
            return trial
        suspected = trial.suspicions.cells
        judgements = evidence.judgements(self._graph, trial, suspected)
        if sum(result.cost_s for result in trial.clean.results) > MOST_S:
            shown = hidden_runs.may_explain(self._graph, trial.clean, judgements, suspected)
            return replace(trial, not_sought=shown or 0)
        inquiry = hidden_runs.inquiry(self._graph, trial.clean, judgements, suspected)
        return replace(trial, ran_otherwise=settle(inquiry, self._run_alone))

    def _repeats(self, trial: Trial) -> Iterator[PlanResult]:
        """Yield what the recorded order, or the page's own, gives when all else is another."""
        ran = trial.as_recorded
        for _ in range(1, self._repeat):
            run = self._plan_run(ran.plan, purpose="repeat")
            try:
                yield self._run_as_far(run, ran.results[-1].cell if ran.results else None)
            finally:
                run.close()

    def _all_orders(self) -> dict[str, Plan]:
        """Return the plan of every order."""
        return {name: orderings.plan(self._graph, name) for name in orderings.ORDERINGS}

    def _compared(
        self, trial: Trial, last: int | None
    ) -> Iterator[tuple[str, tuple[Plan, PlanResult | None]]]:
        """Yield every order and what it gives; those that run the same cells ran once."""
        known = {run.plan.cells: run for run in (trial.clean, trial.replay) if run is not None}
        for name, plan in self._orders.items():
            if plan.cells not in known and len(plan.runs) <= MOST_RUNS:
                asked = RunAsFar(plan, last)
                ran = shared_prefixes.continued(self._waiting, asked)
                known[plan.cells] = ran or self._run_alone(asked)
            yield name, (plan, known.get(plan.cells))

    def _run_replay(self, plan: Plan) -> PlanResult:
        """Run the plan to its end, and suspected cells on its side."""
        run = self._plan_run(plan, others=(self._clean.plan, *self._orders.values()))
        try:
            while not run.finished:
                self._inquiries.before(run)
                run.advance()
            self._inquiries.end(run)
        except BaseException:
            run.close()
            raise
        self._done_with(run)
        return run.result()

    def _once_more(self, limit_s: float) -> PlanRun:
        """Return the plan, to be run as far as a question about it needs."""
        assert self._plan is not None, "asked only of a plan that ran"
        return self._plan_run(self._plan, limit_s)

    def _run_alone(self, asked: RunAsFar) -> PlanResult:
        """Return what a plan gives as far as a cell, in a kernel of its own."""
        run = self._plan_run(asked.plan)
        try:
            return self._run_as_far(run, asked.cell)
        finally:
            run.close()

    def _run_as_far(self, run: PlanRun, last: int | None) -> PlanResult:
        """Run a plan to its end, or as far as the last run of the cell `last`."""
        end = run.plan.last_run(last) if last is not None else None
        steps = end.step if end is not None else len(run.plan.runs)
        while len(run.results) < steps:
            run.advance()
        self._done_with(run)
        return run.result()
