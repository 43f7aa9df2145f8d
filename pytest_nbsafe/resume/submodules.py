"""Which modules a text may reach as attributes of packages, since a run above has imported them.

An import puts a module into its package for all: after `import xml.dom.minidom`, be it within a
function that is called, `xml.dom` is there for whoever has imported `xml` alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_nbsafe.resume.bound_names import IMPORTS, statements_of
from pytest_nbsafe.resume.words import words_of

if TYPE_CHECKING:
    from pytest_nbsafe.resume.past_runs import PastRun


def reached(texts: Iterable[str], past: Sequence[PastRun]) -> frozenset[str]:
    """Return the modules that past runs were the first to import, and texts may reach by names.

    Each step of the way stands as a word in the texts: a name that the page gives to a package,
    then attributes. Not followed are packages that lie in other values.
    """
    texts = [*texts]
    words = words_of(*texts)
    sources = dict.fromkeys((*texts, *(run.source for run in past)))
    packages = {path for each in sources for name, path in _packages_named(each) if name in words}
    found = set[str]()
    while packages:
        candidates = {f"{package}.{word}" for package in packages for word in words}
        packages = {name for run in past for name in run.submodules if name in candidates} - found
        found |= packages
    return frozenset(found)


@lru_cache(maxsize=1024)
def _packages_named(source: str) -> frozenset[tuple[str, str]]:
    """Return the names that a text gives to modules, each with the path of what it imports."""
    tree = statements_of(source)
    imports = (node for node in ast.walk(tree or ast.Pass()) if isinstance(node, IMPORTS))
    return frozenset(
        _named(alias, node.module if isinstance(node, ast.ImportFrom) else "")
        for node in imports
        for alias in node.names
    )


def _named(alias: ast.alias, package: str | None) -> tuple[str, str]:
    """Return the name that a part of an import binds, and the path of what it holds then."""
    if package:
        return alias.asname or alias.name, f"{package}.{alias.name}"
    if alias.asname:
        return alias.asname, alias.name
    first = alias.name.partition(".")[0]
    return first, first
