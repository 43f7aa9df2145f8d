"""NBS106: running a cell twice changes its own input."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pytest_nbsafe.analysis import reruns
from pytest_nbsafe.analysis.reruns import Hazard
from pytest_nbsafe.findings import Step
from pytest_nbsafe.rules.base import Claim, Facts, Needs, finding
from pytest_nbsafe.rules.page import is_skipped


class RerunUnsafe:
    """A cell changes what it takes from another cell, so that a second run does something else.

    Why it matters: in a notebook cells are run again all the time. `df = df.drop(...)` fails the
    second time, `x += 1` or `items.append(...)` silently gives another result, and nothing on the
    page shows that it happened.

    Limits: only what is surely so is told: what stands under `if` or `try` is left out, and so are
    methods and functions that the tool does not know, and methods of objects whose class it cannot
    tell. What can be done twice with the same result (`df.dropna()`, a column made from another,
    fitting a model again) is no fault.

    Source: Pimentel et al. 2019 (hidden state); Macke et al. 2021, section 1 (in-place changes).
    """

    code: ClassVar[str] = "NBS106"
    needs: ClassVar[Needs] = "static"
    bad: ClassVar[str] = """\
# %% [1]
import pandas as pd
prices = pd.DataFrame({"net": [10.0, 20.0], "note": ["a", "b"]})
# %% [2]
prices["net"] = prices["net"] * 1.2 #! NBS106
# %% [3]
print(prices)
"""
    good: ClassVar[str] = """\
# %% [1]
import pandas as pd
prices = pd.DataFrame({"net": [10.0, 20.0], "note": ["a", "b"]})
# %% [2]
prices["gross"] = prices["net"] * 1.2
prices = prices.dropna()
# %% [3]
print(prices)
"""

    def check(self, facts: Facts) -> Iterator[Claim]:
        """Yield a claim for each name that a second run of a cell would find changed."""
        for number in facts.graph.cells:
            if is_skipped(facts.notebook.cell(number)):
                continue
            for hazard in reruns.hazards(facts.graph, number):
                yield _claim(facts, number, hazard)


def _claim(facts: Facts, cell: int, hazard: Hazard) -> Claim:
    return Claim(
        finding(
            facts,
            "NBS106",
            cell,
            hazard.span,
            "suspected",
            f"a second run of this cell {hazard.does}",
            steps=_steps(facts, cell, hazard),
            remedy=_remedy(hazard),
        ),
        fault=("NBS106", cell, hazard.span.line),
    )


def _steps(facts: Facts, cell: int, hazard: Hazard) -> tuple[Step, ...]:
    made = facts.graph.cells[hazard.maker].definitions
    line = next((d.span.line for d in made if d.name == hazard.name), 1)
    return (
        Step(hazard.maker, line, f"makes `{hazard.name}`"),
        Step(cell, hazard.span.line, f"changes `{hazard.name}`, which this cell does not make"),
    )


def _remedy(hazard: Hazard) -> str:
    move = f"move this line into cell {hazard.maker}, which makes `{hazard.name}`"
    if hazard.rebinds:
        return f"give the result a new name, or {move}"
    return f"{move}, or change a copy under a new name"
