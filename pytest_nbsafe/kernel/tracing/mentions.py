"""The names of the notebook that a cell could access, as known before it runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from ..functions.reach import WORD, mentioned
from .bound_names import parts

_PLAIN = frozenset({int, float, str, bool, list, dict, set, tuple, type(None)})
_FUNCTIONS = frozenset({ast.FunctionDef, ast.AsyncFunctionDef})
_MAGICS = frozenset({"run_cell_magic", "run_line_magic", "system", "getoutput"})


def names_of(tree: ast.AST, home: dict[str, Any], deferred: set[str] | None = None) -> set[str]:
    """Return the names a cell mentions at module level, and through functions it mentions.

    Names that code mentions which may run later are added to `deferred`.

    Bodies of functions that the cell defines count only where the cell mentions the function.
    In magics every word that is a name of the notebook counts.
    """
    bodies: dict[str, set[str]] = {}
    found = _module_level(tree, bodies, home, set() if deferred is None else deferred)
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
    cls = type(home[name])
    if type(cls) is type and cls in _PLAIN:  # a metaclass may say how its classes are hashed
        return ()
    return mentioned(home[name], home)


def _module_level(
    tree: ast.AST, bodies: dict[str, set[str]], home: dict[str, Any], deferred: set[str]
) -> set[str]:
    found: set[str] = set()
    waiting: list[Any] = [tree]
    while waiting:
        node = waiting.pop()
        kind = type(node)
        if kind is ast.Name:
            found.add(node.id)
            continue
        if kind in _FUNCTIONS:
            inner = bodies.setdefault(node.name, set())
            inner |= _inside(node.body)
            deferred |= inner
            waiting += [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]
            continue
        if kind is ast.Call:
            found |= _in_magic(node, home)
        elif kind is ast.ClassDef:
            bodies.setdefault(node.name, set()).update(_inside([node]))
        elif kind is ast.Lambda:
            deferred |= _inside([node.body])
        elif kind is ast.GeneratorExp:  # its first iterable is evaluated at once
            later = [node.elt, *node.generators[0].ifs, *node.generators[1:]]
            deferred |= _inside([*later, node.generators[0].target])
        waiting += parts(node)
    return found


def _inside(nodes: Iterable[ast.AST]) -> set[str]:
    found: set[str] = set()
    waiting: list[Any] = list(nodes)
    while waiting:
        node = waiting.pop()
        if type(node) is ast.Name:
            found.add(node.id)
        else:
            waiting += parts(node)
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
    return {word for text in texts for word in WORD.findall(text) if word in home}
