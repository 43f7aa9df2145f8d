"""Which cells are followed below the names on the side of a plan, and what came of it.

Source: the design, 5.3: a cheap pass everywhere, a fine-grained one on the cells that a suspicion
names. The cells that are tried are followed as they run; those that a suspicion only names are run
for it, where their text does not tell which parts of a name they read and change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.analysis.parts import WHOLE, Reader
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.trace import lineage, staleness
from pytest_nbsafe.trace.consistency import consistency
from pytest_nbsafe.trace.results import CellResult
from pytest_nbsafe.trace.side_runs import Counterfactual, SeenParts, TouchedParts, others
from pytest_nbsafe.trace.suspicions import Suspicions
from pytest_nbsafe.values import replace

MOST = 12
"""How many cells are followed at the end of a plan that nothing else asks of."""


class FollowedCells:
    """The runs of one plan's cells that were followed, and the steps whose cell should be."""

    def __init__(self, graph: Graph, suspicions: Suspicions) -> None:
        self._graph = graph
        self._suspicions = suspicions
        self._runs: dict[int, list[TouchedParts]] = {}
        self._reader = Reader(graph)
        self._wanted: frozenset[int] | None = None

    @property
    def seen(self) -> SeenParts:
        """What was seen so far."""
        return SeenParts({cell: tuple(runs) for cell, runs in self._runs.items()})

    def is_wanted(self, plan: Plan, step: int) -> bool:
        """Return whether the cell of a plan's step should be followed before it runs there."""
        if self._wanted is None:
            self._wanted = frozenset((*self._suspected(), *self._contradicted(plan)))
        return step in self._wanted and plan.runs[step - 1].cell not in self._runs

    def note(
        self, done: Sequence[CellResult], due: int, cells: Sequence[int], answer: Counterfactual
    ) -> None:
        """Keep what is told of cells that ran on the side of a plan, after what is `done` of it.

        The first of them, where it is the cell that is `due`, runs from the state of its own step.
        """
        for place, (cell, touched) in enumerate(zip(cells, answer.touched, strict=False)):
            if touched is None or answer.results[place].status != "ok":
                continue
            own = next((result for result in reversed(done) if result.cell == cell), None)
            exact = place == 0 and cell == due
            result = answer.results[place]
            names = frozenset() if exact else others(result, touched.entered, own)
            self._runs.setdefault(cell, []).append(replace(touched, others=names))

    def left(self, plan: Plan, results: Sequence[CellResult]) -> tuple[int, ...]:
        """Return cells to be followed once a plan has run: what its trace suspects besides.

        They are those that read something which is not what it was then, and those that made it so.
        """
        records = lineage.records(results)
        page = lineage.static_records(self._graph, _in_page_order(plan))
        suspected = staleness.suspicions(self._graph, plan, records, page, self.seen)
        cells = {cell for old in suspected.outdated for cell in (old.cell, old.definer)}
        cells |= {read.cell for read in suspected.stale_reads}
        causes = [cause for read in suspected.stale_reads for cause in read.chain]
        cells |= {cell for cause in causes for cell in (cause.cell, cause.parent_cell)}
        for state in consistency(results).values():
            makers = {change.maker for change in state.changed if change.maker}
            cells |= {state.cell, *makers} if makers else set()
        ran = {result.cell for result in results if result.status == "ok"}
        return tuple(sorted(cells & ran - self._runs.keys()))[:MOST]

    def _suspected(self) -> Iterator[int]:
        """Yield the steps that change a suspected name in parts the text hides."""
        for name, step, cell, line in _changes(self._suspicions):
            kinds = {d.kind for d in self._graph.cells[cell].definitions if d.name == name}
            if kinds == {"mutation"} and self._hides(name, cell, line):
                yield step

    def _contradicted(self, plan: Plan) -> Iterator[int]:
        """Yield the steps that change so what a cell below on the page has read before."""
        page = [cell.number for cell in self._graph.notebook.code_cells]
        for edge in dependencies.edges(self._graph, page):
            changed, read = plan.last_run(edge.definer), plan.last_run(edge.reader)
            if edge.definition.kind != "mutation" or changed is None or read is None:
                continue
            line = edge.definition.span.line
            if changed.step > read.step and self._hides(edge.name, edge.definer, line):
                yield changed.step

    def _hides(self, name: str, cell: int, line: int) -> bool:
        return self._reader.changed(name, cell, line) == WHOLE


def _in_page_order(plan: Plan) -> Plan:
    """Return the plan that runs each cell of another once, as the page has them."""
    cells = enumerate(sorted({*plan.cells}), 1)
    runs = (Run(step, cell, None, recorded=False, reason="") for step, cell in cells)
    return Plan("top-down", tuple(runs))


def _changes(suspicions: Suspicions) -> Iterator[tuple[str, int, int, int]]:
    """Yield (name, step, cell, line) of what was made again."""
    for read in suspicions.stale_reads:
        for cause in read.chain[-1:]:
            yield cause.parent, cause.parent_at[0], cause.parent_cell, cause.parent_line
    for old in suspicions.outdated:
        yield old.name, old.definer_at[0], old.definer, old.definer_line
