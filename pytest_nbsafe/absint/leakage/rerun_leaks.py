"""Leaks as a domain of the engine: which sequences of runs would end in a score on known rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_nbsafe.absint.engine import Domain, Violation
from pytest_nbsafe.absint.leakage.leak import OF_THE_PAGE, names_learning
from pytest_nbsafe.analysis.budget import CutShort
from pytest_nbsafe.analysis.model import Graph, Span
from pytest_nbsafe.findings import Step
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.values import dataclass, replace

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.leak import Leak
    from pytest_nbsafe.absint.leakage.machine import Machine


@dataclass(frozen=True, slots=True)
class RanMachine:
    """A machine after some runs, which is run no further, and the names that these `changed`."""

    machine: Machine
    changed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Leakage:
    """The domain for one notebook that was run as a plan says.

    States are not joined: what is certain on either of two sequences need not be on both.
    """

    graph: Graph
    start: RanMachine

    def initial(self) -> RanMachine:
        """Return the state after the plan."""
        return self.start

    def transfer(self, cell: int, state: RanMachine) -> RanMachine:
        """Return the state after one more run of the cell; the same where that is too long."""
        from pytest_nbsafe.absint.leakage import passes

        machine = state.machine.copy()
        try:
            passes.run(machine, self.graph, cell)
        except (CutShort, RecursionError):
            return state
        binds = {d.name for d in self.graph.cells[cell].definitions}
        return RanMachine(machine, state.changed | binds)

    def widen(self, old: RanMachine, new: RanMachine) -> RanMachine:
        """Return the old state: a cell that ran so often leaks in no new way."""
        del new
        return old

    def covers(self, old: RanMachine, new: RanMachine) -> bool:
        """Return whether two states say the same."""
        return old == new

    def phi(self, state: RanMachine, cell: int) -> bool:
        """Return whether the cell reads anything that the runs changed.

        Source: NBLyzer, section 4.1.1, the operator phi.
        """
        return any(use.name in state.changed for use in self.graph.cells[cell].uses)

    def check(self, cell: int, entry: RanMachine, after: RanMachine) -> Iterator[Violation]:
        """Yield the leaks that the scores of this run show, though the page may show them too."""
        from pytest_nbsafe.absint.leakage import sinks
        from pytest_nbsafe.absint.leakage.leak_paths import page_of

        notes = after.machine.notes
        events = notes.events[len(entry.machine.notes.events) :]
        for leak in sinks.judge(events, page_of(notes, self.graph)):
            if leak.certain and leak.code not in OF_THE_PAGE:
                line = leak.steps[-1][1] if leak.steps else leak.span.line
                steps = tuple(Step(*step) for step in leak.steps[:-1])
                span = Span(line, 1, line, 1)
                yield Violation(cell, span, leak.model or leak.what, _says(leak), steps)


def domain(graph: Graph, plan: Plan, extra: str = "") -> Domain[RanMachine] | None:
    """Return the domain for a notebook that was run as the plan says, None where nothing learns.

    `extra` is the user's table as JSON text, as for `leakroles.load`.
    """
    if not names_learning((cell.source for cell in graph.notebook.code_cells), extra):
        return None
    from pytest_nbsafe.absint.leakage import passes

    state = RanMachine(passes.begin(extra))
    leakage = Leakage(graph, state)
    for cell in plan.cells:
        state = leakage.transfer(cell, state)
    return Leakage(graph, replace(state, changed=frozenset()))


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
