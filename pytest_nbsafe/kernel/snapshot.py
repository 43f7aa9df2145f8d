"""Fingerprints: hashes of what values hold, equal across processes for equal content.

A value that cannot be compared is *unknown*, with its cause; nothing here guesses. No user code
runs: of an object whose class stands in the notebook only its `__dict__`, its slots and what its
built-in base holds are looked at, never `__eq__`, `__repr__`, `__reduce__` or a property.

A known imprecision: a library object that fills a cache in its own `__dict__` looks changed.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import io
import marshal
import re
import sys
import threading
import types
from typing import Any, Callable

from .contract import Fingerprint
from .functions import Texts

NODE_LIMIT = 50_000
BYTE_LIMIT = 64 * 1024 * 1024
DEPTH_LIMIT = 150
TOO_LARGE = "too large to compare"
TOO_DEEP = "nested too deeply to compare"

_PLAIN = (int, float, complex, bool, str, bytes, type(None))
_PLAIN_SET = frozenset(_PLAIN)
_SMALL = 20_000
_CLASS_NOISE = frozenset(
    {
        "__dict__",
        "__weakref__",
        "__module__",
        "__firstlineno__",
        "__static_attributes__",
        "__annotate__",
        "__annotate_func__",
        "__annotations_cache__",
        "_abc_impl",
        "__abstractmethods__",
        "__dataclass_params__",
        "__dataclass_fields__",
        "__match_args__",
        "_member_map_",
        "_value2member_map_",
        "_unhashable_values_",
        "_unhashable_values_map_",
        "_hashable_values_",
    }
)
_PASSING = (
    "generator",
    "coroutine",
    "async_generator",
    "frame",
    "traceback",
    "lock",
    "RLock",
    "socket",
    "memoryview",
    "Thread",
)


class UnknownValue(Exception):  # noqa: N818  # an answer, not an error
    """A value that cannot be compared; the message says why."""


class Snapshot:
    """Takes fingerprints of values in one kernel.

    `texts` knows the text of functions defined in cells; `home` is the notebook's namespace.
    """

    def __init__(self, texts: Texts, home: dict[str, Any]) -> None:
        self.texts = texts
        self.home = home

    def fingerprint(self, value: object) -> Fingerprint:
        """Return the fingerprint of a value; it is unknown rather than wrong, and never raises."""
        kind, found, cause = "", "", ""
        try:
            kind = qualified(type(value))
            hasher = Hasher(self)
            hasher.add(value)
            found = hasher.digest()
        except UnknownValue as unknown:
            cause = str(unknown)
        except RecursionError:
            cause = TOO_DEEP
        except Exception as error:
            cause = "cannot be compared: %s: %s" % (type(error).__name__, str(error)[:200])
        return {"hash": found, "cause": cause, "kind": kind, "identity": id(value)}


def qualified(cls: type) -> str:
    """Return a class's qualified name, `builtins` left out."""
    module = type.__dict__["__module__"].__get__(cls) if cls.__class__ is type else cls.__module__
    return cls.__qualname__ if module == "builtins" else "%s.%s" % (module, cls.__qualname__)


