"""Which libraries have parts of a value in memory of their own, which nobody else sees.

Two objects of one such library may be two looks at one thing, as a molecule and one of its atoms
are, a graph and its vertices, a message and a part of it: what is done to one then shows in the
other, and no reference tells so.
"""

from __future__ import annotations

import sys
import types
from typing import Any

from ..adapters import of_class
from ..functions.reach import is_own
from ..hashing.put_on import usual_parts

ANY = "memory of nobody"
"""Stands for the library of an array that shows memory of which nobody tells whose it is."""
_PYTHON_S = frozenset({"builtins", *getattr(sys, "stdlib_module_names", sys.builtin_module_names)})
_PART_BYTES = tuple.__itemsize__


def libraries_of(kind: type) -> frozenset[str]:
    """Return the libraries that have parts of a class's objects to themselves, mostly none.

    Of one that has an adapter it is known what its objects share, unless that tells the owners.
    """
    adapter = of_class(kind)
    if adapter is not None and not hasattr(adapter, "OWNERS"):
        return frozenset()
    bases = [*kind.__mro__]
    places = [place for place, base in enumerate(bases) if _has_own_bytes(base)]
    tops = {_library_of(base) for base in bases[: max(places) + 1]} if places else set()
    return frozenset(tops - _PYTHON_S)


def is_look(kind: type) -> bool:
    """Return whether objects of such a class may look at parts of others, as an atom does."""
    return kind.__name__ not in getattr(of_class(kind), "OWNERS", ())


def _has_own_bytes(base: type) -> bool:
    """Return whether objects have bytes for a class's sake that are no attribute of theirs."""
    if base.__base__ is None or is_own(base) or _library_of(base) in _PYTHON_S:
        return False
    more_bytes = base.__basicsize__ - base.__base__.__basicsize__
    more_bytes -= (usual_parts(base) - usual_parts(base.__base__)) * _PART_BYTES
    if more_bytes <= 0:
        return False
    own = type.__dict__["__dict__"].__get__(base).values()
    named = sum(type(each) is types.MemberDescriptorType for each in own)
    return more_bytes > named * _PART_BYTES


def _library_of(kind: type) -> str:
    module: Any = type.__getattribute__(kind, "__module__")
    return module.partition(".")[0] if type(module) is str else ""
