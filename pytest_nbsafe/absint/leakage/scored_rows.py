"""Which rows a score is on: training rows, rows held back, rows for validation."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_nbsafe import patterns
from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.abstract_values import Eval, ModelFit
from pytest_nbsafe.absint.leakage.leak_paths import Page

_HELD = ("test", "val", "hold", "dev")


def is_training(score: Eval) -> bool:
    """Return whether a score is on rows that its model learned from and nobody held back."""
    if score.cv:
        return False
    if not score.rows:
        return False  # nobody knows of which rows it is
    if score.fit.rows == score.rows:
        return not _is_test_part(score)
    if any(d.kind == "join" and sets.within(score.rows, d.rows) for d in score.fit.deps):
        return False
    return sets.within(score.rows, score.fit.rows) and not _held_back(score)


def is_beside_test(score: Eval, scores: Sequence[Eval]) -> bool:
    """Return whether a score is on some training rows, and another on rows held back from them."""
    fit = score.fit
    if score.cv or _held_back(score) or sets.overlap(fit.rows, score.rows) != "yes":
        return False
    parts = {step for atom in fit.rows for step in atom.steps}
    others = [
        o for o in scores if o.fit.site == fit.site and sets.overlap(fit.rows, o.rows) == "no"
    ]
    beside = {step.rest() for o in others for atom in o.rows for step in atom.steps}
    training = {step for step in parts if any(sets.is_part(step, rest) for rest in beside)}
    return bool(score.rows) and all(training & {*atom.steps} for atom in score.rows)


def _is_test_part(score: Eval) -> bool:
    """Return whether rows are the second part of a split, and called test: not to be fitted on."""
    last = {atom.steps[-1] for atom in score.rows if atom.steps}
    second = all(step.part == ("is", 1) and step.kind == "random" for step in last)
    return bool(last) and second and "test" in score.name.lower() and "test" in score.fit.data


def _held_back(score: Eval) -> bool:
    named = any(word in score.name.lower() for word in _HELD)
    whole = {step for atom in score.fit.rows for step in atom.steps}
    extra = [step for atom in score.rows for step in atom.steps if step not in whole]
    some = score.rows < score.fit.rows  # fitted on both parts, one after the other
    return any(step.kind != "chosen" for step in extra) or (named and (bool(extra) or some))


def is_validated(fit: ModelFit, scores: Sequence[Eval]) -> bool:
    """Return whether other rows are held back too, and scored: those it stops by are validation."""
    sources = sets.sources(fit.watch)
    return any(
        (other.fit.site == fit.site or sets.sources(other.rows) <= sources)
        and sets.overlap(fit.watch, other.rows) == "no"
        and sets.overlap(fit.rows, other.rows) != "yes"
        for other in scores
        if other.rows and not other.cv and not is_training(other)
    )


def is_on_test(score: Eval) -> bool:
    """Return whether a score is on rows held back once for all, and it is known on which."""
    fit = score.fit
    return (
        not score.cv
        and not score.vague
        and bool(score.rows)
        and not {"fold", "round"} & sets.kinds(score.rows)
        and sets.overlap(fit.rows, score.rows) != "yes"
    )


def is_sure(score: Eval) -> bool:
    """Return whether nothing is in doubt: what is scored, on which rows, what it learned from."""
    return score.certain and score.fit.certain and not score.vague


def is_split(score: Eval) -> bool:
    """Return whether rows were held back, and are not only those that something is not known of.

    Men and women, or rows with and without an age, are parts of a table that may both be used.
    """
    if any(word in score.name.lower() for word in _HELD) or "train" in score.fit.data.lower():
        return True
    fitted = {step.key for atom in score.fit.rows for step in atom.steps}
    shared = {step for atom in score.rows for step in atom.steps if step.key in fitted}
    return all(step.kind != "chosen" or isinstance(step.key, sets.ByPlace) for step in shared)


def is_for_validation(score: Eval, page: Page) -> bool:
    """Return whether the rows are called so by the page: `X_val`, a loader of `val_set`."""
    if _VALIDATION.search(score.name):
        return True
    names = [_called(atom, page) for atom in score.rows]
    return bool(names) and all(map(_VALIDATION.search, names))


def _called(atom: sets.Atom, page: Page) -> str:
    """Return the name that rows were given where they were last parted from others."""
    places = page.notes.places
    keys = ((step.key, step.part) for step in reversed(atom.steps))
    return next((places[key][1] for key in keys if key in places), "")


_VALIDATION = patterns.compile(
    r"(?:^|_|(?<=[xyXYd]))(?:[Vv]al|VAL|[Vv]alid|VALID|[Vv]alidation|VALIDATION)"
    r"(?:$|[_0-9A-Z]|set|data|loader|gen)|(?:^|_)dev(?:$|_)"
)
"""What rows are called that something is chosen by."""
