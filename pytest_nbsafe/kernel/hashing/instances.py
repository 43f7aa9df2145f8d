"""Fingerprints of classes and of objects that no other module knows."""

from __future__ import annotations

import _abc  # type: ignore[import-not-found]  # typeshed has none
import _random
import copyreg
import dataclasses
import datetime as dt
import itertools
import pathlib
import random
import types
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Any

from ..adapters import of_module
from ..contract import CODE
from ..functions.reach import fields
from . import cell_classes, class_changes
from .cell_classes import is_of_cell, stands_on_cell
from .hasher import Context, Hasher, UnknownValue, qualified
from .put_on import PutOn, slots_of, take_slots, usual_parts

_CONTAINERS: tuple[type, ...] = (dict, list, tuple, set, frozenset)
_VALUES: dict[type, Callable[[Any], object]] = {
    str: str.__str__,
    bytes: lambda value: bytes(memoryview(value)),
    bytearray: lambda value: bytes(memoryview(value)),
    int: int.__int__,
    float: float.__float__,
    complex: complex.__pos__,
}
"""How the built-in value inside an object is had, past every method of its class."""
_OF_PROPERTIES = [vars(property)[name] for name in ("fget", "fset", "fdel", "__doc__")]


def _path_of(value: Any) -> str:
    """Return the text of a path, from what it was made of: the rest is worked out when asked."""
    members = vars(pathlib.PurePath)
    parts = members.get("_raw_paths") or members["_parts"]  # before Python 3.12
    is_of_windows = issubclass(type(value), pathlib.PureWindowsPath)
    kind = pathlib.PureWindowsPath if is_of_windows else pathlib.PurePosixPath
    return str(kind(*map(str.__str__, parts.__get__(value))))


_OF_CELLS: dict[type, Callable[[Any], object]] = {
    **_VALUES,
    deque: lambda value: (list(deque.__iter__(value)), deque.maxlen.__get__(value)),
    dt.datetime: lambda value: dt.datetime.__reduce_ex__(value, _PROTOCOL)[1],
    dt.date: lambda value: dt.date.__reduce__(value)[1],
    dt.time: lambda value: dt.time.__reduce_ex__(value, _PROTOCOL)[1],
    dt.timedelta: lambda value: dt.timedelta.__reduce__(value)[1],
    Decimal: lambda value: Decimal.__reduce__(value)[1],
    pathlib.PurePath: _path_of,
    random.SystemRandom: lambda _value: (),
    _random.Random: _random.Random.getstate,
    property: lambda value: [member.__get__(value) for member in _OF_PROPERTIES],
    classmethod: vars(classmethod)["__func__"].__get__,
    staticmethod: vars(staticmethod)["__func__"].__get__,
}
"""The same for classes of cells, which may stand on what Python's library has in C, too.

A `datetime` is a `date`, what the system draws is a `Random`: they come first.
"""
_REDUCED_ALONE = (dt.datetime, dt.date, dt.time, dt.timedelta, Decimal)
"""Pickle loses what objects of classes that stand on these hold beside the value."""
_CUSTOM = ("__reduce__", "__reduce_ex__", "__getstate__", "__getnewargs__", "__getnewargs_ex__")
HOME_MODULE = cell_classes.HOME_MODULE
_STATE = 2  # its place in what `__reduce__` gives
_OF_A_TEXT = 1 << 9  # the flag of CPython for classes that are made while a program runs
_PROTOCOL = 4  # the first that tells times which come twice apart; later ones give buffers


_NOISE = frozenset(
    {
        "__dict__", "__weakref__", "__module__", "__firstlineno__", "__static_attributes__",
        "__annotate__", "__annotate_func__", "__annotations_cache__", "_abc_impl",
        "__slotnames__",  # `copy` and `pickle` leave it in a class
        "__abstractmethods__", "__dataclass_params__", "__dataclass_fields__", "__match_args__",
        "_member_map_", "_value2member_map_", "_unhashable_values_", "_unhashable_values_map_",
        "_hashable_values_",
    }
)  # fmt: skip
_ASKED = "__annotations__"  # to ask for them makes an empty dictionary, before Python 3.14


def add_class(hasher: Hasher, cls: type) -> None:
    """Write a class: one of a library by its name, one of a cell by what it is made of."""
    if not is_of_cell(cls):
        hasher.tag(f"class {qualified(cls)}")
        return
    hasher.context.marks.add(CODE)
    if issubclass(cls, type):
        hasher.context.texts.beware(cls)
    as_defined(hasher.context, cls)
    hasher.tag(f"own class {cls.__qualname__}")
    hasher.all("bases", list(cls.__bases__))
    if type(cls) is not type and type(cls).__module__ == HOME_MODULE:
        hasher.add(type(cls))
    own = type.__dict__["__dict__"].__get__(cls)
    name = vars(type)["__name__"].__get__(cls)
    if name != cls.__qualname__.rpartition(".")[2]:
        hasher.tag(f"called {name}")
    hasher.attributes({name: held for name, held in own.items() if not _is_noise(name, held)})
    noted = [*_notes_on_fields(own.get("__dataclass_fields__"))]
    if noted:
        hasher.all("noted", noted)
    if "_abc_impl" in own:
        registered = (known() for known in _abc._get_dump(cls)[0])  # noqa: SLF001  # no public one
        hasher.all("registered", sorted(qualified(each) for each in registered if each))


