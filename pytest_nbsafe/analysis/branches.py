"""Walks branches and loops: `if`, `while`, `for`, `match`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pytest_nbsafe.analysis.cfg import Builder, Visitors
from pytest_nbsafe.analysis.expressions import condition, using, visit, visit_all
from pytest_nbsafe.analysis.statements import begin, inner_suite, record, store


def _if(b: Builder, node: ast.If) -> None:
    ends = []
    while True:
        yes, no = b.new(), b.new()
        condition(b, node.test, yes, no)
        record(b, node, end=node.test)
        b.start(yes)
        ends.append(inner_suite(b, node.body))
        b.start(no)
        if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
            break
        node = node.orelse[0]  # elif, without a Python frame for each
        begin(b)
    ends.append(inner_suite(b, node.orelse))
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
    head = b.here
    b.may_raise()  # asking for the next item may, in any turn
    body, done, after = b.new(), b.new(), b.new()
    b.link(b.here, body)
    b.link(b.here, done)
    b.start(body)
    b.depth += 1
    store(b, raw, node.target, parents, "loop")
    b.depth -= 1
    _loop_body(b, node, head, done, after)


def _loop_body(
    b: Builder, node: ast.For | ast.AsyncFor | ast.While, head: int, done: int, after: int
) -> None:
    b.loops.append((after, head, len(b.finals)))
    b.link(inner_suite(b, node.body), head)
    b.loops.pop()
    b.start(done)
    b.link(inner_suite(b, node.orelse), after)
    b.start(after)


def _match(b: Builder, node: ast.Match) -> None:
    parents = using(b, node.subject)
    b.may_raise()
    raw = record(b, node, end=node.subject)
    ends = []
    for case in node.cases:
        body, following = b.new(), b.new()
        b.reads = set(parents)  # `match x: case x` does not overwrite the old `x`
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
        ends.append(inner_suite(b, case.body))
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


BRANCHES: Visitors = {
    ast.If: _if,
    ast.While: _while,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.Match: _match,
}
