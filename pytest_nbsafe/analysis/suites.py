"""Walks compound statements: branches, loops, exceptions, functions, classes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from pytest_nbsafe.analysis import functions
from pytest_nbsafe.analysis.cfg import FORGET, MAYBE, Builder
from pytest_nbsafe.analysis.expressions import condition, using, visit, visit_all
from pytest_nbsafe.analysis.scopes import ClassFrame, NamesFrame
from pytest_nbsafe.analysis.statements import SIMPLE, record, store

_COPIES = 3
"""So many `finally` bodies inside one another are written twice; deeper ones once, less exactly."""
_CATCH_NAME_ERROR = frozenset({"NameError", "Exception", "BaseException"})
_CATCH_ALL = frozenset({"BaseException", "Exception"})


def suite(b: Builder, body: Sequence[ast.stmt]) -> None:
    """Walk statements one after another."""
    for node in body:
        b.reads, b.calls, b.walrus = set(), set(), {}
        _VISITORS[type(node)](b, node)


def _inner(b: Builder, body: Sequence[ast.stmt]) -> int:
    """Walk the body of a branch or loop and return the block in which it ends."""
    b.depth += 1
    suite(b, body)
    b.depth -= 1
    return b.here


# -- branches and loops --------------------------------------------------------------------------


def _if(b: Builder, node: ast.If) -> None:
    ends = []
    while True:
        yes, no = b.new(), b.new()
        condition(b, node.test, yes, no)
        record(b, node, end=node.test)
        b.start(yes)
        ends.append(_inner(b, node.body))
        b.start(no)
        if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
            break
        node = node.orelse[0]  # elif, without a Python frame for each
        b.reads, b.calls, b.walrus = set(), set(), {}
    ends.append(_inner(b, node.orelse))
    b.merge(ends)


def _while(b: Builder, node: ast.While) -> None:
    b.step()
    head, body, done, after = b.here, b.new(), b.new(), b.new()
    condition(b, node.test, body, done)
    record(b, node, end=node.test)
    b.start(body)
    _loop_body(b, node, head, done, after)


def _for(b: Builder, node: ast.For | ast.AsyncFor) -> None:
    parents = using(b, node.iter)
    b.may_raise()
    raw = record(b, node, "loop", end=node.iter)
    b.step()
    head, body, done, after = b.here, b.new(), b.new(), b.new()
    b.link(head, body)
    b.link(head, done)
    b.start(body)
    b.depth += 1
    store(b, raw, node.target, parents, "loop")
    b.depth -= 1
    _loop_body(b, node, head, done, after)


def _loop_body(
    b: Builder, node: ast.For | ast.AsyncFor | ast.While, head: int, done: int, after: int
) -> None:
    b.loops.append((after, head, len(b.finals)))
    b.link(_inner(b, node.body), head)
    b.loops.pop()
    b.start(done)
    b.link(_inner(b, node.orelse), after)
    b.start(after)


# -- exceptions ----------------------------------------------------------------------------------


def _try(b: Builder, node: ast.Try) -> None:
    if not node.finalbody:
        _try_except(b, node)
        return
    once = b.copies >= _COPIES
    failing = b.new()
    pending: set[tuple[int, int]] = set()
    b.finals.append((failing, pending))
    b.handlers.append(failing)
    first = len(b.successors)
    b.step()
    _try_except(b, node)
    _ensure_edge(b, first, failing)
    b.handlers.pop()
    b.finals.pop()
    if once:
        b.link(b.here, failing)
        b.start(failing)
    else:
        b.copies += 1
        _inner(b, node.finalbody)
        b.copies -= 1
    end = b.here
    if not once:
        b.start(failing)
        b.copies += 1
        b.quiet += 1
        _inner(b, node.finalbody)
        b.quiet -= 1
        b.copies -= 1
    if b.handlers:
        b.link(b.here, b.handlers[-1])
    for target, level in sorted(pending):
        b.jump(target, level)
    if once:
        b.step()
    else:
        b.start(end)
        b.step()


def _try_except(b: Builder, node: ast.Try) -> None:
    if not node.handlers:
        _inner(b, node.body)
        _inner(b, node.orelse)
        return
    failing = b.new()
    catching = any(_catches(h.type, _CATCH_NAME_ERROR) for h in node.handlers)
    first = len(b.successors)
    b.step()
    b.handlers.append(failing)
    b.catching += catching
    b.guards = True
    _inner(b, node.body)
    _ensure_edge(b, first, failing)
    b.catching -= catching
    b.handlers.pop()
    ends = [_inner(b, node.orelse)]
    for handler in node.handlers:
        entry = b.new()
        b.link(failing, entry)
        b.start(entry)
        ends.append(_handler(b, handler))
    if b.handlers and not any(_catches(h.type, _CATCH_ALL) for h in node.handlers):
        b.link(failing, b.handlers[-1])
    b.merge(ends)


def _ensure_edge(b: Builder, first: int, failing: int) -> None:
    """Let a body in which nothing seems to raise still reach its handlers."""
    if not any(failing in targets for targets in b.successors[first:]):
        b.link(first, failing)


def _handler(b: Builder, handler: ast.ExceptHandler) -> int:
    b.reads, b.calls, b.walrus = set(), set(), {}
    if handler.type is not None:
        visit(b, handler.type)
        record(b, handler, end=handler.type)
    if handler.name is None:
        return _inner(b, handler.body)
    b.depth += 1
    b.bind(handler.name, handler, "except")
    b.depth -= 1
    _inner(b, handler.body)
    if not b.in_class():
        b.now.append((FORGET, handler.name, handler, 0, ""))
    return b.here


def _catches(kind: ast.expr | None, names: frozenset[str]) -> bool:
    if kind is None:
        return True
    if isinstance(kind, ast.Tuple):
        return any(_catches(element, names) for element in kind.elts)
    if isinstance(kind, ast.Attribute):
        return kind.attr in names
    return isinstance(kind, ast.Name) and kind.id in names


def _with(b: Builder, node: ast.With | ast.AsyncWith) -> None:
    stored = []
    for item in node.items:
        parents = using(b, item.context_expr)
        b.may_raise()
        if item.optional_vars is not None:
            stored.append((item.optional_vars, parents))
    raw = record(b, node, "with" if stored else "", end=node.items[-1])
    for target, parents in stored:
        store(b, raw, target, parents, "with")
    swallowed = [c for i in node.items if (c := _swallowed(i.context_expr)) is not None]
    if not swallowed:
        suite(b, node.body)
        return
    failing = b.new()
    catching = any(_catches(kind, _CATCH_NAME_ERROR) for kinds in swallowed for kind in kinds)
    first = len(b.successors)
    b.step()
    b.handlers.append(failing)
    b.catching += catching
    b.guards = True
    end = _inner(b, node.body)
    _ensure_edge(b, first, failing)
    b.catching -= catching
    b.handlers.pop()
    b.merge((end, failing))


def _swallowed(manager: ast.expr) -> list[ast.expr] | None:
    """Return the exceptions that `with suppress(...)` or `raises(...)` keeps in, if it is one."""
    if not isinstance(manager, ast.Call):
        return None
    func = manager.func
    name = func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")
    return list(manager.args) if name in {"suppress", "raises", "assertRaises"} else None


# -- match ---------------------------------------------------------------------------------------


def _match(b: Builder, node: ast.Match) -> None:
    parents = using(b, node.subject)
    b.may_raise()
    raw = record(b, node, end=node.subject)
    ends = []
    for case in node.cases:
        body, following = b.new(), b.new()
        b.reads = set()
        names = list(_pattern(b, case.pattern))
        if not _always_matches(case.pattern):
            b.link(b.here, following)
            b.step()
        b.depth += 1
        for name, place in names:
            b.bind(name, place, "match")
            raw.writes[name] = parents
            raw.kind = "match"
        b.depth -= 1
        if case.guard is None:
            b.link(b.here, body)
        else:
            condition(b, case.guard, body, following)
        raw.reads |= b.reads
        b.start(body)
        ends.append(_inner(b, case.body))
        b.start(following)
    b.merge((*ends, b.here))


def _always_matches(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchAs):
        return pattern.pattern is None or _always_matches(pattern.pattern)
    if isinstance(pattern, ast.MatchOr):
        return any(_always_matches(p) for p in pattern.patterns)
    return False


def _pattern(b: Builder, pattern: ast.pattern) -> Iterator[tuple[str, ast.AST]]:
    """Walk the values and classes in a pattern; yield each name that it captures."""
    for node in ast.walk(pattern):
        if isinstance(node, ast.MatchValue):
            visit(b, node.value)
        elif isinstance(node, ast.MatchClass):
            visit(b, node.cls)
        elif isinstance(node, ast.MatchMapping):
            visit_all(b, node.keys)
            if node.rest is not None:
                yield node.rest, node
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name is not None:
            yield node.name, node


# -- functions and classes -----------------------------------------------------------------------


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
    if not b.future:  # a kernel of Python 3.14 reads annotations only when asked for
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
        b.reads, b.calls, b.walrus = set(), set(), {}
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


_VISITORS: dict[type, Callable[[Builder, ast.AST], None]] = {
    **SIMPLE,
    ast.If: _if,
    ast.While: _while,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.Try: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Match: _match,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
}  # type: ignore[dict-item]
if hasattr(ast, "TryStar"):  # Python 3.11
    _VISITORS[ast.TryStar] = _try
