"""Which names of a session are stale: those that a clean run of the latest texts holds otherwise.

Values decide, lineage explains. Where a value cannot be compared, or two clean runs disagree on
it, lineage alone decides: was it made by the latest text, from inputs that the clean run has too?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pytest_nbsafe import patterns
from pytest_nbsafe.trace.model import CellResult, Value
from pytest_nbsafe.trace.sessions import (
    Clean,
    Contribution,
    Holding,
    Passed,
    contributions,
    entry_reads,
    is_once,
    walk,
)
from pytest_nbsafe.values import dataclass, field, replace

Answer = Literal["same", "differs", "unknown"]
_DEEP = 40
_QUOTED = patterns.compile(r"'(\w+)'")
ELSEWHERE = "a clean run gives it another value, by a state that no name shows"


@dataclass(frozen=True, slots=True)
class Bench:
    """What the judge looks at: the session so far and what it holds, and one or two clean runs.

    `page` are the cells in page order; `latest` maps each that ran to its latest text, `makes` a
    text to the names that it may bind.
    """

    page: tuple[str, ...]
    runs: tuple[Passed, ...]
    now: Holding
    clean: Clean
    again: Clean | None
    latest: Mapping[str, int]
    makes: Mapping[int, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Names:
    """The stale names, each with why it is stale, and those of which nothing is known."""

    stale: Mapping[str, str]
    unknown: tuple[str, ...]


def names(bench: Bench) -> Names:
    """Return which names are stale at the end of a session.

    Source: Macke et al. 2021, Def. 4, which alone would call every name stale whose input is bound
    anew. Departs: what counts is that a clean run gives another value, or no such name.
    """
    stale: dict[str, str] = {}
    unknown: list[str] = []
    for name in sorted(bench.now.names):
        value, clean = bench.now.end(name), bench.clean.holding.end(name)
        if value is None or clean is None:
            cause = _missing(bench, name)
        elif (answer := _held(value, clean, _of(bench.again, name))) == "same":
            continue
        elif answer == "differs":
            cause = _explained(bench, name)
        else:
            found = origin(bench, name)
            cause = found.cause
            if found.answer == "unknown":
                unknown.append(name)
        if cause:
            stale[name] = cause
    return Names({name: _chained(bench, name, stale) for name in stale}, tuple(unknown))


def _chained(bench: Bench, name: str, stale: Mapping[str, str]) -> str:
    """Return why a name is stale, in short where it was made from another that is."""
    found = origin(bench, name)
    if stale[name] != found.cause or found.through not in stale:
        return stale[name]
    maker = _contributions(bench.runs, name)[-1].passed
    return f"{_run(maker)} made it from `{found.through}`, which is stale"


def differ(bench: Bench) -> bool:
    """Return whether any name is held otherwise than in the first clean run, as far as is seen."""
    held = [(bench.now.end(name), bench.clean.holding.end(name)) for name in bench.now.names]
    return any(
        value is not None and (clean is None or compared(value, clean, None) == "differs")
        for value, clean in held
    )


def _held(value: Value, clean: Value, again: Value | None) -> Answer:
    """Return how a name compares; how far an iterator was used says nothing of what it is."""
    answer = compared(value, clean, again)
    once = value.kind == clean.kind and is_once(value)
    return "unknown" if answer == "differs" and once else answer


def compared(value: Value, clean: Value, again: Value | None) -> Answer:
    """Return how a value compares with that of the clean run, and `again` of a second."""
    if not value.hash or not clean.hash:
        return "unknown"
    if value.hash == clean.hash:
        return "same"
    if again is not None and again.hash != clean.hash:
        return "unknown"
    return "differs"


def _of(clean: Clean | None, name: str) -> Value | None:
    return clean.holding.end(name) if clean is not None else None


# ------------------------------------------------------------------ why


def _missing(bench: Bench, name: str) -> str:
    """Return why the clean run has no such name, empty when nothing of the session explains it."""
    if bench.again is not None and name in bench.again.holding.names:
        return ""
    if not any(name in bench.makes.get(text, ()) for text in bench.latest.values()):
        return f"left over: {_maker(bench, name)}, and no cell makes it any more"
    found = origin(bench, name)
    if found.answer == "differs":
        return found.cause
    if contributions(bench.clean.runs, name):
        who = _deleter(bench, name)
        deleter = f"cell {who}" if who else "the page further down"
        return f"{_maker(bench, name)}, and {deleter} has not deleted it since"
    return f"{_maker(bench, name)}, and a clean run does not make it" if _moved(bench) else ""


def _deleter(bench: Bench, name: str) -> str:
    """Return the last cell of the clean run that deletes a name, empty when none shows it."""
    for _, passed in walk(bench.clean.runs):
        if any(name in record.deletes for record in passed.result.records):
            return passed.cell
    return ""


def _explained(bench: Bench, name: str) -> str:
    """Return why a name has another value than in the clean runs, empty when by chance."""
    found = origin(bench, name)
    if found.answer == "differs":
        return found.cause
    makers = {c.passed.cell for c in contributions(bench.runs, name)}
    return "" if any(is_chance(bench, cell) for cell in makers) else ELSEWHERE


def is_chance(bench: Bench, cell: str) -> bool:
    """Return whether a cell draws random numbers from a source that nobody has seeded."""
    if bench.again is None:
        return False
    return not bench.clean.drew(cell).isdisjoint(bench.clean.unlike(bench.again, cell))


def _moved(bench: Bench) -> bool:
    """Return whether something beside the names is otherwise than in the clean runs."""
    now, clean = bench.now.beside, bench.clean.holding.beside
    again = bench.again.holding.beside if bench.again is not None else clean
    return any(
        now.get(place) != clean.get(place) and clean.get(place) == again.get(place)
        for place in now.keys() | clean.keys()
    )


def _maker(bench: Bench, name: str) -> str:
    found = contributions(bench.runs, name)
    if not found:
        return "made by no step that is known"
    return f"made by {_run(found[0].passed)}"


def _run(passed: Passed) -> str:
    return f"cell {passed.cell} in step {passed.step}"


# ------------------------------------------------------------------ lineage


@dataclass(frozen=True, slots=True)
class Origin:
    """Whether a name was made as in the clean run, and from what else it was made when not."""

    answer: Answer
    cause: str = ""
    through: str = ""


_SAME = Origin("same")


def origin(bench: Bench, name: str) -> Origin:
    """Return whether a name was made as a clean run makes it: by the same texts, from the same."""
    return _origin(bench, name, len(bench.runs), len(bench.clean.runs), _DEEP)


def _origin(bench: Bench, name: str, until: int, clean_until: int, depth: int) -> Origin:
    """Return how a name was made by the first `until` runs, against those of the clean run."""
    ours = _contributions(bench.runs[:until], name)
    clean = _contributions(bench.clean.runs[:clean_until], name)
    if not ours or not depth:
        return Origin("unknown")
    if not clean:
        return _unmade(bench, name, ours[-1], clean_until, depth)
    texts = [c.passed.result.cell for c in ours]
    others = [c.passed.result.cell for c in clean]
    if set(texts) != set(others) or texts[0] != others[0]:
        return Origin("differs", _otherwise(bench, ours, clean))
    matches = {c.passed.result.cell: c for c in clean}
    answers = [_inputs(bench, name, c, matches[c.passed.result.cell], depth) for c in ours]
    return _worst(answers)


def _unmade(bench: Bench, name: str, mine: Contribution, until: int, depth: int) -> Origin:
    """Return how the text that made a name ran in a clean run, where it did not make it."""
    for place, passed in walk(bench.clean.runs[:until]):
        if passed.result.cell == mine.passed.result.cell:
            if lacked := _lacked(passed.result, mine.passed.result):
                return Origin("differs", f"{_run(mine.passed)} had `{lacked}` to make it from")
            clean = Contribution(place, passed, entry_reads(passed.result))
            whole = replace(mine, inputs=entry_reads(mine.passed.result))
            return _inputs(bench, name, whole, clean, depth)
    return Origin("differs", _otherwise(bench, [mine], ()))


def _lacked(clean: CellResult, mine: CellResult) -> str:
    """Return the name that a clean run of a text lacked and another had, empty when none."""
    failure = clean.failure
    if failure is None or failure.ename != "NameError" or mine.status != "ok":
        return ""
    found = _QUOTED.search(failure.evalue)
    return found[1] if found else ""


def _contributions(runs: Sequence[Passed], name: str) -> tuple[Contribution, ...]:
    """Return the runs that made what a name holds; to use an iterator makes it no other."""
    found = contributions(runs, name)
    return found[:1] if found and is_once(found[0].passed.result.after.get(name)) else found


def _worst(answers: Sequence[Origin]) -> Origin:
    for kind in ("differs", "unknown"):
        for answer in answers:
            if answer.answer == kind:
                return answer
    return _SAME


def _inputs(bench: Bench, made: str, mine: Contribution, clean: Contribution, depth: int) -> Origin:
    """Return whether a run had the inputs that the clean run of the same text had.

    What it changed in place is no input of its own: that has contributions before this one.
    """
    answers = [_SAME]
    second = _again(bench, clean)
    for name in sorted((mine.inputs | clean.inputs) - {made}):
        value = mine.passed.result.reads.get(name)
        other = clean.passed.result.reads.get(name)
        if value is None and other is None:
            continue
        if value is None or other is None:
            said = "had" if other is None else "did not have"
            answers.append(
                Origin("differs", f"{_run(mine.passed)} {said} `{name}` to make it from")
            )
            continue
        answer = compared(value, other, second.reads.get(name) if second else None)
        if answer == "differs":
            answers.append(Origin("differs", _newer(bench, mine, name), name))
        elif answer == "unknown":
            deeper = _origin(bench, name, mine.place, clean.place, depth - 1)
            answers.append(deeper)
    return _worst(answers)


def _again(bench: Bench, clean: Contribution) -> CellResult | None:
    if bench.again is None or clean.place >= len(bench.again.runs):
        return None
    return bench.again.runs[clean.place].result


def _newer(bench: Bench, mine: Contribution, name: str) -> str:
    """Return the words for an input that the clean run has otherwise."""
    said = f"{_run(mine.passed)} made it from `{name}`"
    since = [c for c in contributions(bench.runs, name) if c.place > mine.place]
    if since:
        return f"{said}, which {_run(since[0].passed)} has made anew since"
    before = contributions(bench.runs[: mine.place], name)
    maker = f", as {_run(before[-1].passed)} made it" if before else ""
    return f"{said}{maker}: a clean run gives it another value there"


def _otherwise(bench: Bench, ours: Sequence[Contribution], clean: Sequence[Contribution]) -> str:
    """Return the words for a name that other texts have made than in the clean run."""
    first = ours[0].passed
    if deleted := [c.passed for c in ours if c.passed.cell not in bench.page]:
        return f"made by {_run(deleted[0])}, which is not on the page"
    if first.result.cell != bench.latest.get(first.cell):
        return f"made by an older text of {_run(first)}"
    wanted = {c.passed.cell for c in clean}
    ran = {c.passed.cell for c in ours}
    if left := [c.passed.cell for c in clean if c.passed.cell not in ran]:
        return f"{_run(first)} made it, and cell {left[-1]} has not changed it since"
    if more := [c.passed for c in ours if c.passed.cell not in wanted]:
        return f"{_run(more[-1])} changed it, which a clean run does not do"
    return f"{_run(first)} made it, in another order than the page's"
