"""igraph: graphs, with looks at their vertices and edges."""

from __future__ import annotations

OWNERS = frozenset({"Graph", "GraphBase"})
