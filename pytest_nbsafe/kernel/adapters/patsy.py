"""patsy: what a formula became, which refuses to be pickled, but is no more than its attributes."""

from __future__ import annotations

from typing import Any

from ..functions.reach import fields
from ..hashing import instances
from ..hashing.hasher import Hasher, qualified


class _Plain:
    """An object with attributes alone, to compare the size of others with."""


def hash_other(hasher: Hasher, value: Any) -> None:
    """Write a part of a formula; a design matrix, which is an array, by what it is pickled as."""
    cls = type(value)
    held = fields(value)
    if held is None or cls.__basicsize__ != _Plain.__basicsize__ or cls.__itemsize__:
        instances.add_instance(hasher, value)
        return
    hasher.tag(f"part {qualified(cls)}")
    hasher.attributes(held)
