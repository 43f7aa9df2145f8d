"""Fingerprints of built-in kinds of values, and the kinds that have none."""

from __future__ import annotations

import _thread
import enum
import functools
import gc
import inspect
import io
import os
import sys
import threading
import types
from typing import Any

from ..contract import CODE
from ..functions.reach import names_of_code
from ..functions.stand_in import attributes_of, code_of
from . import standard_kinds
from .function_texts import lies_here
from .hasher import PLAIN, Handler, Hasher, UnknownValue, qualified
from .instances import HOME_MODULE, add_says
from .standard_kinds import iterator

_PASSING = frozenset(
    ["generator", "coroutine", "async_generator", "frame", "traceback", "socket", "Thread"]
)
_OUTSIDE = frozenset(
    {"_io", "_socket", "_thread", "dbm.dumb", "multiprocessing.managers"}
    | {"multiprocessing.shared_memory", "sqlite3", "subprocess.Popen"}
)
"""Modules, and classes, whose objects stand for what lies outside of them."""
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
    bases = (base for base in cls.__mro__ if type(base) is not type or base not in EXACT)
    places = [(type.__getattribute__(base, "__module__"), qualified(base)) for base in bases]
    if not all(map(_OUTSIDE.isdisjoint, places)):
        return f"a {qualified(cls)} is not compared"
    return ""


def refuse(cause: str, hasher: Hasher, value: object) -> None:
    """Give a value up as unknown, unless it is where the page is written: that holds nothing."""
    for name in ("stdout", "stderr"):
        if value is getattr(sys, name):
            hasher.tag(f"sys.{name}")
            return
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


def _below(tag: str) -> Handler:
    """Return how views are written: by what they show, which nobody else is asked for."""

    def add(hasher: Hasher, value: Any) -> None:
        hasher.all(f"{tag} {type(value).__name__}", gc.get_referents(value))

    return add


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
    """Write a function: one of a library by its name, one of a cell by what it says.

    One that a library has made of a text, as `sympy.lambdify` does, has no name of its own: it is
    written by its code and by what that finds.
    """
    code = code_of(value)
    wraps = "__wrapped__" in value.__dict__ and value.__module__ == HOME_MODULE
    inside = "<locals>" in value.__qualname__ or wraps
    if value.__globals__ is not hasher.context.home and not inside:
        hasher.tag(f"function {value.__module__}.{value.__qualname__}")
        if lies_here(code.co_filename):
            _code(hasher, code)
            _kept(hasher, value)
        elif not os.path.isabs(code.co_filename) and not code.co_filename.startswith("<frozen "):  # noqa: PTH117  # a text
            _plain_code(hasher, code)
            held = value.__globals__
            found = sorted(held.keys() & set(names_of_code(code)))
            hasher.all("found", [found, [held[name] for name in found]])
        return
    if _chooses_by_class(value, code):
        hasher.all("by class", [value.__dict__["registry"]])
        return
    hasher.tag(f"function {value.__qualname__}")
    hasher.all("words", [value.__name__, value.__doc__, _annotations(value)])
    _code(hasher, code)
    _kept(hasher, value)


def _kept(hasher: Hasher, value: types.FunctionType) -> None:
    """Write what a function keeps beside its code, if anything."""
    defaults = value.__defaults__, value.__kwdefaults__
    closure, attributes = value.__closure__ or (), attributes_of(value)
    if any((*defaults, closure, attributes)):
        hasher.all("defaults", list(defaults))
        hasher.all("closure", list(closure))
        hasher.attributes(attributes)


def _chooses_by_class(value: Any, code: types.CodeType) -> bool:
    """Return whether a function is a generic one, which keeps what it has looked up."""
    return code.co_filename == functools.__file__ and "registry" in value.__dict__


_OF_TYPES = frozenset({"types", "typing"})
"""Modules whose objects say of which types a value is: `list[int]`."""
_DEEP = 5


def _annotations(value: types.FunctionType) -> list[tuple[str, str]]:
    """Return what is said of arguments, in words; later Pythons work it out when they are asked."""
    if sys.version_info >= (3, 14):
        return []
    return [(name, _in_words(said)) for name, said in value.__annotations__.items()]


