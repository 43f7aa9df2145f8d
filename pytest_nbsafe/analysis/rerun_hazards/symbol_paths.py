"""Symbols in a cell's text: which expressions are the same one, and which labels they name."""

from __future__ import annotations

import ast
import re

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis.scopes import root

ANY = "?"
"""Stands for a label that is not plainly written."""

_TESTS = frozenset({
    "isin", "notnull", "notna", "isnull", "isna", "between", "duplicated", "contains", "startswith",
    "endswith", "match", "isfinite", "isnan", "eq", "ne", "gt", "ge", "lt", "le",
})  # fmt: skip
_LABELLED = frozenset({"columns", "labels", "keys", "index"})


Path = tuple[object, ...]
"""A name, then the keys and attributes under it; () for what is no symbol."""


def path_of(node: ast.expr) -> Path:
    """Return what is the same for the same symbol: `df.a` and `df['a']` are one."""
    parts: list[object] = []
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
        elif isinstance(node, ast.Subscript):
            parts.append(_key(node.slice))
        else:
            return ()
        node = node.value
    parts.append(node.id)
    return tuple(reversed(parts))


def _key(node: ast.expr) -> object:
    if isinstance(node, ast.Constant):
        return node.value
    return (node.id,) if isinstance(node, ast.Name) else (ast.dump(node, annotate_fields=False),)


def is_at(path: Path, node: ast.expr) -> bool:
    """Tell whether an expression is the symbol with this path."""
    if len(path) == 1:
        return isinstance(node, ast.Name) and node.id == path[0]
    return isinstance(node, ast.Attribute | ast.Subscript) and path_of(node) == path


def is_test(node: ast.expr) -> bool:
    """Tell whether an index is a test of each row, which picks the same rows when done again."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Invert) and is_test(node.operand)
    if isinstance(node, ast.BinOp):
        both = is_test(node.left) and is_test(node.right)
        return isinstance(node.op, ast.BitAnd | ast.BitOr) and both
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in _TESTS
    return isinstance(node, ast.Compare)


def names(node: ast.AST) -> set[str]:
    """Return the names that stand anywhere in a piece of code."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def labels(node: ast.expr) -> list[object]:
    """Return the constant labels of a key or a list of keys, empty when they are not all plain."""
    parts = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    plain = [part.value for part in parts if isinstance(part, ast.Constant)]
    return list(plain) if len(plain) == len(parts) else []


def dropped(call: ast.Call) -> list[object]:
    """Return the labels that `drop(...)` or `set_index(...)` takes out, empty when not plain."""
    given = call.args[:1] or [k.value for k in call.keywords if k.arg in _LABELLED]
    return labels(given[0]) if given else []


_EVALUATED = patterns.compile(r"^[ \t]*(\w+)[ \t]*=(?!=)", re.MULTILINE)


def stored_labels(tree: ast.Module, watched: frozenset[str]) -> dict[str, set[object]]:
    """Return the keys that a cell stores under each name: they are there for a second run.

    Not those that it reads for it (`df['a'] = f(df['a'])`), which must be there before.
    """
    stored: dict[str, set[object]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            bottom = root(node.func)
            if bottom is not None and bottom.id in watched:
                stored.setdefault(bottom.id, set()).update(_added(node, node.func.attr))
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            bottom = root(target)
            if isinstance(target, ast.Subscript) and bottom is not None and bottom.id in watched:
                path = path_of(target)
                parts = (part for part in ast.walk(node.value) if isinstance(part, ast.expr))
                if not any(is_at(path, part) for part in parts):
                    stored.setdefault(bottom.id, set()).update(labels(target.slice) or [ANY])
    return stored


def _added(call: ast.Call, method: str) -> list[object]:
    """Return the columns that `insert`, `assign` and `eval("c = a + b")` add."""
    if method == "insert" and len(call.args) > 1:
        return labels(call.args[1])
    if method == "eval" and call.args:
        text = call.args[0].value if isinstance(call.args[0], ast.Constant) else None
        return _EVALUATED.findall(text) if isinstance(text, str) else [ANY]
    return [keyword.arg for keyword in call.keywords] if method == "assign" else []


def names_and_calls(node: ast.stmt) -> tuple[set[str], list[ast.Call]]:
    """Return the names of a statement and its calls, those in the body of a lambda left out."""
    mentioned: set[str] = set()
    called: list[ast.Call] = []
    todo: list[ast.AST] = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, ast.Name):
            mentioned.add(part.id)
            continue
        if isinstance(part, ast.Lambda):
            mentioned |= names(part)
            continue
        if isinstance(part, ast.Call):
            called.append(part)
        todo.extend(ast.iter_child_nodes(part))
    return mentioned, called
