"""The story of a stale symbol: what made it, what has been made anew since, and how to mend it."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_nbsafe.findings import Step
from pytest_nbsafe.rules.base import Facts, Mark
from pytest_nbsafe.rules.words import cells, ran_as
from pytest_nbsafe.trace.model import Cause, StaleRead


def why_older(read: StaleRead) -> str:
    """Return "`a` from cell 2 is older than `b` of cell 1", and the way between if it is long."""
    if not read.chain:
        return f"`{read.name}` is older than what it was made from"
    near, root = read.chain[0], read.chain[-1]
    text = f"`{near.symbol}` from cell {near.cell} is older than "
    text += f"`{root.parent}` of cell {root.parent_cell}"
    if len(read.chain) > 1:
        between = ", ".join(f"`{cause.symbol}`" for cause in read.chain[1:])
        text += f", which it was made from through {between}"
    return text


def chain_steps(facts: Facts, chain: Sequence[Cause]) -> tuple[Step, ...]:
    """Return the path as it happened: what made each symbol, then what was made anew."""
    steps = [
        Step(
            cause.cell,
            cause.line,
            f"made `{cause.symbol}` from `{cause.parent}` {ran_as(facts.plan, cause.at[0])}",
        )
        for cause in reversed(chain)
    ]
    if chain:
        root = chain[-1]
        anew = f"made `{root.parent}` anew {ran_as(facts.plan, root.parent_at[0])}"
        steps.append(Step(root.parent_cell, root.parent_line, anew))
    return tuple(steps)


def chain_marks(read: StaleRead) -> frozenset[Mark]:
    """Return the contradicted dependencies that this staleness accounts for."""
    marks: set[Mark] = {("stale", read.cell, 0)}
    marks.update(("edge", cause.parent_cell, cause.cell) for cause in read.chain)
    return frozenset(marks)


def refresh_remedy(chain: Sequence[Cause], refreshers: Sequence[int]) -> str:
    """Return which cells to run again, from the one that missed the news to the reading one."""
    again = list(dict.fromkeys(cause.cell for cause in reversed(chain)))
    if len(again) < 2 and refreshers:
        again = [refreshers[0]]
    if not again:
        return "run the notebook from the top"
    order = ", in this order" if len(again) > 1 else ""
    return f"run {cells(again)} again{order}, then this cell"
