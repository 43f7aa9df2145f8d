"""What has a part in what a cell makes: libraries, those of them that learn, and chance."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache

from pytest_nbsafe.analysis import draws, syntax
from pytest_nbsafe.analysis.model import Graph, Span, kept
from pytest_nbsafe.judge.flow import Touched, inherited, only_binds, reached
from pytest_nbsafe.libraries import spellings
from pytest_nbsafe.libraries.datafiles import words
from pytest_nbsafe.libraries.wildcards import alternatives
from pytest_nbsafe.values import dataclass, field


@dataclass(frozen=True, slots=True)
class Makers:
    """The cells that take part of theirs from a library, from one that learns, from a draw.

    Libraries are what is not of Python itself, the modules of the project among them; those that
    learn or solve give other numbers from one version to the next, and `learned` says what of each
    cell they reach; what is `steady` of these may give other words. Draws are unseeded ones. Where
    names are bound unseen (`%run`, `from m import *`), all cells from there on may use a library.
    What lies in `memory` is shown by cells whose own text asks for an array that is not set. The
    cells that are `drawing` do so themselves. `chance_shown` are those cells of `chance` that may
    show what was drawn, and do not bind it alone.
    """

    libraries: frozenset[int] = frozenset()
    learning: frozenset[int] = frozenset()
    chance: frozenset[int] = frozenset()
    memory: frozenset[int] = frozenset()
    drawing: frozenset[int] = frozenset()
    chance_shown: frozenset[int] = frozenset()
    learned: Mapping[int, Touched] = field(default_factory=dict)
    steady: frozenset[int] = frozenset()


@kept
def makers(graph: Graph) -> Makers:
    """Return who has a part in the cells of a notebook, as the names pass from cell to cell."""
    imported = _imports(graph)
    loose: dict[int, set[int]] = {}
    calls: dict[int, set[Span]] = {}
    within: set[int] = set()
    for event, _ in draws.unseeded(graph):
        loose.setdefault(event.cell, set()).add(event.span.line)
        calls.setdefault(event.cell, set()).add(event.span)
        if event.via:
            within.add(event.cell)
    memory = frozenset(_asking_for_memory(graph))
    libraries = _from(graph, imported.all) | _below_unseen_names(graph)
    chance = inherited(graph, _lines(loose))
    learned = {
        cell: Touched(frozenset(imported.learning.get(cell, ())), names)
        for cell, names in inherited(graph, _lines(imported.learning)).items()
    }
    shown = (
        cell
        for cell, names in chance.items()
        if names or cell in within or not only_binds(graph, cell, calls[cell])
    )
    return Makers(
        libraries,
        frozenset(learned),
        frozenset(chance),
        memory,
        drawing=frozenset(loose),
        chance_shown=frozenset(shown),
        learned=learned,
        steady=_from(graph, imported.steady),
    )


def makes_values(module: str, libraries: str) -> bool:
    """Return whether a module may make other values in another version.

    Those of Python itself do not, nor those that show or hand on what they are given.
    """
    in_python = module.partition(".")[0] in sys.stdlib_module_names
    return not in_python and _named("passing", libraries).fullmatch(module) is None


@dataclass(frozen=True, slots=True)
class _Imports:
    """The lines on which cells import libraries: any, those that learn, and what is steady of them.

    What is steady gives the same in all versions.
    """

    all: dict[int, set[int]] = field(default_factory=dict)
    learning: dict[int, set[int]] = field(default_factory=dict)
    steady: dict[int, set[int]] = field(default_factory=dict)


def _imports(graph: Graph) -> _Imports:
    learning, steady = (_named(key, graph.notebook.libraries) for key in ("versioned", "steady"))
    imported = _Imports()
    for cell in graph.cells:
        for each in syntax.imports(graph, cell):
            if each.level or not makes_values(each.module, graph.notebook.libraries):
                continue
            imported.all.setdefault(cell, set()).add(each.span.line)
            if learning.fullmatch(each.module):
                is_steady = steady.fullmatch(f"{each.module}.{each.attribute}")
                kind = imported.steady if is_steady else imported.learning
                kind.setdefault(cell, set()).add(each.span.line)
    return imported


def _below_unseen_names(graph: Graph) -> frozenset[int]:
    first = min((n for n, analysis in graph.cells.items() if analysis.opaque), default=None)
    return frozenset(n for n in graph.cells if first is not None and n >= first)


def _asking_for_memory(graph: Graph) -> Iterator[int]:
    libraries = graph.notebook.libraries
    unset, aliases = words("outside", "unset", libraries), spellings.load(libraries).aliases
    for cell in graph.cells:
        for call in syntax.of(graph, cell).invocations:
            first, _, rest = call.callee.partition(".")
            if f"{aliases.get(first, first)}.{rest}" in unset:
                yield cell


def _from(graph: Graph, lines: Mapping[int, set[int]]) -> frozenset[int]:
    return reached(graph, _lines(lines))


def _lines(lines: Mapping[int, set[int]]) -> dict[int, frozenset[int]]:
    return {cell: frozenset(own) for cell, own in lines.items()}


@cache
def _named(key: str, libraries: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{alternatives(words('outside', key, libraries))})(?:\..*)?")
