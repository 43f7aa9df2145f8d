"""The cell has no count, though other cells of the notebook were run.

Why it matters: nothing on the page says that this code works, or that the results below it
were made with it.

Limits: a note, shown on request. A cell that is tagged `skip-execution` or `nbsafe:skip`, holds
only comments, or has saved outputs is left alone.

Source: Pimentel et al. 2019 (non-executed cells).
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_nbsafe.notebook.model import is_skipped
from pytest_nbsafe.rules.base import Claim, Facts, claim

BAD = """\
# %% [1]
total = 3
# %%
half = total / 2 #! NBS107
# %% [2]
print(total)
#> 3
"""
GOOD = """\
# %% [1]
total = 3
# %% [2]
print(total)
#> 3
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a note for each code cell that was never run."""
    page = facts.notebook.code_cells
    if all(cell.count is None for cell in page):
        return
    for cell in page:
        lines = cell.source.split("\n")
        code = [n for n, line in enumerate(lines, 1) if line.strip() and line.strip()[0] != "#"]
        if cell.count is None and code and not cell.outputs and not is_skipped(cell):
            message = "this cell was never run, though other cells were"
            remedy = "run the notebook from the top and save it, or delete the cell"
            yield claim(facts, "NBS107", cell.number, code[0], "proved", message, remedy=remedy)
