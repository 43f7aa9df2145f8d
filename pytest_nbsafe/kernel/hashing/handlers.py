"""How the values of a class are written: as a built-in kind, as a library's, or as any object."""

from __future__ import annotations

import enum
import functools
import sys
from typing import TYPE_CHECKING, Any

from ..adapter_lookup import of_module
from . import builtin_kinds, instances
from .hasher import known_handlers

if TYPE_CHECKING:
    from .hasher import Handler

_kept: list[type] = []


def handler_of(cls: type) -> Handler:
    """Return how values of a class are written; a class of the notebook is not kept alive."""
    handler = known_handlers.get(id(cls))
    if handler is None:
        handler = _find_handler(cls)
        if cls.__module__ != "__main__":
            _kept.append(cls)
            known_handlers[id(cls)] = handler
    return handler


def _find_handler(cls: type) -> Handler:
    exact = builtin_kinds.EXACT.get(cls) if type(cls) is type else None
    if exact is not None:
        return exact
    if issubclass(cls, type):
        return instances.add_class
    library = _handler_of_library(cls)
    if library is not None:
        return library
    if issubclass(cls, enum.Enum):
        return builtin_kinds.add_enum
    cause = builtin_kinds.passing(cls)
    if cause:
        return functools.partial(builtin_kinds.refuse, cause)
    return instances.add_instance


def _handler_of_library(cls: type) -> Handler | None:
    """Return how values of a class that is, or comes from, a library's are written."""
    for base in cls.__mro__:
        adapter = of_module(type.__getattribute__(base, "__module__"))
        for module, named in getattr(adapter, "HASHED", {}).items():
            for path, handler in named.items():
                found: Any = sys.modules.get(module)
                for part in path.split("."):
                    found = getattr(found, part, None)
                if isinstance(found, type) and issubclass(cls, found):
                    return handler  # type: ignore[no-any-return]  # an adapter's
    return getattr(of_module(cls.__module__), "hash_other", None)
