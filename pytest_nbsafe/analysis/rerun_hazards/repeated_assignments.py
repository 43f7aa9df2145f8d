"""What `x = <expression with x>` comes to when it is done a second time, as far as it is known."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import islice

from pytest_nbsafe.analysis.rerun_hazards import repeated_calls
from pytest_nbsafe.analysis.rerun_hazards.repeated_calls import CONVERTS, REPEATS, UNKNOWN, Second
from pytest_nbsafe.analysis.rerun_hazards.symbol_paths import is_test
from pytest_nbsafe.libraries import inplace

Same = Callable[[ast.expr], bool]
"""Tells whether an expression is the very symbol that is bound again."""

_PARTS = 300
"""A longer expression is not judged."""
_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "adds to {it} again",
    ast.Sub: "subtracts from {it} again",
    ast.Mult: "multiplies {it} again",
    ast.Div: "divides {it} again",
    ast.FloorDiv: "divides {it} again",
    ast.Pow: "takes the power of {it} again",
    ast.MatMult: "multiplies {it} again",
    ast.LShift: "shifts {it} again",
    ast.RShift: "shifts {it} again",
    ast.BitXor: "flips the bits of {it} again",
}
_REVERSED: dict[type[ast.operator], str] = {
    ast.Sub: "subtracts {it} again",
    ast.Div: "divides by {it} again",
    ast.FloorDiv: "divides by {it} again",
    ast.Pow: "takes the power of {it} again",
}
_NEUTRAL: dict[type[ast.operator], int] = {
    ast.Add: 0, ast.Sub: 0, ast.Mult: 1, ast.Div: 1, ast.Pow: 1,
}  # fmt: skip
_PATHS = frozenset({"os.path.join"})


def second(node: ast.expr, same: Same, callee: Callable[[ast.expr], str]) -> Second:
    """Return what evaluating the expression a second time does, the symbol being its first value.

    `callee` names what is called ("numpy.log"). Only an expression in which the symbol stands once
    is judged, but for tests that pick rows: `x - x.mean()` does nothing new to what is centred.
    """
    parts = list(islice(_walk(node, same), _PARTS))
    if len(parts) == _PARTS or sum(map(same, parts)) != 1:
        return UNKNOWN
    return _judge(node, same, callee)


def _walk(node: ast.AST, same: Same) -> Iterator[ast.expr]:
    """Yield the expressions in a piece of code, without tests that pick rows of the symbol."""
    todo = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, ast.expr):
            yield part
        if isinstance(part, ast.Subscript) and is_test(part.slice) and _picks(part.value, same):
            todo.append(part.value)
        else:
            todo.extend(ast.iter_child_nodes(part))


def _picks(node: ast.expr, same: Same) -> bool:
    """Tell whether rows of the symbol itself are picked: `x[...]` or `x.loc[...]`."""
    located = isinstance(node, ast.Attribute) and node.attr == "loc"
    return same(node.value if located else node)  # type: ignore[attr-defined] # an Attribute


def _holds(node: ast.AST, same: Same) -> bool:
    return any(same(part) for part in ast.walk(node) if isinstance(part, ast.expr))


def _judge(node: ast.expr, same: Same, callee: Callable[[ast.expr], str]) -> Second:
    if same(node):
        return REPEATS
    if isinstance(node, ast.BinOp):
        return _operation(node, same, callee)
    if isinstance(node, ast.UnaryOp):
        inner = _judge(node.operand, same, callee)
        if inner.kind != "repeats" or isinstance(node.op, ast.UAdd):
            return inner
        return Second("turns", "reverses {it} again")
    if isinstance(node, ast.Subscript) and _holds(node.value, same):
        return _then(_judge(node.value, same, callee), _subscript(node, same))
    if isinstance(node, ast.Attribute):
        return _then(_judge(node.value, same, callee), _attribute(node))
    if isinstance(node, ast.Call):
        return _call(node, same, callee)
    if isinstance(node, ast.ListComp):
        return _comprehension(node, same, callee)
    return UNKNOWN


def _then(first: Second, last: Second) -> Second:
    """Return what two steps one after the other come to.

    Where the first fails only because of the kind of object that it gets (`s.split(',')[0]`), the
    last may give the right kind back; and a conversion before it keeps it from failing.
    """
    if "unknown" in {first.kind, last.kind}:
        return UNKNOWN
    if first.kind != "repeats":
        if first == last:  # turned round and back
            return UNKNOWN
        restored = bool(first.because) and last != REPEATS
        return UNKNOWN if restored else first
    if first == CONVERTS:
        if last.kind == "repeats":
            return CONVERTS
        return UNKNOWN if last.because else last
    return last


# -- operators, subscripts, attributes -----------------------------------------------------------


def _operation(node: ast.BinOp, same: Same, callee: Callable[[ast.expr], str]) -> Second:
    left = _holds(node.left, same)
    inner, other = (node.left, node.right) if left else (node.right, node.left)
    if type(node.op) not in _SIGNS:
        return UNKNOWN
    if isinstance(other, ast.Constant) and other.value == _NEUTRAL.get(type(node.op), object()):
        return _judge(inner, same, callee)
    what = operation(node.op, other)
    if not left:
        what = Second(what.kind, _REVERSED.get(type(node.op), what.does))
    return _then(_judge(inner, same, callee), what)


def operation(op: ast.operator, value: ast.expr) -> Second:
    """Return what `x <op>= value` does a second time."""
    if type(op) not in _SIGNS:
        return REPEATS if isinstance(op, ast.BitOr | ast.BitAnd | ast.Mod) else UNKNOWN
    if isinstance(value, ast.Constant) and value.value == _NEUTRAL.get(type(op), object()):
        return REPEATS
    return Second("grows" if isinstance(op, ast.Add) else "shifts", _SIGNS[type(op)])


def _subscript(node: ast.Subscript, same: Same) -> Second:
    inside, value = node.slice, node.value
    by_label = isinstance(value, ast.Attribute) and value.attr == "loc"
    if is_test(inside) and _picks(value, same):
        return REPEATS
    if _holds(inside, same) or by_label:
        return UNKNOWN
    if isinstance(value, ast.Attribute) and value.attr in {"iloc", "str"}:
        plain = value.attr == "iloc" or isinstance(inside, ast.Slice)
        return _slices(inside) if plain else UNKNOWN
    if isinstance(inside, ast.Constant):
        if isinstance(inside.value, str):
            return Second("raises", "fails: {it} is already what was under that key")
        return Second("shifts", "takes a part of {it}, which is a part already")
    return _slices(inside)


def _slices(inside: ast.expr) -> Second:
    """Return what taking a slice of the slice does."""
    parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
    slices = [part for part in parts if isinstance(part, ast.Slice)]
    others = [part for part in parts if not isinstance(part, ast.Slice)]
    if others:
        picks = len(parts) > 1 and all(type(getattr(p, "value", "")) is int for p in others)
        does = "raises, or takes a part of {it} again"
        return Second("raises", does) if picks else UNKNOWN
    if any(map(_cuts, slices)):
        return Second("shifts", "cuts off more of {it}")
    if any(part.step for part in slices):
        return Second("turns", "reverses {it} again")
    plain = all(not part.lower and (not part.upper or _number(part.upper) > 0) for part in slices)
    return REPEATS if plain else UNKNOWN


def _cuts(part: ast.Slice) -> bool:
    """Tell whether the slice leaves out something each time: `[1:]`, `[:-1]`, `[::2]`."""
    from_end = isinstance(part.upper, ast.UnaryOp) and isinstance(part.upper.op, ast.USub)
    from_start = not part.upper and _number(part.lower) > 0
    return from_start or from_end or _number(part.step) > 1


def _number(node: ast.expr | None) -> int:
    """Return a whole number that is written out, 0 for anything else."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int) else 0


