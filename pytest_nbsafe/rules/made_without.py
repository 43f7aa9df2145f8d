"""Saved results that were made without a cell above that never ran: a case of NBS201."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from pytest_nbsafe.analysis.dependencies import downstream
from pytest_nbsafe.analysis.model import Edge
from pytest_nbsafe.findings import Step
from pytest_nbsafe.judge import proof
from pytest_nbsafe.judge.trial import Judgement, RanOtherwise
from pytest_nbsafe.order.ambiguous_reads import ambiguous
from pytest_nbsafe.rules.base import Claim, Facts, claim
from pytest_nbsafe.rules.wording import against_clean


def claims(facts: Facts, edges: Sequence[Edge], known_cells: Collection[int]) -> Iterator[Claim]:
    """Yield a claim for each cell, but those known, that a cell which never ran would change.

    The plan, without that cell, gives the saved text; two clean runs, with it, give another. Of a
    cell that is left out as the other of two choices NBS104 tells.
    """
    lone = facts.trial.ran_otherwise
    lost = {edge.definer for edge in edges if _never_ran(facts, edge.definer)}
    lost |= {lone.cell} if lone is not None and not lone.counts else set()
    if not lost:
        return
    lost -= {read.nearest for read in ambiguous(facts.graph) if read.reason == "never-run"}
    if lone is not None and lone.cell in lost:
        yield _claim(facts, lone)
    known = set(known_cells)
    for definer in sorted(lost):
        for cell in downstream(edges, definer):
            judgement = facts.trial.judgements.get(cell)
            if cell not in known and judgement is not None and _is_proof(facts, judgement):
                known.add(cell)
                saved, clean = judgement.saved, judgement.clean
                yield _claim(facts, RanOtherwise(definer, (), cell, saved, clean))


def _never_ran(facts: Facts, cell: int) -> bool:
    return facts.notebook.cell(cell).count is None and facts.plan.last_run(cell) is None


def _is_proof(facts: Facts, judgement: Judgement) -> bool:
    cell = judgement.cell
    return (
        judgement.output == "differs"
        and proof.is_reached(facts, cell)
        and proof.shows_plan(facts, cell)
        and proof.is_reached_twice(facts, cell)
    )


def _claim(facts: Facts, lone: RanOtherwise) -> Claim:
    return claim(
        facts,
        "NBS201",
        lone.shown,
        1,
        "confirmed",
        f"the saved output is stale: it was made without cell {lone.cell}, which never ran",
        steps=(
            Step(lone.cell, 1, "has no count: it was added, or not run, in that session"),
            Step(lone.shown, 1, against_clean(lone.saved, lone.clean)),
        ),
        remedy="restart the kernel, run all cells from the top, and save",
        explains={("stale", lone.shown, 0)},
    )
