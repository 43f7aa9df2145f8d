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
    told = _told(facts, read)
    counts = [facts.notebook.cell(number).count for number in (read.cell, read.definer)]
    shown = named_parts.of_change(facts, read.name, read.cell, read.definer)
    did = action(facts, read.definer, [read.name], shown)
    message = (
        f"this cell ran as [{counts[0]}], after cell {read.definer}, further down, "
        f"had {did.done_again}: "
    )
    message += _says(read, told)
    steps = [
        Step(read.definer, read.definer_line, f"{did.again} as [{counts[1]}]"),
        Step(read.cell, read.line, f"read that {names(shown)} as [{counts[0]}]"),
    ]
    if told is not None:
        line = read.line if told.cell == read.cell else 1
        steps.append(Step(told.cell, line, against_clean(told.saved, told.clean)))
        steps += _shown_too(facts, read, told)
    return claim(
        facts,
        "NBS103",
        read.cell,
        read.line,
        "confirmed" if told else "suspected",
        message,
        steps=tuple(steps),
        remedy="restart the kernel, run all cells from the top, and save; "
        f"if cell {read.definer} belongs before this one, move it up first",
        severity="error" if told else "warning",
        symbols=named_parts.parts(read.name, shown),
        explains={("stale", read.cell, 0)},
        fault=("NBS103", "in", read.cell) if told else ("NBS103", "from", read.definer),
        also=Step(read.cell, read.line, f"also read {called(read.name)} of cell {read.definer}"),
    )


def _says(read: ReadFromBelow, told: Judgement | None) -> str:
    if told is None:
        return "in page order its result may differ"
    if told.cell == read.cell:
        return "in page order it gives a different result"
    return f"in page order the result of cell {told.cell}, made from this one's, is different"


def _shown_too(facts: Facts, read: ReadFromBelow, told: Judgement) -> Iterator[Step]:
    """Yield what else on the page was made from what the cell made then, and is another now."""
    judgements = facts.trial.judgements
    below = downstream(page_edges(facts.graph), read.cell)
    for cell in (cell for cell in below if cell != told.cell):
        last, found = facts.plan.last_run(cell), judgements.get(cell)
        ran_after = last is not None and last.step > read.step
        if found is not None and found.output == "differs" and ran_after:
            shows = against_clean(found.saved, found.clean)
            yield Step(cell, 1, f"was made from that: {shows}")


def _told(facts: Facts, read: ReadFromBelow) -> Judgement | None:
    """Return the judgement that shows it: of the cell, or of the first made from what it makes.

    That one's saved text must be what the plan gives, and another than what two clean runs give.
    """
    judgements = facts.trial.judgements
    own = judgements.get(read.cell)
    if own is not None and own.output == "differs":
        return own
    if own is None or "differs" not in own.made.values():
        return None
    for cell in downstream(page_edges(facts.graph), read.cell):
        last = facts.plan.last_run(cell)
        found = judgements.get(cell)
        if found is None or found.output != "differs" or last is None or last.step < read.step:
            continue
        if proof.shows_plan(facts, cell) and proof.is_reached_twice(facts, cell):
            return found
    return None
