"""The names of the notebook that a cell could access, as known before it runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Any

from .functions import mentioned

_WORD = re.compile(r"[^\W\d]\w*")
_MAGICS = frozenset({"run_cell_magic", "run_line_magic", "system", "getoutput"})


def names_of(tree: ast.AST, home: dict[str, Any]) -> set[str]:
    """Return the names a cell mentions at module level, and through functions it mentions.

    Bodies of functions that the cell defines count only where the cell mentions the function.
    In magics every word that is a name of the notebook counts.
    """
    bodies: dict[str, set[str]] = {}
    found = _module_level(tree, bodies, home)
    waiting = list(found)
    while waiting:
        name = waiting.pop()
        more = bodies.get(name, set()) | set(_behind(name, home))
        waiting.extend(more - found)
        found |= more
    return found


def _behind(name: str, home: dict[str, Any]) -> Iterable[str]:
    if name not in home:
        return ()
    return mentioned(home[name], home)


def _module_level(tree: ast.AST, bodies: dict[str, set[str]], home: dict[str, Any]) -> set[str]:
    found: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = bodies.setdefault(node.name, set())
            inner |= {n.id for part in node.body for n in ast.walk(part) if isinstance(n, ast.Name)}
            waiting.extend([*node.decorator_list, *node.args.defaults])
            waiting.extend(default for default in node.args.kw_defaults if default is not None)
            continue
        if isinstance(node, ast.ClassDef):
            bodies.setdefault(node.name, set()).update(
                n.id for n in ast.walk(node) if isinstance(n, ast.Name)
            )
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Call):
            found |= _in_magic(node, home)
        waiting.extend(ast.iter_child_nodes(node))
    return found


def _in_magic(node: ast.Call, home: dict[str, Any]) -> set[str]:
    function = node.func
    if not isinstance(function, ast.Attribute) or function.attr not in _MAGICS:
        return set()
    texts = [
        arg.value
        for arg in node.args
        if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
    ]
    return {word for text in texts for word in _WORD.findall(text) if word in home}