class Hasher:
    """One pass over a value, within a budget of nodes and bytes."""

    def __init__(self, snapshot: Snapshot, nodes: int = NODE_LIMIT, size: int = BYTE_LIMIT) -> None:
        self.snapshot = snapshot
        self.nodes = nodes
        self.size = size
        self._hash = hashlib.blake2b(digest_size=16)
        self._path: dict[int, int] = {}

    def digest(self) -> str:
        """Return the hash of everything added."""
        return self._hash.hexdigest()

    # ------------------------------------------------------------ writing

    def tag(self, text: str) -> None:
        """Write what kind of thing follows."""
        self._hash.update(text.encode("utf-8", "surrogatepass") + b"\0")

    def raw(self, data: Any) -> None:
        """Write bytes, and how many."""
        size = data.nbytes if isinstance(data, memoryview) else len(data)
        self.size -= size
        if self.size < 0:
            raise UnknownValue(TOO_LARGE)
        self._hash.update(b"%d:" % size)
        self._hash.update(data)

    def apart(self, value: object) -> bytes:
        """Return the hash of a value on its own, charged to this budget."""
        inner = Hasher(self.snapshot, self.nodes, self.size)
        inner._path = self._path
        inner.add(value)
        self.nodes, self.size = inner.nodes, inner.size
        return inner._hash.digest()

    def add(self, value: object) -> None:
        """Write any value."""
        cls = type(value)
        self.nodes -= 1
        if self.nodes < 0:
            raise UnknownValue(TOO_LARGE)
        if cls in _PLAIN_SET:
            self.raw(marshal.dumps(value, 2))
            return
        key = id(value)
        depth = len(self._path)
        if key in self._path:
            self.tag("up %d" % (depth - self._path[key]))
            return
        if depth >= DEPTH_LIMIT:
            raise UnknownValue(TOO_DEEP)
        self._path[key] = depth
        try:
            handler_of(cls)(self, value)
        finally:
            del self._path[key]

    def all(self, tag: str, values: list[Any]) -> None:
        """Write a sequence; one of plain values goes in one stroke."""
        self.tag("%s %d" % (tag, len(values)))
        if _PLAIN_SET.issuperset(map(type, values)):
            self.plain(values)
            return
        if len(values) > self.nodes:
            raise UnknownValue(TOO_LARGE)
        for value in values:
            self.add(value)

    def plain(self, values: list[Any]) -> None:
        """Write a list that holds plain values only.

        Version 2 of marshal knows neither references nor interned strings, so that it depends on
        the values alone.
        """
        for start in range(0, len(values), _SMALL):
            self.raw(marshal.dumps(values[start : start + _SMALL], 2))

    def unordered(self, tag: str, values: list[Any]) -> None:
        """Write values whose order means nothing."""
        self.tag("%s %d" % (tag, len(values)))
        if _PLAIN_SET.issuperset(map(type, values)):
            self.plain(sorted(marshal.dumps(value, 2) for value in values))
        else:
            self.plain(sorted(self.apart(value) for value in values))

    def attributes(self, pairs: dict[str, Any]) -> None:
        """Write attributes by name, whatever their order."""
        names = sorted(name for name in pairs if isinstance(name, str))
        self.all("attributes", names)
        for name in names:
            self.add(pairs[name])


Handler = Callable[[Hasher, Any], None]


_known: dict[type, Handler] = {}


def handler_of(cls: type) -> Handler:
    """Return how values of a class are written; a class of the notebook is not kept alive."""
    handler = _known.get(cls)
    if handler is None:
        handler = _find_handler(cls)
        if cls.__module__ != "__main__":
            _known[cls] = handler
    return handler


def _find_handler(cls: type) -> Handler:
    from . import libraries, objects

    exact = _EXACT.get(cls)
    if exact is not None:
        return exact
    if issubclass(cls, type):
        return objects.add_class
    library = libraries.handler_of(cls)
    if library is not None:
        return library
    if issubclass(cls, enum.Enum):
        return _enum
    cause = _passing(cls)
    if cause:
        return functools.partial(_refuse, cause)
    return objects.add_instance


def _passing(cls: type) -> str:
    """Return why values of a class cannot be compared, empty when they may be."""
    if issubclass(cls, (io.IOBase, threading.Thread)):
        return "a %s is not compared" % qualified(cls)
    name = cls.__name__
    if name in _PASSING or name.endswith(("iterator", "_iterator")):
        return "a %s is used up or changes as it is looked at" % name
    if cls.__module__ in {"itertools", "builtins"} and hasattr(cls, "__next__"):
        return "a %s is used up as it is looked at" % name
    if cls.__module__ in {"_io", "_socket", "_thread", "sqlite3", "subprocess"}:
        return "a %s is not compared" % qualified(cls)
    return ""


def _refuse(cause: str, hasher: Hasher, value: object) -> None:
    raise UnknownValue(cause)


# ------------------------------------------------------------------ built-in kinds


def _list(hasher: Hasher, value: list[Any]) -> None:
    hasher.all("list", value)


def _tuple(hasher: Hasher, value: tuple[Any, ...]) -> None:
    hasher.all("tuple", list(value))


def _dict(hasher: Hasher, value: dict[Any, Any]) -> None:
    hasher.all("dict", list(value.keys()))
    hasher.all("values", list(value.values()))


def _set(hasher: Hasher, value: set[Any]) -> None:
    hasher.unordered("set", list(value))


