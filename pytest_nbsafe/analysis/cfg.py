"""The flow graph of one scope, and the builder that statements and expressions write it with."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from pytest_nbsafe.analysis.budget import CutShort
from pytest_nbsafe.analysis.scopes import ClassFrame, Frame, NamesFrame, is_known
from pytest_nbsafe.values import dataclass, field

_MOST_BITS = 128_000_000
"""A scope has at most so many names times events: sets of its names at its places fill 200 MB."""

READ, BIND, DELETE, FORGET, CALL, MUTATE, GUARD = range(7)
"""What an event does with its name. FORGET is the silent `del` at the end of `except ... as`."""

MAYBE, GUARDED, GLOBAL, INDEPENDENT = 1, 2, 4, 8
"""Flags of an event: perhaps not reached; a missing name is expected; the name is the notebook's
whatever the scopes in between bind; bound without reading its own old value."""

Event = tuple[int, str, ast.AST, int, str]
"""(what, name, node, flags, kind of definition, or the method that is called)."""


Visitors = dict[type[ast.AST], Callable[["Builder", Any], None]]
"""How each kind of node is walked; a visitor takes nodes of the kind that its key names."""

DOUBTFUL = "mutation?"
"""The kind of a change that only an unknown method may have made."""


@dataclass(slots=True)
class Raw:
    """What one statement reads and writes, before names are known to be local or the notebook's."""

    node: ast.AST
    block: int
    reads: set[str]
    calls: set[str]
    writes: dict[str, set[str]] = field(default_factory=dict)
    mutates: dict[str, set[str]] = field(default_factory=dict)
    deletes: set[str] = field(default_factory=set)
    same: frozenset[str] = frozenset()
    kind: str = ""
    end: ast.AST | None = None


@dataclass(frozen=True, slots=True)
class Cfg:
    """Blocks of events and their successors; block 0 is the entry.

    `exit` is the block in which the normal end is reached. A block that only raises has no
    successor. `guards` tells whether a guard or a handler is anywhere; `reached[n]` whether any
    path leads to block n; `order` holds those blocks, each after those it leads to (but for loops).
    """

    events: Sequence[Sequence[Event]]
    successors: Sequence[Sequence[int]]
    exit: int
    guards: bool
    reached: bytes | bytearray = b"\x01"
    order: Sequence[int] = (0,)


@dataclass(slots=True)
class LiveRead:
    """The first read of a live name in the text; `flags` holds MAYBE and GUARDED."""

    node: ast.AST
    flags: int


@dataclass(slots=True)
class Summary:
    """What a function (or the methods of a class together) does when it is called."""

    name: str
    node: ast.AST
    reads: dict[str, LiveRead] = field(default_factory=dict)
    returns: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    calls: dict[str, int] = field(default_factory=dict)
    parameters: tuple[str, ...] = ()
    changes: frozenset[str] = frozenset()
    rebinds: frozenset[str] = frozenset()
    methods: dict[str, list[Summary]] = field(default_factory=dict)
    own_calls: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()
    later: bool = False
    outer: frozenset[str] = frozenset()
    """Names of `reads`, `returns` and `calls` that are surely the notebook's (`global`)."""


