"""The same order, run twice, gives different values.

Why it matters: nobody, its author included, gets the saved result again; and a difference that
somebody made cannot be told from one that chance made.

Limits: told once, at the first cell where two runs part. `--nbsafe-repeat=2` runs the notebook
again, with another hash seed, another temporary folder and one thread for each library that lets
itself be told so; without it only what the runs of a trial show anyway is told, and neither what
clocks show nor what is drawn without a seed (NBS405 tells that). Where the text does not tell what
brings chance in, nothing is said of it.

Source: Sandve et al. 2013, rules 6 and 7 (seeds; intermediate results).
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_nbsafe.findings import Finding, Step
from pytest_nbsafe.judge import partings
from pytest_nbsafe.judge.partings import Parting, Source
from pytest_nbsafe.rules.base import Claim, Facts, claim
from pytest_nbsafe.rules.wording import called

_REASONS: dict[Source, tuple[str, str]] = {
    "draw": ("draws random numbers without a seed", "seed what it draws from"),
    "clock": ("asks the clock or the machine", "keep such values out of what is compared"),
    "files": ("asks which files there are, in no order", "sort what it gets"),
    "threads": ("runs threads or processes, which end in no order", "collect results in an order"),
    "network": ("asks the network", "keep a copy of what it answered"),
    "sets": ("uses a set, whose order is another in each run", "sort the set"),
    "hash": (
        "asks for hash(), which is another for a text in each run",
        "take what is the same in each run, such as `zlib.crc32` of the bytes",
    ),
}
"""What a cell does that brings chance in, and what to do about it."""

BAD = """\
# %% [1]
names = {"ada", "bob", "cy", "dee", "eve", "fay", "gus", "hal"}
# %% [2]
guests = list(names) #! NBS404
# %% [3]
print(guests)
#> ['hal', 'ada', 'gus', 'bob', 'eve', 'cy', 'fay', 'dee']
"""
GOOD = """\
# %% [1]
names = {"ada", "bob", "cy", "dee", "eve", "fay", "gus", "hal"}
# %% [2]
guests = sorted(names)
# %% [3]
print(guests)
#> ['ada', 'bob', 'cy', 'dee', 'eve', 'fay', 'gus', 'hal']
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim where two runs of one order part."""
    for repeat in facts.trial.repeats:
        parting = partings.parting(facts.trial.as_recorded, repeat)
        if parting is not None:
            yield _claim(facts, parting, *partings.source(facts.graph, parting.cell))
            return
    second = facts.trial.second
    parting = partings.parting(facts.trial.clean, second) if second is not None else None
    if parting is not None:
        cell, source = partings.source(facts.graph, parting.cell)
        if source not in {"", "clock", "draw"}:
            yield _claim(facts, parting, cell, source)


def is_of_draws(finding: Finding) -> bool:
    """Return whether a finding of this rule tells of draws that a seed would make the same."""
    return finding.code == "NBS404" and finding.remedy == _REASONS["draw"][1]


def _claim(facts: Facts, parting: Parting, origin: int, source: Source) -> Claim:
    what = called(parting.name) if parting.name else "the output"
    reason, remedy = _REASONS.get(source, ("", "look for what is not the same in each run"))
    return claim(
        facts,
        "NBS404",
        parting.cell,
        parting.line,
        "observed",
        f"{what} of this cell is another in each run" + (f": it {reason}" if reason else ""),
        steps=[Step(origin, 1, reason)] if reason and origin != parting.cell else (),
        remedy=remedy,
        symbols=(parting.name,) if parting.name else (),
    )
