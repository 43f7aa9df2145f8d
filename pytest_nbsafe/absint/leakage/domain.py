"""Leaks as a domain of the engine: which sequences of runs would end in a score on known rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING

from pytest_nbsafe.absint.engine import Domain, Violation, meets
from pytest_nbsafe.absint.leakage.libraries import names_learning
from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.notebook.plan import Plan
from pytest_nbsafe.notebook.whatif import Cause
from pytest_nbsafe.values import dataclass, replace

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.interpret import Machine
    from pytest_nbsafe.absint.leakage.leak import Leak
    from pytest_nbsafe.analysis.graph import Graph

_OF_THE_PAGE = frozenset({"NBS314", "NBS321", "NBS323", "NBS324"})
"""Codes that judge a whole page: a sequence of runs after it shows nothing new of them."""


@dataclass(frozen=True, slots=True)
class State:
    """What the interpreter knows after some runs, and the names that they `changed`.

    `parts` are its scopes, heap and so on as tuples; `events` those of all runs so far.
    """

    parts: tuple[Hashable, ...] = ()
    events: tuple[Hashable, ...] = ()
    changed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Leakage:
    """The domain for one notebook that was run as a plan says.

    States are not joined: what is certain on either of two sequences need not be on both.
    """

    graph: Graph
    start: State

    @property
    def name(self) -> str:
        """The domain's name."""
        return "leakage"

    def initial(self) -> State:
        """Return the state after the plan."""
        return self.start

    def transfer(self, cell: int, state: State) -> State:
        """Return the state after one more run of the cell."""
        from pytest_nbsafe.absint.leakage import orders
        from pytest_nbsafe.absint.leakage.interpret import Enough

        machine = _restored(state)
        try:
            orders.run(machine, self.graph, cell)
        except Enough:
            return state
        binds = {d.name for d in self.graph.cells[cell].definitions}
        return _kept(machine, state.changed | binds)

    def join(self, a: State, b: State) -> State:
        """Return the later of two states."""
        del a
        return b

    def widen(self, old: State, new: State) -> State:
        """Return the old state: a cell that ran so often leaks in no new way."""
        del new
        return old

    def covers(self, old: State, new: State) -> bool:
        """Return whether two states say the same."""
        return old == new

    def phi(self, state: State, cell: int) -> bool:
        """Return whether the cell reads anything that the runs changed."""
        uses = {use.name: use for use in self.graph.cells[cell].uses}
        return meets(state.changed, uses)

    def check(self, cell: int, entry: State, after: State) -> Iterator[Violation]:
        """Yield the leaks that the scores of this run show, though the page may show them too."""
        for leak in _judged(self.graph, after, after.events[len(entry.events) :]):
            if leak.certain:
                line = leak.steps[-1][1] if leak.steps else leak.span.line
                steps = tuple(Cause(*step) for step in leak.steps[:-1])
                span = Span(line, 1, line, 1)
                yield Violation(cell, span, leak.model or leak.what, _says(leak), steps)


def domain(graph: Graph, plan: Plan, run: int, change: str | None) -> Domain[State]:
    """Return the domain for a notebook that was run as the plan says."""
    del run, change
    state = State()
    found = Leakage(graph, state)
    if not names_learning(cell.source for cell in graph.notebook.code_cells):
        return _Nothing()
    for cell in plan.cells:
        state = found.transfer(cell, state)
    return Leakage(graph, replace(state, changed=frozenset()))


class _Nothing:
    """The domain of a notebook in which nothing learns."""

    name = "leakage"

    def initial(self) -> State:
        return State()

    def transfer(self, _cell: int, state: State) -> State:
        return state

    def join(self, a: State, _b: State) -> State:
        return a

    def widen(self, old: State, _new: State) -> State:
        return old

    def covers(self, _old: State, _new: State) -> bool:
        return True

    def phi(self, _state: State, _cell: int) -> bool:
        return False

    def check(self, _cell: int, _entry: State, _after: State) -> Iterator[Violation]:
        return iter(())


_TAILS = {
    "NBS302": "of which {what} was taken",
    "NBS303": "by whose labels its features were chosen",
    "NBS311": "of which it has seen copies",
    "NBS312": "that it was fitted on",
    "NBS313": "that were joined to its training rows",
    "NBS322": "by which its training was stopped",
    "NBS331": "split at random from a series",
    "NBS332": "of groups that it was fitted on",
    "NBS333": "with values of later rows",
    "NBS341": "with the target among the features",
    "NBS342": "whose labels are in its features",
}


def _says(leak: Leak) -> str:
    tail = _TAILS.get(leak.code, "that {what} was fitted on").format(what=leak.what)
    return f"scores {leak.model or leak.what} on {leak.test or 'rows'} {tail} ({leak.code})"


def _judged(graph: Graph, state: State, events: tuple[Hashable, ...]) -> Iterator[Leak]:
    from pytest_nbsafe.absint.leakage import sinks
    from pytest_nbsafe.absint.leakage.paths import page_of

    page = page_of(_restored(state), graph)
    for leak in sinks.judge(events, page):  # type: ignore[arg-type]
        if leak.code not in _OF_THE_PAGE:
            yield leak


# -- a machine as a value --------------------------------------------------------------------------

_DICTS = ("heap", "groups", "splits", "places", "sources", "times", "runs", "tokens", "saved")


def _kept(machine: Machine, changed: frozenset[str]) -> State:
    scope = tuple(machine.scopes[0].items())
    dicts = tuple(tuple(getattr(machine, name).items()) for name in _DICTS)
    markers = tuple((name, tuple(known.items())) for name, known in machine.markers.items())
    rest = tuple(machine.stars), machine.last
    return State((scope, dicts, markers, rest), tuple(machine.events), changed)


def _restored(state: State) -> Machine:
    from pytest_nbsafe.absint.leakage import knowledge
    from pytest_nbsafe.absint.leakage.interpret import Machine

    machine = Machine(knowledge.load())
    if state.parts:
        scope, dicts, markers, rest = state.parts
        machine.scopes = [dict(scope)]  # type: ignore[call-overload]
        for name, items in zip(_DICTS, dicts, strict=True):  # type: ignore[call-overload]
            setattr(machine, name, dict(items))
        machine.markers = {name: dict(known) for name, known in markers}  # type: ignore[attr-defined]
        machine.stars, machine.last = list(rest[0]), rest[1]  # type: ignore[index]
        machine.events = list(state.events)  # type: ignore[arg-type]
    return machine
