"""Two cells define the name, and either can reach this read: the order decides.

Why it matters: the page says that the nearest definition above is read, and whoever runs the
notebook from top to bottom gets that one. The counts say that the saved result was made with
the other, or there are none to say.

Limits: names that are rebound step by step, and names that each part of a notebook uses for
itself, are left alone unless the counts contradict the page; without any counts only a
definition is told that the very next cell replaces and nothing reads. Loop variables, imports,
and the same line twice are left alone, too. Counts of several sessions are not compared. A
definition below the read is NBS103's.

Source: Koop 2021, section 4.1 and Fig. 2 (a), ambiguous dependencies. Departs: there any
name that two cells define is ambiguous: a quarter of the cells of nearly half of the notebooks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from pytest_nbsafe.findings import Step
from pytest_nbsafe.judge import proof
from pytest_nbsafe.order.ambiguous_reads import AmbiguousRead, ambiguous, definition_of
from pytest_nbsafe.rules.base import Claim, Facts, Mark, claim, is_wrong
from pytest_nbsafe.rules.wording import against_clean, names

BAD = """\
# %% [4]
limit = 10
# %% [2]
limit = 20
# %% [5]
print(limit) #! NBS104
#> 10
"""
GOOD = """\
# %% [1]
low = 10
# %% [2]
high = 20
# %% [3]
print(low)
#> 10
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each cell whose input one of two cells made."""
    pairs: dict[tuple[int, int, int], list[AmbiguousRead]] = defaultdict(list)
    for read in ambiguous(facts.graph):
        if not proof.is_same_in_page_order(facts, read.reader, read.use.name):
            pairs[read.reader, read.nearest, read.other].append(read)
    for reads in pairs.values():
        yield _claim(facts, reads)


def _claim(facts: Facts, reads: Sequence[AmbiguousRead]) -> Claim:
    first = reads[0]
    own = facts.trial.judgements.get(first.reader)
    differs = own is not None and own.output == "differs"
    what = names(dict.fromkeys(read.use.name for read in reads))
    steps = [*_definitions(facts, first, what)]
    if own is not None and differs:
        line = first.use.span.line
        steps.append(Step(first.reader, line, against_clean(own.saved, own.clean)))
    marks: set[Mark] = {("stale", first.reader, 0)} if differs else set()
    if first.reason == "ran-later" and not differs:
        marks.add(("edge", first.other, first.nearest))
    return claim(
        facts,
        "NBS104",
        first.reader,
        first.use.span,
        "confirmed" if differs and first.reason != "untold" else "suspected",
        _message(facts, first, what),
        steps=steps,
        remedy=_remedy(first, what),
        severity="error" if differs and is_wrong(facts, first.reader) else "warning",
        explains=marks,
        fault=("NBS104", first.other, first.nearest),
        also=f"also reads {what}",
    )


def _message(facts: Facts, read: AmbiguousRead, what: str) -> str:
    if read.reason == "untold":
        return (
            f"cell {read.other} and cell {read.nearest} both define {what}, nothing reads that "
            f"of cell {read.other}, and no counts tell which this cell read"
        )
    count = facts.notebook.cell(read.reader).count
    ran = f"this cell ran as [{count}] with {what} of cell {read.other}"
    if read.reason == "never-run":
        return f"{ran}: cell {read.nearest}, which defines it again in between, was never run"
    return f"{ran}: in page order it reads that of cell {read.nearest}"


def _definitions(facts: Facts, read: AmbiguousRead, what: str) -> Iterator[Step]:
    """Yield what each of the two cells does, in page order, and what the reader read."""
    for cell in (read.other, read.nearest):
        line = definition_of(facts.graph, cell, read.use.name).span.line
        yield Step(cell, line, f"defines {what}{_ran(facts, cell)}")
    via = f" {read.use.via}" if read.use.via else ""
    reads = f"reads {what}{via}{_ran(facts, read.reader)}"
    yield Step(read.reader, read.use.span.line, reads)


def _ran(facts: Facts, cell: int) -> str:
    count = facts.notebook.cell(cell).count
    return "; it has no count" if count is None else f"; it ran as [{count}]"


def _remedy(read: AmbiguousRead, what: str) -> str:
    apart = f"give {what} of each cell a name of its own, or delete what you do not want"
    if read.reason == "untold":
        return apart
    return f"run cell {read.nearest} and then this cell again, or {apart}"
