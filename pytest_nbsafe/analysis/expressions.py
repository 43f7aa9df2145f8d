"""Walks expressions: what they read, call, and bind, in the order in which Python does it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from pytest_nbsafe.analysis import effects, functions, opaque
from pytest_nbsafe.analysis.cfg import GUARD, MAYBE, Builder, Summary, Visitors
from pytest_nbsafe.analysis.scopes import NamesFrame, root, stored_names

NAMESPACES = frozenset({"globals", "locals", "vars", "dir"})
"""Builtins that show the notebook's names, as in `'x' in globals()`."""

_CALLS_NOTHING = frozenset({
    "print", "display", "len", "range", "enumerate", "zip", "list", "tuple", "set", "dict", "str",
    "int", "float", "bool", "sum", "type", "isinstance", "issubclass", "hasattr", "getattr", "id",
    "repr", "abs", "round", "open", "reversed", "any", "all", "help", "dir", "vars", "callable",
})  # fmt: skip
"""Builtins that do not call what they are given."""


def visit(b: Builder, node: ast.AST) -> None:
    """Walk one expression."""
    _VISITORS.get(type(node), _children)(b, node)


def using(b: Builder, node: ast.AST) -> set[str]:
    """Walk one expression and return the names that it reads (USE[e])."""
    b.enclosing.append(b.reads)
    b.reads = set()
    visit(b, node)
    names, b.reads = b.reads, b.enclosing.pop()
    b.reads |= names
    return names


def visit_all(b: Builder, nodes: Iterable[ast.AST | None]) -> None:
    """Walk expressions one after another."""
    for node in nodes:
        if node is not None:
            _VISITORS.get(type(node), _children)(b, node)


def condition(b: Builder, test: ast.expr, yes: int, no: int) -> None:
    """Walk a test whose outcome decides between two blocks."""
    if isinstance(test, ast.Constant):
        b.link(b.here, yes if test.value else no)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        condition(b, test.operand, no, yes)
    elif isinstance(test, ast.BoolOp):
        every = isinstance(test.op, ast.And)
        for value in test.values[:-1]:
            rest = b.new()
            condition(b, value, rest if every else yes, no if every else rest)
            b.start(rest)
        condition(b, test.values[-1], yes, no)
    else:
        visit(b, test)
        b.may_raise()  # `if df:` raises ValueError
        guarded = _guarded_name(test)
        _link(b, yes, test, guarded[0] if guarded and guarded[1] else None)
        _link(b, no, test, guarded[0] if guarded and not guarded[1] else None)


def _link(b: Builder, target: int, test: ast.expr, guarded: str | None) -> None:
    if guarded is None:
        b.link(b.here, target)
        return
    edge = b.new()
    b.guards = True
    b.link(b.here, edge)
    b.events[edge].append((GUARD, guarded, test, 0, ""))
    b.link(edge, target)


def _guarded_name(test: ast.expr) -> tuple[str, bool] | None:
    """Return (name, outcome in which it exists) for a test such as `'x' in globals()`."""
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and _is_namespace(test)):
        return None
    left = test.left
    if not (isinstance(left, ast.Constant) and isinstance(left.value, str)):
        return None
    return left.value, isinstance(test.ops[0], ast.In)


def _is_namespace(test: ast.Compare) -> bool:
    right = test.comparators[0]
    if (  # `in globals().keys()`
        isinstance(right, ast.Call)
        and isinstance(right.func, ast.Attribute)
        and right.func.attr == "keys"
    ):
        right = right.func.value
    return (
        isinstance(test.ops[0], (ast.In, ast.NotIn))
        and isinstance(right, ast.Call)
        and isinstance(right.func, ast.Name)
        and right.func.id in NAMESPACES
    )


# -- the visitors --------------------------------------------------------------------------------


def _children(b: Builder, node: ast.AST) -> None:
    visit_all(b, ast.iter_child_nodes(node))


def _nothing(b: Builder, node: ast.AST) -> None:
    pass


def _name(b: Builder, node: ast.Name) -> None:
    b.read(node.id, node)


def _attribute(b: Builder, node: ast.Attribute) -> None:
    if not opaque.shows_namespace(b, node.value, node.attr):
        visit(b, node.value)
    b.may_raise()


def _subscript(b: Builder, node: ast.Subscript) -> None:
    if not opaque.reads_namespace(b, node):
        visit(b, node.value)
    visit(b, node.slice)
    b.may_raise()


def _binary(b: Builder, node: ast.BinOp) -> None:
    """Walk `a + b + c + ...` without a Python frame for each operator."""
    rest: list[ast.expr] = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp):
        rest.append(left.right)
        left = left.left
    visit(b, left)
    visit_all(b, reversed(rest))
    b.may_raise()


def _operator(b: Builder, node: ast.UnaryOp | ast.Starred | ast.Await) -> None:
    _children(b, node)
    b.may_raise()


def _elements(b: Builder, node: ast.Tuple | ast.List | ast.Set) -> None:
    visit_all(b, node.elts)


def _dict(b: Builder, node: ast.Dict) -> None:
    for key, value in zip(node.keys, node.values, strict=True):
        if key is not None:
            visit(b, key)
        visit(b, value)


def _boolean(b: Builder, node: ast.BoolOp) -> None:
    every = isinstance(node.op, ast.And)
    end = b.new()
    for value in node.values[:-1]:
        rest = b.new()
        condition(b, value, rest if every else end, end if every else rest)
        b.start(rest)
    visit(b, node.values[-1])
    _change_alone(b, node.values[-1])
    b.link(b.here, end)
    b.start(end)


