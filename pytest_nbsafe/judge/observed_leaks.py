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
from pytest_nbsafe.values import dataclass, replace

_Told = tuple[Leak, str]
_PREPARES = frozenset({"transformer", "vectorizer", "encoder", "imputer", "selector"})
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
        tuple(seen for result in results for seen in result.evaluations),
        tuple(seen for result in results for seen in result.copies),
    )


def merged(
    leaks: Iterable[_Told], trial: Trial, notebook: Notebook, extra: str = ""
) -> tuple[_Told, ...]:
    """Return the leaks of the text, those that the run saw marked so, and those seen alone."""
    evaluations, copies = of_trial(trial)
    if not evaluations and not copies:
        return tuple(leaks)
    observations = [*_fitted(evaluations), *_copied(copies)]
    leaks_told = [(_confirmed(leak, observations), order) for leak, order in leaks]
    places = {(leak.code[:5], leak.cell, leak.span.line) for leak, _ in leaks_told}
    for observation in observations:
        place = observation.code[:5], observation.cell, observation.line
        shown = place in places or any(_is_same(leak, observation) for leak, _ in leaks_told)
        if observation.alone and not shown and _is_sure(observation, extra):
            places.add(place)
            leaks_told.append((_observed(observation, notebook), ""))
    return tuple(leaks_told)


@dataclass(frozen=True, slots=True)
class _Seen:
    """One thing seen: the code that it is told by, and the cell and line that it hangs on.

    `alone`: it may be told though the text does not show it.
    """

    code: str
    cell: int
    line: int
    what: str
    model: str
    steps: tuple[tuple[int, int, str], ...]
    alone: bool


# -- what was seen -----------------------------------------------------------------------------


def _fitted(evaluations: Sequence[Evaluation]) -> Iterator[_Seen]:
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
            yield _trained(evaluation, model)


def _prepared(evaluation: Evaluation, model: Fitted, fitted: Fitted) -> _Seen:
    """Return what was seen of a transformer that knows rows which the model does not."""
    code = _CODES.get(fitted.role, "NBS305" if evaluation.how == _FOLDS else "NBS301")
    if fitted.shared == fitted.rows == evaluation.rows and code == "NBS301":
        code = "NBS304"
    alone = fitted.role in _PREPARES | {"sampler"} and fitted.shared == evaluation.rows
    return _Seen(
        code, fitted.cell, fitted.line, fitted.what, model.what, _path(evaluation, fitted), alone
    )


def _trained(evaluation: Evaluation, model: Fitted) -> _Seen:
    alone = evaluation.how != _FOLDS
    where = evaluation.cell, evaluation.line
    return _Seen("NBS312", *where, model.what, model.what, _path(evaluation, model), alone)


def _path(evaluation: Evaluation, fitted: Fitted) -> tuple[tuple[int, int, str], ...]:
    judged = "cross-validated" if evaluation.how == _FOLDS else "scored"
    rows = f"{fitted.shared} of the {evaluation.rows} rows that are {judged} here"
    says = f"when it ran: {rows} were among the {fitted.rows} that {fitted.what} was fitted on"
    return ((evaluation.cell, evaluation.line, says),)


def _copied(copies: Sequence[Copies]) -> Iterator[_Seen]:
    for seen in copies:
        says = (
            f"when it ran: {seen.rows} of the {seen.of} test rows have an equal on the other side"
        )
        cell, line = seen.made or (seen.cell, seen.line)
        steps = ((seen.cell, seen.line, says),)
        yield _Seen("NBS311", cell, line, seen.what, "", steps, alone=False)


# -- what it says of the text ------------------------------------------------------------------


def _confirmed(leak: Leak, observations: Sequence[_Seen]) -> Leak:
    """Return the leak with what was seen of it; as it is when nothing was."""
    observation = next((each for each in observations if _is_same(leak, each)), None)
    if observation is None:
        return leak
    return replace(leak, certain=True, verdict="confirmed", steps=(*leak.steps, *observation.steps))


def _is_same(leak: Leak, seen: _Seen) -> bool:
    if leak.code[:5] != seen.code[:5]:
        return False
    places = {(cell, line) for cell, line, _ in leak.steps} | {(leak.cell, leak.span.line)}
    inside = leak.cell == seen.cell and leak.span.line <= seen.line <= leak.span.end_line
    named = leak.what in {seen.what, ""} or leak.model in {seen.model, ""}
    return inside or (named and (seen.cell, seen.line) in places)


def _is_sure(seen: _Seen, extra: str) -> bool:
    """Return whether what was fitted learns more than which values there are, whatever it is given.

    Only its last name is known here: any class of that name that learns less spares it.
    """
    known: Mapping[str, leakroles.LibraryClass] = leakroles.load(extra).classes
    kinds = [known[name] for name in known if name.rpartition(".")[2] == seen.what]
    return seen.code == "NBS312" or (
        bool(kinds) and all(k.learns in {"statistics", "target"} and not k.fixed_by for k in kinds)
    )


def _observed(seen: _Seen, notebook: Notebook) -> Leak:
    """Return a leak that only the run saw."""
    text = notebook.cell(seen.cell).line(seen.line)
    column = len(text) - len(text.lstrip()) + 1
    span = Span(seen.line, column, seen.line, max(len(text.rstrip()), column) + 1)
    return Leak(
        seen.code,
        True,  # noqa: FBT003  # it was seen
        seen.cell,
        span,
        what=seen.what,
        model=seen.model,
        steps=seen.steps,
        verdict="observed",
    )
