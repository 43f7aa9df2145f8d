"""Co-variables as streams of pickle, with large buffers beside the stream."""

from __future__ import annotations

import importlib
import io
import math
import pickle
import re
import struct
import sys
import types
import typing
from collections.abc import Iterator
from typing import Any

from ..adapters import of_class
from ..functions.reach import fields
from ..identity import identity
from .arrays import Plan
from .reachable import Surface, is_constant_value

_DEPTH = 6
_PARTS_OF_PICKLE = 5
"""How many parts a reduction has; one more says how another state is given to what is made."""
_COMPILED_FUNCTION = "cython_function_or_method"
_NAN = re.compile(rb"G[\x7f\xff](?:[\xf1-\xff]|\xf0(?!\0{6}))", re.DOTALL)
"""How a stream of pickle begins to write a float that is no number."""
_DOUBLE = ">d"
_CLASSES_AND_FUNCTIONS = (type, types.FunctionType, types.BuiltinFunctionType)


class Refused(BaseException):
    """Stops what a value would do to the outside while it is pickled or loaded."""


class Dump:
    """What pickle made of values: its stream and buffers.

    `needs` are names of the notebook that it refers to. `adds_state` where an adapter wrote what
    the library leaves out. `cause` says why it cannot be loaded as it was.
    """

    __slots__ = ("adds_state", "buffers", "cause", "needs", "stream")

    def __init__(self) -> None:
        self.stream = b""
        self.cause = ""
        self.buffers: list[pickle.PickleBuffer] = []
        self.needs: set[str] = set()
        self.adds_state = False


def dump(values: dict[str, Any], plan: Plan, surface: Surface) -> Dump:
    """Return values as pickle writes them; it raises whatever their classes raise."""
    made, file = Dump(), io.BytesIO()
    _Pickler(file, made, plan, surface).dump(values)
    made.stream = file.getvalue()
    if not _NAN.search(made.stream):
        return made
    made, file = Dump(), io.BytesIO()
    pickler = _NanPickler(file, made, plan, surface)
    pickler.dump(values)
    nans = pickler.nans
    del pickler  # it refers to all that it has written
    made.stream, made.cause = file.getvalue(), _shared_nan(nans, values)
    return made


def load(stream: Any, buffers: list[Any]) -> dict[str, Any]:
    """Return the values by name; it raises whatever their classes raise."""
    loaded: dict[str, Any] = _Unpickler(io.BytesIO(stream), buffers=buffers).load()
    return loaded


class _Pickler(pickle.Pickler):
    """Refers to modules, and to what modules hold, by name; keeps views of arrays as views."""

    def __init__(self, file: io.BytesIO, made: Dump, plan: Plan, surface: Surface) -> None:
        super().__init__(file, 5, buffer_callback=made.buffers.append)
        self._made, self._plan, self._surface = made, plan, surface
        numpy = sys.modules.get("numpy")
        self._array = numpy.ndarray if numpy is not None else None
        self._reducers: dict[int, Any] = {}

    def reducer_override(self, obj: Any) -> Any:
        """Return how a value is pickled, `NotImplemented` for the usual way."""
        kind = type(obj)
        if kind is self._array:
            return self._plan.reduced(obj)
        if issubclass(kind, _CLASSES_AND_FUNCTIONS):
            self._note(obj)
            return NotImplemented
        if kind is types.ModuleType:
            return importlib.import_module, (obj.__name__,)
        if kind.__name__ == _COMPILED_FUNCTION:  # it says its name itself
            return NotImplemented
        if identity(obj) in self._surface.elsewhere and not is_constant_value(obj):
            module, name = self._surface.place_of(obj)
            return getattr, (sys.modules[module], name)
        if identity(kind) not in self._reducers:  # a class may say itself what it is equal to
            self._reducers[identity(kind)] = getattr(of_class(kind), "reduced", None)
        reducer = self._reducers[identity(kind)]
        reduced = NotImplemented if reducer is None else reducer(obj)
        self._made.adds_state |= reduced is not NotImplemented and len(reduced) > _PARTS_OF_PICKLE
        return reduced

    def _note(self, thing: Any) -> None:
        if thing.__module__ == "__main__":
            self._made.needs.add(thing.__qualname__.partition(".")[0])


# ------------------------------------------------------------------ floats that are no numbers


Nans = typing.Dict[int, typing.Tuple[int, float, int]]  # noqa: UP006  # Python 3.8 has no other


class _NanPickler(_Pickler):
    """Keeps which NaN is which object: lists, sets and dictionaries find one by that alone.

    Those of NumPy and of Python are found where they lie, others are `nans`: by identity the
    number of each, the object, and how often it was met.
    """

    def __init__(self, file: io.BytesIO, made: Dump, plan: Plan, surface: Surface) -> None:
        super().__init__(file, made, plan, surface)
        self.nans: Nans = {}
        self._homes = {identity(math.nan): math.__name__}
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            self._homes[identity(numpy.nan)] = numpy.__name__

    def persistent_id(self, obj: Any) -> Any:
        """Return what stands for a value in the stream, None for itself."""
        if type(obj) is not float or not math.isnan(obj):
            return None
        home = self._homes.get(identity(obj))
        if home is not None:
            return home
        number, _, count = self.nans.get(identity(obj), (len(self.nans), obj, 0))
        self.nans[identity(obj)] = number, obj, count + 1
        return number, struct.pack(_DOUBLE, obj)


class _Unpickler(pickle.Unpickler):
    """Gives one object for each NaN that was one."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._nans: dict[int, float] = {}

    def persistent_load(self, pid: Any) -> Any:
        """Return what stands for a value in the stream."""
        if type(pid) is str:
            return importlib.import_module(pid).nan
        number, data = pid
        return self._nans.setdefault(number, *struct.unpack(_DOUBLE, data))


def _shared_nan(nans: Nans, values: dict[str, Any]) -> str:
    """Return that a NaN is held elsewhere too, where it would be another once this is loaded."""
    alone = _references((0, float("nan"), 0))
    for noted in nans.values():
        _, nan, count = noted
        bound = sum(value is nan for value in values.values())  # it is in the namespace, too
        del nan
        if _references(noted) > count + bound + alone:
            return "a NaN in it is held elsewhere too"
    return ""


def _references(noted: tuple[int, float, int]) -> int:
    """Return how many references there are to a float, those of who asks among them."""
    return sys.getrefcount(noted[1])


# ------------------------------------------------------------------ what cannot be pickled


def culprit(names: dict[str, Any], plan: Plan, surface: Surface) -> tuple[str, str]:
    """Return the part of the values that cannot be pickled, as a text has it, and why not."""
    place, cause, below = "", "", iter(names.items())
    for _ in range(_DEPTH):
        for step, value in below:
            error = _error(value, plan, surface)
            if error:
                place, cause, below = place + step, error, _within(value)
                break
        else:
            break
    return place, cause


def _error(value: Any, plan: Plan, surface: Surface) -> str:
    try:
        _Pickler(io.BytesIO(), Dump(), plan, surface).dump(value)
    except Refused as refused:
        return str(refused)
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    return ""


def _within(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a value, each with how it is had from the value."""
    kind = type(value)
    if kind is dict:
        yield from ((f"[{key!r}]"[:80], item) for key, item in value.items())
    elif kind is list or kind is tuple:
        yield from ((f"[{place}]", item) for place, item in enumerate(value))
    else:
        held = fields(value) or {}
        yield from ((f".{name}", item) for name, item in held.items())
