"""Dataclasses at a tenth of what they cost a start: nothing is compiled until it is needed.

`dataclass`, `field` and `replace` are used, and seen by type checkers, as those of the module
`dataclasses`. That module compiles six methods for each class, half a millisecond whenever a
process starts; for a hundred classes this was a third of a cold `nbsafe check`. Here `__init__`
alone is compiled, at a class's first instance; the other methods are closures.

Left out, since nothing here needs it: inherited fields, `__post_init__`, `InitVar`, keyword-only
fields, ordering, and other options of `field` than a default factory and `compare`.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace

__all__ = ["dataclass", "field", "replace"]


class _Field(NamedTuple):
    """What stands in a class's body for a field whose default is made for each instance."""

    default_factory: Callable[[], Any]
    compare: bool


def _field(*, default_factory: Callable[[], Any], compare: bool = True) -> Any:
    return _Field(default_factory, compare)


def _dataclass(cls: type | None = None, *, frozen: bool = False, slots: bool = False) -> Any:
    """Return a class with the methods of a dataclass, or what makes such a class."""

    def make(bare: type) -> type:
        return _made(bare, frozen=frozen, slots=slots)

    return make if cls is None else make(cls)


def _replace(value: Any, /, **changes: Any) -> Any:
    for name in value.__match_args__:
        if name not in changes:
            changes[name] = getattr(value, name)
    return type(value)(**changes)


def _made(bare: type, *, frozen: bool, slots: bool) -> type:
    marks = bare.__annotations__
    names = tuple(name for name, mark in marks.items() if not mark.startswith("ClassVar"))
    body = {k: v for k, v in bare.__dict__.items() if k not in {"__dict__", "__weakref__"}}
    defaults = {name: body.pop(name) for name in names if name in body}
    compared = [n for n in names if not _is(defaults.get(n), compare=False)]
    methods = {
        "__match_args__": names,
        "__dataclass_fields__": _Fields(defaults),
        "__reduce__": _reduce,
        "__repr__": _repr,
        **_comparing(_key(compared), frozen=frozen),
        **({"__setattr__": _setattr, "__delattr__": _delattr} if frozen else {}),
        **({"__slots__": (*names, "_hash") if frozen else names} if slots else {}),
    }
    cls: Any = type(bare)(bare.__name__, bare.__bases__, {**methods, **body})
    cls.__qualname__ = bare.__qualname__
    cls.__init__ = _starter(cls, names, defaults, frozen=frozen)
    value_class: type = cls
    return value_class


def _is(default: object, *, compare: bool) -> bool:
    return isinstance(default, _Field) and default.compare is compare


# -- __init__ --------------------------------------------------------------------------------------


def _starter(
    cls: Any, names: tuple[str, ...], defaults: dict[str, Any], *, frozen: bool
) -> Callable[..., None]:
    """Return an `__init__` that compiles the class's own at its first call, and hands on."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it becomes one
        cls.__init__ = _init(cls, names, defaults, frozen=frozen)
        cls.__init__(self, *args, **kwargs)

    return __init__


def _init(
    cls: type, names: tuple[str, ...], defaults: dict[str, Any], *, frozen: bool
) -> Callable[..., None]:
    """Return an `__init__` with a parameter for each field; what is frozen is set at its slot."""
    scope: dict[str, Any] = {"_FACTORY": _FACTORY}
    parameters, lines = ["self"], []
    for name in names:
        value = name
        if name in defaults:
            default = defaults[name]
            if isinstance(default, _Field):
                scope[f"_make_{name}"] = default.default_factory
                parameters.append(f"{name}=_FACTORY")
                value = f"_make_{name}() if {name} is _FACTORY else {name}"
            else:
                scope[f"_default_{name}"] = default
                parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        if frozen:
            scope[f"_set_{name}"] = _setter(cls, name)
            lines.append(f"  _set_{name}(self, {value})")
        else:
            lines.append(f"  self.{name} = {value}")
    text = f"def __init__({', '.join(parameters)}):\n" + ("\n".join(lines) or "  pass")
    exec(text, scope)  # noqa: S102 - as `dataclasses` does; the text is made of a class's own names
    init: Callable[..., None] = scope["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


_FACTORY = object()


def _setter(cls: type, name: str) -> Callable[[Any, Any], None]:
    slot: Any = cls.__dict__.get(name)
    if slot is None:  # a class without slots
        return lambda self, value: object.__setattr__(self, name, value)
    setter: Callable[[Any, Any], None] = slot.__set__
    return setter


# -- the other methods -----------------------------------------------------------------------------


def _key(names: list[str]) -> Callable[[Any], Any]:
    return attrgetter(*names) if names else lambda _: ()


def _comparing(key: Callable[[Any], Any], *, frozen: bool) -> dict[str, Callable[..., Any] | None]:
    def __eq__(self: Any, other: Any) -> Any:  # noqa: N807 - it becomes one
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:  # noqa: N807
        # Values hold values: what two of them share would be hashed again for each.
        try:
            known: int = self._hash
        except AttributeError:
            known = hash(key(self))
            object.__setattr__(self, "_hash", known)
        return known

    return {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__qualname__}({shown})"


def _reduce(self: Any) -> tuple[type, tuple[Any, ...]]:
    """Say how copies and pickles are made: the slots are set again."""
    return type(self), tuple(getattr(self, name) for name in self.__match_args__)


def _setattr(_self: object, name: str, _value: object) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(_self: object, name: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


class _Fields:
    """The fields as the module `dataclasses` knows them, made when it asks (`asdict`, `fields`)."""

    def __init__(self, defaults: dict[str, Any]) -> None:
        self._defaults = defaults

    def __get__(self, _value: object, cls: Any) -> Any:
        import dataclasses

        def described(name: str) -> Any:
            if name not in self._defaults:
                return dataclasses.field()
            default = self._defaults[name]
            if isinstance(default, _Field):
                return dataclasses.field(**default._asdict())
            return dataclasses.field(default=default)

        fields = [(name, Any, described(name)) for name in cls.__match_args__]
        twin: Any = dataclasses.make_dataclass(cls.__name__, fields)
        cls.__dataclass_fields__ = twin.__dataclass_fields__  # once a class
        return twin.__dataclass_fields__


if not TYPE_CHECKING:
    dataclass, field, replace = _dataclass, _field, _replace