class Builder:
    """Writes the flow graph of one scope while its syntax tree is walked once, in order."""

    def __init__(self, visitors: Visitors, parent: Builder | None = None) -> None:
        self.visitors = visitors
        self.parent = parent
        self.function = parent is not None
        self.python_major: int = parent.python_major if parent else 3
        self.shadowed: frozenset[str] = parent.shadowed if parent else frozenset()
        self.libraries: str = parent.libraries if parent else ""
        self.future: bool = parent.future if parent else False
        self.opaque: list[tuple[ast.AST, str]] = parent.opaque if parent else []
        self.now: list[Event] = []
        self.events: list[list[Event]] = [self.now]
        self.successors: list[list[int]] = [[]]
        self.here = 0
        self.exit: int | None = None
        self.handlers: list[int] = []
        self.catching = 0
        self.loops: list[tuple[int, int, int]] = []
        self.finals: list[tuple[int, set[tuple[int, int]]]] = []
        self.copies = self.quiet = self.depth = 0
        self.guards = self.suspicious = self.later = False
        self.frames: list[Frame] = []
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.parameters: tuple[str, ...] = ()
        self.returned: set[str] = set()
        self.written: set[str] = set()
        self.inner: set[str] = set()
        self.methods: list[list[Summary]] = []
        self.reads: set[str] = set()
        self.enclosing: list[set[str]] = []
        self.calls: set[str] = set()
        self.walrus: dict[str, set[str]] = {}
        self.changed: dict[str, set[str]] = {}
        self.dropped: ast.AST | None = None
        self.statements: list[Raw] = []
        self.functions: dict[str, list[Summary]] = {}
        self.aliases: dict[str, set[str]] = {}
        self.makers: dict[str, set[str]] = {}

    # -- blocks ------------------------------------------------------------------------------

    def new(self) -> int:
        """Return a new block that nothing leads to yet."""
        self.events.append([])
        self.successors.append([])
        return len(self.events) - 1

    def link(self, source: int, target: int) -> None:
        """Let the flow go from the end of one block to the start of another."""
        self.successors[source].append(target)

    def start(self, block: int) -> None:
        """Write into this block from now on."""
        self.here = block
        self.now = self.events[block]

    def step(self) -> None:
        """Go on in a new block after the present one."""
        block = self.new()
        self.link(self.here, block)
        self.start(block)

    def merge(self, ends: Sequence[int]) -> None:
        """Go on where these blocks come together."""
        block = self.new()
        for end in ends:
            self.link(end, block)
        self.start(block)

    def stop(self) -> None:
        """Go on in a block that is never reached (after `raise`, `break`, `return`)."""
        self.start(self.new())

    def branch(self, walk: Callable[[], None]) -> None:
        """Walk a part of an expression that may be left out."""
        before = self.here
        self.step()
        walk()
        self.merge((before, self.here))

    def may_raise(self) -> None:
        """Let an exception leave here for the handlers of the `try` around."""
        if self.handlers:
            self.link(self.here, self.handlers[-1])
            self.step()

    def raise_(self) -> None:
        """End the path with an exception."""
        if self.handlers:
            self.link(self.here, self.handlers[-1])
        self.stop()

    def jump(self, target: int, level: int) -> None:
        """Leave for `target`, through every `finally` that was opened above `level`."""
        if len(self.finals) > level:
            entry, pending = self.finals[-1]
            self.link(self.here, entry)
            pending.add((target, level))
        else:
            self.link(self.here, target)

    def cfg(self) -> Cfg:
        """Return the finished graph; what is never reached is empty in it.

        Raises:
            CutShort: it holds too much for sets of its names at each of its places.

        """
        count = sum(map(len, self.events))
        if count * count > _MOST_BITS:
            names = {event[1] for events in self.events for event in events}
            if count * len(names) > _MOST_BITS:
                raise CutShort
        end = self.here
        if self.exit is not None:
            self.link(end, self.exit)
            end = self.exit
        if len(self.events) == 1:
            return Cfg(self.events, self.successors, end, self.guards)
        order = postorder(0, self.successors)
        reached = bytearray(len(self.events))
        for block in order:
            reached[block] = 1
        if not reached[end]:  # every path raises or loops for ever: take what happened until then
            ends = [block for block in order if not self.successors[block]] or list(order)
            end = self.new()
            for block in ends:
                self.link(block, end)
            reached.append(1)
            order = postorder(0, self.successors)
        events = [e if reached[n] else [] for n, e in enumerate(self.events)]
        successors = [s if reached[n] else [] for n, s in enumerate(self.successors)]
        return Cfg(events, successors, end, self.guards, reached, order)

    # -- names -------------------------------------------------------------------------------

    def known(self, name: str) -> bool:
        """Tell whether a name is Python's or IPython's own, and no cell shadows it."""
        return name not in self.shadowed and is_known(name, self.python_major)

    def read(self, name: str, node: ast.AST, flags: int = 0) -> None:
        """Note a read of a name."""
        if self.frames and not flags & GLOBAL:
            frame_flags = self._in_frames(name)
            if frame_flags is None:
                return
            flags |= frame_flags
        if not self.function and self.known(name):
            return
        self.reads.add(name)
        if self.catching:
            flags |= GUARDED
            self.may_raise()
        self.now.append((READ, name, node, flags, ""))

    def _in_frames(self, name: str) -> int | None:
        """Return the flags of a read, None if a class body or comprehension binds the name."""
        frames = self.frames
        last = len(frames) - 1
        for position in range(last, -1, -1):
            frame = frames[position]
            if isinstance(frame, NamesFrame):
                if name in frame.names:
                    return None
            elif position == last and name not in frame.outside:
                if name in frame.sure:
                    return None
                if name in frame.maybe:
                    return MAYBE
        return 0

    def bind(self, name: str, node: ast.AST, kind: str, flags: int = 0) -> None:
        """Note that a name is bound; in a class body it is the class's own and leaves no trace."""
        frame = self.frames[-1] if self.frames else None
        if isinstance(frame, ClassFrame) and name not in frame.outside:
            (frame.sure if self.depth == frame.depth else frame.maybe).add(name)
            return
        if name not in self.reads and not any(name in reads for reads in self.enclosing):
            flags |= INDEPENDENT
        self.now.append((BIND, name, node, flags, kind))

    def in_class(self) -> bool:
        """Tell whether the statement being walked stands right in a class body."""
        return bool(self.frames) and isinstance(self.frames[-1], ClassFrame)

    def delete(self, name: str, node: ast.AST) -> None:
        """Note `del name`, which also fails when there is no such name."""
        frame = self.frames[-1] if self.frames else None
        if isinstance(frame, ClassFrame) and name not in frame.outside:
            frame.sure.discard(name)
            return
        if self.catching:
            self.may_raise()
        flags = GUARDED if self.catching else 0
        self.now.append((DELETE, name, node, flags, "delete"))

    def call(self, name: str, node: ast.AST, flags: int = 0, method: str = "") -> None:
        """Note that a name (or a method of it) is called, or (MAYBE) handed over to be called."""
        if (self.frames and self._in_frames(name) is None) or (
            not self.function and self.known(name)
        ):
            return
        if not flags & MAYBE:
            self.calls.add(name)
        self.now.append((CALL, name, node, flags, method))

    def mutate(self, name: str, node: ast.AST, kind: str = "mutation") -> bool:
        """Note that the object of a name is changed in place, if the name is not a class's own."""
        if (self.frames and self._in_frames(name) is None) or (
            not self.function and self.known(name)
        ):
            return False
        self.now.append((MUTATE, name, node, 0, kind))
        return True


def postorder(start: int, edges: Sequence[Sequence[int]]) -> list[int]:
    """Return the blocks that the edges lead to from `start`, each after those it leads to."""
    finished: list[int] = []
    visited = {start}
    todo = [(start, iter(edges[start]))]
    while todo:
        block, targets = todo[-1]
        for target in targets:
            if target not in visited:
                visited.add(target)
                todo.append((target, iter(edges[target])))
                break
        else:
            todo.pop()
            finished.append(block)
    return finished
