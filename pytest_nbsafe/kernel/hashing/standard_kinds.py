"""Fingerprints of kinds of values of Python's standard library that keep state out of sight."""

from __future__ import annotations

import datetime as dt
import functools
import gc
import hashlib
import hmac
import io
import itertools
import logging
import pathlib
import random
import re
import struct
import sys
import threading
import types
import weakref
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ..functions.reach import fields
from .hasher import PLAIN, Handler, Hasher, UnknownValue, qualified
from .instances import HOME_MODULE, add_instance, add_says

# ------------------------------------------------------------------ functions


def _partial(hasher: Hasher, value: Any) -> None:
    hasher.all("partial", [value.func, value.args, value.keywords])
    _others(hasher, value.__dict__)


def _cached(hasher: Hasher, value: Any) -> None:
    """Write a function that keeps its results, but not those."""
    hasher.all("lru_cache", [value.__wrapped__])
    _others(hasher, {name: v for name, v in value.__dict__.items() if name != "__wrapped__"})


def _others(hasher: Hasher, attributes: dict[str, Any]) -> None:
    if attributes:
        hasher.attributes(attributes)


def _random_numbers(hasher: Hasher, value: random.Random) -> None:
    """Write where random numbers stand; of those that no name holds that is known by itself."""
    if value is random._inst:  # noqa: SLF001  # the one of the module
        hasher.tag("random numbers of the module")
    else:
        add_instance(hasher, value)


# ------------------------------------------------------------------ what is read in steps


def _count(hasher: Hasher, value: Any) -> None:
    """Write where a count stands; the text of one of numbers runs no code of the notebook."""
    held = [item for item in gc.get_referents(value) if item is not type(value)]
    if not {int, float}.issuperset(map(type, held)):
        raise UnknownValue("a count of other things than numbers is not compared")
    hasher.tag(f"count {value!r}")


def iterator(hasher: Hasher, value: Any) -> None:
    """Write an iterator of Python's own: what is left of what it goes through."""
    hasher.all(type(value).__name__, list(value.__reduce__()[1:]))


_STEPS: tuple[type, ...] = ()
if sys.version_info < (3, 12):  # later ones warn of it, and the last of them cannot do it
    _STEPS = (
        itertools.accumulate, itertools.chain, itertools.combinations,
        itertools.combinations_with_replacement, itertools.compress, itertools.cycle,
        itertools.dropwhile, itertools.filterfalse, itertools.islice, itertools.permutations,
        itertools.product, itertools.repeat, itertools.starmap, itertools.takewhile,
        itertools.zip_longest,
    )  # fmt: skip


# ------------------------------------------------------------------ texts, files, digests


def _match(hasher: Hasher, value: re.Match[Any]) -> None:
    hasher.all("match", [value.re, value.string, value.pos, value.endpos, value.regs])


def _path(hasher: Hasher, value: pathlib.PurePath) -> None:
    hasher.tag(type(value).__name__)
    hasher.add(str(value))


def _memory_file(hasher: Hasher, value: Any) -> None:
    if value.closed:
        hasher.tag(f"closed {type(value).__name__}")
    else:
        hasher.all(type(value).__name__, list(value.__getstate__()))


def _file(hasher: Hasher, value: Any) -> None:
    """Write a file that is closed by its name; an open one depends on what the system holds.

    How it was opened says nothing any more: whether a cell reads its cache or writes it.
    """
    if not value.closed:
        raise UnknownValue(f"a {qualified(type(value))} is not compared")
    hasher.all("closed file", [value.name])


def _hashing(hasher: Hasher, value: Any) -> None:
    """Write an object of `hashlib` by the digest of what it was given so far."""
    size = () if value.digest_size else (32,)  # the SHAKE functions give as much as one wants
    hasher.all("hash", [value.name, value.digest(*size)])


# ------------------------------------------------------------------ moments, numbers


def _by_state(hasher: Hasher, value: Any) -> None:
    """Write a moment, a span or a number with all its digits as pickle would."""
    hasher.tag(type(value).__name__)
    state = value.__reduce_ex__(_TELLS_FOLDS)[1]
    if PLAIN.issuperset(map(type, state)):
        hasher.plain(list(state))
    else:
        hasher.all("state", list(state))  # a time zone is among it


_TELLS_FOLDS = 4
"""The first form of pickle that tells times which come twice apart."""


# ------------------------------------------------------------------ messages


def _logger(hasher: Hasher, value: logging.Logger) -> None:
    """Write a logger: what was set of it, and what it hands its messages to.

    The logger above it is another state, unless it is not the one that the names tell.
    """
    settings = value.name, value.level, value.propagate, value.disabled
    hasher.all("logger", [*settings, list(value.filters), len(value.handlers)])
    for handler in value.handlers:
        _handler(hasher, handler)
    if value.parent is not _parent_by_name(value):
        hasher.all("parent", [value.parent])
    _others(hasher, {name: v for name, v in value.__dict__.items() if name not in _OF_LOGGERS})


