"""A cell changes what it takes from another cell, so that a second run does something else.

Why it matters: in a notebook cells are run again all the time. `df = df.drop(...)` fails the
second time, `x += 1` or `items.append(...)` silently gives another result, and nothing on the
page shows that it happened.

It is a warning where it may have happened: counts are missing just before the cell's own, though
not before most, a second run fails at nothing, and the page shows, or uses, what comes of it. Else
it is a note.

Limits: only what is surely so is told: what stands under `if` or `try` is left out, and so are
methods and functions that the tool does not know, and methods of objects whose class it cannot
tell. What can be done twice with the same result (`df.dropna()`, a column made from another,
fitting a model again) is no fault. It is confirmed when it happened: counts are missing just
before the cell's own, and only with these further runs does the page give its saved outputs.

Source: Pimentel et al. 2019 (hidden state); Macke et al. 2021, section 1 (in-place changes).
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_nbsafe.analysis import rerun_hazards
from pytest_nbsafe.analysis.dependencies import downstream
from pytest_nbsafe.analysis.rerun_hazards import Hazard
from pytest_nbsafe.findings import Step
from pytest_nbsafe.judge.trial import RanOtherwise
from pytest_nbsafe.notebook.model import is_skipped
from pytest_nbsafe.order import missing_counts
from pytest_nbsafe.rules.base import Claim, Facts, claim, is_wrong
from pytest_nbsafe.rules.wording import RUN_ALL, against_clean, names
from pytest_nbsafe.sentences import listed

BAD = """\
# %% [1]
import pandas as pd
prices = pd.DataFrame({"net": [10.0, 20.0], "note": ["a", "b"]})
# %% [3]
prices["net"] = prices["net"] * 1.2 #! NBS106
# %% [4]
print(prices)
"""
GOOD = """\
# %% [1]
import pandas as pd
prices = pd.DataFrame({"net": [10.0, 20.0], "note": ["a", "b"]})
# %% [2]
prices["gross"] = prices["net"] * 1.2
prices = prices.dropna()
# %% [3]
print(prices)
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each name that a second run of a cell would find changed."""
    for number in facts.graph.cells:
        if is_skipped(facts.notebook.cell(number)):
            continue
        for hazard in rerun_hazards.hazards(facts.graph, number):
            yield _claim(facts, number, hazard)
    more = facts.trial.ran_otherwise
    if more is not None and more.counts:
        yield _seen(facts, more)


def _claim(facts: Facts, cell: int, hazard: Hazard) -> Claim:
    return claim(
        facts,
        "NBS106",
        cell,
        hazard.span,
        "suspected",
        f"a second run of this cell {hazard.does}",
        steps=_steps(facts, cell, hazard),
        remedy=_remedy(hazard),
        severity="warning" if _may_have_happened(facts, cell, hazard) else "note",
        fault=("NBS106", cell, hazard.span.line),
    )


def _may_have_happened(facts: Facts, cell: int, hazard: Hazard) -> bool:
    """Return whether the page may show what a second run of a cell did to it.

    A run that failed would be the one that the page shows.
    """
    if hazard.raises or cell not in missing_counts.telling(facts.graph):
        return False
    page = facts.notebook.cell(cell)
    return bool(page.outputs or downstream(facts.graph, cell))


def _seen(facts: Facts, more: RanOtherwise) -> Claim:
    """Return that a cell did run more often, and what the page shows of that."""
    hazard = next(iter(rerun_hazards.hazards(facts.graph, more.cell)), None)
    count = facts.notebook.cell(more.cell).count
    ran = listed(f"[{n}]" for n in (*more.counts, count))
    times = "twice" if len(more.counts) == 1 else f"{len(more.counts) + 1} times"
    does = (
        f"each run of it changes {names(more.changes)}" if more.changes else "does more each time"
    )
    if hazard:
        does = f"a second run of it {hazard.does}"
    line = hazard.span.line if hazard else 1
    below = downstream(facts.graph, more.cell)
    whose = "" if more.shown == more.cell else f" of cell {more.shown}"
    return claim(
        facts,
        "NBS106",
        more.cell,
        hazard.span if hazard else line,
        "confirmed",
        f"this cell ran {times}, as {ran}, and {does}; the saved output{whose} shows it",
        steps=(
            *(_steps(facts, more.cell, hazard) if hazard else ()),
            Step(more.shown, 1, against_clean(more.saved, more.clean)),
        ),
        remedy=f"{_remedy(hazard)}; then {RUN_ALL}" if hazard else RUN_ALL,
        severity="error" if is_wrong(facts, more.shown) else "warning",
        explains={("stale", cell, 0) for cell in (more.shown, *below)},
        fault=("NBS106", more.cell, line),
    )


def _steps(facts: Facts, cell: int, hazard: Hazard) -> tuple[Step, ...]:
    line = facts.line_of(hazard.maker, hazard.name)
    return (
        Step(hazard.maker, line, f"makes `{hazard.name}`"),
        Step(cell, hazard.span.line, f"changes `{hazard.name}`, which this cell does not make"),
    )


def _remedy(hazard: Hazard) -> str:
    move = f"move this line into cell {hazard.maker}, which makes `{hazard.name}`"
    if hazard.rebinds:
        return f"give the result a new name, or {move}"
    return f"{move}, or change a copy under a new name"
