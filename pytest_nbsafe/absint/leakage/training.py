"""Fits outside of `fit`: cross-validation, functions that train, networks trained by hand."""

from __future__ import annotations

import ast

from pytest_nbsafe.absint.leakage import estimators, scores, splits_and_joins
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Const,
    Data,
    Estimator,
    Index,
    ModelFit,
    Seq,
    Splitter,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments, TableCall, text
from pytest_nbsafe.absint.leakage.estimators import fit_of, learn, predicts
from pytest_nbsafe.absint.leakage.memory import Ungrouped
from pytest_nbsafe.absint.leakage.rows import Division
from pytest_nbsafe.absint.leakage.scores import evaluated
from pytest_nbsafe.values import replace


def score_function(arguments: Arguments) -> Value:
    """Return the score of `plot_roc_curve(model, X, y)` and the like."""
    value, data = arguments.get(0, "estimator"), arguments.data(1, "X")
    if isinstance(value, Estimator) and value.fit is not None and data is not None:
        return evaluated(value.fit, data, arguments, arguments.name(1))
    return arguments.unknown()


def cross_validated(arguments: Arguments) -> Value:
    """Return the scores of a cross-validation: every row is a test row in its turn."""
    machine = arguments.machine
    value, data = arguments.get(0, "estimator"), arguments.data(1, "X", "x")
    if not isinstance(value, Estimator) or data is None or not predicts(machine, value):
        return arguments.unknown()
    fit = fit_of(value, data, arguments, 1, arguments.name(0))
    given = arguments.find(-1, "cv")
    splitter = given if isinstance(given, Splitter) else Splitter("")
    group = _groups(arguments, data) or machine.group_of(data)
    if not splitter.grouped and group and not (splitter.what and splitter.time):
        machine.note(Ungrouped(machine.site(arguments.node), group))
    folds, whole = replace(data, cv=True), _kept_whole(splitter, arguments.find(-1, "groups"))
    return evaluated(fit, folds, arguments, arguments.name(1), splitter=splitter, whole=whole)


def _kept_whole(splitter: Splitter, groups: Value | None) -> str:
    """Return the column whose groups a splitter keeps on one side, "" where it is not known."""
    if not splitter.grouped or not isinstance(groups, Data):
        return ""
    return next((str(o[-1]) for o in groups.origins if isinstance(o, tuple)), "")


def _groups(arguments: Arguments, data: Data, place: int = 0) -> str | None:
    """Return the name of the groups that a call is given, and remember whose they are.

    `place` is theirs among the arguments, 0 where they are given by name only.
    """
    given = next((k.value for k in arguments.node.keywords if k.arg == "groups"), None)
    if given is None and len(arguments.node.args) > place > 0:
        given = arguments.node.args[place]
    if given is None or (isinstance(given, ast.Constant) and given.value is None):
        return None
    name = text(arguments.machine, given) or "groups"
    for atom in data.rows:
        arguments.machine.notes.groups[("rows", atom.source)] = name
    return name


def cross_predicted(arguments: Arguments) -> Value:
    """Return the predictions of a cross-validation."""
    value, data = arguments.get(0, "estimator"), arguments.data(1, "X", "x")
    if not isinstance(value, Estimator) or data is None or not predicts(arguments.machine, value):
        return arguments.unknown()
    fit = fit_of(value, data, arguments, 1, arguments.name(0))
    return Data(data.rows, data.all_deps(), "array", pred=fit, cv=True, vague=data.vague)


def train_function(arguments: Arguments) -> Value:
    """Return the model that `xgb.train(params, dtrain)` gives."""
    data = next(
        (v for v in map(arguments.machine.get, arguments.args) if isinstance(v, Data) and v.rows),
        None,
    )
    data = data or arguments.data(-1, "dtrain", "train_set")
    value = Estimator(arguments.what, "model")
    owner = arguments.machine.box(value)
    if data is not None:
        watched = arguments.args[_WATCHLIST : _WATCHLIST + 1]
        learn(owner, value, data, arguments, watched=watched)
    return owner


_WATCHLIST = 3
"""The place of the rows that a training watches: `train(params, dtrain, 5000, watchlist)`."""


def split(_owner: Value, value: Splitter, arguments: Arguments) -> Value:
    """Return the folds that `KFold().split(X)` gives, as positions."""
    if arguments.machine.roles.method_of("splitter", arguments.what) != "folds":
        return AnyValue((arguments.what, arguments.machine.token(value)))
    key = ("folds", arguments.fresh)
    parts = tuple(Index((Division(key, ("is", place), "fold"),)) for place in (0, 1))
    data = arguments.find(0, "X")
    whole = [data] if isinstance(data, Data) else []
    for part in whole:
        _groups(arguments, part, 2)
    arguments.machine.notes.whole[key] = _kept_whole(value, arguments.find(2, "groups"))
    splits_and_joins.note_split(
        arguments,
        key,
        whole,
        shuffled=value.shuffles and not value.time,
        grouped=value.grouped,
    )
    return Seq((), Seq(parts))


ROLE = "network"
"""The role of what was learned by hand: nobody is told to score it elsewhere too."""


def network_called(callee: Value, value: Estimator, arguments: Arguments) -> Value:
    """Return what a network gives for rows: predictions that know whose they are."""
    data = arguments.data(0)
    if value.role in {"transformer", "encoder"} and data is not None and value.fit is not None:
        return estimators.transformed(arguments.machine, value, data, value.fit)  # a layer
    if value.role != "model" or data is None or not data.rows:
        return arguments.unknown()
    return Data(data.rows, data.all_deps(), "array", pred=value.fit, net=callee, vague=data.vague)


def backward(call: TableCall) -> Value:
    """Let the network that a loss comes from learn from the rows that it was computed on."""
    learn_by_hand(call.data, call.arguments)
    return Const(None)


def learn_by_hand(loss: Data, arguments: Arguments) -> None:
    """Let the network that a loss comes from learn; what it knew before it goes on knowing."""
    machine = arguments.machine
    value = machine.get(loss.net)
    if not isinstance(value, Estimator):
        return
    fit = ModelFit(
        value.what,
        ROLE,
        loss.rows,
        loss.all_deps(),
        arguments.site,
        certain=machine.certain and not loss.vague,
    )
    machine.put(loss.net, replace(value, fit=fit.beside(value.fit)))


def item(call: TableCall) -> Value:
    """Return a number out of a tensor: a score where it is one, or is made of mistakes."""
    if call.data.scores or call.data.pred is None or not call.data.judged:
        return call.data if call.data.scores else call.arguments.unknown()
    return scores.judged(call.data, call.arguments)
