"""Names that a statement binds by itself, as its text shows."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
_LOOPS = (ast.For, ast.AsyncFor)


def bound_names(node: ast.stmt, *, walrus: bool = True) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names a module-level statement surely binds when it is done, and the others.

    The others: a loop's targets (its body may never run), walrus targets, captures of a pattern.
    Of a compound statement only the header counts. `walrus` False: the text is known to have none.
    """
    sure: dict[str, None] = {}
    maybe: dict[str, None] = {}
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        sure[node.name] = None
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        names = (alias.asname or alias.name.split(".")[0] for alias in node.names)
        sure.update((name, None) for name in names if name != "*")
    quick = not walrus and type(node) in _TARGETS
    for inner in _targets(node) if quick else header(node):
        if isinstance(inner, ast.NamedExpr):
            maybe[inner.target.id] = None
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            (maybe if isinstance(node, _LOOPS) else sure)[inner.id] = None
        else:
            maybe.update((name, None) for name in _captures(inner))
    return tuple(name for name in sure if name not in maybe), tuple(maybe)


_TARGETS = {ast.Assign: "targets", ast.AugAssign: "target", ast.AnnAssign: "target", ast.Expr: ""}


def _targets(node: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of what a simple statement assigns to."""
    found = getattr(node, _TARGETS[type(node)], [])
    for target in found if isinstance(found, list) else [found]:
        yield from ast.walk(target)


def header(node: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes that a statement evaluates by itself, its blocks and inner scopes left out.

    A comprehension is looked into for walrus targets, which it binds outside itself.
    """
    waiting: list[ast.AST] = list(_header_children(node))
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(inner, _SCOPES):
            yield from (deep for deep in ast.walk(inner) if isinstance(deep, ast.NamedExpr))
            continue
        yield inner
        waiting.extend(ast.iter_child_nodes(inner))


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield every statement inside a node, whatever it is nested in, without its expressions."""
    waiting = parts_of(node)
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, ast.stmt):
            yield inner
        waiting += parts_of(inner)


def parts_of(node: ast.AST) -> list[ast.AST]:
    """Return the statements and clauses right under a node."""
    found: list[ast.AST] = []
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        found += getattr(node, field, ())
    return found


def global_names(node: ast.AST) -> tuple[str, ...]:
    """Return the names that a function declares global."""
    names: dict[str, None] = {}
    for inner in statements(node):
        if isinstance(inner, ast.Global):
            names.update((name, None) for name in inner.names)
    return tuple(names)


def _header_children(node: ast.stmt) -> Iterator[ast.AST]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield from node.decorator_list
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.stmt, ast.ExceptHandler)):
            continue
        if type(child).__name__ == "match_case":
            yield from (part for part in ast.iter_child_nodes(child) if not is_stmt(part))
        else:
            yield child


def is_stmt(node: ast.AST) -> bool:
    """Tell whether a node is a statement."""
    return isinstance(node, ast.stmt)


def _captures(node: ast.AST) -> Iterator[str]:
    """Yield the names that a pattern captures (Python 3.10 and later)."""
    if type(node).__name__ in {"MatchAs", "MatchStar"}:
        name = getattr(node, "name", None)
    else:
        name = getattr(node, "rest", None) if type(node).__name__ == "MatchMapping" else None
    if name:
        yield name
