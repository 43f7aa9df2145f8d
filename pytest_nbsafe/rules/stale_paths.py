"""The story of a stale symbol: what made it, what has been made again since, and how to fix it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pytest_nbsafe.analysis.dependencies import direct_readers, downstream, made_from
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.findings import Step
from pytest_nbsafe.rules import named_parts
from pytest_nbsafe.rules.base import Facts, Mark
from pytest_nbsafe.rules.wording import action, called, names, only_changes, ran_as
from pytest_nbsafe.sentences import cells
from pytest_nbsafe.trace import cellsets, lineage
from pytest_nbsafe.trace.results import Record
from pytest_nbsafe.trace.suspicions import Cause, OutdatedResult, StaleRead


def why_older(facts: Facts, read: StaleRead) -> str:
    """Return "`a` from cell 2 is older than `b` of cell 1", and the way between if it is long."""
    if not read.chain:
        return f"{called(read.name)} is older than what it was made from"
    near, root = read.chain[0], read.chain[-1]
    old = named_parts.of_read(facts, near.symbol, read.cell)
    text = f"{names(old)} from cell {near.cell} {'is' if len(old) == 1 else 'are'} older than "
    text += f"{newer(facts, root)} of cell {root.parent_cell}"
    if len(read.chain) > 1:
        between = ", ".join(called(cause.symbol) for cause in read.chain[1:])
        text += f", which it was made from through {between}"
    return text


def what_was_read(facts: Facts, read: StaleRead) -> str:
    """Return "read `a` as [4]", by the parts that were read if they are known."""
    parts_read = named_parts.of_read(facts, read.name, read.cell)
    return f"read {names(parts_read)} {ran_as(facts.plan, read.step)}"


def chain_steps(facts: Facts, chain: Sequence[Cause]) -> tuple[Step, ...]:
    """Return the path as it happened: what made each symbol, then what was made again."""
    steps = [
        Step(
            cause.cell,
            cause.line,
            f"{_made(facts, cause)} {ran_as(facts.plan, cause.at[0])}",
        )
        for cause in reversed(chain)
    ]
    if chain:
        root = chain[-1]
        shown = named_parts.of_change(facts, root.parent, root.cell, root.parent_cell)
        does = action(facts, root.parent_cell, [root.parent], shown).again
        does += f" {ran_as(facts.plan, root.parent_at[0])}"
        steps.append(Step(root.parent_cell, root.parent_line, does))
    return tuple(steps)


def _made(facts: Facts, cause: Cause) -> str:
    if only_changes(facts, cause.cell, [cause.symbol]):
        return f"changed {called(cause.symbol)} with {newer(facts, cause)}"
    return f"made {called(cause.symbol)} from {newer(facts, cause)}"


def parts(facts: Facts, read: StaleRead) -> tuple[str, ...]:
    """Return the parts of names that a stale read is about, where they were seen."""
    symbols = named_parts.parts(read.name, named_parts.of_read(facts, read.name, read.cell))
    for cause in read.chain[-1:]:
        shown = named_parts.of_change(facts, cause.parent, cause.cell, cause.parent_cell)
        symbols += named_parts.parts(cause.parent, shown)
    return tuple(dict.fromkeys(symbols))


def newer(facts: Facts, cause: Cause) -> str:
    """Return what a sentence calls the parent that was made again, by the parts that were read."""
    return names(named_parts.of_change(facts, cause.parent, cause.cell, cause.parent_cell))


def root(suspicion: StaleRead | OutdatedResult) -> tuple[str, int]:
    """Return the name that was made again, and the cell that did it."""
    if isinstance(suspicion, OutdatedResult):
        return suspicion.name, suspicion.definer
    if not suspicion.chain:
        return suspicion.name, 0
    return suspicion.chain[-1].parent, suspicion.chain[-1].parent_cell


def link(suspicion: StaleRead | OutdatedResult) -> tuple[int, int]:
    """Return the cell that made something again, and the one that had read what was before."""
    if isinstance(suspicion, OutdatedResult):
        return suspicion.definer, [*suspicion.through[-1:], suspicion.cell][0]
    cause = suspicion.chain[-1] if suspicion.chain else None
    return (cause.parent_cell, cause.cell) if cause is not None else (0, suspicion.cell)


def marks(suspicion: StaleRead | OutdatedResult, graph: Graph) -> frozenset[Mark]:
    """Return the trouble that this staleness accounts for.

    That is the old result, every contradicted dependency on its path, those of other cells on the
    cell that made something again, and those of this cell on what was made of that: one cause.
    """
    _, definer = root(suspicion)
    trouble: set[Mark] = {("stale", suspicion.cell, 0)}
    readers = direct_readers(graph)
    trouble.update(("edge", definer, reader) for reader in readers.get(definer, ()))
    trouble.update(
        ("edge", maker, suspicion.cell)
        for maker in downstream(graph, definer)
        if suspicion.cell in readers.get(maker, ())
    )
    if isinstance(suspicion, StaleRead):
        trouble.update(("edge", cause.parent_cell, cause.cell) for cause in suspicion.chain)
    else:
        trouble.add(("edge", *link(suspicion)))
    return frozenset(trouble)


def records(facts: Facts) -> tuple[Record, ...]:
    """Return what the statements did that ran: those of the replayed plan, else of the clean."""
    return lineage.records(facts.trial.as_recorded.results)


class Remedies:
    """Which cells to run again, so that what is stale is fresh: all suspicions are sorted once."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._outdated = frozenset(old.cell for old in facts.suspicions.outdated)
        self._reads: dict[int, list[StaleRead]] = {}
        for read in facts.suspicions.stale_reads:
            self._reads.setdefault(read.step, []).append(read)

    def of_read(self, read: StaleRead) -> str:
        """Return which cells to run again, so that all that is read is fresh, and then this one."""
        known = records(self._facts)
        again = cellsets.to_refresh(self._reads[read.step], known)
        if missed := self._outdated_above(read.cell) - {*again}:
            again = cellsets.with_changers(sorted({*again, *missed}), read.cell, known)
        if not again:
            return "run the notebook from the top"
        order = ", in this order" if len(again) > 1 else ""
        return f"run {cells(again)} again{order}, then this cell"

    def first_again(self, cell: int) -> tuple[int, ...]:
        """Return the cells to run again before an outdated one: all above that it is made from.

        So are those that would refresh what it read itself, and is stale by now: `memo = {}`.
        """
        known = records(self._facts)
        outdated = self._outdated_above(cell)
        names_read = _read(known, {*outdated, cell})
        stale = [read for read in self._facts.suspicions.stale_reads if read.name in names_read]
        fresh = {c for read in stale for c in cellsets.to_refresh([read], known) if c < cell}
        return cellsets.with_changers(sorted(outdated | fresh), cell, known)

    def _outdated_above(self, cell: int) -> frozenset[int]:
        """Return the outdated cells that a cell is made from, however far."""
        return self._outdated & made_from(self._facts.graph, cell)


def _read(known: Sequence[Record], cells: Collection[int]) -> frozenset[str]:
    return frozenset(name for record in known if record.cell in cells for name in record.reads)
