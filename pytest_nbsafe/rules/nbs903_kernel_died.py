"""The kernel died while this cell ran.

Why it matters: everything below was never reached. The usual reasons are too little memory, a
crash in compiled code, or a call that ends the process.

Limits: what the system tells of a dead process is its signal or exit code, not the reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_nbsafe.rules.base import Claim, Facts, claim, cut_short
from pytest_nbsafe.trace.results import why

_KILLED = ("SIGKILL", "signal 9", "exit code 137", "exit code -9")

BAD = """\
# %% [1]
import os
# %% [2]
os._exit(1) #! NBS903
"""
GOOD = """\
# %% [1]
print("done")
#> done
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each cell that the kernel did not survive."""
    for result, where, severity in cut_short(facts, "died"):
        reason = why(result)
        message = f"the kernel died while this cell ran{where}" + (f": {reason}" if reason else "")
        remedy = "run the cell alone to see what ends the process, or tag it skip-execution"
        if any(sign in reason for sign in _KILLED):
            remedy = "the system may have run out of memory: work on less data at once"
            remedy += ", or tag the cell skip-execution"
        if "exit or quit" in reason:
            remedy = "remove the call, or tag the cell skip-execution"
        yield claim(
            facts,
            "NBS903",
            result.cell,
            result.failing_line,
            "observed",
            message,
            remedy=remedy,
            severity=severity,
        )
