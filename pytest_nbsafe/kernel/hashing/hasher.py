"""One pass over a value: how what it holds is written into a hash."""

from __future__ import annotations

import bisect
import itertools
import marshal
import sys
import typing
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..contract import SETS
from ..identity import identity
from . import bulk
from .function_texts import Texts
from .set_tables import table_of

NODE_LIMIT = 50_000
BYTE_LIMIT = 64 * 1024 * 1024
LARGE_NODE_LIMIT = 1_000_000
LARGE_BYTE_LIMIT = 256 * 1024 * 1024
DEPTH_LIMIT = 150
NODE_WORK = 400
"""How much work a node is, where to write a byte of Python's values is 1 (about 4 ns)."""
BUFFER_BYTES = 15
"""How many bytes that need not be written first, but are hashed as they lie, are as much work."""
TOO_LARGE = "too large to compare"
TOO_DEEP = "nested too deeply to compare"

PLAIN = bulk.PLAIN
_FLAT = PLAIN | {tuple}
_MANY = 8
_SHORT = 256
_PART_LIMIT = 4_096


class UnknownValue(Exception):  # noqa: N818  # an answer, not an error
    """A value that cannot be compared; the message says why."""


class Context:
    """What all passes of one kernel share.

    `texts` knows the text of functions defined in cells; `home` is the notebook's namespace.
    `handler_of` returns how values of a class are written.
    """

    def __init__(
        self, texts: Texts, home: dict[str, Any], handler_of: Callable[[type], Handler]
    ) -> None:
        self.texts = texts
        self.home = home
        self.handler_of = handler_of
        self.judging = False  # a session has ended: what it holds is compared with another's
        self.places: tuple[tuple[str, str], ...] = ()  # this kernel's own folders, and words
        self.placed = False  # one of them was met
        self.limits = (NODE_LIMIT, BYTE_LIMIT)  # then: how much of a value is looked at
        self.memory: list[tuple[int, int]] = []  # of arrays in it counts where they lie
        self.marks: set[str] = set()  # of the last look: `SETS`, `CODE`
        self.orders: set[tuple[str, ...]] = set()  # of the last look: names in another order
        self.in_form = False  # equal are only sets in one order, and tables tied to as many others
        self.work = 0  # how much the last look was, the same on every machine
        self.defined: dict[int, tuple[weakref.ref[type], bytes]] = {}

    def are_plain(self, values: Iterable[Any]) -> bool:
        """Tell whether values are numbers, texts and the like, whose bytes tell all of them."""
        return PLAIN.issuperset(map(self.texts.kind_of, values))

    def lies_in_memory(self, start: int, size: int) -> bool:
        """Tell whether bytes lie in the memory of which the place stands for the content."""
        at = bisect.bisect_right(self.memory, (start, sys.maxsize)) - 1
        return at >= 0 and start + size <= self.memory[at][1]

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


def qualified(cls: type) -> str:
    """Return a class's qualified name, `builtins` left out."""
    module = type.__dict__["__module__"].__get__(cls) if cls.__class__ is type else cls.__module__
    return cls.__qualname__ if module == "builtins" else f"{module}.{cls.__qualname__}"


_LEAST_ADDRESS = 1 << 20


