"""The memory of arrays: whose it is, where it lies, and how long it takes to keep it."""

from __future__ import annotations

from typing import Any

from ..identity import identity

BYTE_S, CONSTANT_S = 3e-9, 35e-8
"""About how long it takes to keep a byte of an array, and a number or text: measured."""
_ADDRESS_BYTES = 8


class Memory:
    """The memory of an array: the array itself, what owns the memory, and where it begins.

    The number of the place is negative, so that it is no object's; 0 where it is not known. Of what
    owns the memory there are `size` bytes.
    """

    __slots__ = ("array", "cost_s", "owner", "place", "size")

    def __init__(self, array: Any, memory: Any) -> None:
        self.array, self.owner = array, owner_of(memory)
        interface = getattr(self.owner, "__array_interface__", None) or getattr(
            memory, "__array_interface__", None
        )
        self.place = -interface["data"][0] if interface is not None else 0
        held = getattr(self.owner, "nbytes", None)
        self.size = held if type(held) is int else 0
        size = getattr(memory, "nbytes", 0)
        self.cost_s = memory_s(array, size) if type(size) is int else 0.0


def memory_s(array: Any, size: int) -> float:
    """Return about how many seconds it takes to keep so many bytes of an array.

    Of objects it has but the addresses.
    """
    if has_objects(array):
        return size / _ADDRESS_BYTES * CONSTANT_S
    return size * BYTE_S


def has_objects(array: Any) -> bool:
    """Return whether an array has addresses of objects in it."""
    return bool(getattr(getattr(array, "dtype", None), "hasobject", False))


def owner_of(array: Any) -> Any:
    """Return what owns the memory that an array shows: itself, another array, another value."""
    owner, base = array, getattr(array, "base", None)
    seen = {identity(array)}
    while base is not None:
        owner = base.obj if type(base) is memoryview else base
        if identity(owner) in seen:  # it is made from a view of itself
            break
        seen.add(identity(owner))
        base = getattr(owner, "base", None)
    return owner
