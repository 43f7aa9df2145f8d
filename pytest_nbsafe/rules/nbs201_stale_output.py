"""The saved result was made from an older version of a name.

Why it matters: the page shows a result that its code does not give. Someone mended a cell, ran
it again, and forgot a cell in between; the number in the report is the old one.

Limits: lineage only suspects; a clean run from top to bottom decides. It confirms when this cell's
saved text differs from what two clean runs give, and nothing unsuspected above differs too; it
refutes when the text is the same. Rows in another order, last digits and dtypes are what another
version of a library gives as well: they only warn, unless the recorded order gives the saved text.
Pictures, and figures as data, count as text does, compared as NBS402 compares them; where nothing
decides the finding stays a warning, one for all cells below the same cause. Without a run, only a
read of a stale name is told, as a note where the counts come from several sessions. Where the clean
run does not reach the cell, it is run again in a copy of the replayed kernel, after the cells that
refresh what it reads: text that is then another confirms. What was saved without a cell that never
ran is told where a run without that cell gives it, and the clean run does not.

Source: Macke et al. 2021, Definitions 4, 7 and 10, Fig. 1. Departs: decided by value, so a
cell that was run again and changed nothing makes nothing stale.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pytest_nbsafe.analysis.dependencies import direct_definers, downstream, page_edges
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.analysis.state import is_random
from pytest_nbsafe.codes import Severity
from pytest_nbsafe.findings import Step, Verdict
from pytest_nbsafe.judge import proof
from pytest_nbsafe.judge.missing_names import mention
from pytest_nbsafe.judge.trial import Judgement, RanOtherwise, Rerun
from pytest_nbsafe.order import session_split
from pytest_nbsafe.order.ambiguous_reads import ambiguous
from pytest_nbsafe.rules import named_parts, stale_paths
from pytest_nbsafe.rules.base import Claim, Facts, Mark, claim
from pytest_nbsafe.rules.wording import (
    RUN_ALL,
    action,
    against_clean,
    few,
    not_run_again,
    ran_as,
    rerun_steps,
)
from pytest_nbsafe.sentences import cells
from pytest_nbsafe.trace.suspicions import OutdatedResult, StaleRead

BAD = """\
# %% [4]
rate = 0.25
# %% [2]
price = 100 * (1 + rate)
# %% [5]
print(price) #! NBS201
#> 150.0
"""
GOOD = """\
# %% [4]
rate = 0.25
# %% [5]
price = 100 * (1 + rate)
# %% [6]
print(price)
#> 125.0
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each suspected cell, unless the clean run refutes it."""
    claimed: set[int] = set()
    remedies = stale_paths.Remedies(facts)
    last = {run.cell: run.step for run in facts.plan.runs}
    for read in facts.suspicions.stale_reads:
        if read.cell in claimed or last.get(read.cell) != read.step:
            continue
        if _speaks(facts, read, facts.trial.reruns.get(read.cell)):
            claimed.add(read.cell)
            yield _stale_read(facts, read, remedies)
    for old in facts.suspicions.outdated:
        if old.cell in claimed or last.get(old.cell) != old.step:
            continue
        if _speaks_of_old(facts, old):
            claimed.add(old.cell)
            yield _outdated(facts, old, remedies)
    yield from _made_without(facts, claimed)


def _speaks(facts: Facts, suspicion: StaleRead | OutdatedResult, rerun: Rerun | None) -> bool:
    """Return whether the judge leaves a suspicion standing, or the cell that was run again.

    Of a cell that did not come through the clean run its failure is told, or why it was skipped,
    unless it is known that its saved output is stale.
    """
    cell = suspicion.cell
    if facts.clean(cell) is not None and not proof.is_reached(facts, cell):
        return proof.shows_old(facts, rerun)
    judgement = facts.trial.judgements.get(cell)
    if judgement is not None and judgement.output in {"same", "differs"}:
        return judgement.output == "differs"
    same = judgement is not None and judgement.values.get(suspicion.name) == "same"
    refuted = same or (rerun is not None and rerun.result == "same")
    return not refuted or proof.was_guessed(facts, *stale_paths.link(suspicion))


def _speaks_of_old(facts: Facts, old: OutdatedResult) -> bool:
    """Return whether an outdated result is worth a word: only a value makes it one.

    Another text does, or another input of a cell whose outputs are not text. What is left is told
    by NBS103.
    """
    judgement, rerun = facts.trial.judgements.get(old.cell), facts.trial.endings.get(old.cell)
    if not _speaks(facts, old, rerun):
        return False
    if judgement is None or not proof.is_reached(facts, old.cell):
        return proof.shows_old(facts, rerun)
    other_input = judgement.values.get(old.name) == "differs"
    return judgement.output == "differs" or (
        other_input and bool(facts.notebook.cell(old.cell).outputs)
    )


def _stale_read(facts: Facts, read: StaleRead, remedies: stale_paths.Remedies) -> Claim:
    reads = stale_paths.what_was_read(facts, read)
    if read.chain:
        reads += f", still made from the older {stale_paths.newer(facts, read.chain[-1])}"
    steps = (*stale_paths.chain_steps(facts, read.chain), Step(read.cell, read.line, reads))
    rerun = facts.trial.reruns.get(read.cell)
    why, remedy = stale_paths.why_older(facts, read), remedies.of_read(read)
    return _claim(facts, read, rerun, why, steps, remedy)


def _outdated(facts: Facts, old: OutdatedResult, remedies: stale_paths.Remedies) -> Claim:
    alike = [o for o in facts.suspicions.outdated if _is_alike(o, old)]
    renewed = [o.name for o in alike if o.through == old.through]
    older = f"with the older {few(renewed)}"
    between = [
        Step(cell, _line(facts, cell, renewed), f"ran{_as(facts, cell)} {older}")
        for cell in reversed(old.through)
    ]
    read = named_parts.of_changes(facts, ((name, old.cell, old.definer) for name in renewed))
    reads = "read what it made" if old.through else f"read {few(read)}"
    shown = named_parts.of_changes(
        facts, ((o.name, stale_paths.link(o)[1], o.definer) for o in alike)
    )
    does = action(facts, old.definer, [o.name for o in alike], shown).again
    steps = (
        *between,
        Step(old.cell, old.line, f"{reads} {ran_as(facts.plan, old.step)}"),
        Step(old.definer, old.definer_line, f"{does} {ran_as(facts.plan, old.definer_at[0])}"),
    )
    why = f"cell {old.definer} {does} after this cell had run"
    first = remedies.first_again(old.cell)
    remedy = f"run {cells(first)} again, then this cell" if first else "run this cell again"
    if not _is_whole(facts, old, first):
        remedy = RUN_ALL
    rerun = facts.trial.endings.get(old.cell)
    return _claim(facts, old, rerun, why, steps, remedy)


def _as(facts: Facts, cell: int) -> str:
    last = facts.plan.last_run(cell)
    return f" {ran_as(facts.plan, last.step)}" if last is not None else ""


def _parts(facts: Facts, suspicion: StaleRead | OutdatedResult) -> tuple[str, ...]:
    if isinstance(suspicion, StaleRead):
        return stale_paths.parts(facts, suspicion)
    change = suspicion.name, stale_paths.link(suspicion)[1], suspicion.definer
    return named_parts.parts(suspicion.name, named_parts.of_change(facts, *change))


def _is_alike(first: OutdatedResult, second: OutdatedResult) -> bool:
    """Return whether two things that a cell was made from were made again by one run."""
    ends = [(old.cell, old.definer, old.definer_at[0]) for old in (first, second)]
    return ends[0] == ends[1]


def _line(facts: Facts, cell: int, renewed: Collection[str]) -> int:
    """Return the line on which a cell first reads one of the names, or what came of them."""
    lines = [o.line for o in facts.suspicions.outdated if o.cell == cell and o.name in renewed]
    return min(lines, default=1)


def _is_whole(facts: Facts, old: OutdatedResult, first: Collection[int]) -> bool:
    """Return whether what is to be run again finds what the page would give it.

    Not what was drawn since from a random state; nor a name that was only changed, not made, and
    that a cell to be run again changes itself: it would change it again.
    """
    if is_random(old.name):
        return False
    definitions = facts.graph.cells[old.definer].definitions
    if any(d.name == old.name and d.kind != "mutation" for d in definitions):
        return True
    again = (facts.graph.cells[cell] for cell in (*first, old.cell))
    return not any(d.name == old.name for cell in again for d in cell.definitions)


def _settled(graph: Graph, cell: int, verdict: Verdict) -> frozenset[Mark]:
    """Return what else contradicts the order before a cell whose output is known to be stale.

    What is told to run again makes all of that good.
    """
    if verdict == "suspected":
        return frozenset()
    definers = direct_definers(graph).get(cell, ())
    return frozenset(("edge", definer, cell) for definer in definers)


def _claim(
    facts: Facts,
    suspicion: StaleRead | OutdatedResult,
    rerun: Rerun | None,
    why: str,
    steps: tuple[Step, ...],
    remedy: str,
) -> Claim:
    page = facts.notebook.cell(suspicion.cell)
    judgement = facts.trial.judgements.get(suspicion.cell)
    verdict: Verdict = "suspected"
    severity: Severity | None = None
    says = "this result may be stale"
    if judgement is not None and judgement.output == "differs":
        verdict = "confirmed"
        says = "the saved output is stale"
        shows = against_clean(judgement.saved, judgement.clean)
        steps = (*steps, Step(suspicion.cell, suspicion.line, shows))
    elif rerun is not None and proof.shows_old(facts, rerun):
        verdict = "confirmed"
        says = "the saved output is stale"
        steps = (*steps, *rerun_steps(rerun, suspicion.line))
    elif judgement is not None and judgement.output == "drift":
        says = "this result is stale, or other versions or files gave it"
        shows = against_clean(judgement.saved, judgement.clean)
        steps = (*steps, Step(suspicion.cell, suspicion.line, shows))
    else:
        steps = (*steps, *not_run_again(rerun, suspicion.line))
        if session_split.counts_repeat(facts.graph):
            severity = "note"  # which run came first is a guess there
    return claim(
        facts,
        "NBS201",
        suspicion.cell,
        mention(page, suspicion.line, suspicion.name) or suspicion.line,
        verdict,
        f"{says}: {why}",
        steps=steps,
        remedy=remedy,
        severity=severity,
        symbols=_parts(facts, suspicion),
        explains=stale_paths.marks(suspicion, facts.graph)
        | _settled(facts.graph, suspicion.cell, verdict),
        fault=("NBS201", stale_paths.root(suspicion)[1]) if verdict == "suspected" else None,
        also=f"also has a stale result: {why}",
    )


# -- made without a cell above that never ran ------------------------------------------------------


def _made_without(facts: Facts, claimed: set[int]) -> Iterator[Claim]:
    """Yield a claim for each cell, not claimed yet, that a cell which never ran would change.

    The plan, without that cell, gives the saved text; two clean runs, with it, give another. Of a
    cell that is left out as the other of two choices NBS104 tells.
    """
    lone = facts.trial.ran_otherwise
    lost = {edge.definer for edge in page_edges(facts.graph) if _never_ran(facts, edge.definer)}
    lost |= {lone.cell} if lone is not None and not lone.counts else set()
    if not lost:
        return
    lost -= {read.nearest for read in ambiguous(facts.graph) if read.reason == "never-run"}
    if lone is not None and lone.cell in lost:
        yield _without(facts, lone)
    for definer in sorted(lost):
        for cell in downstream(facts.graph, definer):
            judgement = facts.trial.judgements.get(cell)
            if cell not in claimed and judgement is not None and _is_proof(facts, judgement):
                claimed.add(cell)
                saved, clean = judgement.saved, judgement.clean
                yield _without(facts, RanOtherwise(definer, (), cell, saved, clean))


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


def _without(facts: Facts, lone: RanOtherwise) -> Claim:
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
        remedy=RUN_ALL,
        explains={("stale", lone.shown, 0)},
    )
