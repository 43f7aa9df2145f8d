"""Models that are objects of the page's own classes: what they are fitted on, what they predict."""

from __future__ import annotations

from pytest_nbsafe.absint.leakage.abstract_values import Data, Estimator, Instance, ModelFit, Value
from pytest_nbsafe.absint.leakage.arguments import Arguments, text
from pytest_nbsafe.values import replace

_FIT = "(fit)"
"""The attribute that holds what a model has learned from: no class can have one of this name."""
_FITS = frozenset({"fit", "train"})
_PREDICTS = frozenset({"predict", "predict_proba"})


def known(owner: Value, arguments: Arguments, result: Value) -> Value:
    """Return what a method of an own class gives, where it fits a model or predicts.

    By its name a method that is given features and labels learns from their rows, and one that
    predicts gives a value for each row, whatever the code between computes of the rows. Where it
    hands them to a model that is known, that model knows more.
    """
    if arguments.what in _FITS:
        _learn(owner, arguments)
    elif arguments.what in _PREDICTS:
        return _predicted(owner, arguments, result)
    return result


def _learn(owner: Value, arguments: Arguments) -> None:
    machine = arguments.machine
    state, data = machine.get(owner), arguments.data(0, "X", "x")
    target = arguments.data(1, "y", "Y")
    if not isinstance(state, Instance) or state.cls is None or data is None or target is None:
        return
    if not data.rows or not target.rows:
        return
    what = getattr(state.cls.node, "name", "")
    fit = ModelFit(
        what,
        "model",
        data.rows,
        data.all_deps(),
        arguments.site,
        text(machine, getattr(arguments.node.func, "value", None)),
        arguments.name(),
        target=target.origins,
        certain=machine.certain and not data.vague,
    )
    others = tuple((name, value) for name, value in state.attributes if name != _FIT)
    model = Estimator(what, "model", fit=fit)
    machine.put(owner, replace(state, attributes=(*others, (_FIT, model))))


def _predicted(owner: Value, arguments: Arguments, result: Value) -> Value:
    machine = arguments.machine
    state, given = machine.get(owner), machine.get(result)
    model = dict(state.attributes).get(_FIT) if isinstance(state, Instance) else None
    data = arguments.data(0, "X", "x")
    if not isinstance(model, Estimator) or data is None or not data.rows:
        return result
    if isinstance(given, Data) and given.pred is not None:
        return result
    return Data(data.rows, data.all_deps(), "array", pred=model.fit, vague=data.vague)
