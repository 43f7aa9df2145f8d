"""What a call gives: functions of the notebook, builtins, and what is known of libraries."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from pytest_nbsafe.absint.leakage import (
    builtin_calls,
    construction,
    containers,
    cross_validation,
    effect_handlers,
    estimators,
    loading,
    networks,
    page_classes,
    positions,
)
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Bound,
    Closure,
    Data,
    Dictionary,
    Estimator,
    Index,
    Instance,
    Lib,
    Names,
    Partial,
    Seq,
    Splitter,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.machine import Machine


def call(
    machine: Machine,
    node: ast.Call,
    callee: Value,
    args: list[Value],
    keywords: dict[str, Value],
) -> Value:
    """Return what a call gives."""
    value = machine.get(callee)
    if isinstance(value, Lib):
        what = value.name.rpartition(".")[2]
        return _library(machine, value.name, Arguments(machine, node, args, keywords, what))
    if isinstance(value, Bound):
        return method(machine, value, Arguments(machine, node, args, keywords, value.name))
    if isinstance(value, Partial):
        known = [*value.args, *args]
        return call(machine, node, value.call, known, dict(value.keywords) | keywords)
    arguments = Arguments(machine, node, args, keywords)
    if isinstance(value, Closure):
        return page_classes.function(machine, value, arguments)
    if isinstance(value, Estimator):
        return networks.called(callee, value, arguments)
    own = (
        page_classes.member(machine, callee, value, "__call__")
        if isinstance(value, Instance)
        else None
    )
    return method(machine, own, arguments) if isinstance(own, Bound) else arguments.unknown()


def _library(machine: Machine, name: str, arguments: Arguments) -> Value:
    """Return what a function or class of a library gives."""
    owner, _, last = name.rpartition(".")
    builtin = builtin_calls.BUILTINS.get(last) if owner == "builtins" else None
    if builtin is not None:
        return builtin(machine, arguments)
    roles = machine.roles
    cls = roles.class_of(name)
    if cls is not None and cls.role != "data":
        return construction.construct(machine, cls, arguments)
    returned = roles.returned_by(name)
    if returned is not None:
        return Lib(returned)
    effect = roles.effect_of(name)
    if effect is not None:
        return effect_handlers.apply(machine, effect, arguments)
    if cls is not None:
        return loading.make_table(machine, cls, arguments)
    if roles.class_of(owner) and arguments.args:  # `DataFrame.mean(df)`
        return method(machine, Bound(arguments.args[0], last), arguments.rest())
    return arguments.unknown()


def method(machine: Machine, bound: Bound, arguments: Arguments) -> Value:
    """Return what a method gives."""
    value = machine.get(bound.owner)
    handler = _METHODS.get(type(value))
    return handler(machine, bound, value, arguments) if handler else arguments.unknown()


def _of_unknown(machine: Machine, bound: Bound, _value: AnyValue, arguments: Arguments) -> Value:
    if bound.name == "optimize":
        return builtin_calls.optimised(machine, arguments)
    if bound.name in {"gradient", "backward"}:  # `tape.gradient(loss, weights)`
        loss = arguments.data(0)
        if loss is not None and loss.net is not None:
            networks.learn(machine, loss, arguments)
    return arguments.unknown()


_METHODS: Mapping[type[Value], Callable[..., Value]] = {
    Data: effect_handlers.method,
    Estimator: estimators.method,
    Instance: page_classes.own_method,
    Seq: containers.list_method,
    Dictionary: containers.dict_method,
    Splitter: cross_validation.split,
    Names: containers.names_method,
    Index: positions.index_method,
    AnyValue: _of_unknown,
}
"""What finds the methods of each kind of value."""
