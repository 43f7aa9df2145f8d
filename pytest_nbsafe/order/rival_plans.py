"""Plans that tell another history where the counts leave real doubt: for a trial to choose among.

There is doubt where a cell most likely, but not surely, read what the plan says (`readings`), and
another plan says that it read what another cell made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.order import orderings
from pytest_nbsafe.order.ambiguous_reads import definition_of
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.order.readings import Reading, readings
from pytest_nbsafe.order.shown_values import evidence
from pytest_nbsafe.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class RivalPlan:
    """A plan by which some cells read another definer: `reads` are the doubtful readings."""

    plan: Plan
    reads: tuple[Reading, ...]


def rivals(graph: Graph, plan: Plan, clean: Plan) -> tuple[RivalPlan, ...]:
    """Return the plans that say something else of a doubtful reading, the page's own order first.

    Then the plan itself with what the page says of these readings alone, and the counts alone.
    """
    doubtful = {
        (reading.reader, reading.name): reading
        for reading in readings(graph, plan)
        if reading.is_doubtful
        and reading.definer is not None
        and not _is_imported(graph, reading.name)
    }
    if not doubtful:
        return ()
    candidates = [clean, _as_the_page_says(graph, plan, doubtful), orderings.recorded(graph)]
    chosen: dict[tuple[int, ...], RivalPlan] = {}
    for rival in candidates:
        reads = tuple(_contested(graph, rival, doubtful))
        if reads and rival.cells != plan.cells:
            chosen.setdefault(rival.cells, RivalPlan(rival, reads))
    return tuple(chosen.values())


def _is_imported(graph: Graph, name: str) -> bool:
    """Return whether all cells that bind a name import it, so that it is the same from each."""
    kinds = (definition_of(graph, cell, name).kind for cell in graph.binders[name])
    return all(kind == "import" for kind in kinds)


def _contested(
    graph: Graph, rival: Plan, doubtful: Mapping[tuple[int, str], Reading]
) -> Iterator[Reading]:
    """Yield the doubtful readings of which the rival says that another cell made the name."""
    for other in readings(graph, rival):
        reading = doubtful.get((other.reader, other.name))
        if reading is not None and other.definer not in {None, reading.definer}:
            yield reading


def _as_the_page_says(
    graph: Graph, plan: Plan, doubtful: Mapping[tuple[int, str], Reading]
) -> Plan:
    """Return the plan that runs another definer before each reader that is in doubt.

    That is the one whose value the saved output shows, else the nearest above.
    """
    wanted_by: dict[int, dict[int, str]] = {}
    for (reader, name), reading in doubtful.items():
        above = [cell for cell in graph.binders.get(name, ()) if cell < reader]
        wanted = evidence(graph, reader, name).maker or max(above, default=None)
        if wanted is not None and wanted != reading.definer:
            wanted_by.setdefault(reader, {})[wanted] = name
    last = plan.last_runs
    runs: list[Run] = []
    for run in plan.runs:
        if last[run.cell] is run:
            for cell, name in sorted(wanted_by.get(run.cell, {}).items()):
                reason = f"defines `{name}`, which cell {run.cell} needs, as the page says"
                runs.append(Run(0, cell, None, recorded=False, reason=reason, session=run.session))
        runs.append(run)
    return Plan(plan.order, tuple(replace(run, step=step) for step, run in enumerate(runs, 1)))
