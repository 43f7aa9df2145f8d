"""networkx: graphs, which keep views of themselves once they were asked for."""

from __future__ import annotations

CACHES = frozenset(
    {
        "__networkx_cache__", "adj", "degree", "edges", "in_degree", "in_edges", "nodes",
        "out_degree", "out_edges", "pred", "succ",
    }
)  # fmt: skip
