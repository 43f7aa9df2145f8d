"""What code asks for by name: the clock, its user, descriptors; and what it puts into modules.

The interpreter's own functions that tell the time cannot be watched. So the code that ran is read:
each name in it, with the attributes behind it, is looked up where the code would look it up. A
database tells the time and draws numbers where a text asks it to.
"""

from __future__ import annotations

import atexit
import datetime as dt
import dis
import os
import re
import socket
import sys
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GeneratorType,
    ModuleType,
)
from typing import Any, NamedTuple

from ..functions.stand_in import code_of
from .held_functions import functions_in, is_function

_TIMES = frozenset(
    f"{name}{ending}"
    for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time")
    for ending in ("", "_ns")
) | {"localtime", "gmtime", "ctime", "asctime", "strftime"}
_NOWS = frozenset({"now", "today", "utcnow"})
_DESCRIPTORS = frozenset(
    {"open", "pipe", "pipe2", "openpty", "dup", "dup2", "eventfd", "memfd_create", "lseek"}
    | {"read", "readv", "pread", "write", "writev", "pwrite", "sendfile", "splice", "ftruncate"}
)
"""Functions of the system for descriptors: what lies behind one no value shows."""
_STATES = frozenset(
    {"seed", "getstate", "setstate", "get_state", "set_state", "get_rng_state", "set_rng_state"}
    | {"manual_seed", "set_seed", "set_random_seed", "seed_everything"}
)
"""Functions that ask where a source of random numbers stands, or say where."""
_WORDS = _TIMES | _NOWS | _DESCRIPTORS | _STATES
_WORDS |= {"register", "socketpair", "finalize", "ref", "proxy"}
_INPUT = "input"
_LOADS = frozenset(
    {"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW", "LOAD_DEREF"}
)
_STEPS = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
_STORES = frozenset({"STORE_NAME", "STORE_GLOBAL", "STORE_FAST", "STORE_DEREF"})
_OF_LOCALS = re.compile(r"(?:LOAD|STORE)_FAST(?:_BORROW)?")
_STORE_ATTR = dis.opmap["STORE_ATTR"]
_UNKNOWN: Any = object()
_LONGEST = 10_000
_QUERIES = re.compile(r"\b(?:select|insert|update|values|default|returning)\b", re.IGNORECASE)
_MOMENTS = re.compile(
    r"\bcurrent_(?:timestamp|date|time)\b|['\"]now['\"]"
    r"|\b(?:now|today|unixepoch|getdate|sysdate|localtimestamp)\s*\(\s*\)",
    re.IGNORECASE,
)
_DRAWS = re.compile(
    r"\b(?:random|rand|uuid|gen_random_uuid|newid)\s*\(\s*\)|\brandomblob\s*\("
    r"|\btablesample\b|\busing\s+sample\b",
    re.IGNORECASE,
)
"""What databases are asked that answer something else each time."""


class Mention(NamedTuple):
    """What stands on a line of a text.

    `kind` is `clock`, `input`, `unseeded` or `native`, as of a hindrance, `setting` with a name,
    `put` with the name of a module and that under which something is put into it, or `state` with
    the library whose random numbers are set, or asked where they stand.
    """

    kind: str
    line: int
    name: str = ""


def mentions(code: CodeType, home: Mapping[str, Any]) -> list[Mention]:
    """Return what a code object mentions, not the functions that are defined in it."""
    return [*_mentions(code, home), *_queries(code, home)]


def states_in(values: Iterable[Any], home: Mapping[str, Any]) -> Iterator[Mention]:
    """Yield whose random numbers functions set that values hold.

    Nobody is told that a lambda is called, or that a generator goes on.
    """
    for value in values:
        codes = [value.gi_code] if type(value) is GeneratorType else []
        for function in functions_in(value):
            if _is_of_state(function):
                yield Mention("state", 0, _library_of(function))
            elif type(function) is FunctionType and code_of(function).co_name == "<lambda>":
                codes.append(code_of(function))
        for mention in (each for code in codes for each in _mentions(code, home)):
            if mention.kind == "state":
                yield mention


def _queries(code: CodeType, home: Mapping[str, Any]) -> Iterator[Mention]:
    """Yield what the texts of a code object, and those that its names hold, ask of a database."""
    texts = (const for const in code.co_consts if type(const) is str)
    asked = {text: kinds for text in texts for kinds in ([*_asked_by(text)],) if kinds}
    line = 0
    for step in dis.get_instructions(code) if asked else ():
        line = _line_of(step) or line
        if type(step.argval) is str and step.argval in asked:
            yield from (Mention(kind, line) for kind in asked[step.argval])
    for text in map(home.get, code.co_names):
        if type(text) is str:
            yield from (Mention(kind, code.co_firstlineno) for kind in _asked_by(text))


def _asked_by(text: str) -> Iterator[str]:
    """Yield what a text asks a database for that answers something else each time."""
    if len(text) <= _LONGEST and _QUERIES.search(text) is not None:
        if _MOMENTS.search(text) is not None:
            yield "clock"
        if _DRAWS.search(text) is not None:
            yield "unseeded"


def _mentions(code: CodeType, home: Mapping[str, Any]) -> list[Mention]:
    names = code.co_names
    stores = _STORE_ATTR in code.co_code[::2]
    stores |= "setattr" in names
    if stores or _INPUT in names or not _WORDS.isdisjoint(names):
        return [*_read(code, home)]
    is_plain = not any(_tells(home.get(name)) for name in names)
    return [] if is_plain else [*_read(code, home)]


