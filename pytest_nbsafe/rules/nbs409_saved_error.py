"""The cell was saved with an error for its output.

Why it matters: a page that ends in a traceback is committed by oversight, or the notebook never
ran to its end; who reads it next cannot tell which. A run may show that the error is gone: then the
page is an old one.

Limits: a cell that is meant to raise is tagged `raises-exception`, or `raises-exception=KeyError`
where only that class is meant. Where a run, or the text, tells why the cell fails, that is told.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_nbsafe.notebook.model import Cell, Output, may_raise, saved_error
from pytest_nbsafe.rules.base import Claim, Facts, claim
from pytest_nbsafe.rules.wording import one_line

BAD = """\
# %% [1]
shares = {"a": 3}
# %% [2]
print(shares["b"]) #! NBS409
#x KeyError: 'b'
"""
GOOD = """\
# %% [1]
shares = {"a": 3}
# %% [2] tags=raises-exception=KeyError
print(shares["b"])
#x KeyError: 'b'
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each cell that was saved with an error, and is not meant to raise it."""
    for cell in facts.notebook.code_cells:
        saved = saved_error(cell)
        if saved is not None and not may_raise(cell, saved.ename):
            yield _claim(facts, cell, saved)


def _claim(facts: Facts, cell: Cell, saved: Output) -> Claim:
    text = one_line(f"{saved.ename}: {saved.evalue}".strip(": "))
    message = f"this cell was saved with an error: {text}"
    ran = facts.clean(cell.number)
    if ran is not None and ran.status == "ok":
        message += "; from top to bottom it runs without"
        remedy = "run the notebook again, and save it"
    else:
        remedy = (
            "mend the cell and run it again, or tag it raises-exception if it is meant to raise"
        )
    return claim(
        facts,
        "NBS409",
        cell.number,
        1,
        "proved",
        message,
        remedy=remedy,
        explains={("raise", cell.number, 0)},
        also=f"was saved with {text}",
    )
