"""Runs the statements of a cell on abstract values: one function for each kind."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial

from pytest_nbsafe.absint.leakage import (
    assignments,
    loops,
    operators,
    scores,
    subscripts,
)
from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Closure,
    Const,
    Data,
    Deps,
    Lib,
    Names,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.marks import RoundItem
from pytest_nbsafe.absint.leakage.memory import Choice
from pytest_nbsafe.absint.leakage.rows import Division
from pytest_nbsafe.values import replace


def _expression(machine: Machine, node: ast.Expr) -> bool:
    machine.evaluate(node.value)
    return True


def _assign(machine: Machine, node: ast.Assign) -> bool:
    value = machine.box(_declared(machine, node, machine.evaluate(node.value)))
    assignments.remember(machine, node, value)
    for target in node.targets:
        machine.store(target, value)
    return True


def _declared(machine: Machine, node: ast.Assign | ast.AnnAssign, value: Value) -> Value:
    """Return the value, or what a comment on one of its lines, or above it, says it is.

    Where the comment does not fit what it speaks of, it says nothing.
    """
    known = machine.declarations.get(machine.cell)
    if not known:
        return value
    lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    declaration = next((known[line] for line in lines if line in known), None)
    if declaration is None:
        return value
    key = ("declared", *machine.fresh(node))
    if declaration.kind == "source":
        return Data(sets.source(key), base=machine.fresh(node))
    wholes = [subscripts.as_data(machine, machine.read(name)) for name in declaration.whole]
    tables = [table for table in wholes if table is not None]
    if (
        not tables
        or len(tables) < len(wholes)
        or not declaration.parts
        or len(declaration.parts) % len(tables)
    ):
        return value
    count = len(declaration.parts) // len(tables)
    steps = [Division(key, ("is", i), "random") for i in range(count)]
    parts = (replace(d, rows=sets.divide(d.rows, step)) for d in tables for step in steps)
    return Seq(tuple(map(machine.box, parts)))


def _annotated(machine: Machine, node: ast.AnnAssign) -> bool:
    if node.value is not None:
        value = _declared(machine, node, machine.evaluate(node.value))
        machine.store(node.target, machine.box(value))
    return True


def _augmented(machine: Machine, node: ast.AugAssign) -> bool:
    left = machine.evaluate(node.target)
    right = machine.evaluate(node.value)
    value = operators.combine(machine, node, (left, right), node.op)
    machine.store(node.target, machine.box(value))
    return True


def _import(machine: Machine, node: ast.Import) -> bool:
    for alias in node.names:
        name = alias.asname or alias.name.partition(".")[0]
        machine.bind(name, Lib(alias.name if alias.asname else name))
    return True


def _import_from(machine: Machine, node: ast.ImportFrom) -> bool:
    module = node.module or ""
    for alias in node.names:
        if alias.name == "*":
            machine.notes.stars.append(module)
        else:
            machine.bind(alias.asname or alias.name, Lib(f"{module}.{alias.name}"))
    return True


def _define(machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    machine.bind(node.name, Closure(node, machine.cell, machine.closure()))
    return True


def _return(machine: Machine, node: ast.Return) -> bool:
    value = machine.evaluate(node.value) if node.value else Const(None)
    machine.frames[-1].returns.append(machine.box(value))
    return False


def _delete(machine: Machine, node: ast.Delete) -> bool:
    for target in node.targets:
        if isinstance(target, ast.Name):
            machine.scope.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            assignments.delete(machine, target)
    return True


def _if(machine: Machine, node: ast.If) -> bool:
    test = machine.get(machine.evaluate(node.test))
    _note_choice(machine, node, test)
    scores.answers_counted(machine, node, test)
    known = operators.truth(test)
    known = _asks_for_name(machine, node.test) if known is None else known
    if known is not None:
        return machine.block(node.body if known else node.orelse)
    bodies = (lambda: machine.block(node.body), lambda: machine.block(node.orelse))
    reached = machine.branches(bodies)
    chosen = subscripts.selecting(test) if isinstance(test, Data) else None
    if chosen:
        _note_names(machine, node, chosen)
    return reached


def _asks_for_name(machine: Machine, test: ast.expr) -> bool | None:
    """Return the answer of `"X" in globals()` where the name is bound, None for all else."""
    if not (isinstance(test, ast.Compare) and isinstance(test.left, ast.Constant)):
        return None
    op, asked = test.ops[0], test.comparators[0]
    is_bound = len(test.ops) == 1 and test.left.value in machine.scope
    if not (is_bound and isinstance(asked, ast.Call) and isinstance(asked.func, ast.Name)):
        return None
    names = asked.func.id in {"globals", "locals", "vars", "dir"} and not asked.args
    return isinstance(op, ast.In) if names and isinstance(op, ast.In | ast.NotIn) else None


def _note_names(machine: Machine, node: ast.If, chosen: Deps) -> None:
    """Remember by what the names in a list are chosen: `if p < 0.05: kept.append(c)`."""
    for part in ast.walk(node):
        called = part.func if isinstance(part, ast.Call) else None
        if isinstance(called, ast.Attribute) and called.attr in {"append", "add"}:
            owner = called.value
            if isinstance(owner, ast.Name) and isinstance(machine.get(machine.read(owner.id)), Seq):
                machine.bind(owner.id, Names(None, chosen))


def _note_choice(machine: Machine, node: ast.If | ast.While, test: Value) -> None:
    """Tell the judge of a test on a score that keeps something: `if score > best: best = ...`."""
    if not isinstance(test, Data) or not test.scores or not machine.loops:
        return
    if isinstance(node, ast.While) or _keeps(node):
        machine.note(Choice(machine.site(node.test), test.scores))


def _keeps(node: ast.If) -> bool:
    """Return whether the best so far, which a test asks for, is set where it is beaten."""
    asked = {part.id for part in ast.walk(node.test) if isinstance(part, ast.Name)}
    texts = {ast.unparse(part) for part in ast.walk(node.test) if isinstance(part, _PLACES)}
    stored = [
        part
        for child in node.body
        for part in ast.walk(child)
        if isinstance(part, ast.Name | _PLACES) and isinstance(part.ctx, ast.Store)
    ]
    return any(
        part.id in asked if isinstance(part, ast.Name) else ast.unparse(part) in texts
        for part in stored
    )


_PLACES = ast.Attribute | ast.Subscript


def _for(machine: Machine, node: ast.For | ast.AsyncFor) -> bool:
    iterable = machine.evaluate(node.iter)
    machine.loops += 1
    items = list(loops.elements(machine, iterable, node))
    stands_for_all = len(items) > 1 and items[0] is items[1]
    counters = _counters(machine, node) if stands_for_all else []
    for item in items:
        for counter, number in counters:
            machine.store(counter, number)
        machine.store(node.target, machine.box(item))
        machine.block(node.body)
    machine.loops -= 1
    return machine.block(node.orelse)


def _while(machine: Machine, node: ast.While) -> bool:
    machine.loops += 1
    counters = _counters(machine, node)
    for _ in range(2):
        for counter, number in counters:
            machine.store(counter, number)
        test = machine.get(machine.evaluate(node.test))
        _note_choice(machine, node, test)
        machine.block(node.body)
    machine.loops -= 1
    return True


def _counters(
    machine: Machine, node: ast.While | ast.For | ast.AsyncFor
) -> list[tuple[ast.Name, AnyValue]]:
    """Return what a loop counts on by a constant, as numbers that are others in each round."""
    counters: list[tuple[ast.Name, AnyValue]] = []
    for part in ast.walk(node):
        if not isinstance(part, ast.AugAssign) or not isinstance(part.target, ast.Name):
            continue
        name, step = part.target, part.value
        whole = isinstance(step, ast.Constant) and isinstance(step.value, int)
        if whole and isinstance(machine.get(machine.read(name.id)), Const):
            one_by_one = ast.literal_eval(step) == 1
            mark = RoundItem(machine.run, node.lineno, name.id, one_by_one)
            counters.append((name, AnyValue(mark)))
    return counters


def _with(machine: Machine, node: ast.With | ast.AsyncWith) -> bool:
    for item in node.items:
        value = machine.evaluate(item.context_expr)
        if item.optional_vars is not None:
            machine.store(item.optional_vars, machine.box(value))
    return machine.block(node.body)


def _try(machine: Machine, node: ast.Try) -> bool:
    """Run the body; what a handler does counts only for the names that the body does not bind."""
    before = dict(machine.scope)
    reached = machine.block(node.body) and machine.block(node.orelse)
    for handler in node.handlers:
        kept = dict(machine.scope)
        machine.branches((partial(machine.block, handler.body), lambda: True))
        for name, value in kept.items():
            if before.get(name) != value:
                machine.scope[name] = value
    return machine.block(node.finalbody) and (reached or bool(node.handlers))


def _global(machine: Machine, node: ast.Global) -> bool:
    machine.frames[-1].outer.update(node.names)
    return True


def _stop(_machine: Machine, _node: ast.stmt) -> bool:
    return False


def _match(machine: Machine, node: ast.Match) -> bool:
    machine.evaluate(node.subject)
    bodies = [partial(machine.block, case.body) for case in node.cases]
    return machine.branches((*bodies, lambda: True))


STATEMENTS: Mapping[type[ast.stmt], Callable[..., bool]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.FunctionDef: _define,
    ast.AsyncFunctionDef: _define,
    ast.ClassDef: _define,
    ast.Return: _return,
    ast.Delete: _delete,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.Raise: _stop,
    ast.Break: _stop,
    ast.Continue: _stop,
    ast.Match: _match,
    ast.Global: _global,
}
"""What runs each kind of statement, and says whether the next one is reached; others do nothing."""
