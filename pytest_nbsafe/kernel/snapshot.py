"""Fingerprints: hashes of what values hold, equal across processes for equal content.

A value that cannot be compared is *unknown*, with its cause; nothing here guesses. No user code
runs: of an object whose class stands in the notebook only its `__dict__`, its slots and what its
built-in base holds are looked at, never `__eq__`, `__repr__`, `__reduce__` or a property.

A known imprecision: a library object that fills a cache in its own `__dict__` looks changed.
"""

from __future__ import annotations

import enum
import functools
import itertools
import marshal
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from . import bulk
from .contract import Fingerprint
from .functions import Texts

NODE_LIMIT = 50_000
BYTE_LIMIT = 64 * 1024 * 1024
LARGE_NODE_LIMIT = 1_000_000
LARGE_BYTE_LIMIT = 256 * 1024 * 1024
DEPTH_LIMIT = 150
TOO_LARGE = "too large to compare"
TOO_DEEP = "nested too deeply to compare"

_PLAIN = (int, float, complex, bool, str, bytes, type(None))
_PLAIN_SET = frozenset(_PLAIN)
_FLAT = _PLAIN_SET | {tuple}
_CONTAINERS = frozenset({list, dict, set})
_MANY = 8
_SHORT = 256
_DIGEST_BYTES = 16
_PART_LIMIT = 4_096


class UnknownValue(Exception):  # noqa: N818  # an answer, not an error
    """A value that cannot be compared; the message says why."""


class Snapshot:
    """Takes fingerprints of values in one kernel.

    `texts` knows the text of functions defined in cells; `home` is the notebook's namespace.
    """

    def __init__(self, texts: Texts, home: dict[str, Any]) -> None:
        self.texts = texts
        self.home = home
        self.judging = False  # a session has ended: what it holds is compared with another's
        self.places: tuple[tuple[str, str], ...] = ()  # then: this kernel's folders, and words
        self.placed = False  # one of them was met
        self.limits = (NODE_LIMIT, BYTE_LIMIT)  # then: how much of a value is looked at
        self.spare_nodes = self.spare_bytes = 0  # then: what large values may take on top, together
        self.defined: dict[int, tuple[weakref.ref[type], bytes]] = {}

    def fingerprint(self, value: object) -> Fingerprint:
        """Return the fingerprint of a value; it is unknown rather than wrong, and never raises."""
        return self.look(value)[0]

    def look(self, value: object) -> tuple[Fingerprint, bool]:
        """Return the fingerprint of a value, and whether it is a container of plain values only."""
        cls = type(value)
        if type(cls) is type and cls in _PLAIN_SET:
            return self._placeless(value) if self.places else _plain_fingerprint(value), False
        if self._is_short(value):
            return self._placeless(value) if self.places else _plain_fingerprint(value), True
        kind, found, cause, flat = "", "", "", False
        try:
            kind = qualified(cls)
            hasher = Placeless(self, *self.limits) if self.places else Hasher(self)
            hasher.add(value)
            found = hasher.digest()
            flat = type(cls) is type and cls in _CONTAINERS and hasher.nodes == NODE_LIMIT - 1
        except UnknownValue as unknown:
            cause = str(unknown)
        except RecursionError:
            cause = TOO_DEEP
        except Exception as error:
            cause = f"cannot be compared: {type(error).__name__}: {str(error)[:200]}"
        return {"hash": found, "cause": cause, "kind": kind, "identity": id(value)}, flat

    def _is_short(self, value: Any) -> bool:
        """Tell whether a value is a short list, tuple or dictionary of plain values."""
        cls = type(value)
        if not (cls is list or cls is dict or cls is tuple) or len(value) >= _SHORT:
            return False
        items = [*value, *value.values()] if cls is dict else value
        return _PLAIN_SET.issuperset(map(self.texts.kind_of, items))

    def _placeless(self, value: Any) -> Fingerprint:
        found = _plain_fingerprint(self.shared(value))
        found["identity"] = id(value)
        return found

    def shared(self, value: Any) -> Any:
        """Return a value, its texts with words in place of the folders that no other kernel has."""
        cls = type(value)
        if cls is str:
            for place, word in self.places:
                if place in value:
                    value, self.placed = value.replace(place, word), True
        elif cls is list or cls is tuple:
            value = cls(map(self.shared, value))
        elif cls is dict:
            value = {self.shared(key): self.shared(item) for key, item in value.items()}
        return value


