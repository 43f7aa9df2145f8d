"""The story of a stale symbol: what made it, what has been made anew since, and how to mend it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_nbsafe.analysis.model import Edge
from pytest_nbsafe.findings import Step
from pytest_nbsafe.rules.base import Facts, Mark
from pytest_nbsafe.rules.words import cells, ran_as
from pytest_nbsafe.trace.model import Cause, OutdatedResult, StaleRead
from pytest_nbsafe.trace.staleness import refreshing


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


def root(suspicion: StaleRead | OutdatedResult) -> tuple[str, int]:
    """Return the name that was made anew, and the cell that did it."""
    if isinstance(suspicion, OutdatedResult):
        return suspicion.name, suspicion.definer
    if not suspicion.chain:
        return suspicion.name, 0
    return suspicion.chain[-1].parent, suspicion.chain[-1].parent_cell


def link(suspicion: StaleRead | OutdatedResult) -> tuple[int, int]:
    """Return the cell that made something anew, and the one that had read what was there before."""
    if isinstance(suspicion, OutdatedResult):
        return suspicion.definer, [*suspicion.through[-1:], suspicion.cell][0]
    cause = suspicion.chain[-1] if suspicion.chain else None
    return (cause.parent_cell, cause.cell) if cause is not None else (0, suspicion.cell)


def marks(suspicion: StaleRead | OutdatedResult, edges: Iterable[Edge]) -> frozenset[Mark]:
    """Return the trouble that this staleness accounts for.

    That is the old result, every contradicted dependency on its path, and those of other cells
    (by the page's `edges`) on what was made anew: one cause.
    """
    name, definer = root(suspicion)
    found: set[Mark] = {("stale", suspicion.cell, 0)}
    found.update(
        ("edge", definer, e.reader) for e in edges if (e.name, e.definer) == (name, definer)
    )
    if isinstance(suspicion, StaleRead):
        found.update(("edge", cause.parent_cell, cause.cell) for cause in suspicion.chain)
    else:
        found.add(("edge", *link(suspicion)))
    return frozenset(found)


def refresh_remedy(read: StaleRead) -> str:
    """Return which cells to run again, from the one that missed the news to the reading one."""
    again = refreshing(read)
    if not again:
        return "run the notebook from the top"
    order = ", in this order" if len(again) > 1 else ""
    return f"run {cells(again)} again{order}, then this cell"
