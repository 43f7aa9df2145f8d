"""Running one cell and then this one, without one between, would read a stale value.

Why it matters: this cell reads a name and what another cell made from that name. Whoever
changes the first, runs it, and comes straight back here sees the new value at work, beside
results that still stem from the old one: nothing fails, and the numbers do not fit together.

Limits: a note, shown on request; it says what could happen, not what did. Told once for each pair
of cells above, only where the cell reads both, and only of a cell that seems to be run again: its
count is higher than one further down, or the count just before it is missing. `nbsafe whatif` tells
of every sequence. Functions, classes and imports do not count as changed.

Source: NBLyzer, section 4.1 (stale cells). Departs: there every chain of three cells is told.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_nbsafe.findings import Step
from pytest_nbsafe.order import missing_counts
from pytest_nbsafe.rules.base import Claim, Facts, claim
from pytest_nbsafe.rules.wording import called
from pytest_nbsafe.sentences import cells

BAD = """\
# %% [2]
prices = [3, 4, 5]
# %% [3]
mean = sum(prices) / len(prices)
# %% [4]
print([p - mean for p in prices]) #! NBS203
#> [-1.0, 0.0, 1.0]
"""
GOOD = """\
# %% [1]
prices = [3, 4, 5]
# %% [2]
mean = sum(prices) / len(prices)
# %% [3]
print([p - mean for p in prices])
#> [-1.0, 0.0, 1.0]
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each cell that could mix a new value with a stale one."""
    from pytest_nbsafe.absint.mixing import mixtures  # only notes need it

    for mixed in mixtures(facts.graph, facts.plan):
        if not _is_run_again(facts, mixed.source):
            continue
        stale = mixed.stale
        left_out = mixed.left_out or (mixed.maker,)
        message = (
            f"running cell {mixed.source} and then this cell, without {cells(left_out)}, would mix "
            f"the new {called(mixed.fresh)} with {called(stale.name)}, made by cell {mixed.maker} "
            "from the old one"
        )
        yield claim(
            facts,
            "NBS203",
            stale.cell,
            stale.span,
            "suspected",
            message,
            steps=(Step(link.cell, link.line, link.cause) for link in stale.steps),
            remedy=f"join {cells((mixed.source, *left_out))}, or, when cell {mixed.source} "
            f"runs again, run {cells(left_out)} before this one",
            fault=("NBS203", mixed.source, mixed.maker),
            also=f"also reads {called(stale.name)} beside the new {called(mixed.fresh)}",
        )


def _is_run_again(facts: Facts, cell: int) -> bool:
    """Return whether the counts show, or leave room for, another run of a cell."""
    own = facts.notebook.cell(cell).count
    below = (c.count for c in facts.notebook.code_cells if c.number > cell and c.count is not None)
    return own is not None and (
        own > min(below, default=own) or cell in missing_counts.telling(facts.graph)
    )
