"""The cell read a value that is older than what it was made from, and not the clean one.

Why it matters: run in the order that the counts record, this cell worked on a value that the
notebook, run from the top, never gives it.

Limits: told only when the order was replayed and the value differs from the clean run's; not
where the clean run makes and shows the same from it. Where the clean run does not come that
far, the cell is run again in a copy of the kernel, after the cells that refresh what it
reads: what it makes then decides, and where it cannot be run it is a warning. In a
reconstructed order it is a warning while the notebook is green from top to bottom. Where the
saved output proves the same, NBS201 speaks instead.

Source: Macke et al. 2021, Definitions 4 and 7. Departs: decided by value.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_nbsafe.findings import Step, Verdict
from pytest_nbsafe.judge import proof
from pytest_nbsafe.judge.trial import Judgement
from pytest_nbsafe.rules import stale_paths
from pytest_nbsafe.rules.base import Claim, Facts, claim
from pytest_nbsafe.rules.wording import refreshed_difference, rerun_steps
from pytest_nbsafe.trace.suspicions import StaleRead

BAD = """\
# %% [1]
rate = 0.5
# %% [3]
rate = 0.25
# %% [2]
price = 100 * (1 + rate)
# %% [4]
total = 3 * price #! NBS202
"""
GOOD = """\
# %% [1]
rate = 0.5
# %% [2]
rate = 0.25
# %% [3]
price = 100 * (1 + rate)
# %% [4]
total = 3 * price
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each stale read that made a difference."""
    if facts.trial.replay is None:
        return
    claimed: set[tuple[int, str]] = set()
    last, remedies = facts.plan.last_runs, stale_paths.Remedies(facts)
    for read in facts.suspicions.stale_reads:
        is_last = read.cell in last and last[read.cell].step == read.step
        if not is_last or (read.cell, read.name) in claimed:
            continue
        verdict = _verdict(facts, read)
        if verdict is not None:
            claimed.add((read.cell, read.name))
            yield _claim(facts, read, verdict, remedies.of_read(read))


def _verdict(facts: Facts, read: StaleRead) -> Verdict | None:
    """Return how sure it is that the stale value made a difference, None when it made none.

    The judge decides where it has the value; else the cell that was run again, refreshed.
    """
    judgement = facts.trial.judgements.get(read.cell)
    value = judgement.values.get(read.name, "gone") if judgement else "gone"
    if judgement is not None and value not in {"gone", "nothing-to-compare"}:
        return "confirmed" if value == "differs" and not _made_the_same(judgement) else None
    rerun = facts.trial.reruns.get(read.cell)
    if rerun is None or rerun.result in {"same", "nondeterministic"}:
        return None
    return "confirmed" if rerun.result == "differs" else "observed"


def _made_the_same(judgement: Judgement) -> bool:
    """Return whether the clean run makes and shows the same from the other value."""
    results = set(judgement.made.values())
    silent = judgement.output == "nothing-to-compare"
    return results <= {"same"} and (judgement.output == "same" or (silent and bool(results)))


def _claim(facts: Facts, read: StaleRead, verdict: Verdict, remedy: str) -> Claim:
    if not proof.is_proof(facts):
        verdict = "suspected"
    rerun = facts.trial.reruns.get(read.cell)
    why = stale_paths.why_older(facts, read)
    return claim(
        facts,
        "NBS202",
        read.cell,
        read.line,
        verdict,
        f"this cell read a stale value: {why}{refreshed_difference(rerun)}",
        steps=(
            *stale_paths.chain_steps(facts, read.chain),
            Step(read.cell, read.line, _reads(facts, read)),
            *rerun_steps(rerun, read.line),
        ),
        remedy=remedy,
        severity="warning" if verdict == "observed" else None,
        symbols=stale_paths.parts(facts, read),
        explains=stale_paths.marks(read, facts.graph),
        fault=("NBS202", read.cell),
        also=f"also read a stale value: {why}",
    )


def _reads(facts: Facts, read: StaleRead) -> str:
    """Return what the cell read, and what is known of the value that it should have read."""
    reads = stale_paths.what_was_read(facts, read)
    judgement = facts.trial.judgements.get(read.cell)
    if judgement is not None and judgement.values.get(read.name) == "differs":
        return f"{reads}; a clean run gives a different value"
    rerun = facts.trial.reruns.get(read.cell)
    cause = f" ({rerun.cause})" if rerun is not None and rerun.cause else ""
    return f"{reads}; what it would make refreshed is not known{cause}" if cause else reads
