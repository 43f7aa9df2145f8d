"""The runs of a session, as what follows them sees them: what each read, made and did beside."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from pytest_nbsafe.kernel.checkpoint_contract import CoVariable
from pytest_nbsafe.kernel.contract import OPEN_FIGURES, Inputs
from pytest_nbsafe.kernel.learning_contract import LogNote
from pytest_nbsafe.resume.learned import NOTHING_LEARNED, Learned
from pytest_nbsafe.resume.positions import NO_NOTE, log_note
from pytest_nbsafe.resume.state import (
    BESIDE,
    LOOKUPS,
    OF_RESULTS,
    PROJECT,
    RESULTS,
    State,
    asks_figures,
    lookups_told,
    names_of,
    results_of,
    unexpected,
)
from pytest_nbsafe.resume.text_patterns import may_have_effects, reads_all
from pytest_nbsafe.resume.words import words_of
from pytest_nbsafe.runner.executed import Executed
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class KeptValue:
    """A co-variable that is kept, and what else was held when it was.

    The names `around` were held then, each as its maker made it, and shared nothing with it.
    """

    covariable: CoVariable
    around: Mapping[str, str]

    @property
    def names(self) -> list[str]:
        """Its names."""
        return self.covariable["names"]


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run of a session: its entry, its text, and what came of it.

    `before` and `after` are what was held around it. `kept` are the co-variables that are kept of
    it, none where nothing is. `beyond` are names that it may have read though neither it nor a
    function that it mentions does. Where the values that it found are equal to those that it would
    find now, but other runs made them, `by_value` stands for those. `links` are as `state.after`
    takes them. `learned` is what is known of learning after it.
    """

    entry: str
    source: str
    executed: Executed
    before: State
    after: State
    kept: tuple[KeptValue, ...] = ()
    by_value: str = ""
    beyond: frozenset[str] = frozenset()
    links: Mapping[str, Collection[str]] | None = None
    learned: Learned = NOTHING_LEARNED

    @property
    def inputs(self) -> Inputs | None:
        """What it used and did beyond the names, None where that is not known."""
        return self.executed.inputs

    @property
    def log_note(self) -> LogNote:
        """What was known of learning after it, with an empty `state` where nobody can tell."""
        event = self.executed.event
        return log_note(event) if event is not None else NO_NOTE

    @property
    def learning(self) -> frozenset[str]:
        """The libraries that it called whose functions learn, split, judge or join rows."""
        inputs = self.inputs
        return frozenset(inputs["learning"] if inputs is not None else ())

    @property
    def packages(self) -> frozenset[str]:
        """The modules of libraries that it was the first to import."""
        inputs = self.inputs
        return frozenset(inputs["packages"] if inputs is not None else ())

    @property
    def submodules(self) -> Sequence[str]:
        """The modules within packages that it was the first to import."""
        inputs = self.inputs
        return inputs["submodules"] if inputs is not None else ()

    @property
    def changed(self) -> frozenset[str]:
        """The names that it made, changed or removed."""
        made = {name for name, held in self.after.items() if held.run == self.entry}
        beside = (name for name in self.after if name.startswith("<"))
        made.update(name for name in beside if self.after[name] != self.before.get(name))
        return frozenset(made | (self.before.keys() - self.after.keys())) - {BESIDE}

    @property
    def bound(self) -> frozenset[str]:
        """The names that it bound anew, whatever they held before, or removed.

        What the functions that they hold have kept is new as well. The first to open a figure has
        made all that is open.
        """
        event = self.executed.event
        bound = frozenset(event["bindings"] if event is not None else ())
        first = {OPEN_FIGURES} if OPEN_FIGURES not in self.before else ()
        return bound.union(map(RESULTS.format, bound), first)

    @property
    def reads(self) -> frozenset[str]:
        """The names that it may have read, and what the functions among them keep."""
        event = self.executed.event
        if event is None or reads_all(self.source):
            names = frozenset(names_of(self.before))
            return names | ({OPEN_FIGURES} & self.before.keys()) | results_of(names, self.before)
        names = self.beyond.union(event["before"], unexpected(event))
        inputs = event["inputs"]
        called = inputs["kept_results"] if inputs is not None else ()
        lookups = lookups_told(words_of(self.source)) & self.before.keys()
        figures = {OPEN_FIGURES} & self.before.keys() if asks_figures(event) else ()
        return names.union(lookups, figures, results_of(names.union(called), self.before))

    @property
    def has_effects(self) -> bool:
        """Whether it may have done what no value shows."""
        inputs = self.inputs
        told = inputs is None or bool(inputs["settings"] or inputs["drew"] or inputs["packages"])
        return told or may_have_effects(self.source)

    @property
    def changes_settings(self) -> bool:
        """Whether it has changed settings, or what modules of libraries hold."""
        inputs = self.inputs
        return inputs is not None and bool(inputs["settings"])

    @property
    def is_quiet(self) -> bool:
        """Whether all that it did, beyond names, was to draw random numbers."""
        inputs = self.inputs
        if inputs is None or may_have_effects(self.source):
            return False
        told = inputs["settings"], inputs["packages"], inputs["modules"], inputs["written"]
        return not any(told) and not inputs["variables_set"]


def entries_by_value(past: Iterable[PastRun]) -> dict[str, str]:
    """Return the entries of the runs that are reused though they found values only equal.

    Each comes with what stands for the values that it would find now.
    """
    return {run.entry: run.by_value for run in past if run.by_value}


def learned(past: Sequence[PastRun]) -> Learned:
    """Return what is known of learning after some runs."""
    return past[-1].learned if past else NOTHING_LEARNED


def unnamed(beside: str, since: Sequence[PastRun]) -> str:
    """Return in words what no name holds, of which these runs have changed something."""
    if beside == PROJECT:
        return "what modules of the project hold"
    if beside == OPEN_FIGURES:
        return "which figures are open, and what is drawn in them,"
    if beside == LOOKUPS:
        return "what was looked up in tables"
    if beside.startswith(OF_RESULTS):
        return f"what `{beside[len(OF_RESULTS) : -1]}` has kept of its results"
    if beside != BESIDE:
        return f"the random numbers of {beside.strip('<>')}"
    told = [run.inputs for run in since]
    settings = {each.removeprefix("module:") for used in told if used for each in used["settings"]}
    return f"settings ({', '.join(sorted(settings))})" if settings else "what no name shows"
