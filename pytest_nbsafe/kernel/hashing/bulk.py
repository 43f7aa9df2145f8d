"""Fast ways to fingerprint much of one kind: flat lists, arrays of numbers, columns of text.

Which way is taken depends on the content alone, so that equal content has equal fingerprints.
"""

from __future__ import annotations

import gc
import hashlib
import marshal
import sys
from collections.abc import Sequence
from typing import Any

PLAIN = frozenset({int, float, complex, bool, str, bytes, type(None)})
"""Kinds whose values `marshal` writes by their content alone."""
_CONTAINERS = frozenset({list, tuple, dict})
NESTED = PLAIN | _CONTAINERS
NESTED_IN_NODE = 10
"""How many containers are as much work as a node that is looked at by itself."""
_NESTED_DEPTH = 60
CHUNK = 20_000
_CHUNK_BYTES = 8 * 1024 * 1024
_PROBES = 32
_FORM_LIMIT = 64
_SMALL_BYTES = 16_384
_WORDS = 1 << 15
_GOLDEN = 0x9E3779B97F4A7C15
_FOR_LOOKS: Any = {"usedforsecurity": False} if sys.version_info >= (3, 9) else {}
"""So that Pythons which allow no SHA-1 for secrets give it; 3.8 asks nobody."""


def hasher() -> Any:
    """Return a new hash object: SHA-1 is the quickest there is where processors know it.

    Nobody attacks a fingerprint: it must be told apart from others by chance only.
    """
    return hashlib.sha1(**_FOR_LOOKS)  # noqa: S324  # as above


# ------------------------------------------------------------------ lists of one form


def form_of(value: object) -> tuple[int, dict[int, int]] | None:
    """Return how many bytes `marshal` writes for a value, and those that tell its kind.

    Only for values whose kind fixes the number of bytes: integers of 32 bits, floats, and tuples
    and lists of such. None for others.
    """
    kind = type(value)
    if kind is int:
        return (5, {0: ord("i")}) if -(2**31) <= value < 2**31 else None  # type: ignore[operator]  # an int
    if kind is float:
        return 9, {0: ord("g")}
    if (kind is tuple or kind is list) and len(value) <= _FORM_LIMIT:  # type: ignore[arg-type]  # a sequence
        return _form_of_items(value)  # type: ignore[arg-type]  # a sequence
    return None


def _form_of_items(value: Sequence[object]) -> tuple[int, dict[int, int]] | None:
    head = (b"(" if type(value) is tuple else b"[") + len(value).to_bytes(4, "little")
    size, fixed = len(head), dict(enumerate(head))
    for item in value:
        kind = type(item)
        inner = form_of(item) if kind is int or kind is float else None
        if inner is None:
            return None
        fixed.update((size + place, byte) for place, byte in inner[1].items())
        size += inner[0]
    return size, fixed


def uniform(values: list[Any]) -> list[bytes] | None:
    """Return what `marshal` writes for values of one form, None when they are not of one.

    Looking at each value's type would take longer than writing it. But the bytes prove it: if the
    first value has the form, the second begins where the form says, and so on to the end.
    """
    form = form_of(values[0])
    if form is None or not _alike(values):
        return None
    size, fixed = form
    parts, step = [], _CHUNK_BYTES // size
    for start in range(0, len(values), step):
        part = values[start : start + step] if len(values) > step else values
        try:
            data = marshal.dumps(part, 2)
        except ValueError:
            return None
        if len(data) != 5 + size * len(part) or not _has_form(data, 5, size, fixed):
            return None
        parts.append(data)
    return parts


def uniform_dict(value: dict[Any, Any]) -> bytes | None:
    """Return what `uniform` does, for a dictionary: keys of one form and values of one."""
    first, last = next(iter(value.items())), next(reversed(value.items()))
    key, item = map(form_of, first)
    if key is None or item is None or any(map(_differ, first, last)):
        return None
    size = key[0] + item[0]
    fixed = {**key[1], **{key[0] + place: byte for place, byte in item[1].items()}}
    data = marshal.dumps(value, 2)
    if len(data) != 2 + size * len(value) or not _has_form(data, 1, size, fixed):
        return None
    return data


