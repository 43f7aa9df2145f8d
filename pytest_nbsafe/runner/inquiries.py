"""Carries out what the judge asks of a plan: runs cells on the side, and in fresh kernels after it.

The judge says what to run next and what follows (`judge.side_questions`); here are the kernels, and
the time that they may take. It is the time that they compute, not that of the clock, so that what
is asked does not hang on what else the machine has to do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from typing import TypeVar

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.judge.followed_cells import FollowedCells
from pytest_nbsafe.judge.side_questions import RerunQuestion, SideQuestions, SideRequest
from pytest_nbsafe.judge.trial import Rerun
from pytest_nbsafe.runner.fresh_kernels import FreshKernels, MakeRun
from pytest_nbsafe.runner.planrun import PlanRun
from pytest_nbsafe.trace.results import PlanResult
from pytest_nbsafe.trace.side_runs import TOO_LONG, TOO_MANY, Counterfactual
from pytest_nbsafe.trace.suspicions import Suspicions
from pytest_nbsafe.values import dataclass, replace

_Asked = TypeVar("_Asked")
_Answer = TypeVar("_Answer")
_Verdict = TypeVar("_Verdict")


def settle(
    inquiry: Generator[_Asked, _Answer, _Verdict], answer: Callable[[_Asked], _Answer]
) -> _Verdict:
    """Run what an inquiry asks for until it has its verdict."""
    try:
        asked = next(inquiry)
        while True:
            asked = inquiry.send(answer(asked))
    except StopIteration as end:
        verdict: _Verdict = end.value
        return verdict


@dataclass(frozen=True, slots=True)
class Limits:
    """How long questions may compute: the cells of one, all of a notebook, all in fresh kernels.

    `most` is about how many cells are asked of each time; the others wait for the clean run.
    """

    question_s: float = 10.0
    all_s: float = 30.0
    elsewhere_s: float = 60.0
    one_elsewhere_s: float = 30.0
    most: int = 12


class Inquiries:
    """The questions about one plan and their answers.

    `reads` are cells that read something stale, run again before their step; `endings` cells with
    an outdated result, run again at the end.
    """

    def __init__(self, graph: Graph, suspicions: Suspicions, limits: Limits | None = None) -> None:
        self.reads: dict[int, Rerun] = {}
        self.endings: dict[int, Rerun] = {}
        self.following = FollowedCells(graph, suspicions)
        self._questions = SideQuestions(graph, suspicions)
        self._limits = limits or Limits()
        self._left_s = self._limits.all_s
        self._waiting: list[tuple[int, RerunQuestion]] = []

    @property
    def differing(self) -> frozenset[int]:
        """The cells that made something else when they ran again, refreshed."""
        reruns = (*self.reads.values(), *self.endings.values())
        return frozenset(rerun.cell for rerun in reruns if rerun.result == "differs")

    def before(self, run: PlanRun) -> None:
        """Run the cell of the next step on the side, as it is and refreshed, if it is suspected."""
        question = self._questions.of_next(run.results)
        if question is None:
            if self.following.is_wanted(run.plan, len(run.results) + 1):
                self._ask(run, SideRequest((run.due,)))
        elif len(self.reads) < self._limits.most:
            self.reads[question.cell] = self._answer(run, question)
        else:
            self.reads.setdefault(question.cell, question.unanswered(TOO_MANY))

    def end(self, run: PlanRun) -> None:
        """Run the cells again whose inputs were made again after they ran."""
        for question in self._questions.at_end(run.results, self._limits.most):
            old = question.old and replace(question.old, aspects=run.look(question.named))
            self.endings[question.cell] = self._answer(run, replace(question, old=old))
        for cell in self.following.left(run.plan, run.results):
            self._ask(run, SideRequest((cell,)))

    def elsewhere(self, make_run: MakeRun, ran: PlanResult, settled: Collection[int]) -> None:
        """Ask fresh kernels what the plan's own could not be asked, but of cells that are settled.

        `ran` is what the plan gave; `make_run` makes it run again.
        """
        left_s = self._limits.elsewhere_s
        for steps, question in self._waiting:
            if question.cell in settled:
                continue
            kernels = FreshKernels(make_run, ran, steps, left_s, self._limits.one_elsewhere_s)
            own = ran.results[steps] if steps < len(ran.results) else None
            answers = self.reads if question.old is None else self.endings
            answers[question.cell] = settle(
                question.inquiry_elsewhere(own), self._noting(kernels, ran, steps)
            )
            left_s = kernels.left_s
        self._waiting = []

    def _answer(self, run: PlanRun, question: RerunQuestion) -> Rerun:
        """Settle a question beside the plan; where it cannot be, note it for a fresh kernel."""
        if question.cause:
            return question.unanswered(question.cause)
        elsewhere = False

        def ask(asked: SideRequest) -> Counterfactual:
            nonlocal elsewhere
            answer = self._ask(run, asked)
            elsewhere = answer.elsewhere
            return answer

        rerun = settle(question.inquiry(), ask)
        if elsewhere and question.may_differ:
            self._waiting.append((len(run.results), question))
        return rerun

    def _noting(
        self, kernels: FreshKernels, ran: PlanResult, steps: int
    ) -> Callable[[SideRequest], Counterfactual]:
        """Return what asks fresh kernels, and keeps what was seen of the parts of names."""
        due = next((run.cell for run in ran.plan.runs[steps:]), 0)

        def ask(asked: SideRequest) -> Counterfactual:
            answer = kernels.ask(asked.cells, stir=asked.stir)
            self.following.note(ran.results[:steps], due, asked.cells, answer)
            return answer

        return ask

    def _ask(self, run: PlanRun, asked: SideRequest) -> Counterfactual:
        """Run cells on the side, unless it has taken too long already, or would."""
        costs = {result.cell: result.cost_s for result in run.results}
        most_s = self._limits.question_s
        if sum(costs.get(cell, 0.0) for cell in asked.cells) > most_s / 2 or self._left_s <= 0:
            return Counterfactual(cause=TOO_LONG)
        answer = run.aside(asked.cells, most_s, stir=asked.stir)
        self._left_s -= answer.cost_s
        self.following.note(run.results, run.due, asked.cells, answer)
        return answer
