"""Functions and classes of the page: their parameters, methods and attributes."""

from __future__ import annotations

import ast

from pytest_nbsafe.absint.leakage import own_models
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Bound,
    Closure,
    Dictionary,
    Estimator,
    Instance,
    Lib,
    Partial,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.construction import construct
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.values import replace


def own_method(owner: Value, value: Instance, arguments: Arguments) -> Value:
    """Return what a method of a class of the page gives."""
    definition = _definition(arguments.machine, value.cls, arguments.what)
    if definition is None:
        if arguments.what == "fit_transform":
            own_method(owner, value, replace(arguments, what="fit"))
            now = arguments.machine.get(owner)
            first = replace(arguments, args=arguments.args[:1], what="transform")
            return own_method(owner, now, first)  # type: ignore[arg-type]
        return arguments.unknown()
    if "staticmethod" in _decorators(definition):
        return function(definition, arguments)
    result = function(definition, replace(arguments, args=[owner, *arguments.args]))
    return own_models.known(owner, arguments, result)


def _decorators(method: Closure) -> set[str]:
    """Return the plain names that decorate a function."""
    marks = getattr(method.node, "decorator_list", [])
    return {mark.id for mark in marks if isinstance(mark, ast.Name)}


def member(machine: Machine, owner: Value, value: Instance, name: str) -> Value:
    """Return an attribute of an object of the page's own classes."""
    attribute = dict(value.attributes).get(name)
    if attribute is not None:
        return attribute
    definition = _definition(machine, value.cls, name)
    if definition is None and value.cls is not None:
        default = _default(machine, value.cls, name)
        if default is not None:
            machine.put(owner, replace(value, attributes=(*value.attributes, (name, default))))
            return default
    if definition is not None:
        bound = Bound(owner, name)
        if "property" in _decorators(definition):
            node = ast.copy_location(ast.Call(ast.Name(name), [], []), definition.node)
            return machine.call(node, bound, [], {})
        return bound
    return Bound(owner, name)


def of_class(machine: Machine, owner: Value, cls: Closure, name: str) -> Value:
    """Return what a class of the page has by a name: a function, or a value of its own."""
    definition = _definition(machine, cls, name)
    if definition is None:
        return _default(machine, cls, name) or Bound(owner, name)
    return Partial(definition, (owner,)) if "classmethod" in _decorators(definition) else definition


def _default(machine: Machine, cls: Closure, name: str) -> Value | None:
    """Return what stands in a class's body for a name, as in a dataclass."""
    for item in cls.node.body if isinstance(cls.node, ast.ClassDef) else ():
        target = item.targets[0] if isinstance(item, ast.Assign) else getattr(item, "target", None)
        node = getattr(item, "value", None)
        if isinstance(target, ast.Name) and target.id == name and isinstance(node, ast.expr):
            keywords = node.keywords if isinstance(node, ast.Call) else []
            maker = next((k.value for k in keywords if k.arg == "default_factory"), None)
            if maker is not None:
                call = ast.copy_location(ast.Call(maker, [], []), node)
                return machine.box(machine.evaluate(call))
            return machine.box(machine.evaluate(node))
    return None


def _definition(machine: Machine, cls: Closure | None, name: str, depth: int = 0) -> Closure | None:
    if cls is None or not isinstance(cls.node, ast.ClassDef):
        return None
    for item in cls.node.body:
        if isinstance(item, ast.FunctionDef) and item.name == name:
            return Closure(item, cls.cell, cls.closure)
    for base in cls.node.bases if depth < 4 else ():
        parent = machine.get(machine.read(base.id)) if isinstance(base, ast.Name) else None
        if isinstance(parent, Closure):
            inherited = _definition(machine, parent, name, depth + 1)
            if inherited is not None:
                return inherited
    return None


def function(value: Closure, arguments: Arguments) -> Value:
    """Return what a function of the page returns for these arguments."""
    machine = arguments.machine
    node = value.node
    if isinstance(node, ast.ClassDef):
        known = _of_known_base(node, arguments)
        if known is not None:
            return known
        instance = machine.box(Instance(value))
        start = _definition(machine, value, "__init__")
        if start is not None:
            function(start, replace(arguments, args=[instance, *arguments.args]))
        elif arguments.args or arguments.keywords:
            _fields(instance, node, arguments)
        return instance
    scope = _parameters(node.args, arguments)
    return machine.call_function(value, scope, node.body, arguments.node)


def _of_known_base(node: ast.ClassDef, arguments: Arguments) -> Value | None:
    """Return an estimator for a class of the page that takes its `fit` from a known one."""
    machine = arguments.machine
    own = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
    for base in node.bases if "fit" not in own else ():
        parent = machine.get(machine.evaluate(base))
        cls = machine.roles.class_of(parent.name) if isinstance(parent, Lib) else None
        if cls is not None and cls.role not in {"data", "splitter"}:
            estimator = construct(cls, arguments)
            state = machine.get(estimator)
            if isinstance(state, Estimator):
                machine.put(estimator, replace(state, what=node.name))
            return estimator
    return None


def _fields(instance: Value, node: ast.ClassDef, arguments: Arguments) -> None:
    """Give a dataclass what it is made of."""
    names = [
        item.target.id
        for item in node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    ]
    given = dict(zip(names, arguments.args, strict=False))
    given |= {k: v for k, v in arguments.keywords.items() if k in names}
    state = arguments.machine.get(instance)
    if isinstance(state, Instance):
        arguments.machine.put(instance, replace(state, attributes=tuple(given.items())))


def _parameters(parameters: ast.arguments, arguments: Arguments) -> dict[str, Value]:
    names = [p.arg for p in (*parameters.posonlyargs, *parameters.args)]
    scope: dict[str, Value] = dict(zip(names, arguments.args, strict=False))
    if parameters.vararg is not None:
        scope[parameters.vararg.arg] = Seq(tuple(arguments.args[len(names) :]))
    known = {*names, *(p.arg for p in parameters.kwonlyargs)}
    scope.update({k: v for k, v in arguments.keywords.items() if k in known})
    if parameters.kwarg is not None:
        others = tuple((k, v) for k, v in arguments.keywords.items() if k not in known)
        scope[parameters.kwarg.arg] = Dictionary(others)
    for name, default in (
        *zip(names[::-1], parameters.defaults[::-1], strict=False),
        *zip((p.arg for p in parameters.kwonlyargs), parameters.kw_defaults, strict=True),
    ):
        if name not in scope and default is not None:
            scope[name] = arguments.machine.evaluate(default)
    for name in known:
        if name not in scope:
            scope[name] = AnyValue(("parameter", name, arguments.fresh))
        scope[name] = arguments.machine.box(scope[name])
    return scope
