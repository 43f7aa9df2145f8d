"""Walks what opens a scope of its own: `def` and `class`."""

from __future__ import annotations

import ast

from pytest_nbsafe.analysis import functions
from pytest_nbsafe.analysis.cfg import MAYBE, Builder, Visitors
from pytest_nbsafe.analysis.expressions import visit_all
from pytest_nbsafe.analysis.scopes import ClassFrame, NamesFrame
from pytest_nbsafe.analysis.statements import record, suite


def _type_parameters(node: ast.AST) -> NamesFrame | None:
    """Return the scope of `[T, *Ts]` (Python 3.12); its bounds are evaluated only when asked."""
    parameters = getattr(node, "type_params", None)
    return NamesFrame(frozenset(p.name for p in parameters)) if parameters else None


def _function(b: Builder, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    visit_all(b, node.decorator_list)
    visit_all(b, functions.defaults(node.args))
    generic = _type_parameters(node)
    if generic:
        b.frames.append(generic)
    if not b.future:
        visit_all(b, (a.annotation for a in functions.all_arguments(node.args)))
        visit_all(b, (node.returns,))
    if node.decorator_list:
        b.may_raise()
    inner = functions.child(b, node.args)
    if generic:
        b.frames.pop()
    suite(inner, node.body)
    raw = record(b, node, "function", end=node)
    raw.writes[node.name] = set(b.reads)
    functions.keep(b, functions.finish(inner, node.name, node))
    if node.decorator_list and not b.function:
        _note_decorators(b, node)
    b.bind(node.name, node, "function")


def _note_decorators(b: Builder, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Name):
            b.call(decorator.id, decorator)
            b.aliases.setdefault(node.name, set()).add(decorator.id)


def _class(b: Builder, node: ast.ClassDef) -> None:
    visit_all(b, node.decorator_list)
    generic = _type_parameters(node)
    if generic:
        b.frames.append(generic)
    visit_all(b, node.bases)
    visit_all(b, (keyword.value for keyword in node.keywords))
    reads, calls, walrus = b.reads, b.calls, b.walrus
    here = b.here
    b.methods.append([])
    b.frames.append(ClassFrame(b.depth))
    loops, b.loops = b.loops, []
    for statement in node.body:
        suite(b, [statement])
        reads |= b.reads
    b.loops = loops
    b.frames.pop()
    methods = b.methods.pop()
    if generic:
        b.frames.pop()
    b.reads, b.calls, b.walrus = reads, calls, walrus
    raw = record(b, node, "class", end=node)
    raw.block = here
    raw.writes[node.name] = set(reads)
    summary = functions.methods_together(node.name, node, methods)
    for base in node.bases:
        if isinstance(base, ast.Name) and not b.known(base.id):
            summary.calls.setdefault(base.id, MAYBE)
    functions.keep(b, summary)
    b.bind(node.name, node, "class")


NESTED: Visitors = {
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
}