def _compare(b: Builder, node: ast.Compare) -> None:
    visit(b, node.left)
    if _is_namespace(node):
        return
    visit(b, node.comparators[0])
    if len(node.comparators) > 1:  # a < b < c leaves c out when a < b is false
        b.branch(lambda: visit_all(b, node.comparators[1:]))
    b.may_raise()


def _ternary(b: Builder, node: ast.IfExp) -> None:
    yes, no = b.new(), b.new()
    condition(b, node.test, yes, no)
    ends = []
    for block, branch in ((yes, node.body), (no, node.orelse)):
        b.start(block)
        visit(b, branch)
        _change_alone(b, branch)
        ends.append(b.here)
    b.merge(ends)


def _walrus(b: Builder, node: ast.NamedExpr) -> None:
    values = using(b, node.value)
    name = node.target.id
    hidden = []
    while b.frames and isinstance(b.frames[-1], NamesFrame):
        hidden.append(b.frames.pop())  # it binds outside of the comprehension
    b.bind(name, node.target, "walrus")
    b.frames.extend(reversed(hidden))
    b.walrus.setdefault(name, set()).update(values)


def _lambda(b: Builder, node: ast.Lambda) -> None:
    """Walk a lambda that nobody names: it counts as called at once, perhaps."""
    summary = summarise_lambda(b, node, f"<lambda:{node.lineno}:{node.col_offset + 1}>")
    functions.keep(b, summary)
    b.reads.update(summary.reads)
    if not b.function:
        b.call(summary.name, node, MAYBE)


def summarise_lambda(b: Builder, node: ast.Lambda, name: str) -> Summary:
    """Return what a lambda does when called; its default values are read at once."""
    visit_all(b, functions.defaults(node.args))
    child = functions.child(b, node.args)
    child.returned = using(child, node.body)
    _change_alone(child, node.body)
    return functions.finish(child, name, node)


def _call(b: Builder, node: ast.Call) -> None:
    func = node.func
    visit(b, func)
    hands_over = not (isinstance(func, ast.Name) and func.id in _CALLS_NOTHING)
    for argument in (*node.args, *[keyword.value for keyword in node.keywords]):
        visit(b, argument)
        if hands_over and type(argument) is ast.Name:
            b.call(argument.id, argument, MAYBE)
    if isinstance(func, ast.Name):
        b.call(func.id, func)
    else:
        bottom = root(func)
        if bottom is not None:
            direct = isinstance(func, ast.Attribute) and func.value is bottom
            b.call(bottom.id, bottom, MAYBE, func.attr if direct else "")  # type: ignore[attr-defined] # an Attribute
    opaque.check_call(b, node)
    b.may_raise()
    if node is not b.dropped and effects.of_method(node, b.libraries, kept=True) == "changes":
        _change(b, node, func)
    for argument in effects.changed_arguments(node, b.libraries):
        _change(b, node, argument)


def _change_alone(b: Builder, node: ast.expr) -> None:
    """Note what is changed by a call that stands here although it returns nothing."""
    method = effects.changes_alone(node, b.libraries)
    if method is not None:
        _change(b, node, method)


def _change(b: Builder, call: ast.expr, target: ast.expr) -> None:
    """Note that a call within an expression, or a function, changes an object in place."""
    bottom = root(target)
    if bottom is None or not b.mutate(bottom.id, bottom):
        return
    assert isinstance(call, ast.Call), "only a call changes something here"
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    names = {n.id for part in given for n in ast.walk(part) if isinstance(n, ast.Name)}
    parents = (names & b.reads) - {bottom.id}
    b.changed[bottom.id] = b.changed.get(bottom.id, set()) | parents


def _comprehension(
    b: Builder, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
) -> None:
    generators = node.generators
    visit(b, generators[0].iter)  # the first iterable belongs to the scope around
    b.may_raise()
    names = frozenset(n.id for g in generators for n in stored_names(g.target))
    b.frames.append(NamesFrame(names))
    if isinstance(node, ast.DictComp):
        elements: Sequence[ast.expr] = (node.key, node.value)
    else:
        elements = (node.elt,)
    _loops(b, generators, elements)
    b.frames.pop()


def _loops(
    b: Builder, generators: Sequence[ast.comprehension], elements: Sequence[ast.expr]
) -> None:
    """Write the nested loops of a comprehension; the innermost one evaluates the elements."""
    heads = []
    for position, generator in enumerate(generators):
        if position:
            visit(b, generator.iter)
        b.step()
        heads.append(b.here)
        b.step()
        for test in generator.ifs:
            body = b.new()
            condition(b, test, body, heads[-1])
            b.start(body)
    visit_all(b, elements)
    for element in elements:
        _change_alone(b, element)
    b.link(b.here, heads[-1])
    for inner, outer in zip(reversed(heads), reversed(heads[:-1]), strict=False):
        b.link(inner, outer)
    after = b.new()
    b.link(heads[0], after)
    b.start(after)


def _yield(b: Builder, node: ast.Yield | ast.YieldFrom) -> None:
    if not b.function or b.in_class():
        b.suspicious = True
    b.later = True
    if node.value is not None:
        b.returned |= using(b, node.value)
    b.may_raise()


_VISITORS: Visitors = {
    ast.Name: _name,
    ast.Constant: _nothing,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.UnaryOp: _operator,
    ast.Starred: _operator,
    ast.Await: _operator,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _ternary,
    ast.NamedExpr: _walrus,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.DictComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.Tuple: _elements,
    ast.List: _elements,
    ast.Set: _elements,
    ast.Dict: _dict,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
}
