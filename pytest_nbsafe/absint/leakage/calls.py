"""What a call gives: functions of the page, builtins, and what the tables know of libraries."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pytest_nbsafe.absint.leakage import effects, estimators, tables
from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.joins import joined
from pytest_nbsafe.absint.leakage.rows import Step
from pytest_nbsafe.absint.leakage.values import (
    Bound,
    Columns,
    Const,
    Data,
    Estimator,
    Eval,
    Function,
    Index,
    Instance,
    Lib,
    Mask,
    Names,
    Partial,
    Seq,
    Splitter,
    Table,
    Unknown,
    Value,
)
from pytest_nbsafe.values import replace

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
    if isinstance(value, Instance):
        own = member(machine, callee, value, "__call__")
        return method(machine, own, arguments) if isinstance(own, Bound) else arguments.unknown()
    return arguments.unknown()


def _library(machine: Machine, name: str, arguments: Arguments) -> Value:
    builtin = _BUILTINS.get(name)
    if builtin is not None:
        return builtin(machine, arguments)
    cls = machine.knowledge.class_of(name)
    if cls is not None and cls.role != "data":
        return estimators.construct(machine, cls, arguments)
    effect = machine.knowledge.effect_of(name)
    if effect is not None:
        return effects.apply(machine, effect, name, arguments)
    if cls is not None:
        return effects.make_table(machine, name, arguments)
    owner, _, last = name.rpartition(".")
    if machine.knowledge.class_of(owner) and arguments.args:  # `DataFrame.mean(df)`
        return method(machine, Bound(arguments.args[0], last), arguments.rest())
    return arguments.unknown()


# -- methods ---------------------------------------------------------------------------------------


def method(machine: Machine, bound: Bound, arguments: Arguments) -> Value:
    """Return what a method gives."""
    value = machine.get(bound.owner)
    if isinstance(value, Data):
        return effects.method(machine, bound, value, arguments)
    if isinstance(value, Estimator):
        return estimators.method(machine, bound, value, arguments)
    if isinstance(value, Instance):
        return _own_method(machine, bound, value, arguments)
    if isinstance(value, Seq):
        return _list_method(machine, bound, value, arguments)
    if isinstance(value, Table):
        return _dict_method(machine, bound, value, arguments)
    if isinstance(value, Splitter):
        return estimators.split(machine, value, bound.name, arguments)
    if isinstance(value, Names):
        return _names_method(machine, bound, value, arguments)
    if isinstance(value, Index):
        return _index_method(machine, bound, value, arguments)
    return arguments.unknown()


def _own_method(machine: Machine, bound: Bound, value: Instance, arguments: Arguments) -> Value:
    found = _definition(machine, value.cls, bound.name)
    if found is None:
        if bound.name == "fit_transform":
            _own_method(machine, Bound(bound.owner, "fit"), value, arguments)
            now = machine.get(bound.owner)
            first = replace_args(arguments, arguments.args[:1])
            return _own_method(machine, Bound(bound.owner, "transform"), now, first)  # type: ignore[arg-type]
        return arguments.unknown()
    static = any(
        isinstance(d, ast.Name) and d.id == "staticmethod"
        for d in found.node.decorator_list  # type: ignore[union-attr]
    )
    if not static:
        arguments = replace_args(arguments, [bound.owner, *arguments.args])
    return function(machine, found, arguments)


def replace_args(arguments: Arguments, args: list[Value]) -> Arguments:
    """Return the same call with other positional arguments."""
    return Arguments(arguments.machine, arguments.node, args, arguments.keywords)


def member(machine: Machine, owner: Value, value: Instance, name: str) -> Value:
    """Return an attribute of an object of the page's own classes."""
    found = dict(value.attributes).get(name)
    if found is not None:
        return found
    definition = _definition(machine, value.cls, name)
    if definition is not None:
        decorators = getattr(definition.node, "decorator_list", [])
        bound = Bound(owner, name)
        if any(isinstance(d, ast.Name) and d.id == "property" for d in decorators):
            node = ast.copy_location(ast.Call(ast.Name(name), [], []), definition.node)
            return method(machine, bound, Arguments(machine, node, [], {}))
        return bound
    return Bound(owner, name)


