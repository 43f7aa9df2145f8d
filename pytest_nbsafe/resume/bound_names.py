"""Which names the statements of a text bind, and which of them it only imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from pytest_nbsafe import patterns
from pytest_nbsafe.libraries import datafiles
from pytest_nbsafe.resume.questions import parsed

IMPORTS = (ast.Import, ast.ImportFrom)
_MULTILINE = 8
"""`re.MULTILINE`, without `re`."""
_MAGIC = patterns.compile(r"^[%!?].*$", _MULTILINE)
_NAMES = ("name", "rest")
"""Fields of trees that hold the name of a function, of an exception, or of a part of a pattern."""


def statements_of(source: str) -> ast.Module | None:
    """Return the tree of a text; None where it holds what is no Python and may bind names.

    A magic that only sets something stands in it as a text.
    """
    known = datafiles.words("magics", "setting")
    for magic in _MAGIC.finditer(source):
        words = magic[0].removeprefix("%").split()
        if not words or words[0] not in known or set("$?;{") & set(magic[0]):
            return None
    return parsed(_MAGIC.sub(lambda magic: repr(magic[0]), source))


@lru_cache(maxsize=1024)
def imported_names(source: str) -> frozenset[str]:
    """Return the names that a text only imports: what they hold is as a module has it."""
    tree = statements_of(source)
    statements = tree.body if tree is not None else ()
    imports, others = set[str](), set[str]()
    for statement in statements:
        (imports if isinstance(statement, IMPORTS) else others).update(bound(statement))
    return frozenset(imports - others)


def bound(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement may bind or remove, those within functions too."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                yield node.id
        elif isinstance(node, ast.alias):
            yield name_of(node)
        else:
            names = (getattr(node, field, None) for field in _NAMES)
            yield from (name for name in names if isinstance(name, str))


def name_of(alias: ast.alias) -> str:
    """Return the name that a part of an import binds."""
    return alias.asname or alias.name.partition(".")[0]
