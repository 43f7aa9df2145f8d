"""What each watched call means: which rows go in, what is learned, what comes out.

A handler is a generator. It runs up to its `yield` before the call and on after it, when it gets
the result. It may yield `Changed` to call with other arguments, and return another result.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Generator, Mapping
from typing import Any, NamedTuple

import numpy as np

from . import rowids
from .lessons import Fit, Lessons, Prediction
from .rowids import Unknown
from .rowsets import Look, Rows

_JOINED = 2_000_000  # rows; joins of larger tables are not followed


class Changed(NamedTuple):
    """Arguments to call with instead; the last `extra` values of the result are for us."""

    args: tuple[Any, ...]
    extra: int


Steps = Generator[Changed | None, Any, None]
Handler = Callable[[Lessons, "Call"], Steps]


class Call(NamedTuple):
    """A call: the function's name and its arguments; `inner` are estimators fitted within it."""

    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    inner: list[weakref.ref[Any]]

    def argument(self, position: int, *names: str) -> Any:
        """Return an argument by its position, or else its first name that is given."""
        if len(self.args) > position:
            return self.args[position]
        return next((self.kwargs[name] for name in names if name in self.kwargs), None)


# ------------------------------------------------------------------ estimators


def fit(lessons: Lessons, call: Call) -> Steps:
    """Learn that an estimator was fitted; a search judges by folds too."""
    rows, targets = _given(lessons, call)
    yield None
    made = _fitted(lessons, call, rows, targets)
    if made.role == "search":
        lessons.folded(made.what, call.args[0], rows, targets)


def partial_fit(lessons: Lessons, call: Call) -> Steps:
    """Learn that an estimator has seen more rows."""
    before = lessons.fit_of(call.args[0])
    rows, targets = _given(lessons, call)
    yield None
    made = _fitted(lessons, call, rows, targets)
    if before is not None:
        made.add(before)


def fit_transform(lessons: Lessons, call: Call) -> Steps:
    """Learn that an estimator was fitted, and what it made of the rows."""
    rows, targets = _given(lessons, call)
    result = yield None
    made = _fitted(lessons, call, rows, targets)
    lessons.derive(result, rows, rows.past | made.past | {made.number})


def transform(lessons: Lessons, call: Call) -> Steps:
    """Learn what an estimator made of rows, or of predictions."""
    value = call.argument(1, "X", "raw_documents", "y")
    predicted = lessons.prediction(value)
    rows = None if predicted is not None else lessons.rows_of(value)
    made = lessons.fit_of(call.args[0])
    result = yield None
    if predicted is not None:
        lessons.predicted(result, predicted)
    elif rows is not None:
        past = made.past | {made.number} if made is not None else frozenset()
        lessons.derive(result, rows, rows.past | past)


def fit_resample(lessons: Lessons, call: Call) -> Steps:
    """Learn which rows a sampler drew, and that it made others of all of them."""
    rows, targets = _given(lessons, call)
    result = yield None
    made = _fitted(lessons, call, rows, targets)
    past = rows.past | made.past | {made.number}
    table, *others = result if isinstance(result, tuple) else (result,)
    positions = vars(call.args[0]).get("sample_indices_")
    drawn = _drawn(lessons, table, rows, positions, past)
    for other in others:
        lessons.remember(other, lessons.registry.beside(drawn, _look(other), past))


def predict(lessons: Lessons, call: Call) -> Steps:
    """Learn which rows a prediction is of."""
    rows = lessons.rows_of(call.argument(1, "X", "data"))
    made = lessons.fit_of(call.args[0])
    result = yield None
    lessons.predicted(result, Prediction(made, rows, "metric", lessons.spot.run))


def fit_predict(lessons: Lessons, call: Call) -> Steps:
    """Learn that an estimator was fitted and has predicted the same rows."""
    rows, targets = _given(lessons, call)
    result = yield None
    made = _fitted(lessons, call, rows, targets)
    lessons.predicted(result, Prediction(made, rows, "metric", made.run))


