"""zarr: arrays that lie in stores, in files most of the time."""

from __future__ import annotations

from typing import Any

from ..hashing.hasher import Handler, Hasher, UnknownValue
from ..hashing.instances import add_instance


def _stored(hasher: Hasher, value: Any) -> None:
    """Write what lies in memory; of the rest an object has but the place."""
    if type(getattr(value, "store", value)).__name__ != "MemoryStore":
        raise UnknownValue("what zarr has in a store outside of memory is not compared")
    add_instance(hasher, value)


HASHED: dict[str, dict[str, Handler]] = {
    "zarr": {"Array": _stored, "Group": _stored},
    "zarr.abc.store": {"Store": _stored},
}