def _plain_fingerprint(value: object) -> Fingerprint:
    """Return the fingerprint of what `marshal` writes by its content alone, see `Hasher.plain`."""
    if type(value) is str:
        data = b"u" + value.encode("utf-8", "surrogatepass")  # as marshal writes it, but quicker
    else:
        data = marshal.dumps(value, 2)  # type: ignore[arg-type]  # exact types only
    kind, cause, found = type(value).__name__, "", ""
    if len(data) > BYTE_LIMIT:
        cause = TOO_LARGE
    elif len(data) < _DIGEST_BYTES:
        found = data.hex()  # it is shorter than its digest
    else:
        hasher = bulk.hasher()
        hasher.update(b"%d:" % len(data))
        hasher.update(data)
        found = str(hasher.hexdigest()[:32])
    return {"hash": found, "cause": cause, "kind": kind, "identity": id(value)}


def warm_up(snapshot: Snapshot) -> None:
    """Load now what the first fingerprints would load in the middle of a cell."""
    for value in ([0], {0}, {0: ""}, warm_up, Snapshot, snapshot.home.get("__name__")):
        snapshot.fingerprint(value)


def qualified(cls: type) -> str:
    """Return a class's qualified name, `builtins` left out."""
    module = type.__dict__["__module__"].__get__(cls) if cls.__class__ is type else cls.__module__
    return cls.__qualname__ if module == "builtins" else f"{module}.{cls.__qualname__}"


class Hasher:
    """One pass over a value, within a budget of nodes and bytes."""

    def __init__(self, snapshot: Snapshot, nodes: int = NODE_LIMIT, size: int = BYTE_LIMIT) -> None:
        self.snapshot = snapshot
        self.nodes = nodes
        self.size = size
        self._hash = bulk.hasher()
        self._parts: list[bytes] = []
        self._path: dict[int, int] = {}
        self.classes: dict[int, bytes] = {}  # what the notebook's classes say, by identity

    def digest(self) -> str:
        """Return the hash of everything added."""
        self._flush()
        return str(self._hash.hexdigest()[:32])

    # ------------------------------------------------------------ writing

    def tag(self, text: str) -> None:
        """Write what kind of thing follows."""
        self._parts.append(text.encode("utf-8", "surrogatepass") + b"\0")

    def raw(self, data: Any) -> None:
        """Write bytes, and how many."""
        size = data.nbytes if isinstance(data, memoryview) else len(data)
        self.size -= size
        if self.size < 0:
            raise UnknownValue(TOO_LARGE)
        self._parts.append(b"%d:" % size)
        if type(data) is bytes and size < _PART_LIMIT:
            self._parts.append(data)
        else:
            self._flush()
            self._hash.update(data)

    def _flush(self) -> None:
        self._hash.update(b"".join(self._parts))
        del self._parts[:]

    def apart(self, value: object, nodes: int = LARGE_NODE_LIMIT) -> bytes:
        """Return the hash of a value on its own, charged to this budget; it may take `nodes`."""
        inner: Hasher = type(self)(self.snapshot, min(nodes, self.nodes), self.size)
        inner._path = self._path
        inner.classes = self.classes
        left = inner.nodes
        inner.add(value)
        self.nodes, self.size = self.nodes - left + inner.nodes, inner.size
        inner._flush()
        return bytes(inner._hash.digest())

    def add(self, value: object) -> None:
        """Write any value."""
        cls = type(value)
        self.nodes -= 1
        if self.nodes < 0:
            raise UnknownValue(TOO_LARGE)
        if cls is str or cls is int or (type(cls) is type and cls in _PLAIN_SET):
            self.raw(marshal.dumps(value, 2))  # type: ignore[arg-type]  # exact types only
            return
        key = id(value)
        depth = len(self._path)
        if key in self._path:
            self.tag(f"up {depth - self._path[key]}")
            return
        if depth >= DEPTH_LIMIT:
            raise UnknownValue(TOO_DEEP)
        self._path[key] = depth
        try:
            handler = _known.get(id(cls)) or handler_of(cls)
            handler(self, value)
        finally:
            del self._path[key]

    def all(self, tag: str, values: list[Any]) -> None:
        """Write a sequence; one of plain values goes in one stroke."""
        self.tag(f"{tag} {len(values)}")
        short = len(values) < _SHORT  # a look at each is quicker than a proof without
        if not short and self._uniform(values):
            return
        kind_of = self.snapshot.texts.kind_of
        kinds = set(map(kind_of, values))
        if kinds <= _PLAIN_SET or (
            kinds <= _FLAT and _PLAIN_SET.issuperset(map(kind_of, _flattened(values)))
        ):
            self.plain(values)
            return
        if short and len(values) >= _MANY and self._uniform(values):
            return
        if len(values) > self.nodes:
            raise UnknownValue(TOO_LARGE)
        for value in values:
            self.add(value)

    def _uniform(self, values: list[Any]) -> bool:
        """Write values of one kind, if they are, without a look at each."""
        parts = bulk.uniform(values)
        if parts is not None:
            self.tag("uniform")
            self.nodes -= type(values[0]) is list  # lists in a list: not plain values
            for part in parts:
                self.raw(part)
            return True
        kind_of = self.snapshot.texts.kind_of
        if not (kind_of(values[0]) is kind_of(values[-1]) is str):
            return False
        is_text = list(map(kind_of, values)).count(str) == len(values)  # quicker than a set
        if is_text:
            self.texts(values)
        return is_text

    def uniform_dict(self, value: dict[Any, Any]) -> bool:
        """Write a dictionary of numbers by numbers, if it is one, without a look at each."""
        if not _SHORT <= len(value) <= self.size // 10:
            return False
        data = bulk.uniform_dict(value)
        if data is None:
            return False
        self.tag(f"dict {len(value)}")
        self.nodes -= type(next(iter(value.values()))) is list  # as in `_uniform`
        self.raw(data)
        return True

    def texts(self, values: list[str]) -> None:
        """Write a list of texts.

        Raises:
            TypeError: one is no text.

        """
        joined = bulk.joined(values)
        if joined is None:
            self.plain(values)
        else:
            self.tag(f"texts {len(values)}")
            self.raw(joined)

    def plain(self, values: list[Any]) -> None:
        """Write a list that holds plain values only, or tuples of such.

        Version 2 of marshal knows neither references nor interned strings, so that it depends on
        the values alone.
        """
        for start in range(0, len(values), bulk.CHUNK):
            self.raw(marshal.dumps(values[start : start + bulk.CHUNK], 2))

    def unordered(self, tag: str, values: list[Any]) -> None:
        """Write values whose order means nothing."""
        self.tag(f"{tag} {len(values)}")
        kinds = set(map(self.snapshot.texts.kind_of, values))
        if kinds in ({int}, {str}):
            self.all("sorted", sorted(values))
        elif kinds <= _PLAIN_SET:
            self.plain(sorted(marshal.dumps(value, 2) for value in values))
        else:
            self.plain(sorted(self.apart(value) for value in values))

    def attributes(self, pairs: dict[str, Any]) -> None:
        """Write attributes by name, whatever their order."""
        names = sorted(name for name in pairs if isinstance(name, str))
        self.all("attributes", names)
        for name in names:
            self.add(pairs[name])