def _definition(
    machine: Machine, cls: Function | None, name: str, depth: int = 0
) -> Function | None:
    if cls is None or not isinstance(cls.node, ast.ClassDef):
        return None
    for item in cls.node.body:
        if isinstance(item, ast.FunctionDef) and item.name == name:
            return Function(item, cls.cell, cls.closure)
    for base in cls.node.bases if depth < 4 else ():
        parent = machine.get(machine.read(base.id)) if isinstance(base, ast.Name) else None
        if isinstance(parent, Function):
            found = _definition(machine, parent, name, depth + 1)
            if found is not None:
                return found
    return None


def function(machine: Machine, value: Function, arguments: Arguments) -> Value:
    """Return what a function of the page returns for these arguments."""
    node = value.node
    if isinstance(node, ast.ClassDef):
        made = machine.box(Instance(value))
        start = _definition(machine, value, "__init__")
        if start is not None:
            function(machine, start, replace_args(arguments, [made, *arguments.args]))
        return made
    scope = _parameters(machine, node.args, arguments)
    return machine.call_function(value, scope, node.body)


def _parameters(
    machine: Machine, parameters: ast.arguments, arguments: Arguments
) -> dict[str, Value]:
    from pytest_nbsafe.absint.leakage.expressions import evaluate

    names = [p.arg for p in (*parameters.posonlyargs, *parameters.args)]
    scope: dict[str, Value] = dict(zip(names, arguments.args, strict=False))
    if parameters.vararg is not None:
        scope[parameters.vararg.arg] = Seq(tuple(arguments.args[len(names) :]))
    known = {*names, *(p.arg for p in parameters.kwonlyargs)}
    scope.update({k: v for k, v in arguments.keywords.items() if k in known})
    if parameters.kwarg is not None:
        others = tuple((k, v) for k, v in arguments.keywords.items() if k not in known)
        scope[parameters.kwarg.arg] = Table(others)
    for name, default in (
        *zip(names[::-1], parameters.defaults[::-1], strict=False),
        *zip((p.arg for p in parameters.kwonlyargs), parameters.kw_defaults, strict=True),
    ):
        if name not in scope and default is not None:
            scope[name] = evaluate(machine, default)
    for name in known:
        if name not in scope:
            scope[name] = Unknown(("parameter", name, machine.fresh(arguments.node)))
        scope[name] = machine.box(scope[name])
    return scope


# -- lists, dicts, names ---------------------------------------------------------------------------


def _list_method(machine: Machine, bound: Bound, value: Seq, arguments: Arguments) -> Value:
    name = bound.name
    if name in {"append", "add", "insert", "appendleft"} and arguments.args:
        item = arguments.args[-1]
        if machine.loops or value.each is not None or not machine.certain:
            parts = [machine.get(v) for v in (*value.items, value.each, item) if v is not None]
            key = value.key or ("list", *machine.fresh(arguments.node))
            machine.put(bound.owner, Seq((), joined(parts), key))
        else:
            machine.put(bound.owner, replace(value, items=(*value.items, machine.box(item))))
    elif name in {"extend", "update"} and arguments.args:
        other = machine.get(arguments.args[0])
        if (
            isinstance(other, Seq)
            and other.each is None
            and value.each is None
            and not machine.loops
        ):
            machine.put(bound.owner, Seq(value.items + other.items))
        else:
            parts = [machine.get(v) for v in (*value.items, value.each) if v is not None]
            key = value.key or ("list", *machine.fresh(arguments.node))
            machine.put(bound.owner, Seq((), joined([*parts, _item(machine, other)]), key))
    elif name == "remove" and arguments.args and value.each is None:
        gone = machine.get(arguments.args[0])
        left = tuple(item for item in value.items if machine.get(item) != gone)
        machine.put(bound.owner, replace(value, items=left))
    elif name == "sort" and scores_in(machine, value):
        key = ("sorted", machine.fresh(arguments.node))
        machine.put(bound.owner, Seq((), _item(machine, value), key))
    elif name == "index":
        _choose(machine, value, arguments)
    elif name == "pop":
        return value.items[-1] if value.items else value.each or arguments.unknown()
    elif name == "copy":
        return value
    return Unknown((name, machine.token(value)))


