"""xml: documents, whose elements make room for attributes when they are shown."""

from __future__ import annotations

from typing import Any

from ..functions.reach import is_own
from ..hashing import instances
from ..hashing.hasher import Handler, Hasher, qualified


def _element(hasher: Hasher, value: Any) -> None:
    """Write an element; no room for attributes is as good as room without any."""
    if any(map(is_own, type(value).__mro__)):
        instances.add_instance(hasher, value)
        return
    parts = value.__reduce_ex__(4)[2]  # what was put on it, and its slots
    held = {name: item for part in parts for name, item in (part or {}).items()}
    hasher.tag(f"element {qualified(type(value))}")
    hasher.attributes({**held, **{name: held.get(name) or {} for name in ("_attrs", "_attrsNS")}})


HASHED: dict[str, dict[str, Handler]] = {"xml.dom.minidom": {"Element": _element}}
