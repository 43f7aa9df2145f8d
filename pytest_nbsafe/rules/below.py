"""A cell that ran after a cell below it had made what it reads another: a case of NBS103."""

from __future__ import annotations

from pytest_nbsafe.findings import Step
from pytest_nbsafe.rules.base import Claim, Facts, finding
from pytest_nbsafe.rules.words import against_clean
from pytest_nbsafe.trace.model import ReadFromBelow


def claim(facts: Facts, read: ReadFromBelow) -> Claim:
    """Return that the cell read what a later cell of the page had made, and what came of it."""
    own = facts.trial.judgements.get(read.cell) if facts.trial else None
    differs = own is not None and own.output == "differs"
    counts = [facts.notebook.cell(number).count for number in (read.cell, read.definer)]
    message = (
        f"this cell ran as [{counts[0]}], after cell {read.definer}, further down, had made "
        f"`{read.name}` anew: "
    )
    message += "in page order its result differs" if differs else "in page order it may differ"
    steps = [
        Step(read.definer, read.definer_line, f"made `{read.name}` anew as [{counts[1]}]"),
        Step(read.cell, read.line, f"read that `{read.name}` as [{counts[0]}]"),
    ]
    if own is not None and differs:
        steps.append(Step(read.cell, read.line, against_clean(own.saved, own.clean)))
    return Claim(
        finding(
            facts,
            "NBS103",
            read.cell,
            read.line,
            "confirmed" if differs else "suspected",
            message,
            steps=tuple(steps),
            remedy="restart the kernel, run all cells from the top, and save",
            severity="error" if differs else "warning",
        ),
        explains=frozenset({("stale", read.cell, 0)}),
        fault=("NBS103", "in", read.cell) if differs else ("NBS103", "from", read.definer),
        also=Step(read.cell, read.line, f"read `{read.name}` of cell {read.definer}, too"),
    )
