"""The arguments of one call, asked by place or name."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage import select, tables
from pytest_nbsafe.absint.leakage.rows import Step
from pytest_nbsafe.absint.leakage.values import (
    Const,
    Data,
    Estimator,
    Function,
    Lib,
    Seq,
    Site,
    Table,
    Unknown,
    Value,
)
from pytest_nbsafe.values import dataclass, replace

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.interpret import Machine


@dataclass(frozen=True, slots=True)
class Arguments:
    """A call, with its arguments as values."""

    machine: Machine
    node: ast.Call
    args: list[Value]
    keywords: dict[str, Value]

    @property
    def site(self) -> Site:
        """The place of the call: where its function is named, for a call over several lines."""
        function = self.node.func
        if isinstance(function, ast.Attribute) and function.end_lineno != self.node.lineno:
            line = function.end_lineno or self.node.lineno
            end = function.end_col_offset or 0
            whole = self.machine.site(self.node)
            span = replace(whole.span, line=line, column=max(1, end - len(function.attr) + 1))
            return replace(whole, span=span)
        return self.machine.site(self.node)

    def find(self, place: int, *names: str) -> Value | None:
        """Return an argument by its place (-1 for none) or one of its names, None if not given."""
        if 0 <= place < len(self.args):
            return self.machine.get(self.args[place])
        for name in names:
            if name in self.keywords:
                return self.machine.get(self.keywords[name])
        return None

    def get(self, place: int, *names: str) -> Value:
        """Return an argument by its place or name, unknown if not given."""
        found = self.find(place, *names)
        return found if found is not None else Unknown(("missing", self.machine.fresh(self.node)))

    def plain(self, place: int, *names: str) -> Value:
        """Return an argument, what is in a list or tuple being looked up."""
        value = self.get(place, *names)
        if isinstance(value, Seq):
            return replace(value, items=tuple(self.machine.get(item) for item in value.items))
        return value

    def data(self, place: int, *names: str) -> Data | None:
        """Return an argument as rows."""
        value = self.find(place, *names)
        return select.as_data(self.machine, value) if value is not None else None

    def constant(self, *names: str, default: object = None) -> object:
        """Return the constant that a keyword is given, a default when it is not."""
        for name in names:
            if name in self.keywords:
                value = self.machine.get(self.keywords[name])
                return value.value if isinstance(value, Const) else Unknown()
        return default

    def name(self, place: int = 0) -> str:
        """Return the text of an argument where it is a name, or a column or part of one."""
        if place < len(self.node.args):
            node: ast.expr | None = self.node.args[place]
        else:
            node = next((k.value for k in self.node.keywords if k.arg in {"X", "x", "data"}), None)
        return text(self.machine, node)

    def rest(self) -> Arguments:
        """Return the same call without its first argument."""
        return Arguments(self.machine, self.node, self.args[1:], self.keywords)

    def every(self) -> list[Value]:
        """Return all arguments, those within lists and dicts too."""
        found: list[Value] = []
        todo = [*self.args, *self.keywords.values()]
        while todo and len(found) < 50:
            value = self.machine.get(todo.pop(0))
            if isinstance(value, Seq):
                todo.extend(v for v in (*value.items, value.each) if v is not None)
            elif isinstance(value, Table):
                todo.extend(v for v in (*(v for _, v in value.items), value.each) if v is not None)
            else:
                found.append(value)
        return found

    def unknown(self) -> Value:
        """Return what a call gives of which nothing is known: what flowed in, in doubt."""
        data = [value for value in self.every() if isinstance(value, Data)]
        key = self.machine.fresh(self.node)
        if not data:
            return Unknown(key)
        mixed = tables.mix(data)
        if not mixed.rows:
            return Data(deps=mixed.all_deps(), form="any", scores=mixed.scores, vague=True)
        step = Step(("call", *key), ("is", key))
        rows = sets.divide(mixed.rows, step)
        return Data(rows, mixed.all_deps(), scores=mixed.scores, vague=True, net=mixed.net)


def text(machine: Machine, node: ast.expr | None) -> str:
    """Return the name that an expression starts with, "" for a library or anything without.

    Of `scaler.transform(X)` it is X, of `self.X` it is the whole.
    """
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if own and node.value.id == "self":  # type: ignore[union-attr]
            return f"self.{node.attr}"  # type: ignore[union-attr]
        node = _within(machine, node)
    if not isinstance(node, ast.Name) or isinstance(machine.read(node.id), Lib | Function):
        return ""
    return node.id


def _within(machine: Machine, node: ast.Attribute | ast.Subscript | ast.Call) -> ast.expr:
    if not isinstance(node, ast.Call):
        return node.value
    function = node.func
    if node.args and isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        owner = machine.get(machine.read(function.value.id))
        if isinstance(owner, Estimator):
            return node.args[0]
    return function
