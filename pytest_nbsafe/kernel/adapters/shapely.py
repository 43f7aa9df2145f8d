"""shapely: shapes, none of which changes once it is made."""

from __future__ import annotations

_COMPILED = "shapely.lib"  # before version 2 a shape could be changed, and was of Python


def is_constant(kind: type) -> bool:
    """Tell whether values of a class cannot change: shapes, and trees of shapes."""
    return any(base.__module__ == _COMPILED for base in kind.__mro__)
