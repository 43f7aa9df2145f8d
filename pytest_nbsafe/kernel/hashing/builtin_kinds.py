"""Fingerprints of built-in kinds of values, and the kinds that have none."""

from __future__ import annotations

import _thread
import enum
import functools
import hashlib
import inspect
import io
import logging
import pathlib
import re
import sys
import threading
import types
from typing import Any

from ..contract import CODE
from ..functions.stand_in import attributes_of, code_of
from .function_texts import lies_here
from .hasher import Handler, Hasher, UnknownValue, qualified
from .instances import HOME_MODULE, add_says

_PASSING = frozenset(
    ["generator", "coroutine", "async_generator", "frame", "traceback", "socket", "Thread"]
)
_IOBASE = io.IOBase.__mro__[-2]  # of all files; `io.IOBase` would put classes into a set
_HANDLES = frozenset({id(_IOBASE), id(threading.Thread)})
_MODULE_NODES = 5_000
_large: set[str] = set()  # modules that hold more, which count by their names alone


def passing(cls: type) -> str:
    """Return why values of a class cannot be compared, empty when they may be."""
    if not _HANDLES.isdisjoint(map(id, cls.__mro__)):
        return f"a {qualified(cls)} is not compared"
    name = cls.__name__
    if name in _PASSING or name.endswith(("iterator", "_iterator")):
        return f"a {name} is used up or changes as it is looked at"
    if cls.__module__ in {"itertools", "builtins"} and hasattr(cls, "__next__"):
        return f"a {name} is used up as it is looked at"
    if cls.__module__ in {"_io", "_socket", "_thread", "sqlite3", "subprocess"}:
        return f"a {qualified(cls)} is not compared"
    return ""


def refuse(cause: str, _hasher: Hasher, _value: object) -> None:
    """Give a value up as unknown."""
    raise UnknownValue(cause)


# ------------------------------------------------------------------ built-in kinds


def _by(tag: str, *names: str) -> Handler:
    """Return how values are written that some of their attributes tell all of."""
    return lambda hasher, value: hasher.all(tag, [getattr(value, name) for name in names])


def _constant(hasher: Hasher, value: object) -> None:
    hasher.tag(f"constant {value!r}")


def _dict(hasher: Hasher, value: dict[Any, Any]) -> None:
    if hasher.uniform_dict(value):
        return
    hasher.all("dict", list(value.keys()))
    hasher.all("values", list(value.values()))


def _bytearray(hasher: Hasher, value: bytearray) -> None:
    hasher.tag("bytearray")
    hasher.raw(bytes(value))


def _memoryview(hasher: Hasher, value: memoryview) -> None:
    """Write what a view shows; one that was released shows nothing and raises."""
    hasher.tag(f"memoryview {value.format} {value.shape} {value.readonly}")
    hasher.raw(value.tobytes())


def _module(hasher: Hasher, value: types.ModuleType) -> None:
    """Write a module: by its name, and one of the notebook's own by what it holds.

    The modules of a package belong to it, others that it imports do not.
    """
    hasher.tag(f"module {value.__name__}")
    if not is_own(value) or value.__name__ in _large:
        return
    inside = f"{value.__name__}."
    held = {
        name: item
        for name, item in vars(value).items()
        if not name.startswith("__")
        and (type(item) is not types.ModuleType or item.__name__.startswith(inside))
    }
    try:
        hasher.raw(hasher.apart(types.SimpleNamespace(**held), _MODULE_NODES))
    except UnknownValue:
        if hasher.nodes > _MODULE_NODES:  # it is for the module to blame
            _large.add(value.__name__)


def is_own(module: types.ModuleType) -> bool:
    """Return whether the notebook made a module, or imports it from a file beside itself."""
    held = vars(module)
    file = held.get("__file__")
    if file is None:
        return held.get("__spec__") is None and sys.modules.get(module.__name__) is not module
    return lies_here(file)