def _attribute(node: ast.Attribute) -> Second:
    if node.attr == "T":
        return Second("turns", "transposes {it} back")
    if node.attr in {"loc", "iloc", "str"}:
        return REPEATS  # what follows decides
    if node.attr in {"values", "columns"}:
        return repeated_calls.has_no(node.attr)
    return UNKNOWN


def _comprehension(node: ast.ListComp, same: Same, callee: Callable[[ast.expr], str]) -> Second:
    """Judge `[f(i) for i in x]` by what the element comes to."""
    loop = node.generators[0]
    if len(node.generators) > 1 or not same(loop.iter) or not isinstance(loop.target, ast.Name):
        return UNKNOWN
    name = loop.target.id

    def element(part: ast.expr) -> bool:
        return isinstance(part, ast.Name) and part.id == name

    of_element = second(node.elt, element, callee)
    return Second(of_element.kind, of_element.does.replace("{it}", "what {it} holds"))


# -- calls ---------------------------------------------------------------------------------------


def _call(node: ast.Call, same: Same, callee: Callable[[ast.expr], str]) -> Second:
    func = node.func
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    if isinstance(func, ast.Attribute) and _holds(func.value, same):
        return _then(_judge(func.value, same, callee), repeated_calls.rebound(node, func))
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Constant):
        if func.attr == "join" and any(map(same, given)):
            return Second("shifts", "joins the single characters of {it}")
        return UNKNOWN
    path = callee(func)
    if not node.args or not path:
        return UNKNOWN
    first = node.args[0]
    if path in inplace.load().rebinding.grows:
        parts = first.elts if isinstance(first, ast.List | ast.Tuple) else node.args
        others = len(parts) > 1
        grows = others and any(map(same, parts))
        return Second("grows", "appends to {it} again") if grows else UNKNOWN
    if not _holds(first, same):
        return UNKNOWN
    return _then(_judge(first, same, callee), _function(node, path))


def _function(node: ast.Call, path: str) -> Second:
    known = inplace.load().rebinding
    last = path.rpartition(".")[2]
    library = path.partition(".")[0] in known.modules or "." not in path
    if path in {"max", "min"} and len(node.args) > 1:
        return REPEATS
    if path in _PATHS:
        return Second("grows", "adds to the path {it} again")
    if path in known.loses_columns:
        columns = any(keyword.arg == "columns" for keyword in node.keywords)
        return repeated_calls.key_error("columns") if columns else UNKNOWN
    if path in known.merges:
        return repeated_calls.merge(node)
    if last == "to_categorical":
        return Second("shifts", "encodes {it}, which is encoded already")
    if library and last in known.shifts:
        return Second("shifts", f"applies `{last}` to {{it}} again")
    if library and last in known.converts:
        return CONVERTS
    return REPEATS if library and last in known.repeats else UNKNOWN
