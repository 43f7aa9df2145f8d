"""Arrays as they lie in memory: those that share it share it again after they are loaded.

Files refer to `view` and `with_gaps` by their names.
"""

from __future__ import annotations

import sys
from typing import Any

from ..identity import identity
from .array_memory import owner_of
from .covariables import Group

_FEW_BYTES = 1 << 16
"""Fewer are copied when they are loaded; more are shown where they were read to."""


class Plan:
    """How the arrays of a co-variable are pickled.

    `shared` are owners of memory (by identity) that several arrays show: those are pickled as views
    of the owner. `cause` says why that cannot be done, empty when it can.
    """

    def __init__(self, group: Group) -> None:
        self.shared: set[int] = set()
        self.cause = ""
        showing: dict[int, dict[int, Any]] = {}
        tables: dict[int, set[int]] = {}
        objects: set[int] = set()
        owners: dict[int, Any] = {}
        for reached in group.reached.values():
            objects |= reached.objects.keys()
            for memory in reached.memories:
                owner = identity(memory.owner)
                owners[owner] = memory.owner
                showing.setdefault(owner, {})[identity(memory.array)] = memory.array
            for table, memories in reached.lazy.items():
                for memory in memories:
                    tables.setdefault(identity(memory.owner), set()).add(table)
        for key, arrays in showing.items():
            beside = len(tables.get(key, ())) + (key in objects and key not in arrays)
            if len(arrays) + beside > 1:
                self.shared.add(key)
                self.cause = self.cause or _obstacle(owners[key], arrays, tables.get(key, ()))

    def reduced(self, array: Any) -> Any:
        """Return how an array is pickled, `NotImplemented` for numpy's own way."""
        owner = owner_of(array) if self.shared else array
        if owner is array or identity(owner) not in self.shared:
            return _as_it_lies(array)
        start = array.__array_interface__["data"][0] - _address(_array(owner))
        return view, (owner, array.dtype, array.shape, array.strides, start, array.flags.writeable)


def _as_it_lies(array: Any) -> Any:
    """Return how an array is pickled so that it lies in memory as it does now.

    A small one that owns its memory owns it again. One whose values do not lie one after the other
    numpy writes row by row, and so it would lie once it is loaded: then a sum may be another in its
    last digits, and `ravel` may show the array where it gave a copy.
    """
    if array.flags.owndata and array.flags.writeable and array.nbytes < _FEW_BYTES:
        return array.__reduce_ex__(4)
    is_between = any(step % (array.itemsize or 1) for step in array.strides)
    if array.flags.forc or (is_between and array.dtype.hasobject):
        return NotImplemented
    numpy = sys.modules["numpy"]
    axes = sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))
    turned = array.transpose(axes)
    if turned.flags.c_contiguous:
        turned.flags.writeable = array.flags.writeable
        return numpy.transpose, (turned, tuple(map(axes.index, range(array.ndim))))
    once = tuple(slice(None) if step else slice(1) for step in array.strides)
    values = numpy.ascontiguousarray(array[once])
    return with_gaps, (values, array.shape, array.strides, array.flags.writeable)


def with_gaps(
    values: Any,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    writeable: bool,  # noqa: FBT001  # called by pickle
) -> Any:
    """Return an array of values that lie so many bytes apart, along each axis."""
    numpy = sys.modules["numpy"]
    steps = [(count - 1) * step for count, step in zip(shape, strides)]  # noqa: B905  # not before 3.10
    before = -sum(step for step in steps if step < 0)
    size = before + sum(step for step in steps if step > 0) + values.itemsize
    owner = numpy.zeros(-(-size // values.itemsize), values.dtype)
    array = view(owner, values.dtype, shape, strides, before, writeable=True)
    array[...] = values
    if not writeable:
        array.flags.writeable = False
    return array


def view(
    owner: Any,
    dtype: Any,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    start: int,
    writeable: bool,  # noqa: FBT001  # called by pickle
) -> Any:
    """Return an array that shows the memory of another value, from a byte of it on."""
    numpy = sys.modules["numpy"]
    base = _array(owner)
    try:  # then its `base` is the owner itself
        lying = base if base.flags.c_contiguous else base.T
        array = numpy.ndarray(shape, dtype, lying, start, strides)
    except (TypeError, ValueError):  # moments and objects have no buffer
        array = numpy.asarray(_Strided(base, dtype, shape, strides, _address(base) + start))
    if array.dtype != dtype:
        array.dtype = dtype  # one with fields, or of objects: the interface has no word for it
    if not writeable:
        array.flags.writeable = False
    return array


class _Strided:
    """What numpy makes a view of."""

    def __init__(
        self, owner: Any, dtype: Any, shape: tuple[int, ...], strides: tuple[int, ...], address: int
    ) -> None:
        self.base = owner
        self.__array_interface__ = {
            "version": 3,
            "typestr": dtype.str,
            "shape": shape,
            "strides": strides,
            "data": (address, False),
        }


def _array(owner: Any) -> Any:
    """Return what owns memory as an array; no array of bytes can grow while one shows it."""
    return sys.modules["numpy"].frombuffer(owner, "u1") if type(owner) is bytearray else owner


def _address(array: Any) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def _obstacle(owner: Any, arrays: dict[int, Any], tables: Any) -> str:
    """Return why arrays that share memory cannot be pickled so that they share it again."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(owner, (numpy.ndarray, bytearray)):
        return f"it shares the memory of a {type(owner).__qualname__}"
    if len(tables) > 1:
        return "an array shows the memory of several tables"
    if isinstance(owner, numpy.ndarray) and not (
        owner.flags.c_contiguous or owner.flags.f_contiguous
    ):
        return "an array shows the memory of one whose values do not lie in order"
    kinds = (type(array) for key, array in arrays.items() if key != identity(owner))
    kind = next((kind for kind in kinds if kind is not numpy.ndarray), None)
    return f"a {kind.__qualname__} shows the memory of another array" if kind else ""
