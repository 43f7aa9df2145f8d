"""What follows from the runs of a trial: suspicions, what is run next, and the verdict.

Until the verdict a trial holds all suspicions that lineage has, and no judgements.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from pytest_nbsafe.analysis.dependencies import downstream
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.judge import changed_outputs, page_outputs, verdicts
from pytest_nbsafe.judge.outside_influences import influences
from pytest_nbsafe.judge.trial import PICTURE, ChangedOutput, Judgement, Trial
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.trace import lineage, staleness
from pytest_nbsafe.trace.consistency import Consistency, consistency
from pytest_nbsafe.trace.outputs.expectations import NONE_EXPECTED, Expectations
from pytest_nbsafe.trace.outputs.text_alone import compare
from pytest_nbsafe.trace.results import CellResult, PlanResult, compared
from pytest_nbsafe.trace.side_runs import SeenParts
from pytest_nbsafe.trace.suspicions import Suspicions
from pytest_nbsafe.values import replace


def judgements(graph: Graph, trial: Trial, suspected: Collection[int]) -> dict[int, Judgement]:
    """Return what the clean run says of each cell."""
    runs = trial.clean, trial.replay, trial.second
    return verdicts.judge(graph, suspected, *runs, influences(graph))


def second_run(graph: Graph, trial: Trial, expected: Expectations = NONE_EXPECTED) -> int | None:
    """Return the last cell that a second clean run must reach, None when none is needed.

    It is the last that differs of those suspected, inconsistent, without a count, or made from
    one of these or of those that read a name from below; or that makes another value than in the
    plan; or that shows another output than the saved one, where only a second run can tell why.
    """
    lost = {cell.number for cell in graph.notebook.code_cells if cell.count is None}
    lost.update(read.cell for read in trial.suspicions.from_below)
    states = _consistency(trial)
    inconsistent = {cell for cell, state in states.items() if state.state == "inconsistent"}
    suspected = trial.suspicions.cells | inconsistent | lost
    suspected |= {*downstream(graph, *lost)}
    judged = judgements(graph, trial, suspected)
    differing = {cell for cell in suspected & judged.keys() if judged[cell].differs}
    differing |= {cell for cell, each in judged.items() if "differs" in each.made.values()}
    return max(differing | changed_outputs.to_repeat(graph, trial, expected), default=None)


def settled(graph: Graph, trial: Trial) -> frozenset[int]:
    """Return the cells that the clean run gives nothing else than the plan."""
    ran = {result.cell for result in trial.clean.results if result.status == "ok"}
    return frozenset(
        cell
        for cell, judgement in judgements(graph, trial, trial.suspicions.cells).items()
        if cell in ran
        and judgement.output in {"same", "nothing-to-compare"}
        and {*judgement.values.values(), *judgement.made.values()} <= {"same"}
    )


def verdict(graph: Graph, trial: Trial, expected: Expectations = NONE_EXPECTED) -> Trial:
    """Return the trial judged, with those suspicions that no cell on their way refutes."""
    judged = judgements(graph, trial, trial.suspicions.cells)
    trial = with_comparison(graph, trial, expected)
    judged |= _seen_beside_text(judged, trial.changed, trial.suspicions.cells)
    return replace(
        trial,
        suspicions=verdicts.standing(trial.suspicions, judged, graph),
        judgements=judged,
        consistency=_consistency(trial),
    )


def with_comparison(graph: Graph, trial: Trial, expected: Expectations) -> Trial:
    """Return the trial with which cells show something else than was saved, and which the same."""
    changed = changed_outputs.changed(graph, trial, expected)
    if not changed:
        return replace(trial, changed=changed)
    pages = graph.notebook, trial.clean.results, expected
    return replace(trial, changed=changed, as_saved=page_outputs.with_saved_digits(*pages))


def _seen_beside_text(
    judged: Mapping[int, Judgement],
    changed: Mapping[int, ChangedOutput],
    suspected: Collection[int],
) -> dict[int, Judgement]:
    """Return the judgements of suspected cells that their text does not decide, but a figure does.

    What two clean runs agree on, and the page does not show, proves a suspicion as text does.
    """
    return {
        cell: replace(judged[cell], output="differs", saved=saved, clean=new)
        for cell, (saved, new) in _proved(changed).items()
        if cell in suspected
        and cell in judged
        and judged[cell].output in {"same", "nothing-to-compare"}
    }


def _proved(changed: Mapping[int, ChangedOutput]) -> dict[int, tuple[str, str]]:
    """Return the cells whose page is wrong, with what each side shows, if that can be said."""
    proved = {}
    for cell, each in changed.items():
        difference = each.difference
        is_drawn = difference.kind == "changed" and difference.form in {"picture", "drawing"}
        shown = (PICTURE, PICTURE) if is_drawn else (difference.saved, difference.new)
        if each.why in {"", "order"} and any(shown):
            proved[cell] = shown
    return proved


def _consistency(trial: Trial) -> dict[int, Consistency]:
    return consistency(trial.replay.results) if trial.replay else {}


def by_text(graph: Graph, plan: Plan, clean: Plan) -> Suspicions:
    """Return what the text alone suspects of a plan, nothing of the page's own order."""
    if plan.cells == clean.cells:
        return Suspicions()
    ran, below = (lineage.static_records(graph, order) for order in (plan, clean))
    return staleness.suspicions(graph, plan, ran, below)


