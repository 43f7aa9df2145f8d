"""Gives a function other code, which calls us; the function itself stays the same object.

So whoever imported it before calls us too, `is`, `super()`, signatures, pickles and references by
name all stay as they were, and taking it back is giving the code back. Tracebacks do not show it.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import traceback
from collections.abc import Callable
from types import CodeType, FunctionType, TracebackType
from typing import Any

OURS = "<_nbsafe importlib._bootstrap>"
"""The file of our frames: `warnings` takes those of the import system out of its count."""

_MARK = "_nbsafe_call"


class StandIn:
    """Stands in a function's code: `func` is called for it, `original` is what it had been.

    In another process a copy is a `functools.partial` of the original, whose `func` is just that.
    """

    __slots__ = ("original",)

    def __init__(self, original: FunctionType) -> None:
        self.original = original

    def func(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call the original, and see what goes in and what comes out."""
        raise NotImplementedError

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial, (self.original,)


def exchange(function: Any, make: Callable[[FunctionType], StandIn]) -> CodeType | None:
    """Give a function code that calls a stand-in, and return the code that it had.

    What is no plain function is left alone, and None returned.
    """
    if not isinstance(function, FunctionType) or is_ours(function.__code__):
        return None
    code = function.__code__
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return None
    original = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    original.__kwdefaults__ = function.__kwdefaults__
    original.__qualname__, original.__module__ = function.__qualname__, function.__module__
    original.__doc__, original.__dict__ = function.__doc__, function.__dict__.copy()
    original.__annotations__ = function.__annotations__
    stand_in = make(original)
    ours = _code_like(code)
    if ours is None or len(ours.co_freevars) != len(code.co_freevars):
        return None
    consts = tuple(stand_in if const == _MARK else const for const in ours.co_consts)
    names: dict[str, Any] = {"co_name": code.co_name}
    if sys.version_info >= (3, 11):
        names["co_qualname"] = code.co_qualname
    function.__code__ = ours.replace(co_consts=consts, **names)
    function.__dict__.setdefault("__wrapped__", original)
    return code


def is_ours(code: CodeType) -> bool:
    """Tell whether code is ours."""
    return code.co_filename == OURS


def code_of(function: FunctionType) -> CodeType:
    """Return a function's own code, also where another stands in for it."""
    original = _original(function)
    return function.__code__ if original is None else original.__code__


def attributes_of(function: FunctionType) -> dict[str, Any]:
    """Return a function's own attributes, without what another code needs."""
    original = _original(function)
    if original is None:
        return function.__dict__
    return {name: value for name, value in function.__dict__.items() if value is not original}


def _original(function: FunctionType) -> FunctionType | None:
    if not is_ours(function.__code__):
        return None
    consts = function.__code__.co_consts
    return next((const.original for const in consts if isinstance(const, StandIn)), None)


def _code_like(code: CodeType) -> CodeType | None:
    """Return code that takes the same arguments and passes them to what stands at the mark.

    None where a name cannot be written in a text: the compiler's own are such.
    """
    flags, free = code.co_flags, code.co_freevars
    last = code.co_argcount + code.co_kwonlyargcount
    plain = code.co_varnames[: code.co_argcount]
    keywords = code.co_varnames[code.co_argcount : last]
    rest = iter(code.co_varnames[last:])
    star = [f"*{next(rest)}"] if flags & inspect.CO_VARARGS else []
    double = [f"**{next(rest)}"] if flags & inspect.CO_VARKEYWORDS else []
    names = (*plain, *keywords, *(name.lstrip("*") for name in (*star, *double)), *free)
    if not all(map(str.isidentifier, names)):
        return None
    bare = ["*"] if keywords else []
    taken = [*plain, *(star or bare), *keywords, *double]
    if code.co_posonlyargcount:
        taken.insert(code.co_posonlyargcount, "/")
    passed = [*plain, *star, *(f"{name}={name}" for name in keywords), *double]
    give = "return (yield from " if flags & inspect.CO_GENERATOR else "return ("
    lines = [
        f"def outer({', '.join(free)}):",
        f"    def f({', '.join(taken)}):",
        f"        {give}{_MARK!r}.func({', '.join(passed)}))",
        f"        ({', '.join([*free, ''])})" if free else "        pass",
        "    return f",
    ]
    return _code_within("\n".join(lines), free)


@functools.lru_cache(None)
def _code_within(text: str, free: tuple[str, ...]) -> CodeType:
    """Return the code of the function that the text of a function of free names makes."""
    scope: dict[str, Any] = {}
    exec(compile(text, OURS, "exec"), scope)  # noqa: S102  # made of names only
    code: CodeType = scope["outer"](*free).__code__
    return code


# ------------------------------------------------------------------ tracebacks


def _trim(error: BaseException | None) -> None:
    """Take our frames out of an exception's traceback, and of those that led to it."""
    trimmed: set[int] = set()
    while error is not None and id(error) not in trimmed:
        trimmed.add(id(error))
        before: TracebackType | None = error.__traceback__
        while before is not None:
            after = before.tb_next
            while after is not None and is_ours(after.tb_frame.f_code):
                after = after.tb_next
            if after is not before.tb_next:
                before.tb_next = after
            before = after
        error = error.__cause__ or error.__context__


def watch_tracebacks(undo: list[Callable[[], object]], shell: Any) -> None:
    """Take our frames out of every traceback that is about to be shown."""
    shown: Any = traceback.TracebackException
    original = shown.__init__

    @functools.wraps(original)
    def __init__(self: Any, exc_type: Any, exc_value: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        with contextlib.suppress(Exception):
            _trim(exc_value)
        original(self, exc_type, exc_value, *args, **kwargs)

    shown.__init__ = __init__
    undo.append(lambda: setattr(shown, "__init__", original))
    asked = getattr(shell, "_get_exc_info", None)
    if asked is None:
        return

    def _get_exc_info(*args: Any, **kwargs: Any) -> Any:
        exc_info = asked(*args, **kwargs)
        with contextlib.suppress(Exception):
            _trim(exc_info[1])
        return exc_info

    shell._get_exc_info = _get_exc_info  # noqa: SLF001  # all that IPython shows passes here
    undo.append(lambda: delattr(shell, "_get_exc_info"))
