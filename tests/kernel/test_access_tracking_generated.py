"""Held against containers that log what is done to them, over programs made by chance.

The containers search the whole namespace for the paths that lead to them: slow, and nothing of it
is shared with what is tested. Each part that they log must lie in a part that was told, and each
part that was told must have been logged, at the same line.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from following import Page

Path = tuple[Any, ...]
Entry = tuple[int, Path]
NAMES = ("a", "b", "c")
KEYS = ("x", "y", "z", 0, 1)


class Log:
    """What containers tell: what was read and changed, by line and path.

    `other` are all symbols of a container that was read from another, and of one that holds itself.
    """

    def __init__(self) -> None:
        self.home: dict[str, Any] = {}
        self.read: set[Entry] = set()
        self.changed: set[Entry] = set()
        self.other: set[Entry] = set()
        self.on = False

    def note(self, found: set[Entry], owner: object, *keys: Any) -> None:
        if self.on:
            self.on = False
            paths = [*self.paths(owner)]
            found.update((line(), (*path, *keys)) for path, twice in paths if not twice)
            self.other.update((line(), (*path, *keys)) for path, twice in paths if twice)
            self.on = True

    def paths(self, wanted: object) -> Iterator[tuple[Path, bool]]:
        """Yield every path from a name to an object, and whether it goes through that twice."""
        waiting: list[tuple[Path, Any, tuple[int, ...]]] = [
            ((name,), self.home[name], ()) for name in NAMES if name in self.home
        ]
        while waiting:
            path, value, seen = waiting.pop()
            if value is wanted:
                yield path, id(value) in seen
            if id(value) in seen or not isinstance(value, (dict, list)):
                continue
            items = (
                dict.items(value) if isinstance(value, dict) else enumerate(list.__iter__(value))
            )
            waiting += [((*path, key), inner, (*seen, id(value))) for key, inner in items]


def line() -> int:
    """Return the line of the program that is executing."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename != "<program>" or frame.f_code.co_name != "<module>":
        assert frame.f_back is not None
        frame = frame.f_back
    return frame.f_lineno


def logging(base: Any, log: Log) -> type:
    """Return a dict or list whose objects tell the log what is done to them."""

    def at(self: Any, key: Any) -> tuple[Any, ...]:
        if isinstance(self, dict):
            return (key,)
        return (key % max(list.__len__(self), key + 1),) if type(key) is int else ()

    def get(self: Any, key: Any) -> Any:
        log.note(log.read, self, *at(self, key))
        found = base.__getitem__(self, key)
        if isinstance(found, (dict, list)):
            log.note(log.other, found)
        return found

    def put(self: Any, key: Any, value: Any) -> None:
        log.note(log.changed, self, *at(self, key))
        base.__setitem__(self, key, value)

    def drop(self: Any, key: Any) -> None:
        log.note(log.changed, self, *at(self, key))
        base.__delitem__(self, key)

    def whole(name: str, *, changes: bool) -> Callable[..., Any]:
        def method(self: Any, *arguments: Any) -> Any:
            log.note(log.read, self)
            if changes:
                log.note(log.changed, self)
            return getattr(base, name)(self, *arguments)

        return method

    def times(self: Any, count: int) -> Any:
        log.note(log.read, self)
        return type(self)(list.__mul__(self, count))

    held: dict[str, Any] = {
        "__mul__": times,
        "__getitem__": get,
        "__setitem__": put,
        "__delitem__": drop,
    }
    for name in ("__len__", "__iter__", "__eq__", "__contains__", "items", "get", "count"):
        if hasattr(base, name):
            held[name] = whole(name, changes=False)
    for name in ("update", "append", "pop", "extend", "clear"):
        if hasattr(base, name):
            held[name] = whole(name, changes=True)
    return type(base.__name__, (base,), held)


SETUP = """\
def read(thing, key): return thing[key]
def write(thing, key):
    inner = thing
    inner[key] = 5
def deep(thing, key):
    found = thing[key]
    return found['x']
a = D(x=D(x=1, y=2), y=L([D(x=1), 2, D(y=3)]), z=3)
b = D(x=a['x'], y=L([1, 2]))
c = a
"""


def program(chance: random.Random) -> str:
    """Return a program of one statement a line, each of which may fail."""
    return "\n".join(f"with may_fail: {statement(chance)}" for _ in range(12))


def statement(chance: random.Random) -> str:
    one, other, key = place(chance), place(chance), repr(chance.choice(KEYS))
    name = chance.choice(NAMES)
    return chance.choice(
        [
            f"t = {one}",
            f"t = {one} + {other}",
            f"{one} = {chance.randrange(9)}",
            f"{one} = D(x={chance.randrange(9)})",
            f"{one} = L([1, D(y=2)])",
            f"{one} = {other}",
            f"{one} += 1",
            f"del {one}",
            f"{name} = {other}",
            f"t = read({name}, {key})",
            f"write({name}, {key})",
            f"t = deep({name}, {key})",
            f"t = [{name}[k] for k in ('x', 'y')]",
            f"t = len({one})",
            f"{one}.append(1)",
            f"{one}.update(x=1)",
            f"t = {one}.get('x')",
            f"t = [inner['x'] for inner in {one}]",
            f"k = {key}; {name}[k] = {name}[k] * 2",
            f"t = {one}[{key}] if {other} else {name}['z']",
            f"t = print({one}, file=nowhere)",
        ]
    )


def place(chance: random.Random) -> str:
    keys = chance.choices(KEYS, k=chance.randrange(1, 4))
    return chance.choice(NAMES) + "".join(f"[{key!r}]" for key in keys)


class MayFail:
    """Lets a statement fail."""

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> bool:
        return True


class Nowhere:
    """A file that keeps nothing."""

    def write(self, text: str) -> None: ...


def told(text: str) -> tuple[set[Entry], set[Entry]]:
    """Return what is told of a program with plain containers."""
    page = Page()
    page.home |= {"D": dict, "L": list, "may_fail": MayFail(), "nowhere": Nowhere()}
    page.run(SETUP)
    page.run(text)
    assert (page.error, page.accesses.fault) == ("", "")
    found: tuple[set[Entry], set[Entry]] = set(), set()
    for access in page.accesses.list_all():
        if access["name"] in NAMES:
            found[access["changed"]].add((access["line"], (access["name"], *access["path"])))
    return found


def logged(text: str) -> Log:
    """Return what containers log of the same program."""
    log = Log()
    log.home |= {"D": logging(dict, log), "L": logging(list, log)}
    log.home |= {"may_fail": MayFail(), "nowhere": Nowhere()}
    exec(compile(SETUP, "<setup>", "exec"), log.home)
    log.on = True
    exec(compile(text, "<program>", "exec"), log.home)
    return log


def covers(parts: set[Entry], entry: Entry) -> bool:
    line, path = entry
    return any(at == line and path[: len(part)] == part for at, part in parts)


def ends(log: Log) -> set[Entry]:
    """Return the reads but those that were only gone through, on the way to a part below."""
    through = {(at, path[:end]) for at, path in log.read | log.changed for end in range(len(path))}
    return log.read - through


@pytest.mark.parametrize("seed", range(150))
def test_what_is_told_is_what_containers_log(seed: int) -> None:
    text = program(random.Random(seed))
    (read, changed), log = told(text), logged(text)
    known = log.read | log.changed | log.other
    assert {entry for entry in ends(log) if not covers(read | changed, entry)} == set()
    assert {entry for entry in log.changed if not covers(changed, entry)} == set()
    assert {entry for entry in read | changed if len(entry[1]) > 1} - known == set()