# -- what the trace suspects -----------------------------------------------------------------------


def suspicions(
    graph: Graph,
    by_text: Suspicions,
    runs: tuple[PlanResult, PlanResult],
    parts: SeenParts,
    refreshed: Collection[int],
) -> Suspicions:
    """Return what the trace suspects of the cells that were traced, and the text of the others.

    `runs` are the replayed plan and the clean run. Where cells were followed below the names, the
    `parts` that were seen count. `refreshed` are the cells that made something else when they ran
    again after what refreshes them.
    """
    replay, clean = runs
    records = lineage.records(replay.results), lineage.records(clean.results)
    by_trace = staleness.suspicions(graph, replay.plan, *records, parts)
    if parts.runs:
        by_name = staleness.suspicions(graph, replay.plan, *records)
        by_trace = still_suspected(by_trace, by_name, {*differing(replay, clean), *refreshed})
    traced = _traced(replay) & _traced(clean)
    return by_trace.of(traced).joined(by_text.of(by_text.cells - traced))


def _traced(result: PlanResult) -> frozenset[int]:
    """Return the cells whose last run succeeded under the tracer."""
    last = {step.cell: step for step in result.results}
    return frozenset(c for c, step in last.items() if step.status == "ok" and step.records)


def still_suspected(
    by_parts: Suspicions, by_name: Suspicions, differing: Collection[int]
) -> Suspicions:
    """Return what is suspected by parts, and by name of cells that differ and have nothing else.

    Something must be the reason for their difference. What changed the part that such a cell reads
    may be what nobody saw do it: an alias, or code that is not followed.
    """
    both = by_parts.joined(by_name.of({*differing} - by_parts.cells))
    return Suspicions(
        tuple(sorted(both.stale_reads, key=lambda read: (read.step, read.line, read.name))),
        tuple(sorted(both.outdated, key=lambda old: old.cell)),
        tuple(sorted(both.from_below, key=lambda read: (read.cell, read.name))),
    )


def differing(replay: PlanResult, clean: PlanResult) -> Iterator[int]:
    """Yield the cells that make or show something else in a plan than in the page's order."""
    for cell in sorted({result.cell for result in replay.results}):
        first, second = replay.last(cell), clean.last(cell)
        if first is not None and second is not None and _differ(first, second):
            yield cell


def _differ(first: CellResult, second: CellResult) -> bool:
    """Return whether two runs of a cell are known to have made or shown different things."""
    names = first.kept | second.kept
    if any(compared(name, first.after, second.after) == "differs" for name in names):
        return True
    return compare(first.outputs, second.outputs).result == "differs"
