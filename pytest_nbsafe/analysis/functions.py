"""What a function does when it is called: free reads, global writes, calls, and RET[f]."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pytest_nbsafe.analysis import liveness
from pytest_nbsafe.analysis.cfg import (
    BIND,
    CALL,
    GLOBAL,
    MAYBE,
    MUTATE,
    READ,
    Builder,
    Event,
    LiveRead,
    Summary,
)
from pytest_nbsafe.analysis.scopes import ClassFrame, NamesFrame
from pytest_nbsafe.values import replace


def defaults(arguments: ast.arguments) -> Iterator[ast.expr]:
    """Yield the default values, which are read where the function is defined."""
    yield from arguments.defaults
    for default in arguments.kw_defaults:
        if default is not None:
            yield default


def all_arguments(arguments: ast.arguments) -> Iterator[ast.arg]:
    """Yield every parameter."""
    yield from arguments.posonlyargs
    yield from arguments.args
    if arguments.vararg is not None:
        yield arguments.vararg
    yield from arguments.kwonlyargs
    if arguments.kwarg is not None:
        yield arguments.kwarg


def child(b: Builder, arguments: ast.arguments) -> Builder:
    """Return a builder for the body of a function with these parameters."""
    inner = Builder(b.visitors, b)
    inner.parameters = tuple(a.arg for a in all_arguments(arguments))
    inner.frames.extend(f for f in b.frames if isinstance(f, NamesFrame))
    if len(set(inner.parameters)) < len(inner.parameters):
        inner.suspicious = True
    return inner


def finish(inner: Builder, name: str, node: ast.AST) -> Summary:
    """Return the summary of a function whose body has been walked.

    Source: Macke et al. 2021, section 3.2 (RET) and 4.4. Departs: RET[f] follows the local names
    inside the function, whatever their order, where the tracer sees the return that is taken.
    """
    outer: set[str] = set(inner.globals)
    bound = _names(inner, BIND)
    local = bound - inner.globals - inner.nonlocals | {*inner.parameters, "__class__"}
    given = _names(inner, MUTATE).intersection(inner.parameters)

    def free(event: Event) -> bool:
        if event[3] & GLOBAL:
            outer.add(event[1])
            return True
        if event[1] in local:
            return event[1] in given and event[0] in {BIND, MUTATE}
        return not inner.known(event[1])

    graph = inner.cfg()
    events = [[event for event in block if free(event)] for block in graph.events]
    flow = liveness.flow(replace(graph, events=events))
    if inner.parent is not None and inner.suspicious:
        inner.parent.suspicious = True
    returns = {n for n in _reaching(inner) if n in outer or n not in local}
    return Summary(
        name=name,
        node=node,
        reads=flow.uses,
        returns={n for n in returns if not inner.known(n)},
        writes=inner.written | (bound & inner.globals),
        calls=_calls(flow),
        parameters=inner.parameters,
        changes=frozenset(flow.changed),
        rebinds=frozenset(bound.intersection(inner.parameters)),
        own_calls=_own_calls(inner),
        inner=frozenset(inner.inner.intersection(flow.uses)),
        later=inner.later or isinstance(node, ast.AsyncFunctionDef),
        outer=frozenset(outer),
    )


def _names(inner: Builder, kind: int) -> set[str]:
    """Return the names of all events of a kind in a function's body."""
    return {event[1] for block in inner.events for event in block if event[0] == kind}


def _own_calls(inner: Builder) -> frozenset[str]:
    """Return the methods that the body calls on its first parameter (`self.m()`)."""
    own = inner.parameters[:1]
    events = (event for block in inner.events for event in block)
    return frozenset(e[4] for e in events if e[0] == CALL and e[1:2] == own and e[4])


def _calls(flow: liveness.Flow) -> dict[str, int]:
    calls: dict[str, int] = {}
    for call in flow.calls:
        calls[call.name] = calls.get(call.name, MAYBE) & call.flags
    return calls


def _reaching(inner: Builder) -> set[str]:
    """Return the names that may flow into the return value through local assignments."""
    flows: dict[str, set[str]] = {}
    for statement in inner.statements:
        for target, sources in (*statement.writes.items(), *statement.mutates.items()):
            flows.setdefault(target, set()).update(sources)
    reaching: set[str] = set()
    todo = list(inner.returned)
    while todo:
        name = todo.pop()
        if name not in reaching:
            reaching.add(name)
            todo.extend(flows.get(name, ()))
    return reaching


def keep(b: Builder, summary: Summary) -> None:
    """Store the summary of a function defined at module level, or fold it into the one around."""
    if b.function:
        _absorb(b, summary)
    elif b.methods and any(isinstance(frame, ClassFrame) for frame in b.frames):
        b.methods[-1].append(summary)
    elif not b.quiet:
        b.functions.setdefault(summary.name, []).append(summary)


def _absorb(b: Builder, summary: Summary) -> None:
    """Let an inner function's reads and calls be possible ones of the function around."""
    for name, read in summary.reads.items():
        outer = GLOBAL if name in summary.outer else 0
        b.now.append((READ, name, read.node, read.flags | MAYBE | outer, ""))
    for name in summary.calls:
        flags = MAYBE | (GLOBAL if name in summary.outer else 0)
        b.now.append((CALL, name, summary.node, flags, ""))
    b.written |= summary.writes
    b.inner.update(summary.reads)


def methods_together(name: str, node: ast.AST, methods: list[Summary]) -> Summary:
    """Return one summary for a class: calling it runs `__init__`, its objects perhaps the rest."""
    result = Summary(name, node)
    for method in methods:
        maybe = 0 if method.name == "__init__" else MAYBE
        for name_read, read in method.reads.items():
            before = result.reads.get(name_read)
            if before is None or (before.flags & MAYBE and not read.flags & MAYBE):
                result.reads[name_read] = LiveRead(read.node, read.flags | maybe)
        for called, flags in method.calls.items():
            result.calls[called] = result.calls.get(called, MAYBE) & (flags | maybe)
        result.returns |= method.returns
        result.writes |= method.writes
        result.methods.setdefault(method.name, []).append(method)
        if not maybe:
            result.parameters = method.parameters[1:]
            result.changes = method.changes - set(method.parameters[:1])
            result.rebinds = method.rebinds
    return result
