"""How a kernel comes to the state of a session without running all of it again.

Looked at from the end: what the cells to come may read is needed; of each run, the last first, what
is needed of it is loaded where it is kept, else it is run, and needs what it read. A run that did
what no value shows (an import, a magic, a setting) is run in any case.

Source: Kishu (Fang et al. 2025), 5: loads before re-runs. Departs: the kernel is a fresh one, so
that runs come in their own order and find the values that they found.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from pytest_nbsafe.kernel.contract import CODE, HOME, OPEN_FIGURES
from pytest_nbsafe.resume.lineage import Lineage, Loads
from pytest_nbsafe.resume.needed_imports import may_tell, reduced
from pytest_nbsafe.resume.past_runs import KeptValue, PastRun
from pytest_nbsafe.resume.read_beyond import words_of_code_in
from pytest_nbsafe.resume.state import (
    BESIDE,
    Held,
    State,
    figures_asked,
    is_axis,
    lookups_told,
    names_of,
    results_of,
)
from pytest_nbsafe.resume.text_patterns import reads_all, renames_axis
from pytest_nbsafe.resume.words import words_of
from pytest_nbsafe.values import dataclass, replace

_CODE = frozenset({"function", "type", "method", "functools.partial", "abc.ABCMeta", "lambda"})


@dataclass(frozen=True, slots=True)
class Step:
    """What is done about a run: whether it is run, and which co-variables are loaded after that.

    Its text is run without the imports of the names that are `left_out`. What the names hold then
    that are `torn` may have shared objects with what was loaded, and no longer does.
    """

    runs: bool
    loads: tuple[KeptValue, ...] = ()
    source: str = ""
    left_out: frozenset[str] = frozenset()
    torn: frozenset[str] = frozenset()

    @property
    def is_whole(self) -> bool:
        """Whether the run is made as it was."""
        return self.runs and not self.loads and not self.left_out


def steps(
    past: Sequence[PastRun],
    needed: Iterable[str],
    *,
    may_load: bool,
    leaves_out: bool = False,
    earlier: Sequence[PastRun] = (),
) -> tuple[list[Step], set[str]]:
    """Return what is to be done about each run so that all names that are `needed` are held.

    And the names that have to be held before the first. `earlier` are the runs before them, of
    which nothing is to be done. Without `may_load` all are run. Imports that nothing needs may be
    left out where it `leaves_out` any.
    """
    if not may_load:
        whole = [Step(runs=True, source=run.source) for run in past]
        return whole, set(past[0].before) - {BESIDE} if past else {*needed}
    wanted, plan, after = set(needed), list[Step](), list[frozenset[str]]()
    loading = Loads(Lineage([*earlier, *past]))
    for place, run in reversed([*enumerate(past, len(earlier))]):
        loads = loading.at(place, run, wanted, wanted)
        for kept in loads:
            wanted.difference_update(kept.names)
        for kept in loads:
            wanted.update(kept.covariable["needs"])
        runs = run.has_effects or bool(wanted & run.changed & run.after.keys())
        after.append(frozenset(wanted if runs else ()))
        if runs:
            loading.note_run(place, run)
            wanted = (wanted - run.bound) | run.reads
        plan.append(Step(runs, loads, run.source))
    plan = [
        replace(step, torn=loading.torn.get(place, frozenset()))
        for place, step in enumerate(reversed(plan), len(earlier))
    ]
    made = [run.source for run, step in zip(past, plan, strict=True) if step.runs]
    if leaves_out and not may_tell(words_of(*made)) and not reads_all(*made):
        texts = reduced(past, after[::-1])
        plan = [
            replace(step, source=text.source, left_out=text.left_out)
            for step, text in zip(plan, texts, strict=True)
        ]
    return plan, wanted


def opened(past: Sequence[PastRun]) -> list[str]:
    """Return the files that runs have read, and the modules that they imported."""
    told = (run.executed.event for run in past)
    inputs = [event["inputs"] for event in told if event is not None]
    return [path for each in inputs if each for path in (*each["opened"], *each["modules"])]


def needed(state: State, texts: Collection[str]) -> set[str]:
    """Return the names that texts may read, with those of functions and classes as `reached`."""
    words = words_of(*texts)
    is_open = reads_all(*texts) or any(state[word].kind == HOME for word in words & state.keys())
    names = names_of(state) if is_open else words
    beside = lookups_told(words) | figures_asked(words)
    return (state.keys() & (names | beside)) | results_of(names, state)


def may_rename(state: State, texts: Collection[str]) -> bool:
    """Return whether texts may rename an axis of tables, be it one that has a name of its own."""
    axes = {name for name, held in state.items() if is_axis(held.kind)}
    return renames_axis(*texts, axes=axes)


def reached(state: State, texts: Iterable[str], past: Iterable[PastRun]) -> frozenset[str]:
    """Return texts, and those that made the functions and classes that they mention, and so on.

    Where past runs changed such a value after it was made, so are their texts: it still runs what
    the text says that made it. A text of names alone stands for the code that values may hold into
    which nobody sees, as a database does to which a function was given.
    """
    past = [*past]
    makers = _texts_that_made(past)
    found, words = set[str](), set[str]()
    waiting = [*texts]
    while waiting:
        text = waiting.pop()
        found.add(text)
        fresh = words_of(text) - words
        words |= fresh
        waiting += [
            made
            for name in fresh
            if (held := state.get(name)) is not None and is_code(held)
            for made in makers.get(name, ())
        ]
        waiting += filter(None, [" ".join(sorted(words_of_code_in(fresh, past, state) - words))])
    return frozenset(found)


def _texts_that_made(past: Iterable[PastRun]) -> Mapping[str, Sequence[str]]:
    """Return for each name the texts of the run that bound it, and of those that changed it."""
    texts: dict[str, list[str]] = {}
    for run in past:
        for name in run.bound:
            texts[name] = [run.source]
        for name in run.changed - run.bound:
            texts.setdefault(name, []).append(run.source)
    return texts


def is_code(held: Held) -> bool:
    """Return whether a name may hold a function, a class or what has one of its own."""
    return (
        held.kind in _CODE
        or CODE in held.hash
        or held.kind.startswith("__main__.")
        or not held.kind
    )


def made_now(
    held: Mapping[str, str], past: Sequence[PastRun], plan: Sequence[Step], state: State
) -> tuple[dict[str, str], list[str]]:
    """Return the names that a kernel holds after a plan, with the entry that made what they hold.

    And those that are stale: they hold an older value than in the `state` of the session, or may
    have lost what they shared. `held` is what the kernel held before.
    """
    held = dict(held)
    for run, step in zip(past, plan, strict=True):
        if step.runs:
            held = held_after(held, run)
        for name in step.left_out:
            held.pop(name, None)
        names = {name for kept in step.loads for name in kept.names}
        held.update({name: run.after[name].maker for name in names})
        for name in step.torn - names:
            held.pop(name, None)
    stale = [n for n in held if n not in state or state[n].maker != held[n]]
    stale += sorted(frozenset().union(*(step.torn for step in plan)) - held.keys())
    return {name: held[name] for name in held.keys() - stale}, stale


def held_after(held: Mapping[str, str], run: PastRun) -> dict[str, str]:
    """Return the names that a kernel holds after a run, with the entry that made what they hold.

    What the run did not bind, and may have changed all the same, it has changed where it was there.
    """
    now = dict(held)
    for name in run.changed:
        was = run.before.get(name)
        is_held = was is not None and held.get(name) == was.maker
        is_beside = name.startswith("<") and name != OPEN_FIGURES
        if name in run.after and (is_held or name in run.bound or is_beside):
            now[name] = run.after[name].maker
        else:
            now.pop(name, None)
    return now
