"""The recorded order and the page's own order end with different values.

Why it matters: who runs the notebook from top to bottom gets something else than its author had,
though no output may show it, and nothing that reads a name says why.

Limits: told where the page shows what the recorded or inferred order gives, and two clean runs
agree on something else. Where no output shows it, it is told once, at the first cell of the page
that makes another value; in an inferred order as a warning, for that order may be wrong. Where the
counts, a stale value or a failing run say why (NBS1, NBS2, NBS4), that is told.

Source: Macke et al. 2021 and Koop 2021 compare orders by their dependencies; here the values are
compared, after each cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from pytest_nbsafe.analysis.dependencies import downstream
from pytest_nbsafe.findings import Step
from pytest_nbsafe.judge import page_outputs, partings
from pytest_nbsafe.judge.partings import OrderParting
from pytest_nbsafe.judge.trial import ChangedOutput
from pytest_nbsafe.rules.base import Claim, Facts, claim
from pytest_nbsafe.rules.wording import RUN_ALL, called, one_line

_REMEDY = (
    f"{RUN_ALL}; where the result is then the wrong one, move the cells into the order that they "
    "need"
)
_SAY_WHY = (
    *("NBS101", "NBS102", "NBS103", "NBS104", "NBS106"),
    *("NBS201", "NBS202", "NBS205"),
)
_MOST_SETTINGS = 3
_FAIL = ("NBS401", "NBS402")

BAD = """\
# %% [1]
import sys
# %% [3]
limit = sys.getrecursionlimit() #! NBS403
# %% [2]
sys.setrecursionlimit(5000)
# %% [4]
print(limit > 0)
#> True
"""
GOOD = """\
# %% [1]
import sys
# %% [2]
sys.setrecursionlimit(5000)
# %% [3]
limit = sys.getrecursionlimit()
# %% [4]
print(limit > 0)
#> True
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim where the page shows what one order alone gives, else where the two part."""
    by_order = [each for each in facts.trial.changed.values() if each.why == "order"]
    if by_order:
        suspected = facts.trial.suspicions.cells
        said = {*suspected, *downstream(facts.graph, *suspected)}
        yield from (_shown(facts, each, is_said=each.cell in said) for each in by_order)
        return
    parting = partings.between_orders(facts.graph, facts.trial)
    if parting is not None:
        yield _claim(facts, parting)


def _shown(facts: Facts, changed: ChangedOutput, *, is_said: bool) -> Claim:
    """Return that a saved output is that of another order, which two clean runs do not give.

    What lineage says of other cells does not say why this one shows it.
    """
    parting = partings.at(facts.graph, facts.trial, changed.cell)
    detail = one_line(changed.difference.detail, 400).removeprefix("line 1: ")
    return claim(
        facts,
        "NBS403",
        changed.cell,
        1,
        "confirmed",
        f"the saved output is that of the {facts.plan.order} order (saved -> from top to bottom): "
        f"{detail}",
        steps=_steps(facts, parting, 1) if parting is not None else (),
        remedy=_REMEDY,
        explains={("stale", changed.cell, 0)},
        unless=_SAY_WHY if is_said else (),
        also=f"shows what the {facts.plan.order} order gives: {detail}",
    )


def _claim(facts: Facts, parting: OrderParting) -> Claim:
    recorded = facts.plan.order == "recorded"
    cell, name = parting.cell, called(parting.name)
    line = facts.line_of(cell, parting.name)
    return claim(
        facts,
        "NBS403",
        cell,
        line,
        "confirmed" if recorded else "suspected",
        f"in the {facts.plan.order} order this cell makes another {name} than from top to bottom",
        steps=_steps(facts, parting, line),
        remedy=_REMEDY,
        unless=(*_SAY_WHY, *_FAIL),
    )


def _steps(facts: Facts, parting: OrderParting, line: int) -> Iterator[Step]:
    if not parting.read:
        hidden = "reads the same names in both orders: what it hangs on, no name shows"
        yield Step(parting.cell, line, hidden)
        yield from islice(_settings(facts, parting.cell), _MOST_SETTINGS)
        return
    read = called(parting.read)
    if parting.there:
        yield Step(parting.there, 1, f"gave it {read} in that order")
    if parting.here:
        yield Step(parting.here, 1, f"gives it {read} from top to bottom")


def _settings(facts: Facts, cell: int) -> Iterator[Step]:
    """Yield what cells below had set of how values are shown when this one ran in that order."""
    last = facts.plan.last_run(cell)
    before = {run.cell for run in facts.plan.runs if last is not None and run.step < last.step}
    for number in sorted(other for other in before if other > cell):
        for line, word in page_outputs.setting(facts.notebook.cell(number)):
            sets = f"sets how values are shown ({called(word)})"
            yield Step(number, line, f"ran before cell {cell} in that order, and {sets}")
