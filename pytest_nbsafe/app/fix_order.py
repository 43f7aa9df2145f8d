"""Notebooks that do not run as they stand, or show what is old: mended, and proved by running.

A remedy is an order of the cells, and what they then show. It is run from top to bottom twice in
copies of the folder, and kept only where nothing is found that was not found before, less of what
was to be mended, and no cell shows what no run of the old page showed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pytest_nbsafe.analysis.dependencies import downstream
from pytest_nbsafe.app.expected import expectations
from pytest_nbsafe.app.session import NotebookSession
from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.fix import fewest_moves, run_constraints, saved_results
from pytest_nbsafe.fix.notebook_text import CellEdit, edited
from pytest_nbsafe.judge.trial import Trial
from pytest_nbsafe.notebook.model import Cell, Output
from pytest_nbsafe.order import dependency
from pytest_nbsafe.order.plan import runnable
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.rules.nbs404_nondeterministic import is_of_draws
from pytest_nbsafe.sentences import cells as in_words
from pytest_nbsafe.sentences import few
from pytest_nbsafe.trace.outputs import shown
from pytest_nbsafe.trace.outputs.comparison import Settings, compare
from pytest_nbsafe.trace.results import CellResult
from pytest_nbsafe.values import dataclass, replace

_ORDER = frozenset({"NBS102", "NBS103", "NBS401", "NBS403"})
"""What another order of the cells may mend."""
_STALE = frozenset({"NBS103", "NBS201", "NBS202", "NBS203", "NBS205", "NBS403"})
"""What running the page from top to bottom, and saving what it shows, may mend."""
Order = tuple[int, ...]
"""The old numbers of the cells, in their new order."""
_TO_MEND = _ORDER | _STALE
_CHANCE = "NBS404"


@dataclass(frozen=True, slots=True)
class Mended:
    """A notebook that is mended: in words, the edits of its cells, their new order, the content.

    `edits` and `order` name the cells by their old numbers; no order means that none moves.
    """

    says: tuple[str, ...]
    edits: Mapping[int, CellEdit]
    order: Order
    content: bytes


@dataclass(frozen=True, slots=True)
class Examined:
    """What was found in a content, and seen when it ran."""

    findings: tuple[Finding, ...]
    facts: Facts
    trial: Trial

    @property
    def page(self) -> tuple[Cell, ...]:
        """The cells that it was saved with."""
        return self.facts.notebook.cells


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What is tried on a notebook.

    `stale` are the cells that show what is old, `below` those that are made from them.
    """

    path: Path
    config: Config
    content: bytes
    stale: frozenset[int]
    below: frozenset[int]

    def with_edits(self, edits: Mapping[int, CellEdit], order: Order) -> bytes:
        """Return the content with these edits, its cells in this order."""
        return edited(self.content.decode("utf-8"), edits, order).encode("utf-8")

    def settings(self, before: Examined, cell: int) -> Settings | None:
        """Return how the outputs of a cell are compared, None where they are not."""
        return expectations(before.facts.notebook, self.config).settings(cell)

    def examined(self, content: bytes) -> Examined | None:
        """Return what is found in a new content, which is run twice."""
        return examined(self.path, twice(self.config), content)


def mended(path: Path, config: Config, content: bytes) -> tuple[Mended | None, tuple[str, ...]]:
    """Return the first remedy that is proved, if any, and why others were not kept."""
    config = as_it_stands(config)
    before = examined(path, config, content)
    if before is None or not _due(before.findings):
        return None, ()
    stale = {finding.location.cell for finding in _due(before.findings) if finding.code in _STALE}
    below = downstream(before.facts.graph, *stale)
    attempt = _Attempt(path, config, content, frozenset(stale), frozenset(below))
    refused: list[str] = []
    for order in _orders(before):
        result = _tried(attempt, before, order)
        if isinstance(result, Mended):
            return result, ()
        refused.append(f"{_called(order)}: {result}")
    return None, tuple(dict.fromkeys(refused))


def as_it_stands(config: Config) -> Config:
    """Return a configuration in which a page is run whole, as it was saved."""
    return replace(config, static=False, resume="off", order="auto", parameters=())


def twice(config: Config) -> Config:
    """Return a configuration in which what the page gives is compared with what it gives again."""
    return replace(config, repeat=max(config.repeat, 2))


def _called(order: Order) -> str:
    moved = sorted(fewest_moves.moved(order))
    return f"{in_words(moved)} moved" if moved else "run again as it stands"


def examined(path: Path, config: Config, content: bytes) -> Examined | None:
    """Run a content in copies of the folder; None where it does not run."""
    session = NotebookSession(path, config, content=content, in_copy=True)
    try:
        for cell in (*(cell.number for cell in session.cells), 0):
            session.outcome(cell)
    finally:
        session.close()
    if session.facts is None or session.trial is None or not session.trial.has_run:
        return None
    return Examined(session.findings, session.facts, session.trial)


def _due(findings: Sequence[Finding]) -> list[Finding]:
    return [f for f in findings if f.code in _TO_MEND and f.severity != "note"]


# -- which orders are tried -----------------------------------------------------------------------


def _orders(before: Examined) -> Iterator[Order]:
    """Yield the orders that may mend, the fewest moves first, the page's own last."""
    due = _due(before.findings)
    number = len(before.facts.notebook.cells)
    as_it_is = tuple(range(1, number + 1))
    if any(_hangs_on_order(before, finding) for finding in due):
        arranged = (fewest_moves.arranged(number, each) for each in _constraints(before))
        orders = dict.fromkeys(order for order in arranged if order not in {None, as_it_is})
        yield from sorted(filter(None, orders), key=lambda order: len(fewest_moves.moved(order)))
    if any(finding.code in _STALE for finding in due):
        yield as_it_is


