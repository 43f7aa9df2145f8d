"""The arguments of one call, asked by place or name."""

from __future__ import annotations

import ast

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage import subscripts, tabular
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Closure,
    CodeSite,
    Const,
    Data,
    Dictionary,
    Estimator,
    Lib,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.rows import Division
from pytest_nbsafe.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Arguments:
    """A call, with its arguments as values; `what` is the name of what is called."""

    machine: Machine
    node: ast.Call
    args: list[Value]
    keywords: dict[str, Value]
    what: str = ""

    @property
    def site(self) -> CodeSite:
        """The place of the call: where its function is named, for a call over several lines."""
        function = self.node.func
        if isinstance(function, ast.Attribute) and function.end_lineno != self.node.lineno:
            line = function.end_lineno or self.node.lineno
            end = function.end_col_offset or 0
            whole = self.machine.site(self.node)
            span = replace(whole.span, line=line, column=max(1, end - len(function.attr) + 1))
            return replace(whole, span=span)
        return self.machine.site(self.node)

    @property
    def fresh(self) -> tuple[object, ...]:
        """A key for what is made by this call, in this run."""
        return self.machine.fresh(self.node)

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
        value = self.find(place, *names)
        return value if value is not None else AnyValue(("missing", self.fresh))

    def plain(self, place: int, *names: str) -> Value:
        """Return an argument, what is in a list or tuple being looked up."""
        return self.machine.plain(self.get(place, *names))

    def names(self, place: int, *names: str) -> tuple[str, ...] | None:
        """Return the constant names in an argument, None when there is anything else in it."""
        return tabular.names_in(self.plain(place, *names))

    def data(self, place: int, *names: str) -> Data | None:
        """Return an argument as rows."""
        value = self.find(place, *names)
        return subscripts.as_data(self.machine, value) if value is not None else None

    def table(self, *, unknown: bool = False) -> Data | None:
        """Return the table that a function is given; something unknown only where that is asked."""
        data = self.data(0, "x", "a", "data", "arr", "X", "frame")
        if data is not None and (unknown or not isinstance(self.find(0), AnyValue)):
            return data
        held = [value for value in self.every() if isinstance(value, Data)]
        return tabular.mix(held) if held else None

    def same(self) -> Value:
        """Return what is the same whenever it is called with equal arguments."""
        return AnyValue((self.what, *(self.machine.token(value) for value in self.every())))

    def constant(self, *names: str, default: object = None) -> object:
        """Return the constant that a keyword is given, a default when it is not."""
        for name in names:
            if name in self.keywords:
                value = self.machine.get(self.keywords[name])
                return value.value if isinstance(value, Const) else AnyValue()
        return default

    def name(self, place: int = 0) -> str:
        """Return the text of an argument where it is a name, or a column or part of one."""
        if place < len(self.node.args):
            node: ast.expr | None = self.node.args[place]
        else:
            node = next((k.value for k in self.node.keywords if k.arg in {"X", "x", "data"}), None)
        return text(self.machine, node)

    def every(self) -> list[Value]:
        """Return all arguments, those within lists and dicts too."""
        values: list[Value] = []
        todo = [*self.args, *self.keywords.values()]
        while todo and len(values) < 50:
            value = self.machine.get(todo.pop(0))
            if isinstance(value, Seq | Dictionary):
                todo.extend(value.parts())
            else:
                values.append(value)
        return values

    def unknown(self) -> Value:
        """Return what a call gives of which nothing is known: what flowed in, in doubt."""
        data = [value for value in self.every() if isinstance(value, Data)]
        key = self.fresh
        if not data:
            return AnyValue(key)
        mixed = tabular.mix(data)
        if not mixed.rows:
            return Data(deps=mixed.mixed_deps(), form="any", scores=mixed.scores, vague=True)
        step = Division(("call", *key), ("is", key))
        rows = sets.divide(mixed.rows, step)
        return Data(rows, mixed.mixed_deps(), scores=mixed.scores, vague=True, net=mixed.net)


@dataclass(frozen=True, slots=True)
class TableCall:
    """A call of a function or method on a table; `owner` is the object whose method it is."""

    data: Data
    arguments: Arguments
    owner: Value | None = None

    @property
    def machine(self) -> Machine:
        """The machine that makes the call."""
        return self.arguments.machine

    @property
    def what(self) -> str:
        """The name of the function or method."""
        return self.arguments.what

    @property
    def first(self) -> int:
        """The place of the first argument, the table itself not counted."""
        return int(self.owner is None)

    def find(self, place: int, *names: str) -> Value | None:
        """Return an argument, the table itself not counted; by its names alone where place < 0."""
        return self.arguments.find(place + self.first if place >= 0 else -1, *names)

    @property
    def name(self) -> str:
        """The name of the table in the code."""
        if self.owner is not None:
            return text(self.machine, getattr(self.arguments.node.func, "value", None))
        return self.arguments.name()


def is_across(axis: Value | None) -> bool:
    """Return whether the axis that a call is given is that of the columns."""
    return isinstance(axis, Const) and axis.value in {1, -1, "columns"}


def text(machine: Machine, node: ast.expr | None) -> str:
    """Return the name that an expression starts with, "" for a library or anything without.

    Of `scaler.transform(X)` it is X, of `self.X` it is the whole.
    """
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if own and node.value.id == "self":  # type: ignore[union-attr]
            return f"self.{node.attr}"  # type: ignore[union-attr]
        node = _within(machine, node)
    if not isinstance(node, ast.Name) or isinstance(machine.read(node.id), Lib | Closure):
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