def _item(machine: Machine, value: Value) -> Value:
    if isinstance(value, Seq):
        return joined(machine.get(v) for v in (*value.items, value.each) if v) or Unknown()
    return value


def _dict_method(machine: Machine, bound: Bound, value: Table, arguments: Arguments) -> Value:
    every = [machine.get(v) for _, v in value.items]
    if bound.name == "items":
        if value.items and value.each is None:
            return Seq(tuple(Seq((Const(k), v)) for k, v in value.items))
        return Seq(
            (),
            Seq((Unknown(("key", machine.token(value))), value.each or joined(every) or Unknown())),
        )
    if bound.name == "values":
        return Seq(tuple(v for _, v in value.items)) if value.each is None else Seq((), value.each)
    if bound.name == "keys":
        return Seq(tuple(Const(k) for k, _ in value.items)) if value.each is None else Unknown()
    if bound.name in {"get", "pop", "setdefault"}:
        key = arguments.get(0)
        if isinstance(key, Const):
            return dict(value.items).get(key.value) or value.each or arguments.unknown()
        return value.each or joined(every) or arguments.unknown()
    if bound.name == "update" and arguments.args:
        other = arguments.get(0)
        if isinstance(other, Table):
            items = dict(value.items) | dict(other.items)
            machine.put(bound.owner, Table(tuple(items.items()), other.each or value.each))
    if bound.name == "copy":
        return value
    return Unknown((bound.name, machine.token(value)))


def _names_method(machine: Machine, bound: Bound, value: Names, arguments: Arguments) -> Value:
    del machine
    if bound.name in {"tolist", "to_list", "copy", "sort_values"}:
        return value
    if bound.name in {"drop", "difference"}:
        gone = tables.names_in(arguments.plain(0))
        return names_without(value, gone) if gone is not None else Names(None, value.deps)
    return Names(None, value.deps)


def names_without(names: Names, gone: tuple[str, ...]) -> Names:
    """Return names of columns without some."""
    if names.columns is None:
        return names
    return replace(names, columns=tables.less(names.columns, gone))


def _index_method(machine: Machine, bound: Bound, value: Index, arguments: Arguments) -> Value:
    if bound.name in {"tolist", "to_list", "copy", "astype", "to_numpy", "to_series", "unique"}:
        return value
    if bound.name in {"isin", "difference"}:
        other = arguments.get(0)
        if bound.name == "difference" and isinstance(other, Index):
            return index_without(value, other)
        if isinstance(other, Index):
            return Data(value.rows or sets.NONE, mask=index_mask(machine, value, other))
    if value.order is None and bound.name == "permutation":
        return replace(value, order=machine.fresh(arguments.node))
    return arguments.unknown()


def index_mask(machine: Machine, whole: Index, part: Index) -> Mask | None:
    """Return the mask of the positions that are among others."""
    extra: tuple[Step, ...] = part.steps
    if not extra and part.rows is not None and whole.rows is not None:
        for atom in part.rows:
            for outer in whole.rows:
                if atom.source == outer.source and len(atom.steps) > len(outer.steps):
                    extra = atom.steps[len(outer.steps) :]
    del machine
    if not extra:
        return None
    return Mask(extra[0].key, extra[0].part, extra[0].kind == "random")