def _frozenset(hasher: Hasher, value: frozenset[Any]) -> None:
    hasher.unordered("frozenset", list(value))


def _bytearray(hasher: Hasher, value: bytearray) -> None:
    hasher.tag("bytearray")
    hasher.raw(bytes(value))


def _range(hasher: Hasher, value: Any) -> None:
    hasher.all(type(value).__name__, [value.start, value.stop, value.step])


def _constant(hasher: Hasher, value: object) -> None:
    hasher.tag("constant %r" % (value,))


def _module(hasher: Hasher, value: types.ModuleType) -> None:
    hasher.tag("module %s" % value.__name__)


def _function(hasher: Hasher, value: types.FunctionType) -> None:
    hasher.snapshot.texts.add_function(hasher, value, hasher.snapshot.home)


def _code(hasher: Hasher, value: types.CodeType) -> None:
    hasher.snapshot.texts.add_code(hasher, value)


def _builtin(hasher: Hasher, value: types.BuiltinFunctionType) -> None:
    hasher.tag("builtin %s.%s" % (value.__module__, value.__qualname__))
    owner = value.__self__
    if owner is not None and not isinstance(owner, types.ModuleType):
        hasher.add(owner)


def _method(hasher: Hasher, value: types.MethodType) -> None:
    hasher.tag("method")
    hasher.add(value.__func__)
    hasher.add(value.__self__)


def _descriptor(hasher: Hasher, value: Any) -> None:
    hasher.tag("descriptor %s" % value.__qualname__)


def _property(hasher: Hasher, value: property) -> None:
    hasher.all("property", [value.fget, value.fset, value.fdel])


def _wrapped(hasher: Hasher, value: Any) -> None:
    hasher.all(type(value).__name__, [value.__func__])


def _partial(hasher: Hasher, value: functools.partial[Any]) -> None:
    hasher.all("partial", [value.func, value.args, value.keywords])


def _cached(hasher: Hasher, value: Any) -> None:
    hasher.all("lru_cache", [value.__wrapped__])


def _cell(hasher: Hasher, value: types.CellType) -> None:
    try:
        content = value.cell_contents
    except ValueError:
        hasher.tag("empty cell")
    else:
        hasher.all("cell", [content])


def _mapping(hasher: Hasher, value: Any) -> None:
    hasher.all("mappingproxy", [dict(value)])


def _enum(hasher: Hasher, value: enum.Enum) -> None:
    hasher.tag("enum %s %s" % (qualified(type(value)), value._name_))
    hasher.add(value._value_)


def _pattern(hasher: Hasher, value: re.Pattern[Any]) -> None:
    hasher.all("pattern", [value.pattern, value.flags])


def _namespace(hasher: Hasher, value: types.SimpleNamespace) -> None:
    hasher.tag("namespace")
    hasher.attributes(value.__dict__)


def _memory_file(hasher: Hasher, value: Any) -> None:
    if value.closed:
        hasher.tag("closed %s" % type(value).__name__)
    else:
        hasher.all(type(value).__name__, [value.getvalue(), value.tell()])


_EXACT: dict[type, Handler] = {
    io.StringIO: _memory_file,
    io.BytesIO: _memory_file,
    list: _list,
    tuple: _tuple,
    dict: _dict,
    set: _set,
    frozenset: _frozenset,
    bytearray: _bytearray,
    range: _range,
    slice: _range,
    type(Ellipsis): _constant,
    type(NotImplemented): _constant,
    types.ModuleType: _module,
    types.FunctionType: _function,
    types.CodeType: _code,
    types.BuiltinFunctionType: _builtin,
    types.MethodType: _method,
    types.MethodDescriptorType: _descriptor,
    types.WrapperDescriptorType: _descriptor,
    types.GetSetDescriptorType: _descriptor,
    types.MemberDescriptorType: _descriptor,
    types.ClassMethodDescriptorType: _descriptor,
    types.CellType: _cell,
    types.MappingProxyType: _mapping,
    types.SimpleNamespace: _namespace,
    property: _property,
    staticmethod: _wrapped,
    classmethod: _wrapped,
    functools.partial: _partial,
    type(functools.lru_cache(len)): _cached,
    type(re.compile("")): _pattern,
}

if sys.version_info >= (3, 10):
    _EXACT[types.UnionType] = lambda hasher, value: hasher.all("union", list(value.__args__))
