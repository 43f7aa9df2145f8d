"""What ran in the current run: module-level statements, and the user functions they called.

Instrumented code tests one flag a statement or function and calls in here only when it is set.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import compress
from typing import Any, NamedTuple

from ..contract import Position, StatementEvent


class Identities:
    """Which objects the names of a namespace held at one moment, by `id`: nothing is kept alive.

    The work for each name is done by functions of the interpreter: a notebook may have thousands.
    """

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._names = list(namespace)
        self._ids = list(map(id, namespace.values()))
        if len(self._ids) != len(self._names):  # a thread of the notebook was in between
            self._ids = list(map(id, map(namespace.get, self._names)))
        self._table: dict[str, int] = {}

    def get(self, name: str) -> int:
        """Return the `id` of what a name held, 0 when it was not bound."""
        return self._by_name().get(name, 0)

    def changes(self, namespace: dict[str, Any]) -> dict[str, int]:
        """Return the names that hold another object in a namespace now, 0 for what is gone."""
        now = Identities(namespace)
        known = len(self._names)
        if now._names[:known] == self._names:
            differ = compress(range(known), map(operator.ne, self._ids, now._ids))
            changed = {self._names[place]: now._ids[place] for place in differ}
            changed.update(zip(now._names[known:], now._ids[known:]))  # noqa: B905  # not before 3.10
            return changed
        old, new = self._by_name(), now._by_name()
        changed = {name: new[name] for name in new if new[name] != old.get(name)}
        changed.update((name, 0) for name in old.keys() - new.keys())
        return changed

    def _by_name(self) -> dict[str, int]:
        if len(self._table) < len(self._names):
            self._table = dict(zip(self._names, self._ids))  # noqa: B905  # not before 3.10
        return self._table


class Slot(NamedTuple):
    """A place in a cell's text: a module-level statement, or the entry of a function.

    `sure` are the names that the statement has bound once it is done, `maybe` those that it binds
    on some paths. `entered` is the flag of a loop's body: cleared once the body has run. A `quiet`
    statement is in a loop and calls nothing by its text. An `implicit` function is one that such a
    statement may run all the same: a method of operators, a generator, what a decorator made a
    property.
    """

    run: int
    line: int
    offset: int
    end_line: int
    sure: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()
    entered: int = -1
    quiet: bool = False
    implicit: bool = False


class Recorder:
    """Flags for the hooks, and the statements of the current run.

    `flags[i]` is true while hook `i` still wants to be told. `slots[i]` are the statements that
    begin with hook `i` (several where a loop body runs straight through them), or one function.
    A function's hook clears its flag and appends `i` to `hits`, in code that cannot raise; it is
    armed again when the next statement begins, which `rearm` is told of too.
    """

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace
        self.rearm: Callable[[int], None] | None = None
        self.flags: list[int] = []
        self.hits: list[int] = []
        self.slots: list[tuple[Slot, ...]] = []
        self.events: list[StatementEvent] = []
        self.began: list[Slot] = []
        self._open = 0
        self._called: set[int] = set()
        self._before = Identities({})
        self._bound: dict[str, int] = {}

    def reserve(self, slots: tuple[Slot, ...]) -> int:
        """Return the number of a new armed hook for these slots."""
        self.slots.append(slots)
        self.flags.append(1)
        return len(self.flags) - 1

    def start_run(self, before: Identities | None = None) -> None:
        """Forget the last run; `before` are the objects that names now hold."""
        self._rearm()
        self.events = []
        self.began = []
        self._open = 0
        self._called = set()
        self._before = Identities(self.namespace) if before is None else before
        self._bound = {}

    def enter(self, hook: int) -> None:
        """Note that a function was entered."""
        if self.flags[hook]:
            self.flags[hook] = 0
            self.hits.append(hook)

    def begin(self, hook: int) -> None:
        """Note that the statements of a hook start; the ones before have ended."""
        if not self.flags[hook]:
            return
        self.flags[hook] = 0
        self._settle()
        self._open = len(self.events)
        for slot in self.slots[hook]:
            self.began.append(slot)
            self.events.append(
                {"line": slot.line, "offset": slot.offset, "done": True, "called": [], "bound": {}}
            )

    def finish(self, raised_line: int | None) -> None:
        """Close the run; `raised_line` is where it raised, 0 unknown, None when it did not."""
        if raised_line is not None and self.events:
            failing = self._failing(raised_line)
            last = len(self.events) if failing >= self._open else failing + 1
            for event in self.events[failing:last]:
                event["done"] = False
        self._settle()

    def _failing(self, raised_line: int) -> int:
        """Return the index of the innermost statement that raised."""
        failing = self._open
        for index, slot in enumerate(self.began):
            if slot.line <= raised_line <= slot.end_line:
                failing = index
        return failing

    def _settle(self) -> None:
        """Note what the open statements have called and bound.

        When the last statement of a loop's body has had its first turn, calls of later turns come
        in under it. Where its own text calls nothing, those that were seen before are not its own,
        and the others are of the statements of the loop that call functions.
        """
        hooks: list[int] = []
        old: set[int] = set()
        if self.hits:
            hooks, old = list(self.hits), set(self._called)
            self._called.update(hooks)
            self._rearm()
            hooks = self._not_given_away(hooks, old)
        for index in range(self._open, len(self.events)):
            event, slot = self.events[index], self.began[index]
            calls = [self.slots[h][0] for h in hooks if not (slot.quiet and h in old)]
            event["called"] = [_position(call) for call in calls]
            if event["done"]:
                self._bind(event, slot.sure)
            else:
                self._bind_changed(event, slot.sure)
            self._bind_changed(event, slot.maybe)
            if slot.entered >= 0 and not self.flags[slot.entered]:
                self._bind(event, slot.maybe)
            for call in calls:
                self._bind_changed(event, call.maybe)

    def _not_given_away(self, hooks: list[int], old: set[int]) -> list[int]:
        """Return the hooks of functions but those that statements before have called.

        These are not `old`, called in later turns of a loop, and what is open calls nothing.
        """
        slots = self.began[self._open :]
        called = [self.slots[hook][0] for hook in hooks if hook not in old]
        if not called or not all(slot.quiet for slot in slots) or any(c.implicit for c in called):
            return hooks
        first = next((n for n, slot in enumerate(self.began) if _holds(slot, slots[0])), self._open)
        callers = [event for event in self.events[first : self._open] if event["called"]]
        for event in callers:
            event["called"] += [_position(call) for call in called]
            for call in called:
                self._bind_changed(event, call.maybe)
        return [hook for hook in hooks if hook in old] if callers else hooks

    def _bind(self, event: StatementEvent, names: tuple[str, ...]) -> None:
        for name in names:
            if name in self.namespace:
                event["bound"][name] = self._bound[name] = id(self.namespace[name])

    def _bind_changed(self, event: StatementEvent, names: tuple[str, ...]) -> None:
        for name in names:
            held = self._bound[name] if name in self._bound else self._before.get(name)
            if name in self.namespace and id(self.namespace[name]) != held:
                self._bind(event, (name,))

    def _rearm(self) -> None:
        hooks = self.hits[:]  # a trace function of the notebook may be entered as we go on
        del self.hits[: len(hooks)]  # the list itself is known to the hooks
        for hook in hooks:
            self.flags[hook] = 1
            if self.rearm is not None:
                self.rearm(hook)


def _holds(loop: Slot, slot: Slot) -> bool:
    """Return whether a statement is a loop in which another stands."""
    return loop.entered >= 0 and loop.line <= slot.line <= loop.end_line


def _position(slot: Slot) -> Position:
    return {"run": slot.run, "line": slot.line, "offset": slot.offset}
