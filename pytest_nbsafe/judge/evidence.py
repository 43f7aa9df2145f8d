"""The evidence of one notebook: its runs, what is suspected, and what follows so far."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.analysis.page_edges import downstream, page_edges
from pytest_nbsafe.judge import verdicts
from pytest_nbsafe.judge.outside_influences import influences
from pytest_nbsafe.judge.trial import Judgement, RanOtherwise, Rerun, Trial
from pytest_nbsafe.trace.consistency import consistency
from pytest_nbsafe.trace.results import PlanResult
from pytest_nbsafe.trace.seen_parts import SeenParts
from pytest_nbsafe.trace.suspicions import Suspicions
from pytest_nbsafe.values import dataclass, field


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a trial has shown; what is run next, and the verdict, follow from this alone.

    The fields are those of `Trial`; `suspicions` are all that lineage has.
    """

    graph: Graph
    suspicions: Suspicions
    clean: PlanResult
    replay: PlanResult | None = None
    second: PlanResult | None = None
    reruns: Mapping[int, Rerun] = field(default_factory=dict)
    endings: Mapping[int, Rerun] = field(default_factory=dict)
    ran_otherwise: RanOtherwise | None = None
    seen: SeenParts = field(default_factory=SeenParts)

    def judgements(self, suspected: Collection[int] | None = None) -> dict[int, Judgement]:
        """Return what the clean run says of each cell; the `suspected` are those of suspicions."""
        return verdicts.judge(
            self.graph.notebook,
            self.suspicions.cells if suspected is None else suspected,
            self.clean,
            self.replay,
            self.second,
            influences(self.graph),
        )

    def second_run(self) -> int | None:
        """Return the last cell that a second clean run must reach, None when none is needed.

        It is the last that differs of those suspected, inconsistent, without a count, or made from
        one of these or of those that read a name from below.
        """
        lost = {cell.number for cell in self.graph.notebook.code_cells if cell.count is None}
        lost.update(read.cell for read in self.suspicions.from_below)
        suspected = self.suspicions.cells | _inconsistent(self.replay) | lost
        suspected |= {*downstream(page_edges(self.graph), *lost)}
        judgements = self.judgements(suspected)
        doubtful = (cell for cell in suspected & judgements.keys() if judgements[cell].differs)
        return max(doubtful, default=None)

    def settled(self) -> frozenset[int]:
        """Return the cells that the clean run gives nothing else than the plan."""
        ran = {result.cell for result in self.clean.results if result.status == "ok"}
        return frozenset(
            cell
            for cell, judgement in self.judgements().items()
            if cell in ran
            and judgement.output in {"same", "nothing-to-compare"}
            and {*judgement.values.values(), *judgement.made.values()} <= {"same"}
        )

    def verdict(self) -> Trial:
        """Return the trial, with those suspicions that no cell on their way refutes."""
        judgements = self.judgements()
        return Trial(
            self.clean,
            self.replay,
            self.second,
            verdicts.standing(self.suspicions, judgements, self.graph),
            judgements,
            self.reruns,
            self.endings,
            consistency(self.replay.results) if self.replay else {},
            self.ran_otherwise,
            self.seen,
        )


def _inconsistent(replay: PlanResult | None) -> frozenset[int]:
    """Return the cells that are inconsistent at the end of a plan."""
    states = consistency(replay.results) if replay else {}
    return frozenset(cell for cell, state in states.items() if state.state == "inconsistent")
