"""Puts into a text, for a child alone, calls that tell what its attributes and subscripts reach.

A value goes through such a call and comes out as it is, so that every attribute and subscript is
still taken by the text itself, in its own line and place: `d['a'].x` becomes
`END(s, AT(s, 1, AT(s, 0, d)['a']).x)`.

Left alone are lambdas and generators (as values they are compared by their code) and functions
meant for a compiler of their own: their names are `opaque`, nothing is said of these. So are
annotations, patterns, and the hooks of `instrument`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ..functions.reach import WORD
from ..tracing.instrument import hookable
from .access_sites import (
    ARG,
    AT,
    CALL,
    CALLEE,
    END,
    KEEP,
    KEY,
    LOOK,
    MORE,
    TAKE,
    USE,
    ChainLink,
    Site,
)

_OURS = "__nbsafe_"
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
    rewriter.block(tree.body)
    return rewriter.opaque


class _Rewriter:
    """Changes a tree: what handles an expression returns what is to stand in its place."""

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
        self.opaque: set[str] = set()
        self.in_function = False
        self.line = 0
        self.allowed = {id(node) for node in hookable(tree)}

    def wrapped(self, node: ast.expr, name: str, *numbers: int) -> ast.expr:
        """Return a call around an expression, standing where it stands."""
        if not (self.module or self.in_function):
            return node
        function = ast.Name(id=name, ctx=ast.Load())
        constants = [ast.Constant(value=number, kind=None) for number in numbers]
        call = ast.Call(func=function, args=[*constants, node], keywords=[])
        for new in (call, function, *constants):
            ast.copy_location(new, node)
        return call

    # ------------------------------------------------------------ statements

    def block(self, body: list[ast.stmt]) -> None:
        line = self.line
        for statement in body:
            if not self.in_function:
                self.line = self.line_of(statement.lineno)
            if not _is_hook(statement):
                self.statement(statement)
        self.line = line

    def statement(self, node: Any) -> None:
        """Change one statement, and what it holds."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.function(node)
        elif isinstance(node, ast.ClassDef):
            self.each(node.decorator_list)
            self.each(node.bases)
            self.keywords(node.keywords)
            for inner in node.body:
                self.statement(inner)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            self.assign(node)
        elif isinstance(node, ast.AugAssign):
            node.value = self.value(node.value)
            if isinstance(node.target, ast.Name):
                number = self.site(node.target.id, TAKE)
                node.value = self.wrapped(node.value, MORE, number)
            else:
                self.target(node.target, "more")
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self.target(target, "delete")
        elif type(node).__name__ != "TypeAlias":  # what it says is evaluated later, if ever
            self.compound(node)

    def compound(self, node: Any) -> None:
        """Change a statement of any other kind: by its fields."""
        for field, value in ast.iter_fields(node):
            if field == "target":
                self.target(value, "store")
            elif isinstance(value, ast.expr):
                looks = field == "test" or isinstance(node, ast.Expr)
                setattr(node, field, self.value(value, LOOK if looks else TAKE))
            elif field == "items":
                for item in value:
                    item.context_expr = self.value(item.context_expr)
                    if item.optional_vars is not None:
                        self.target(item.optional_vars, "store")
            elif isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                self.block(value)
            elif field in {"handlers", "cases"}:
                for part in value:
                    self.clause(part)

    def clause(self, node: Any) -> None:
        """Change `except` or `case`; patterns stay as they are."""
        for field in ("type", "guard"):
            if getattr(node, field, None) is not None:
                setattr(node, field, self.value(getattr(node, field), LOOK))
        self.block(node.body)

    def assign(self, node: Any) -> None:
        if node.value is None:  # an annotation alone
            return
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        local = self.in_function and all(isinstance(target, ast.Name) for target in targets)
        node.value = self.value(node.value, KEEP if local else TAKE)
        for target in targets:
            self.target(target, "store")

    def function(self, node: Any) -> None:
        self.each(node.decorator_list)
        self.defaults(node.args)
        if id(node) not in self.allowed:
            self.hide(node)
            return
        inside, line = self.in_function, self.line
        self.in_function, self.line = True, 0
        self.block(node.body)
        self.in_function, self.line = inside, line

    def defaults(self, node: ast.arguments) -> None:
        self.each(node.defaults)
        node.kw_defaults = [
            default if default is None else self.value(default) for default in node.kw_defaults
        ]

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

    def each(self, nodes: list[ast.expr]) -> None:
        nodes[:] = [self.value(node) for node in nodes]

    def keywords(self, nodes: list[ast.keyword], mode: str = TAKE, call: int = -1) -> None:
        for node in nodes:
            node.value = self.value(node.value, mode, call)

    def value(self, node: Any, mode: str = TAKE, call: int = -1) -> ast.expr:
        """Return what stands for an expression whose value is used in some way."""
        if isinstance(node, ast.Name):
            if node.id.startswith(_OURS):
                return node
            number = self.site(node.id, mode, call)
            return self.wrapped(node, CALL if mode == CALLEE else USE, number)
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            number = self.chain(node, mode, call)
            return self.wrapped(node, END, number)
        if isinstance(node, ast.Call):
            self.call(node)
            return self.wrapped(node, CALL, self.site("", mode, call)) if mode == CALLEE else node
        if isinstance(node, ast.Lambda):
            self.hide(node)
            self.defaults(node.args)
        elif isinstance(node, ast.GeneratorExp) and mode != ARG:
            self.hide(node)
            node.generators[0].iter = self.value(node.generators[0].iter)
        elif isinstance(node, ast.NamedExpr):
            node.value = self.value(node.value)
        elif isinstance(node, ast.IfExp):
            node.test = self.value(node.test, LOOK)
            node.body = self.value(node.body, mode, call)
            node.orelse = self.value(node.orelse, mode, call)
        else:
            self.parts(node, LOOK if isinstance(node, _LOOKING) else TAKE)
        return node  # type: ignore[no-any-return]  # an expression

    def parts(self, node: ast.AST, mode: str) -> None:
        """Change the parts of an expression: operands, elements, clauses."""
        for field, value in ast.iter_fields(node):
            if field == "target":
                self.target(value, "store")
            elif isinstance(value, ast.expr):
                setattr(node, field, self.value(value, mode))
            elif isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, ast.expr):
                        value[index] = self.value(item, mode)
                    elif isinstance(item, ast.comprehension):
                        self.parts(item, TAKE)

    def call(self, node: ast.Call) -> None:
        number = self.site("", CALLEE)
        self.sites[number].inplace = any(k.arg in {"inplace", "out"} for k in node.keywords)
        if _is_shell(node.func):
            self.magic(node)
        node.func = self.value(node.func, CALLEE, number)
        for index, argument in enumerate(node.args):
            if isinstance(argument, ast.Starred):
                argument.value = self.value(argument.value)
            else:
                node.args[index] = self.value(argument, ARG, number)
        self.keywords(node.keywords, ARG, number)

    def magic(self, node: ast.Call) -> None:
        """Say nothing of the words in what IPython runs by itself, unless it comes by here too."""
        texts = [a.value for a in node.args if isinstance(a, ast.Constant)]
        if texts[:1] and texts[0] in _PLAIN:
            return
        for text in texts:
            self.opaque.update(WORD.findall(str(text)))

    def target(self, node: ast.expr, how: str) -> None:
        """Change the parts of what is assigned to or deleted."""
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            self.chain(node, LOOK, -1, how)
        elif isinstance(node, (ast.Tuple, ast.List)):
            for element in node.elts:
                self.target(element, how)
        elif isinstance(node, ast.Starred):
            self.target(node.value, how)

    def chain(self, node: Any, mode: str, call: int, how: str = "") -> int:
        """Change a chain of attributes and subscripts, and return its place."""
        links = [node]
        while isinstance(links[-1].value, (ast.Attribute, ast.Subscript)):
            links.append(links[-1].value)
        links.reverse()
        root = links[0].value
        number = self.site(root.id if isinstance(root, ast.Name) else "", mode, call)
        site = self.sites[number]
        site.stores = how
        if not isinstance(root, ast.Name):
            links[0].value = self.value(root, KEEP)
        for index, link in enumerate(links):
            link.value = self.wrapped(link.value, AT, number, index)
            site.links.append(self.link(link, number, index))
        return number

    def link(self, node: Any, number: int, index: int) -> ChainLink:
        if isinstance(node, ast.Attribute):
            return ChainLink(node.attr, [node.attr], -1, many=False)
        many = isinstance(node.slice, ast.Tuple)
        nodes = node.slice.elts if many else [node.slice]
        keys: list[Any] = []
        last = -1
        for place, key in enumerate(nodes):
            known = _constant(key)
            if known is DYNAMIC and isinstance(key, (ast.Slice, ast.Starred)):
                self.parts(key, LOOK)
                known = None
            elif known is DYNAMIC:
                nodes[place] = self.wrapped(self.value(key, LOOK), KEY, number, index, place)
                last = place
            keys.append(known)
        if not many:
            node.slice = nodes[0]
        return ChainLink("", keys, last, many=many)


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
