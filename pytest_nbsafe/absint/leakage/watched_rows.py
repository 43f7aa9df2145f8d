"""Rows beside those of a training: what it may stop by, is scored on as it goes, or predicts."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage import subscripts
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Data,
    Estimator,
    Eval,
    ModelFit,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments, text
from pytest_nbsafe.absint.leakage.construction import stoppers
from pytest_nbsafe.absint.leakage.memory import Predicted
from pytest_nbsafe.absint.leakage.rows import Division
from pytest_nbsafe.values import replace

_WATCHES = ("eval_set", "validation_data", "valid_sets", "evals", "X_val")


def watched(value: Estimator, arguments: Arguments, places: Sequence[Value]) -> sets.Rows:
    """Return the rows that a fit may stop by."""
    stops = value.stops or arguments.constant("early_stopping_rounds") is not None
    best = arguments.constant("use_best_model")
    stops = best is not False and (stops or best is True)
    stops = stops or any(callback.path is None for callback in stoppers(arguments))
    return given_rows(arguments, places) if stops else sets.NONE


def given_rows(arguments: Arguments, places: Sequence[Value]) -> sets.Rows:
    """Return the rows that a training is given beside its own, by keywords or at some places."""
    watched = [arguments.keywords[name] for name in _WATCHES if name in arguments.keywords]
    watched += places
    only = Arguments(arguments.machine, arguments.node, watched[:1], {})
    tables = [
        subscripts.as_data(arguments.machine, v)
        for v in only.every()
        if isinstance(v, Data | AnyValue)
    ]
    data = [v for v in tables if v is not None]
    return sets.NONE.union(*(v.rows for v in data))


def note_validation(fit: ModelFit, data: Data, arguments: Arguments) -> None:
    """Tell the judge of rows that a network is scored on after each round of its training."""
    share = arguments.constant("validation_split", default=0)
    if fit.role == "model" and share != 0 and "validation_data" not in arguments.keywords:
        _note_last_rows(fit, data, arguments)
    pair = subscripts.batch(arguments.machine, arguments.find(-1, "validation_data"))
    held = subscripts.as_data(arguments.machine, pair[0]) if pair else None
    if held is not None:
        keywords = arguments.node.keywords
        node = next((k.value for k in keywords if k.arg == "validation_data"), None)
        first = node.elts[0] if isinstance(node, ast.Tuple) else node
        name = text(arguments.machine, first)
        certain = fit.certain and not held.vague
        score = Eval(fit, held.rows, held.all_deps(), arguments.site, name, certain=certain)
        arguments.machine.note(Predicted(score))


def note_prediction(fit: ModelFit, data: Data, arguments: Arguments) -> None:
    """Tell the judge of rows that a model predicts: nothing else may score it."""
    deps, name = data.all_deps(), arguments.name()
    score = Eval(
        fit, data.rows, deps, arguments.site, name, vague=data.vague, certain=False, predicted=True
    )
    arguments.machine.note(Predicted(score))


def _note_last_rows(fit: ModelFit, data: Data, arguments: Arguments) -> None:
    """Tell the judge of the last rows that `validation_split` holds back from the training.

    Whether anybody looks at the scores on them is not known.
    """
    key = ("validation split", arguments.fresh)
    trained, held = (
        sets.divide(data.rows, Division(key, ("is", place), "random")) for place in (0, 1)
    )
    site, name = arguments.site, arguments.name()
    score = Eval(replace(fit, rows=trained), held, data.all_deps(), site, name, certain=False)
    arguments.machine.note(Predicted(score))