def index_without(whole: Index, part: Index) -> Value:
    """Return the positions that are not among others."""
    if whole.rows is not None and part.rows is not None:
        rows = sets.complement(whole.rows, part.rows)
        return Index((), rows) if rows is not None else Unknown()
    extra = part.steps[len(whole.steps) :]
    if not extra:
        return Unknown()
    step = replace(extra[0], part=sets.opposite(extra[0].part))
    return replace(whole, steps=(*whole.steps, step))


# -- builtins --------------------------------------------------------------------------------------


def _len(machine: Machine, arguments: Arguments) -> Value:
    value = arguments.get(0)
    if isinstance(value, Data):
        return Unknown(("len", machine.token(value.rows)))
    if isinstance(value, Seq) and value.each is None and value.key is None:
        return Const(len(value.items))
    return Unknown(("len", machine.token(value)))


def _range(_machine: Machine, _arguments: Arguments) -> Value:
    return Index()


def _same(_machine: Machine, arguments: Arguments) -> Value:
    return (
        arguments.get(0)
        if arguments.args
        else Seq((), None, arguments.machine.fresh(arguments.node))
    )


def _list(machine: Machine, arguments: Arguments) -> Value:
    value = _same(machine, arguments)
    if isinstance(value, Data) and value.form == "frame":
        return Names(Columns(but=True))
    if isinstance(value, Data):
        return replace(value, form="list")
    if isinstance(value, Table):
        return Seq(tuple(Const(k) for k, _ in value.items)) if value.each is None else Unknown()
    return value


def _dict(_machine: Machine, arguments: Arguments) -> Value:
    value = arguments.get(0) if arguments.args else Table()
    if isinstance(value, Table):
        return replace(value, items=(*value.items, *arguments.keywords.items()))
    return Table()


def _zip(machine: Machine, arguments: Arguments) -> Value:
    values = [machine.get(value) for value in arguments.args]
    known = [value for value in values if isinstance(value, Seq) and value.each is None]
    if len(known) == len(values) and len({len(value.items) for value in known}) == 1:
        return Seq(tuple(Seq(pair) for pair in zip(*(v.items for v in known), strict=True)))
    return Seq((), Seq(tuple(_round(machine, arguments, value) for value in values)))


def _round(machine: Machine, arguments: Arguments, value: Value) -> Value:
    from pytest_nbsafe.absint.leakage.expressions import elements

    return machine.box(
        joined(machine.get(v) for v in elements(machine, value, arguments.node)) or Unknown()
    )


def _enumerate(machine: Machine, arguments: Arguments) -> Value:
    value = arguments.get(0)
    if isinstance(value, Seq) and value.each is None:
        return Seq(tuple(Seq((Const(i), item)) for i, item in enumerate(value.items)))
    count = Unknown(("count", machine.fresh(arguments.node)))
    return Seq((), Seq((count, _round(machine, arguments, value))))


def _print(_machine: Machine, _arguments: Arguments) -> Value:
    return Const(None)


def _number(machine: Machine, arguments: Arguments) -> Value:
    value = arguments.get(0)
    if isinstance(value, Data):
        return tables.mix([value])
    return Unknown(("number", machine.token(value)))


def _sum(machine: Machine, arguments: Arguments) -> Value:
    return effects.apply(machine, "statistic", "sum", arguments)


def _by_key(machine: Machine, arguments: Arguments) -> None:
    """Call `key` as `max(values, key=...)` does: what it gives may be a score."""
    if "key" in arguments.keywords and arguments.args:
        machine.loops += 1
        item = _round(machine, arguments, arguments.get(0))
        result = call(machine, arguments.node, arguments.keywords["key"], [item], {})
        machine.loops -= 1
        _choose(machine, result, arguments)


def _sorted(machine: Machine, arguments: Arguments) -> Value:
    value = arguments.get(0)
    found = scores_in(machine, value)
    if isinstance(value, Seq) and found:
        return Seq((), _item(machine, value), ("sorted", machine.fresh(arguments.node)))
    return value


