"""Networks that are trained by hand: a call predicts, `loss.backward()` learns."""

from __future__ import annotations

import ast

from pytest_nbsafe.absint.leakage import estimators, scores
from pytest_nbsafe.absint.leakage.abstract_values import (
    Closure,
    Const,
    Data,
    Estimator,
    Lib,
    ModelFit,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments, TableCall
from pytest_nbsafe.absint.leakage.construction import construct
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.values import replace

ROLE = "network"
"""The role of what was learned by hand: nobody is told to score it elsewhere too."""


def called(callee: Value, value: Estimator, arguments: Arguments) -> Value:
    """Return what a network gives for rows: predictions that know whose they are."""
    data = arguments.data(0)
    if value.role in {"transformer", "encoder"} and data is not None and value.fit is not None:
        return estimators.transformed(arguments.machine, value, data, value.fit)  # a layer
    if value.role != "model" or data is None or not data.rows:
        return arguments.unknown()
    return Data(data.rows, data.all_deps(), "array", pred=value.fit, net=callee, vague=data.vague)


def backward(call: TableCall) -> Value:
    """Let the network that a loss comes from learn from the rows that it was computed on."""
    learn(call.machine, call.data, call.arguments)
    return Const(None)


def learn(machine: Machine, loss: Data, arguments: Arguments) -> None:
    """Let the network that a loss comes from learn; what it knew before it goes on knowing."""
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
    if value.fit is not None:
        fit = replace(fit, rows=fit.rows | value.fit.rows, deps=fit.deps | value.fit.deps)
    if loss.net is not None:
        machine.put(loss.net, replace(value, fit=fit))


def item(call: TableCall) -> Value:
    """Return a number out of a tensor: a score where it is one, or is made of mistakes."""
    if call.data.scores or call.data.pred is None or not call.data.judged:
        return call.data if call.data.scores else call.arguments.unknown()
    return scores.judged(call.machine, call.data, call.arguments)


def of_class(machine: Machine, value: Closure, arguments: Arguments) -> Value | None:
    """Return an estimator for a class of the page that takes its `fit` from a known one."""
    node = value.node
    if not isinstance(node, ast.ClassDef):
        return None
    own = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
    for base in node.bases if "fit" not in own else ():
        parent = machine.get(machine.evaluate(base))
        cls = machine.roles.class_of(parent.name) if isinstance(parent, Lib) else None
        if cls is not None and cls.role not in {"data", "splitter"}:
            made = construct(machine, cls, arguments)
            state = machine.get(made)
            if isinstance(state, Estimator):
                machine.put(made, replace(state, what=node.name))
            return made
    return None