def _read(code: CodeType, home: Mapping[str, Any]) -> Iterator[Mention]:
    """Yield what a code object mentions, step by step of it."""
    sets = "setattr" in code.co_names
    stack = _Stack(home)
    for step, name, line in _steps(code):
        yield from _done_to(stack.held, step, name, line)
        stack.follow(step, name)
        if step in _STORES:
            continue
        if step in _LOADS:
            if sets and type(stack.held) is ModuleType:
                yield Mention("setting", line, f"module:{stack.held.__name__}")
            if name == _INPUT and stack.held is _UNKNOWN:
                yield Mention("input", line)
        yield from _told_by(stack.held, line)


class _Stack:
    """What code has `held` last, as far as names, and attributes of modules, lead to it."""

    def __init__(self, home: Mapping[str, Any]) -> None:
        self._home = home
        self._aliases: dict[str, Any] = {}
        self._imported: Any = _UNKNOWN
        self.held: Any = _UNKNOWN

    def follow(self, step: str, name: Any) -> None:
        """Take note of a step."""
        if step in _LOADS:
            self.held = self._aliases.get(name, self._home.get(name, _UNKNOWN))
        elif step in _STEPS:
            self.held = _in_module(self.held, name)
        elif step == "IMPORT_NAME":
            self.held = self._imported = sys.modules.get(name, _UNKNOWN)
        elif step == "IMPORT_FROM":
            self.held = _in_module(self._imported, name)
        elif step in _STORES:
            self._aliases[name] = self.held
        elif step not in _SILENT:
            self.held = _UNKNOWN


def _in_module(module: Any, name: str) -> Any:
    """Return what a module has under a name, `_UNKNOWN` where that cannot be told."""
    return vars(module).get(name, _UNKNOWN) if type(module) is ModuleType else _UNKNOWN


def _done_to(held: Any, step: str, name: Any, line: int) -> Iterator[Mention]:
    """Yield what a step asks of a value, or sets in it, that is held before it."""
    is_class = issubclass(type(held), type)
    if step in _STEPS and is_class and issubclass(held, dt.date) and name in _NOWS:
        yield Mention("clock", line)
    elif step == "STORE_ATTR":
        if type(held) is ModuleType:
            yield Mention("setting", line, f"module:{held.__name__}")
            yield Mention("put", line, f"{held.__name__}:{name}")
        elif is_class and _place(held).partition(".")[0] != "__main__":
            yield Mention("setting", line, f"module:{_place(held)}")


def _told_by(held: Any, line: int) -> Iterator[Mention]:
    """Yield what it says that code holds a value."""
    if _is_clock(held):
        yield Mention("clock", line)
    elif _is_of(held, atexit) or _calls_back(held):
        yield Mention("setting", line, "atexit")
    elif _is_of_state(held):
        yield Mention("state", line, _library_of(held))
    elif _is_of_descriptors(held):
        yield Mention("native", line)
        yield Mention("setting", line, "descriptors")


def _steps(code: CodeType) -> Iterator[tuple[str, Any, int]]:
    """Yield the steps of a code object: what each does, to what, and its line."""
    line = code.co_firstlineno
    for step in dis.get_instructions(code):
        line = _line_of(step) or line
        for does, name in single_steps(step.opname, step.argval):
            yield does, name, line


def single_steps(does: str, names: Any) -> Iterator[tuple[str, Any]]:
    """Yield a step as it is, or the two of which it was made: Python 3.13 joins those of locals."""
    parts = _OF_LOCALS.findall(does)
    yield from zip(parts, names) if len(parts) > 1 else ((does, names),)  # noqa: B905  # Python 3.9


_SILENT = frozenset({"PUSH_NULL", "RESUME", "PRECALL", "CACHE", "COPY", "NOP", "EXTENDED_ARG"})


def _line_of(step: Any) -> int:
    """Return the line that an instruction begins, 0 where it goes on with one."""
    number = getattr(step, "line_number", None)  # from Python 3.13 on
    return int(number or (step.starts_line if type(step.starts_line) is int else 0) or 0)


def _place(kind: type) -> str:
    """Return the module of a class and its name, without asking its own class."""
    module = type.__getattribute__(kind, "__module__")
    return f"{module}.{type.__getattribute__(kind, '__qualname__')}"


def _tells(value: Any) -> bool:
    return any(_told_by(value, 0))


def _calls_back(value: Any) -> bool:
    """Tell whether a value may have a function called when an object goes: no value shows that."""
    return value is weakref.finalize or value is weakref.ref or value is weakref.proxy


def _is_of_state(value: Any) -> bool:
    """Tell whether a value is a function for where random numbers stand that no name holds."""
    return is_function(value) and value.__name__ in _STATES and _library_of(value) != "__main__"


def _library_of(function: Any) -> str:
    owner = getattr(function, "__self__", None)
    place = _place(type(owner)) if function.__module__ is None else function.__module__
    return str(place).partition(".")[0]


def _is_of_descriptors(value: Any) -> bool:
    if type(value) is BuiltinFunctionType and value.__name__ in _DESCRIPTORS:
        return value is vars(os).get(value.__name__)
    return value is socket.socketpair


def _is_of(value: Any, module: ModuleType) -> bool:
    """Tell whether a value is a built-in function of a module."""
    return type(value) is BuiltinFunctionType and value.__self__ is module


def _is_clock(value: Any) -> bool:
    if _is_of(value, time):
        return bool(value.__name__ in _TIMES)
    owner = value.__self__ if type(value) is BuiltinFunctionType else None
    is_date = isinstance(owner, type) and issubclass(owner, dt.date)
    return is_date and value.__name__ in _NOWS
