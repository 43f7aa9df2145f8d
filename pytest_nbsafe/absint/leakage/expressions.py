"""What an expression of a cell gives, on abstract values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_nbsafe.absint.leakage import calls, joining, select, tables
from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.joins import join, joined
from pytest_nbsafe.absint.leakage.rows import Step
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
    Mask,
    Names,
    Ref,
    Seq,
    Site,
    Splitter,
    Table,
    Unknown,
    Value,
)
from pytest_nbsafe.values import replace

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.interpret import Machine

_UNROLLED = 8
"""A loop over so many known items is run once for each; any other is run twice."""


def evaluate(machine: Machine, node: ast.expr) -> Value:
    """Return what an expression gives."""
    machine.spend()
    handler = _EXPRESSIONS.get(type(node))
    return handler(machine, node) if handler is not None else Unknown(machine.fresh(node))


def truth(value: Value) -> bool | None:
    """Return whether a test holds, None when that is not known."""
    if isinstance(value, Const):
        return bool(value.value)
    return None


# -- names, parts, literals ------------------------------------------------------------------------


def _name(machine: Machine, node: ast.Name) -> Value:
    return machine.read(node.id)


def _constant(_machine: Machine, node: ast.Constant) -> Value:
    return Const(node.value)


def _attribute(machine: Machine, node: ast.Attribute) -> Value:
    return attribute(machine, node, evaluate(machine, node.value), node.attr)


def attribute(machine: Machine, node: ast.AST, owner: Value, name: str) -> Value:
    """Return an attribute: a column, a method, or a part of a library."""
    value = machine.get(owner)
    if isinstance(value, Lib):
        return Lib(f"{value.name}.{name}")
    if isinstance(value, Data):
        return _of_data(machine, node, owner, value, name)
    if isinstance(value, Instance):
        return calls.member(machine, owner, value, name)
    if isinstance(value, Estimator):
        return calls.fitted_part(machine, node, owner, value, name)
    if isinstance(value, Function) and isinstance(value.node, ast.ClassDef):
        return calls.member(machine, owner, Instance(value), name)
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
    if name == "index":
        return Index((), value.rows) if value.rows else Names(None, select.selecting(value))
    if name == "columns":
        return Names(Columns(but=True), select.selecting(value))
    if name in {"T", "values", "A", "str", "dt", "cat", "sparse", "real"}:
        return (
            value
            if name in {"str", "dt", "cat"}
            else replace(value, form="array" if name != "T" else value.form)
        )
    if name in {"shape", "size", "ndim", "dtypes", "dtype", "empty"}:
        return Unknown((name, machine.token(value.rows)))
    if calls.is_method(machine, value, name):
        return Bound(owner, name)
    if value.form in {"frame", "any", "group"} and not isinstance(node, ast.Call):
        found = tables.column(value, name)
        return replace(found, form="group") if value.form == "group" else found
    return Bound(owner, name)


def _subscript(machine: Machine, node: ast.Subscript) -> Value:
    owner = evaluate(machine, node.value)
    key = select.keys(machine, node.slice, evaluate)
    state = machine.get(owner)
    mark = state.key if isinstance(state, Seq) else None
    if isinstance(mark, tuple) and mark[0] == "sorted" and key in {Const(0), Const(-1)}:
        # the first of sorted scores: the best
        machine.note("choice", node, calls.scores_in(machine, state))
    found = select.subscript(machine, owner, key)
    if isinstance(found, Unknown) and found.key is None:
        return Unknown(machine.fresh(node))
    return found


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
    return Unknown(
        ("text", ast.dump(node) if not parts else tuple(machine.token(p) for p in parts))
    )


# -- operators -------------------------------------------------------------------------------------

_ARITHMETIC: Mapping[type[ast.operator], Callable[..., object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[..., object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


def _binary(machine: Machine, node: ast.BinOp) -> Value:
    pair = evaluate(machine, node.left), evaluate(machine, node.right)
    return combine(machine, node, pair, node.op)


def combine(machine: Machine, node: ast.AST, pair: Sequence[Value], op: ast.operator) -> Value:
    """Return what an operator makes of two values."""
    left, right = (machine.get(value) for value in pair)
    if isinstance(left, Data) or isinstance(right, Data):
        if isinstance(op, ast.BitAnd | ast.BitOr):
            return _both(machine, left, right, type(op).__name__)
        lists = isinstance(left, Data) and isinstance(right, Data) and isinstance(op, ast.Add)
        if lists and {"list"} == {left.form, right.form}:  # type: ignore[union-attr]
            return joining.concat([left, right], machine.site(node), "")  # type: ignore[list-item]
        return tables.mix(_with_rows(machine, left, right))
    if isinstance(left, Const) and isinstance(right, Const):
        return _computed(_ARITHMETIC.get(type(op)), left.value, right.value, machine.fresh(node))
    if isinstance(left, Seq) and isinstance(right, Seq) and isinstance(op, ast.Add):
        if left.each is None and right.each is None:
            return Seq(left.items + right.items)
        found = joined(
            machine.get(v) for v in (*left.items, left.each, *right.items, right.each) if v
        )
        return Seq((), found, ("plus", machine.token(left), machine.token(right)))
    if isinstance(left, Seq) and isinstance(op, ast.Mult):
        return _repeated(machine, node, left)
    if isinstance(left, Names) and isinstance(op, ast.Sub):
        gone = tables.names_in(right)
        if left.columns is not None and gone is not None:
            return calls.names_without(left, gone)
        return Names(None, left.deps)
    if isinstance(left, Index) and isinstance(right, Index) and isinstance(op, ast.Sub):
        return calls.index_without(left, right)
    return Unknown((type(op).__name__, machine.token(left), machine.token(right)))


def _repeated(machine: Machine, node: ast.AST, value: Seq) -> Value:
    """Return a list times a number: each table in it is there more than once."""
    if value.each is not None:
        return value
    items = [machine.get(item) for item in value.items]
    if any(isinstance(item, Data) for item in items):
        return Seq(value.items * 2)
    return Seq((), joined(items), machine.fresh(node))


def _with_rows(machine: Machine, left: Value, right: Value) -> list[Value]:
    """Return both as they are; a list beside predictions is the truth, so it counts as rows."""
    pair = [left, right]
    for place, other in ((0, right), (1, left)):
        value = pair[place]
        if isinstance(other, Data) and other.pred and isinstance(value, Unknown | Seq):
            data = select.as_data(machine, value)
            pair[place] = data if data is not None else value
    return pair


def _computed(
    function: Callable[..., object] | None, left: object, right: object, key: object
) -> Value:
    plain = (int, float, str, type(None))
    if function is None or not isinstance(left, plain) or not isinstance(right, plain):
        return Unknown(key)
    if isinstance(left, str) and function is operator.mul:
        return Unknown(key)
    try:
        return Const(function(left, right))
    except (TypeError, ArithmeticError, ValueError):
        return Unknown(key)


def _both(machine: Machine, left: Value, right: Value, op: str) -> Value:
    masks = [select.mask_of(machine, value) for value in (left, right)]
    mixed = tables.mix([left, right])
    if masks[0] is None or masks[1] is None:
        return mixed
    key = (op, *sorted(repr((m.key, m.part)) for m in masks if m is not None))
    return replace(mixed, mask=Mask(key, ("is", True), masks[0].random or masks[1].random))


def _unary(machine: Machine, node: ast.UnaryOp) -> Value:
    value = machine.get(evaluate(machine, node.operand))
    if isinstance(node.op, ast.Invert | ast.Not) and isinstance(value, Data):
        mask = select.mask_of(machine, value)
        if mask is not None:
            return replace(value, mask=replace(mask, part=sets.opposite(mask.part)))
    if isinstance(value, Data):
        return tables.mix([value])
    if isinstance(value, Const):
        if isinstance(node.op, ast.Not):
            return Const(not value.value)
        if isinstance(node.op, ast.USub) and isinstance(value.value, int | float):
            return Const(-value.value)
    return Unknown((type(node.op).__name__, machine.token(value)))


def _bool(machine: Machine, node: ast.BoolOp) -> Value:
    values = [machine.get(evaluate(machine, value)) for value in node.values]
    data = [value for value in values if isinstance(value, Data)]
    if data:
        return tables.mix(data)
    if all(isinstance(value, Const) for value in values):
        for value in values[:-1]:
            if truth(value) is isinstance(node.op, ast.Or):
                return value
        return values[-1]
    return Unknown(machine.fresh(node))


def _compare(machine: Machine, node: ast.Compare) -> Value:
    left = machine.get(evaluate(machine, node.left))
    right = machine.get(evaluate(machine, node.comparators[0]))
    for other in node.comparators[1:]:
        evaluate(machine, other)
    op = node.ops[0]
    if isinstance(left, Const) and isinstance(right, Const):
        return _computed(_COMPARISONS.get(type(op)), left.value, right.value, machine.fresh(node))
    if isinstance(right, Data) and not isinstance(left, Data):
        return replace(tables.mix([right]), mask=Mask(("cmp", machine.token(node)), ("is", True)))
    if not isinstance(left, Data):
        return Unknown((type(op).__name__, machine.token(left), machine.token(right)))
    mixed = tables.mix(_with_rows(machine, left, right))
    key = ("col", *left.origins) if len(left.origins) == 1 else ("cmp", machine.token(left))
    return replace(mixed, mask=_mask(machine, key, op, right, random=left.random))


def _mask(
    machine: Machine, key: tuple[Hashable, ...], op: ast.cmpop, right: Value, *, random: bool
) -> Mask | None:
    known = isinstance(right, Const)
    value = right.value if isinstance(right, Const) else Unknown(machine.token(right))
    if isinstance(op, ast.Eq | ast.NotEq):
        if isinstance(value, bool):
            value, known = int(value), True
        key = key if known else (*key, value)
        part: tuple[object, ...] = ("is", value)
        return Mask(key, part if isinstance(op, ast.Eq) else ("not", part), random)
    bound = (value, isinstance(op, ast.LtE | ast.Gt))
    if isinstance(op, ast.Lt | ast.LtE):
        return Mask(key, ("range", None, bound), random)
    if isinstance(op, ast.Gt | ast.GtE):
        return Mask(key, ("range", bound, None), random)
    return None


def _choice(machine: Machine, node: ast.IfExp) -> Value:
    test = machine.get(evaluate(machine, node.test))
    known = truth(test)
    if known is not None:
        return evaluate(machine, node.body if known else node.orelse)
    one, two = evaluate(machine, node.body), evaluate(machine, node.orelse)
    return one if one == two else join(machine.get(one), machine.get(two))


# -- functions, comprehensions ---------------------------------------------------------------------


def _call(machine: Machine, node: ast.Call) -> Value:
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


def _comprehension(machine: Machine, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Value:
    first = node.generators[0]
    source = evaluate(machine, first.iter)
    names = _column_names(machine, node, machine.get(source))
    if names is not None:
        return names
    found: list[Value] = []
    items = list(elements(machine, source, first))
    saved = dict(machine.scopes[-1])
    machine.loops += 1
    for item in items:
        _inner(machine, node.generators, 0, item, lambda: found.append(evaluate(machine, node.elt)))
    machine.loops -= 1
    machine.scopes[-1].clear()
    machine.scopes[-1].update(saved)
    given = machine.get(source)
    plain = len(node.generators) == 1 and not first.ifs and len(found) == len(items)
    if plain and isinstance(given, Seq) and given.each is None and len(given.items) == len(found):
        return Seq(tuple(machine.box(value) for value in found))
    each = joined(machine.get(value) for value in found)
    return Seq((), each if each is not None else Unknown(), ("list", *machine.fresh(node)))


def _inner(
    machine: Machine,
    generators: Sequence[ast.comprehension],
    place: int,
    item: Value,
    run: Callable[[], None],
) -> None:
    generator = generators[place]
    store(machine, generator.target, machine.box(item))
    for test in generator.ifs:
        evaluate(machine, test)
    if place + 1 == len(generators):
        run()
        return
    following = generators[place + 1]
    for other in elements(machine, evaluate(machine, following.iter), following):
        _inner(machine, generators, place + 1, other, run)


def _column_names(
    machine: Machine, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, source: Value
) -> Names | None:
    """Return `[c for c in df.columns if c != "y"]` as names: all columns but some."""
    generator = node.generators[0]
    if isinstance(source, Data) and source.form == "frame":
        source = Names(Columns(but=True))
    if not isinstance(source, Names) or len(node.generators) > 1:
        return None
    if not (isinstance(node.elt, ast.Name) and isinstance(generator.target, ast.Name)):
        return Names(None, source.deps)
    result = source
    for test in generator.ifs:
        gone = None
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotEq | ast.NotIn):
            value = machine.get(evaluate(machine, test.comparators[0]))
            if isinstance(value, Seq):
                value = replace(value, items=tuple(machine.get(v) for v in value.items))
            plain = isinstance(test.left, ast.Name) and test.left.id == node.elt.id
            gone = tables.names_in(value) if plain else None
        if gone is None:
            return Names(None, source.deps)
        result = calls.names_without(result, gone)
    return result


def _dict_comprehension(machine: Machine, node: ast.DictComp) -> Value:
    pair = ast.copy_location(ast.ListComp(node.value, node.generators), node)
    found = machine.get(_comprehension(machine, pair))
    if isinstance(found, Seq):
        every = [machine.get(v) for v in found.items]
        return Table((), found.each or joined(every))
    return Table()


def _walrus(machine: Machine, node: ast.NamedExpr) -> Value:
    value = machine.box(evaluate(machine, node.value))
    store(machine, node.target, value)
    return value


def _starred(machine: Machine, node: ast.Starred | ast.Await) -> Value:
    return evaluate(machine, node.value)


def _yield(machine: Machine, node: ast.Yield | ast.YieldFrom) -> Value:
    if node.value is not None:
        evaluate(machine, node.value)
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
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _bool,
    ast.Compare: _compare,
    ast.IfExp: _choice,
    ast.Call: _call,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
    ast.NamedExpr: _walrus,
    ast.Starred: _starred,
    ast.Await: _starred,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
}
"""What evaluates each kind of expression; any other is unknown."""


# -- targets ---------------------------------------------------------------------------------------


def store(machine: Machine, target: ast.expr, value: Value) -> None:
    """Bind a target to a value: a name, several, a column, an attribute."""
    if isinstance(target, ast.Name):
        machine.bind(target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        target = _without_star(machine, target, value)
        for part, item in zip(target.elts, _unpacked(machine, target, value), strict=True):
            store(machine, part, machine.box(item))
    elif isinstance(target, ast.Starred):
        store(machine, target.value, value)
    elif isinstance(target, ast.Attribute):
        _store_attribute(machine, target, value)
    elif isinstance(target, ast.Subscript):
        _store_item(machine, target, value)


def _without_star(
    machine: Machine, target: ast.Tuple | ast.List, value: Value
) -> ast.Tuple | ast.List:
    """Bind what a star in a target takes, and return the target without it."""
    stars = [i for i, part in enumerate(target.elts) if isinstance(part, ast.Starred)]
    state = machine.get(value)
    if not stars or not isinstance(state, Seq) or state.each is not None:
        return target
    start, after = stars[0], len(target.elts) - stars[0] - 1
    end = len(state.items) - after
    store(machine, target.elts[start], machine.box(Seq(state.items[start:end])))
    kept = [*target.elts[:start], *target.elts[start + 1 :]]
    for part, item in zip(kept, (*state.items[:start], *state.items[end:]), strict=False):
        store(machine, part, machine.box(item))
    return ast.Tuple([])


def _unpacked(machine: Machine, target: ast.Tuple | ast.List, value: Value) -> Sequence[Value]:
    state, count = machine.get(value), len(target.elts)
    if isinstance(state, Seq) and state.each is None:
        if len(state.items) == count:
            return state.items
        state = joined(machine.get(item) for item in state.items) or Unknown()
        return [state] * count
    if isinstance(state, Seq) and state.each is not None:
        return [state.each] * count
    if isinstance(state, Data):
        if any(isinstance(part, ast.Tuple | ast.List) for part in target.elts):
            # `(x_train, y_train), (x_test, y_test) = mnist.load_data()`
            return [
                replace(
                    state,
                    rows=sets.divide(
                        state.rows, Step(("load", machine.token(state.rows)), ("is", i))
                    ),
                )
                for i in range(count)
            ]
        return [state] * count
    return [Unknown(("part", i, machine.token(state))) for i in range(count)]


def _store_attribute(machine: Machine, target: ast.Attribute, value: Value) -> None:
    owner = evaluate(machine, target.value)
    state = machine.get(owner)
    if isinstance(state, Instance):
        attributes = dict(state.attributes) | {target.attr: value}
        machine.put(owner, replace(state, attributes=tuple(attributes.items())))
    elif isinstance(state, Data) and target.attr == "columns":
        flat = replace(
            state,
            deps=state.all_deps(),
            named=(),
            columns=None,
            base=("renamed", machine.fresh(target)),
        )
        machine.put(owner, flat)
    elif isinstance(state, Data) and target.attr == "index":
        made = machine.get(value)
        if isinstance(made, Data) and any(dep.kind == "time" for dep in made.all_deps()):
            machine.put(
                owner, tables.with_deps(state, (d for d in made.all_deps() if d.kind == "time"))
            )
    elif isinstance(state, Data):
        made = machine.get(value)
        if isinstance(made, Data):
            machine.put(
                owner, tables.with_column(state, target.attr, made, site=machine.site(target))
            )


def _store_item(machine: Machine, target: ast.Subscript, value: Value) -> None:
    owner = evaluate(machine, target.value)
    state = machine.get(owner)
    key = select.keys(machine, target.slice, evaluate)
    partly = False
    if isinstance(state, Locator):
        partly = isinstance(key, tuple) and not (isinstance(key[0], select.Slice) and key[0].all)
        key = key[1] if isinstance(key, tuple) else key
        owner, state = state.owner, machine.get(state.owner)
    if isinstance(state, Data):
        _store_column(
            machine, owner, state, key, machine.get(value), partly=partly, site=machine.site(target)
        )
    elif isinstance(state, Table):
        if isinstance(key, Const):
            items = dict(state.items) | {key.value: value}
            machine.put(owner, replace(state, items=tuple(items.items())))
        else:
            each = machine.get(value)
            machine.put(
                owner,
                replace(state, each=join(machine.get(state.each), each) if state.each else each),
            )
    elif isinstance(state, Seq):
        parts = (machine.get(v) for v in (*state.items, state.each, value) if v is not None)
        machine.put(owner, Seq((), joined(parts), state.key))


def _store_column(
    machine: Machine,
    owner: Value,
    state: Data,
    key: object,
    value: Value,
    *,
    partly: bool,
    site: Site,
) -> None:
    made = value if isinstance(value, Data) else Data()
    if isinstance(key, tuple):
        key = None
    plain = machine.get(key) if isinstance(key, Ref) else key
    if isinstance(plain, Seq):
        plain = replace(plain, items=tuple(machine.get(item) for item in plain.items))
    names = tables.names_in(plain) if isinstance(plain, Const | Seq) else None
    if names is None and isinstance(plain, Names) and plain.columns and not plain.columns.but:
        names = tuple(plain.columns.names)
    if names is None:
        changed = replace(state, deps=state.deps | made.all_deps())
        if isinstance(plain, Data) and made.rows:
            changed = replace(state, deps=state.deps | made.all_deps())
        machine.put(owner, changed)
        return
    if not state.rows and made.rows:
        state = replace(state, rows=made.rows)
    for name in names:
        part = tables.column(made, name) if made.form == "frame" and len(names) > 1 else made
        machine.mark_rows(state, name, value)
        state = tables.with_column(state, name, part, partly=partly, site=site)
    machine.put(owner, state)


def delete(machine: Machine, target: ast.Subscript) -> None:
    """Delete a column: `del df["y"]`."""
    owner = evaluate(machine, target.value)
    state = machine.get(owner)
    key = machine.get(evaluate(machine, target.slice))
    names = tables.names_in(key)
    if isinstance(state, Data) and names:
        machine.put(owner, tables.without(state, names))


def elements(machine: Machine, iterable: Value, node: ast.AST) -> Iterator[Value]:
    """Yield what a loop runs over: each known item, or twice what stands for all."""
    value = machine.get(iterable)
    line = getattr(node, "lineno", None) or getattr(getattr(node, "target", None), "lineno", 0)
    anything = Unknown(("each", machine.run, line, machine.token(value)))
    if isinstance(value, Seq) and value.each is None:
        if len(value.items) <= _UNROLLED:
            yield from value.items
            return
        each = joined(machine.get(item) for item in value.items)
        each = anything if isinstance(each, Unknown | Const) or each is None else each
    elif isinstance(value, Seq):
        each = (
            value.each
            if isinstance(machine.get(value.each), Data | Seq | Table | Estimator)
            else anything
        )
    elif isinstance(value, Table):
        names = [Const(name) for name, _ in value.items]
        if names and len(names) <= _UNROLLED and value.each is None:
            yield from names
            return
        each = anything
    else:
        each = anything
    if isinstance(value, Data) and value.form in {"series", "array", "any"} and not value.scores:
        each = replace(value, form="any")
    if isinstance(value, Data) and value.form == "group":
        each = Seq(
            (
                anything,
                replace(
                    value,
                    form="frame",
                    rows=sets.divide(
                        value.rows, Step(("group", machine.run, line), ("is", anything))
                    ),
                ),
            )
        )
    if each is None:
        each = anything
    yield each
    yield each


def declared(machine: Machine, node: ast.Assign, value: Value, comment: str) -> Value:
    """Return what a comment says the value is: `source`, or `split X -> train, test`."""
    if comment.startswith("source"):
        return Data(sets.source(("declared", *machine.fresh(node))), base=machine.fresh(node))
    words = comment.replace("->", " ").replace(",", " ").split()
    data = machine.get(machine.read(words[1])) if len(words) > 2 else value
    if not isinstance(data, Data):
        return value
    key = ("declared", *machine.fresh(node))
    return Seq(
        tuple(
            replace(data, rows=sets.divide(data.rows, Step(key, ("is", i), "random")))
            for i in range(len(words) - 2)
        )
    )
