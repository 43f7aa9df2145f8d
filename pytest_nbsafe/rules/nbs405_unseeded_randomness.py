"""A random source is used before any seed is set.

Why it matters: each run draws other numbers. Splits, scores and figures change from run to
run, and nobody, its author included, can get the saved results again.

Limits: told once for each source (Python, numpy with scipy, scikit-learn and pandas, torch,
TensorFlow, generators made without a seed), at its first use in page order; what a function
draws counts where it is called, and so does a seed that it sets. A call whose name speaks of a
seed is believed. Left alone are draws that only make a pause, rows that are sampled to be looked
at, what has a fixed seed by default, and estimators in which chance only breaks ties (decision
trees).

Source: Sandve et al. 2013, rule 6 (note the seeds of what is random).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_nbsafe.findings import Step
from pytest_nbsafe.rules.base import Claim, Facts, claim

if TYPE_CHECKING:
    from pytest_nbsafe.analysis.draws import Event

BAD = """\
# %% [1]
import random
# %% [2]
throws = [random.randint(1, 6) for _ in range(9)] #! NBS405
"""
GOOD = """\
# %% [1]
import random
random.seed(7)
# %% [2]
throws = [random.randint(1, 6) for _ in range(9)]
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each unseeded draw; those from one source end as one finding."""
    from pytest_nbsafe.analysis import draws  # few ask

    events = draws.of(facts.graph)
    loose = draws.unseeded(facts.graph)
    places = Counter(source for _, source in loose)
    seeds = {source: event.cell for event in reversed(events) for source in event.seeds}
    lines = {(draw.cell, draw.span.line, source): draw for draw, source in reversed(loose)}
    for (_, _, source), draw in reversed(lines.items()):
        yield _claim(facts, draw, source, seeds.get(source, 0), places[source])


def _claim(facts: Facts, draw: Event, source: str, below: int, places: int) -> Claim:
    from pytest_nbsafe.libraries import random_sources

    known = random_sources.load(facts.notebook.libraries).sources[source]
    called = f"`{draw.callee}`"
    says = f"{called} is given no seed"
    if known.seed:
        seeded = f"seeded only in cell {below}" if below > draw.cell else "not seeded above"
        says = f"{called} draws from {known.name}, which is {seeded}"
    times = f" (one of {places} such calls)" if places > 1 else ""
    return claim(
        facts,
        "NBS405",
        draw.cell,
        draw.span,
        "suspected" if draw.via else "proved",
        says + times,
        steps=_steps(draw),
        remedy=_remedy(draw, known.seed),
        fault=("NBS405", source),
    )


def _steps(draw: Event) -> tuple[Step, ...]:
    if not draw.via:
        return ()
    where = f" ({draw.place})" if draw.place else ""
    return (
        Step(draw.cell, draw.span.line, f"calls `{draw.via}`"),
        Step(draw.home or draw.cell, draw.line, f"calls `{draw.callee}` in it{where}"),
    )


def _remedy(draw: Event, call: str) -> str:
    if not call:
        return f"give it a seed, as in `{draw.callee}(0)`"
    seed = f"call `{call}` in a cell above"
    takes_seed = draw.draw is not None and draw.draw.takes_seed
    return f"pass it `random_state=0`, or {seed}" if takes_seed else seed
