"""The state of one pass over a notebook: its names and objects, on branches, in loops and calls."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_nbsafe.absint.leakage import calls, expressions, statements, targets
from pytest_nbsafe.absint.leakage.joins import join, joined
from pytest_nbsafe.absint.leakage.rows import Atom
from pytest_nbsafe.absint.leakage.values import (
    CHANGEABLE,
    Const,
    Data,
    Function,
    Lib,
    Ref,
    Seq,
    Site,
    Unknown,
    Value,
)
from pytest_nbsafe.analysis.model import Span

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.declared import Declaration
    from pytest_nbsafe.absint.leakage.knowledge import Knowledge

MOST_STEPS = 30_000
"""So many expressions are looked into; then the rest of the notebook is left unknown."""
DEPTH = 8
"""So deep may functions of the page call one another before the result is unknown."""

_GROUP = re.compile(
    r"(?:(?:patient|subject|user|customer|client|person|participant|speaker|animal|household|"
    r"donor|driver|student)s?(?:[ _-]?(?:id|no|nr|num|number|name))?|"
    r"(?:session|house|group|family|site|machine|engine|unit)s?[ _-]?(?:id|no|nr|num|number)|"
    r".*[a-z][ _](?:id|ID)|subj)",
    re.IGNORECASE,
)
"""What a column of groups is called: a guess that counts only beside a use that says the same."""
_BUILTINS = frozenset(dir(builtins))
Scope = dict[str, Value]


class Enough(Exception):  # noqa: N818 - it is no error, the notebook is only too long
    """Raised when the notebook takes more than `MOST_STEPS`."""


class Machine:
    """The state of one pass over a notebook, and what it has seen so far.

    `scopes` are the names, the notebook's own first; `heap` holds what can change. `certain` is
    whether the statement that is being run is run on every path; `events` are what the judge is
    told of, in the order in which it happened.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.scopes: list[Scope] = [{}]
        self.heap: dict[int, Value] = {}
        self.events: list[tuple[str, Site, object]] = []
        self.certain = True
        self.cell = 0
        self.run: tuple[int, int] = (0, 0)
        self.runs: dict[int, int] = {}
        self.steps = 0
        self.loops = 0
        self.calls: list[ast.AST] = []
        self.callers: tuple[tuple[int, int, int], ...] = ()
        self.outer: list[set[str]] = [set()]
        self.returns: list[list[Value]] = []
        self.yields: list[list[Value]] = []
        self.rounded: set[object] = set()
        self.saved: dict[object, Value] = {}
        self.stars: list[str] = []
        self.said: dict[int, Mapping[int, Declaration]] = {}
        self.groups: dict[object, str] = {}
        self.markers: dict[str, dict[Atom, object]] = {}
        self.splits: dict[object, tuple[Site, str, bool, str | None]] = {}
        self.places: dict[Hashable, tuple[Site, str]] = {}
        self.sources: dict[Hashable, tuple[Site, str]] = {}
        self.times: dict[Site, int] = {}
        self.last = 0
        self.tokens: dict[object, int] = {}

    def run_cell(
        self, cell: int, body: Sequence[ast.stmt], said: Mapping[int, Declaration]
    ) -> None:
        """Run a cell once more; what it draws at random is then another than the last time.

        `said` are the declarations in its comments, by the lines that they speak of.

        Raises:
            Enough: when the notebook takes too many steps; what was seen until then holds.

        """
        self.runs[cell] = self.runs.get(cell, 0) + 1
        self.run, self.cell, self.said[cell] = (cell, self.runs[cell]), cell, said
        self.loops, self.certain = 0, True
        self.block(body)

    # -- values ------------------------------------------------------------------------------------

    def get(self, value: Value | None) -> Value:
        """Return what a value is now: for an object that can change, its state."""
        while isinstance(value, Ref):
            value = self.heap[value.id]
        return value if value is not None else Unknown()

    def put(self, value: Value, state: Value) -> None:
        """Change an object."""
        if isinstance(value, Ref):
            self.heap[value.id] = state

    def box(self, value: Value) -> Value:
        """Return a value as an object of its own, that can change, if its kind can."""
        if not isinstance(value, CHANGEABLE):
            return value
        self.last += 1
        self.heap[self.last] = value
        return Ref(self.last)

    def token(self, value: object) -> int:
        """Return a small number that stands for a value: the same for equal ones."""
        return self.tokens.setdefault(value, len(self.tokens))

    def site(self, node: ast.AST) -> Site:
        """Return the place of a node."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        end = getattr(node, "end_lineno", None) or line
        site = Site(
            self.cell, Span(line, column + 1, end, (getattr(node, "end_col_offset", 0) or 0) + 1)
        )
        self.times[site] = self.steps
        return site

    def fresh(self, node: ast.AST) -> tuple[object, ...]:
        """Return a key for what is made here in this run of the cell, called from here."""
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        return (self.run, self.cell, line, column, *self.callers)

    def spend(self) -> None:
        """Count one expression, and stop when there were too many."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise Enough

    def mark_group(self, base: object, name: str, value: Value | None = None) -> None:
        """Remember a column that says which group a row belongs to, by name and by use."""
        repeated = value is None or (isinstance(value, Data) and value.random)
        if isinstance(value, Unknown) and isinstance(value.key, tuple):
            repeated = value.key[0] == "repeated"
        if base is not None and repeated and _GROUP.fullmatch(name):
            self.groups[base] = name

    def mark_groups(self, rows: Iterable[Atom], name: str) -> None:
        """Remember that the page gives the groups of rows to a function or splitter."""
        for atom in rows:
            self.groups[("rows", atom.source)] = name

    def group_of(self, data: Data) -> str | None:
        """Return the column or name that says which group each of some rows belongs to."""
        if any(isinstance(a.source, tuple) and a.source[0] == "groups" for a in data.rows):
            return None  # each row is a group
        bases = [origin[0] for origin in data.origins if isinstance(origin, tuple)]
        keys = [data.base, *bases, *(("rows", atom.source) for atom in data.rows)]
        return next((self.groups[key] for key in keys if key in self.groups), None)

    def mark_rows(self, data: Data, name: str, value: Value) -> None:
        """Remember that a column says of rows where they are from: `train["part"] = "train"`."""
        if isinstance(value, Const):
            for atom in data.rows:
                self.markers.setdefault(name, {})[atom] = value.value

    def note(self, kind: str, node: ast.AST, what: object = None) -> None:
        """Tell the judge that something happened here."""
        self.events.append((kind, self.site(node), what))

    # -- what is run -------------------------------------------------------------------------------

    def evaluate(self, node: ast.expr) -> Value:
        """Return what an expression gives."""
        return expressions.evaluate(self, node)

    def attribute(self, node: ast.AST, owner: Value, name: str) -> Value:
        """Return an attribute of a value."""
        return expressions.attribute(self, node, owner, name)

    def store(self, target: ast.expr, value: Value) -> None:
        """Bind a target to a value."""
        targets.store(self, target, value)

    def call(
        self, node: ast.Call, callee: Value, args: list[Value], keywords: dict[str, Value]
    ) -> Value:
        """Return what a call gives."""
        return calls.call(self, node, callee, args, keywords)

    # -- names -------------------------------------------------------------------------------------

    def read(self, name: str) -> Value:
        """Return what a name holds."""
        for scope in (self.scopes[-1], self.scopes[0]):
            if name in scope:
                return scope[name]
        for module in self.stars:
            dotted = f"{module}.{name}"
            if self.knowledge.class_of(dotted) or self.knowledge.effect_of(dotted):
                return Lib(dotted)
        if name == "__name__":
            return Const("__main__")
        return Lib(f"builtins.{name}") if name in _BUILTINS else Unknown(("name", name))

    def bind(self, name: str, value: Value) -> None:
        """Bind a name in the scope that is being run."""
        place = 0 if name in self.outer[-1] else -1
        self.scopes[place][name] = self.box(value)

    # -- statements --------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt]) -> bool:
        """Run statements one after another; return whether the end is reached."""
        for node in body:
            handler = statements.HANDLERS.get(type(node))
            if handler is not None and not handler(self, node):
                return False
        return True

    def branches(self, bodies: Sequence[Callable[[], bool]]) -> bool:
        """Run each body on a state of its own, and go on with what holds after all of them."""
        scopes, heap, certain = self.scopes, self.heap, self.certain
        ends: list[tuple[list[Scope], dict[int, Value]]] = []
        left: list[dict[int, Value]] = []
        self.certain = False
        for body in bodies:
            self.scopes = [dict(scope) for scope in scopes]
            self.heap = dict(heap)
            if body():
                ends.append((self.scopes, self.heap))
            else:
                left.append(self.heap)
        self.certain = certain
        self.scopes, self.heap = ends[0] if ends else (scopes, {})
        for other, cells in ends[1:]:
            self._meet(other, cells)
        for cells in left:  # what a branch returns is still needed
            self.heap = {**cells, **self.heap}
        if not ends:
            return False
        # the lists that callers hold on to are the ones that go on
        for old, new in zip(scopes, self.scopes, strict=True):
            old.clear()
            old.update(new)
        self.scopes = scopes
        return True

    def _meet(self, scopes: list[Scope], heap: dict[int, Value]) -> None:
        for key, value in heap.items():
            mine = self.heap.get(key)
            if mine != value:
                self.heap[key] = value if mine is None else join(mine, value)
        for scope, other in zip(self.scopes, scopes, strict=True):
            for name, value in other.items():
                mine = scope.get(name)
                if mine != value:
                    scope[name] = self.box(
                        join(self.get(mine) if mine is not None else None, self.get(value))
                    )
            for name in scope.keys() - other.keys():
                scope[name] = self.box(join(self.get(scope[name]), None))

    # -- loops -------------------------------------------------------------------------------------

    def rounds(
        self, items: Iterable[Value], bind: Callable[[Value], None], run: Callable[[], bool]
    ) -> None:
        """Run a loop's body once for each item."""
        self.loops += 1
        for item in items:
            bind(item)
            run()
        self.loops -= 1

    def call_function(
        self,
        function: Function,
        scope: Scope,
        body: Sequence[ast.stmt] | ast.expr,
        call: ast.AST,
    ) -> Value:
        """Return what a function of the page returns, its parameters bound in `scope`."""
        if len(self.calls) >= DEPTH or function.node in self.calls:
            return Unknown(("call", self.run, function.node.lineno))
        cell, callers = self.cell, self.callers
        place = cell, getattr(call, "lineno", 0), getattr(call, "col_offset", 0)
        self.cell, self.callers = function.cell, (*callers, place)
        self.calls.append(function.node)
        self.scopes.append({**dict(function.closure), **scope})
        self.returns.append([])
        self.yields.append([])
        self.outer.append(set())
        try:
            if isinstance(body, ast.expr):
                return expressions.evaluate(self, body)
            self.block(body)
        finally:
            self.scopes.pop()
            self.calls.pop()
            self.outer.pop()
            found, given = self.returns.pop(), self.yields.pop()
            self.cell, self.callers = cell, callers
        if given:
            each = joined(self.get(value) for value in given)
            return Seq((), each, ("yield", *self.fresh(call)))
        if len(found) == 1:
            return found[0]
        result = joined(self.get(value) for value in found)
        return result if result is not None else Const(None)
