"""The state of one pass over a notebook: its names and objects, and what was noted on the way."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from pytest_nbsafe import patterns
from pytest_nbsafe.absint.leakage.abstract_values import (
    CHANGEABLE,
    AnyValue,
    Closure,
    CodeSite,
    Const,
    Data,
    Lib,
    Ref,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.declared import Declaration
from pytest_nbsafe.absint.leakage.marks import Repeated
from pytest_nbsafe.absint.leakage.memory import (
    Event,
    Frame,
    Memory,
    Notes,
    Scope,
    join,
    joined,
    met,
)
from pytest_nbsafe.absint.leakage.rows import GroupsOf
from pytest_nbsafe.analysis.budget import CutShort
from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.libraries.leakroles import LeakRoles
from pytest_nbsafe.values import dataclass, replace

_LIVING = (
    r"(?:patient|subject|user|customer|client|person|participant|speaker|animal|household|"
    r"donor|driver|student)s?(?:[ _-]?(?:id|no|nr|num|number|name))?|subj"
)
_OTHERS = (
    r"(?:session|house|group|family|site|machine|engine|unit)s?[ _-]?(?:id|no|nr|num|number)|"
    r".*[a-z][ _](?:id|ID)"
)
_ALIKE = patterns.compile(rf"(?i)(?:{_LIVING})")
_GROUP = patterns.compile(rf"(?i)(?:{_LIVING}|{_OTHERS})")
"""What a column of groups is called: a guess that counts only beside a use that says the same.