class Hasher:
    """One pass over a value, within a budget of nodes and bytes."""

    def __init__(self, context: Context, nodes: int = NODE_LIMIT, size: int = BYTE_LIMIT) -> None:
        self.context = context
        self.nodes = nodes
        self.size = size
        self.buffers = 0
        self._all = (nodes, size)
        self._hash = bulk.hasher()
        self._parts: list[bytes] = []
        self._path: dict[int, int] = {}
        self.classes: dict[int, bytes] = {}  # what the notebook's classes say, by identity
        self.layouts: dict[int, Any] = {}  # how objects of classes are written, by identity
        self.handlers: dict[int, Handler] = {}  # the same of those that are not known for good
        self._alive: list[type] = []  # of these the numbers must not come again

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
        if isinstance(data, memoryview):
            size = data.nbytes
            self.buffers += size
        else:
            size = len(data)
        self.size -= size
        if self.size < 0:
            raise UnknownValue(TOO_LARGE)
        self._parts.append(b"%d:" % size)
        if type(data) is bytes and size < _PART_LIMIT:
            self._parts.append(data)
        else:
            self._flush()
            self._hash.update(data)

    def work(self) -> int:
        """Return how much was read so far, see `NODE_WORK`."""
        nodes, size = self._all[0] - self.nodes, self._all[1] - self.size
        return nodes * NODE_WORK + size - self.buffers + self.buffers // BUFFER_BYTES

    def note_order(self, names: Iterable[str] = ()) -> None:
        """Note that something lies in memory in another order than that in which it is written.

        It is that of these names, or of the numbers of an array, which are counted otherwise.
        """
        self.context.orders.add(tuple(names))

    def _flush(self) -> None:
        self._hash.update(b"".join(self._parts))
        del self._parts[:]

    def apart(self, value: object, nodes: int = LARGE_NODE_LIMIT) -> bytes:
        """Return the hash of a value on its own, charged to this budget; it may take `nodes`."""
        inner: Hasher = type(self)(self.context, min(nodes, self.nodes), self.size)
        inner._path = self._path
        inner.classes, inner.layouts = self.classes, self.layouts
        inner.handlers, inner._alive = self.handlers, self._alive
        left, inner.buffers = inner.nodes, self.buffers
        inner.add(value)
        self.nodes, self.size = self.nodes - left + inner.nodes, inner.size
        self.buffers = inner.buffers
        inner._flush()
        return bytes(inner._hash.digest())

    def add(self, value: object) -> None:
        """Write any value."""
        cls = type(value)
        self.nodes -= 1
        if self.nodes < 0:
            raise UnknownValue(TOO_LARGE)
        if cls is str or cls is int or (type(cls) is type and cls in PLAIN):
            self.raw(marshal.dumps(value, 2))  # type: ignore[arg-type]  # exact types only
            return
        key = identity(value)
        depth = len(self._path)
        if key in self._path:
            self.tag(f"up {depth - self._path[key]}")
            return
        if depth >= DEPTH_LIMIT:
            raise UnknownValue(TOO_DEEP)
        self._path[key] = depth
        try:
            of_class = identity(cls)
            handler = known_handlers.get(of_class) or self.handlers.get(of_class)
            if handler is None:
                handler = self.handlers[of_class] = self.context.handler_of(cls)
                self._alive.append(cls)
            handler(self, value)
        finally:
            del self._path[key]

    def all(self, tag: str, values: list[Any]) -> None:
        """Write a sequence; one of plain values goes in one stroke."""
        self.tag(f"{tag} {len(values)}")
        short = len(values) < _SHORT  # a look at each is quicker than a proof without
        if not short and self._uniform(values):
            return
        kind_of = self.context.texts.kind_of
        kinds = set(map(kind_of, values))
        if kinds <= PLAIN or (kinds <= _FLAT and self.context.are_plain(_flattened(values))):
            self.plain(values)
            return
        if short and len(values) >= _MANY and self._uniform(values):
            return
        if kinds <= bulk.NESTED and self._nested(values):
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
        kind_of = self.context.texts.kind_of
        if not (kind_of(values[0]) is kind_of(values[-1]) is str):
            return False
        is_text = list(map(kind_of, values)).count(str) == len(values)  # quicker than a set
        if is_text:
            self.texts(values)
        return is_text

    def _nested(self, values: list[Any]) -> bool:
        """Write containers in containers that hold plain values, if they do, in one stroke."""
        most = self.nodes * bulk.NESTED_IN_NODE
        count = bulk.nested(values, most)
        if not count:
            return False
        if count > most:
            raise UnknownValue(TOO_LARGE)
        self.tag("nested")
        self.nodes -= 1 + count // bulk.NESTED_IN_NODE  # 1 at least: not flat, see `look`
        self.plain(values)
        return True

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

    def unordered(self, tag: str, values: list[Any], holder: Any = None) -> None:
        """Write values whose order means nothing, or shows only where they are looped over.

        The `holder` is the set whose elements they are, if they are a set's.
        """
        if self.context.in_form:
            self.all(tag, values)
            if holder is not None:
                self.raw(table_of(holder))
            return
        self.tag(f"{tag} {len(values)}")
        if len(values) > 1:
            self.context.marks.add(SETS)
        kinds = set(map(self.context.texts.kind_of, values))
        if kinds in ({int}, {str}):
            self.all("sorted", sorted(values))
        elif kinds <= PLAIN:
            self.plain(sorted(marshal.dumps(value, 2) for value in values))
        else:
            self.plain(sorted(self.apart(value) for value in values))

    def attributes(self, pairs: dict[str, Any], *, in_order: bool = False) -> None:
        """Write attributes by name, whatever their order, which is noted where it may show.

        A number that is the address of another of them says nothing about the content. Those whose
        names are no texts come as they lie.
        """
        as_they_lie = [name for name in pairs if type(name) is str]
        names = sorted(as_they_lie)
        if in_order and names != as_they_lie:
            self.note_order(as_they_lie)
        if len(names) < len(pairs):
            others = [pair for pair in pairs.items() if type(pair[0]) is not str]
            self.all("no names", [part for pair in others for part in pair])
        values = [pairs[name] for name in names]
        kinds = {*map(self.context.texts.kind_of, names), *map(self.context.texts.kind_of, values)}
        is_small = all(type(each) is not int or each <= _LEAST_ADDRESS for each in values)
        if is_small and kinds <= bulk.NESTED:
            if kinds <= PLAIN and len(values) <= self.nodes:
                self.nodes -= len(values)
                self.tag("plain attributes")
                self.plain([names, values])
                return
            if self._nested([names, *values]):
                return
        self.all("attributes", names)
        for value in values:
            if type(value) is int and value > _LEAST_ADDRESS and value in map(id, pairs.values()):
                self.tag("address")
            else:
                self.add(value)


class Placeless(Hasher):
    """A pass that takes the kernel's own folders in texts for those of every kernel."""

    def add(self, value: object) -> None:
        """Write any value."""
        Hasher.add(self, self.context.shared(value) if type(value) is str else value)

    def texts(self, values: list[str]) -> None:
        """Write a list of texts."""
        Hasher.texts(self, self.context.shared(values))

    def plain(self, values: list[Any]) -> None:
        """Write a list that holds plain values only, or tuples of such."""
        Hasher.plain(self, self.context.shared(values))


Handler = typing.Callable[[Hasher, Any], None]  # Python 3.8 has no other that it can evaluate


def _flattened(values: list[Any]) -> Iterator[Any]:
    """Yield the items of the tuples in a list, and what is no tuple itself."""
    return itertools.chain.from_iterable(v if type(v) is tuple else (v,) for v in values)


known_handlers: dict[int, Handler] = {}
"""By the identity of the class: a metaclass may say how its classes are hashed."""
