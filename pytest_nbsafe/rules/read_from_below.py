"""A cell that ran after a cell below it had made what it reads another: a case of NBS103."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_nbsafe.analysis.dependencies import downstream, page_edges
from pytest_nbsafe.findings import Step
from pytest_nbsafe.judge import proof
from pytest_nbsafe.judge.trial import Judgement
from pytest_nbsafe.rules import named_parts
from pytest_nbsafe.rules.base import Claim, Facts, claim
from pytest_nbsafe.rules.wording import action, against_clean, called, names
from pytest_nbsafe.trace.suspicions import ReadFromBelow


def claim_of(facts: Facts, read: ReadFromBelow) -> Claim:
    """Return that the cell read what a later cell of the page had made, and what came of it."""
    shown_by = _shown_by(facts, read)
    counts = [facts.notebook.cell(number).count for number in (read.cell, read.definer)]
    shown = named_parts.of_change(facts, read.name, read.cell, read.definer)
    did = action(facts, read.definer, [read.name], shown)
    message = (
        f"this cell ran as [{counts[0]}], after cell {read.definer}, further down, "
        f"had {did.done_again}: "
    )
    message += _says(read, shown_by)
    steps = [
        Step(read.definer, read.definer_line, f"{did.again} as [{counts[1]}]"),
        Step(read.cell, read.line, f"read that {names(shown)} as [{counts[0]}]"),
    ]
    if shown_by is not None:
        line = read.line if shown_by.cell == read.cell else 1
        steps.append(Step(shown_by.cell, line, against_clean(shown_by.saved, shown_by.clean)))
        steps += _shown_too(facts, read, shown_by)
    return claim(
        facts,
        "NBS103",
        read.cell,
        read.line,
        "confirmed" if shown_by else "suspected",
        message,
        steps=steps,
        remedy="restart the kernel, run all cells from the top, and save; "
        f"if cell {read.definer} belongs before this one, move it up first",
        severity="error" if shown_by else "warning",
        symbols=named_parts.parts(read.name, shown),
        explains={("stale", read.cell, 0)},
        fault=("NBS103", "in", read.cell) if shown_by else ("NBS103", "from", read.definer),
        also=f"also read {called(read.name)} of cell {read.definer}",
    )


def _says(read: ReadFromBelow, shown_by: Judgement | None) -> str:
    if shown_by is None:
        return "in page order its result may differ"
    if shown_by.cell == read.cell:
        return "in page order it gives a different result"
    return f"in page order the result of cell {shown_by.cell}, made from this one's, is different"


def _shown_too(facts: Facts, read: ReadFromBelow, shown_by: Judgement) -> Iterator[Step]:
    """Yield what else on the page was made from what the cell made then, and is another now."""
    for judgement in _differing_below(facts, read):
        if judgement.cell != shown_by.cell:
            shows = against_clean(judgement.saved, judgement.clean)
            yield Step(judgement.cell, 1, f"was made from that: {shows}")


def _shown_by(facts: Facts, read: ReadFromBelow) -> Judgement | None:
    """Return the judgement that shows it: of the cell, or of the first made from what it makes.

    That one's saved text must be what the plan gives, and another than what two clean runs give.
    """
    own = facts.trial.judgements.get(read.cell)
    if own is not None and own.output == "differs":
        return own
    if own is None or "differs" not in own.made.values():
        return None
    for judgement in _differing_below(facts, read):
        cell = judgement.cell
        if proof.shows_plan(facts, cell) and proof.is_reached_twice(facts, cell):
            return judgement
    return None


def _differing_below(facts: Facts, read: ReadFromBelow) -> Iterator[Judgement]:
    """Yield the judgements of cells that were made from this one after it ran, and differ."""
    for cell in downstream(page_edges(facts.graph), read.cell):
        last, judgement = facts.plan.last_run(cell), facts.trial.judgements.get(cell)
        ran_after = last is not None and last.step > read.step
        if judgement is not None and judgement.output == "differs" and ran_after:
            yield judgement
