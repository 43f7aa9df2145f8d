"""A suppression suppresses nothing, or names a code that there is not.

Why it matters: it says that there is a fault here which is known and accepted. When the fault
is gone it misleads the reader, and it will hide the next one; a mistyped code hides nothing.

Limits: told of codes that were surely asked about: of those that a run decides only after a
run, of notes only when they are shown, and of a bare `ignore` only when every code was asked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from pytest_nbsafe.findings import Finding
from pytest_nbsafe.rules.base import Facts, claim
from pytest_nbsafe.rules.suppressions import Suppression

BAD = """\
# %% [1]
total = 3  # nbsafe: ignore[NBS902] #! NBS907
"""
GOOD = """\
# %% [1]
total =  # nbsafe: ignore[NBS902] half written on purpose
"""


def unused(
    facts: Facts, silent: Collection[Suppression], is_judged: Callable[[str, int], bool]
) -> Iterator[Finding]:
    """Yield a finding for each suppression that hid nothing, and each comment that says nothing.

    `is_judged` tells whether a code was surely asked about in a cell.
    """
    for suppression in silent:
        wrong = not suppression.codes
        if wrong or all(is_judged(code, suppression.cell) for code in suppression.codes):
            yield _finding(facts, suppression, wrong=wrong)
    if any("nbsafe:" in cell.source for cell in facts.notebook.code_cells):
        from pytest_nbsafe.rules import declarations  # late: few notebooks hold any

        yield from declarations.faults(facts, "NBS907")


def _finding(facts: Facts, suppression: Suppression, *, wrong: bool) -> Finding:
    shown = f"`ignore[{suppression.word}]`" if suppression.word else "`ignore`"
    how = "this tag" if suppression.span is None else "this comment"
    if wrong:
        message = f"{how} ignores {suppression.word!r}, which is no code"
        remedy = suppression.hint or "see `nbsafe rules`"
    else:
        where = "in this cell" if suppression.whole else "on this line"
        message = f"{how} says {shown}, but there is nothing to ignore {where}"
        remedy = "remove it"
    place = suppression.span or 1
    return claim(facts, "NBS907", suppression.cell, place, "proved", message, remedy=remedy).finding