def _hangs_on_order(before: Examined, finding: Finding) -> bool:
    """Return whether another order may mend a finding; a cell that fails must pass in one."""
    if finding.code != "NBS401" or before.trial.replay is None:
        return finding.code in _ORDER - {"NBS401"}
    as_recorded = before.trial.replay.last(finding.location.cell)
    return as_recorded is not None and as_recorded.status == "ok"


def _constraints(before: Examined) -> Iterator[fewest_moves.Before]:
    """Yield what may bind the cells: the recorded order, what cells read in it, the text."""
    replay = before.trial.replay
    if replay is not None:
        cells = tuple(dict.fromkeys(reversed(replay.plan.cells)))[::-1]
        yield {cell: frozenset(cells[:at]) for at, cell in enumerate(cells)}
        yield run_constraints.of_run(replay.results)
    runs = [cell.number for cell in runnable(before.facts.graph)]
    definers = dependency.definers(before.facts.graph, runs)
    yield {cell: frozenset(others) for cell, others in definers.items()}


# -- one order, tried and proved ------------------------------------------------------------------


def _tried(attempt: _Attempt, before: Examined, order: Order) -> Mended | str:
    """Return what this order of the cells mends, or why it is not kept."""
    runs = {cell.number: cell for cell in runnable(before.facts.graph)}
    counts = saved_results.counts([runs[cell] for cell in order if cell in runs])
    edits = dict(saved_results.recounted(before.facts.notebook, counts))
    content = attempt.with_edits(edits, order)
    after = attempt.examined(content)
    if after is None:
        return "then it does not run"
    ran = {order[r.cell - 1] for r in after.trial.clean.results if r.status == "ok"}
    if failed := sorted(attempt.stale - ran):
        return f"{in_words(failed)} cannot be run again"
    for result in after.trial.clean.results:
        cell = order[result.cell - 1]
        answer = _is_renewed(attempt, before, after, order, result)
        if isinstance(answer, str):
            return answer
        if answer:
            count = counts.get(cell)
            edits[cell] = CellEdit(
                outputs=saved_results.as_saved(result.outputs, count), count=count
            )
    final = attempt.with_edits(edits, order)
    if final != content:
        after = attempt.examined(final)
        if after is None:
            return "then it does not run"
    reason = _unproved(before.findings, after.findings)
    return reason or Mended(tuple(_says(order, edits)), edits, order, final)


def _is_renewed(
    attempt: _Attempt, before: Examined, after: Examined, order: Order, result: CellResult
) -> bool | str:
    """Return whether what a cell shows now is to be saved, or why it may not.

    That is what is old, and what never ran; of an order that failed also what any run of the old
    page showed. What differs by chance stays, and so does what no remedy of ours has to do with.
    """
    cell = order[result.cell - 1]
    page, settings = before.facts.notebook.cell(cell), attempt.settings(before, cell)
    if (
        result.status != "ok"
        or settings is None
        or not any(map(saved_results.has_results, before.page))
    ):
        return False
    if saved_results.has_results(page) and tuple(page.outputs) == tuple(result.outputs):
        return False
    if cell not in attempt.stale and saved_results.has_results(page):
        if not _differ(page.outputs, result.outputs, settings):
            return False
        if cell not in attempt.below:
            if result.cell not in after.trial.changed:
                return False
            if not _shown_before(before, cell, result, settings):
                return f"then cell {cell} shows what it never showed"
            if order == tuple(sorted(order)):
                return False
    if shown.of(result.outputs).is_cut:
        return f"cell {cell} shows more than can be saved"
    return True


def _differ(outputs: Sequence[Output], others: Sequence[Output], settings: Settings) -> bool:
    difference = compare(outputs, others, settings)
    return difference is not None and difference.kind != "unknown"


def _shown_before(before: Examined, cell: int, result: CellResult, settings: Settings) -> bool:
    """Return whether any run of the page as it was gave the same."""
    runs = (run for run in (before.trial.replay, before.trial.clean) if run is not None)
    results = (run.last(cell) for run in runs)
    return any(old and not _differ(old.outputs, result.outputs, settings) for old in results)


def _unproved(before: Sequence[Finding], after: Sequence[Finding]) -> str:
    """Return why the new page is no better than the old one, "" where it is."""
    after = [finding for finding in after if not is_of_draws(finding)]
    more = Counter(map(_key, after)) - Counter(map(_key, before))
    if more:
        codes = sorted({code for code, _ in more})
        if codes == [_CHANCE]:
            return "two runs of it differ"
        return f"then {few(codes, 3)} would be found"
    return "" if len(_due(after)) < len(_due(before)) else "that mends nothing"


def _key(finding: Finding) -> tuple[str, str]:
    """Return what a finding is of, wherever its cell stands: messages name cells by number."""
    return finding.code, finding.fingerprint if finding.anchor else ""


# -- in words -------------------------------------------------------------------------------------


def _says(order: Order, edits: Mapping[int, CellEdit]) -> Iterator[str]:
    for cell in sorted(fewest_moves.moved(order)):
        place = order.index(cell) + 1
        where = f"above cell {order[place]}" if place < len(order) else "to the end"
        yield f"cell {cell} moves {where}"
    renewed = [cell for cell, edit in sorted(edits.items()) if edit.outputs is not None]
    if renewed:
        yield f"{in_words(renewed)} ran again; what is shown now is saved"
    if any(edit.outputs is None for edit in edits.values()):
        yield "counts run from the top"
