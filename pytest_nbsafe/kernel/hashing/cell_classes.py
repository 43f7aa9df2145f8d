"""Which classes stand in cells, or on classes that do."""

from __future__ import annotations

import sys
import types

HOME_MODULE = "__main__"
_MAKER = "types"
"""The module of classes that `types.new_class` makes, for others too."""
_OF_C = frozenset(
    {types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType}
    | {types.BuiltinFunctionType}
)
"""What no class that is written in Python has."""


def stands_on_cell(cls: type) -> bool:
    """Tell whether a class, or one that it inherits from, is of a cell."""
    return any(map(is_of_cell, cls.__mro__))


def is_of_cell(cls: type) -> bool:
    """Tell whether a class is of a cell, or was made as it ran: no module has it under its name."""
    place = cls.__module__
    if place == HOME_MODULE:
        return True
    is_found = place in sys.modules and (place != _MAKER or hasattr(types, cls.__qualname__))
    return not is_found and not any(type(held) in _OF_C for held in [*vars(cls).values()])
