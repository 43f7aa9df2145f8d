"""The judge: which scores were given on rows that something had learned from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.joining import DATES
from pytest_nbsafe.absint.leakage.leak import Leak
from pytest_nbsafe.absint.leakage.values import Dep, Eval, Fit, Site

Event = tuple[str, Site, object]
Splits = Mapping[object, tuple[Site, str, bool, "str | None"]]
_HELD = ("test", "val", "hold", "dev")


def judge(events: Sequence[Event], splits: Splits) -> tuple[Leak, ...]:
    """Return the leaks that the events of one pass show, one for each place and code."""
    scores: list[Eval] = []
    seen: set[tuple[object, ...]] = set()
    for kind, _, what in events:
        if kind == "eval" and isinstance(what, Eval):
            mark = (what.site, what.fit.site, what.rows, what.deps, what.fit.rows)
            if mark not in seen:
                seen.add(mark)
                scores.append(what)
    scores += _searched(events, scores)
    found: dict[tuple[str, int, int], Leak] = {}
    for leak in _all(events, scores, splits):
        key = leak.code, leak.cell, leak.span.line
        old = found.get(key)
        if old is None or (leak.certain and not old.certain):
            found[key] = leak
    return tuple(found.values())


def _all(events: Sequence[Event], scores: Sequence[Eval], splits: Splits) -> Iterator[Leak]:
    for score in scores:
        yield from _of_score(score, splits)
    yield from _chosen(events, scores)
    yield from _train_only(events, scores)
    yield from _reused(scores)
    yield from _best(events, scores)
    yield from _ungrouped(events, scores)


def _searched(events: Sequence[Event], scores: Sequence[Eval]) -> list[Eval]:
    """Return the scores of searches that are given as a result, where nothing else scores them."""
    held = {score.fit.site for score in scores if score.cv or not is_training(score)}
    return [
        Eval(what, what.rows, what.deps, site, what.data, cv=True, certain=what.certain)
        for kind, site, what in events
        if kind == "best" and isinstance(what, Fit) and what.site not in held and what.rows
    ]


def _of_score(score: Eval, splits: Splits) -> Iterator[Leak]:
    fit = score.fit
    if fit.copied is not None:
        target = next((str(o[-1]) for o in fit.target if isinstance(o, tuple)), "")
        yield _leak("NBS341", score, fit.copied, fit.data, what=target, certain=fit.certain)
    if not is_training(score):
        yield from _overlaps(score)
        yield from _learned(score)
    yield from _divided(score, splits)
    for dep in sorted(fit.deps, key=_place):
        if dep.kind == "ahead" and (score.cv or not is_training(score)):
            yield _of_dep("NBS333", score, dep)


def _place(dep: Dep) -> tuple[int, int, int, str]:
    return dep.site.cell, dep.site.span.line, dep.site.span.column, dep.kind


def is_training(score: Eval) -> bool:
    """Return whether a score is on rows that its model learned from and nobody held back."""
    if score.cv:
        return False
    if score.fit.rows == score.rows:
        return True
    if any(d.kind == "join" and sets.within(score.rows, d.rows) for d in score.fit.deps):
        return False
    return sets.within(score.rows, score.fit.rows) and not _held_back(score)


def _held_back(score: Eval) -> bool:
    named = any(word in score.name.lower() for word in _HELD)
    whole = {step for atom in score.fit.rows for step in atom.steps}
    extra = [step for atom in score.rows for step in atom.steps if step not in whole]
    return any(step.kind != "chosen" for step in extra) or (named and bool(extra))


def _overlaps(score: Eval) -> Iterator[Leak]:
    fit = score.fit
    if score.cv or score.vague:
        return
    if sets.overlap(fit.rows, score.rows) == "yes":
        joins = [
            d for d in fit.deps if d.kind == "join" and sets.overlap(d.rows, score.rows) == "yes"
        ]
        copies = [
            d
            for d in fit.deps
            if d.kind == "resample" and sets.overlap(d.rows, score.rows) == "yes"
        ]
        if joins and sets.within(score.rows, fit.rows):
            yield _of_dep("NBS313", score, max(joins, key=_place))
        elif not copies:
            yield _leak("NBS312", score, fit.site, fit.data, what=fit.what)
    if sets.overlap(fit.watch, score.rows) == "yes":
        yield _leak("NBS322", score, fit.site, fit.data, what=fit.what)
    for dep in sorted(fit.tuned, key=_place):
        if sets.overlap(dep.rows, score.rows) == "yes":
            yield _of_dep("NBS321", score, dep)


def _learned(score: Eval) -> Iterator[Leak]:
    """Yield what was learned from the rows that are scored on, before the model was fitted."""
    fit = score.fit
    if not score.cv and sets.overlap(fit.rows, score.rows) == "yes" and not _copies(score):
        return  # trained on them: that says it all
    for dep in sorted(fit.deps | score.deps, key=_place):
        if dep.kind in {"time", "join", "ahead", "tuned"}:
            continue
        if sets.overlap(dep.rows, score.rows) != "yes":
            continue
        only = sets.within(dep.rows, score.rows) and not score.cv
        if dep.kind == "resample" and only and dep not in fit.deps:
            continue
        code = _code(dep, score, only=only)
        yield _of_dep(code, score, dep)
        if code == "NBS342" and dep.kind == "statistic":
            yield _of_dep("NBS302", score, dep)


def _copies(score: Eval) -> bool:
    return any(
        d.kind == "resample" and sets.overlap(d.rows, score.rows) == "yes" for d in score.fit.deps
    )


def _code(dep: Dep, score: Eval, *, only: bool) -> str:
    if dep.kind == "resample":
        return "NBS311"
    if dep.kind == "target" or (dep.kind == "statistic" and dep.of & score.fit.target):
        return "NBS342"
    if dep.kind == "selection":
        return "NBS303"
    if only and dep not in score.fit.deps:
        return "NBS304"
    if _from_both(dep, score):
        return "NBS306"
    if dep.kind == "statistic":
        return "NBS302"
    folds = score.cv or "fold" in sets.kinds(score.rows)
    return "NBS305" if folds else "NBS301"


def _from_both(dep: Dep, score: Eval) -> bool:
    """Return whether it was learned of a training table and a test table that were joined."""
    if score.cv:
        return False
    answers = [(sets.overlap(frozenset((atom,)), score.rows), atom) for atom in dep.rows]
    return any(a == "yes" for a, _ in answers) and any(
        a == "no" and sets.overlap(frozenset((atom,)), score.fit.rows) == "yes"
        for a, atom in answers
    )


def _divided(score: Eval, splits: Splits) -> Iterator[Leak]:
    if score.cv:
        dated = [
            dep
            for dep in score.fit.deps
            if dep.kind == "time" and dep.what not in {"sort_values", *DATES}
        ]
        if dated and score.shuffled:
            yield _leak("NBS331", score, score.site, score.name)
        return
    if is_training(score):
        return
    for key in {step.key for atom in score.rows for step in atom.steps}:
        site, name, timed, group = splits.get(key, (None, "", False, None))
        if site is not None and timed:
            yield _leak("NBS331", score, site, name)
        if site is not None and group:
            yield _leak("NBS332", score, site, name, what=group)


# -- the whole page --------------------------------------------------------------------------------


def _on_test(score: Eval) -> bool:
    fit = score.fit
    return (
        not score.cv
        and not score.vague
        and bool(score.rows)
        and not {"fold", "round"} & sets.kinds(score.rows)
        and sets.overlap(fit.rows, score.rows) != "yes"
    )


def _chosen(events: Sequence[Event], scores: Sequence[Eval]) -> Iterator[Leak]:
    """Yield choices by scores on test rows that no score on other rows follows."""
    for kind, site, what in events:
        if kind != "choice" or not isinstance(what, frozenset):
            continue
        used = sorted(
            (s for s in what if isinstance(s, Eval) and _on_test(s)),
            key=lambda s: (s.site.cell, s.site.span.line),
        )
        several = any(s.loop or s.curve for s in used) or len({s.fit.site for s in used}) > 1
        if not used or not several:
            continue
        first = used[0]
        rows = first.rows
        apart = [
            s for s in scores if not s.cv and sets.overlap(s.rows, rows) == "no" and _on_test(s)
        ]
        if apart or any(w in s.name.lower() for s in used for w in ("val", "dev")):
            continue
        step = (site.cell, site.span.line, "the best score is kept")
        leak = _leak(
            "NBS321", first, first.site, "", what="" if not first.fit.name else first.fit.what
        )
        yield Leak(
            leak.code,
            leak.certain,
            leak.cell,
            leak.span,
            "",
            leak.rows,
            leak.test,
            leak.model,
            (*leak.steps, step),
        )


def _train_only(events: Sequence[Event], scores: Sequence[Eval]) -> Iterator[Leak]:
    held = any(kind == "split" for kind, _, _ in events)
    if not scores or not held or any(not is_training(score) or score.vague for score in scores):
        return
    last = scores[-1]
    if last.fit.role in {"classifier", "regressor", "model", "pipeline", "search", "meta"}:
        yield _leak("NBS314", last, last.site, last.name)


def _reused(scores: Sequence[Eval]) -> Iterator[Leak]:
    first: dict[sets.Rows, Fit] = {}
    told: set[sets.Rows] = set()
    for score in scores:
        if not _on_test(score):
            continue
        fit = first.setdefault(score.rows, score.fit)
        if fit.site != score.fit.site and score.rows not in told:
            told.add(score.rows)
            yield _leak("NBS323", score, score.site, "")


def _best(events: Sequence[Event], scores: Sequence[Eval]) -> Iterator[Leak]:
    others = [score for score in scores if not (score.cv and score.fit.searched)]
    if any(score.cv or not is_training(score) for score in others):
        return
    for kind, site, what in events:
        if kind == "best" and isinstance(what, Fit):
            name = what.name or what.what
            yield Leak("NBS324", certain=True, cell=site.cell, span=site.span, what=name)


def _ungrouped(events: Sequence[Event], scores: Sequence[Eval]) -> Iterator[Leak]:
    for kind, site, what in events:
        if kind == "ungrouped":
            score = next(
                (s for s in scores if s.site.span == site.span and s.site.cell == site.cell), None
            )
            if score is not None:
                yield _leak("NBS332", score, site, score.name, what=str(what))


# -- words -----------------------------------------------------------------------------------------


def _of_dep(code: str, score: Eval, dep: Dep) -> Leak:
    certain = dep.certain and score.certain and score.fit.certain and not score.vague
    return _leak(
        code,
        score,
        dep.site,
        dep.name,
        what=dep.what,
        certain=certain,
        says=_SAYS[dep.kind],
        learned=dep.rows,
    )


_SAYS = {
    "fitted": "{what} learns from {rows}",
    "statistic": "{what} is taken of {rows}",
    "selection": "features are chosen with {rows}",
    "target": "{what} learns the target from {rows}",
    "resample": "{what} makes copies of rows of {rows}",
    "join": "{rows} are joined",
    "ahead": "{what} takes later rows of {rows}",
    "tuned": "parameters are chosen on {rows}",
    "time": "{rows} are dated",
}


def _leak(
    code: str,
    score: Eval,
    site: Site,
    rows: str,
    *,
    what: str = "",
    certain: bool | None = None,
    says: str = "",
    learned: sets.Rows = sets.NONE,
) -> Leak:
    fit = score.fit
    steps = []
    divided = _division(score, site)
    before = score.split is not None and (
        not says or any(step.key == score.split[0] for atom in learned for step in atom.steps)
    )
    if before:
        steps.extend(divided)
    if says:
        cause = says.format(what=what, rows=f"all rows of {rows}" if rows else "rows")
        steps.append((site.cell, site.span.line, cause))
    if not before:
        steps.extend(divided)
    if not score.cv:
        cause = f"{fit.what} is fitted on {fit.data}" if fit.data else f"{fit.what} is fitted"
        steps.append((fit.site.cell, fit.site.span.line, cause))
    ends = "is cross-validated on" if score.cv else "is scored on"
    known = "those rows" if not score.name else score.name
    steps.append((score.site.cell, score.site.span.line, f"{fit.what} {ends} {known}"))
    sure = score.certain and fit.certain and not score.vague if certain is None else certain
    return Leak(
        code, sure, site.cell, site.span, what or fit.what, rows, score.name, fit.what, tuple(steps)
    )


def _division(score: Eval, site: Site) -> list[tuple[int, int, str]]:
    """Return the step that made the rows a part of their table, none where it is told already."""
    if score.split is None or score.cv:
        return []
    _, place, name = score.split
    if (place.cell, place.span.line) == (site.cell, site.span.line):
        return []
    cause = f"{name or 'the table'} is split into training and test rows"
    return [(place.cell, place.span.line, cause)]
