"""Names that statements bind, and those that a cell could access, as their text shows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ..functions.reach import WORD, mentioned

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SCOPES = (
    *DEFINITIONS, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
_LOOPS = (ast.For, ast.AsyncFor)


def bound_names(node: ast.stmt, *, walrus: bool = True) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names a module-level statement surely binds when it is done, and the others.

    The others: a loop's targets (its body may never run), walrus targets, captures of a pattern.
    Of a compound statement only the header counts. `walrus` False: the text is known to have none.
    """
    if not walrus and type(node) in _TARGETS:
        return _assigned(node), ()
    sure: dict[str, None] = {}
    maybe: dict[str, None] = {}
    if isinstance(node, DEFINITIONS):
        sure[node.name] = None
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        names = (alias.asname or alias.name.split(".")[0] for alias in node.names)
        sure.update((name, None) for name in names if name != "*")
    for inner in header(node):
        if isinstance(inner, ast.NamedExpr):
            maybe[inner.target.id] = None
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            (maybe if isinstance(node, _LOOPS) else sure)[inner.id] = None
        else:
            captured = getattr(inner, _CAPTURES.get(type(inner).__name__, ""), None)
            if captured:
                maybe[captured] = None
    return tuple(name for name in sure if name not in maybe), tuple(maybe)


_TARGETS = {ast.Assign: "targets", ast.AugAssign: "target", ast.AnnAssign: "target", ast.Expr: ""}


def _assigned(node: ast.stmt) -> tuple[str, ...]:
    """Return the names that a simple statement without assignment expressions binds."""
    targets: Any = getattr(node, _TARGETS[type(node)], [])
    names: dict[str, None] = {}
    for target in targets if type(targets) is list else [targets]:
        for inner in [target] if type(target) is ast.Name else ast.walk(target):
            if type(inner) is ast.Name and type(inner.ctx) is ast.Store:
                names[inner.id] = None
    return tuple(names)


def header(node: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes that a statement evaluates by itself, its blocks and inner scopes left out.

    A comprehension is looked into for walrus targets, which it binds outside itself.
    """
    waiting: list[ast.AST] = list(_header_children(node))
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, (*DEFINITIONS, ast.Lambda)):
            continue
        if isinstance(inner, _SCOPES):
            yield from (deep for deep in ast.walk(inner) if isinstance(deep, ast.NamedExpr))
            continue
        yield inner
        waiting.extend(ast.iter_child_nodes(inner))


def parts(node: Any) -> list[Any]:
    """Return what is right under a node and may hold names; texts and None may be among it.

    Quicker than the functions of `ast`, which yield contexts and operators too. What is no field
    is left out: what prints tracebacks leaves a `parent` in nodes that all trees share.
    """
    kind = type(node)
    fields = _FIELDS.get(kind)
    if fields is None:
        names = getattr(kind, "_fields", ())
        fields = _FIELDS[kind] = tuple(name for name in names if name not in _NAMELESS)
    held = vars(node) if fields else {}
    children: list[Any] = []
    for field in fields:
        value = held.get(field)
        if type(value) is list:
            children += value
        elif value is not None:
            children.append(value)
    return children


_FIELDS: dict[type, tuple[str, ...]] = {ast.Constant: ()}
_NAMELESS = frozenset(
    {"attr", "conversion", "ctx", "id", "kind", "names", "op", "ops", "type_comment"}
)


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
    children: list[ast.AST] = []
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        children += getattr(node, field, ())
    return children


def global_names(node: ast.AST) -> tuple[str, ...]:
    """Return the names that a function declares global."""
    names: dict[str, None] = {}
    for inner in statements(node):
        if isinstance(inner, ast.Global):
            names.update((name, None) for name in inner.names)
    return tuple(names)


def without_statements(node: ast.AST) -> list[ast.AST]:
    """Return what is right under a node and is no statement."""
    return [part for part in ast.iter_child_nodes(node) if not isinstance(part, ast.stmt)]


def _header_children(node: ast.stmt) -> Iterator[ast.AST]:
    if isinstance(node, DEFINITIONS):
        yield from node.decorator_list
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.stmt, ast.ExceptHandler)):
            continue
        if type(child).__name__ == "match_case":
            yield from without_statements(child)
        else:
            yield child


_CAPTURES = {"MatchAs": "name", "MatchStar": "name", "MatchMapping": "rest"}
"""The field of a pattern that holds the name it captures (Python 3.10 and later)."""
_PYTHONS_OWN = re.compile(r"__\w+__")
_NAMING = {
    **dict.fromkeys(("FunctionDef", "AsyncFunctionDef", "ClassDef", "ExceptHandler"), "name"),
    **dict.fromkeys(("TypeVar", "ParamSpec", "TypeVarTuple"), "name"),
    **_CAPTURES,
}
"""The field of a node that holds the name it binds as a text."""


def without_pythons(names: Iterable[str]) -> list[str]:
    """Return names in order, without those that every module has, such as `__name__`."""
    return sorted(name for name in names if not _PYTHONS_OWN.fullmatch(name))


def all_bound(tree: ast.AST, *, in_comprehensions: bool = True) -> set[str]:
    """Return all names that code binds or removes anywhere, those of its functions alone, too.

    What a comprehension binds is its own: such names are among them only if they are to be.
    """
    bound: set[str] = set()
    local: set[int] = set()
    for node in ast.walk(tree):  # a comprehension comes before its parts
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load) and id(node) not in local:
                bound.add(node.id)
        elif isinstance(node, ast.comprehension):
            if not in_comprehensions:
                local.update(map(id, ast.walk(node.target)))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            bound.update(each.asname or each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.Global):
            bound.update(node.names)
        else:
            name = getattr(node, _NAMING.get(type(node).__name__, ""), None)
            if name is not None:
                bound.add(name)
    return bound


# ------------------------------------------------------------------ what a cell could access

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
    names = _module_level(tree, bodies, home, set() if deferred is None else deferred)
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        more = bodies.get(name, set()) | set(_behind(name, home))
        waiting.extend(more - names)
        names |= more
    return names


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
    names: set[str] = set()
    waiting: list[Any] = [tree]
    while waiting:
        node = waiting.pop()
        kind = type(node)
        if kind is ast.Name:
            names.add(node.id)
            continue
        if kind in _FUNCTIONS:
            inner = bodies.setdefault(node.name, set())
            inner |= _inside(node.body)
            deferred |= inner
            waiting += [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]
            continue
        if kind is ast.Call:
            names |= _in_magic(node, home)
        elif kind is ast.ClassDef:
            bodies.setdefault(node.name, set()).update(_inside([node]))
        elif kind is ast.Lambda:
            deferred |= _inside([node.body])
        elif kind is ast.GeneratorExp:  # its first iterable is evaluated at once
            later = [node.elt, *node.generators[0].ifs, *node.generators[1:]]
            deferred |= _inside([*later, node.generators[0].target])
        waiting += parts(node)
    return names


def _inside(nodes: Iterable[ast.AST]) -> set[str]:
    names: set[str] = set()
    waiting: list[Any] = list(nodes)
    while waiting:
        node = waiting.pop()
        if type(node) is ast.Name:
            names.add(node.id)
        else:
            waiting += parts(node)
    return names


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
