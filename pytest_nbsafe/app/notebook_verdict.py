"""What a notebook as a whole is, after its trial: one word, and the findings that say so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding, OrderOutcome, Resumed
from pytest_nbsafe.judge import choice_of_order
from pytest_nbsafe.judge.trial import ChosenOrder, Trial
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.reports import text
from pytest_nbsafe.reports.order_report import TextVerdict
from pytest_nbsafe.sentences import few, spans
from pytest_nbsafe.trace.results import PlanResult
from pytest_nbsafe.values import replace

_STALE = "NBS201"
_FAILED = "NBS401"
_FAULTS: Sequence[tuple[str, frozenset[str]]] = (
    ("unknown", frozenset({"NBS901", "NBS902", "NBS903", "NBS904", "NBS905"})),
    ("hidden state", frozenset({"NBS101"})),
    ("stale", frozenset({_STALE, "NBS202", "NBS205"})),
    ("order-dependent", frozenset({"NBS102", "NBS103", "NBS106", "NBS403"})),
    ("drift", frozenset({"NBS402"})),
    ("unknown", frozenset({_FAILED})),
)
"""Which errors speak for which verdict; the first that has any is it."""
SPEAKING = tuple(sorted(frozenset[str]().union(*(codes for _, codes in _FAULTS))))
"""The codes that a verdict hangs on."""
_CHANCE = "NBS404"
_UNDECIDED = frozenset({"NBS103", _STALE, "NBS202"})
"""Warnings that a run would have refuted or proved if it could: the page may be stale, or not."""
_MOST_REASONS = 3


def verdict(trial: Trial, findings: Sequence[Finding]) -> tuple[str, tuple[str, ...]]:
    """Return the verdict of a notebook and its reasons, at most three, in page order.

    "hidden state": a name that no cell defines; "stale": a saved result is older than what it was
    made from; "order-dependent": from top to bottom it fails or differs, as it was run it does not,
    or it would not if a cell ran twice, or never;
    "drift": two clean runs agree with each other, not with the page; "nondeterministic": they do
    not agree; "clean": nothing of this; "unknown": it did not run, or did not run so far, or its
    runs cannot tell whether a result is stale (what draws without a seed shows anything).
    """
    if not trial.has_run:
        return "unknown", ("nothing was run",)
    errors = [f for f in findings if f.severity == "error" and not _never_ran(f)]
    for word, codes in _FAULTS:
        reasons = [f for f in errors if (_STALE if _is_stale(trial, f) else f.code) in codes]
        if reasons:
            otherwise = word == "stale" and trial.ran_otherwise is not None
            return "order-dependent" if otherwise else word, _said(reasons)
    if chance := [finding for finding in findings if finding.code == _CHANCE]:
        return "nondeterministic", _said(chance)
    drifted = [cell for cell, changed in trial.changed.items() if changed.why == "libraries"]
    if drifted:
        where = f"cell {min(drifted)} shows what other versions of its libraries may have given"
        return "drift", (where,)
    if undecided := [f for f in findings if f.severity == "warning" and f.code in _UNDECIDED]:
        return "unknown", _said(undecided)
    return "clean", ()


def by_text(findings: Sequence[Finding], *, has_run: bool, cut_short: str = "") -> TextVerdict:
    """Return what a notebook is as far as the text tells, from the findings of a check.

    `has_run`: whether any cell has a count. What is only suspected gives a verdict that is not
    sure; and that a notebook is clean a run alone can prove. `cut_short` says what was not looked
    at, "" if all was: then nothing that was found does not mean that it is clean.
    """
    for sure in (True, False):
        of_kind = [f for f in findings if f.severity == ("error" if sure else "warning")]
        for word, codes in _FAULTS:
            if reasons := [finding for finding in of_kind if finding.code in codes]:
                return TextVerdict(word, _said(reasons), sure=sure)
    if not has_run:
        return TextVerdict("unknown", ("no cell has a count: nobody ran it",))
    return TextVerdict("unknown", (cut_short,)) if cut_short else TextVerdict("clean", ())


def _is_stale(trial: Trial, finding: Finding) -> bool:
    """Return whether a cell fails since what it reads was made again after it had passed.

    What it shows is then older than what it was made from.
    """
    told = {step.cell for step in finding.steps}
    outdated = trial.suspicions.outdated
    return finding.code == _FAILED and any(
        old.cell == finding.location.cell and old.definer in told for old in outdated
    )


def _never_ran(finding: Finding) -> bool:
    """Return whether the page shows nothing of a cell since it did not run: no drift."""
    return finding.code == "NBS402" and finding.count is None


def _said(findings: Sequence[Finding]) -> tuple[str, ...]:
    chosen = sorted(findings, key=lambda f: (f.location.cell, f.location.line, f.code))
    return tuple(
        f"cell {f.location.cell}: {f.message} ({f.code})" if f.location.cell else f.message
        for f in chosen[:_MOST_REASONS]
    )


def compared(notebook: Notebook, trial: Trial) -> tuple[OrderOutcome, ...]:
    """Return what each order gave of the saved outputs, the best first, where all were run."""
    comparable = choice_of_order.comparable(notebook)
    outcomes: list[OrderOutcome] = []
    for name, (plan, ran) in trial.compared.items():
        if ran is None:
            outcomes.append(OrderOutcome(name, len(plan.runs), None, None, None))
            continue
        given = choice_of_order.reproduced(notebook, ran)
        ended = {result.cell: result.status for result in ran.results}
        failed = sum(status != "ok" for status in ended.values())
        outcomes.append(OrderOutcome(name, len(plan.runs), len(given), len(comparable), failed))
    return tuple(sorted(outcomes, key=lambda o: (-(o.given or 0), o.failed or 0, o.runs, o.order)))


def resumed(config: Config, trial: Trial | None, told: Sequence[str]) -> Resumed | None:
    """Return what a notebook reused, and what is told of that; None where it reuses nothing."""
    if config.resume == "off":
        return None
    counted = _resumed(trial) if trial is not None and config.resume == "on" else Resumed(0, 0, 0.0)
    return replace(counted, told=tuple(told))


def _resumed(trial: Trial) -> Resumed:
    """Return how much was not run again since its outcome is known."""
    runs = [trial.clean, trial.replay, trial.second, *trial.repeats]
    results = [result for run in runs if run is not None for result in run.results]
    reused = [result for result in results if result.reused]
    again_s = sum(result.again_s for result in results)
    saved_s = max(sum(result.cost_s for result in reused) - again_s, 0.0)
    return Resumed(len(results), len(reused), saved_s, again_s=again_s)


def as_reused(trial: Trial) -> Trial:
    """Return a trial as it is when none of its runs has to be made again."""
    return replace(
        trial,
        clean=_as_reused(trial.clean),
        replay=trial.replay and _as_reused(trial.replay),
        second=trial.second and _as_reused(trial.second),
        repeats=tuple(map(_as_reused, trial.repeats)),
    )


def _as_reused(ran: PlanResult) -> PlanResult:
    results = tuple(
        replace(result, reused=result.came_to_end, again_s=0.0) for result in ran.results
    )
    return replace(ran, results=results, duration_s=0.0, cpu_s=0.0)


def _reuse(trial: Trial) -> Iterator[str]:
    """Yield what was reused, and which cells ran again and why, in one sentence.

    Of those that are new, or run each time, nothing more is told, and of no others nothing at all.
    """
    counted, again = _resumed(trial), dict[str, list[int]]()
    for result in trial.clean.results:
        if not result.reused:
            again.setdefault(result.since, []).append(result.cell)
    parts = [spans(numbers) + (f" since {why}" if why else "") for why, numbers in again.items()]
    if len(parts) > _MOST_REASONS:
        left = sum(map(len, [*again.values()][_MOST_REASONS:]))
        parts = [*parts[:_MOST_REASONS], f"{left} more"]
    if counted.reused or any(again):
        yield text.reused(counted) + (f"; run again: {'; '.join(parts)}" if parts else "")


def run_anew(notebook: Notebook, source: str) -> str:
    """Return what is told where nothing was reused in the end, since a run gave something else.

    `source` is its text, empty where that is not known.
    """
    same = [cell.number for cell in notebook.code_cells if source and cell.source == source]
    what = f"cell {same[0]} gave" if len(same) == 1 else "what is kept of earlier runs has given"
    return f"{what} something else than before: all was run anew"


def remarks(trial: Trial) -> Iterator[str]:
    """Yield what is told quietly of a trial: its order, what was not looked for, or run again."""
    if trial.choice is not None:
        yield _chosen_order(trial.choice)
    if trial.not_sought:
        yield (
            f"cell {trial.not_sought} shows another text than was saved; whether some cell ran "
            "more often than once, or never, was not tried: the notebook computes for too long"
        )
    yield from _reuse(trial)


def _chosen_order(choice: ChosenOrder) -> str:
    reads = [f"cell {read.reader} read `{read.name}`" for read in choice.reads]
    as_chosen = f"in the {choice.plan.order} order"
    if choice.plan.order == choice.likelier.order:
        as_chosen = "as the page says"
    return (
        f"the saved outputs decide how {few(reads, 3)}: {as_chosen}, for so {choice.given} cells "
        f"show what was saved, and only {choice.given_by_likelier} in the likeliest order"
    )
