"""scipy: sparse matrices, trees and triangles."""

from __future__ import annotations

import sys
from typing import Any

from ..hashing import instances
from ..hashing.hasher import Handler, Hasher, UnknownValue, qualified
from . import Table, _worked_out

SETTERS = frozenset({"seterr"})


def table_of(value: Any) -> Table | None:
    """Return a sparse matrix as a table: row by row, its zeros left out."""
    sparse = sys.modules.get("scipy.sparse")
    if sparse is None or not sparse.issparse(value) or value.ndim != 2:
        return None
    table = Table(*value.shape)
    table.sparse = value if value.format == "csr" else value.tocsr()
    return table


def _sparse(hasher: Hasher, value: Any) -> None:
    parts = ("data", "indices", "indptr", "row", "col", "coords", "offsets", "rows", "_dict")
    held = {name: vars(value)[name] for name in parts if name in vars(value)}
    if not held:
        raise UnknownValue("a sparse matrix of this form is not compared")
    hasher.all(f"sparse {type(value).__name__}", [*value.shape, str(value.dtype)])
    hasher.attributes(held)


def _tree(hasher: Hasher, value: Any) -> None:
    """Write a tree without its nodes: they follow from the rest, and hold addresses."""
    _nodes, *state = value.__getstate__()
    hasher.all(f"tree {qualified(type(value))}", state)


_KEPT = ("transform", "vertex_neighbor_vertices", "vertex_to_simplex")


def _triangles(hasher: Hasher, value: Any) -> None:
    """Write triangles, without what they work out when they are asked, unless it was changed."""
    held = dict(vars(value))
    if held.get("_qhull") is not None:
        raise UnknownValue("triangles to which points can be added are not compared")
    kept = {f"_{name}": None for name in _KEPT}
    hasher.tag(f"triangles {qualified(type(value))}")
    instances.add_own(hasher, type(value))
    hasher.attributes({**held, **kept})
    other = _worked_out.without(value, sys.modules["scipy.spatial"].Delaunay, kept)
    _worked_out.add_changed(hasher, held, kept, lambda name: getattr(other, name[1:]))


HASHED: dict[str, dict[str, Handler]] = {
    "scipy.spatial": {"cKDTree": _tree, "Delaunay": _triangles},
    "scipy.sparse": {"spmatrix": _sparse, "sparray": _sparse},
}