def _most(machine: Machine, arguments: Arguments) -> Value:
    values = [machine.get(v) for v in arguments.args]
    _by_key(machine, arguments)
    for value in values:
        _choose(machine, value, arguments)
    if len(values) > 1:
        _choose(machine, Seq(tuple(arguments.args)), arguments)
    data = [value for value in values if isinstance(value, Data)]
    if len(data) == 1 and len(values) == 1:
        return effects.apply(machine, "statistic", "max", arguments)
    if len(values) == 1 and isinstance(values[0], Seq):
        return _item(machine, values[0])
    return tables.mix(data) if data else Unknown(("most", *map(machine.token, values)))


def _choose(machine: Machine, value: Value, arguments: Arguments) -> None:
    """Tell the judge of a choice by scores: `max(scores)`."""
    found = scores_in(machine, value)
    if found:
        machine.note("choice", arguments.node, found)


def scores_in(machine: Machine, value: Value, depth: int = 0) -> frozenset[Eval]:
    """Return the scores that a value holds."""
    value = machine.get(value)
    if isinstance(value, Data):
        return frozenset(value.scores)
    parts: tuple[Value | None, ...] = ()
    if isinstance(value, Seq):
        parts = (*value.items, value.each)
    elif isinstance(value, Table):
        parts = (*(v for _, v in value.items), value.each)
    found: frozenset[Eval] = frozenset()
    for part in parts if depth < 4 else ():
        if part is not None:
            found |= scores_in(machine, part, depth + 1)
    return found


def _next(machine: Machine, arguments: Arguments) -> Value:
    return _round(machine, arguments, arguments.get(0))


def _map(machine: Machine, arguments: Arguments) -> Value:
    if len(arguments.args) < 2:
        return arguments.unknown()
    item = _round(machine, arguments, arguments.get(1))
    return Seq((), machine.get(call(machine, arguments.node, arguments.args[0], [item], {})))


def _partial(_machine: Machine, arguments: Arguments) -> Value:
    if not arguments.args:
        return arguments.unknown()
    return Partial(arguments.args[0], tuple(arguments.args[1:]), tuple(arguments.keywords.items()))


def _getattr(machine: Machine, arguments: Arguments) -> Value:
    from pytest_nbsafe.absint.leakage.expressions import attribute

    name = arguments.get(1)
    if isinstance(name, Const) and isinstance(name.value, str):
        return attribute(machine, arguments.node, arguments.args[0], name.value)
    return arguments.unknown()


def _super(machine: Machine, arguments: Arguments) -> Value:
    return Instance() if not arguments.args else Unknown(machine.fresh(arguments.node))


_BUILTINS: Mapping[str, Callable[[Machine, Arguments], Value]] = {
    "builtins.len": _len,
    "builtins.range": _range,
    "numpy.arange": _range,
    "builtins.list": _list,
    "builtins.tuple": _same,
    "builtins.set": _same,
    "builtins.iter": _same,
    "builtins.reversed": _same,
    "builtins.sorted": _sorted,
    "builtins.dict": _dict,
    "builtins.zip": _zip,
    "builtins.enumerate": _enumerate,
    "builtins.print": _print,
    "builtins.int": _number,
    "builtins.float": _number,
    "builtins.round": _number,
    "builtins.abs": _number,
    "builtins.str": _number,
    "builtins.bool": _number,
    "builtins.sum": _sum,
    "builtins.max": _most,
    "builtins.min": _most,
    "builtins.next": _next,
    "builtins.map": _map,
    "builtins.getattr": _getattr,
    "builtins.super": _super,
    "functools.partial": _partial,
    "copy.copy": _same,
    "copy.deepcopy": _same,
    "tqdm.tqdm": _same,
    "tqdm.notebook.tqdm": _same,
    "tqdm.auto.tqdm": _same,
    "display": _print,
    "IPython.display.display": _print,
}
