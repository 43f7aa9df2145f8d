"""Fingerprints: hashes of what values hold, equal across processes for equal content.

A value that cannot be compared is *unknown*, with its cause; nothing here guesses. No user code
runs: of an object whose class stands in the notebook only its `__dict__`, its slots and what its
built-in base holds are looked at, never `__eq__`, `__repr__`, `__reduce__` or a property.

A known imprecision: a library object that fills a cache in its own `__dict__` looks changed.
"""

from __future__ import annotations

import enum
import functools
import marshal
import sys
from typing import Any

from ..adapters import of_module
from ..contract import ORDER, Fingerprint
from ..hashes_contract import hash_of_text
from ..identity import identity
from . import builtin_kinds, bulk, instances
from .cell_classes import stands_on_cell
from .function_texts import Texts
from .hasher import (
    BUFFER_BYTES,
    BYTE_LIMIT,
    PLAIN,
    TOO_DEEP,
    TOO_LARGE,
    Context,
    Handler,
    Hasher,
    Placeless,
    UnknownValue,
    known_handlers,
    qualified,
)
from .put_on import PutOn

_CONTAINERS = frozenset({list, dict, set})
_SHORT = 256
_DIGEST_BYTES = 16
_kept: list[type] = []


class Snapshot(Context):
    """Takes fingerprints of values in one kernel."""

    def __init__(self, texts: Texts, home: dict[str, Any]) -> None:
        Context.__init__(self, texts, home, _handler_of)

    def fingerprint(self, value: object) -> Fingerprint:
        """Return the fingerprint of a value; it is unknown rather than wrong, and never raises."""
        return self.look(value)[0]

    def look(self, value: object) -> tuple[Fingerprint, bool]:
        """Return the fingerprint of a value, and whether it is a container of plain values only."""
        cls = type(value)
        plain = type(cls) is type and cls in PLAIN
        if plain or self._is_short(value):
            content = self.shared(value) if self.places else value
            fingerprint, size = _plain_fingerprint(content, id(value))
            self.work = size // BUFFER_BYTES
            return fingerprint, not plain
        kind, content_hash, cause, flat = "", "", "", False
        self.marks, self.orders = set(), set()
        hasher = (Placeless if self.places else Hasher)(self, *self.limits)
        try:
            kind = qualified(cls)
            hasher.add(value)
            content_hash = "".join((hasher.digest(), *sorted(self.marks), self._order()))
            flat = type(cls) is type and cls in _CONTAINERS and hasher.nodes == self.limits[0] - 1
        except UnknownValue as unknown:
            cause = str(unknown)
        except RecursionError:
            cause = TOO_DEEP
        except Exception as error:
            cause = f"cannot be compared: {type(error).__name__}: {str(error)[:200]}"
        self.work = hasher.work()
        return {"hash": content_hash, "cause": cause, "kind": kind, "identity": id(value)}, flat

    def _order(self) -> str:
        """Return what stands for the orders that were noted in the last look, "" for none."""
        named = sorted(filter(None, self.orders))
        return ORDER * bool(self.orders) + (hash_of_text(repr(named)) if named else "")

    def _is_short(self, value: Any) -> bool:
        """Tell whether a value is a short list, tuple or dictionary of plain values."""
        cls = type(value)
        if not (cls is list or cls is dict or cls is tuple) or len(value) >= _SHORT:
            return False
        return self.are_plain([*value, *value.values()] if cls is dict else value)


def _plain_fingerprint(value: object, identity: int) -> tuple[Fingerprint, int]:
    """Return the fingerprint of what `marshal` writes by its content alone, and how many bytes.

    See `Hasher.plain`.
    """
    if type(value) is str:
        data = b"u" + value.encode("utf-8", "surrogatepass")  # as marshal writes it, but quicker
    else:
        data = marshal.dumps(value, 2)  # type: ignore[arg-type]  # exact types only
    kind, cause, digest = type(value).__name__, "", ""
    if len(data) > BYTE_LIMIT:
        cause = TOO_LARGE
    elif len(data) < _DIGEST_BYTES:
        digest = data.hex()  # it is shorter than its digest
    else:
        hasher = bulk.hasher()
        hasher.update(b"%d:" % len(data))
        hasher.update(data)
        digest = str(hasher.hexdigest()[:32])
    return {"hash": digest, "cause": cause, "kind": kind, "identity": identity}, len(data)


def warm_up(snapshot: Snapshot) -> None:
    """Load now what the first fingerprints would load in the middle of a cell."""
    for value in ([0], {0}, {0: ""}, warm_up, Snapshot, snapshot.home.get("__name__")):
        snapshot.fingerprint(value)


# ------------------------------------------------------------------ how a class is written


def _handler_of(cls: type) -> Handler:
    """Return how values of a class are written; a class of the notebook is not kept alive."""
    handler = _find_handler(cls)
    if cls.__module__ != "__main__":
        _kept.append(cls)
        known_handlers[identity(cls)] = handler
    return handler


def _find_handler(cls: type) -> Handler:
    exact = builtin_kinds.EXACT.get(cls) if type(cls) is type else None
    if exact is not None:
        return exact
    if issubclass(cls, type):
        return instances.add_class
    library = _handler_of_library(cls)
    if library is not None:
        return _with_put_on(library, cls)
    if issubclass(cls, enum.Enum):
        return builtin_kinds.add_enum
    cause = builtin_kinds.passing(cls)
    if cause:
        return functools.partial(builtin_kinds.refuse, cause)
    return instances.add_instance


def _with_put_on(handler: Handler, cls: type) -> Handler:
    """Return how objects are written: by their library's handler, and what is put on them.

    Nothing can be put on what cannot change.
    """
    own = stands_on_cell(cls)
    if not own and cls.__name__ in getattr(of_module(cls.__module__), "CONSTANTS", ()):
        return handler
    put_on = PutOn(cls)
    if not (own or put_on.is_possible()):
        return handler

    def add(hasher: Hasher, value: Any) -> None:
        handler(hasher, value)
        if own:
            instances.add_says(hasher, cls)
        put_on.add(hasher, value)

    return add


def _handler_of_library(cls: type) -> Handler | None:
    """Return how values of a class that is, or comes from, a library's are written."""
    for base in cls.__mro__:
        adapter = of_module(type.__getattribute__(base, "__module__"))
        for module, named in getattr(adapter, "HASHED", {}).items():
            for path, handler in named.items():
                kind: Any = sys.modules.get(module)
                for part in path.split("."):
                    kind = getattr(kind, part, None)
                if isinstance(kind, type) and issubclass(cls, kind):
                    return handler  # type: ignore[no-any-return]  # an adapter's
    return getattr(of_module(cls.__module__), "hash_other", None)
