"""Operators on abstract values: arithmetic, comparisons, masks and their complements."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Hashable, Mapping, Sequence

from pytest_nbsafe.absint.leakage import (
    containers,
    scores,
    splits_and_joins,
    subscripts,
    tabular,
)
from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Closure,
    Const,
    Data,
    Dictionary,
    Estimator,
    Index,
    Instance,
    Mask,
    Names,
    Seq,
    Splitter,
    Value,
)
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.marks import RoundItem
from pytest_nbsafe.absint.leakage.memory import Choice, joined, met
from pytest_nbsafe.absint.leakage.rows import ByColumn, ByUnknown
from pytest_nbsafe.values import replace


def truth(value: Value) -> bool | None:
    """Return whether a test holds, None when that is not known."""
    if isinstance(value, Const):
        return bool(value.value)
    return None


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


def binary(machine: Machine, node: ast.BinOp) -> Value:
    """Return what an arithmetic operator gives."""
    pair = machine.evaluate(node.left), machine.evaluate(node.right)
    return combine(machine, node, pair, node.op)


def combine(machine: Machine, node: ast.AST, pair: Sequence[Value], op: ast.operator) -> Value:
    """Return what an operator makes of two values."""
    left, right = (machine.get(value) for value in pair)
    if isinstance(left, Data) or isinstance(right, Data):
        if isinstance(op, ast.BitAnd | ast.BitOr):
            return _both(machine, left, right, type(op).__name__)
        lists = isinstance(left, Data) and isinstance(right, Data) and isinstance(op, ast.Add)
        if lists and {"list"} == {left.form, right.form}:  # type: ignore[union-attr]
            return splits_and_joins.concat([left, right], machine.site(node), "")  # type: ignore[list-item]
        if isinstance(op, ast.Sub) and isinstance(left, Const) and isinstance(right, Data):
            right = replace(right, scores=scores.turned(right.scores))
        weighs = isinstance(op, ast.Mult | ast.Div)  # `weight * predictions`: a number, no truth
        return tabular.mix([left, right] if weighs else _with_rows(machine, left, right))
    if isinstance(left, Const) and isinstance(right, Const):
        return _computed(_ARITHMETIC.get(type(op)), left.value, right.value, machine.fresh(node))
    if isinstance(left, Seq) and isinstance(right, Seq) and isinstance(op, ast.Add):
        if left.each is None and right.each is None:
            return Seq(left.items + right.items)
        each = joined(map(machine.get, (*left.parts(), *right.parts())))
        return Seq((), each, ("plus", machine.token(left), machine.token(right)))
    if isinstance(left, Seq) and isinstance(op, ast.Mult):
        return _repeated(machine, node, left)
    if isinstance(left, Names) and isinstance(op, ast.Sub):
        gone = tabular.names_in(right)
        if left.columns is not None and gone is not None:
            return containers.names_without(left, gone)
        return Names(None, left.deps)
    if isinstance(left, Index) and isinstance(right, Const):
        return _of_places(machine, left, type(op).__name__, right.value)
    if isinstance(left, Index) and isinstance(right, Index) and isinstance(op, ast.Sub):
        return containers.index_without(left, right)
    return AnyValue((type(op).__name__, machine.token(left), machine.token(right)))


def _of_places(machine: Machine, places: Index, *made: Hashable) -> Data:
    """Return the positions or labels of rows as numbers, one in each row."""
    origin = ("places", machine.token(places), *made)
    return Data(places.rows or sets.NONE, form="series", origins=frozenset((origin,)))


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
        if isinstance(other, Data) and other.pred and isinstance(value, AnyValue | Seq):
            data = subscripts.as_data(machine, value)
            pair[place] = data if data is not None else value
    return pair


def _computed(
    function: Callable[..., object] | None, left: object, right: object, key: object
) -> Value:
    plain = (int, float, str, type(None))
    if function is None or not isinstance(left, plain) or not isinstance(right, plain):
        return AnyValue(key)
    if isinstance(left, str) and function is operator.mul:
        return AnyValue(key)
    try:
        return Const(function(left, right))
    except (TypeError, ArithmeticError, ValueError):
        return AnyValue(key)


def _both(machine: Machine, left: Value, right: Value, op: str) -> Value:
    masks = [tabular.mask_of(machine, value) for value in (left, right)]
    mixed = tabular.mix([left, right])
    if masks[0] is None or masks[1] is None:
        return mixed
    sides = sorted(((m.key, m.part) for m in masks if m is not None), key=repr)
    key = sets.Both(op, tuple(sides))
    return replace(mixed, mask=Mask(key, ("is", True), masks[0].random or masks[1].random))


def unary(machine: Machine, node: ast.UnaryOp) -> Value:
    """Return what a sign or a negation gives: the complement of a mask."""
    value = machine.get(machine.evaluate(node.operand))
    if isinstance(node.op, ast.Invert | ast.Not) and isinstance(value, Data):
        mask = tabular.mask_of(machine, value)
        if mask is not None:
            return replace(value, mask=replace(mask, part=sets.opposite(mask.part)))
    if isinstance(value, Data):
        if isinstance(node.op, ast.USub):
            value = replace(value, scores=scores.turned(value.scores))
        return tabular.mix([value])
    if isinstance(value, Const):
        if isinstance(node.op, ast.Not):
            return Const(not value.value)
        if isinstance(node.op, ast.USub) and isinstance(value.value, int | float):
            return Const(-value.value)
    return AnyValue((type(node.op).__name__, machine.token(value)))


def boolean(machine: Machine, node: ast.BoolOp) -> Value:
    """Return what `and` or `or` gives."""
    boxed = [machine.evaluate(value) for value in node.values]
    while len(boxed) > 1 and (known := truth(machine.get(boxed[0]))) is not None:
        if known is isinstance(node.op, ast.Or):
            return boxed[0]
        boxed = boxed[1:]  # `scaler or StandardScaler()` where there is none
    if len(boxed) == 1:
        return boxed[0]
    values = [machine.get(value) for value in boxed]
    data = [value for value in values if isinstance(value, Data)]
    if data:
        return tabular.mix(data)
    estimator = next((v for v in boxed if isinstance(machine.get(v), Estimator)), None)
    if estimator is not None:
        return estimator
    return AnyValue(machine.fresh(node))


def compare(machine: Machine, node: ast.Compare) -> Value:
    """Return what a comparison gives: of a column, a mask of its rows."""
    left = machine.get(machine.evaluate(node.left))
    if isinstance(left, Index):
        left = _of_places(machine, left)
    right = machine.get(machine.evaluate(node.comparators[0]))
    for other in node.comparators[1:]:
        machine.evaluate(other)
    op = node.ops[0]
    if isinstance(right, AnyValue) and isinstance(right.key, RoundItem):
        machine.mark_groups_of(left, weakly=True)  # the rows of each patient in turn
    if isinstance(left, Const) and isinstance(right, Const):
        return _computed(_COMPARISONS.get(type(op)), left.value, right.value, machine.fresh(node))
    if isinstance(op, ast.Is | ast.IsNot) and right == Const(None) and _is_something(left):
        return Const(isinstance(op, ast.IsNot))
    if isinstance(op, ast.Is | ast.IsNot) and isinstance(left, Data) and isinstance(right, Data):
        if sets.overlap(left.rows, right.rows) == "no":  # another part of the rows
            return Const(isinstance(op, ast.IsNot))
        return Const(isinstance(op, ast.Is)) if left == right else AnyValue(machine.fresh(node))
    if isinstance(right, Data) and not isinstance(left, Data):
        return replace(tabular.mix([right]), mask=Mask(("cmp", machine.token(node)), ("is", True)))
    if not isinstance(left, Data):
        return AnyValue((type(op).__name__, machine.token(left), machine.token(right)))
    mixed = tabular.mix(_with_rows(machine, left, right))
    told = _truth_told(left, op, right)
    if told is not None:
        return replace(mixed, mask=told)
    key: ByColumn | ByUnknown | tuple[Hashable, ...] = "cmp", machine.token(left)
    if not (left.uses or left.random or left.origins):
        key = ByUnknown(key)  # of values that may have been looked up in a part
    if len(left.origins) == 1:
        (origin,) = left.origins
        key = ByColumn(origin)
    return replace(mixed, mask=_mask(machine, key, op, right, random=left.random))


def _is_something(value: Value) -> bool:
    """Return whether a value is taken not to be None: what it brings is in doubt where it may be.

    Rows show no doubt, and numbers taken of them do by what they depend on.
    """
    if isinstance(value, Data):
        return bool(value.deps) and all(dep.certain for dep in value.deps)
    return isinstance(value, Estimator | Seq | Dictionary | Instance | Splitter | Closure)


def _truth_told(left: Data, op: ast.cmpop, right: Value) -> Mask | None:
    """Return the mask that a comparison of one with a truth value is, None for any other."""
    if left.mask is None or not isinstance(right, Const) or not isinstance(right.value, bool):
        return None
    if not isinstance(op, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
        return None
    as_it_is = isinstance(op, ast.Eq | ast.Is) is right.value
    return left.mask if as_it_is else replace(left.mask, part=sets.opposite(left.mask.part))


def _mask(
    machine: Machine,
    key: ByColumn | ByUnknown | tuple[Hashable, ...],
    op: ast.cmpop,
    right: Value,
    *,
    random: bool,
) -> Mask | None:
    known = isinstance(right, Const)
    in_turn = isinstance(right, AnyValue) and isinstance(right.key, RoundItem)
    value = right.value if isinstance(right, Const) else AnyValue(machine.token(right))
    if in_turn and isinstance(key, ByColumn):
        key = replace(key, in_turn=True)
    if isinstance(op, ast.Eq | ast.NotEq):
        if isinstance(value, bool):
            value, known = int(value), True
        if not known:
            if isinstance(key, ByColumn):
                key = replace(key, compared=value)
            else:
                key = ByUnknown((key, value)) if isinstance(key, ByUnknown) else (*key, value)
        part: tuple[object, ...] = ("is", value)
        return Mask(key, part if isinstance(op, ast.Eq) else ("not", part), random)
    if isinstance(op, ast.In | ast.NotIn):
        among = ByUnknown((key, value))  # of values that may be those of a part
        having = ("is", True)
        return Mask(among, having if isinstance(op, ast.In) else sets.opposite(having), random)
    bound = (value, isinstance(op, ast.LtE | ast.Gt))
    if isinstance(op, ast.Lt | ast.LtE):
        return Mask(key, ("range", None, bound), random)
    if isinstance(op, ast.Gt | ast.GtE):
        return Mask(key, ("range", bound, None), random)
    return None


def conditional(machine: Machine, node: ast.IfExp) -> Value:
    """Return what `a if test else b` gives: either, where the test is not known."""
    test = machine.get(machine.evaluate(node.test))
    known = truth(test)
    if known is not None:
        return machine.evaluate(node.body if known else node.orelse)
    if_true, if_false = machine.evaluate(node.body), machine.evaluate(node.orelse)
    if isinstance(test, Data) and test.scores and machine.loops:
        asked = {part.id for part in ast.walk(node.test) if isinstance(part, ast.Name)}
        kept = {part.id for part in (node.body, node.orelse) if isinstance(part, ast.Name)}
        if len(kept & asked) > 1:  # `best = score if score > best else best`
            machine.note(Choice(machine.site(node.test), test.scores))
    if if_true == if_false:
        return if_true
    either = [machine.get(if_true), machine.get(if_false)]
    if isinstance(test, Data) and test.pred and all(isinstance(v, Const) for v in either):
        return tabular.mix([test])  # `1 if p > 0.5 else 0`: the prediction in other words
    return met(*either)
