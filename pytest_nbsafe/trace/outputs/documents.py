"""Figures and values that stand as JSON, by their leaves: no ids, no themes."""

from __future__ import annotations

import base64
import binascii
import math
from array import array
from collections.abc import Iterator, Mapping
from itertools import islice

from pytest_nbsafe import patterns
from pytest_nbsafe.trace.outputs.difference import Part

_UNSEEN = frozenset(
    {
        "uid",
        "uuid",
        "id",
        "model_id",
        "doc_id",
        "root_ids",
        "docid",
        "rootId",
        "$schema",
        "usermeta",
    }
    | {"template", "config", "version", "version_major", "version_minor", "target_id"}
)
"""Keys of ids, which each figure makes for itself, and of what themes and versions say."""
_HASHED = patterns.compile(r"^(?:data|view|param|selector|layer|concat)[-_]?[0-9a-f]*$")
_MOST_LEAVES = 2_000_000
_NUMBERS = {
    "i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q",
    "f4": "f", "f8": "d",
}  # fmt: skip


def parts(document: object, *, is_figure: bool) -> list[Part]:
    """Return the leaves of a JSON document, each with its place: `data[0].y[4]`."""
    return list(islice(_leaves(document, _UNSEEN if is_figure else frozenset()), _MOST_LEAVES))


def _leaves(document: object, unseen: frozenset[str]) -> Iterator[Part]:
    """Yield the leaves from first to last; keys are sorted, and names that are hashes are one."""
    waiting: list[tuple[str, str, object]] = [("", "", document)]
    while waiting:
        place, group, value = waiting.pop()
        inner: list[tuple[str, str, object]] = []
        if isinstance(value, Mapping) and (numbers := _packed(value)) is not None:
            value = numbers
        if isinstance(value, Mapping):
            for key in sorted(map(str, value)):
                if key not in unseen:
                    name = _name(key)
                    inner.append((f"{place}.{name}", f"{group}.{name}", value.get(key)))
        elif isinstance(value, list):
            inner += [(f"{place}[{at}]", f"{group}[]", each) for at, each in enumerate(value)]
        else:
            text = _name(value) if isinstance(value, str) else _text(value)
            yield Part(place.removeprefix("."), text, group.removeprefix("."))
        waiting += reversed(inner)


def _name(text: str) -> str:
    match = _HASHED.match(text)
    return text if match is None or text.isalpha() else text.rstrip("0123456789abcdef").strip("-_")


def _text(value: object) -> str:
    return "nan" if isinstance(value, float) and math.isnan(value) else str(value)


def _packed(value: Mapping[object, object]) -> list[object] | None:
    """Return the numbers that stand as base64 of an array, as newer figures have them."""
    kind, packed = value.get("dtype"), value.get("bdata")
    if not (isinstance(kind, str) and isinstance(packed, str) and kind in _NUMBERS):
        return None
    numbers = array(_NUMBERS[kind])
    try:
        numbers.frombytes(base64.b64decode(packed))
    except (binascii.Error, ValueError):
        return None
    return list(numbers)
