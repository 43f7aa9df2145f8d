"""What the operands of a failed `assert` held, read where it failed and never computed again.

As pytest shows it, but nothing is rewritten: an assert that passes costs nothing. What would run
the user's code (a call, a property, a subscript of an object of their own) is left out; of it only
the names that it was given are told.
"""

from __future__ import annotations

import ast
import builtins
import linecache
import operator
import re
import reprlib
from collections.abc import Callable, Container, Iterator
from types import FrameType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any

from ..adapters import of_module
from ..aspects import aspects

_MOST = 4
_MOST_CHARACTERS = 200_000
_MOST_ITEMS = 10_000
_EXPRESSION_WIDTH = 60
_WIDTH = 100
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_NUMBERS = (bool, int, float, complex)
_PLAIN = (*_NUMBERS, str, bytes, type(None))
_SEQUENCES = (list, tuple, str, bytes, range)
_HOLDERS = (*_SEQUENCES, set, frozenset)
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_BUILTINS = {"abs": abs, "len": len, "max": max, "min": min, "round": round, "sum": sum}
_OF_TABLES = frozenset({"columns", "dtype", "ndim", "shape", "size"})
_INNER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class _Unknown(Exception):  # noqa: N818  # it is an answer
    """A value cannot be had without running code of the user's."""


def assert_values(error: BaseException, files: Container[str]) -> list[tuple[str, str]]:
    """Return the operands of the assert that raised an error, each with what it held, as texts.

    None of an error that no `assert` in one of the `files` raised. Never raises.
    """
    try:
        trace = error.__traceback__ if isinstance(error, AssertionError) else None
        if trace is None:
            return []
        while trace.tb_next is not None:
            trace = trace.tb_next
        frame = trace.tb_frame
        if frame.f_code.co_filename not in files:
            return []
        source = _source(frame)
        test = _failed(ast.parse(source), trace.tb_lineno)
        return _told(test, source, frame, files) if test is not None else []
    except Exception:
        return []


def _source(frame: FrameType) -> str:
    """Return the text that the code of a frame stands in, which IPython keeps for a cell's."""
    source = "".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals))
    return source if len(source) <= _MOST_CHARACTERS else ""


def _failed(tree: ast.Module, line: int) -> ast.expr | None:
    """Return what the assert at a line tests: the only one there, for a line may hold more."""
    asserts = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return asserts[0].test if len(asserts) == 1 else None


def _told(
    test: ast.expr, source: str, frame: FrameType, files: Container[str]
) -> list[tuple[str, str]]:
    told: dict[str, str] = {}
    for node in _operands(test, frame):
        if len(told) == _MOST:
            break
        expression = " ".join((ast.get_source_segment(source, node) or "").split())
        if not 0 < len(expression) <= _EXPRESSION_WIDTH or expression in told:
            continue
        value = _value(node, frame)
        if _says_something(value, files):
            told[expression] = _short(value, files)
    return list(told.items())


def _says_something(value: object, files: Container[str]) -> bool:
    """Return whether a text of the value would tell more than what it is called."""
    return not (callable(value) or isinstance(value, ModuleType) or _is_nameless(value, files))


def _is_nameless(value: object, files: Container[str]) -> bool:
    """Return whether an object has no text of its own, or one that the user's code would make."""
    shows = type(value).__repr__
    code = getattr(shows, "__code__", None)
    return shows is object.__repr__ or (code is not None and code.co_filename in files)


def _operands(node: ast.expr, frame: FrameType) -> Iterator[ast.expr]:
    """Yield the expressions below a test whose value can be had, those in front first."""
    known = _is_known(node, frame)
    if known and not isinstance(node, (ast.Constant, ast.UnaryOp, ast.BoolOp, ast.Compare)):
        yield node
    if isinstance(node, _INNER):
        for loop in getattr(node, "generators", [])[:1]:
            yield from _operands(loop.iter, frame)
        return
    if known and isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.keyword):
            child = child.value  # noqa: PLW2901  # what is given by it
        if isinstance(child, ast.expr):
            yield from _operands(child, frame)


def _is_known(node: ast.expr, frame: FrameType) -> bool:
    try:
        _value(node, frame)
    except Exception:
        return False
    return True


# ------------------------------------------------------------ values that run nobody's code


