"""Walks what catches exceptions: `try`, `except`, `finally`, `with`."""

from __future__ import annotations

import ast

from pytest_nbsafe.analysis.cfg import FORGET, Builder, Visitors
from pytest_nbsafe.analysis.expressions import using, visit
from pytest_nbsafe.analysis.scopes import catches, last_word
from pytest_nbsafe.analysis.statements import begin, inner_suite, record, store, suite

_COPIES = 3
"""So many `finally` bodies inside one another are written twice; deeper ones once, less exactly."""
_CATCH_NAME_ERROR = frozenset({"NameError", "Exception", "BaseException"})
_CATCH_ALL = frozenset({"BaseException", "Exception"})


def _try(b: Builder, node: ast.Try) -> None:
    if not node.finalbody:
        _try_except(b, node)
        return
    once = b.copies >= _COPIES
    failing = b.new()
    pending: set[tuple[int, int]] = set()
    b.finals.append((failing, pending))
    b.handlers.append(failing)
    before = b.here
    b.step()
    _try_except(b, node)
    _ensure_edge(b, before, failing)
    b.handlers.pop()
    b.finals.pop()
    b.copies += 1
    if once:
        b.link(b.here, failing)
    else:
        inner_suite(b, node.finalbody)
    end = b.here
    b.start(failing)
    b.quiet += not once
    inner_suite(b, node.finalbody)
    b.quiet -= not once
    b.copies -= 1
    if b.handlers:
        b.link(b.here, b.handlers[-1])
    for target, level in sorted(pending):
        b.jump(target, level)
    if not once:
        b.start(end)
    b.step()


def _try_except(b: Builder, node: ast.Try) -> None:
    if not node.handlers:
        inner_suite(b, node.body)
        inner_suite(b, node.orelse)
        return
    failing = b.new()
    catching = any(catches(h.type, _CATCH_NAME_ERROR) for h in node.handlers)
    _caught_suite(b, node.body, failing, catching=catching)
    ends = [inner_suite(b, node.orelse)]
    for handler in node.handlers:
        entry = b.new()
        b.link(failing, entry)
        b.start(entry)
        ends.append(_handler(b, handler))
    if b.handlers and not any(catches(h.type, _CATCH_ALL) for h in node.handlers):
        b.link(failing, b.handlers[-1])
    b.merge(ends)


def _caught_suite(b: Builder, body: list[ast.stmt], failing: int, *, catching: bool) -> int:
    """Walk a body whose exceptions lead to `failing`; return the block in which it ends."""
    before = b.here
    b.step()
    b.handlers.append(failing)
    b.catching += catching
    b.guards = True
    end = inner_suite(b, body)
    _ensure_edge(b, before, failing)
    b.catching -= catching
    b.handlers.pop()
    return end


def _ensure_edge(b: Builder, before: int, failing: int) -> None:
    """Let a body in which nothing seems to raise still reach its handlers, from its start."""
    if not any(failing in targets for targets in b.successors[before:]):
        b.link(before, failing)


def _handler(b: Builder, handler: ast.ExceptHandler) -> int:
    begin(b)
    if handler.type is not None:
        visit(b, handler.type)
        record(b, handler, end=handler.type)
    if handler.name is None:
        return inner_suite(b, handler.body)
    b.depth += 1
    b.bind(handler.name, handler, "except")
    b.depth -= 1
    inner_suite(b, handler.body)
    if not b.in_class():
        b.now.append((FORGET, handler.name, handler, 0, ""))
    return b.here


def _with(b: Builder, node: ast.With | ast.AsyncWith) -> None:
    raw = record(b, node, end=node.items[-1])
    for item in node.items:
        parents = using(b, item.context_expr)
        b.may_raise()
        if item.optional_vars is not None:
            raw.kind = "with"
            store(b, raw, item.optional_vars, parents, "with")
    raw.writes.update(b.walrus)
    swallowed = [c for i in node.items if (c := _swallowed(i.context_expr)) is not None]
    if not swallowed:
        suite(b, node.body)
        return
    failing = b.new()
    catching = any(catches(kind, _CATCH_NAME_ERROR) for kinds in swallowed for kind in kinds)
    end = _caught_suite(b, node.body, failing, catching=catching)
    b.merge((end, failing))


def _swallowed(manager: ast.expr) -> list[ast.expr] | None:
    """Return the exceptions that `with suppress(...)` or `raises(...)` keeps in, if it is one."""
    if not isinstance(manager, ast.Call):
        return None
    swallows = last_word(manager.func) in {"suppress", "raises", "assertRaises"}
    return list(manager.args) if swallows else None


EXCEPTIONS: Visitors = {
    ast.Try: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
}
if hasattr(ast, "TryStar"):  # Python 3.11
    EXCEPTIONS[ast.TryStar] = _try