def _function(hasher: Hasher, value: types.FunctionType) -> None:
    """Write a function: one of a library by its name, one of a cell by what it says."""
    code = code_of(value)
    wraps = "__wrapped__" in value.__dict__ and value.__module__ == HOME_MODULE
    inside = "<locals>" in value.__qualname__ or wraps
    if value.__globals__ is not hasher.context.home and not inside:
        hasher.tag(f"function {value.__module__}.{value.__qualname__}")
        if lies_here(code.co_filename):
            _code(hasher, code)
        return
    hasher.tag(f"function {value.__qualname__}")
    _code(hasher, code)
    defaults = value.__defaults__, value.__kwdefaults__
    closure, attributes = value.__closure__ or (), attributes_of(value)
    if any((*defaults, closure, attributes)):
        hasher.all("defaults", list(defaults))
        hasher.all("closure", list(closure))
        hasher.attributes(attributes)


def _code(hasher: Hasher, value: types.CodeType) -> None:
    """Write a code object: by its text where that is known."""
    hasher.context.marks.add(CODE)
    text = hasher.context.texts.text_of(value)
    if text:
        hasher.tag(f"text {text}")
        return
    hasher.tag(f"code {value.co_name}")
    hasher.raw(value.co_code)
    consts = [const for const in value.co_consts if not isinstance(const, frozenset)]
    sets = [sorted(map(repr, c)) for c in value.co_consts if isinstance(c, frozenset)]
    hasher.all("parts", [consts, sets])
    for names in (value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars):
        hasher.all("names", list(names))


def _builtin(hasher: Hasher, value: types.BuiltinFunctionType) -> None:
    hasher.tag(f"builtin {value.__module__}.{value.__qualname__}")
    owner = value.__self__
    if owner is not None and not isinstance(owner, types.ModuleType):
        hasher.add(owner)


def _method(hasher: Hasher, value: types.MethodType) -> None:
    hasher.tag("method")
    hasher.add(value.__func__)
    hasher.add(value.__self__)


def _descriptor(hasher: Hasher, value: Any) -> None:
    hasher.tag(f"descriptor {value.__qualname__}")


def _cell(hasher: Hasher, value: types.CellType) -> None:
    try:
        content = value.cell_contents
    except ValueError:
        hasher.tag("empty cell")
    else:
        hasher.all("cell", [content])


def add_enum(hasher: Hasher, value: enum.Enum) -> None:
    """Write a member of an enumeration, and what else its class says if that is the notebook's."""
    cls = type(value)
    hasher.tag(f"enum {qualified(cls)} {value._name_}")
    hasher.add(value._value_)
    if cls.__module__ == HOME_MODULE:
        add_says(hasher, cls)


def _path(hasher: Hasher, value: pathlib.PurePath) -> None:
    hasher.tag(type(value).__name__)
    hasher.add(str(value))


def _lock(hasher: Hasher, value: Any) -> None:
    """Write a lock: whether it is held; of one that is held again and again, by this thread."""
    held = value.locked() if type(value) is _thread.LockType else value._is_owned()  # noqa: SLF001  # all that Python 3.10 tells of it
    hasher.tag(f"{type(value).__name__} {held}")


def _attributes(tag: str) -> Handler:
    """Return how values are written that their own attributes tell all of.

    Of what is local to a thread these are what this one holds.
    """

    def add(hasher: Hasher, value: Any) -> None:
        hasher.tag(tag)
        hasher.attributes(value.__dict__)

    return add


def _hashing(hasher: Hasher, value: Any) -> None:
    """Write an object of `hashlib` by the digest of what it was given so far."""
    size = () if value.digest_size else (32,)  # the SHAKE functions give as much as one wants
    hasher.all("hash", [value.name, value.digest(*size)])


def _memory_file(hasher: Hasher, value: Any) -> None:
    if value.closed:
        hasher.tag(f"closed {type(value).__name__}")
    else:
        hasher.all(type(value).__name__, [value.getvalue(), value.tell()])


def _logger(hasher: Hasher, value: logging.Logger) -> None:
    """Write a logger: what was set of it, and what it hands its messages to."""
    handlers = [
        (qualified(type(handler)), handler.level, getattr(handler.formatter, "_fmt", None))
        for handler in value.handlers
    ]
    settings = value.name, value.level, value.propagate, value.disabled, len(value.filters)
    hasher.all("logger", [*settings, handlers])


