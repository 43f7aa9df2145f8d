"""The judge: which scores were given on rows that something had learned from."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.abstract_values import CodeSite, Dep, DepKind, Eval, ModelFit
from pytest_nbsafe.absint.leakage.leak import Leak
from pytest_nbsafe.absint.leakage.leak_paths import Page, Story, of_search, steps
from pytest_nbsafe.absint.leakage.memory import (
    BestScore,
    Choice,
    Event,
    Predicted,
    RowsSplit,
    Ungrouped,
)
from pytest_nbsafe.absint.leakage.scored_rows import (
    is_beside_test,
    is_for_validation,
    is_on_test,
    is_split,
    is_sure,
    is_training,
    is_validated,
)
from pytest_nbsafe.values import replace


def judge(events: Sequence[Event], page: Page) -> tuple[Leak, ...]:
    """Return the leaks that the events of one pass show, one for each place and code."""
    distinct: dict[tuple[object, ...], Eval] = {}
    for event in events:
        if isinstance(event, Eval):
            fit = event.fit
            key = (event.site, fit.model, event.rows, event.deps, fit.rows)
            distinct.setdefault(key, event)
    scores = list(distinct.values())
    scores += _searched(events, scores)
    stories: dict[tuple[str, int, int], Story] = {}
    for leak in _all(events, scores, page):
        place = leak.code, leak.site.cell, leak.site.span.line
        old = stories.get(place)
        if old is None or (leak.certain and not old.certain):
            stories[place] = leak
    return (*(_leak(page, leak) for leak in stories.values()), *_best(events, scores, page))


def _leak(page: Page, story: Story) -> Leak:
    score = story.score
    return Leak(
        story.code,
        story.certain,
        story.site.cell,
        story.site.span,
        story.what,
        story.rows,
        score.name,
        score.fit.what,
        steps(page, story),
    )


def _all(events: Sequence[Event], scores: Sequence[Eval], page: Page) -> Iterator[Story]:
    told = [event.score for event in events if isinstance(event, Predicted)]
    for score in scores:
        yield from _of_one(score, scores, told, page)
    yield from _predicted(events, scores, page)
    yield from _chosen(events, scores, page)
    yield from _train_only(events, scores)
    yield from _reused(scores)
    yield from _ungrouped(events, scores)


def _predicted(events: Sequence[Event], scores: Sequence[Eval], page: Page) -> Iterator[Story]:
    """Yield what was learned of rows held back that are predicted, where nothing scores the model.

    The predictions are then what the notebook gives, and nobody sees that they are too good. Rows
    that a network is scored on as it is trained are validation rows when it predicts others.
    """
    judged = {score.fit.site for score in scores if not is_training(score)}
    apart = [score for score in _apart(events) if score.fit.site not in judged]
    for score in apart:
        others = (other for other in apart if other.fit.site == score.fit.site and other.predicted)
        if not score.predicted and any(sets.overlap(o.rows, score.rows) == "no" for o in others):
            continue
        yield from (story for story in _learned(score, page) if story.dep in score.fit.deps)


def _apart(events: Sequence[Event]) -> list[Eval]:
    """Return what is predicted of rows that the model has not learned from."""
    told = dict.fromkeys(event.score for event in events if isinstance(event, Predicted))
    return [s for s in told if sets.overlap(s.fit.rows, s.rows) == "no" and is_split(s)]


def _searched(events: Sequence[Event], scores: Sequence[Eval]) -> list[Eval]:
    """Return the scores of searches that are given as a result, where nothing else scores them."""
    held = {score.fit.site for score in scores if score.cv or not is_training(score)}
    return [
        Eval(fit, fit.rows, fit.deps, best.site, fit.data, cv=True, certain=fit.certain)
        for best in events
        if isinstance(best, BestScore) and (fit := best.fit).site not in held and fit.rows
    ]


def _of_one(
    score: Eval, scores: Sequence[Eval], told: Sequence[Eval], page: Page
) -> Iterator[Story]:
    fit = score.fit
    if fit.copied is not None:
        target = next((str(o[-1]) for o in fit.target if isinstance(o, tuple)), "")
        yield Story("NBS341", score, fit.copied, fit.certain, fit.data, target, fitted=True)
    elif fit.window is not None and (score.cv or not is_training(score)):
        target = next((str(o[-1]) for o in fit.target if isinstance(o, tuple)), "")
        story = Story("NBS341", score, fit.window.site, certain=False, rows=fit.data, what=target)
        yield replace(story, fitted=True)
    if not is_training(score) and not is_beside_test(score, scores):
        yield from _overlaps(score)
        yield from _stopped(score, scores, told, page)
        yield from _learned(score, page)
    yield from _divided(score, page)
    for dep in sorted(fit.deps, key=_place):
        if dep.kind == "ahead" and (score.cv or not is_training(score)):
            yield _of_dep("NBS333", score, dep)


def _place(dep: Dep) -> tuple[int, int, int, str]:
    return dep.site.cell, dep.site.span.line, dep.site.span.column, dep.kind


def _overlaps(score: Eval) -> Iterator[Story]:
    fit = score.fit
    if score.cv or score.vague:
        return
    if sets.overlap(fit.rows, score.rows) == "yes":
        joins = [dep for dep in _met(score, "join") if _of_others(dep, score)]
        if joins:
            yield _of_dep("NBS313", score, max(joins, key=_place))
        elif not _met(score, "resample"):
            yield _of_fit("NBS312", score)
    for dep in sorted(fit.tuned, key=_place):
        if sets.overlap(dep.rows, score.rows) == "yes":
            yield _of_dep("NBS321", score, dep)


def _stopped(
    score: Eval, scores: Sequence[Eval], told: Sequence[Eval], page: Page
) -> Iterator[Story]:
    """Yield a score on rows that the training stopped by; of validation rows it is in doubt."""
    fit = score.fit
    if score.cv or score.vague or sets.overlap(fit.watch, score.rows) != "yes":
        return
    named = is_for_validation(score, page)
    by_turns = "fold" in sets.kinds(score.rows)
    if not is_validated(fit, [*scores, *told] if named or by_turns else scores):
        story = _of_fit("NBS322", score)
        yield replace(story, certain=story.certain and not named)


def _of_others(dep: Dep, score: Eval) -> bool:
    """Return whether other rows were joined to test rows, not only parts that both hold some."""
    answers = {sets.overlap(frozenset((atom,)), score.rows) for atom in dep.rows}
    return {"yes", "no"} <= answers


def _learned(score: Eval, page: Page) -> Iterator[Story]:
    """Yield what was learned from the rows that are scored on, before the model was fitted."""
    fit = score.fit
    if not score.cv and sets.overlap(fit.rows, score.rows) == "yes" and not _met(score, "resample"):
        return  # trained on them: that says it all
    for dep in sorted(fit.deps | score.deps, key=_place):
        if dep.is_time or dep.kind in {"join", "ahead", "tuned"} or _is_blind(dep, fit.target):
            continue
        if sets.overlap(dep.rows, score.rows) != "yes" or _stays_in_groups(dep, score, page):
            continue
        if fit.copied is not None and dep.site.span.line == fit.copied.span.line:
            continue  # within a copy of the target: that says it all
        only = sets.within(dep.rows, score.rows) and not score.cv
        if dep.kind == "resample" and only and dep not in fit.deps:
            continue
        code = _code(dep, score, only=only)
        yield _of_dep(code, score, dep)
        if code == "NBS342" and dep.is_statistic:
            yield _of_dep("NBS302", score, dep)


def _stays_in_groups(dep: Dep, score: Eval, page: Page) -> bool:
    """Return whether each group that a number was taken of lies on one side of the division.

    So it is where the rows are divided by what the groups are told by: by days, by patients.
    """
    if not dep.by:
        return False
    if score.cv:
        return score.whole in dep.by
    steps = {step.key for atom in score.fit.rows for step in atom.steps}
    between = {step.key for atom in score.rows for step in atom.steps} & steps
    return any(_column(key, page) in dep.by for key in between)


def _column(key: Hashable, page: Page) -> str:
    """Return the column that rows are divided by in whole groups, "" for any other division."""
    if isinstance(key, sets.ByColumn) and isinstance(key.origin, tuple):
        return str(key.origin[-1])
    return page.notes.whole.get(key, "")


def _is_blind(dep: Dep, target: frozenset[object]) -> bool:
    """Return whether columns were compared with each other, the target not among them.

    Where that is not known, it is taken to be one of them if the comparisons with one were used.
    """
    if dep.kind != "selection" or dep.table is None:
        return False
    base, columns = dep.table
    named = [origin[-2:] for origin in target if isinstance(origin, tuple)]
    known = [columns.has(str(name)) for of, name in named if of == base is not None]
    if dep.asked:
        return bool(named) and len(known) == len(named) and not any(known)
    return not any(known)


def _met(score: Eval, kind: DepKind) -> list[Dep]:
    """Return what was done to the scored rows before the model was fitted."""
    alike = (dep for dep in score.fit.deps if dep.kind == kind)
    return [dep for dep in alike if sets.overlap(dep.rows, score.rows) == "yes"]


def _code(dep: Dep, score: Eval, *, only: bool) -> str:
    if dep.kind == "resample":
        return "NBS311"
    encoded = dep.is_statistic and dep.grouped and dep.of & score.fit.target
    if dep.kind == "target" or encoded:
        return "NBS342"
    if dep.kind == "selection":
        return "NBS303"
    if only and dep not in score.fit.deps:
        return "NBS304"
    if _from_both(dep, score):
        return "NBS306"
    if dep.is_statistic:
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


def _divided(score: Eval, page: Page) -> Iterator[Story]:
    if score.cv:
        is_series = any(dep.kind == "time" for dep in score.fit.deps)
        if is_series and score.shuffled:
            yield _of_score("NBS331", score, score.site, score.name)
        return
    if is_training(score):
        return
    fitted = {(step.key, step.part) for atom in score.fit.rows for step in atom.steps}
    for key, part in {(step.key, step.part) for atom in score.rows for step in atom.steps}:
        others = {other for k, other in fitted if k == key} - {part}
        if isinstance(key, sets.Sampled) and not others:
            continue  # only fewer rows
        site, name, timed, group = page.notes.splits.get(key, (None, "", False, None))
        if site is not None and timed:
            yield _of_score("NBS331", score, site, name)
        if site is not None and group:
            yield _of_score("NBS332", score, site, name, group)


# -- the whole page --------------------------------------------------------------------------------


def _chosen(events: Sequence[Event], scores: Sequence[Eval], page: Page) -> Iterator[Story]:
    """Yield choices by scores on test rows that no score on other rows follows."""
    for choice in events:
        if not isinstance(choice, Choice):
            continue
        used = sorted(
            filter(is_on_test, choice.scores),
            key=lambda s: (s.site.cell, s.site.span.line, s.fit.what),
        )
        used = [s for s in used if sets.overlap(s.rows, used[0].rows) == "yes"]
        several = any(s.several for s in used) or len({s.fit.site for s in used}) > 1
        if not used or not several:
            continue
        first = used[0]
        rows = first.rows
        apart = [
            s for s in scores if not s.cv and sets.overlap(s.rows, rows) == "no" and is_on_test(s)
        ]
        if apart or any(is_for_validation(s, page) for s in used):
            continue
        model = first.fit.what if first.fit.name else ""
        sure = is_sure(first)
        yield Story("NBS321", first, first.site, sure, what=model, chosen=choice.site)


def _train_only(events: Sequence[Event], scores: Sequence[Eval]) -> Iterator[Story]:
    apart = _apart(events)
    if any(not score.predicted for score in apart):  # a network told its score on them
        return
    if not scores or any(not is_training(score) or score.vague for score in scores):
        return
    last = scores[-1]
    held = bool(apart) or any(isinstance(event, RowsSplit) for event in events)
    if not held and not _classifies_a_file(last):
        return
    if last.fit.role in {"classifier", "regressor", "model", "pipeline", "search", "meta"}:
        yield _of_score("NBS314", last, last.site, last.name, last.fit.what)


def _classifies_a_file(score: Eval) -> bool:
    """Return whether the score is of a classifier on rows of a file: its result, with no other."""
    sources = sets.sources(score.rows)
    read = (isinstance(key, tuple) and str(key[0]).startswith("read_") for key in sources)
    return score.fit.role == "classifier" and all(read)


def _reused(scores: Sequence[Eval]) -> Iterator[Story]:
    first: dict[sets.Rows, ModelFit] = {}
    reported: set[sets.Rows] = set()
    for score in scores:
        if not is_on_test(score):
            continue
        fit = first.setdefault(score.rows, score.fit)
        if fit.model != score.fit.model and score.rows not in reported:
            reported.add(score.rows)
            yield _of_score("NBS323", score, score.site, "", score.fit.what)


def _best(events: Sequence[Event], scores: Sequence[Eval], page: Page) -> Iterator[Leak]:
    others = [score for score in scores if not (score.cv and score.fit.searched)]
    if any(score.cv or not is_training(score) for score in others):
        return
    for best in events:
        if isinstance(best, BestScore):
            fit, site = best.fit, best.site
            path = of_search(page, fit, site)
            yield Leak("NBS324", True, site.cell, site.span, fit.name or fit.what, steps=path)  # noqa: FBT003 - certain


def _ungrouped(events: Sequence[Event], scores: Sequence[Eval]) -> Iterator[Story]:
    for event in events:
        if isinstance(event, Ungrouped):
            score = next((score for score in scores if score.site == event.site), None)
            if score is not None:
                yield _of_score("NBS332", score, event.site, score.name, event.group)


# -- what is found ---------------------------------------------------------------------------------


def _of_dep(code: str, score: Eval, dep: Dep) -> Story:
    sure = dep.certain and is_sure(score)
    return Story(code, score, dep.site, sure, dep.name, dep.what, dep)


def _of_fit(code: str, score: Eval) -> Story:
    """Return that the model itself learned from what it should not know."""
    fit = score.fit
    return Story(code, score, fit.site, is_sure(score), fit.data, fit.what, fitted=True)


def _of_score(code: str, score: Eval, site: CodeSite, rows: str = "", what: str = "") -> Story:
    return Story(code, score, site, is_sure(score), rows, what)