def score(lessons: Lessons, call: Call) -> Steps:
    """Tell that a model was scored."""
    made = lessons.fit_of(call.args[0])
    rows = lessons.rows_of(call.argument(1, "X", "data"))
    targets = lessons.known(call.argument(2, "y"))
    yield None
    lessons.judged(type(call.args[0]).__name__, "score", rows, made, targets)


def folds(lessons: Lessons, call: Call) -> Steps:
    """Know the rows whose folds are made: they are taken from the table by their positions."""
    lessons.rows_of(call.argument(1, "X"))
    yield None


def _given(lessons: Lessons, call: Call) -> tuple[Rows, Rows | None]:
    """Return the rows that an estimator is given, and those of the targets when they are known.

    Until it is seen to be fitted nothing is known of what it has learned.
    """
    lessons.unfit(call.args[0])
    value = call.argument(1, "X", "raw_documents", "y", "data")
    targets = lessons.known(call.argument(2, "y", "Y"))
    return lessons.rows_of(value), targets


def _fitted(lessons: Lessons, call: Call, rows: Rows, targets: Rows | None) -> Fit:
    estimator = call.args[0]
    kind = type(estimator)
    made = lessons.fitted(kind.__name__, lessons.role_of(kind), rows, targets)
    lessons.hold(estimator, made)
    for ref in call.inner:
        inner = ref()
        if inner is not None:
            lessons.hold(inner, made)
    return made


def _drawn(lessons: Lessons, table: Any, rows: Rows, positions: Any, past: frozenset[int]) -> Rows:
    look = _look(table)
    if isinstance(positions, np.ndarray) and len(positions) == look.table.n:
        found = lessons.registry.take(rows, positions.astype(np.int64), look)
        found.pasts = [past] * len(look.marks)
    else:
        found = lessons.registry.identify(look, past)
    found.part = None
    if found.copied:
        found.made = lessons.spot.place()
    return lessons.remember(table, found)


# ------------------------------------------------------------------ functions


def split(lessons: Lessons, call: Call) -> Steps:
    """Learn the parts of a split: positions are split with the arrays."""
    wholes = _wholes(lessons, call)
    result = yield Changed((*call.args, np.arange(wholes[0].n)), 2)
    positions, result = result[-2:], result[:-2]
    parts = []
    for number, whole in enumerate(wholes):
        values = result[2 * number : 2 * number + 2]
        parts.append(
            [_taken(lessons, whole, at, v) for at, v in zip(positions, values, strict=True)]
        )
    lessons.split(call.name, wholes, parts)


def resample(lessons: Lessons, call: Call) -> Steps:
    """Learn which rows were drawn, in the same way."""
    wholes = _wholes(lessons, call)
    result = yield Changed((*call.args, np.arange(wholes[0].n)), 1)
    positions = result[-1]
    for whole, value in zip(wholes, result[:-1], strict=True):
        drawn = _taken(lessons, whole, positions, value)
        drawn.part = whole.part
        if drawn.copied:
            drawn.made = lessons.spot.place()


def sample(lessons: Lessons, call: Call) -> Steps:
    """Learn which rows of a frame were drawn with replacement: others are parts like any."""
    frame = call.args[0]
    share = call.argument(2, "frac") or 0
    if not (call.argument(3, "replace") or share > 1) or not frame.index.is_unique:
        raise Unknown
    rows = lessons.rows_of(frame)
    result = yield None
    drawn = _taken(lessons, rows, frame.index.get_indexer(result.index), result)
    drawn.part = rows.part
    if drawn.copied:
        drawn.made = lessons.spot.place()


def concat(lessons: Lessons, call: Call) -> Steps:
    """Learn which rows were joined: it may be some of them again."""
    frames = call.argument(0, "objs")
    axis = call.argument(1, "axis")
    if not isinstance(frames, (list, tuple)) or axis not in {None, 0, "index", "rows"}:
        raise Unknown
    tables = [rowids.table_of(frame) for frame in frames]
    if len({table.width for table in tables}) != 1 or sum(t.n for t in tables) > _JOINED:
        raise Unknown
    rows = [lessons.rows_of(frame) for frame in frames]
    result = yield None
    look = _look(result)
    if look.table.n == sum(each.n for each in rows) and look.table.width == tables[0].width:
        joined = lessons.registry.joined(rows, look)
        if joined.copied and not any(each.copied for each in rows):
            joined.made = lessons.spot.place()
        lessons.remember(result, joined)


