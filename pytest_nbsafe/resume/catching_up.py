"""How a kernel comes to the state of a session without running all of it again.

Looked at from the end: what the cells to come may read is needed; of each run, the last first, what
is needed of it is loaded where it is kept, else it is run, and needs what it read. A run that did
what no value shows (an import, a magic, a setting) is run in any case.

Source: Kishu (Fang et al. 2025), 5: loads before re-runs. Departs: the kernel is a fresh one, so
that runs come in their own order and find the values that they found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pytest_nbsafe import patterns
from pytest_nbsafe.kernel.checkpoint_contract import CoVariable
from pytest_nbsafe.kernel.contract import CODE
from pytest_nbsafe.resume.state import BESIDE, Held, State, runs_of, unexpected
from pytest_nbsafe.runner.executed import Executed
from pytest_nbsafe.values import dataclass

_EFFECTS = patterns.compile(
    r"^[ \t]*(?:[%!]|import\b|from\b)|=[ \t]*[%!]|\bget_ipython\b|\bimport_module\b", 8
)
"""Texts that may do what no value shows; 8 is `re.MULTILINE`."""
_CODE = frozenset({"function", "type", "method", "functools.partial", "abc.ABCMeta", "lambda"})
_OPEN = patterns.compile(
    r"\b(?:exec|eval|globals|locals|vars|dir|user_ns|user_global_ns|__main__|dill)\b"
    r"|^[ \t]*%?who(?:s|_ls)?\b",
    8,
)
"""Texts that may read names that they do not mention."""
_LISTS = patterns.compile(
    r"\b(?:globals|locals|vars|dir)\(\)|\b(?:user_ns|user_global_ns|__main__|dill)\b"
    r"|^[ \t]*%?who(?:s|_ls)?\b",
    8,
)
"""Texts that may look at all names that there are, those that IPython numbers among them."""
_WORD = patterns.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run of a session: its entry, its text, and what came of it.

    `before` and `after` are what was held around it. `kept` are the co-variables that are kept of
    it, none where nothing is. `beyond` are names that it may have read though neither it nor a
    function that it mentions does. It is `by_value` where the values that it found are equal to
    those that it would find now, but other runs made them.
    """

    entry: str
    source: str
    executed: Executed
    before: State
    after: State
    kept: tuple[CoVariable, ...] = ()
    by_value: bool = False
    beyond: frozenset[str] = frozenset()

    @property
    def learning(self) -> frozenset[str]:
        """The libraries that it called whose functions learn, split, judge or join rows."""
        event = self.executed.event
        inputs = event["inputs"] if event is not None else None
        return frozenset(inputs["learning"] if inputs is not None else ())

    @property
    def changed(self) -> frozenset[str]:
        """The names that it made, changed or removed."""
        made = {name for name, held in self.after.items() if held.run == self.entry}
        return frozenset(made | (self.before.keys() - self.after.keys())) - {BESIDE}

    @property
    def bound(self) -> frozenset[str]:
        """The names that it bound anew, whatever they held before, or removed."""
        event = self.executed.event
        return frozenset(event["bindings"] if event is not None else ())

    @property
    def reads(self) -> frozenset[str]:
        """The names that it may have read."""
        event = self.executed.event
        if event is None or reads_all(self.source):
            return frozenset(name for name in self.before if not name.startswith("<"))
        return self.beyond.union(event["before"], unexpected(event))

    @property
    def has_effects(self) -> bool:
        """Whether it may have done what no value shows."""
        event = self.executed.event
        inputs = event["inputs"] if event is not None else None
        told = inputs is None or bool(inputs["settings"] or inputs["drew"] or inputs["packages"])
        return told or _EFFECTS.search(self.source) is not None

    @property
    def is_quiet(self) -> bool:
        """Whether all that it did, beyond names, was to draw random numbers."""
        event = self.executed.event
        inputs = event["inputs"] if event is not None else None
        if inputs is None or _EFFECTS.search(self.source) is not None:
            return False
        told = inputs["settings"], inputs["packages"], inputs["modules"], inputs["written"]
        return not any(told) and not inputs["variables_set"]