Of the first kind a weaker use does: to sort by a shop says little of its days.
"""
_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True, slots=True)
class PassLimits:
    """How much work a pass may do: what lies beyond is left unknown.

    So many `steps` (expressions) are looked into; so deep may functions of the notebook call one
    another; a loop over at most `unrolled` known items is run once for each.
    """

    steps: int = 30_000
    depth: int = 8
    unrolled: int = 8


@dataclass(frozen=True, slots=True)
class Handlers:
    """What evaluates and runs each kind of code; the table is put together in `passes`.

    Each takes the machine first. One that runs a statement says whether the next one is reached.
    """

    expressions: Mapping[type[ast.expr], Callable[..., Value]]
    statements: Mapping[type[ast.stmt], Callable[..., bool]]
    attribute: Callable[[Machine, ast.AST, Value, str], Value]
    store: Callable[[Machine, ast.expr, Value], None]
    call: Callable[[Machine, ast.Call, Value, list[Value], dict[str, Value]], Value]


class Machine:
    """One pass over a notebook: what it knows of libraries, holds, and has noted.

    A branch runs on a copy of the memory, a what-if on a copy of the machine, a call in a frame
    of its own. `certain` is whether the statement that is being run is run on every path, `loops`
    how many loops are around it.
    """

    def __init__(self, roles: LeakRoles, handlers: Handlers, limits: PassLimits) -> None:
        self.roles, self.handlers, self.limits = roles, handlers, limits
        self.memory, self.notes = Memory(), Notes()
        self.frames = [Frame(0)]
        self.run: tuple[int, int] = (0, 0)
        self.declarations: Mapping[int, Mapping[int, Declaration]] = {}
        self.certain = True
        self.steps = self.loops = 0

    def copy(self) -> Machine:
        """Return a machine that goes on after the runs so far, and leaves this one as it is."""
        other = Machine(self.roles, self.handlers, self.limits)
        other.memory, other.notes = self.memory.copy(), self.notes.copy()
        other.declarations = self.declarations
        return other

    def __eq__(self, other: object) -> bool:
        """Return whether what follows on two machines is the same."""
        if not isinstance(other, Machine):
            return NotImplemented
        return self.memory == other.memory and self.notes == other.notes

    def __hash__(self) -> int:
        """Return a hash that is quick, and holds for as long as the machine is not run."""
        return hash(tuple(self.notes.runs.items()))

    def run_cell(
        self, cell: int, body: Sequence[ast.stmt], declared: Mapping[int, Declaration]
    ) -> None:
        """Run a cell again; what it draws at random is then another than the last time.

        `declared` are the declarations in its comments, by the lines that they speak of.

        Raises:
            CutShort: the notebook takes too many steps; what was seen until then holds.

        """
        count = self.notes.runs[cell] = self.notes.runs.get(cell, 0) + 1
        self.run, self.frames = (cell, count), [Frame(cell)]
        self.declarations = {**self.declarations, cell: declared}
        self.loops, self.certain = 0, True
        self.block(body)

    # -- values ------------------------------------------------------------------------------------

    def get(self, value: Value | None) -> Value:
        """Return what a value is now: for an object that can change, its state."""
        while isinstance(value, Ref):
            value = self.memory.heap[value.id]
        return value if value is not None else AnyValue()

    def plain(self, value: Value) -> Value:
        """Return what a value is now, what is in a list or tuple being looked up too."""
        state = self.get(value)
        if isinstance(state, Seq):
            return replace(state, items=tuple(map(self.get, state.items)))
        return state

    def put(self, value: Value | None, state: Value) -> None:
        """Change an object."""
        if isinstance(value, Ref):
            self.memory.heap[value.id] = state

    def box(self, value: Value) -> Value:
        """Return a value as an object of its own, that can change, if its kind can."""
        if not isinstance(value, CHANGEABLE):
            return value
        notes = self.notes
        notes.objects = number = notes.objects + 1
        self.memory.heap[number] = value
        return Ref(number)

    def token(self, value: object) -> int:
        """Return a small number that stands for a value: the same for equal ones."""
        tokens = self.notes.tokens
        return tokens.setdefault(value, len(tokens))

    @property
    def cell(self) -> int:
        """The cell whose code is being run: that of the function, in a call."""
        return self.frames[-1].cell

    def site(self, node: ast.AST) -> CodeSite:
        """Return the place of a node."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        end = getattr(node, "end_lineno", None) or line
        site = CodeSite(
            self.frames[-1].cell,
            Span(line, column + 1, end, (getattr(node, "end_col_offset", 0) or 0) + 1),
        )
        self.notes.times[site] = self.steps
        return site

    def fresh(self, node: ast.AST) -> tuple[object, ...]:
        """Return a key for what is made here in this run of the cell, called from here."""
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        frame = self.frames[-1]
        return (self.run, frame.cell, line, column, *frame.callers)

    def mark_group(self, base: object, name: str, value: Value | None = None) -> None:
        """Remember a column that says which group a row belongs to, by name and by use."""
        repeated = value is None or (isinstance(value, Data) and value.random)
        repeated = repeated or (isinstance(value, AnyValue) and isinstance(value.key, Repeated))
        if base is not None and repeated and _GROUP.fullmatch(name):
            self.notes.groups[base] = name

    def mark_groups_of(self, column: Value, *, weakly: bool = False) -> None:
        """Remember a column as one of groups: it is used as only a column of groups is.

        Where it is used so `weakly`, its name has to say more.
        """
        for origin in column.origins if isinstance(column, Data) else ():
            if isinstance(origin, tuple) and len(origin) == 2:
                base, name = origin[0], str(origin[1])
                if not weakly or _ALIKE.fullmatch(name):
                    self.mark_group(base, name)

    def group_of(self, data: Data) -> str | None:
        """Return the column or name that says which group each of some rows belongs to."""
        if any(isinstance(atom.source, GroupsOf) for atom in data.rows):
            return None  # each row is a group
        bases = [origin[0] for origin in data.origins if isinstance(origin, tuple)]
        keys = [data.base, *bases, *(("rows", atom.source) for atom in data.rows)]
        groups = self.notes.groups
        return next((groups[key] for key in keys if key in groups), None)

    def mark_rows(self, data: Data, name: str, value: Value) -> None:
        """Remember that a column says of rows where they are from: `train["part"] = "train"`."""
        if isinstance(value, Const):
            for atom in data.rows:
                self.notes.markers[name, atom] = value.value

    def note(self, event: Event) -> None:
        """Tell the judge that something happened."""
        self.notes.events.append(event)

    # -- what is run -------------------------------------------------------------------------------

    def evaluate(self, node: ast.expr) -> Value:
        """Return what an expression gives."""
        self.steps += 1
        if self.steps > self.limits.steps:
            raise CutShort
        handler = self.handlers.expressions.get(type(node))
        return handler(self, node) if handler is not None else AnyValue(self.fresh(node))

    def attribute(self, node: ast.AST, owner: Value, name: str) -> Value:
        """Return an attribute of a value."""
        return self.handlers.attribute(self, node, owner, name)

    def store(self, target: ast.expr, value: Value) -> None:
        """Bind a target to a value."""
        self.handlers.store(self, target, value)

    def call(
        self, node: ast.Call, callee: Value, args: list[Value], keywords: dict[str, Value]
    ) -> Value:
        """Return what a call gives."""
        return self.handlers.call(self, node, callee, args, keywords)

    # -- names -------------------------------------------------------------------------------------

    @property
    def scope(self) -> Scope:
        """The names of the function that is being run, or of the notebook."""
        return self.memory.scopes[-1]

    def scope_of(self, name: str) -> Scope:
        """Return the scope that holds a name now: that of the function, or the notebook's."""
        return self.memory.scopes[-1 if name in self.scope else 0]

    def closure(self) -> tuple[tuple[str, Value], ...]:
        """Return the names that a function defined now closes over: none in the notebook's own."""
        return tuple(self.scope.items()) if len(self.frames) > 1 else ()

    def read(self, name: str) -> Value:
        """Return what a name holds."""
        for scope in (self.memory.scopes[-1], self.memory.scopes[0]):
            if name in scope:
                return scope[name]
        for module in self.notes.stars:
            dotted = f"{module}.{name}"
            if self.roles.class_of(dotted) or self.roles.effect_of(dotted):
                return Lib(dotted)
        if name == "__name__":
            return Const("__main__")
        return Lib(f"builtins.{name}") if name in _BUILTINS else AnyValue(("name", name))

    def bind(self, name: str, value: Value) -> None:
        """Bind a name in the scope that is being run."""
        place = 0 if name in self.frames[-1].outer else -1
        self.memory.scopes[place][name] = self.box(value)

    # -- statements --------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt]) -> bool:
        """Run statements one after another; return whether the end is reached."""
        for node in body:
            handler = self.handlers.statements.get(type(node))
            if handler is not None and not handler(self, node):
                return False
        return True

    def branches(self, bodies: Sequence[Callable[[], bool]]) -> bool:
        """Run each body on a memory of its own, and go on with what holds after all of them."""
        before, certain = self.memory, self.certain
        ends: list[Memory] = []
        left: list[Memory] = []
        self.certain = False
        for body in bodies:
            self.memory = before.copy()
            (ends if body() else left).append(self.memory)
        self.certain = certain
        self.memory = ends[0] if ends else Memory(before.scopes)
        for other in ends[1:]:
            self._meet(other)
        for other in left:  # what a branch returns is still needed
            self.memory.heap = {**other.heap, **self.memory.heap}
        return bool(ends)

    def _meet(self, other: Memory) -> None:
        heap = self.memory.heap
        for key, value in other.heap.items():
            mine = heap.get(key)
            if mine != value:
                heap[key] = value if mine is None else met(mine, value)
        for scope, theirs in zip(self.memory.scopes, other.scopes, strict=True):
            for name, value in theirs.items():
                mine = scope.get(name)
                if mine != value:
                    known = self.get(mine) if mine is not None else None
                    scope[name] = self.box(met(known, self.get(value)))
            for name in scope.keys() - theirs.keys():
                scope[name] = self.box(join(self.get(scope[name]), None))

    # -- calls -------------------------------------------------------------------------------------

    def call_function(
        self, function: Closure, scope: Scope, body: Sequence[ast.stmt] | ast.expr, call: ast.AST
    ) -> Value:
        """Return what a function of the notebook returns, its parameters bound in `scope`."""
        under_way = [frame.function for frame in self.frames[1:]]
        if len(under_way) >= self.limits.depth or function.node in under_way:
            return AnyValue(("call", self.run, function.node.lineno))
        place = self.cell, getattr(call, "lineno", 0), getattr(call, "col_offset", 0)
        callers = (*self.frames[-1].callers, place)
        self.frames.append(Frame(function.cell, function.node, callers))
        self.memory.scopes.append({**dict(function.closure), **scope})
        try:
            if isinstance(body, ast.expr):
                return self.evaluate(body)
            self.block(body)
        finally:
            self.memory.scopes.pop()
            frame = self.frames.pop()
        if frame.yields:
            each = joined(self.get(value) for value in frame.yields)
            return Seq((), each, ("yield", *self.fresh(call)))
        if len(frame.returns) == 1:
            return frame.returns[0]
        return reduce(met, map(self.plain, frame.returns)) if frame.returns else Const(None)
