"""Which cells look at the world outside: what they show differs tomorrow, or on another machine.

A saved text that a clean run does not give proves nothing there: neither an order nor an edit is
needed to explain it. So it is with threads: how far one has come hangs on when somebody looked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from pytest_nbsafe.analysis.dependencies import downstream
from pytest_nbsafe.analysis.model import Graph, kept
from pytest_nbsafe.judge.flow import read_above
from pytest_nbsafe.judge.makers import makers
from pytest_nbsafe.libraries.datafiles import words
from pytest_nbsafe.libraries.wildcards import alternatives
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Influences:
    """What else than order and edits may be why a cell shows another text than was saved.

    Cells that look `outside`, and of these those for which two runs are no proof: they do not ask
    a timer alone; those that are `versioned`; and those that `libraries`, or unseeded draws
    (`chance`), have a part in.
    """

    outside: frozenset[int] = frozenset()
    beyond_proof: frozenset[int] = frozenset()
    versioned: frozenset[int] = frozenset()
    libraries: frozenset[int] = frozenset()
    chance: frozenset[int] = frozenset()


NO_INFLUENCES = Influences()


class _Expressions(NamedTuple):
    """What a text asks the machine, for places and for files; and what versions differ in.

    With the `places` of folders go the settings of a machine: they show in the cell that asks, and
    little that is made of them.
    """

    machine: re.Pattern[str]
    timers: re.Pattern[str]
    places: re.Pattern[str]
    files: re.Pattern[str]
    devices: re.Pattern[str]
    versioned: re.Pattern[str]


@cache
def _expressions(libraries: str) -> _Expressions:
    def one_of(key: str) -> str:
        return alternatives(words("outside", key, libraries))

    return _Expressions(
        re.compile(
            rf"\b(?:{one_of('machine')})\(|\b(?:{one_of('machine_values')})\b"
            r"|\(\s*[rf]?['\"]https?://|['\"](?:today|now)['\"]|^[ \t]*!|=[ \t]*!"
            rf"|(?:^[ \t]*|=[ \t]*)%{{1,2}}(?:{one_of('magics')})\b"
            rf"|\brun_(?:line|cell)_magic\(\s*['\"](?:{one_of('magics')})['\"]",
            re.MULTILINE,
        ),
        re.compile(rf"\b(?:{one_of('timers')})\(|=[ \t]*%timeit\b"),
        re.compile(
            rf"\b(?:{one_of('places')})\(|\bPath\(\w*\)\.resolve\("
            rf"|\b(?:{one_of('place_values')})\b|\bversion\(['\"]"
            r"|\benviron\[[^\[\]\n]*\](?![ \t]*=(?!=))"  # what a cell sets there is its own
        ),
        re.compile(rf"\b(?:{one_of('files')})\(|\bFileNotFoundError\b|\bFileExistsError\b"),
        re.compile(rf"\b(?:{one_of('devices')})\("),
        re.compile(rf"\b(?:{one_of('versioned')})\b|\b(?:{one_of('versioned_calls')})\("),
    )


@kept
def influences(graph: Graph) -> Influences:
    """Return what on a page the world outside, files and libraries have a part in."""
    asks = _expressions(graph.notebook.libraries)
    beyond_proof = frozenset(_lookers(graph, asks, asks.machine))
    timed = any(asks.timers.search(cell.source) for cell in graph.notebook.code_cells)
    outside = lookers(graph) if timed else beyond_proof
    made_by = makers(graph)
    return Influences(outside, beyond_proof, versioned(graph), made_by.libraries, made_by.chance)


def asked_by(graph: Graph, cell: int) -> frozenset[str]:
    """Return what the text of a cell asks for, by the keys of the data files (`machine`)."""
    text = graph.notebook.cell(cell).source
    patterns = _asked(graph.notebook.libraries).items()
    return frozenset(kind for kind, pattern in patterns if pattern.search(text))


@cache
def _asked(libraries: str) -> dict[str, re.Pattern[str]]:
    asks = _expressions(libraries)
    calls = {
        kind: re.compile(rf"\b(?:{alternatives(words('outside', kind, libraries))})\(")
        for kind in ("network", "threads")
    }
    return {"machine": asks.machine, "timers": asks.timers, "files": asks.files, **calls}


def lookers(graph: Graph) -> frozenset[int]:
    """Return the cells that look outside, or read what was made by looking at clock or machine.

    Which files there are shows in the cell that asks, where a folder lies and which devices there
    are in those that read its name, for what is read from a file does not depend on its folder.
    """
    return frozenset(read_from_outside(graph))


@kept
def read_from_outside(graph: Graph) -> Mapping[int, frozenset[str]]:
    """Return what each of the lookers reads that cells above made by looking outside."""
    asks = _expressions(graph.notebook.libraries)
    return _lookers(graph, asks, asks.machine, asks.timers)


def looking_lines(graph: Graph, cell: int) -> frozenset[int]:
    """Return the lines of a cell on which it asks for anything outside."""
    asks, text = _expressions(graph.notebook.libraries), graph.notebook.cell(cell).source
    patterns = asks.machine, asks.timers, asks.places, asks.files, asks.devices
    return frozenset[int]().union(*(_lines(pattern, text) for pattern in patterns))


def _lookers(
    graph: Graph, asks: _Expressions, *machine: re.Pattern[str]
) -> dict[int, frozenset[str]]:
    texts = {cell.number: cell.source for cell in graph.notebook.code_cells}
    looked_for = asks.files, asks.devices, asks.places, *machine
    asking = (n for n, t in texts.items() if any(outside.search(t) for outside in looked_for))
    looking = dict.fromkeys(asking, frozenset[str]())
    if not looking:
        return looking
    made_outside: dict[int, set[str]] = {}
    places: dict[int, set[str]] = {}
    for number, edges in read_above(graph):
        outside = {e.name for e in edges if e.name in made_outside.get(e.definer, ())}
        shown = {e.name for e in edges if e.name in places.get(e.definer, ())}
        if outside or shown:
            looking[number] = frozenset(outside | shown)
        lines = frozenset[int]().union(*(_lines(pattern, texts[number]) for pattern in machine))
        made_outside[number] = _made(graph, number, lines, outside)
        lines = _lines(asks.places, texts[number]) | _lines(asks.devices, texts[number])
        places[number] = _made(graph, number, lines, set(), once=True)
    return looking


def versioned(graph: Graph) -> frozenset[int]:
    """Return the cells made, however far, from files or by libraries that learn or solve.

    These give other numbers where the file is another, or from one version to the next.
    """
    expression = _expressions(graph.notebook.libraries).versioned
    by_text = {c.number for c in graph.notebook.code_cells if expression.search(c.source)}
    return frozenset((*by_text, *downstream(graph, *by_text)))


def _lines(pattern: re.Pattern[str], text: str) -> frozenset[int]:
    """Return the lines that a pattern is found on."""
    return frozenset(text.count("\n", 0, match.end()) + 1 for match in pattern.finditer(text))


def _made(
    graph: Graph, cell: int, lines: frozenset[int], names: set[str], *, once: bool = False
) -> set[str]:
    """Return what a cell makes where it looks outside on these lines, and from these names.

    With `once` only what is made on those very lines.
    """
    if (not lines and not names) or cell not in graph.cells:
        return set()
    names_made: set[str] = set()
    for statement in graph.cells[cell].statements:
        span = statement.span
        looks = not lines.isdisjoint(range(span.line, span.end_line + 1))
        inherits = not once and not statement.reads.isdisjoint(names | names_made)
        if (looks or inherits) and statement.kind != "import":
            names_made |= statement.writes.keys() | statement.mutates.keys()
    return names_made
