"""pyproj: systems of coordinates, and ways from one to another, none of which changes."""

from __future__ import annotations

_COMPILED = frozenset({"pyproj._crs", "pyproj._geod", "pyproj._transformer", "pyproj.list"})


def is_constant(kind: type) -> bool:
    """Tell whether values of a class cannot change."""
    return kind.__module__ in _COMPILED
