"""The cell is not valid Python.

Why it matters: nothing of the cell runs, and nothing that it would define can be checked.

Limits: parsed with the Python that runs nbsafe; where the notebook's own is newer, this is a
warning until a run shows it. A notebook of Python 2 code is told once. A cell that was saved
with a syntax error shows it on purpose and is a note (an error when strict).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from pytest_nbsafe.analysis.model import Fault
from pytest_nbsafe.findings import Verdict
from pytest_nbsafe.notebook.model import (
    is_skipped,
    may_raise,
    minor_version,
    saved_error,
    saved_python,
)
from pytest_nbsafe.rules.base import Claim, Facts, claim

_SYNTAX = frozenset({"SyntaxError", "IndentationError", "TabError"})
_PYTHON_2 = "Missing parentheses in call to"

BAD = """\
# %% [1]
total = 0
for value in [1, 2] #! NBS902
    total += value
"""
GOOD = """\
# %% [1]
total = 0
for value in [1, 2]:
    total += value
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each cell that does not parse, and that no run shows to be right."""
    faults = {n: known.fault for n, known in facts.graph.cells.items() if known.fault}
    prints = [number for number, fault in faults.items() if _PYTHON_2 in fault.message]
    old = facts.notebook.python_major == 2 or len(prints) > 1
    for number in sorted(faults):
        page = facts.notebook.cell(number)
        verdict = _verdict(facts, number)
        if verdict is not None and not is_skipped(page) and not may_raise(page):
            yield _claim(facts, number, faults[number], verdict, old=old)


def _verdict(facts: Facts, cell: int) -> Verdict | None:
    result = facts.clean(cell)
    if result is not None and result.status == "ok":
        return None
    if result is not None and result.failure is not None:
        return "observed" if result.failure.ename in _SYNTAX else None
    return "suspected" if _newer(facts) else "proved"


def _newer(facts: Facts) -> tuple[str, str] | None:
    """Return this Python and the newer one that saved the notebook, None where that is no newer."""
    saved = saved_python(facts.notebook)
    here = minor_version(facts.trial.clean.python) or sys.version_info[:2]
    if saved is None or saved <= here:
        return None
    return ".".join(map(str, here)), ".".join(map(str, saved))


def _claim(facts: Facts, cell: int, fault: Fault, verdict: Verdict, *, old: bool) -> Claim:
    saved = saved_error(facts.notebook.cell(cell))
    shown = saved is not None and saved.ename in _SYNTAX
    message = f"this cell is not valid Python: {fault.message}"
    remedy = "fix the line, or tag the cell skip-execution"
    if old and not shown:
        message = "this notebook holds Python 2 code, which Python 3 cannot parse"
        remedy = "write it in Python 3; the `2to3` of Python 3.12 or older does most of it"
    elif shown:
        message += ", just as its saved output shows"
        remedy = "fix the line, or tag the cell raises-exception if it is meant to fail"
    elif (newer := _newer(facts)) is not None:
        message = f"this cell is not valid in Python {newer[0]}: {fault.message}"
        message += f"; the notebook was saved by Python {newer[1]}"
        remedy = f"use Python {newer[1]} or newer, or write the line so that {newer[0]} reads it"
    return claim(
        facts,
        "NBS902",
        cell,
        fault.line,
        verdict,
        message,
        remedy=remedy,
        explains={("raise", cell, 0)},
        fault=("NBS902",) if old and not shown else None,
        also=f"does not parse: {fault.message}",
    )
