"""Attributes that others have put on an object of a library, of which the library tells nothing."""

from __future__ import annotations

import dis
import types
from collections.abc import Container, Iterable, Iterator
from typing import Any

from ..functions.reach import fields_of, inside, names_of_code
from .cell_classes import is_of_cell
from .hasher import Hasher


class PutOn:
    """Which attributes of the objects of a class are not its library's.

    A library sets those that its classes define, or that their code sets, or asks of `self`: it
    tells them, or leaves them out for a reason. Of its own objects those that are not public are
    its own as well, of one whose class stands on a cell all that the code of the cell mentions is
    not.

    A known imprecision: an attribute of a name that the code of the library sets, be it of other
    objects, and no code of a class of a cell mentions, is taken for one of the library.
    """

    __slots__ = ("_get", "_of_library", "_others", "_own", "_slots", "_words")

    def __init__(self, cls: type) -> None:
        bases = cls.__mro__[:-1]
        self._own = [base for base in bases if is_of_cell(base)]
        self._others = [base for base in bases if not is_of_cell(base)]
        self._of_library: set[str] = set()  # as far as was asked
        self._words: set[str] | None = None
        self._get = fields_of(cls)
        self._slots = slots_of(self._own)

    def is_possible(self) -> bool:
        """Tell whether there is a place for such attributes."""
        return self._get is not None or bool(self._slots)

    def add(self, hasher: Hasher, value: Any, told: Container[str] = ()) -> None:
        """Write the attributes that are not the library's, and not `told` already."""
        known = self._of_library
        held = self._get(value) if self._get is not None else ()
        new = [name for name in held if type(name) is not str or name not in known]
        if not (new or self._slots):
            return
        left: dict[str, Any] = {}
        for name in new:
            if type(name) is str and self._is_of_library(name):
                known.add(name)
            elif type(name) is not str or name not in told:
                left[name] = held[name]
        take_slots(left, value, self._slots)
        if left:
            hasher.attributes(left)

    def _is_of_library(self, name: str) -> bool:
        is_private = not self._own and name[:1] == "_"
        return is_private or (self._is_mentioned(name) and not self._is_own(name))

    def _is_mentioned(self, name: str) -> bool:
        bases = (base for base in self._others if name in _words_of_library(base))
        return any(_keeps(base, name) for base in bases)

    def _is_own(self, name: str) -> bool:
        """Tell whether a cell mentions a name where no property of the library keeps its result."""
        if self._words is None:
            self._words = {word for base in self._own for word in _words(base)}
        members = (vars(base)[name] for base in self._others if name in vars(base))
        return name in self._words and not any(map(_is_property, members))


def _is_property(member: object) -> bool:
    return hasattr(type(member), "__get__") and type(member) is not types.FunctionType


# ------------------------------------------------------------------ slots


def slots_of(bases: Iterable[type]) -> list[tuple[str, Any]]:
    """Return the slots of classes, under names that differ: another may have one of that name."""
    members = [pair for base in bases for pair in vars(base).items()]
    has_attributes = any(name == "__dict__" for name, _ in members)  # of any name
    slots: dict[str, Any] = {}
    for name, member in members:
        if type(member) is types.MemberDescriptorType:
            is_alone = name not in slots and not has_attributes
            slots[name if is_alone else f"{name} {len(slots)}"] = member
    return [*slots.items()]


def take_slots(state: dict[str, Any], value: Any, slots: list[tuple[str, Any]]) -> None:
    """Put what an object holds in slots into its state, those left out that are empty."""
    for name, member in slots:
        try:
            state[name] = member.__get__(value)
        except AttributeError:
            continue


# ------------------------------------------------------------------ words

_known: dict[int, tuple[type, frozenset[str]]] = {}


def _words_of_library(base: type) -> frozenset[str]:
    """Return the words of a class of a library, which do not change."""
    known = _known.get(id(base))
    if known is None:
        known = _known[id(base)] = base, frozenset(_words(base))
    return known[1]


def _keeps(base: type, name: str) -> bool:
    """Return whether the objects of a class may keep an attribute, by what it defines or does."""
    members = vars(base)
    if name in members and type(members[name]) is not types.FunctionType:
        return True
    functions = (each for member in [*members.values()] for each in _functions_of(member))
    return any(
        _sets(code, name)
        for function in functions
        for code in (function.__code__, *inside(function.__code__))
    )


_BY_TEXT = frozenset({"setattr", "__setattr__", "__dict__"})


def _sets(code: types.CodeType, name: str) -> bool:
    """Return whether code sets an attribute, or asks for it of `self`, where others set it."""
    if name in code.co_consts and not _BY_TEXT.isdisjoint(code.co_names):
        return True
    of_self = False
    for step in dis.get_instructions(code) if name in code.co_names else ():
        if step.argval == name and (
            step.opname == "STORE_ATTR" or (of_self and step.opname in _ASKS)
        ):
            return True
        loaded = step.argval if step.opname.startswith("LOAD_FAST") else ""
        of_self = loaded == "self" or loaded[-1:] == ("self",)
    return False


_ASKS = frozenset({"LOAD_ATTR", "LOAD_METHOD"})


def _words(base: type) -> Iterator[str]:
    """Yield the names that a class defines, and those that its code mentions."""
    for name, member in [*vars(base).items()]:
        yield name
        for code in (function.__code__ for function in _functions_of(member)):
            yield from names_of_code(code)
            yield from (const for const in code.co_consts if type(const) is str)


def _functions_of(member: Any) -> Iterator[types.FunctionType]:
    """Yield the functions that a class holds as one of its attributes, those in others too."""
    parts = [member]
    if type(member) is property:
        parts = [member.fget, member.fset, member.fdel]
    elif type(member) in (staticmethod, classmethod):
        parts = [member.__func__]
    for part in parts:
        if type(part) is types.FunctionType:
            yield part
            yield from _functions_of(vars(part).get("__wrapped__"))


def usual_parts(cls: type) -> int:
    """Return of how many of the two that most objects have, attributes and weak references, it has.

    Later Pythons keep them in front of an object, where they do not count.
    """
    return (cls.__dictoffset__ not in {0, -1}) + (cls.__weakrefoffset__ > 0)
