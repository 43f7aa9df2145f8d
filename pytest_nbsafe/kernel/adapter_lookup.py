"""Finds what is known of the libraries that a kernel has loaded: one adapter a library.

No library is imported here: an adapter is asked once its library is there, or about to be.
"""

from __future__ import annotations

import functools
import pkgutil
import sys
from importlib import import_module
from typing import Any

from . import adapters

names: list[str] = [module.name for module in pkgutil.iter_modules(adapters.__path__)]
"""The libraries that have an adapter; a kernel, which has no folder, is told of them."""


@functools.lru_cache(None)
def adapter_of(library: str) -> Any:
    """Return the adapter of a library, None where it has none."""
    return import_module(f"{adapters.__name__}.{library}") if library in names else None


def of_module(module: object) -> Any:
    """Return the adapter of the library that a module belongs to, None where it has none."""
    return adapter_of(module.partition(".")[0]) if type(module) is str else None


def of_class(kind: type) -> Any:
    """Return the adapter of a class's library, or of the first one that it inherits from."""
    found = (of_module(type.__getattribute__(base, "__module__")) for base in kind.__mro__)
    return next(filter(None, found), None)


def loaded() -> list[Any]:
    """Return the adapters of all libraries that are loaded, in the order of their names."""
    return [adapter_of(name) for name in names if name in sys.modules]


def answers(question: str) -> list[Any]:
    """Return what the adapters of all loaded libraries answer that know the question."""
    found = (getattr(adapter, question, None) for adapter in loaded())
    return [answer() if callable(answer) else answer for answer in found if answer is not None]
