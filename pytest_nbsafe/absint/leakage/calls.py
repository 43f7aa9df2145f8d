"""What a call gives: functions of the page, builtins, and what the tables know of libraries."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_nbsafe.absint.leakage import (
    construct,
    effects,
    estimators,
    networks,
    sources,
    validation,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.builtin_calls import BUILTINS
from pytest_nbsafe.absint.leakage.containers import (
    dict_method,
    index_method,
    list_method,
    names_method,
    note_choice,
)
from pytest_nbsafe.absint.leakage.objects import function, member, own_method
from pytest_nbsafe.absint.leakage.values import (
    Bound,
    Data,
    Estimator,
    Function,
    Index,
    Instance,
    Lib,
    Names,
    Partial,
    Seq,
    Splitter,
    Table,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.interpret import Machine


fitted_part = estimators.fitted_part

is_method = effects.is_method


def call(
    machine: Machine,
    node: ast.Call,
    callee: Value,
    args: list[Value],
    keywords: dict[str, Value],
) -> Value:
    """Return what a call gives."""
    value = machine.get(callee)
    arguments = Arguments(machine, node, args, keywords)
    if isinstance(value, Lib):
        return _library(machine, value.name, arguments)
    if isinstance(value, Bound):
        return method(machine, value, arguments)
    if isinstance(value, Function):
        return function(machine, value, arguments)
    if isinstance(value, Partial):
        return call(
            machine, node, value.call, [*value.args, *args], dict(value.keywords) | keywords
        )
    if isinstance(value, Estimator):
        return networks.called(callee, value, arguments)
    if isinstance(value, Instance):
        own = member(machine, callee, value, "__call__")
        return method(machine, own, arguments) if isinstance(own, Bound) else arguments.unknown()
    return arguments.unknown()


def _library(machine: Machine, name: str, arguments: Arguments) -> Value:
    builtin = BUILTINS.get(name)
    if builtin is not None:
        return builtin(machine, arguments)
    cls = machine.knowledge.class_of(name)
    if cls is not None and cls.role != "data":
        return construct.construct(machine, cls, arguments)
    if name.rpartition(".")[2] in _OPTIMISERS:
        return _optimised(machine, arguments)
    effect = machine.knowledge.effect_of(name)
    if effect is not None:
        return effects.apply(machine, effect, name, arguments)
    if cls is not None:
        return sources.make_table(machine, name, arguments)
    owner, _, last = name.rpartition(".")
    if machine.knowledge.class_of(owner) and arguments.args:  # `DataFrame.mean(df)`
        return method(machine, Bound(arguments.args[0], last), arguments.rest())
    return arguments.unknown()


def method(machine: Machine, bound: Bound, arguments: Arguments) -> Value:
    """Return what a method gives."""
    value = machine.get(bound.owner)
    if isinstance(value, Data):
        return effects.method(machine, bound, value, arguments)
    if isinstance(value, Estimator):
        return estimators.method(machine, bound, value, arguments)
    if isinstance(value, Instance):
        return own_method(machine, bound, value, arguments)
    if isinstance(value, Seq):
        return list_method(machine, bound, value, arguments)
    if isinstance(value, Table):
        return dict_method(machine, bound, value, arguments)
    if isinstance(value, Splitter):
        return validation.split(machine, value, bound.name, arguments)
    if isinstance(value, Names):
        return names_method(machine, bound, value, arguments)
    if isinstance(value, Index):
        return index_method(machine, bound, value, arguments)
    if bound.name == "optimize" and isinstance(value, Unknown):
        return _optimised(machine, arguments)
    if bound.name in {"gradient", "backward"}:  # `tape.gradient(loss, weights)`
        loss = arguments.data(0)
        if loss is not None and loss.net is not None:
            networks.learn(machine, loss, arguments)
    return arguments.unknown()


_OPTIMISERS = frozenset(
    {"fmin", "minimize", "minimize_scalar", "gp_minimize", "forest_minimize", "gbrt_minimize",
     "differential_evolution", "dual_annealing", "basinhopping", "brute", "shgo"}
)  # fmt: skip


def _optimised(machine: Machine, arguments: Arguments) -> Value:
    """Call the function that an optimiser is given: what it scores is what is chosen by."""
    given = arguments.find(0, "func", "fn", "fun", "f")
    if isinstance(given, Function | Partial):
        machine.loops += 1
        count = len(given.node.args.args) if isinstance(given, Function) else 1  # type: ignore[union-attr]
        trial: list[Value] = [
            Unknown(("trial", i, machine.fresh(arguments.node))) for i in range(count)
        ]
        result = machine.call(arguments.node, given, trial, {})
        machine.loops -= 1
        note_choice(machine, result, arguments)
    return arguments.unknown()