def _notes_on_fields(known: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a dataclass with what was noted on them; the class says all the rest."""
    for name, field in known.items() if type(known) is dict else ():
        if type(field) is dataclasses.Field and field.metadata:
            yield name, field.metadata


def _is_noise(name: str, held: object) -> bool:
    """Tell whether what a class has under a name says nothing; only a dictionary is asked more."""
    return name in _NOISE or (name == _ASKED and type(held) is dict and not held)


class _Layout:
    """What all objects of a class have in common: no code of the notebook runs during a pass.

    `own` says that the class is of a cell, or inherits from one that is. `base` is the built-in
    class that it stands on, None for none.
    """

    __slots__ = ("base", "caches", "cls", "is_told", "own", "slots", "tag")

    def __init__(self, cls: type) -> None:
        self.cls = cls  # kept alive: its number must not come again
        self.tag = f"object {qualified(cls)}"
        self.own = stands_on_cell(cls)
        self.base = _base_of(cls, _OF_CELLS if self.own else _VALUES)
        self.is_told = self.own or (self.base is not None and not _custom(cls))
        if self.base is None and not self.own:
            self.base = _lost_by_pickle(cls)
            self.is_told = self.base is not None
        of_base = "" if self.base is None else _library_of(self.base)
        self.slots = slots_of(each for each in cls.__mro__ if _library_of(each) != of_base)
        self.caches = {name for each in cls.__mro__ for name in _caches_of(each)}


def _base_of(cls: type, kinds: Iterable[type]) -> type | None:
    """Return the first container or other kind that a class stands on, None for none."""
    return next((base for base in (*_CONTAINERS, *kinds) if issubclass(cls, base)), None)


def _lost_by_pickle(cls: type) -> type | None:
    """Return on which of `_REDUCED_ALONE` a class stands that does not say how it is pickled."""
    base = next((base for base in _REDUCED_ALONE if issubclass(cls, base)), None)
    is_custom = any(name in vars(each) for each in _above(cls, base) for name in _CUSTOM)
    return None if is_custom else base


def _above(cls: type, base: type | None) -> Iterator[type]:
    """Yield the classes of which a class is made, before one that it stands on."""
    return itertools.takewhile(lambda each: each is not base, cls.__mro__)


def _caches_of(cls: type) -> Any:
    """Return which attributes follow from others, as the adapter of a class's library says."""
    return getattr(of_module(cls.__module__), "CACHES", ())


def _library_of(cls: type) -> str:
    place = type.__getattribute__(cls, "__module__")
    return place.partition(".")[0] if type(place) is str else ""


def add_instance(hasher: Hasher, value: Any) -> None:
    """Write an object by its class's name and its state."""
    cls = type(value)
    layout = hasher.layouts.get(id(cls))
    if layout is None:
        layout = hasher.layouts[id(cls)] = _Layout(cls)
    hasher.tag(layout.tag)
    if layout.own:
        add_says(hasher, cls)
    if layout.base is not None:
        _add_held(hasher, value, layout.base)
    if layout.is_told:
        _own_state(hasher, value, layout)
    else:
        _reduced(hasher, value, cls)


def as_defined(context: Context, cls: type) -> bytes:
    """Return the hash of a class as it was when it was first looked at, empty when unknown."""
    known = context.defined.get(id(cls))
    if known is None or known[0]() is not cls:
        known = weakref.ref(cls), b""
        context.defined[id(cls)] = known  # a class may hold its own objects
        class_changes.note(context, cls)
        try:
            known = (known[0], Hasher(context).apart(cls))
        except (UnknownValue, RecursionError):
            return b""
        context.defined[id(cls)] = known
    return known[1]


def add_own(hasher: Hasher, cls: type) -> bool:
    """Write what the class of an object says if it, or one it inherits from, is of a cell."""
    own = id(cls) in hasher.classes or stands_on_cell(cls)
    if own:
        add_says(hasher, cls)
    return own


def add_says(hasher: Hasher, cls: type) -> None:
    """Write what the class of an object says: another text makes it another object.

    Once for all objects of a class; where that is unknown, so are they: each leads to what the
    class holds. After a session what counts is what the class said when it was defined: a counter
    that it keeps makes the class another, not all its objects.

    Raises:
        UnknownValue: the class holds something that cannot be compared.

    """
    hasher.context.marks.add(CODE)
    content = hasher.classes.get(id(cls))
    if content is None and hasher.context.judging:
        content = hasher.classes[id(cls)] = as_defined(hasher.context, cls)
    if content is None:
        content = hasher.apart(cls)
        hasher.classes[id(cls)] = content
    hasher.raw(content)


def _add_held(hasher: Hasher, value: Any, base: type) -> None:
    """Write what the built-in base of an object holds.

    Of one whose class is of a cell what a base of Python's library holds, too.
    """
    if base is dict:
        kind = _ordered_by(hasher, value)
        hasher.all("keys", list(kind.keys(value)))
        hasher.all("values", list(kind.values(value)))
    elif base in (set, frozenset):
        hasher.unordered("held", list(base.__iter__(value)), value)
    elif base in _CONTAINERS:
        hasher.all("held", list(base.__iter__(value)))  # type: ignore[attr-defined]
    else:
        hasher.add(_OF_CELLS[base](value))


def _ordered_by(hasher: Hasher, value: Any) -> type[dict[Any, Any]]:
    """Return the class that tells the order of a dictionary: an `OrderedDict` keeps its own.

    That looks each key up, so it is not asked where a key may be of a class of the notebook.
    """
    keys = [part for key in dict.keys(value) for part in (key if type(key) is tuple else (key,))]
    is_asked = issubclass(type(value), OrderedDict) and hasher.context.are_plain(keys)
    return OrderedDict if is_asked else dict


def _own_state(hasher: Hasher, value: Any, layout: _Layout) -> None:
    """Write `__dict__` and slots, calling nothing that the class defines."""
    cls = layout.cls
    state = dict(fields(value) or {})
    if issubclass(cls, BaseException):
        hasher.add(vars(BaseException)["args"].__get__(value))
        _add_causes(hasher, value)
    elif layout.base is None and _hidden_bytes(cls, len(layout.slots)) > 0:
        cause = f"a {qualified(cls)} keeps state that cannot be seen"
        raise UnknownValue(cause)
    if layout.slots:
        take_slots(state, value, layout.slots)
    for name in layout.caches:
        state.pop(name, None)
    hasher.attributes(state, in_order=True)


def _add_exception(hasher: Hasher, value: BaseException) -> None:
    """Write an exception of Python or a library; not what a failed attribute was looked for in."""
    hasher.all("exception", [value.args, fields(value) or {}])
    members = {
        name: member.__get__(value)
        for base in type(value).__mro__
        for name, member in vars(base).items()
        if type(member) is types.MemberDescriptorType and name not in _OF_EXCEPTIONS
    }
    hasher.attributes({name: item for name, item in members.items() if item is not None})
    _add_causes(hasher, value)


_OF_EXCEPTIONS = frozenset({"obj", "__suppress_context__"})


def _add_causes(hasher: Hasher, value: BaseException) -> None:
    """Write what an exception came from, where a text will show it; not which way it took."""
    members = vars(BaseException)
    cause = members["__cause__"].__get__(value)
    if cause is not None:
        hasher.all("cause", [cause])
    if members["__traceback__"].__get__(value) is not None:
        hasher.tag("was raised")


def _hidden_bytes(cls: type, slots: int) -> int:
    """Return how much larger an object is than its slots, `__dict__` and weak references."""
    parts = slots + usual_parts(cls)
    return cls.__basicsize__ - object.__basicsize__ - tuple.__itemsize__ * parts


def _custom(cls: type) -> bool:
    """Tell whether a library class says itself how it is pickled."""
    return any(name in vars(base) for base in _above(cls, object) for name in _CUSTOM)


def _reduced(hasher: Hasher, value: Any, cls: type) -> None:
    """Write a library's object by what pickle would keep of it."""
    if issubclass(cls, BaseException):
        _add_exception(hasher, value)
        return
    held, caches = fields(value), _caches_of(cls)
    if held and getattr(of_module(cls.__module__), "STATE_IS_DICT", False):
        hasher.attributes({name: item for name, item in held.items() if name not in caches})
        return
    reducer = copyreg.dispatch_table.get(cls)
    try:
        reduced = reducer(value) if reducer is not None else cls.__reduce_ex__(value, _PROTOCOL)
    except Exception as error:
        cause = f"a {qualified(cls)} cannot be compared: {str(error)[:100]}"
        raise UnknownValue(cause) from error
    if isinstance(reduced, str):
        hasher.tag(f"global {reduced}")
        if held and cls.__flags__ & _OF_A_TEXT:  # what is found by that name may change
            hasher.attributes({name: item for name, item in held.items() if name not in caches})
        return
    if caches and len(reduced) > _STATE and type(reduced[_STATE]) is dict:
        state = {name: item for name, item in reduced[_STATE].items() if name not in caches}
        reduced = *reduced[:_STATE], state, *reduced[_STATE + 1 :]
    parts = [*reduced[:3], *(list(items) if items is not None else None for items in reduced[3:5])]
    hasher.all("reduced", parts)
    if held:
        told = reduced[_STATE : _STATE + 1]
        _add_put_on(hasher, value, told[0] if told and type(told[0]) is tuple else told)


def _add_put_on(hasher: Hasher, value: Any, states: tuple[Any, ...]) -> None:
    """Write the attributes of an object of a library that others have put on it.

    Pickle loses those of classes that tell their state themselves. What `states` tell is left.
    """
    told = frozenset().union(*(each for each in states if type(each) is dict))
    PutOn(type(value)).add(hasher, value, told)
