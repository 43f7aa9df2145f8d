"""What an expression of a cell gives, on abstract values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Mapping

from pytest_nbsafe.absint.leakage import (
    estimators,
    loops,
    named_columns,
    page_classes,
    scores,
    side_by_side,
    splits_and_joins,
    subscripts,
    tabular,
)
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Bound,
    Closure,
    Columns,
    Const,
    Data,
    Dictionary,
    Estimator,
    Index,
    Instance,
    Lib,
    Locator,
    Names,
    Seq,
    Splitter,
    Value,
)
from pytest_nbsafe.absint.leakage.loops import elements
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.marks import Shape, Sorted
from pytest_nbsafe.absint.leakage.memory import Choice, join, joined
from pytest_nbsafe.absint.leakage.operators import binary, boolean, compare, conditional, unary
from pytest_nbsafe.values import replace


def _attribute(machine: Machine, node: ast.Attribute) -> Value:
    return attribute(machine, node, _owner(machine, node), node.attr)


def _owner(machine: Machine, node: ast.Attribute) -> Value:
    """Return what an attribute is of; a name of something unknown is a table if it is used as one.

    It may be what a module beside the notebook loads.
    """
    owner = machine.evaluate(node.value)
    if node.attr in _OF_FRAMES and isinstance(node.value, ast.Name):
        value, name = machine.get(owner), node.value.id
        scope = machine.scope_of(name)
        data = subscripts.as_data(machine, value) if isinstance(value, AnyValue) else None
        if data is not None and name in scope:
            base = ("load", machine.token(value))
            table = replace(data, base=base, columns=Columns(but=True))
            owner = scope[name] = machine.box(table)
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
        return page_classes.member(machine, owner, value, name)
    if isinstance(value, Estimator):
        return estimators.fitted_part(machine, node, owner, value, name)
    if isinstance(value, Closure) and isinstance(value.node, ast.ClassDef):
        return page_classes.of_class(machine, owner, value, name)
    if isinstance(value, AnyValue):
        return Bound(value, name)
    if isinstance(value, Seq | Dictionary | Splitter | Index | Names | Locator | Const):
        if isinstance(value, Index) and name in {"values", "str", "index"}:
            return value
        return Bound(owner, name)
    return AnyValue((name, machine.token(value)))


def _of_data(machine: Machine, node: ast.AST, owner: Value, value: Data, name: str) -> Value:
    if value.form == "bunch" and name not in {"keys", "items"}:
        return subscripts.bunch(value, name)
    known = _of_table(machine, owner, value, name)
    if known is not None:
        return known
    if machine.roles.effect_on(value.form, name) is not None:
        return Bound(owner, name)
    if value.form == "stat" and name in {"pvalue", "statistic", "correlation"}:
        return value
    table = value.form in {"frame", "any", "group"} or any(d.table for d in value.deps)
    if table and not isinstance(node, ast.Call):
        column = tabular.column(value, name)
        return replace(column, form="group") if value.form == "group" else column
    return Bound(owner, name)


def _of_table(machine: Machine, owner: Value, value: Data, name: str) -> Value | None:
    """Return what an attribute that every table has gives, None for any other."""
    if name in {"loc", "iloc", "ix", "at", "iat"}:
        return Locator(owner, name)
    if name == "data" and value.form == "array":  # of a tensor
        return value
    if name == "T" and value.form in {"frame", "array"}:
        return named_columns.nameless(value)
    if name in {"str", "dt", "cat", "T"} or (name == "index" and value.ranked):
        return value
    if name == "index":
        return Index((), value.rows) if value.rows else Names(None, subscripts.selecting(value))
    if name == "columns":
        return named_columns.names_of(value, subscripts.selecting(value))
    if name in {"values", "A", "sparse", "real"}:
        return replace(value, form="array")
    if name == "shape":
        return AnyValue(Shape(machine.token(value.rows)))
    if name in {"size", "ndim", "dtypes", "dtype", "empty"}:
        return AnyValue((name, machine.token(value.rows)))
    return None


def _subscript(machine: Machine, node: ast.Subscript) -> Value:
    owner = machine.evaluate(node.value)
    key = subscripts.keys(machine, node.slice)
    state = machine.get(owner)
    effect = machine.roles.effect_of(state.name) if isinstance(state, Lib) else None
    if effect in {"concat", "merge"}:
        return _combined(machine, node, effect, key)
    first = (key[0] if isinstance(key, tuple) else key) in _ENDS
    if first and isinstance(state, Seq) and isinstance(state.key, Sorted):
        machine.note(Choice(machine.site(node), scores.scores_in(machine, state)))
    table = machine.get(state.owner) if isinstance(state, Locator) else state
    if first and isinstance(table, Data) and table.ranked:
        machine.note(Choice(machine.site(node), table.scores))
    taken = subscripts.subscript(machine, owner, key)
    if isinstance(state, Locator) and isinstance(key, tuple) and isinstance(table, Data):
        taken = _some_columns(machine, node, table, key[1], taken)
    if isinstance(taken, AnyValue) and taken.key is None:
        return AnyValue(machine.fresh(node))
    return taken


def _some_columns(
    machine: Machine, node: ast.Subscript, table: Data, key: tabular.Selector, taken: Value
) -> Value:
    """Return some columns of a table, by their places or a mask of them, as a table of its own."""
    several = isinstance(key, tabular.Slice) or isinstance(machine.get(key), Data)
    if not several or table.form != "frame" or not isinstance(taken, Data) or taken.base:
        return taken
    return named_columns.anew(taken, ("some", machine.fresh(node)))


def _combined(
    machine: Machine,
    node: ast.Subscript,
    effect: str,
    key: tabular.Selector | tuple[tabular.Selector, ...],
) -> Value:
    """Return what `np.r_[X, Z]` or `np.c_[X, z]` makes of tables."""
    keys = key if isinstance(key, tuple) else (key,)
    parts = [machine.get(part) for part in keys if not isinstance(part, tabular.Slice)]
    data = [part for part in parts if isinstance(part, Data)]
    if not data:
        return AnyValue(machine.fresh(node))
    if effect == "merge":
        return side_by_side.beside(data)
    return splits_and_joins.concat(data, machine.site(node), "")


_ENDS = {Const(0), Const(-1)}
"""Of sorted scores these are the best and the worst."""


def _sequence(machine: Machine, node: ast.List | ast.Tuple | ast.Set) -> Value:
    items: list[Value] = []
    each: Value | None = None
    for item in node.elts:
        if isinstance(item, ast.Starred):
            inner = machine.get(machine.evaluate(item.value))
            if isinstance(inner, Seq) and inner.each is None:
                items.extend(inner.items)
            else:
                each = join(each, inner) if each is not None else AnyValue(machine.fresh(item))
        else:
            items.append(machine.box(machine.evaluate(item)))
    if each is not None:
        return Seq((), joined([machine.get(i) for i in items] + [each]), machine.fresh(node))
    return Seq(tuple(items), None, machine.fresh(node) if not items else None)


def _dict(machine: Machine, node: ast.Dict) -> Value:
    items: dict[Hashable, Value] = {}
    each: Value | None = None
    for key, item in zip(node.keys, node.values, strict=True):
        value = machine.box(machine.evaluate(item))
        name = machine.get(machine.evaluate(key)) if key is not None else None
        if isinstance(name, Const):
            items[name.value] = value
        elif key is None and isinstance(spread := machine.get(value), Dictionary):
            items.update(spread.items)
        else:
            each = value if each is None else join(machine.get(each), machine.get(value))
    return Dictionary(tuple(items.items()), each)


def _joined_text(machine: Machine, node: ast.JoinedStr) -> Value:
    parts = [machine.evaluate(p.value) for p in node.values if isinstance(p, ast.FormattedValue)]
    constants = [state.value for state in map(machine.get, parts) if isinstance(state, Const)]
    if len(constants) == len(parts):
        following = iter(constants)
        texts = (p.value if isinstance(p, ast.Constant) else next(following) for p in node.values)
        return Const("".join(map(str, texts)))
    return AnyValue(
        ("text", ast.dump(node) if not parts else tuple(machine.token(p) for p in parts))
    )


def _call(machine: Machine, node: ast.Call) -> Value:
    if isinstance(node.func, ast.Attribute):
        callee = attribute(machine, node, _owner(machine, node.func), node.func.attr)
    else:
        callee = machine.evaluate(node.func)
    args: list[Value] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            inner = machine.get(machine.evaluate(argument.value))
            args.extend(inner.items if isinstance(inner, Seq) else (inner,))
        else:
            args.append(machine.evaluate(argument))
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = machine.evaluate(keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(inner := machine.get(value), Dictionary):
            keywords.update((str(name), item) for name, item in inner.items)
        else:
            keywords["**"] = inner
    return machine.call(node, callee, args, keywords)


def _lambda(machine: Machine, node: ast.Lambda) -> Value:
    return Closure(node, machine.cell, machine.closure())


def _walrus(machine: Machine, node: ast.NamedExpr) -> Value:
    value = machine.box(machine.evaluate(node.value))
    machine.store(node.target, value)
    return value


def _starred(machine: Machine, node: ast.Starred | ast.Await) -> Value:
    return machine.evaluate(node.value)


def _yield(machine: Machine, node: ast.Yield | ast.YieldFrom) -> Value:
    value: Value = Const(None)
    if node.value is not None:
        value = machine.evaluate(node.value)
    given = elements(machine, value, node) if isinstance(node, ast.YieldFrom) else (value,)
    machine.frames[-1].yields.extend(given)
    return AnyValue(machine.fresh(node))


EXPRESSIONS: Mapping[type[ast.expr], Callable[..., Value]] = {
    ast.Name: lambda machine, node: machine.read(node.id),
    ast.Constant: lambda _machine, node: Const(node.value),
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
    ast.ListComp: loops.listed,
    ast.SetComp: loops.listed,
    ast.GeneratorExp: loops.listed,
    ast.DictComp: loops.keyed,
    ast.NamedExpr: _walrus,
    ast.Starred: _starred,
    ast.Await: _starred,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
}
"""What evaluates each kind of expression; any other is unknown."""
