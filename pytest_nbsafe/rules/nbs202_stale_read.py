"""NBS202: in the replayed plan a cell read a stale value, and not what a clean run gives it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pytest_nbsafe.findings import Step
from pytest_nbsafe.rules.base import Claim, Facts, Needs, finding
from pytest_nbsafe.rules.paths import page_edges, suspicions
from pytest_nbsafe.rules.stale import chain_steps, marks, refresh_remedy, why_older
from pytest_nbsafe.rules.words import ran_as
from pytest_nbsafe.trace.model import StaleRead


class StaleReadInReplay:
    """The cell read a value that is older than what it was made from, and not the clean one.

    Why it matters: run in the order that the counts record, this cell worked on a value that the
    notebook, run from the top, never gives it.

    Limits: told only when the order was replayed and the value differs from the clean run's. In an
    order that was reconstructed it is a warning while the notebook is green from top to bottom.
    Where the saved output proves the same, NBS201 speaks instead.

    Source: Macke et al. 2021, Definitions 4 and 7. Departs: decided by value.
    """

    code: ClassVar[str] = "NBS202"
    needs: ClassVar[Needs] = "run"
    bad: ClassVar[str] = """\
# %% [1]
rate = 0.5
# %% [3]
rate = 0.25
# %% [2]
price = 100 * (1 + rate)
# %% [4]
total = 3 * price #! NBS202
"""
    good: ClassVar[str] = """\
# %% [1]
rate = 0.5
# %% [2]
rate = 0.25
# %% [3]
price = 100 * (1 + rate)
# %% [4]
total = 3 * price
"""

    def check(self, facts: Facts) -> Iterator[Claim]:
        """Yield a claim for each stale read whose value the clean run contradicts."""
        if facts.trial is None or facts.trial.replay is None:
            return
        told: set[tuple[int, str]] = set()
        for read in suspicions(facts).stale_reads:
            judgement = facts.trial.judgements.get(read.cell)
            differs = judgement is not None and judgement.values.get(read.name) == "differs"
            last = facts.plan.last_run(read.cell)
            if differs and last and last.step == read.step and (read.cell, read.name) not in told:
                told.add((read.cell, read.name))
                yield _claim(facts, read)


def _claim(facts: Facts, read: StaleRead) -> Claim:
    proof = facts.plan.order == "recorded" or not _green(facts)
    reads = f"read `{read.name}` {ran_as(facts.plan, read.step)}; a clean run gives another value"
    why = why_older(read)
    return Claim(
        finding(
            facts,
            "NBS202",
            read.cell,
            read.line,
            "confirmed" if proof else "suspected",
            f"this cell read a stale value: {why}",
            steps=(*chain_steps(facts, read.chain), Step(read.cell, read.line, reads)),
            remedy=refresh_remedy(read),
        ),
        explains=marks(read, page_edges(facts)),
        fault=("NBS202", read.cell),
        also=Step(read.cell, read.line, f"read a stale value, too: {why}"),
    )


def _green(facts: Facts) -> bool:
    """Return whether the notebook runs from top to bottom."""
    assert facts.trial is not None, "asked only after a run"
    return all(result.status == "ok" for result in facts.trial.clean.results)
