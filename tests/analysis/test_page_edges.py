"""What lies above and below a cell of the page."""

import percent

from pytest_nbsafe.analysis import build
from pytest_nbsafe.analysis.dependencies import downstream, page_edges, upstream

PAGE = percent.parse("# %%\na = z\n# %%\nb = a\n# %%\nc = 1\n# %%\nd = b + c\n# %%\nz = d\n")


def test_what_a_cell_is_made_from_and_what_is_made_from_it() -> None:
    graph = build.build(PAGE)
    edges = page_edges(graph)
    assert [(edge.definer, edge.reader) for edge in edges] == [(1, 2), (2, 4), (3, 4), (4, 5)]
    assert upstream(edges, 4) == (1, 2, 3)
    assert upstream(edges, 3) == ()
    assert downstream(graph, 1) == (2, 4, 5)
    assert downstream(graph, 1, 3) == (2, 4, 5)
