"""What `x = <expression with x>` comes to when it is done a second time, as far as it is known."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import islice

from pytest_nbsafe.analysis import knowledge
from pytest_nbsafe.analysis.reruns import methods
from pytest_nbsafe.analysis.reruns.methods import CONVERTS, REPEATS, UNKNOWN, Second
from pytest_nbsafe.analysis.reruns.symbols import is_test

Same = Callable[[ast.expr], bool]
"""Tells whether an expression is the very symbol that is bound anew."""

_PARTS = 300
"""A longer expression is not judged."""
_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "adds to {it} once more",
    ast.Sub: "subtracts from {it} once more",
    ast.Mult: "multiplies {it} once more",
    ast.Div: "divides {it} once more",
    ast.FloorDiv: "divides {it} once more",
    ast.Pow: "takes the power of {it} once more",
    ast.MatMult: "multiplies {it} once more",
    ast.LShift: "shifts {it} once more",
    ast.RShift: "shifts {it} once more",
    ast.BitXor: "flips the bits of {it} once more",
}
_REVERSED: dict[type[ast.operator], str] = {
    ast.Sub: "subtracts {it} once more",
    ast.Div: "divides by {it} once more",
    ast.FloorDiv: "divides by {it} once more",
    ast.Pow: "takes the power once more, of {it}",
}
_NEUTRAL: dict[type[ast.operator], int] = {
    ast.Add: 0, ast.Sub: 0, ast.Mult: 1, ast.Div: 1, ast.Pow: 1,
}  # fmt: skip
_NOT_TWICE = {
    "len": "TypeError", "sum": "TypeError", "max": "TypeError", "min": "TypeError",
    "ord": "TypeError", "chr": "TypeError", "range": "TypeError", "reversed": "TypeError",
    "open": "TypeError", "json.loads": "TypeError", "json.load": "AttributeError",
    "torch.from_numpy": "TypeError",
}  # fmt: skip
_GROWS = frozenset({
    "pandas.concat", "numpy.append", "numpy.concatenate", "numpy.hstack", "numpy.vstack",
    "numpy.column_stack", "numpy.dstack", "numpy.stack", "numpy.r_", "numpy.c_", "numpy.pad",
    "tensorflow.concat", "torch.cat", "scipy.sparse.hstack", "scipy.sparse.vstack",
})  # fmt: skip
_PATHS = frozenset({"os.path.join"})


def second(node: ast.expr, same: Same, callee: Callable[[ast.expr], str]) -> Second:
    """Return what evaluating the expression a second time does, the symbol being its first value.

    `callee` names what is called ("numpy.log"). Only an expression in which the symbol stands once
    is judged, but for tests that pick rows: `x - x.mean()` does nothing new to what is centred.
    """
    parts = list(islice(_walk(node, same), _PARTS))
    if len(parts) == _PARTS or sum(map(same, parts)) != 1:
        return UNKNOWN
    return methods.NO_TEXT if _makes_numbers(node, same) else _judge(node, same, callee)


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


def _makes_numbers(node: ast.expr, same: Same) -> bool:
    """Tell whether text becomes numbers here: `x.str.replace(...).astype(float)`, perhaps `/ 2`."""
    while isinstance(node, ast.BinOp):
        node = node.left if _holds(node.left, same) else node.right
    if not isinstance(node, ast.Call):
        return False
    func, last = node.func, ""
    if isinstance(func, ast.Attribute) and func.attr == "to_numeric" and node.args:
        step: ast.expr = node.args[0]
    elif isinstance(func, ast.Attribute) and (func.attr != "astype" or methods.is_number(node)):
        step, last = func.value, func.attr
    else:
        return False
    while isinstance(step, ast.Call | ast.Attribute | ast.Subscript) and not same(step):
        if isinstance(step, ast.Attribute) and step.attr == "str" and same(step.value):
            return last in {"astype", ""} or last in methods.MEASURES
        last = "" if last == "astype" else last
        step = step.func if isinstance(step, ast.Call) else step.value
    return False


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
        return Second("shifts", "turns {it} round again")
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
    does = _SIGNS[type(node.op)]
    what = Second("shifts", does if left else _REVERSED.get(type(node.op), does))
    return _then(_judge(inner, same, callee), what)


def operation(op: ast.operator, value: ast.expr) -> Second:
    """Return what `x <op>= value` does a second time."""
    if type(op) not in _SIGNS:
        return REPEATS if isinstance(op, ast.BitOr | ast.BitAnd | ast.Mod) else UNKNOWN
    if isinstance(value, ast.Constant) and value.value == _NEUTRAL.get(type(op), object()):
        return REPEATS
    return Second("shifts", _SIGNS[type(op)])


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
    found = REPEATS
    for part in parts:
        if _is_new_axis(part):
            return Second("shifts", "adds a dimension to {it} once more")
        if isinstance(part, ast.Constant) and type(part.value) is int and len(parts) > 1:
            return Second("raises", "raises, or takes a part of {it} once more")
        if not isinstance(part, ast.Slice):
            return UNKNOWN
        if _cuts(part):
            found = Second("shifts", "cuts off more of {it}")
        elif part.step is not None:
            found = Second("shifts", "turns {it} round again")
        elif part.lower is not None or not (part.upper is None or _positive(part.upper)):
            return UNKNOWN
    return found


def _is_new_axis(part: ast.expr) -> bool:
    none = isinstance(part, ast.Constant) and part.value is None
    return none or (isinstance(part, ast.Attribute) and part.attr == "newaxis")


def _cuts(part: ast.Slice) -> bool:
    """Tell whether the slice leaves out something each time: `[1:]`, `[:-1]`, `[::2]`."""
    step = part.step.value if isinstance(part.step, ast.Constant) else None
    last = part.upper
    return (
        (_positive(part.lower) and part.upper is None)
        or (isinstance(last, ast.UnaryOp) and isinstance(last.op, ast.USub))
        or (isinstance(step, int) and step > 1)
    )


def _positive(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value > 0


def _attribute(node: ast.Attribute) -> Second:
    if node.attr == "T":
        return Second("shifts", "transposes {it} back")
    if isinstance(node.value, ast.Attribute) and node.value.attr == "dt":
        return methods.of_dates(node.attr)
    if node.attr in {"loc", "iloc", "str", "dt"}:
        return REPEATS  # what follows decides
    if node.attr in {"values", "columns"}:
        does = f"raises AttributeError: {{it}} has no `{node.attr}` any more"
        return Second("raises", does, "object")
    return UNKNOWN


def _comprehension(node: ast.ListComp, same: Same, callee: Callable[[ast.expr], str]) -> Second:
    """Judge `[f(i) for i in x]` by what the element comes to."""
    loop = node.generators[0]
    if len(node.generators) > 1 or not same(loop.iter) or not isinstance(loop.target, ast.Name):
        return UNKNOWN
    name = loop.target.id

    def element(part: ast.expr) -> bool:
        return isinstance(part, ast.Name) and part.id == name

    found = second(node.elt, element, callee)
    return Second(found.kind, found.does.replace("{it}", "what {it} holds"))


# -- calls ---------------------------------------------------------------------------------------


def _call(node: ast.Call, same: Same, callee: Callable[[ast.expr], str]) -> Second:
    func = node.func
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    if isinstance(func, ast.Attribute) and _holds(func.value, same):
        return _then(_judge(func.value, same, callee), methods.rebound(node, func))
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Constant):
        if func.attr == "join" and any(map(same, given)):
            return Second("shifts", "joins the single characters of {it}")
        return UNKNOWN
    path = callee(func)
    if not node.args or not path:
        return UNKNOWN
    first = node.args[0]
    if path in _GROWS:
        parts = first.elts if isinstance(first, ast.List | ast.Tuple) else node.args
        others = len(parts) > 1
        grows = others and any(map(same, parts))
        return Second("shifts", "appends to {it} once more") if grows else UNKNOWN
    if not _holds(first, same):
        return UNKNOWN
    return _then(_judge(first, same, callee), _function(node, path))


def _function(node: ast.Call, path: str) -> Second:
    known = knowledge.load().rebinding
    last = path.rpartition(".")[2]
    library = path.partition(".")[0] in {"numpy", "pandas"} or "." not in path
    if path in {"max", "min"} and len(node.args) > 1:
        return REPEATS
    if path in _NOT_TWICE:
        does = f"raises {_NOT_TWICE[path]}: {{it}} is the result already"
        return Second("raises", does, "object")
    if path in _PATHS:
        return Second("shifts", "adds to the path {it} once more")
    if path == "pandas.get_dummies":
        columns = any(keyword.arg == "columns" for keyword in node.keywords)
        return methods.key_error("columns") if columns else UNKNOWN
    if path == "pandas.merge":
        return methods.merge(node)
    if last == "to_categorical":
        return Second("shifts", "encodes {it}, which is encoded already")
    if library and last in known.shifts:
        return Second("shifts", f"applies `{last}` to {{it}} once more")
    if library and last in known.converts:
        return CONVERTS
    return REPEATS if library and last in known.repeats else UNKNOWN
