"""The cell ran longer than the limit for one cell, or for the whole notebook.

Why it matters: it was stopped, so neither it nor what depends on it has been tested.

Limits: the limits are the user's, in seconds (`timeout` for one cell, which the metadata of a
notebook may set as `execution.timeout`; `notebook-timeout` for all runs of a notebook, which has
no limit by default); an endless loop and a slow machine look the same. Once the notebook is at its
limit, what further runs would have shown is not known. A cell that takes ten times as long in the
recorded order as from top to bottom, and five seconds at least, is stopped there, as are all
further runs when they took twice as long as the page's own.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_nbsafe.notebook import markers
from pytest_nbsafe.rules.base import Claim, Facts, claim, cut_short
from pytest_nbsafe.trace.results import STOPPED, CellResult

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
    own_limit = markers.timeout_s(facts.notebook.metadata)
    limit = own_limit or facts.config.timeout_s
    place = "the notebook's metadata (`execution`)" if own_limit else "[tool.nbsafe]"
    longer = "longer than the limit" if limit is None else f"longer than {limit:g} s"
    for result, where, severity in cut_short(facts, "timed-out"):
        if result.reason.startswith(STOPPED):
            yield _paced(facts, result)
            continue
        yield claim(
            facts,
            "NBS904",
            result.cell,
            result.failing_line,
            "observed",
            f"this cell ran {longer}{where}",
            remedy=f"do less, raise `timeout` in {place}, or tag the cell skip-execution",
            severity=severity,
        )
    yield from _of_notebook(facts)


def _paced(facts: Facts, result: CellResult) -> Claim:
    """Return that a further run was stopped, for it took many times what the page's own did."""
    order, reason = facts.plan.order, result.reason
    return claim(
        facts,
        "NBS904",
        result.cell,
        result.failing_line,
        "observed",
        f"in the {order} order this cell was {reason}; what it gives there is not known",
        remedy="see whether the cell can end in that order",
        severity="warning" if order == "recorded" else "note",
    )


def _of_notebook(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for the cell that was due when the notebook was at its limit."""
    trial, limit_s = facts.trial, facts.config.notebook_timeout_s
    runs = (
        (trial.replay, f" in the {facts.plan.order} order"),
        (trial.clean, " from top to bottom" if trial.replay else ""),
        (trial.second, " from top to bottom a second time"),
    )
    for run, where in runs:
        for result in run.results if run else ():
            if result.status != "out-of-time":
                continue
            again = run is trial.second
            message = f"the notebook reached its limit of {limit_s:g} s at this cell{where}"
            unknown = "what the cell shows then" if again else "what the cells after it do"
            yield claim(
                facts,
                "NBS904",
                result.cell,
                result.failing_line,
                "observed",
                f"{message}; {unknown} is not known",
                remedy="do less, or raise `notebook-timeout` in [tool.nbsafe]",
                severity="warning" if again else None,
            )