def nested(values: list[Any], most: int) -> int:
    """Return how many containers there are at all levels, if nothing else but plain values is.

    0 if anything else is among them; no more are counted than `most` and the level that exceeds
    it. What is held several times counts each time.
    """
    count, level = 0, values
    for _ in range(_NESTED_DEPTH):
        kinds = set(map(type, level))
        if not kinds <= NESTED:
            return 0
        if kinds.isdisjoint(_CONTAINERS):  # most are of the lowest level
            return count
        level = [value for value in level if type(value) in _CONTAINERS]
        count += len(level)
        if count > most:
            return count
        level = gc.get_referents(*level)
    return 0


def _has_form(data: bytes, start: int, size: int, fixed: dict[int, int]) -> bool:
    """Tell whether the bytes that tell a kind are in their places, every so many bytes."""
    count = (len(data) - start) // size
    end = start + count * size
    return all(
        data[start + at : end : size] == bytes((byte,)) * count for at, byte in fixed.items()
    )


def _differ(value: object, other: object) -> bool:
    return type(value) is not type(other)


def _alike(values: list[Any]) -> bool:
    """Tell whether some of the values, the last among them, are of one type, and as long."""
    kind, last = type(values[0]), values[-1]
    probes = [*values[:: max(1, len(values) // _PROBES)], last]
    if any(type(probe) is not kind for probe in probes):
        return False
    if kind is int or kind is float:
        return True
    size = len(values[0])
    return all(len(probe) == size and form_of(probe) is not None for probe in probes)


def joined(values: list[str], numpy: Any = None) -> bytes | None:
    """Return texts as one, None when that cannot be undone; with `numpy` a little sooner.

    Raises:
        TypeError: one is no text.

    """
    data = "\0".join(values).encode("utf-8", "surrogatepass")
    if numpy is None:
        ends = data.count(b"\0")
    else:
        ends = len(data) - int(numpy.count_nonzero(numpy.frombuffer(data, numpy.uint8)))
    return data if ends == max(len(values) - 1, 0) else None


# ------------------------------------------------------------------ arrays of numbers

_weights: list[Any] = []
_scratch: list[tuple[Any, Any]] = []
"""Where sums are made: memory that is new each time takes longer to get than to fill."""


def numbers(numpy: Any, data: Any) -> bytes:
    """Return a digest of the bytes of an array: of few their hash, of many sums of 64-bit words.

    Each word is spread over its lower half and multiplied with an odd weight of its place, twice;
    the sums of each block of words are hashed. That takes a third of the time that a hash takes.
    """
    content_hash = hasher()
    data = data.reshape(-1).view(numpy.uint8)
    whole = 0
    if data.size >= _SMALL_BYTES:
        whole = data.size // 8 * 8
        content_hash.update(_sums(numpy, data[:whole].view(numpy.uint64)))
    content_hash.update(b"%d:" % data.size)
    content_hash.update(memoryview(data[whole:]))
    return bytes(content_hash.digest())


def _sums(numpy: Any, words: Any) -> bytes:
    if not _weights:
        _weights.extend(_odd_weights(numpy, seed) for seed in (1, 2))
    half, sums = numpy.uint64(32), []
    try:
        mixed, product = _scratch.pop()
    except IndexError:  # the first, or that of another thread
        mixed, product = numpy.empty((2, _WORDS), numpy.uint64)
    for start in range(0, words.size, _WORDS):
        block = words[start : start + _WORDS]
        size = block.size
        numpy.right_shift(block, half, out=mixed[:size])
        numpy.bitwise_xor(mixed[:size], block, out=mixed[:size])
        for weights in _weights:
            numpy.multiply(mixed[:size], weights[:size], out=product[:size])
            sums.append(int(numpy.add.reduce(product[:size])).to_bytes(8, "little"))
    _scratch.append((mixed, product))
    return b"".join(sums)


def _odd_weights(numpy: Any, seed: int) -> Any:
    """Return odd weights that look random and are the same everywhere (the mixer of splitmix64)."""
    word = numpy.arange(1, _WORDS + 1, dtype=numpy.uint64) * numpy.uint64(_GOLDEN)
    word += numpy.uint64(seed * _GOLDEN % 2**61)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        word = (word ^ (word >> numpy.uint64(shift))) * numpy.uint64(factor)
    return (word ^ (word >> numpy.uint64(31))) | numpy.uint64(1)