class Placeless(Hasher):
    """A pass that takes the kernel's own folders in texts for those of every kernel."""

    def add(self, value: object) -> None:
        """Write any value."""
        Hasher.add(self, self.snapshot.shared(value) if type(value) is str else value)

    def texts(self, values: list[str]) -> None:
        """Write a list of texts."""
        Hasher.texts(self, self.snapshot.shared(values))

    def plain(self, values: list[Any]) -> None:
        """Write a list that holds plain values only, or tuples of such."""
        Hasher.plain(self, self.snapshot.shared(values))


if TYPE_CHECKING:
    Handler = Callable[[Hasher, Any], None]


def _flattened(values: list[Any]) -> Iterator[Any]:
    """Yield the items of the tuples in a list, and what is no tuple itself."""
    return itertools.chain.from_iterable(v if type(v) is tuple else (v,) for v in values)


_known: dict[int, Handler] = {}  # by identity: a metaclass may say how its classes are hashed
_kept: list[type] = []


def handler_of(cls: type) -> Handler:
    """Return how values of a class are written; a class of the notebook is not kept alive."""
    handler = _known.get(id(cls))
    if handler is None:
        handler = _find_handler(cls)
        if cls.__module__ != "__main__":
            _kept.append(cls)
            _known[id(cls)] = handler
    return handler


def _find_handler(cls: type) -> Handler:
    from . import kinds, libraries, objects

    exact = kinds.EXACT.get(cls) if type(cls) is type else None
    if exact is not None:
        return exact
    if issubclass(cls, type):
        return objects.add_class
    library = libraries.handler_of(cls)
    if library is not None:
        return library
    if issubclass(cls, enum.Enum):
        return kinds.add_enum
    cause = kinds.passing(cls)
    if cause:
        return functools.partial(kinds.refuse, cause)
    return objects.add_instance
