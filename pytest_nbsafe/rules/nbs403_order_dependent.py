"""The recorded order and the page's own order end with different values.

Why it matters: who runs the notebook from top to bottom gets something else than its author had,
though no output may show it, and nothing that reads a name says why.

Limits: told once, at the first cell of the page that makes another value, where two clean runs
agree on theirs; in an inferred order it is a warning, for that order may be wrong. Where the
counts, a stale value, an output or a failing run say why (NBS1, NBS2, NBS4), that is told.

Source: Macke et al. 2021 and Brown et al. compare orders by their dependencies; here the values are
compared, after each cell.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_nbsafe.findings import Step
from pytest_nbsafe.judge import partings
from pytest_nbsafe.judge.partings import OrderParting
from pytest_nbsafe.rules.base import Claim, Facts, claim
from pytest_nbsafe.rules.wording import called

_SAY_WHY = (
    *("NBS101", "NBS102", "NBS103", "NBS104", "NBS106"),
    *("NBS201", "NBS202", "NBS205", "NBS401", "NBS402"),
)

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
    """Yield a claim where the two orders part."""
    parting = partings.between_orders(facts.graph, facts.trial)
    if parting is not None:
        yield _claim(facts, parting)


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
        steps=_steps(parting, line),
        remedy="restart the kernel, run all cells from the top, and save; where the result is then "
        "the wrong one, move the cells into the order that they need",
        unless=_SAY_WHY,
    )


def _steps(parting: OrderParting, line: int) -> Iterator[Step]:
    if not parting.read:
        hidden = "reads the same names in both orders: what it hangs on, no name shows"
        yield Step(parting.cell, line, hidden)
        return
    read = called(parting.read)
    if parting.there:
        yield Step(parting.there, 1, f"gave it {read} in that order")
    if parting.here:
        yield Step(parting.here, 1, f"gives it {read} from top to bottom")
