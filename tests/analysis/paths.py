"""An independent, slow and obviously right oracle: it walks every path through a small program.

A program is a tree of tuples. `render` gives its text; `walk` gives its paths, each a list of
events and an outcome. Events: ("r", name), ("b", name), ("d", name), ("m", name) for a change in
place, and ("s",) between statements. Loops are unrolled up to two times, which is enough: what a
name-by-name analysis can tell of a third time, it can tell of the second.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

Node = tuple[Any, ...]
Event = tuple[str, ...]
Path = tuple[tuple[Event, ...], str]

LIMIT = 300


class TooManyPathsError(Exception):
    """The program has more paths than the oracle cares to walk."""


# -- expressions: ("name", n) ("call", e...) ("and", e, e) ("if", c, a, b) ("walrus", n, e) --------
#    comprehensions: ("each", iterable, element) ("filter", iterable, test, element)


def text_of(e: Node) -> str:
    kind = e[0]
    if kind == "name":
        return str(e[1])
    if kind == "call":
        return f"len({', '.join(map(text_of, e[1:]))})"
    if kind in ("and", "or"):
        return f"({text_of(e[1])} {kind} {text_of(e[2])})"
    if kind == "not":
        return f"(not {text_of(e[1])})"
    if kind == "if":
        return f"({text_of(e[2])} if {text_of(e[1])} else {text_of(e[3])})"
    if kind == "walrus":
        return f"({e[1]} := {text_of(e[2])})"
    if kind == "await":
        return f"(await {text_of(e[1])})"
    loop = f"for _i in {text_of(e[1])}"
    if kind == "each":
        return f"[{text_of(e[2])} {loop}]"
    assert kind == "filter", kind
    return f"{{{text_of(e[3])} {loop} if {text_of(e[2])}}}"


def values(e: Node) -> Iterator[tuple[tuple[Event, ...], str]]:
    """Yield (events, outcome) with the outcome `true`, `false` or `raise`."""
    kind = e[0]
    if kind == "name":
        for outcome in ("true", "false"):
            yield (("r", e[1]),), outcome
    elif kind == "call":
        for events, outcome in in_turn(e[1:]):
            if outcome == "raise":
                yield events, "raise"
            else:
                for end in ("true", "false", "raise"):
                    yield events, end
    elif kind in ("and", "or"):
        for events, outcome in tested(e[1]):
            if outcome == ("true" if kind == "and" else "false"):
                for more, end in values(e[2]):
                    yield events + more, end
            else:
                yield events, outcome
    elif kind == "not":
        flip = {"true": "false", "false": "true", "raise": "raise"}
        for events, outcome in tested(e[1]):
            yield events, flip[outcome]
    elif kind == "if":
        for events, outcome in tested(e[1]):
            if outcome == "raise":
                yield events, outcome
            else:
                for more, end in values(e[2] if outcome == "true" else e[3]):
                    yield from either(events + more, end)
    elif kind == "walrus":
        for events, outcome in values(e[2]):
            if outcome == "raise":
                yield events, outcome
            else:
                yield from either((*events, ("b", e[1])), outcome)
    elif kind == "await":
        for events, outcome in values(e[1]):
            yield events, "raise"
            if outcome != "raise":
                yield from either(events, outcome)
    else:
        yield from each(e)


def either(events: tuple[Event, ...], outcome: str) -> Iterator[tuple[tuple[Event, ...], str]]:
    """Yield both outcomes: the analysis does not know that `(x := a and b)` is true as `b` is."""
    for end in ("raise",) if outcome == "raise" else ("true", "false"):
        yield events, end


def tested(e: Node) -> Iterator[tuple[tuple[Event, ...], str]]:
    """Yield the same for a value whose truth is asked for, which may raise."""
    for events, outcome in values(e):
        yield events, outcome
        if outcome != "raise":
            yield events, "raise"


def in_turn(parts: tuple[Node, ...]) -> Iterator[tuple[tuple[Event, ...], str]]:
    if not parts:
        yield (), "true"
        return
    for events, outcome in values(parts[0]):
        if outcome == "raise":
            yield events, outcome
        else:
            for more, end in in_turn(parts[1:]):
                yield events + more, end


def each(e: Node) -> Iterator[tuple[tuple[Event, ...], str]]:
    once = in_turn((e[2],)) if e[0] == "each" else filtered(e[2], e[3])
    turns = tuple(dict.fromkeys(once))
    for events, outcome in values(e[1]):
        yield events, "raise"  # the iterator may raise
        if outcome == "raise":
            continue
        for times in range(3):
            for more, end in repeated(turns, times):
                yield events + more, end


def filtered(test: Node, element: Node) -> Iterator[tuple[tuple[Event, ...], str]]:
    for events, outcome in tested(test):
        if outcome == "true":
            for more, end in in_turn((element,)):
                yield events + more, end
        else:
            yield events, outcome


def repeated(
    turns: tuple[tuple[tuple[Event, ...], str], ...], times: int
) -> Iterator[tuple[tuple[Event, ...], str]]:
    if not times:
        yield (), "true"
        return
    for events, outcome in turns:
        if outcome == "raise":
            yield events, outcome
        else:
            for more, end in repeated(turns, times - 1):
                yield events + more, end


# -- statements ------------------------------------------------------------------------------------


def render(body: tuple[Node, ...], indent: int = 0) -> list[str]:
    pad = "    " * indent
    lines: list[str] = []
    for s in body:
        kind = s[0]
        if kind == "assign":
            lines.append(f"{pad}{s[1]} = {text_of(s[2])}")
        elif kind == "augment":
            lines.append(f"{pad}{s[1]} += {text_of(s[2])}")
        elif kind == "expr":
            lines.append(f"{pad}{text_of(s[1])}")
        elif kind == "del":
            lines.append(f"{pad}del {s[1]}")
        elif kind == "change":
            lines.append(f"{pad}{s[1]}.append({text_of(s[2])})")
        elif kind in ("raise", "break", "continue"):
            lines.append(f"{pad}{kind if kind != 'raise' else 'raise OSError'}")
        elif kind == "if":
            lines += [f"{pad}if {text_of(s[1])}:", *render(s[2], indent + 1), f"{pad}else:"]
            lines += render(s[3], indent + 1)
        elif kind == "while":
            lines += [f"{pad}while {text_of(s[1])}:", *render(s[2], indent + 1), f"{pad}else:"]
            lines += render(s[3], indent + 1)
        elif kind in ("for", "async for"):
            lines += [f"{pad}{kind} {s[1]} in {text_of(s[2])}:", *render(s[3], indent + 1)]
            lines += [f"{pad}else:", *render(s[4], indent + 1)] if s[4] else []
        elif kind in ("with", "async with"):
            name = f" as {s[2]}" if s[2] else ""
            lines += [f"{pad}{kind} {text_of(s[1])}{name}:", *render(s[3], indent + 1)]
        elif kind == "suppress":
            lines += [f"{pad}with suppress(OSError):", *render(s[1], indent + 1)]
        elif kind == "match":
            lines.append(f"{pad}match {text_of(s[1])}:")
            for pattern, guard, case in s[2]:
                test = f" if {text_of(guard)}" if guard else ""
                lines += [f"{pad}    case {pattern_of(pattern)}{test}:", *render(case, indent + 2)]
        elif kind == "try":
            lines += [f"{pad}try:", *render(s[1], indent + 1)]
            if s[2] is not None:
                lines += [f"{pad}except OSError:", *render(s[2], indent + 1)]
                lines += [f"{pad}else:", *render(s[4], indent + 1)] if s[4] else []
            if s[3] or s[2] is None:
                lines += [f"{pad}finally:", *render(s[3], indent + 1)]
    return lines or [f"{pad}pass"]


def pattern_of(pattern: Node) -> str:
    """Return the text of a pattern: ("value",), ("sequence", names), ("capture", name)."""
    if pattern[0] == "value":
        return "0"
    return f"[{', '.join(pattern[1])}]" if pattern[0] == "sequence" else str(pattern[1])


@functools.lru_cache(1000)  # a loop asks again and again what its body does
def walk(body: tuple[Node, ...]) -> tuple[Path, ...]:
    paths: list[Path] = [((), "normal")]
    for s in body:
        following: dict[Path, None] = {}
        for tried, (events, outcome) in enumerate(paths):
            if outcome != "normal":
                following[events, outcome] = None
                continue
            for count, (more, end) in enumerate(step(s)):
                following[events + more, end] = None
                if len(following) > LIMIT or count > 4 * LIMIT or tried * count > 20 * LIMIT:
                    raise TooManyPathsError
        paths = list(following)
    return tuple(paths)


def step(s: Node) -> Iterator[Path]:
    kind = s[0]
    mark: Event = ("s",)
    if kind in ("assign", "augment"):
        first: tuple[Event, ...] = (("r", s[1]),) if kind == "augment" else ()
        for events, outcome in values(s[2]):
            if outcome == "raise":
                yield (mark, *first, *events), "raise"
            else:
                if kind == "augment":  # the operator may raise
                    yield (mark, *first, *events), "raise"
                yield (mark, *first, *events, ("b", s[1])), "normal"
    elif kind == "expr":
        for events, outcome in values(s[1]):
            yield (mark, *events), "raise" if outcome == "raise" else "normal"
    elif kind == "del":
        yield (mark, ("r", s[1]), ("d", s[1])), "normal"
    elif kind == "change":
        for events, outcome in in_turn((("name", s[1]), s[2])):
            yield (mark, *events), "raise"
            if outcome != "raise":
                yield (mark, *events, ("m", s[1])), "normal"
    elif kind in ("raise", "break", "continue"):
        yield (mark,), kind
    elif kind == "if":
        for events, outcome in tested(s[1]):
            if outcome == "raise":
                yield (mark, *events), "raise"
            else:
                for more, end in walk(s[2] if outcome == "true" else s[3]):
                    yield (mark, *events, *more), end
    elif kind == "while":
        yield from loop(s[1], None, s[2], s[3], 2)
    elif kind in ("for", "async for"):
        for events, outcome in values(s[2]):
            yield (mark, *events), "raise"  # the iterator may raise
            if outcome != "raise":
                for more, end in loop(None, s[1], s[3], s[4], 2):
                    yield (mark, *events, *more), end
    elif kind in ("with", "async with"):
        target: tuple[Event, ...] = (("b", s[2]),) if s[2] else ()
        for events, outcome in values(s[1]):
            yield (mark, *events), "raise"  # what is entered may raise
            if outcome != "raise":
                for more, end in walk(s[3]):
                    yield (mark, *events, *target, *more), end
    elif kind == "suppress":
        head: tuple[Event, ...] = (mark, ("r", "suppress"))
        yield head, "raise"
        yield from caught(head, s[1], ())
    elif kind == "match":
        for events, outcome in values(s[1]):
            yield (mark, *events), "raise"
            if outcome != "raise":
                subject = tuple(event for event in events if event[0] == "r")
                for more, end in cases(s[2], subject):
                    yield (mark, *events, *more), end
    else:
        yield from attempt(s)


def cases(left: tuple[Node, ...], subject: tuple[Event, ...]) -> Iterator[Path]:
    """Yield the ways through the cases; each matches what was read, and then asks its guard."""
    if not left:
        yield (), "normal"
        return
    (pattern, guard, body), others = left[0], left[1:]
    if pattern[0] != "capture":
        yield from cases(others, subject)
    names = pattern[1] if pattern[0] == "sequence" else pattern[1:]
    head = (("s",), *subject, *(("b", name) for name in names if name != "_"))
    for events, outcome in tested(guard) if guard else iter([((), "true")]):
        if outcome == "true":
            ways: Iterator[Path] = iter(walk(body))
        elif outcome == "false":
            ways = cases(others, subject)
        else:
            ways = iter([((), "raise")])
        for more, end in ways:
            yield head + events + more, end


def loop(
    test: Node | None,
    target: str | None,
    body: tuple[Node, ...],
    orelse: tuple[Node, ...],
    left: int,
) -> Iterator[Path]:
    mark: Event = ("s",)
    asked = [((), "true"), ((), "false"), ((), "raise")]  # for the next turn of a `for`
    tests = tested(test) if test else iter(asked)
    for events, outcome in tests:
        if outcome == "raise":
            yield (mark, *events), "raise"
        elif outcome == "false":
            for more, end in walk(orelse):
                yield (mark, *events, *more), end
        elif left:
            head = (mark, *events, *([("b", target)] if target else []))
            for more, end in walk(body):
                if end == "break":
                    yield head + more, "normal"
                elif end == "raise":
                    yield head + more, end
                else:
                    for rest, last in loop(test, target, body, orelse, left - 1):
                        yield head + more + rest, last


def caught(
    head: tuple[Event, ...],
    body: tuple[Node, ...],
    handler: tuple[Node, ...],
    orelse: tuple[Node, ...] = (),
) -> Iterator[Path]:
    """Yield the ways through a body of which some exceptions are handled, others not."""
    inside = [*walk(body)]
    if all(outcome != "raise" for _, outcome in inside):
        inside.append(((), "raise"))  # something unforeseen, before anything was done
    for events, outcome in inside:
        if outcome == "raise":
            yield from ((head + events + more, end) for more, end in walk(handler))
            yield head + events, "raise"  # another exception than the one that is caught
        elif outcome == "normal":
            yield from ((head + events + more, end) for more, end in walk(orelse))
        else:
            yield head + events, outcome


def attempt(s: Node) -> Iterator[Path]:
    _, body, handler, final, orelse = s
    if handler is None:
        ways = [*walk(body)]
        if all(outcome != "raise" for _, outcome in ways):
            ways.append(((), "raise"))
    else:
        ways = [*caught((), body, handler, orelse)]
    if not final:
        yield from ways
        return
    for events, outcome in dict.fromkeys(ways):
        for more, end in walk(final):
            yield events + more, outcome if end == "normal" else end


# -- answers ---------------------------------------------------------------------------------------


def live(paths: Sequence[Path]) -> set[str]:
    """Names whose value at entry some path reads."""
    return {name for events, _ in paths for name in exposed(events)}


def surely_read(paths: Sequence[Path]) -> set[str]:
    """Names whose value at entry every path to the normal end reads."""
    return set.intersection(*[exposed(e) for e, outcome in paths if outcome == "normal"])


def exposed(events: tuple[Event, ...]) -> set[str]:
    found: set[str] = set()
    gone: set[str] = set()
    for what, *rest in events:
        if what == "r" and rest[0] not in gone:
            found.add(rest[0])
        elif what in ("b", "d"):
            gone.add(rest[0])
    return found


def is_feasible(events: tuple[Event, ...]) -> bool:
    """Tell whether no name is read after it was deleted, which would raise."""
    deleted: set[str] = set()
    for what, *rest in events:
        if what == "r" and rest[0] in deleted:
            return False
        if what == "d":
            deleted.add(rest[0])
        elif what == "b":
            deleted.discard(rest[0])
    return True


def dead(paths: Sequence[Path]) -> set[str]:
    """Names that every path overwrites in a statement that has not read them before."""
    return set.intersection(*[overwritten(e) for e, outcome in paths if outcome == "normal"])


def overwritten(events: tuple[Event, ...]) -> set[str]:
    found: set[str] = set()
    read: set[str] = set()
    for what, *rest in events:
        if what == "s":
            read = set()
        elif what == "r":
            read.add(rest[0])
        elif what == "b" and rest[0] not in read:
            found.add(rest[0])
    return found


def ends(paths: Sequence[Path]) -> tuple[set[str], set[str], set[str]]:
    """Return the names that are bound at the end on every path, on some, and deleted on every."""
    bound, deleted = [], []
    for events, outcome in paths:
        if outcome == "normal":
            state = {rest[0]: what for what, *rest in events if what in ("b", "d")}
            bound.append({name for name, what in state.items() if what == "b"})
            deleted.append({name for name, what in state.items() if what == "d"})
    return set.intersection(*bound), set.union(*bound), set.intersection(*deleted)