@dataclass(frozen=True, slots=True)
class Step:
    """What is done about a run: whether it is run, and which co-variables are loaded after that."""

    runs: bool
    loads: tuple[CoVariable, ...] = ()


def steps(
    past: Sequence[PastRun], needed: Iterable[str], *, may_load: bool
) -> tuple[list[Step], set[str]]:
    """Return what is to be done about each run so that all names that are `needed` are held.

    And the names that have to be held before the first. Without `may_load` all are run.
    """
    if not may_load:
        return [Step(runs=True)] * len(past), set(past[0].before) - {BESIDE} if past else {*needed}
    wanted, plan = set(needed), []
    for run in reversed(past):
        loads = tuple(
            kept for kept in run.kept if not kept["cause"] and wanted.intersection(kept["names"])
        )
        for kept in loads:
            wanted.difference_update(kept["names"])
        for kept in loads:
            wanted.update(kept["needs"])
        runs = run.has_effects or bool(wanted & run.changed & run.after.keys())
        if runs:
            wanted = (wanted - run.bound) | run.reads
        plan.append(Step(runs, loads))
    return plan[::-1], wanted


def opened(past: Sequence[PastRun]) -> list[str]:
    """Return the files that runs have read, and the modules that they imported."""
    told = (run.executed.event for run in past)
    inputs = [event["inputs"] for event in told if event is not None]
    return [path for each in inputs if each for path in (*each["opened"], *each["modules"])]


def reads_all(*texts: str) -> bool:
    """Return whether texts may read names that they do not mention."""
    return any(map(_OPEN.search, texts))


def lists_names(*texts: str) -> bool:
    """Return whether texts may ask which names there are."""
    return any(map(_LISTS.search, texts))


def needed(state: State, texts: Sequence[str], sources: Mapping[str, str]) -> set[str]:
    """Return the names that texts may read, through functions and classes too."""
    if reads_all(*texts):
        return {name for name in state if not name.startswith("<")}
    return state.keys() & mentioned(state, texts, sources)


def mentioned(state: State, texts: Sequence[str], sources: Mapping[str, str]) -> set[str]:
    """Return the words of texts, and of those that made the functions and classes among them.

    `sources` gives the texts of entries.
    """
    words = set[str]()
    waiting = [*texts]
    while waiting:
        fresh = set(_WORD.findall(waiting.pop())) - words
        words |= fresh
        waiting += [
            sources.get(entry, "")
            for name in fresh
            if (held := state.get(name)) is not None and is_code(held)
            for entry in runs_of(held.maker)
        ]
    return words


def is_code(held: Held) -> bool:
    """Return whether a name may hold a function, a class or what has one of its own."""
    return (
        held.kind in _CODE
        or CODE in held.hash
        or held.kind.startswith("__main__.")
        or not held.kind
    )


def made_now(
    held: Mapping[str, str], past: Sequence[PastRun], plan: Sequence[Step]
) -> dict[str, str]:
    """Return the names that a kernel holds after a plan, with the entry that made what they hold.

    `held` is what it held before. Where the entry is not the one that the session says, the kernel
    holds an older value.
    """
    held = dict(held)
    for run, step in zip(past, plan, strict=True):
        if step.runs:
            held = held_after(held, run)
        names = {name for kept in step.loads for name in kept["names"]}
        held.update({name: run.after[name].maker for name in names})
    return held


def held_after(held: Mapping[str, str], run: PastRun) -> dict[str, str]:
    """Return the names that a kernel holds after a run, with the entry that made what they hold.

    What the run did not bind, and may have changed all the same, it has changed where it was there.
    """
    now = dict(held)
    for name in run.changed:
        was = run.before.get(name)
        is_held = was is not None and held.get(name) == was.maker
        if name in run.after and (is_held or name in run.bound or name.startswith("<")):
            now[name] = run.after[name].maker
        else:
            now.pop(name, None)
    return now
