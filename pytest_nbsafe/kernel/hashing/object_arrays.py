"""Arrays of objects, looked at where they lie: nothing that they hold is referred to meanwhile.

Of a million texts the classes are read in 10 ms, where a list of them takes 35 to 160; and none of
the pages that a fork shares is copied, as each is to which a count of references is written.
"""

from __future__ import annotations

import contextlib
import sys
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from ..collector import paused
from ..foreign_threads import foreign_threads
from .bulk import PLAIN

_WORD_BYTES = 8
_CLASS_AT = object.__basicsize__ - _WORD_BYTES
"""Where an object keeps its class: at the end of what all objects have."""
_AT_ONCE = 1 << 15
_PLAIN = frozenset(map(id, PLAIN))
_notes: list[dict[int, _Note]] = []


class _Words:
    """Memory from an address on as an array of integers; `owner` is kept alive meanwhile."""

    def __init__(
        self, address: int, shape: tuple[int, ...], strides: object = None, owner: object = None
    ) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "shape": shape,
            "strides": strides,
            "typestr": f"{'<' if sys.byteorder == 'little' else '>'}i{_WORD_BYTES}",
            "data": (address, True),
            "version": 3,
        }


def holes(numpy: Any, array: Any, singletons: Sequence[object]) -> Any:
    """Return where an array holds one of these very objects: its place among them, else 0."""
    places = numpy.zeros(array.shape, numpy.uint8)
    if array.dtype.itemsize != _WORD_BYTES or not array.size:
        return places
    addresses = _addresses(numpy, array)
    for place, singleton in enumerate(singletons, 1):
        places[addresses == id(singleton)] = place
    return places


def kinds_in(numpy: Any, array: Any) -> set[int]:
    """Return the classes of what an array of objects holds, by identity.

    numpy lets other threads run, which might free what is read: where cells have started some, a
    list is made after all.
    """
    if array.dtype.itemsize != _WORD_BYTES or foreign_threads():
        return {id(type(item)) for item in array.ravel().tolist()}
    addresses, found = _addresses(numpy, array).reshape(-1), set()
    for start in range(0, addresses.size, _AT_ONCE):
        part = addresses[start : start + _AT_ONCE]
        part = part[part != 0]  # numpy takes no object for None
        if part.size:
            first, last = int(part.min()), int(part.max())
            heads = _Words(first + _CLASS_AT, ((last - first) // _WORD_BYTES + 1,))
            classes = numpy.asarray(heads).take((part - first) // _WORD_BYTES)
            while classes.size:
                found.add(int(classes[0]))
                classes = classes[classes != classes[0]]
    if _notes and found <= _PLAIN:
        _take_note(numpy, array)
    return found


def _addresses(numpy: Any, array: Any) -> Any:
    """Return the addresses that an array of objects holds."""
    place = array.__array_interface__["data"][0]
    return numpy.asarray(_Words(place, array.shape, array.strides, array))


# ------------------------------------------------------------------ what is known of memory


class _Note:
    """Where memory that an array owns holds plain values alone: from which addresses to which."""

    def __init__(self, owner: Any) -> None:
        self.owner = weakref.ref(owner, _is_over)
        self.places: list[tuple[int, int]] = []


@contextlib.contextmanager
def nothing_runs() -> Iterator[None]:
    """Look but once at each array, for as long as nothing of the notebook runs."""
    _notes.append({})
    try:
        with paused():
            yield
    finally:
        _notes.clear()


def holds_plain(numpy: Any, array: Any) -> bool:
    """Return whether an array of objects holds numbers, texts and the like alone."""
    owner = _owner_of(array)
    note = _notes[-1].get(id(owner)) if _notes else None
    if note is not None and note.owner() is owner and array.flags.forc:
        start, end = _place_of(array)
        if any(first <= start and end <= last for first, last in note.places):
            return True
    return kinds_in(numpy, array) <= _PLAIN


def _take_note(numpy: Any, array: Any) -> None:
    """Note that an array holds plain values alone; with the piece before it is one piece."""
    owner = _owner_of(array)
    if not array.flags.forc or type(owner) is not numpy.ndarray:
        return
    note = _notes[-1].get(id(owner))
    if note is None or note.owner() is not owner:
        note = _notes[-1][id(owner)] = _Note(owner)
    start, end = _place_of(array)
    if note.places and note.places[-1][1] == start:
        start = note.places.pop()[0]
    note.places.append((start, end))


def _owner_of(array: Any) -> Any:
    return array if array.base is None else array.base


def _place_of(array: Any) -> tuple[int, int]:
    start = array.__array_interface__["data"][0]
    return start, start + array.nbytes


def _is_over(_owner: Any) -> None:
    """Show, as what is called, that a weak reference is ours: it ties nothing of the notebook."""
