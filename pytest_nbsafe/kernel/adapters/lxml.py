"""lxml: trees of elements, which are kept outside of Python."""

from __future__ import annotations

import sys
from typing import Any

from ..hashing.hasher import Handler, Hasher, qualified


def _element(hasher: Hasher, value: Any) -> None:
    """Write the tree that an element is in, all of which it leads to, and where it is in it."""
    tree = value.getroottree()
    _tree(hasher, tree)
    hasher.tag(f"element {qualified(type(value))}")
    hasher.add(tree.getpath(value))


def _tree(hasher: Hasher, value: Any) -> None:
    hasher.tag(f"tree {qualified(type(value))}")
    if value.getroot() is not None:
        hasher.add(sys.modules["lxml.etree"].tostring(value))


HASHED: dict[str, dict[str, Handler]] = {
    "lxml.etree": {"_Element": _element, "_ElementTree": _tree},
}