def cross_validation(lessons: Lessons, call: Call) -> Steps:
    """Tell that an estimator was judged by folds."""
    estimator = call.argument(0, "estimator")
    rows = lessons.rows_of(call.argument(1, "X"))
    targets = lessons.known(call.argument(2, "y"))
    yield None
    lessons.folded(call.name, estimator, rows, targets)


def metric(lessons: Lessons, call: Call) -> Steps:
    """Tell that predictions were judged."""
    truth = call.argument(0, "y_true", "y_test")
    guess = call.argument(1, "y_pred", "y_score", "y_prob", "y_proba", "pred_decision")
    found = lessons.prediction(guess) or _same_prediction(lessons, truth, guess)
    targets = lessons.known(truth)
    yield None
    if found is not None:
        lessons.judged(call.name, found.how, found.rows, found.fit, targets)


def fitted(lessons: Lessons, call: Call) -> Steps:
    """Learn what a function that fits and transforms at once made of rows."""
    rows = lessons.rows_of(call.argument(0, "X"))
    result = yield None
    made = lessons.fitted(call.name, "fitted", rows)
    lessons.derive(result, rows, made.past | {made.number})


def _wholes(lessons: Lessons, call: Call) -> list[Rows]:
    """Return the rows of arrays that are split together; one that is known speaks for the rest.

    Raises:
        Unknown: they are not of one length, or of a kind that positions cannot be split with.

    """
    tables = [rowids.table_of(value) for value in call.args]
    if len({table.n for table in tables}) != 1:
        raise Unknown
    looks = [Look(table) for table in tables]
    found = [lessons.known(value) for value in call.args]
    main = next((i for i, rows in enumerate(found) if rows is not None), None)
    if main is None:
        main = max(range(len(looks)), key=lambda i: looks[i].table.width)
        found[main] = lessons.rows_of(call.args[main])
    source = found[main]
    for number, value in enumerate(call.args):
        if found[number] is None and looks[number].telling:
            found[number] = lessons.rows_of(value)
        elif found[number] is None and source is not None:
            rows = lessons.registry.beside(source, looks[number])
            found[number] = lessons.remember(value, rows)
    return [rows for rows in found if rows is not None]


def _taken(lessons: Lessons, whole: Rows, positions: Any, value: Any) -> Rows:
    rows = lessons.registry.take(whole, np.asarray(positions), _look(value))
    return lessons.remember(value, rows)


def _same_prediction(lessons: Lessons, truth: Any, guess: Any) -> Prediction | None:
    """Return the prediction that a guess must have been made of: a class by a threshold, a list."""
    if truth is None or guess is None or lessons.known(guess) is not None:
        return None
    try:
        if len(np.unique(rowids.sampled(rowids.table_of(guess)))) < 2:
            return None  # the same guess for all: a baseline
    except Unknown:
        return None
    return lessons.last_prediction(truth)


def _look(value: Any) -> Look:
    return Look(rowids.table_of(value))


METHODS: Mapping[str, Handler] = {
    "fit": fit,
    "partial_fit": partial_fit,
    "fit_transform": fit_transform,
    "transform": transform,
    "inverse_transform": transform,
    "fit_resample": fit_resample,
    "fit_sample": fit_resample,
    "predict": predict,
    "predict_proba": predict,
    "predict_log_proba": predict,
    "decision_function": predict,
    "fit_predict": fit_predict,
    "score": score,
}
"""What is watched of a class that learns."""

FUNCTIONS: Mapping[str, Handler] = {
    "split": split,
    "resample": resample,
    "shuffle": resample,
    "sample": sample,
    "concat": concat,
    "cv": cross_validation,
    "cv_curve": cross_validation,
    "metric": metric,
    "fitted": fitted,
}
"""What is watched of functions, by the words of the knowledge base."""
