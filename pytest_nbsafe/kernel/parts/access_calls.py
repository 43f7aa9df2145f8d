"""Puts into a text, for a child alone, calls that tell what its attributes and subscripts reach.

A value goes through such a call and comes out as it is, so that every attribute and subscript is
still taken by the text itself, in its own line and place: `d['a'].x` becomes
`END(s, AT(s, 1, AT(s, 0, d)['a']).x)`. Two phases: the tree is read first, then changed.

Left alone are lambdas and generators (as values they are compared by their code) and functions
meant for a compiler of their own: their names are `opaque`, nothing is said of these. So are
annotations, patterns, and the hooks of `instrument`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from ..tracing.bound_names import is_stmt
from ..tracing.instrument import function_nodes, hookable
from .access_sites import ARG, AT, CALL, CALLEE, END, KEEP, KEY, LOOK, MORE, TAKE, USE, Link, Site

_OURS = "__nbsafe_"
_WORD = re.compile(r"[^\W\d]\w*")
_PLAIN = frozenset({"time", "capture"})
_LOOKING = (ast.BinOp, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.JoinedStr, ast.FormattedValue)
DYNAMIC: Any = object()


def rewrite(
    tree: ast.Module,
    sites: list[Site],
    line_of: Callable[[int], int],
    *,
    module: bool = True,
) -> set[str]:
    """Change a tree and return the names it says nothing of; `sites` gets its places.

    Without `module` nothing is changed but functions.
    """
    rewriter = _Rewriter(tree, sites, line_of, module=module)
    rewriter.block(tree, "body", in_function=False)
    if not module:
        rewriter.keep_functions()
    for node, field, index, name, arguments in rewriter.edits:
        _wrap(node, field, index, name, arguments)
    return rewriter.opaque


def _wrap(node: Any, field: str, index: int, name: str, arguments: tuple[int, ...]) -> None:
    """Put a call around what stands in a field of a node."""
    held = getattr(node, field)
    inner = held[index] if index >= 0 else held
    place = {
        "lineno": inner.lineno,
        "col_offset": inner.col_offset,
        "end_lineno": inner.end_lineno,
        "end_col_offset": inner.end_col_offset,
    }
    numbers = [ast.Constant(value=number, kind=None, **place) for number in arguments]
    call = ast.Call(
        func=ast.Name(id=name, ctx=ast.Load(), **place),
        args=[*numbers, inner],
        keywords=[],
        **place,
    )
    if index >= 0:
        held[index] = call
    else:
        setattr(node, field, call)


class _Rewriter:
    """Reads a tree; `edits` are calls to put around what stands in a field: inner ones first."""

    def __init__(
        self,
        tree: ast.Module,
        sites: list[Site],
        line_of: Callable[[int], int],
        *,
        module: bool,
    ) -> None:
        self.sites = sites
        self.module = module
        self.line_of = line_of
        self.edits: list[tuple[Any, str, int, str, tuple[int, ...]]] = []
        self.opaque: set[str] = set()
        self.in_function = False
        self.line = 0
        self.allowed = {id(node) for node in hookable(tree)}
        self.spans: list[tuple[int, int]] = []
        self.functions = [*function_nodes(tree)]

    def keep_functions(self) -> None:
        """Leave out of the edits what stands in no function."""
        inside = {id(n) for f in self.functions for s in f.body for n in ast.walk(s)}
        self.edits = [edit for edit in self.edits if id(edit[0]) in inside]

    # ------------------------------------------------------------ statements

    def block(self, node: Any, field: str, *, in_function: bool) -> None:
        for statement in getattr(node, field):
            self.in_function = in_function
            if not in_function:
                self.line = self.line_of(statement.lineno)
            if not _is_hook(statement):
                self.statement(statement)

    def statement(self, node: Any) -> None:
        """Plan the calls in one statement, and in what it holds."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.function(node)
        elif isinstance(node, ast.ClassDef):
            self.each(node, ("decorator_list", "bases"), TAKE)
            for keyword in node.keywords:
                self.value(keyword, "value", -1, TAKE)
            inside = self.in_function
            for inner in node.body:
                self.in_function = inside
                self.statement(inner)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            self.assign(node)
        elif isinstance(node, ast.AugAssign):
            self.value(node, "value", -1, TAKE)
            if isinstance(node.target, ast.Name):
                number = self.site(node.target.id, TAKE)
                self.edits.append((node, "value", -1, MORE, (number,)))
            else:
                self.target(node, "target", -1, "more")
        elif isinstance(node, ast.Delete):
            for index in range(len(node.targets)):
                self.target(node, "targets", index, "delete")
        elif type(node).__name__ != "TypeAlias":  # what it says is evaluated later, if ever
            self.compound(node)

    def compound(self, node: Any) -> None:
        """Plan the calls in a statement of any other kind: by its fields."""
        inside = self.in_function
        for field, value in ast.iter_fields(node):
            self.in_function = inside
            if field == "target":
                self.target(node, field, -1, "store")
            elif isinstance(value, ast.expr):
                looks = field == "test" or isinstance(node, ast.Expr)
                self.value(node, field, -1, LOOK if looks else TAKE)
            elif field == "items":
                for item in value:
                    self.value(item, "context_expr", -1, TAKE)
                    if item.optional_vars is not None:
                        self.target(item, "optional_vars", -1, "store")
            elif isinstance(value, list) and value and is_stmt(value[0]):
                line = self.line
                self.block(node, field, in_function=inside)
                self.line = line
            elif field in {"handlers", "cases"}:
                for part in value:
                    self.clause(part)

    def clause(self, node: Any) -> None:
        """Plan the calls in `except` or `case`; patterns stay as they are."""
        line, inside = self.line, self.in_function
        for field in ("type", "guard"):
            if getattr(node, field, None) is not None:
                self.value(node, field, -1, LOOK)
        self.block(node, "body", in_function=inside)
        self.line, self.in_function = line, inside

    def assign(self, node: Any) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        local = self.in_function and all(isinstance(target, ast.Name) for target in targets)
        if node.value is not None:
            self.value(node, "value", -1, KEEP if local else TAKE)
        if isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.target(node, "target", -1, "store")
            return
        for index in range(len(targets)):
            self.target(node, "targets", index, "store")

    def function(self, node: Any) -> None:
        self.each(node, ("decorator_list",), TAKE)
        self.defaults(node.args)
        if id(node) not in self.allowed:
            self.hide(node)
            return
        inside, line = self.in_function, self.line
        self.line = 0
        self.block(node, "body", in_function=True)
        self.in_function, self.line = inside, line

    def defaults(self, node: ast.arguments) -> None:
        self.each(node, ("defaults",), TAKE)
        for index, default in enumerate(node.kw_defaults):
            if default is not None:
                self.value(node, "kw_defaults", index, TAKE)

    def hide(self, node: ast.AST) -> None:
        """Say nothing of the names in a part of the text, but what it takes itself."""
        if self.module or self.in_function:
            taken = {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
            words = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            self.opaque |= words - taken

    # ------------------------------------------------------------ expressions

    def site(self, name: str, mode: str, call: int = -1) -> int:
        self.sites.append(Site(self.line, name, mode, call))
        return len(self.sites) - 1

    def each(self, node: Any, fields: tuple[str, ...], mode: str, call: int = -1) -> None:
        for field in fields:
            for index in range(len(getattr(node, field))):
                self.value(node, field, index, mode, call)

    def value(self, parent: Any, field: str, index: int, mode: str, call: int = -1) -> None:
        """Plan the calls in an expression whose value is used in some way."""
        held = getattr(parent, field)
        node = held[index] if index >= 0 else held
        if isinstance(node, ast.Name):
            if not node.id.startswith(_OURS):
                name = CALL if mode == CALLEE else USE
                self.edits.append((parent, field, index, name, (self.site(node.id, mode, call),)))
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            number = self.chain(node, mode, call)
            self.edits.append((parent, field, index, END, (number,)))
        elif isinstance(node, ast.Call):
            self.call(node)
            if mode == CALLEE:
                number = self.site("", mode, call)
                self.edits.append((parent, field, index, CALL, (number,)))
        elif isinstance(node, ast.Lambda):
            self.defaults(node.args)
            self.hide(node)
        elif isinstance(node, ast.GeneratorExp) and mode != ARG:
            self.value(node.generators[0], "iter", -1, TAKE)
            self.hide(node)
        elif isinstance(node, ast.NamedExpr):
            self.value(node, "value", -1, TAKE)
        elif isinstance(node, ast.IfExp):
            self.value(node, "test", -1, LOOK)
            self.value(node, "body", -1, mode, call)
            self.value(node, "orelse", -1, mode, call)
        else:
            self.parts(node, LOOK if isinstance(node, _LOOKING) else TAKE)

    def parts(self, node: ast.AST, mode: str) -> None:
        """Plan the calls in the parts of an expression: operands, elements, clauses."""
        for field, value in ast.iter_fields(node):
            if field == "target":
                self.target(node, field, -1, "store")
            elif isinstance(value, ast.expr):
                self.value(node, field, -1, mode)
            elif isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, ast.expr):
                        self.value(node, field, index, mode)
                    elif isinstance(item, ast.comprehension):
                        self.parts(item, TAKE)

    def call(self, node: ast.Call) -> None:
        number = self.site("", CALLEE)
        self.sites[number].inplace = any(k.arg in {"inplace", "out"} for k in node.keywords)
        if _is_shell(node.func):
            self.magic(node)
        self.value(node, "func", -1, CALLEE, number)
        for index, argument in enumerate(node.args):
            if isinstance(argument, ast.Starred):
                self.value(argument, "value", -1, TAKE)
            else:
                self.value(node, "args", index, ARG, number)
        for keyword in node.keywords:
            self.value(keyword, "value", -1, ARG, number)

    def magic(self, node: ast.Call) -> None:
        """Say nothing of the words in what IPython runs by itself, unless it comes by here too."""
        texts = [a.value for a in node.args if isinstance(a, ast.Constant)]
        if texts[:1] and texts[0] in _PLAIN:
            return
        for text in texts:
            self.opaque.update(_WORD.findall(str(text)))

    def target(self, parent: Any, field: str, index: int, how: str) -> None:
        """Plan the calls in what is assigned to or deleted."""
        held = getattr(parent, field)
        node = held[index] if index >= 0 else held
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            self.chain(node, LOOK, -1, how)
        elif isinstance(node, (ast.Tuple, ast.List)):
            for number in range(len(node.elts)):
                self.target(node, "elts", number, how)
        elif isinstance(node, ast.Starred):
            self.target(node, "value", -1, how)

    def chain(self, node: Any, mode: str, call: int, how: str = "") -> int:
        """Plan the calls in a chain of attributes and subscripts, and return its place."""
        links = [node]
        while isinstance(links[-1].value, (ast.Attribute, ast.Subscript)):
            links.append(links[-1].value)
        links.reverse()
        root = links[0].value
        number = self.site(root.id if isinstance(root, ast.Name) else "", mode, call)
        site = self.sites[number]
        site.stores = how
        if not isinstance(root, ast.Name):
            self.value(links[0], "value", -1, KEEP)
        for index, link in enumerate(links):
            self.edits.append((link, "value", -1, AT, (number, index)))
            site.links.append(self.link(link, number, index))
        return number

    def link(self, node: Any, number: int, index: int) -> Link:
        if isinstance(node, ast.Attribute):
            return Link(node.attr, [node.attr], -1, many=False)
        holder, field, count = node, "slice", 1
        many = isinstance(node.slice, ast.Tuple)
        if many:
            holder, field, count = node.slice, "elts", len(node.slice.elts)
        keys: list[Any] = []
        last = -1
        for place in range(count):
            at = place if many else -1
            key = holder.elts[place] if many else node.slice
            known = _constant(key)
            if known is DYNAMIC and isinstance(key, (ast.Slice, ast.Starred)):
                self.parts(key, LOOK)
                known = None
            elif known is DYNAMIC:
                self.value(holder, field, at, LOOK)
                self.edits.append((holder, field, at, KEY, (number, index, place)))
                last = place
            keys.append(known)
        return Link("", keys, last, many=many)


def _constant(node: ast.expr) -> Any:
    """Return a key that the text shows, `DYNAMIC` where it does not; None is no key."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) in (str, int) else None
    if isinstance(node, ast.List) and node.elts:
        keys = [_constant(element) for element in node.elts]
        if all(type(key) is str for key in keys):
            return keys
    return DYNAMIC


def _is_hook(node: ast.stmt) -> bool:
    """Return whether a statement is one of our own."""
    if isinstance(node, ast.Try):
        return len(node.body) == 1 and _is_hook(node.body[0])
    part: Any = node.test if isinstance(node, ast.If) else getattr(node, "value", None)
    while isinstance(part, (ast.Call, ast.Subscript, ast.Attribute)):
        part = part.func if isinstance(part, ast.Call) else part.value
    return isinstance(part, ast.Name) and part.id.startswith(_OURS)


def _is_shell(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "get_ipython"
    )
