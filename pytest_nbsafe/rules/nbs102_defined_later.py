"""A name is read here, but first defined in a cell further down.

Why it matters: whoever runs the notebook from top to bottom gets a NameError. It worked for
its author only because the lower cell was run first, an order that the page does not show.

Limits: as for NBS101. A function's body may mention a name that is defined further down; only
calling the function above the definition is a fault, and a warning until a run shows it.

Source: Koop 2021, section 4.1 (out-of-order cells), Fig. 2 (b).
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_nbsafe.findings import Step
from pytest_nbsafe.judge.missing_names import Missing, missing
from pytest_nbsafe.order import session_split
from pytest_nbsafe.rules.base import Claim, Facts, Mark, claim

BAD = """\
# %% [2]
print(max(scores)) #! NBS102
#> 9
# %% [1]
scores = [4, 9, 7]
"""
GOOD = """\
# %% [1]
def best():
    return max(scores)
# %% [2]
scores = [4, 9, 7]
# %% [3]
print(best())
#> 9
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each cell that reads a name which only cells below define."""
    for item in missing(facts.graph, facts.trial.clean, facts.config.given_names):
        if item.is_first_defined_later:
            yield _claim(facts, item, item.later[0])


def _claim(facts: Facts, item: Missing, definer: int) -> Claim:
    verb = "may be read" if item.verdict == "suspected" else "is read"
    return claim(
        facts,
        "NBS102",
        item.cell,
        item.span,
        item.verdict,
        f"`{item.name}` {verb} here, but first defined further down, in cell {definer}",
        steps=_steps(facts, item, definer),
        remedy=_remedy(facts, item, definer),
        explains=_marks(item, definer),
        fault=("NBS102", definer),
        also=f"also reads `{item.name}`, which cell {definer} defines further down",
    )


def _marks(item: Missing, definer: int) -> frozenset[Mark]:
    """Return what this accounts for: the failure, and whatever else the cell read from below."""
    marks: set[Mark] = {("later", definer, item.cell)}
    if item.verdict != "suspected":
        marks.add(("stale", item.cell, 0))
    if item.verdict == "observed":
        marks.add(("raise", item.cell, 0))
    return frozenset(marks)


def _remedy(facts: Facts, item: Missing, definer: int) -> str:
    """Return what to do: where the reader ran first, another cell had made the name for it."""
    read = facts.notebook.cell(item.cell).count
    made_at = [facts.notebook.cell(cell).count for cell in item.later]
    if read is not None and all(count is not None and count > read for count in made_at):
        session = session_split.of_page(facts.graph).of
        if {session.get(cell) for cell in item.later} == {session.get(item.cell)}:
            return f"bring back the code that made `{item.name}` before this cell ran as [{read}]"
    return f"move cell {definer} above cell {item.cell}, or this cell below it"


def _steps(facts: Facts, item: Missing, definer: int) -> tuple[Step, ...]:
    line = facts.line_of(definer, item.name)
    defines = f"defines `{item.name}` for the first time{_as(facts, definer)}"
    reads = f"reads `{item.name}`{' ' + item.via if item.via else ''}"
    if item.verdict == "observed":
        reads += " and raises NameError in a clean run"
    else:
        reads += _as(facts, item.cell)
    return (Step(item.cell, item.span.line, reads), Step(definer, line, defines))


def _as(facts: Facts, cell: int) -> str:
    if all(each.count is None for each in facts.notebook.code_cells):
        return ""  # the page tells of no run: it is text, or was cleared
    count = facts.notebook.cell(cell).count
    return "; it was never run" if count is None else f"; it ran as [{count}]"
