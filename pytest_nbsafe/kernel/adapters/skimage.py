"""skimage: regions of pictures, which keep what they have worked out."""

from __future__ import annotations

from typing import Any

from ..hashing import bulk, instances
from ..hashing.hasher import Handler, Hasher, UnknownValue
from . import _worked_out

CACHES = frozenset({"_cache"})


def _region(hasher: Hasher, value: Any) -> None:
    """Write a region, and what was worked out of it and then changed."""
    instances.add_instance(hasher, value)
    kept = {name: v for name, v in value._cache.items() if type(v) not in bulk.PLAIN}  # noqa: SLF001  # to see it
    if kept and value._extra_properties:  # noqa: SLF001  # functions of a cell may be among them
        raise UnknownValue("what functions of a cell worked out is not compared")
    other = _worked_out.without(value, type(value), {"_cache": {}})
    _worked_out.add_changed(hasher, kept, sorted(kept), lambda name: getattr(other, name))


HASHED: dict[str, dict[str, Handler]] = {
    "skimage.measure._regionprops": {"RegionProperties": _region},
}
