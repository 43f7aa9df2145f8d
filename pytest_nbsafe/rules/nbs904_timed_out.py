"""The cell ran longer than the limit for one cell.

Why it matters: it was stopped, so neither it nor what depends on it has been tested.

Limits: the limit is the user's (`timeout`, in seconds for one cell); an endless loop and a slow
machine look the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_nbsafe.rules.base import Claim, Facts, claim, cut_short

BAD = """\
# %% [1]
while True: pass #! NBS904
"""
GOOD = """\
# %% [1]
for _ in range(3):
    pass
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each cell that was stopped."""
    limit = facts.config.timeout_s
    longer = "longer than the limit" if limit is None else f"longer than {limit:g} s"
    for result, where, severity in cut_short(facts, "timed-out"):
        yield claim(
            facts,
            "NBS904",
            result.cell,
            result.failing_line,
            "observed",
            f"this cell ran {longer}{where}",
            remedy="do less, raise `timeout` in [tool.nbsafe], or tag the cell skip-execution",
            severity=severity,
        )
