"""An input no longer holds what the cell read, and a clean run gives this cell another result.

Why it matters: at the end of the session the values do not fit together. What this cell made
stems from an input that is gone, so whoever goes on from here mixes the two.

Limits: told only when the order was replayed. An input that was made again with the same
content, or that a clean run changes in the same way, is nothing. It is an error when the clean
run (or, where that does not come so far, the cell when it is run again) makes or shows another
thing, else a note. A name that holds a value which cannot be compared is unknown, and not told.
Where NBS103, NBS201 or NBS202 know why, they speak instead.

Source: "Tracking inconsistencies in Jupyter notebooks" (the hash post). Departs: propagated
along lineage, and decided by the clean run, since by the letter every linear rebinding is
inconsistent.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_nbsafe.analysis.dependencies import downstream
from pytest_nbsafe.findings import Step
from pytest_nbsafe.judge import proof
from pytest_nbsafe.rules import named_parts
from pytest_nbsafe.rules.base import Claim, Facts, Mark, claim
from pytest_nbsafe.rules.wording import (
    action,
    names,
    not_run_again,
    ran_as,
    refreshed_difference,
    rerun_steps,
)
from pytest_nbsafe.sentences import cells
from pytest_nbsafe.trace.consistency import ChangedInput, Consistency

BAD = """\
# %% [1]
rate, member = 0.5, True
# %% [2]
def price():
    return 100 * (1 + rate) if member else 100
# %% [4]
rate = 0.25
# %% [3]
total = price() #! NBS205
"""
GOOD = """\
# %% [1]
rate, member = 0.5, True
# %% [2]
def price():
    return 100 * (1 + rate) if member else 100
# %% [3]
rate = 0.25
# %% [4]
total = price()
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each cell that is inconsistent and would be made otherwise."""
    states = facts.trial.consistency
    for cell in sorted(states):
        state = states[cell]
        last = facts.plan.last_run(cell)
        recorded = last is not None and last.recorded
        lost = recorded and state.state == "inconsistent" and not _as_on_the_page(state)
        answer = _answer(facts, state) if lost else ""
        if answer and (answer == "differs" or not _is_apart(facts, state)):
            yield _claim(facts, state, sure=answer == "differs" and proof.is_proof(facts))


def _is_apart(facts: Facts, state: Consistency) -> bool:
    """Return whether nothing was seen to be changed of the parts that the cell read."""
    return bool(state.changed) and all(
        change.maker and named_parts.are_apart(facts, change.name, state.cell, change.maker)
        for change in state.changed
    )


def _as_on_the_page(state: Consistency) -> bool:
    """Return whether only cells further down changed what the cell read: so does the page's order.

    What a clean run makes otherwise then has another reason.
    """
    return bool(state.changed) and all(change.maker > state.cell for change in state.changed)


def _answer(facts: Facts, state: Consistency) -> str:
    """Return "differs" or "unknown" for what a clean run makes of the cell, empty for the same."""
    judgement = facts.trial.judgements.get(state.cell)
    if judgement is None or not proof.is_reached(facts, state.cell):
        ending = facts.trial.endings.get(state.cell)
        return "differs" if ending is not None and ending.result == "differs" else ""
    if judgement.output == "same" or all(judgement.values.get(n) != "differs" for n in state.lost):
        return ""
    if judgement.output == "differs":
        return "differs"
    results = set(judgement.made.values())
    if results and results <= {"same"}:
        return ""
    if _all_below_reproduce(facts, state.cell):
        return ""
    return "differs" if "differs" in results else "unknown"


def _all_below_reproduce(facts: Facts, cell: int) -> bool:
    """Return whether the page shows something made from the cell, and all of it is right."""
    below = downstream(facts.graph, cell)
    shown = [j.output for c in below if (j := facts.trial.judgements.get(c)) is not None]
    compared = [output for output in shown if output != "nothing-to-compare"]
    return bool(compared) and all(output == "same" for output in compared)


def _claim(facts: Facts, state: Consistency, *, sure: bool) -> Claim:
    ending, root = facts.trial.endings.get(state.cell), _root(facts, state)
    line = state.changed[0].line if state.changed else 1
    what = _lost(facts, state)
    end = f"a clean run gives it {'a different result' if sure else 'different inputs'}"
    return claim(
        facts,
        "NBS205",
        state.cell,
        line,
        "confirmed" if sure else "observed",
        f"this cell no longer fits what it read: {what}, and {end}{refreshed_difference(ending)}",
        steps=(
            *_steps(facts, state),
            *rerun_steps(ending, line),
            *(() if sure else not_run_again(ending, line)),
        ),
        remedy=_remedy(state),
        severity="error" if sure else "note",
        symbols=_parts(facts, state),
        explains=_marks(state if _made_anew(state) else root),
        fault=("NBS205", root.cell),
        also=f"also no longer fits what it read: {what}",
    )


def _lost(facts: Facts, state: Consistency) -> str:
    if state.changed:
        symbols = (symbol for change in state.changed for symbol in _shown(facts, state, change))
        return f"{names(symbols)} changed after it ran"
    makes = "makes" if len(state.through) == 1 else "make"
    return f"{cells(state.through)} no longer {makes} {names(state.lost)}"


def _shown(facts: Facts, state: Consistency, change: ChangedInput) -> tuple[str, ...]:
    """Return what was changed of an input, by the parts that the cell read of it."""
    if not change.maker:
        return (change.name,)
    return named_parts.of_change(facts, change.name, state.cell, change.maker)


def _parts(facts: Facts, state: Consistency) -> tuple[str, ...]:
    of_names = ((c.name, _shown(facts, state, c)) for c in state.changed)
    return tuple(part for name, shown in of_names for part in named_parts.parts(name, shown))


def _steps(facts: Facts, state: Consistency) -> Iterator[Step]:
    """Yield what the cell read, and what became of that."""
    for change in state.changed:
        shown = _shown(facts, state, change)
        yield Step(state.cell, change.line, f"read {names(shown)} {ran_as(facts.plan, state.step)}")
        if change.maker:
            does = action(facts, change.maker, [change.name], shown).again
            does += f" {ran_as(facts.plan, change.maker_at[0])}"
            yield Step(change.maker, change.maker_line, does)
    if not state.changed:
        for cell in state.through:
            yield Step(cell, 1, "no longer fits what it read, and this cell reads what it made")


def _remedy(state: Consistency) -> str:
    if state.through:
        return f"run {cells(state.through)} again, then this cell"
    return "run this cell again, and what is made from it"


def _marks(state: Consistency) -> frozenset[Mark]:
    """Return the trouble that this accounts for: the changes of its inputs, else its old result."""
    edges = {("edge", change.maker, state.cell) for change in _made_anew(state)}
    return frozenset(edges or {("stale", state.cell, 0)})


def _made_anew(state: Consistency) -> list[ChangedInput]:
    return [change for change in state.changed if change.maker]


def _root(facts: Facts, state: Consistency) -> Consistency:
    """Return the state of the cell that the inconsistency comes from."""
    states = facts.trial.consistency
    passed = {state.cell}
    while not state.changed and state.through and state.through[0] not in passed:
        state = states[state.through[0]]
        passed.add(state.cell)
    return state
