"""What each watched call means: which rows go in, what is learned, what comes out.

A handler is a generator. It runs up to its `yield` before the call and on after it, when it gets
the result. It may yield `NewArguments` to call with other arguments, and return another result.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import row_hashes
from .fit_log import Fit, FitLog, Prediction
from .row_hashes import Unknown
from .table_rows import Glimpse, Past, Rows

_JOINED = 2_000_000  # rows; joins of larger tables are not followed


class NewArguments(NamedTuple):
    """Arguments to call with instead; the last `extra` values of the result are for us."""

    args: tuple[Any, ...]
    extra: int


if TYPE_CHECKING:  # Python 3.8 cannot evaluate these
    Steps = Generator[NewArguments | None, Any, None]
    Handler = Callable[[FitLog, "WatchedCall"], Steps]


class WatchedCall(NamedTuple):
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


def fit(fit_log: FitLog, call: WatchedCall) -> Steps:
    """Learn that an estimator was fitted; a search judges by folds too."""
    _, rows, targets, new_fit = yield from _fitting(fit_log, call)
    if new_fit.role == "search":
        fit_log.folded(type(call.args[0]).__name__, call.args[0], rows, targets)


def partial_fit(fit_log: FitLog, call: WatchedCall) -> Steps:
    """Learn that an estimator has seen more rows."""
    before = fit_log.fit_of(call.args[0])
    *_, new_fit = yield from _fitting(fit_log, call)
    if before is not None:
        new_fit.add(before)


def fit_transform(fit_log: FitLog, call: WatchedCall) -> Steps:
    """Learn that an estimator was fitted, and what it made of the rows."""
    result, rows, _, new_fit = yield from _fitting(fit_log, call)
    fit_log.derive(result, rows, rows.past | new_fit.past | {new_fit.number})


def transform(fit_log: FitLog, call: WatchedCall) -> Steps:
    """Learn what an estimator made of rows, or of predictions."""
    value = call.argument(1, "X", "raw_documents", "y")
    predicted = fit_log.prediction(value)
    rows = None if predicted is not None else fit_log.rows_of(value)
    fit_before = fit_log.fit_of(call.args[0])
    result = yield None
    if predicted is not None:
        fit_log.predicted(result, predicted)
    elif rows is not None:
        past = fit_before.past | {fit_before.number} if fit_before is not None else Past()
        fit_log.derive(result, rows, rows.past | past)


def fit_resample(fit_log: FitLog, call: WatchedCall) -> Steps:
    """Learn which rows a sampler drew, and that it made others of all of them."""
    result, rows, _, new_fit = yield from _fitting(fit_log, call)
    past = rows.past | new_fit.past | {new_fit.number}
    table, *others = result if isinstance(result, tuple) else (result,)
    positions = vars(call.args[0]).get("sample_indices_")
    drawn = _drawn(fit_log, table, rows, positions, past)
    for other in others:
        fit_log.remember(other, fit_log.registry.beside(drawn, _glimpse(other), past))


def predict(fit_log: FitLog, call: WatchedCall) -> Steps:
    """Learn which rows a prediction is of."""
    rows = fit_log.rows_of(call.argument(1, "X", "data"))
    fit_before = fit_log.fit_of(call.args[0])
    result = yield None
    fit_log.predicted(result, Prediction(fit_before, rows, fit_log.watch.run))


def fit_predict(fit_log: FitLog, call: WatchedCall) -> Steps:
    """Learn that an estimator was fitted and has predicted the same rows."""
    result, rows, _, new_fit = yield from _fitting(fit_log, call)
    fit_log.predicted(result, Prediction(new_fit, rows, fit_log.watch.run))


def score(fit_log: FitLog, call: WatchedCall) -> Steps:
    """Tell that a model was scored."""
    fit_before = fit_log.fit_of(call.args[0])
    rows = fit_log.rows_of(call.argument(1, "X", "data"))
    targets = fit_log.known(call.argument(2, "y"))
    yield None
    fit_log.judged(type(call.args[0]).__name__, "score", rows, fit_before, targets)


def folds(fit_log: FitLog, call: WatchedCall) -> Steps:
    """Know the rows whose folds are made: they are taken from the table by their positions."""
    fit_log.rows_of(call.argument(1, "X"))
    yield None


def _fitting(
    fit_log: FitLog, call: WatchedCall
) -> Generator[None, Any, tuple[Any, Rows, Rows | None, Fit]]:
    """Return the result of a call that fits, the rows and targets it was given, and the new fit.

    Until it is seen to be fitted nothing is known of what an estimator has learned.
    """
    estimator = call.args[0]
    before = fit_log.fit_of(estimator)
    fit_log.unfit(estimator)
    value = call.argument(1, "X", "raw_documents", "y", "data")
    targets = fit_log.known(call.argument(2, "y", "Y"))
    rows = fit_log.rows_of(value)
    result = yield None
    kind = type(estimator)
    new_fit = fit_log.fitted(kind.__name__, fit_log.role_of(kind), rows, targets)
    new_fit.replaces = before.number if before is not None else None
    fit_log.hold(estimator, new_fit)
    for ref in call.inner:
        inner = ref()
        if inner is not None:
            fit_log.hold(inner, new_fit)
    return result, rows, targets, new_fit


def _drawn(fit_log: FitLog, table: Any, rows: Rows, positions: Any, past: Past) -> Rows:
    glimpse = _glimpse(table)
    if isinstance(positions, np.ndarray) and len(positions) == glimpse.table.n:
        drawn = fit_log.registry.take(rows, positions.astype(np.int64), glimpse)
        drawn.pasts = [past] * len(glimpse.marks)
    else:
        drawn = fit_log.registry.identify(glimpse, past)
    drawn.part = None
    if drawn.copied:
        drawn.copied_at = fit_log.note_place()
    return fit_log.remember(table, drawn)


# ------------------------------------------------------------------ functions


def split(fit_log: FitLog, call: WatchedCall) -> Steps:
    """Learn the parts of a split: positions are split with the arrays."""
    wholes = _wholes(fit_log, call)
    result = yield NewArguments((*call.args, np.arange(wholes[0].n)), 2)
    positions, result = result[-2:], result[:-2]
    parts = []
    for number, whole in enumerate(wholes):
        values = result[2 * number : 2 * number + 2]
        pairs = zip(positions, values)  # noqa: B905  # Python 3.9 has no `strict`
        parts.append([_taken(fit_log, whole, at, each) for at, each in pairs])
    fit_log.split(call.name, wholes, parts)


def resample(fit_log: FitLog, call: WatchedCall) -> Steps:
    """Learn which rows were drawn, in the same way."""
    wholes = _wholes(fit_log, call)
    result = yield NewArguments((*call.args, np.arange(wholes[0].n)), 1)
    positions = result[-1]
    for whole, value in zip(wholes, result[:-1]):  # noqa: B905  # Python 3.9 has no `strict`
        _drawn_of(fit_log, whole, positions, value)


def sample(fit_log: FitLog, call: WatchedCall) -> Steps:
    """Learn which rows of a frame were drawn with replacement: others are parts like any."""
    frame = call.args[0]
    share = call.argument(2, "frac") or 0
    if not (call.argument(3, "replace") or share > 1) or not frame.index.is_unique:
        raise Unknown
    rows = fit_log.rows_of(frame)
    result = yield None
    _drawn_of(fit_log, rows, frame.index.get_indexer(result.index), result)


def concat(fit_log: FitLog, call: WatchedCall) -> Steps:
    """Learn which rows were joined: it may be some of them again."""
    frames = call.argument(0, "objs")
    axis = call.argument(1, "axis")
    if not isinstance(frames, (list, tuple)) or axis not in {None, 0, "index", "rows"}:
        raise Unknown
    tables = [row_hashes.table_of(frame) for frame in frames]
    if len({table.width for table in tables}) != 1 or sum(t.n for t in tables) > _JOINED:
        raise Unknown
    rows = [fit_log.rows_of(frame) for frame in frames]
    result = yield None
    glimpse = _glimpse(result)
    if glimpse.table.n == sum(each.n for each in rows) and glimpse.table.width == tables[0].width:
        joined = fit_log.registry.joined(rows, glimpse)
        if joined.copied and not any(each.copied for each in rows):
            joined.copied_at = fit_log.note_place()
        fit_log.remember(result, joined)


def cross_validation(fit_log: FitLog, call: WatchedCall) -> Steps:
    """Tell that an estimator was judged by folds."""
    estimator = call.argument(0, "estimator")
    rows = fit_log.rows_of(call.argument(1, "X"))
    targets = fit_log.known(call.argument(2, "y"))
    yield None
    fit_log.folded(call.name, estimator, rows, targets)


def metric(fit_log: FitLog, call: WatchedCall) -> Steps:
    """Tell that predictions were judged."""
    truth = call.argument(0, "y_true", "y_test")
    guess = call.argument(1, "y_pred", "y_score", "y_prob", "y_proba", "pred_decision")
    prediction = fit_log.prediction(guess) or _same_prediction(fit_log, truth, guess)
    targets = fit_log.known(truth)
    yield None
    if prediction is not None:
        fit_log.judged(call.name, "metric", prediction.rows, prediction.fit, targets)


def fitted(fit_log: FitLog, call: WatchedCall) -> Steps:
    """Learn what a function that fits and transforms at once made of rows."""
    rows = fit_log.rows_of(call.argument(0, "X"))
    result = yield None
    new_fit = fit_log.fitted(call.name, "fitted", rows)
    fit_log.derive(result, rows, new_fit.past | {new_fit.number})


def _wholes(fit_log: FitLog, call: WatchedCall) -> list[Rows]:
    """Return the rows of arrays that are split together; one that is known speaks for the rest.

    Raises:
        Unknown: they are not of one length, or of a kind that positions cannot be split with.

    """
    tables = [row_hashes.table_of(value) for value in call.args]
    if len({table.n for table in tables}) != 1:
        raise Unknown
    glimpses = [Glimpse(table) for table in tables]
    wholes = [fit_log.known(value) for value in call.args]
    main = next((i for i, rows in enumerate(wholes) if rows is not None), None)
    if main is None:
        main = max(range(len(glimpses)), key=lambda i: glimpses[i].table.width)
        wholes[main] = fit_log.rows_of(call.args[main])
    source = wholes[main]
    for number, value in enumerate(call.args):
        if wholes[number] is None and glimpses[number].telling:
            wholes[number] = fit_log.rows_of(value)
        elif wholes[number] is None and source is not None:
            rows = fit_log.registry.beside(source, glimpses[number])
            wholes[number] = fit_log.remember(value, rows)
    return [rows for rows in wholes if rows is not None]


def _taken(fit_log: FitLog, whole: Rows, positions: Any, value: Any) -> Rows:
    rows = fit_log.registry.take(whole, np.asarray(positions), _glimpse(value))
    return fit_log.remember(value, rows)


def _drawn_of(fit_log: FitLog, whole: Rows, positions: Any, value: Any) -> None:
    """Learn which rows of a whole were drawn: their copies were made here."""
    drawn = _taken(fit_log, whole, positions, value)
    if drawn.copied:
        drawn.copied_at = fit_log.note_place()


def _same_prediction(fit_log: FitLog, truth: Any, guess: Any) -> Prediction | None:
    """Return the prediction that a guess must have been made of: a class by a threshold, a list."""
    if truth is None or guess is None or fit_log.known(guess) is not None:
        return None
    try:
        if len(np.unique(row_hashes.sampled(row_hashes.table_of(guess)))) < 2:
            return None  # the same guess for all: a baseline
    except Unknown:
        return None
    return fit_log.last_prediction(truth)


def _glimpse(value: Any) -> Glimpse:
    return Glimpse(row_hashes.table_of(value))


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
