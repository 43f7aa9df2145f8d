"""Watches the methods of classes that learn, those of their subclasses too."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import Any

from ..functions.stand_in import OURS
from .desk import Desk, put_on


def watch_class(desk: Desk, kind: type) -> None:
    """Watch the methods of a class that learns, wherever it has them from."""
    from .watched_calls import METHODS

    for name, handler in METHODS.items():
        for base in kind.__mro__:
            found = base.__dict__.get(name)
            if found is not None:
                put_on(desk, function_in(found), name, handler)


def function_in(found: Any) -> Any:
    """Return the function behind what stands in a class: a method that is there only at times."""
    if isinstance(found, (classmethod, staticmethod)):
        return found.__func__
    return found if isinstance(found, FunctionType) else getattr(found, "fn", None)


def watch_subclasses(desk: Desk, base: Any) -> None:
    """Watch the subclasses of a class, those that are there and those that will be made."""
    own = base.__dict__.get("__init_subclass__")

    def __init_subclass__(cls: Any, /, **kwargs: Any) -> None:  # noqa: N807  # it stands for it
        if own is not None:
            own.__func__(cls, **kwargs)
        else:
            super(base, cls).__init_subclass__(**kwargs)
        if desk.on:
            try:
                watch_class(desk, cls)
            except Exception as error:
                desk.fail(error)

    __init_subclass__.__code__ = __init_subclass__.__code__.replace(co_filename=OURS)
    base.__init_subclass__ = classmethod(__init_subclass__)
    if own is None:
        desk.undo.append(lambda: delattr(base, "__init_subclass__"))
    else:
        desk.undo.append(lambda: setattr(base, "__init_subclass__", own))
    for kind in [base, *_below(base)]:
        watch_class(desk, kind)


def _below(kind: type) -> Iterator[type]:
    below: list[type] = type.__subclasses__(kind)
    for each in below:
        yield each
        yield from _below(each)
