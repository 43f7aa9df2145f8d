"""Which names of a session are stale: those that a clean run of the latest texts holds otherwise.

Values decide, lineage explains. Where a value cannot be compared, or two clean runs disagree on
it, lineage alone decides: was it made by the latest text, from inputs that the clean run has too?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_nbsafe import patterns
from pytest_nbsafe.replay.session_runs import (
    Contribution,
    SessionEvidence,
    SessionRun,
    contributions,
    is_once,
)
from pytest_nbsafe.trace.results import CellResult, Comparison, compared
from pytest_nbsafe.values import dataclass, replace

_DEEP = 40
_QUOTED = patterns.compile(r"'(\w+)'")
ELSEWHERE = "a clean run gives it another value, by a state that no name shows"


@dataclass(frozen=True, slots=True)
class StaleNames:
    """The stale names, each with why it is stale, and those of which nothing is known."""

    stale: Mapping[str, str]
    unknown: tuple[str, ...]


def names(session: SessionEvidence) -> StaleNames:
    """Return which names are stale at the end of a session.

    Source: Macke et al. 2021, Def. 4, which alone would call every name stale whose input is bound
    again. Departs: what counts is that a clean run gives another value, or no such name.
    """
    stale: dict[str, str] = {}
    unknown: list[str] = []
    for name in sorted(session.now.names):
        answer = _held(session, name)
        if answer == "same":
            continue
        if answer == "gone":
            cause = _missing(session, name)
        elif answer == "differs":
            cause = _explained(session, name)
        else:
            lineage = origin(session, name)
            cause = lineage.cause
            if lineage.answer == "nothing-to-compare":
                unknown.append(name)
        if cause:
            stale[name] = cause
    return StaleNames({name: _chained(session, name, stale) for name in stale}, tuple(unknown))


def _chained(session: SessionEvidence, name: str, stale: Mapping[str, str]) -> str:
    """Return why a name is stale, in short where it was made from another that is."""
    lineage = origin(session, name)
    if stale[name] != lineage.cause or lineage.through not in stale:
        return stale[name]
    maker = _contributions(session.runs, name)[-1].run
    return f"{_run(maker)} made it from `{lineage.through}`, which is stale"


def differ(session: SessionEvidence) -> bool:
    """Return whether any name is held otherwise than in the first clean run, as far as is seen."""
    now, clean = session.now.comparable, session.clean.holding.comparable
    return any(compared(name, now, clean) in {"differs", "gone"} for name in now)


def _held(session: SessionEvidence, name: str) -> Comparison:
    """Return how a name compares; how far an iterator was used says nothing of what it is.

    A name that the first clean run has not is gone, whatever the second has.
    """
    now, clean = session.now.comparable, session.clean.holding.comparable
    if name not in clean:
        return "gone"
    repeated = session.second.holding.comparable if session.second is not None else None
    answer = compared(name, now, clean, repeated)
    once = now[name].kind == clean[name].kind and is_once(now[name])
    return "nothing-to-compare" if answer == "differs" and once else answer


# ------------------------------------------------------------------ why


def _missing(session: SessionEvidence, name: str) -> str:
    """Return why the clean run has no such name, empty when nothing of the session explains it."""
    if session.second is not None and name in session.second.holding.names:
        return ""
    if not any(name in session.text(cell).makes for cell in session.last):
        return f"left over: {_maker(session, name)}, and no cell makes it any more"
    lineage = origin(session, name)
    if lineage.answer == "differs":
        return lineage.cause
    if contributions(session.clean.runs, name):
        who = _deleter(session, name)
        deleter = f"cell {who}" if who else "the page further down"
        return f"{_maker(session, name)}, and {deleter} has not deleted it since"
    return f"{_maker(session, name)}, and a clean run does not make it" if _moved(session) else ""


def _deleter(session: SessionEvidence, name: str) -> str:
    """Return the last cell of the clean run that deletes a name, empty when none shows it."""
    deleters = (run.cell for run in reversed(session.clean.runs) if name in run.result.deleted)
    return next(deleters, "")


def _explained(session: SessionEvidence, name: str) -> str:
    """Return why a name has another value than in the clean runs, empty when by chance."""
    lineage = origin(session, name)
    if lineage.answer == "differs":
        return lineage.cause
    makers = {c.run.cell for c in contributions(session.runs, name)}
    return "" if any(session.is_chance(cell) for cell in makers) else ELSEWHERE


def _moved(session: SessionEvidence) -> bool:
    """Return whether something beside the names is otherwise than in the clean runs."""
    now, clean = session.now.beside, session.clean.holding.beside
    repeated = session.second.holding.beside if session.second is not None else clean
    return any(
        now.get(place) != clean.get(place) and clean.get(place) == repeated.get(place)
        for place in now.keys() | clean.keys()
    )


def _maker(session: SessionEvidence, name: str) -> str:
    makers = contributions(session.runs, name)
    if not makers:
        return "made by no step that is known"
    return f"made by {_run(makers[0].run)}"


def _run(run: SessionRun) -> str:
    return f"cell {run.cell} in step {run.step}"


# ------------------------------------------------------------------ lineage


@dataclass(frozen=True, slots=True)
class Origin:
    """Whether a name was made as in the clean run, and from what else it was made when not."""

    answer: Comparison
    cause: str = ""
    through: str = ""


_SAME = Origin("same")


def origin(session: SessionEvidence, name: str) -> Origin:
    """Return whether a name was made as a clean run makes it: by the same texts, from the same."""
    return _origin(session, name, len(session.runs), len(session.clean.runs), _DEEP)


def _origin(
    session: SessionEvidence, name: str, until: int, clean_until: int, depth: int
) -> Origin:
    """Return how a name was made by the first `until` runs, against those of the clean run."""
    ours = _contributions(session.runs[:until], name)
    clean = _contributions(session.clean.runs[:clean_until], name)
    if not ours or not depth:
        return Origin("nothing-to-compare")
    if not clean:
        return _unmade(session, name, ours[-1], clean_until, depth)
    texts = [c.run.result.cell for c in ours]
    others = [c.run.result.cell for c in clean]
    if set(texts) != set(others) or texts[0] != others[0]:
        return Origin("differs", _otherwise(session, ours, clean))
    matches = {c.run.result.cell: c for c in clean}
    answers = [_inputs(session, name, c, matches[c.run.result.cell], depth) for c in ours]
    return _worst(answers)


def _unmade(
    session: SessionEvidence, name: str, mine: Contribution, until: int, depth: int
) -> Origin:
    """Return how the text that made a name ran in a clean run, where it did not make it."""
    for place in reversed(range(until)):
        run, own = session.clean.runs[place], mine.run.result
        if run.result.cell == own.cell:
            if lacked := _lacked(run.result, own):
                return Origin("differs", f"{_run(mine.run)} had `{lacked}` to make it from")
            clean = Contribution(place, run, run.result.entry_names)
            return _inputs(session, name, replace(mine, inputs=own.entry_names), clean, depth)
    return Origin("differs", _otherwise(session, [mine], ()))


def _lacked(clean: CellResult, mine: CellResult) -> str:
    """Return the name that a clean run of a text lacked and another had, empty when none."""
    failure = clean.failure
    if failure is None or failure.ename != "NameError" or mine.status != "ok":
        return ""
    quoted = _QUOTED.search(failure.evalue)
    return quoted[1] if quoted else ""


def _contributions(runs: Sequence[SessionRun], name: str) -> tuple[Contribution, ...]:
    """Return the runs that made what a name holds; to use an iterator makes it no other."""
    made_by = contributions(runs, name)
    return made_by[:1] if made_by and is_once(made_by[0].run.result.after.get(name)) else made_by


def _worst(answers: Sequence[Origin]) -> Origin:
    order: tuple[Comparison, ...] = ("differs", "nothing-to-compare", "same")
    return min(answers, key=lambda origin: order.index(origin.answer))


def _inputs(
    session: SessionEvidence, name_made: str, mine: Contribution, clean: Contribution, depth: int
) -> Origin:
    """Return whether a run had the inputs that the clean run of the same text had.

    What it changed in place is no input of its own: that has contributions before this one.
    """
    answers = [_SAME]
    repeated = session.second.runs[clean.place : clean.place + 1] if session.second else ()
    second = repeated[0].result.reads if repeated else None
    for name in sorted((mine.inputs | clean.inputs) - {name_made}):
        ours, others = mine.run.result.reads, clean.run.result.reads
        answer = compared(name, ours, others, second)
        if (name in ours) != (name in others):
            verb = "had" if name in ours else "did not have"
            cause = f"{_run(mine.run)} {verb} `{name}` to make it from"
            answers.append(Origin("differs", cause))
        elif answer == "differs":
            answers.append(Origin("differs", _newer(session, mine, name), name))
        elif answer != "same":
            answers.append(_origin(session, name, mine.place, clean.place, depth - 1))
    return _worst(answers)


def _newer(session: SessionEvidence, mine: Contribution, name: str) -> str:
    """Return the words for an input that the clean run has otherwise."""
    first = f"{_run(mine.run)} made it from `{name}`"
    since = [c for c in contributions(session.runs, name) if c.place > mine.place]
    if since:
        return f"{first}, which {_run(since[0].run)} has made again since"
    before = contributions(session.runs[: mine.place], name)
    maker = f", as {_run(before[-1].run)} made it" if before else ""
    return f"{first}{maker}: a clean run gives it another value there"


def _otherwise(
    session: SessionEvidence, ours: Sequence[Contribution], clean: Sequence[Contribution]
) -> str:
    """Return the words for a name that other texts have made than in the clean run."""
    first = ours[0].run
    if deleted := [c.run for c in ours if c.run.cell not in session.page]:
        return f"made by {_run(deleted[0])}, which is not on the page"
    if first.result.cell != session.last[first.cell].result.cell:
        return f"made by an older text of {_run(first)}"
    wanted = {c.run.cell for c in clean}
    ran = {c.run.cell for c in ours}
    if left := [c.run.cell for c in clean if c.run.cell not in ran]:
        return f"{_run(first)} made it, and cell {left[-1]} has not changed it since"
    if more := [c.run for c in ours if c.run.cell not in wanted]:
        return f"{_run(more[-1])} changed it, which a clean run does not do"
    return f"{_run(first)} made it, in another order than the page's"
