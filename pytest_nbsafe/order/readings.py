"""What each cell reads at its last run in a plan: whose value that is, and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from pytest_nbsafe.analysis import dependencies, state
from pytest_nbsafe.analysis.model import Graph, kept
from pytest_nbsafe.analysis.scopes import is_known
from pytest_nbsafe.order import chances
from pytest_nbsafe.order.plan import Plan, Run, runnable
from pytest_nbsafe.order.saved_errors import missing_then
from pytest_nbsafe.order.shown_values import evidence
from pytest_nbsafe.values import dataclass

DOUBTFUL = 0.9
"""A reading that is less likely right is shown as doubtful."""


@dataclass(frozen=True, slots=True)
class Reading:
    """`reader` reads `name` as the run `maker` left it; None if nothing before it binds the name.

    `probability` is how likely it is so, on the whole; `why` a fragment of a sentence.
    `unrecoverable`: what made the name is most likely no longer on the page; a `maker` is then
    the best guess.
    """

    reader: int
    name: str
    maker: Run | None
    probability: float
    unrecoverable: bool
    why: str

    @property
    def definer(self) -> int | None:
        """The cell whose run made it."""
        return None if self.maker is None else self.maker.cell

    @property
    def is_doubtful(self) -> bool:
        """Whether a reader of the plan should be told of it."""
        return self.unrecoverable or self.probability < DOUBTFUL


def readings(graph: Graph, plan: Plan) -> tuple[Reading, ...]:
    """Return what the last run of each cell reads of others, in the order of the plan.

    Left out: what Python brings along, state that no name holds, and what is not surely needed.
    What a star import may have bound, or code that cannot be read, is left out, too, where nothing
    else binds it.
    """
    bound = dependencies.bound_by_cells(graph)
    last = plan.last_runs
    made: dict[str, Run] = {}
    answers: list[Reading] = []
    hidden = False
    for run in plan.runs:
        analysis = graph.cells[run.cell]
        hidden = hidden or bool(analysis.opaque) or analysis.fault is not None
        if last[run.cell] is run:
            absent = missing_then(graph, run.cell)
            for name in needed(graph, run.cell):
                maker = None if name in absent else made.get(name)
                if maker is not None or not hidden:
                    answers.append(_reading(graph, plan, run, name, maker, last))
        for name in analysis.removed:
            made.pop(name, None)
        made.update(dict.fromkeys(bound[run.cell], run))
    return tuple(answers)


@kept
def needed(graph: Graph, cell: int) -> tuple[str, ...]:
    """Return the names without which the cell cannot do its work, in order of appearance.

    A read inside a function that may not be reached, and a read where a missing name is
    expected, prove nothing. A file may be there from before.
    """
    major = graph.notebook.python_major
    uses = (use for use in dependencies.needs(graph, cell) if not state.outlives_kernel(use.name))
    wanted = (use.name for use in uses if use.is_needed and not is_known(use.name, major))
    return tuple(dict.fromkeys(wanted))


def confidence(answers: Sequence[Reading]) -> float | None:
    """Return which share of the readings is most likely right; None when nothing is read."""
    return sum(r.probability for r in answers) / len(answers) if answers else None


def _reading(
    graph: Graph, plan: Plan, run: Run, name: str, maker: Run | None, last: Mapping[int, Run]
) -> Reading:
    if maker is None:
        return _lost(graph, plan, run, name)
    if (by_output := _by_output(graph, run, name, maker)) is not None:
        return by_output
    cells = [cell for cell in graph.binders.get(name, ()) if cell != run.cell]
    nearest = max((cell for cell in cells if cell < run.cell), default=None)
    agreed = nearest is None or maker.cell == nearest
    if not maker.recorded and plan.order == "inferred":
        own = last[maker.cell]
        return _of_an_inferred_run(graph, run, name, maker, own, doubtful=not agreed)
    if maker.session != run.session:
        why = "it ran in another session"
        return Reading(run.cell, name, maker, chances.OTHER_SESSION, unrecoverable=False, why=why)
    if len(cells) < 2:
        why = "no other cell binds it"
        return Reading(run.cell, name, maker, chances.RECORDED, unrecoverable=False, why=why)
    if agreed:
        why = "it ran last before, and is the nearest above"
        return Reading(run.cell, name, maker, chances.ONE_OF_SEVERAL, unrecoverable=False, why=why)
    chance = chances.FROM_BELOW if maker.cell > run.cell else chances.AGAINST_THE_PAGE
    why = f"it ran last before, though cell {nearest} is nearer above"
    return Reading(run.cell, name, maker, chance, unrecoverable=False, why=why)


def _by_output(graph: Graph, run: Run, name: str, maker: Run) -> Reading | None:
    """Return the reading as the saved output tells it, None where it tells nothing."""
    shown = evidence(graph, run.cell, name)
    if maker.cell == shown.maker:
        why = "the saved output shows what it makes"
        return Reading(run.cell, name, maker, chances.RECORDED, unrecoverable=False, why=why)
    if maker.cell not in shown.others:
        return None
    why = "but the saved output shows another value than it makes now"
    if shown.maker is not None:
        why += f", that of cell {shown.maker}"
    chance = 1 - chances.RECORDED
    return Reading(run.cell, name, maker, chance, unrecoverable=shown.is_lost, why=why)


def _of_an_inferred_run(
    graph: Graph, run: Run, name: str, maker: Run, own: Run, *, doubtful: bool
) -> Reading:
    """Return the reading of what a cell most likely made in a run that left no count.

    `own` is the last run of that cell.
    """
    later = None
    if own.recorded and own.session == run.session and own.count and run.count:
        later = own.count - run.count
    is_gone = (
        later is not None
        and chances.is_much_later(later, sets_up=sets_up(graph, maker.cell))
        and not in_sequence(graph, maker.cell)
        and not doubtful
    )
    chance = chances.ran_before(
        later,
        slot=maker.count is not None,
        in_sequence=in_sequence(graph, maker.cell),
        is_counted=graph.notebook.cell(maker.cell).count is not None,
        doubtful=doubtful,
        sets_up=sets_up(graph, maker.cell),
    )
    why = "its run is inferred"
    if is_gone:
        why = f"it ran only as [{own.count}], much later, so what made the name may be gone"
    return Reading(run.cell, name, maker, chance, unrecoverable=is_gone, why=why)


def sets_up(graph: Graph, cell: int) -> bool:
    """Return whether a cell binds many names and needs none: imports, settings, helpers."""
    return len(graph.cells[cell].leaves) >= chances.MANY_NAMES and not needed(graph, cell)


def in_sequence(graph: Graph, cell: int) -> bool:
    """Return whether the last run of a cell came right after that of the cell above it."""
    return cell in _in_sequence(graph)


@kept
def _in_sequence(graph: Graph) -> frozenset[int]:
    return frozenset(
        cell.number
        for above, cell in pairwise(runnable(graph))
        if above.count is not None and cell.count == above.count + 1
    )


def _lost(graph: Graph, plan: Plan, run: Run, name: str) -> Reading:
    others = any(cell != run.cell for cell in graph.binders.get(name, ()))
    if name in missing_then(graph, run.cell):
        why = "the saved error says that it was not there"
    elif not others:
        why = "no other cell binds it"
    elif plan.order == "inferred":
        why = "no cell that binds it can have run before"
    else:
        why = "in this order no cell that binds it runs before"
    lost = plan.order == "inferred" or not others
    chance = chances.RECORDED if lost else 1 - chances.RECORDED
    return Reading(run.cell, name, None, chance, unrecoverable=lost, why=why)
