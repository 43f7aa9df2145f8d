"""The names that a cell mentions."""

from __future__ import annotations

import ast

from pytest_nbsafe.kernel.tracing.names import names_of


def test_what_others_hang_on_nodes_leads_nowhere() -> None:
    """What prints tracebacks gives nodes a `parent`, also those that all trees share."""
    tree = ast.parse("x = y + f(z)")
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            child.parent = node  # type: ignore[attr-defined]
    tree.body[0].parent = tree  # type: ignore[attr-defined]
    assert names_of(tree, {}) == {"x", "y", "f", "z"}
