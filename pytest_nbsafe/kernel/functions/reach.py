"""What functions, classes and objects lead to: names of the notebook, and other functions."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType
from typing import Any

from .stand_in import code_of

FUTURE = 0x1FFF000
"""The bits of `from __future__ import ...` in the flags of a code object."""

WORD = re.compile(r"[^\W\d]\w*")
"""What may be a name in a text."""

_MOST = 1_000
_FEW = 100


def mentioned(value: object, home: dict[str, Any]) -> Iterator[str]:
    """Yield the notebook's names that a function or class of a cell mentions when it runs."""
    for item in _walk([value], lambda item: _run_by(item, home), _MOST):
        if type(item) is CodeType:
            yield from (name for name in item.co_names if name in home)


def reachable(text: str, home: dict[str, Any]) -> Iterator[FunctionType]:
    """Yield the functions of cells that the words of a text lead to, through one another."""
    values = [home[word] for word in dict.fromkeys(WORD.findall(text)) if word in home]
    for item in _walk(values, lambda item: _held_by(item, home), _MOST):
        if type(item) is FunctionType:
            yield item


def names_in(value: Any, home: dict[str, Any], is_followed: Callable[[Any], bool]) -> set[str]:
    """Return the names that code of a cell may access which is not followed, if a value is such."""
    names: set[str] = set()
    for item in _walk([value], _called_with, _FEW):
        if type(item) is FunctionType and item.__globals__ is home and not is_followed(item):
            names.update(name for name in names_of_code(code_of(item)) if name in home)
    return names


def names_of_code(code: CodeType) -> Iterator[str]:
    """Yield the names that a code object mentions, and the code inside it."""
    for each in (code, *inside(code)):
        yield from each.co_names


FUNCTION = 0x2
"""The flag of the code of functions (inspect.CO_NEWLOCALS): a class body has none."""


def inside(code: CodeType) -> Iterator[CodeType]:
    """Yield the code objects that a code object makes functions and classes of."""
    waiting = [code]
    while waiting:
        for const in waiting.pop().co_consts:
            if isinstance(const, CodeType):
                yield const
                waiting.append(const)


def codes_by_place(whole: CodeType) -> dict[tuple[str, int], CodeType]:
    """Return the code of the functions and classes of a text, by name and first line."""
    return {(code.co_name, code.co_firstlineno): code for code in inside(whole)}


def is_own(kind: type) -> bool:
    """Tell whether a class stands in a cell."""
    return bool(type.__getattribute__(kind, "__module__") == "__main__")


def fields(value: Any) -> dict[str, Any] | None:
    """Return the attributes that an object holds itself, None where it has none of its own."""
    get = fields_of(type(value))
    held = get(value) if get is not None else None
    return held if type(held) is dict else None


def fields_of(kind: type) -> Callable[[Any], Any] | None:
    """Return what gives the attributes that an object of a class holds; None where none can.

    What a property of the name `__dict__` makes up is not asked for.
    """
    for base in kind.__mro__:
        descriptor = type.__getattribute__(base, "__dict__").get("__dict__")
        if type(descriptor) is GetSetDescriptorType:
            return descriptor.__get__
    return None


def static(kind: type, name: str) -> Any:
    """Return what a class has under a name, by itself or from another; None where nothing."""
    for base in type.__getattribute__(kind, "__mro__"):
        held = type.__getattribute__(base, "__dict__")
        if name in held:
            return held[name]
    return None


# ------------------------------------------------------------------ what is within a value


def _walk(values: list[Any], within: Callable[[Any], Iterable[Any]], most: int) -> Iterator[Any]:
    """Yield values and what is within them, each once, until so many are known."""
    waiting = values
    known: dict[int, Any] = {}  # kept alive: numbers of objects that are gone come again
    while waiting and len(known) < most:
        item = waiting.pop()
        if id(item) not in known:
            known[id(item)] = item
            waiting += within(item)
            yield item


def _run_by(item: Any, home: dict[str, Any]) -> Iterator[Any]:
    """Yield what runs when a function runs, or when something is made of a class."""
    kind = type(item)  # `isinstance` would ask a proxy what it stands for
    if kind is MethodType:
        yield item.__func__
    elif kind is FunctionType:
        if item.__globals__ is home:
            yield code_of(item)
        yield from (held for held in closure_of(item) if isinstance(held, _FUNCTIONS))
    elif kind is CodeType:
        yield from (const for const in item.co_consts if isinstance(const, CodeType))
    elif issubclass(kind, _WRAPPERS):
        names = ("fget", "fset") if issubclass(kind, property) else ("__func__",)
        yield from (getattr(item, name) for name in names)
    elif kind is type and item.__module__ == "__main__":
        yield from vars(item).values()
        yield from item.__bases__
    elif kind.__module__ == "__main__":
        yield kind
    elif hasattr(kind, "__wrapped__") or kind.__name__ == "_lru_cache_wrapper":
        yield _wrapped(item)


def _held_by(item: Any, home: dict[str, Any]) -> list[Any]:
    """Return what a value leads to: what a function may call, what a class or a list holds."""
    kind = type(item)
    if kind is FunctionType:
        own = item.__globals__ is home
        names = names_of_code(item.__code__) if own else ()
        named = [home[name] for name in names if name in home]
        return [*named, *kept_by(item)]
    if kind is property:
        return [item.fget, item.fset, item.fdel]
    if kind in (staticmethod, classmethod):
        return [item.__func__]
    if issubclass(kind, type):
        return [*vars(item).values(), *item.__bases__] if is_own(item) else []
    return [kind] if is_own(kind) else _called_with(item)


def _called_with(item: Any) -> list[Any]:
    """Return what a function or a method has with it, and what a list and the like holds."""
    kind = type(item)
    if kind is FunctionType:
        return [*kept_by(item)]
    if kind is MethodType:
        return [item.__func__, item.__self__]
    if kind is functools.partial:
        return [item.func, *item.args]
    if kind in (list, tuple):
        return [*item[:_FEW]]
    return [*item.values()][:_FEW] if kind is dict else []


def kept_by(function: FunctionType) -> Iterator[Any]:
    """Yield what a function keeps: of the places it was made in, defaults, its own attributes."""
    yield from closure_of(function)
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    yield from [*function.__dict__.values()]


def _wrapped(item: Any) -> object:
    """Return what a wrapper of compiled code wraps; one written in Python is not asked."""
    if type(item).__name__ == "_lru_cache_wrapper":
        return getattr(item, "__wrapped__", None)
    held = static(type(item), "__wrapped__")
    kind = type(held)
    if kind is not GetSetDescriptorType and kind is not MemberDescriptorType:
        return None
    try:
        return held.__get__(item)
    except (AttributeError, ValueError):  # nothing is wrapped yet
        return None


def closure_of(function: FunctionType) -> Iterator[Any]:
    """Yield what a function holds of the places it was made in."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # it is empty as yet
            continue


_FUNCTIONS = (FunctionType, MethodType)
_WRAPPERS = (staticmethod, classmethod, property)
