"""What an expression of a cell gives, on abstract values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING

from pytest_nbsafe.absint.leakage import (
    calls,
    comprehensions,
    containers,
    effects,
    estimators,
    joining,
    objects,
    select,
    tables,
    taking,
)
from pytest_nbsafe.absint.leakage.joins import join, joined
from pytest_nbsafe.absint.leakage.loops import elements
from pytest_nbsafe.absint.leakage.operators import binary, boolean, compare, conditional, unary
from pytest_nbsafe.absint.leakage.targets import store
from pytest_nbsafe.absint.leakage.values import (
    Bound,
    Columns,
    Const,
    Data,
    Estimator,
    Function,
    Index,
    Instance,
    Lib,
    Locator,
    Names,
    Seq,
    Splitter,
    Table,
    Unknown,
    Value,
)
from pytest_nbsafe.values import replace

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.interpret import Machine


def evaluate(machine: Machine, node: ast.expr) -> Value:
    """Return what an expression gives."""
    machine.spend()
    handler = _EXPRESSIONS.get(type(node))
    return handler(machine, node) if handler is not None else Unknown(machine.fresh(node))


def _name(machine: Machine, node: ast.Name) -> Value:
    return machine.read(node.id)


def _constant(_machine: Machine, node: ast.Constant) -> Value:
    return Const(node.value)


def _attribute(machine: Machine, node: ast.Attribute) -> Value:
    return attribute(machine, node, _owner(machine, node), node.attr)


def _owner(machine: Machine, node: ast.Attribute) -> Value:
    """Return what an attribute is of; a name of something unknown is a table if it is used as one.

    It may be what a module beside the notebook loads.
    """
    owner = evaluate(machine, node.value)
    if node.attr in _OF_FRAMES and isinstance(node.value, ast.Name):
        value, name = machine.get(owner), node.value.id
        scope = machine.scopes[-1 if name in machine.scopes[-1] else 0]
        data = select.as_data(machine, value) if isinstance(value, Unknown) else None
        if data is not None and name in scope:
            base = ("load", machine.token(value))
            made = replace(data, base=base, columns=Columns(but=True))
            owner = scope[name] = machine.box(made)
    return owner


_OF_FRAMES = frozenset(
    {"head", "tail", "info", "describe", "isnull", "isna", "dropna", "fillna", "groupby", "corr",
     "select_dtypes", "value_counts", "duplicated", "drop_duplicates", "set_index", "reset_index",
     "loc", "iloc", "sort_values", "columns"}
)  # fmt: skip
"""What only tables have."""


def attribute(machine: Machine, node: ast.AST, owner: Value, name: str) -> Value:
    """Return an attribute: a column, a method, or a part of a library."""
    value = machine.get(owner)
    if isinstance(value, Lib):
        return Lib(f"{value.name}.{name}")
    if isinstance(value, Data):
        return _of_data(machine, node, owner, value, name)
    if isinstance(value, Instance):
        return objects.member(machine, owner, value, name)
    if isinstance(value, Estimator):
        return estimators.fitted_part(machine, node, owner, value, name)
    if isinstance(value, Function) and isinstance(value.node, ast.ClassDef):
        return objects.of_class(machine, owner, value, name)
    if isinstance(value, Unknown):
        return Bound(value, name)
    if isinstance(value, Seq | Table | Splitter | Index | Names | Locator | Const):
        if isinstance(value, Index) and name in {"values", "str", "index"}:
            return value
        return Bound(owner, name)
    return Unknown((name, machine.token(value)))


def _of_data(machine: Machine, node: ast.AST, owner: Value, value: Data, name: str) -> Value:
    if value.form == "bunch" and name not in {"keys", "items"}:
        return select.bunch(value, name)
    if name in {"loc", "iloc", "ix", "at", "iat"}:
        return Locator(owner, name)
    if name == "index" and value.ranked:
        return value
    if name == "index":
        return Index((), value.rows) if value.rows else Names(None, select.selecting(value))
    if name == "columns":
        some = value.columns is None and value.form == "frame"
        return Names(Columns(but=True), select.selecting(value), some)
    if name in {"T", "values", "A", "str", "dt", "cat", "sparse", "real"}:
        return (
            value
            if name in {"str", "dt", "cat"}
            else replace(value, form="array" if name != "T" else value.form)
        )
    if name in {"shape", "size", "ndim", "dtypes", "dtype", "empty"}:
        return Unknown((name, machine.token(value.rows)))
    if effects.is_method(machine, value, name):
        return Bound(owner, name)
    if value.form == "stat" and name in {"pvalue", "statistic", "correlation"}:
        return value
    if value.form in {"frame", "any", "group"} and not isinstance(node, ast.Call):
        found = tables.column(value, name)
        return replace(found, form="group") if value.form == "group" else found
    return Bound(owner, name)


def _subscript(machine: Machine, node: ast.Subscript) -> Value:
    owner = evaluate(machine, node.value)
    key = select.keys(machine, node.slice)
    state = machine.get(owner)
    if isinstance(state, Lib) and state.name in {"numpy.r_", "numpy.c_"}:
        return _side_by_side(machine, node, state.name, key)
    mark = state.key if isinstance(state, Seq) else None
    first = (key[0] if isinstance(key, tuple) else key) in _ENDS
    if first and isinstance(mark, tuple) and mark[0] == "sorted":
        machine.note("choice", node, containers.scores_in(machine, state))
    table = machine.get(state.owner) if isinstance(state, Locator) else state
    if first and isinstance(table, Data) and table.ranked:
        machine.note("choice", node, table.scores)
    found = select.subscript(machine, owner, key)
    if isinstance(found, Unknown) and found.key is None:
        return Unknown(machine.fresh(node))
    return found


def _side_by_side(
    machine: Machine,
    node: ast.Subscript,
    name: str,
    key: taking.Selector | tuple[taking.Selector, ...],
) -> Value:
    """Return what `np.r_[X, Z]` or `np.c_[X, z]` makes of tables."""
    values = [
        v for v in (key if isinstance(key, tuple) else (key,)) if not isinstance(v, taking.Slice)
    ]
    parts = [machine.get(value) for value in values]
    data = [part for part in parts if isinstance(part, Data)]
    if not data:
        return Unknown(machine.fresh(node))
    if name.endswith("c_"):
        return joining.merge(data)
    return joining.concat(data, machine.site(node), "")


_ENDS = {Const(0), Const(-1)}
"""Of sorted scores these are the best and the worst."""


def _sequence(machine: Machine, node: ast.List | ast.Tuple | ast.Set) -> Value:
    items: list[Value] = []
    each: Value | None = None
    for item in node.elts:
        if isinstance(item, ast.Starred):
            inner = machine.get(evaluate(machine, item.value))
            if isinstance(inner, Seq) and inner.each is None:
                items.extend(inner.items)
            else:
                each = join(each, inner) if each is not None else Unknown(machine.fresh(item))
        else:
            items.append(machine.box(evaluate(machine, item)))
    if each is not None:
        return Seq((), joined([machine.get(i) for i in items] + [each]), machine.fresh(node))
    return Seq(tuple(items), None, machine.fresh(node) if not items else None)


def _dict(machine: Machine, node: ast.Dict) -> Value:
    items: dict[Hashable, Value] = {}
    each: Value | None = None
    for key, item in zip(node.keys, node.values, strict=True):
        value = machine.box(evaluate(machine, item))
        name = machine.get(evaluate(machine, key)) if key is not None else None
        if isinstance(name, Const):
            items[name.value] = value
        elif key is None and isinstance(spread := machine.get(value), Table):
            items.update(spread.items)
        else:
            each = value if each is None else join(machine.get(each), machine.get(value))
    return Table(tuple(items.items()), each)


def _joined_text(machine: Machine, node: ast.JoinedStr) -> Value:
    parts = [evaluate(machine, p.value) for p in node.values if isinstance(p, ast.FormattedValue)]
    if all(isinstance(machine.get(part), Const) for part in parts):
        said = iter(parts)
        texts = (
            p.value if isinstance(p, ast.Constant) else _said(machine, next(said))
            for p in node.values
        )
        return Const("".join(map(str, texts)))
    return Unknown(
        ("text", ast.dump(node) if not parts else tuple(machine.token(p) for p in parts))
    )


def _said(machine: Machine, value: Value) -> object:
    state = machine.get(value)
    return state.value if isinstance(state, Const) else ""


def _call(machine: Machine, node: ast.Call) -> Value:
    if isinstance(node.func, ast.Attribute):
        callee = attribute(machine, node, _owner(machine, node.func), node.func.attr)
    else:
        callee = evaluate(machine, node.func)
    args: list[Value] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            inner = machine.get(evaluate(machine, argument.value))
            args.extend(inner.items if isinstance(inner, Seq) else (inner,))
        else:
            args.append(evaluate(machine, argument))
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = evaluate(machine, keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        else:
            keywords.update(_spread(machine, value))
    return calls.call(machine, node, callee, args, keywords)


def _spread(machine: Machine, value: Value) -> dict[str, Value]:
    inner = machine.get(value)
    if isinstance(inner, Table):
        return {str(name): item for name, item in inner.items}
    return {"**": inner}


def _lambda(machine: Machine, node: ast.Lambda) -> Value:
    closure = tuple(machine.scopes[-1].items()) if len(machine.scopes) > 1 else ()
    return Function(node, machine.cell, closure)


def _walrus(machine: Machine, node: ast.NamedExpr) -> Value:
    value = machine.box(evaluate(machine, node.value))
    store(machine, node.target, value)
    return value


def _starred(machine: Machine, node: ast.Starred | ast.Await) -> Value:
    return evaluate(machine, node.value)


def _yield(machine: Machine, node: ast.Yield | ast.YieldFrom) -> Value:
    value: Value = Const(None)
    if node.value is not None:
        value = evaluate(machine, node.value)
    if machine.yields and isinstance(node, ast.YieldFrom):
        machine.yields[-1].extend(elements(machine, value, node))
    elif machine.yields:
        machine.yields[-1].append(value)
    return Unknown(machine.fresh(node))


_EXPRESSIONS: Mapping[type[ast.expr], Callable[..., Value]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dict,
    ast.JoinedStr: _joined_text,
    ast.BinOp: binary,
    ast.UnaryOp: unary,
    ast.BoolOp: boolean,
    ast.Compare: compare,
    ast.IfExp: conditional,
    ast.Call: _call,
    ast.Lambda: _lambda,
    ast.ListComp: comprehensions.listed,
    ast.SetComp: comprehensions.listed,
    ast.GeneratorExp: comprehensions.listed,
    ast.DictComp: comprehensions.keyed,
    ast.NamedExpr: _walrus,
    ast.Starred: _starred,
    ast.Await: _starred,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
}
"""What evaluates each kind of expression; any other is unknown."""
