"""Our own tracer failed here, and what the cell did is unknown; the notebook is not at fault.

Why it matters: where nothing was seen nothing can be found, so a clean report says less than it
seems to. What the tracer does not know it takes for unknown, never for sound.

Limits: the usual reason is a fault of ours, which is worth a report. A cell that takes away the
hooks of IPython itself (as the example does) cuts the tracer off, too, from there on.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_nbsafe.rules.base import Claim, Facts, claim
from pytest_nbsafe.rules.wording import few, one_line
from pytest_nbsafe.trace.results import CellResult, Incident

BAD = """\
# %% [1]
get_ipython().events.callbacks["post_run_cell"].clear() #! NBS906
"""
GOOD = """\
# %% [1]
get_ipython().events.register("post_run_cell", print)
get_ipython().events.unregister("post_run_cell", print)
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each cell and fault; those of one kind are told together."""
    claimed: set[tuple[int, str]] = set()
    for result in _results(facts):
        for incident in result.incidents:
            key = (result.cell, incident.message)
            if incident.kind == "tracer" and key not in claimed:
                claimed.add(key)
                yield _claim(facts, result, incident)


def _results(facts: Facts) -> Iterator[CellResult]:
    """Yield all runs that came to their own end; in others the tracer was stopped, too."""
    for run in (facts.trial.clean, facts.trial.replay, facts.trial.second):
        for result in run.results if run else ():
            if result.status in {"ok", "raised"}:
                yield result


def _claim(facts: Facts, result: CellResult, incident: Incident) -> Claim:
    what = one_line(incident.message)
    unknown = _unknown(facts, result)
    return claim(
        facts,
        "NBS906",
        result.cell,
        max(incident.line, 1),
        "observed",
        f"nbsafe's own tracer failed at this cell ({what}): {unknown}",
        remedy="nothing is wrong with the notebook; please report this fault of nbsafe",
        fault=("NBS906", incident.message),
        also=f"was not traced either: {unknown}",
    )


def _unknown(facts: Facts, result: CellResult) -> str:
    """Return what can no longer be told of a cell."""
    if not facts.config.trace:
        return "what went wrong in it without an exception is unknown"
    if result.records:
        return "what it did is only partly known"
    unseen = sorted(facts.graph.cells[result.cell].defines - result.after.keys())
    if unseen:
        return f"what it read, and where {few(unseen)} came from, is unknown"
    return "what it read and changed is unknown"
