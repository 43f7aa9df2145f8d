"""Leaks that a run has seen: what it says of those in the text, and those that no text shows.

A leak of the text that the run saw with its own rows is confirmed. One that only the run saw is
observed; it is told alone only where nothing else can explain it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_nbsafe.absint.leakage.leak import Leak
from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.judge.trial import Trial
from pytest_nbsafe.libraries import leakroles
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.trace.evaluations import Copies, Evaluation, Fitted
from pytest_nbsafe.values import replace

_Ordered = tuple[Leak, str]
"""A leak, and words for the order of cells in which it holds."""
_PREPARES = frozenset({"transformer", "vectorizer", "encoder", "imputer", "selector", "sampler"})
_CODES = {"selector": "NBS303", "sampler": "NBS311"}
_FOLDS = "folds"


def watched(extra: str = "") -> dict[str, Any]:
    """Return what the kernel is to watch: classes by their role, functions by their effect."""
    known = leakroles.load(extra)
    classes = {name: each.role for name, each in known.classes.items()}
    return {"classes": classes, "functions": dict(known.effects)}


def of_trial(trial: Trial) -> tuple[tuple[Evaluation, ...], tuple[Copies, ...]]:
    """Return what was seen in the order that was run: the replayed plan's, else the page's."""
    results = trial.as_recorded.results
    return (
        tuple(evaluation for result in results for evaluation in result.evaluations),
        tuple(copies for result in results for copies in result.copies),
    )


def merged(
    leaks: Iterable[_Ordered], trial: Trial, notebook: Notebook, extra: str = ""
) -> tuple[_Ordered, ...]:
    """Return the leaks of the text, those that the run saw marked so, and those seen alone."""
    evaluations, copies = of_trial(trial)
    if not evaluations and not copies:
        return tuple(leaks)
    observations = [*_fitted(evaluations), *_copied(copies)]
    observed = [leak for leak, _ in observations]
    merged_leaks = [(_confirmed(leak, observed), order) for leak, order in leaks]
    places = {_place(leak) for leak, _ in merged_leaks}
    for leak, alone in observations:
        shown = _place(leak) in places or any(_is_same(other, leak) for other, _ in merged_leaks)
        if alone and not shown and _is_sure(leak, extra):
            places.add(_place(leak))
            merged_leaks.append((replace(leak, span=_whole_line(leak, notebook)), ""))
    return tuple(merged_leaks)


# -- what was seen -----------------------------------------------------------------------------

_Observed = tuple[Leak, bool]
"""A leak that the run saw, and whether it may be told though the text does not show it."""


def _fitted(evaluations: Sequence[Evaluation]) -> Iterator[_Observed]:
    for evaluation in evaluations:
        if not evaluation.learned:
            continue
        model, *prepared = evaluation.learned
        held = evaluation.how == _FOLDS or not model.shared
        if held:
            for fitted in prepared:
                if fitted.shared:
                    yield _prepared(evaluation, model, fitted)
        elif evaluation.part:
            place = evaluation.cell, evaluation.line
            yield _observed("NBS312", place, model, model, evaluation), evaluation.how != _FOLDS


def _prepared(evaluation: Evaluation, model: Fitted, fitted: Fitted) -> _Observed:
    """Return what was seen of a transformer that knows rows which the model does not."""
    code = _CODES.get(fitted.role, "NBS305" if evaluation.how == _FOLDS else "NBS301")
    if fitted.shared == fitted.rows == evaluation.rows and code == "NBS301":
        code = "NBS304"
    alone = fitted.role in _PREPARES and fitted.shared == evaluation.rows
    return _observed(code, (fitted.cell, fitted.line), fitted, model, evaluation), alone


def _observed(
    code: str, place: tuple[int, int], fitted: Fitted, model: Fitted, evaluation: Evaluation
) -> Leak:
    judged = "cross-validated" if evaluation.how == _FOLDS else "scored"
    rows = f"{fitted.shared} of the {evaluation.rows} rows that are {judged} here"
    says = f"when it ran: {rows} were among the {fitted.rows} that {fitted.what} was fitted on"
    return _leak(code, place, fitted.what, model.what, (evaluation.cell, evaluation.line, says))


def _copied(observed: Sequence[Copies]) -> Iterator[_Observed]:
    for copies in observed:
        rows = f"{copies.rows} of the {copies.of} test rows"
        step = copies.cell, copies.line, f"when it ran: {rows} have an equal on the other side"
        yield _leak("NBS311", copies.made or step[:2], copies.what, "", step), False


def _leak(
    code: str, place: tuple[int, int], what: str, model: str, step: tuple[int, int, str]
) -> Leak:
    cell, line = place
    at = Span(line, 1, line, 1)
    return Leak(
        code,
        certain=True,
        cell=cell,
        span=at,
        what=what,
        model=model,
        steps=(step,),
        verdict="observed",
    )


# -- what it says of the text ------------------------------------------------------------------


def _place(leak: Leak) -> tuple[str, int, int]:
    return leak.code[:5], leak.cell, leak.span.line


def _confirmed(leak: Leak, observed: Sequence[Leak]) -> Leak:
    """Return the leak with what was seen of it; as it is when nothing was."""
    same = next((other for other in observed if _is_same(leak, other)), None)
    if same is None:
        return leak
    return replace(leak, certain=True, verdict="confirmed", steps=(*leak.steps, *same.steps))


def _is_same(leak: Leak, observed: Leak) -> bool:
    family, cell, line = _place(observed)
    if leak.code[:5] != family:
        return False
    places = {(at, number) for at, number, _ in leak.steps} | {(leak.cell, leak.span.line)}
    inside = leak.cell == cell and leak.span.line <= line <= leak.span.end_line
    named = leak.what in {observed.what, ""} or leak.model in {observed.model, ""}
    return inside or (named and (cell, line) in places)


def _is_sure(leak: Leak, extra: str) -> bool:
    """Return whether what was fitted learns more than which values there are, whatever it is given.

    Only its last name is known here: any class of that name that learns less spares it.
    """
    known: Mapping[str, leakroles.LibraryClass] = leakroles.load(extra).classes
    kinds = [known[name] for name in known if name.rpartition(".")[2] == leak.what]
    return leak.code == "NBS312" or (
        bool(kinds) and all(k.learns in {"statistics", "target"} and not k.fixed_by for k in kinds)
    )


def _whole_line(leak: Leak, notebook: Notebook) -> Span:
    """Return the line of a leak from its first letter to its last."""
    line = leak.span.line
    text = notebook.cell(leak.cell).line(line)
    column = len(text) - len(text.lstrip()) + 1
    return Span(line, column, line, max(len(text.rstrip()), column) + 1)