def _file(hasher: Hasher, value: Any) -> None:
    """Write a file that is closed by its name; an open one depends on what the system holds.

    How it was opened says nothing any more: whether a cell reads its cache or writes it.
    """
    if not value.closed:
        raise UnknownValue(f"a {qualified(type(value))} is not compared")
    hasher.all("closed file", [value.name])


def _iterator(hasher: Hasher, value: Any) -> None:
    """Write an iterator of Python's own: what is left of what it goes through."""
    hasher.all(type(value).__name__, list(value.__reduce__()[1:]))


def _generator(hasher: Hasher, value: types.GeneratorType[Any, Any, Any]) -> None:
    """Write a generator that has not begun, or has ended.

    Where one in between stands is not all in its names: a loop keeps its iterator elsewhere.
    """
    state = inspect.getgeneratorstate(value)
    if state not in {inspect.GEN_CREATED, inspect.GEN_CLOSED}:
        raise UnknownValue("a generator that has begun is not compared")
    hasher.tag(f"generator {state}")
    hasher.add(value.gi_code)
    frame = value.gi_frame
    if frame is not None:
        hasher.attributes(dict(frame.f_locals))


_HASHING = (hashlib.sha256, hashlib.sha512, hashlib.sha3_256, hashlib.shake_128)
_HASHES = {type(make()) for make in (*_HASHING, hashlib.blake2b, hashlib.blake2s)}

_ITERABLE: tuple[Any, ...] = ([], (), "", b"", bytearray(), range(0), reversed([]))
_ITERATORS: tuple[type, ...] = (*map(type, map(iter, _ITERABLE)), zip, map, filter, enumerate)
_FILES = (io.TextIOWrapper, io.BufferedReader, io.BufferedWriter, io.BufferedRandom)
_DESCRIPTORS = (
    types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType,
    types.MemberDescriptorType, types.ClassMethodDescriptorType,
)  # fmt: skip
_PATHS = (type(pathlib.Path()), pathlib.PurePosixPath, pathlib.PureWindowsPath)

EXACT: dict[type, Handler] = {
    list: lambda hasher, value: hasher.all("list", value),
    tuple: lambda hasher, value: hasher.all("tuple", list(value)),
    dict: _dict,
    set: lambda hasher, value: hasher.unordered("set", list(value)),
    frozenset: lambda hasher, value: hasher.unordered("frozenset", list(value)),
    bytearray: _bytearray,
    memoryview: _memoryview,
    range: _by("range", "start", "stop", "step"),
    slice: _by("slice", "start", "stop", "step"),
    type(Ellipsis): _constant,
    type(NotImplemented): _constant,
    types.ModuleType: _module,
    types.FunctionType: _function,
    types.CodeType: _code,
    types.BuiltinFunctionType: _builtin,
    types.MethodType: _method,
    types.CellType: _cell,
    types.MappingProxyType: lambda hasher, value: hasher.all("mappingproxy", [dict(value)]),
    types.SimpleNamespace: _attributes("namespace"),
    threading.local: _attributes("local"),
    property: _by("property", "fget", "fset", "fdel"),
    staticmethod: _by("staticmethod", "__func__"),
    classmethod: _by("classmethod", "__func__"),
    functools.partial: _by("partial", "func", "args", "keywords"),
    type(functools.lru_cache(len)): _by("lru_cache", "__wrapped__"),
    type(re.compile("")): _by("pattern", "pattern", "flags"),
    types.GeneratorType: _generator,
    _thread.LockType: _lock,
    _thread.RLock: _lock,
    logging.Logger: _logger,
    logging.RootLogger: _logger,
    io.StringIO: _memory_file,
    io.BytesIO: _memory_file,
    **dict.fromkeys(_FILES, _file),
    **dict.fromkeys(_DESCRIPTORS, _descriptor),
    **dict.fromkeys(_PATHS, _path),
    **dict.fromkeys(_HASHES, _hashing),
    **dict.fromkeys(_ITERATORS, _iterator),
}

if hasattr(types, "UnionType"):  # Python 3.10 and later
    EXACT[types.UnionType] = lambda hasher, value: hasher.all("union", list(value.__args__))
