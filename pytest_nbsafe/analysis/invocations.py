"""The calls of a cell with their arguments, and the text constants that it spells out."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

from pytest_nbsafe.analysis.functions import all_arguments
from pytest_nbsafe.analysis.imports import Import, dotted_path
from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.analysis.scopes import words
from pytest_nbsafe.notebook.source import Escape
from pytest_nbsafe.values import dataclass

_MANY = 20
"""A longer list is data; it is not written out as an argument's text."""
_LONG = 1000
_NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call.

    `keyword` is "" for a positional one, "*" and "**" for what is unpacked. `text` is the repr of a
    literal (then `literal` is true), a dotted name, or "". `names` are all that it mentions.
    """

    keyword: str
    text: str
    literal: bool
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call.

    `callee` is what is called as written, with `()` for a call and `[]` for a subscript in it:
    "pd.read_csv().sample"; what has no name is left out: ".join". `target` is the same with its
    first name resolved through the notebook's imports ("numpy.random.seed"), "" if that is no
    import or unknown. `function` is the enclosing function, as in `Import`.
    """

    callee: str
    target: str
    span: Span
    function: str
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A text constant, or the constant part that an f-string begins with.

    `calls` are the indices, in the cell's invocations, of the calls in whose arguments it stands,
    outermost first. `bound` is what it (or what is made from it) is assigned to, also by a loop or
    as a default: a dotted name with `[]` for a subscript, "" if nothing. `function` is the
    enclosing function.
    """

    value: str
    span: Span
    calls: tuple[int, ...] = ()
    bound: str = ""
    function: str = ""


@dataclass(frozen=True, slots=True)
class CellSyntax:
    """What the text of a cell shows beyond names, each part by place.

    Calls that stand for magics are left out; the magics are in `escapes`. Texts that are
    docstrings, or statements of their own, are left out too.
    """

    cell: int
    invocations: tuple[Invocation, ...] = ()
    texts: tuple[Text, ...] = ()
    escapes: tuple[Escape, ...] = ()


def read(
    tree: ast.Module,
    imports: tuple[Import, ...],
    resolve: Callable[[str], str],
    span_of: Callable[[ast.AST], Span],
) -> tuple[tuple[Invocation, ...], tuple[Text, ...]]:
    """Return the calls and the texts of a tree.

    `resolve` tells what a name of the notebook stands for through its imports, "" if unknown.
    """
    reader = _CallReader(imports, resolve, span_of)
    for statement in tree.body:
        reader.visit(statement)
    assert None not in reader.invocations, "each call is left once it is entered"
    return tuple(filter(None, reader.invocations)), tuple(reader.texts)


class _CallReader:
    """Walks a tree once.

    `scopes` tell what the functions around bind themselves, the innermost last.
    """

    def __init__(
        self,
        imports: tuple[Import, ...],
        resolve: Callable[[str], str],
        span_of: Callable[[ast.AST], Span],
    ) -> None:
        self.imports = [i for i in imports if i.function]
        self.local_names = frozenset(i.name for i in self.imports)
        self.resolve = resolve
        self.span_of = span_of
        self.invocations: list[Invocation | None] = []
        self.texts: list[Text] = []
        self.names: list[str] = []
        self.calls: tuple[int, ...] = ()
        self.bound = ""
        self.path = ""
        self.function = ""
        self.scopes: list[Callable[[], dict[str, str]]] = []

    def visit(self, node: ast.AST) -> None:
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            handler(self, node)
            return
        for part in map(node.__dict__.get, node._fields):  # quicker than ast.iter_child_nodes
            if isinstance(part, ast.AST):
                self.visit(part)
            elif isinstance(part, list):
                for child in part:
                    if isinstance(child, ast.AST):
                        self.visit(child)

    # -- statements ------------------------------------------------------------------------------

    def statement(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant | ast.JoinedStr):
            self.visit(node.value)

    def assignment(self, node: ast.Assign) -> None:
        self.value_of(_written(node.targets[0]), node.value)
        for target in node.targets:
            self.visit(target)

    def annotated(self, node: ast.AnnAssign | ast.AugAssign | ast.NamedExpr) -> None:
        if node.value is not None:
            self.value_of(_written(node.target), node.value)
        self.visit(node.target)

    def value_of(self, bound: str, value: ast.expr) -> None:
        before, self.bound = self.bound, bound
        self.visit(value)
        self.bound = before

    def loop(self, node: ast.For | ast.AsyncFor | ast.comprehension) -> None:
        self.value_of(_written(node.target), node.iter)
        self.visit(node.target)
        inside = node.ifs if isinstance(node, ast.comprehension) else (*node.body, *node.orelse)
        for part in inside:
            self.visit(part)

    def function_definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for decorator in node.decorator_list:
            self.visit(decorator)
        self.defaults(node.args)
        path, function = self.path, self.function
        self.path = self.function = dotted_path(path, node.name)
        self.body_of(node, node.body)
        self.path, self.function = path, function

    def lambda_expression(self, node: ast.Lambda) -> None:
        self.defaults(node.args)
        self.body_of(node, [node.body])

    def defaults(self, given: ast.arguments) -> None:
        positional = (*given.posonlyargs, *given.args)
        with_default = positional[len(positional) - len(given.defaults) :]
        for argument, value in zip(with_default, given.defaults, strict=True):
            self.value_of(argument.arg, value)
        for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
            if default is not None:
                self.value_of(argument.arg, default)

    def body_of(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        body: list[ast.stmt] | list[ast.expr],
    ) -> None:
        before = self.calls, self.bound
        self.calls, self.bound = ((), "") if not isinstance(node, ast.Lambda) else before
        self.scopes.append(cache(partial(self.bound_in, node, self.function)))
        for part in body:
            self.visit(part)
        self.scopes.pop()
        self.calls, self.bound = before

    def class_definition(self, node: ast.ClassDef) -> None:
        for outside in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(outside)
        path, self.path = self.path, dotted_path(self.path, node.name)
        for statement in node.body:
            self.visit(statement)
        self.path = path

    # -- expressions -----------------------------------------------------------------------------

    def nothing(self, node: ast.AST) -> None:
        """Pass over what holds no call and no text."""

    def attribute(self, node: ast.Attribute) -> None:
        value = node.value
        while isinstance(value, ast.Attribute):
            value = value.value
        self.visit(value)

    def name(self, node: ast.Name) -> None:
        self.names.append(node.id)

    def constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.text(node.value, node)

    def joined(self, node: ast.JoinedStr) -> None:
        for position, part in enumerate(node.values):
            if not isinstance(part, ast.Constant):
                self.visit(part)
            elif not position and isinstance(part.value, str):
                self.text(part.value, node)

    def text(self, value: str, node: ast.expr) -> None:
        span = self.span_of(node)
        self.texts.append(Text(value, span, self.calls, self.bound, self.function))

    def call(self, node: ast.Call) -> None:
        callee = _written(node.func)
        if callee.startswith("get_ipython()."):
            return
        index, before = len(self.invocations), self.calls
        self.invocations.append(None)
        self.visit(node.func)
        self.calls = (*before, index)
        arguments = tuple(self.arguments(node))
        self.calls = before
        target = self.target(callee)
        span = self.span_of(node)
        self.invocations[index] = Invocation(callee, target, span, self.function, arguments)

    def arguments(self, node: ast.Call) -> Iterator[Argument]:
        for given in node.args:
            starred = isinstance(given, ast.Starred)
            value = given.value if isinstance(given, ast.Starred) else given
            yield self.argument("*" if starred else "", value)
        for keyword in node.keywords:
            yield self.argument("**" if keyword.arg is None else keyword.arg, keyword.value)

    def argument(self, keyword: str, value: ast.expr) -> Argument:
        first = len(self.names)
        self.visit(value)
        names = tuple(dict.fromkeys(self.names[first:]))
        literal = _literal(value)
        return Argument(keyword, literal or ".".join(words(value)), bool(literal), names)

    def target(self, callee: str) -> str:
        """Return a callee with its first name resolved, "" if that is no import."""
        first = _NAME.match(callee)
        if first is None:
            return ""
        name = first[0]
        stands_for = self.resolve(name)
        if stands_for or name in self.local_names:
            for scope in reversed(self.scopes):
                if name in (own := scope()):
                    stands_for = own[name]
                    break
        return stands_for and stands_for + callee[first.end() :]

    def bound_in(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, function: str
    ) -> dict[str, str]:
        """Return the names that a function binds itself, with what its imports make of them."""
        names = dict.fromkeys((argument.arg for argument in all_arguments(node.args)), "")
        if not isinstance(node, ast.Lambda):
            names.update((i.name, i.target) for i in self.imports if i.function == function)
            names.update(dict.fromkeys(_stored(node.body), ""))
        return names


_HANDLERS: dict[type[ast.AST], Callable[[_CallReader, Any], None]] = {
    ast.Expr: _CallReader.statement,
    ast.Assign: _CallReader.assignment,
    ast.AnnAssign: _CallReader.annotated,
    ast.AugAssign: _CallReader.annotated,
    ast.NamedExpr: _CallReader.annotated,
    ast.For: _CallReader.loop,
    ast.AsyncFor: _CallReader.loop,
    ast.comprehension: _CallReader.loop,
    ast.FunctionDef: _CallReader.function_definition,
    ast.AsyncFunctionDef: _CallReader.function_definition,
    ast.Lambda: _CallReader.lambda_expression,
    ast.ClassDef: _CallReader.class_definition,
    ast.Call: _CallReader.call,
    ast.Name: _CallReader.name,
    ast.Attribute: _CallReader.attribute,
    ast.Import: _CallReader.nothing,
    ast.ImportFrom: _CallReader.nothing,
    ast.Load: _CallReader.nothing,
    ast.Store: _CallReader.nothing,
    ast.Constant: _CallReader.constant,
    ast.JoinedStr: _CallReader.joined,
}


def _written(node: ast.expr) -> str:
    """Return an expression as dotted names, `()` for a call and `[]` for a subscript in it."""
    parts: list[str] = []
    at: ast.expr = node
    while True:
        if isinstance(at, ast.Attribute):
            parts.append(f".{at.attr}")
            at = at.value
        elif isinstance(at, ast.Call):
            parts.append("()")
            at = at.func
        elif isinstance(at, ast.Subscript):
            parts.append("[]")
            at = at.value
        else:
            parts.append(at.id if isinstance(at, ast.Name) else "")
            return "".join(reversed(parts))


def _literal(node: ast.expr) -> str:
    """Return the repr of a literal, "" if it is none or long."""
    if isinstance(node, ast.Constant):
        huge = isinstance(node.value, int) and node.value.bit_length() > _LONG
        return "" if huge else repr(node.value)  # Python refuses to write an int of some length
    if isinstance(node, ast.UnaryOp):
        inner = node.operand
        value = _literal(inner) if isinstance(inner, ast.Constant) else ""
        return f"-{value}" if value and isinstance(node.op, ast.USub) else ""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        whole = len(node.elts) <= _MANY and all(map(_literal, node.elts))
        return ast.unparse(node) if whole else ""
    if isinstance(node, ast.Dict):
        parts = (*node.keys, *node.values)
        whole = len(parts) <= _MANY and all(part and _literal(part) for part in parts)
        return ast.unparse(node) if whole else ""
    return ""


def _stored(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the names that a function's statements assign, those of functions inside it too."""
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