def _in_words(said: object, depth: int = _DEEP) -> str:
    kind = type(said)
    if type(said) is str:
        return said
    if type(kind) is type and kind in PLAIN:
        return repr(said)
    held: tuple[Any, ...] = ()
    if kind is list or kind is tuple:
        held = (*said,)  # type: ignore[misc]  # it is one
    elif kind is dict:
        held = (*said, *said.values())  # type: ignore[misc, attr-defined]  # as above
    elif kind.__module__ in _OF_TYPES:
        held = getattr(said, "__origin__", None), *getattr(said, "__args__", ())
        held += getattr(said, "__metadata__", ())
    if not (held and depth):
        return qualified(said if type(said) is type else kind)
    return f"{qualified(kind)}[{', '.join(_in_words(part, depth - 1) for part in held)}]"


def _code(hasher: Hasher, value: types.CodeType) -> None:
    """Write a code object: by its text where that is known."""
    hasher.context.marks.add(CODE)
    text = hasher.context.texts.text_of(value)
    if text:
        hasher.tag(f"text {text}")
        return
    _plain_code(hasher, value)


def _plain_code(hasher: Hasher, value: types.CodeType) -> None:
    """Write a code object by what it does."""
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


_OF_MEMBERS = frozenset({"_name_", "_value_", "__objclass__", "_sort_order_", "_inverted_"})


def add_enum(hasher: Hasher, value: enum.Enum) -> None:
    """Write a member of an enumeration, and what else its class says if that is the notebook's."""
    cls = type(value)
    hasher.tag(f"enum {qualified(cls)} {value._name_}")
    hasher.add(value._value_)
    held = {name: item for name, item in vars(value).items() if name not in _OF_MEMBERS}
    if held:
        hasher.attributes(held)
    if cls.__module__ == HOME_MODULE:
        add_says(hasher, cls)


def _lock(hasher: Hasher, value: Any) -> None:
    """Write a lock: whether it is held; of one that is held again and again, by this thread."""
    held = value.locked() if type(value) is _thread.LockType else value._is_owned()  # noqa: SLF001  # all that Python 3.10 tells of it
    hasher.tag(f"{type(value).__name__} {held}")


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


_ITERABLE: tuple[Any, ...] = ([], (), "", b"", bytearray(), range(0), reversed([]))
_OF_DICTIONARY: tuple[Any, ...] = ({}.keys(), {}.values(), {}.items())
_VIEWS: tuple[type, ...] = tuple(map(type, _OF_DICTIONARY))
_ITERATORS: tuple[type, ...] = (
    *map(type, map(iter, (*_ITERABLE, *_OF_DICTIONARY))),
    *(zip, map, filter, enumerate),
)
_DESCRIPTORS = (
    types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType,
    types.MemberDescriptorType, types.ClassMethodDescriptorType,
)  # fmt: skip

EXACT: dict[type, Handler] = {
    list: lambda hasher, value: hasher.all("list", value),
    tuple: lambda hasher, value: hasher.all("tuple", list(value)),
    dict: _dict,
    set: lambda hasher, value: hasher.unordered("set", list(value), value),
    frozenset: lambda hasher, value: hasher.unordered("frozenset", list(value), value),
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
    **dict.fromkeys((types.MappingProxyType, *_VIEWS), _below("view")),
    property: _by("property", "fget", "fset", "fdel", "__doc__"),
    staticmethod: _by("staticmethod", "__func__"),
    classmethod: _by("classmethod", "__func__"),
    types.GeneratorType: _generator,
    _thread.LockType: _lock,
    _thread.RLock: _lock,
    **dict.fromkeys(_DESCRIPTORS, _descriptor),
    **dict.fromkeys(_ITERATORS, iterator),
    **standard_kinds.EXACT,
}

if hasattr(types, "UnionType"):  # Python 3.10 and later
    EXACT[types.UnionType] = lambda hasher, value: hasher.all("union", list(value.__args__))
