"""Counts are missing: cells were run again or deleted.

Why it matters: a run left no trace on the page, and what it made may be what the cells below
still read. A notebook that was run once from top to bottom has every count.

Limits: a note, shown on request. A cell that is run twice leaves a gap that does no harm. Of
several sessions each is counted by itself, up to its highest count; how long it went on after
that nobody knows.

Source: Koop 2021, section 3 (missing counts and gaps).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from pytest_nbsafe.findings import Step
from pytest_nbsafe.notebook.model import Cell, counted
from pytest_nbsafe.order import session_split
from pytest_nbsafe.rules.base import Claim, Facts, claim
from pytest_nbsafe.rules.nbs108_several_sessions import without_copies
from pytest_nbsafe.rules.wording import RUN_ALL
from pytest_nbsafe.sentences import listed
from pytest_nbsafe.values import dataclass

_SHOWN = 4


@dataclass(frozen=True, slots=True)
class _Gap:
    """Counts of one session that no cell has, between those of the last run before and the next.

    `before` is 0 where no lower count is left; `after` is the cell that ran next.
    """

    before: int
    next: int
    after: int

    @property
    def length(self) -> int:
        return self.next - self.before - 1

    def __str__(self) -> str:
        first, last = self.before + 1, self.next - 1
        return f"[{first}]" if first == last else f"[{first}]-[{last}]"


BAD = """\
# %% [1]
total = 3
# %% [4]
print(total) #! NBS109
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
    """Yield a note at the cell that ran after the longest gap."""
    page = counted(facts.notebook)
    if {cell.count for cell in page} == set(range(1, len(page) + 1)):
        return
    highest, gaps = _gaps(facts, without_copies(page))
    if gaps:
        yield _claim(facts, highest, gaps)


def _gaps(facts: Facts, page: Sequence[Cell]) -> tuple[list[int], list[_Gap]]:
    """Return the highest count of every session, and the gaps of them all."""
    members: dict[int, list[tuple[int, int]]] = defaultdict(list)
    session = session_split.split(facts.graph, page).of
    for cell in page:
        if cell.count is not None:
            members[session[cell.number]].append((cell.count, cell.number))
    gaps: list[_Gap] = []
    for index in sorted(members):
        before = 0
        for count, number in sorted(members[index]):
            if count > before + 1:
                gaps.append(_Gap(before, count, number))
            before = count
    return [max(members[index])[0] for index in sorted(members)], gaps


def _claim(facts: Facts, highest: Sequence[int], gaps: Sequence[_Gap]) -> Claim:
    missing = sum(gap.length for gap in gaps)
    longest = sorted(gaps, key=lambda gap: -gap.length)[:_SHOWN]
    shown = [gap for gap in gaps if gap in longest]
    which = [str(gap) for gap in shown]
    if len(gaps) > len(shown):
        which.append(f"{missing - sum(gap.length for gap in shown)} more")
    of = f"{sum(highest)} counts" + (f" of {len(highest)} sessions" if len(highest) > 1 else "")
    verb = "is" if missing == 1 else "are"
    return claim(
        facts,
        "NBS109",
        longest[0].after,
        1,
        "proved",
        f"{missing} of {of} {verb} missing ({listed(which)}): cells were run again or deleted",
        steps=map(_step, shown),
        remedy=RUN_ALL,
    )


def _step(gap: _Gap) -> Step:
    before = f"the last run before it that is left is [{gap.before}]"
    left = before if gap.before else "no cell has a lower count"
    return Step(gap.after, 1, f"ran as [{gap.next}]; {left}")