def _parent_by_name(value: logging.Logger) -> logging.Logger | None:
    """Return the next logger above one, None for one that no other has made under its name."""
    known: dict[str, object] = {**value.manager.loggerDict}
    if known.get(value.name) is not value:
        return None
    name = value.name
    while "." in name:
        name = name.rpartition(".")[0]
        above = known.get(name)
        if isinstance(above, logging.Logger):  # others only keep a place
            return above
    return value.manager.root


def _namespace(hasher: Hasher, value: types.SimpleNamespace) -> None:
    """Write attributes, and their order where it shows: another than that of their names."""
    held = vars(value)
    names = [name for name in held if type(name) is str]
    if names != sorted(names):
        hasher.all("order", names)
    hasher.tag("namespace")
    hasher.attributes(held)


def _handler(hasher: Hasher, value: logging.Handler) -> None:
    """Write where messages go, and in which form; not those that wait there."""
    own = type(value).__module__ == HOME_MODULE
    hasher.tag(f"handler {qualified(type(value))}")
    if own:
        add_says(hasher, type(value))
    held = fields(value) or {}
    if "stream" in held:
        _stream(hasher, held["stream"])
    hasher.attributes(
        {
            name: item
            for name, item in held.items()
            if name not in _OF_HANDLERS and (own or name in _SETTINGS or type(item) in PLAIN)
        }
    )


_OF_LOGGERS = frozenset(
    {"_cache", "disabled", "filters", "handlers", "level", "manager", "name", "parent", "propagate"}
)
_OF_HANDLERS = frozenset({"lock", "stream"})
_SETTINGS = frozenset({"filters", "formatter", "queue", "target"})


def _stream(hasher: Hasher, value: Any) -> None:
    """Write where a stream leads, not what went through it."""
    for name in ("stdout", "stderr", "__stdout__", "__stderr__"):
        if value is getattr(sys, name):
            hasher.tag(f"sys.{name}")
            return
    file = getattr(value, "name", None) if type(value).__module__ == "_io" else None
    if type(file) is not str:
        raise UnknownValue("what a handler of messages writes to is not compared")
    hasher.tag(f"file {file}")


# ------------------------------------------------------------------ attributes


def _attributes(tag: str) -> Handler:
    """Return how values are written that their own attributes tell all of.

    Of what is local to a thread these are what this one holds.
    """

    def add(hasher: Hasher, value: Any) -> None:
        hasher.tag(tag)
        hasher.attributes(value.__dict__)

    return add


def _proxy(_hasher: Hasher, _value: object) -> None:
    """Give up what stands for another object, which would be asked in its place."""
    raise UnknownValue("a weak proxy is not compared")


def _last_call(hasher: Hasher, value: Any) -> None:
    """Write what is called when an object dies; nothing of it lies in the value itself."""
    kept = value.peek()
    hasher.all("finalize", [None if kept is None else kept[1:], value.atexit])


_CODES = hmac.new(b"", digestmod="sha256")
_HASHING = (hashlib.sha256, hashlib.sha512, hashlib.sha3_256, hashlib.shake_128)
_HASHES: set[type] = {type(make()) for make in (*_HASHING, hashlib.blake2b, hashlib.blake2s)}
_HASHES |= {type(getattr(_CODES, "_hmac", None) or _CODES)}
"""Codes of messages too, as a library of C makes them; else they are objects as any."""
_FILES = (io.TextIOWrapper, io.BufferedReader, io.BufferedWriter, io.BufferedRandom)
_BY_STATE = (dt.datetime, dt.date, dt.time, dt.timedelta, dt.timezone, Decimal, Fraction)
_PATHS = (type(pathlib.Path()), pathlib.PurePosixPath, pathlib.PureWindowsPath)

EXACT: dict[type, Handler] = {
    types.SimpleNamespace: _namespace,
    threading.local: _attributes("local"),
    functools.partial: _partial,
    type(functools.lru_cache(len)): _cached,
    re.Pattern: lambda hasher, value: hasher.all("pattern", [value.pattern, value.flags]),
    re.Match: _match,
    itertools.count: _count,
    logging.Logger: _logger,
    logging.RootLogger: _logger,
    weakref.finalize: _last_call,
    struct.Struct: lambda hasher, value: hasher.all("struct", [value.format]),
    random.SystemRandom: _attributes("random numbers of the system"),
    random.Random: _random_numbers,
    io.StringIO: _memory_file,
    io.BytesIO: _memory_file,
    **dict.fromkeys(weakref.ProxyTypes, _proxy),
    **dict.fromkeys(_BY_STATE, _by_state),
    **dict.fromkeys(_STEPS, iterator),
    **dict.fromkeys(_FILES, _file),
    **dict.fromkeys(_PATHS, _path),
    **dict.fromkeys(_HASHES, _hashing),
}