def _value(node: ast.expr, frame: FrameType) -> Any:
    """Return what an expression gives; raise whatever says that it cannot be had."""
    known = _VALUES.get(type(node))
    if known is None:
        raise _Unknown
    return known(node, frame)


def _of_name(node: ast.Name, frame: FrameType) -> Any:
    for scope in (frame.f_locals, frame.f_globals, vars(builtins)):
        if node.id in scope:
            return scope[node.id]
    raise _Unknown


def _of_attribute(node: ast.Attribute, frame: FrameType) -> Any:
    """Return what the object itself holds, or a slot of it; a property would run."""
    base, name = _value(node.value, frame), node.attr
    cls = type(base)
    if name in _OF_TABLES and hasattr(of_module(cls.__module__), "aspects"):
        return getattr(base, name)
    for owner in cls.__mro__:
        held = vars(owner).get(name)
        if isinstance(held, (MemberDescriptorType, GetSetDescriptorType)):
            return held.__get__(base, cls)
        if isinstance(held, property) or hasattr(type(held), "__set__"):
            raise _Unknown
    return object.__getattribute__(base, "__dict__")[name]


def _of_subscript(node: ast.Subscript, frame: FrameType) -> Any:
    base, key = _value(node.value, frame), _value(node.slice, frame)
    if type(base) not in (*_SEQUENCES, dict) or type(key) not in (*_PLAIN, tuple):
        raise _Unknown
    return base[key]


def _of_call(node: ast.Call, frame: FrameType) -> Any:
    """Return what one of a few builtins gives of plain values, whose methods nobody wrote."""
    if not isinstance(node.func, ast.Name) or node.keywords or not node.args:
        raise _Unknown
    function = _BUILTINS.get(node.func.id)
    if function is None or _of_name(node.func, frame) is not function:
        raise _Unknown
    values = [_value(argument, frame) for argument in node.args]
    first = values[0]
    of_table = hasattr(of_module(type(first).__module__), "aspects")
    is_length = function is len and (of_table or type(first) in (*_HOLDERS, dict))
    if not is_length and not all(map(_is_plain, values)):
        raise _Unknown
    return function(*values)  # type: ignore[operator]  # each takes what it is given here


def _is_plain(value: Any) -> bool:
    if type(value) in _NUMBERS:
        return True
    few = type(value) in _HOLDERS and len(value) <= _MOST_ITEMS
    return few and all(type(item) in _NUMBERS for item in value)


def _of_binary(node: ast.BinOp, frame: FrameType) -> Any:
    left, right = _value(node.left, frame), _value(node.right, frame)
    if type(left) not in _NUMBERS or type(right) not in _NUMBERS:
        raise _Unknown
    return _BINARY[type(node.op)](left, right)


def _of_unary(node: ast.UnaryOp, frame: FrameType) -> Any:
    value = _value(node.operand, frame)
    if type(value) not in _NUMBERS:
        raise _Unknown
    return _UNARY[type(node.op)](value)


_VALUES: dict[type[ast.expr], Callable[[Any, FrameType], Any]] = {
    ast.Constant: lambda node, _: node.value,
    ast.Name: _of_name,
    ast.Attribute: _of_attribute,
    ast.Subscript: _of_subscript,
    ast.Call: _of_call,
    ast.BinOp: _of_binary,
    ast.UnaryOp: _of_unary,
}


# ------------------------------------------------------------ how a value shows


class _Short(reprlib.Repr):
    """Short texts: of a container its first items, of a long text both ends."""

    def __init__(self, files: Container[str]) -> None:
        super().__init__()
        self.files = files
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = 8
        self.maxstring = self.maxother = _WIDTH - 20
        self.maxlong = 40

    def repr_instance(self, x: object, level: int) -> str:
        return (
            f"<{type(x).__name__}>"
            if _is_nameless(x, self.files)
            else super().repr_instance(x, level)
        )


def _short(value: Any, files: Container[str]) -> str:
    """Return a value in one short line; of tables and arrays that are longer a few words."""
    try:
        text = _ADDRESS.sub("", _Short(files).repr(value))
    except Exception:
        text = f"<{type(value).__name__}>"
    if "\n" in text or (len(text) > _WIDTH and aspects(value)):
        words = ", ".join(f"{aspect} {text}" for aspect, text in aspects(value).items())
        text = f"{type(value).__name__}, {words}" if words else " ".join(text.split())
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."
