"""The counts come from more than one session.

Why it matters: a new session counts from [1] again, so the counts no longer tell which of two
cells ran first, and a result may hang on a value that only the older session held.

Limits: a note, shown on request. A session shows only where a count stands at two cells, so
there may be more; which cells belong together is inferred. A cell with the count and the text
of another is taken for its copy.

Source: Koop 2021, section 3 (the same count twice shows two sessions).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from pytest_nbsafe.findings import Step
from pytest_nbsafe.notebook.model import Cell, counted
from pytest_nbsafe.order import session_split
from pytest_nbsafe.rules.base import Claim, Facts, claim
from pytest_nbsafe.rules.wording import RUN_ALL
from pytest_nbsafe.sentences import cells as cells_in_words

_SHOWN = 8

BAD = """\
# %% [1]
total = 3
# %% [2]
print(total)
#> 3
# %% [1]
count = 4 #! NBS108
# %% [2]
print(count)
#> 4
"""
GOOD = """\
# %% [1]
total = 3
# %% [2]
print(total)
#> 3
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a note at the first count that an earlier cell of the page has, too."""
    page = without_copies(counted(facts.notebook))
    at: dict[int | None, list[Cell]] = defaultdict(list)
    for cell in page:
        at[cell.count].append(cell)
        if len(at[cell.count]) == 2:
            yield _claim(facts, at[cell.count][0], cell, page)
            return


def without_copies(page: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return the cells without those that have the count and the text of one above them."""
    first = {(cell.count, cell.source): cell.number for cell in reversed(page)}
    return tuple(cell for cell in page if first[cell.count, cell.source] == cell.number)


def _claim(facts: Facts, first: Cell, cell: Cell, page: Sequence[Cell]) -> Claim:
    members: dict[int, list[int]] = defaultdict(list)
    for number, index in session_split.split(facts.graph, page).of.items():
        members[index].append(number)
    least = session_split.least(page)
    where = cells_in_words((first.number, cell.number))
    return claim(
        facts,
        "NBS108",
        cell.number,
        1,
        "proved",
        f"the counts come from at least {least} sessions: [{cell.count}] is at {where}",
        steps=(_step(index, members[index]) for index in sorted(members)),
        remedy=RUN_ALL,
    )


def _step(index: int, numbers: Sequence[int]) -> Step:
    others = list(numbers[1 : _SHOWN + 1])
    also = f", with {cells_in_words(others)}" if others else ""
    if len(numbers) > _SHOWN + 1:
        also += f" and {len(numbers) - _SHOWN - 1} more"
    return Step(numbers[0], 1, f"ran in session {index}{also}, as far as the counts tell")
