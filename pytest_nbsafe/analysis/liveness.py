"""Live names at the entry of a scope (nbsafety, Alg. 1), and which of them are surely read."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pytest_nbsafe.analysis.cfg import (
    BIND,
    CALL,
    DELETE,
    DOUBTFUL,
    FORGET,
    GUARD,
    GUARDED,
    MAYBE,
    MUTATE,
    READ,
    Cfg,
    Event,
    LiveRead,
    postorder,
)
from pytest_nbsafe.analysis.dataflow import reverse, solve
from pytest_nbsafe.analysis.definitions import Bits, forward, surely_bound
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class CalledName:
    """A call, and the bits of the names that are surely bound or deleted before it."""

    name: str
    node: ast.AST
    flags: int
    bound: int
    method: str


@dataclass(frozen=True, slots=True)
class Flow:
    """Live names with their first read, and calls, each perhaps MAYBE; `bits` index `bound`.

    `changed` are the names whose object is changed in place where they may still hold what they
    held at the entry; changes that are doubtful are left out.
    """

    uses: dict[str, LiveRead]
    calls: list[CalledName]
    bits: Bits
    changed: set[str]


def flow(cfg: Cfg) -> Flow:
    """Return the live names of a scope and its calls.

    Source: Macke et al. 2021, section 4.1, Alg. 1. Departs: the same equations with intersection
    also give the names that are read on *every* path before they are bound.
    """
    bits = Bits()
    before = surely_bound(cfg, bits)
    live, must = _entry(cfg, bits)
    expected = _expected(cfg, bits) if cfg.guards else []
    branches = len(cfg.events) > 1  # without any, the first read in the text is the one to show
    uses: dict[str, LiveRead] = {}
    calls: list[CalledName] = []
    changed: set[str] = set()
    for block, events in enumerate(cfg.events):
        bound = before[block]
        known = expected[block] if expected else 0
        for what, name, node, flags, kind in events:
            bit = bits[name]
            if what == CALL:
                surely = 0 if must & bits[name + "()"] and not flags & MAYBE else MAYBE
                calls.append(CalledName(name, node, surely, bound, kind))
                continue
            if what in (READ, DELETE) and not bound & bit and live & bit:
                guarded = GUARDED if branches and known & bit else flags & GUARDED
                _first(uses, name, node, guarded | (0 if must & bit else MAYBE))
            known |= bit
            if what in (BIND, DELETE, FORGET) and not flags & MAYBE:
                bound |= bit
            elif what == MUTATE and not bound & bit and kind != DOUBTFUL:
                changed.add(name)
    return Flow(uses, calls, bits, changed)


def _first(uses: dict[str, LiveRead], name: str, node: ast.AST, flags: int) -> None:
    """Keep the first read in the text; one that nothing guards goes before those guarded."""
    use = uses.get(name)
    if use is None:
        uses[name] = LiveRead(node, flags)
        return
    use.flags &= flags | ~MAYBE
    if (flags & GUARDED, *place(node)) < (use.flags & GUARDED, *place(use.node)):
        use.node = node
        use.flags = (use.flags & ~GUARDED) | (flags & GUARDED)


def place(node: ast.AST) -> tuple[int, int]:
    """Return where a node begins: its 1-based line and its byte offset."""
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _entry(cfg: Cfg, bits: Bits) -> tuple[int, int]:
    """Return the names that are live at entry, and those surely read (and calls surely made)."""
    masks = [_masks(events, bits) for events in cfg.events]
    live, must, kill, bound = ([m[i] for m in masks] for i in range(4))
    sources = reverse(cfg.successors)
    top = (1 << len(bits)) - 1
    end = cfg.exit
    may = solve(cfg.successors, sources, live, kill, order=cfg.order, start=end)[0]
    ends = set(postorder(end, sources))
    must = [m if n in ends else top for n, m in enumerate(must)]  # the others surely raise
    surely = solve(cfg.successors, sources, must, bound, order=cfg.order, start=end, top=top)[0]
    return live[0] | (may & ~kill[0]), must[0] | (surely & ~bound[0])


def _masks(events: Sequence[Event], bits: Bits) -> tuple[int, int, int, int]:
    """Return USE (perhaps read first), names surely read first, DEF, and DEF without `del`.

    A read after `del` surely raises, so for what is surely read `del` overwrites nothing.
    """
    live = must = kill = bound = 0
    for what, name, _, flags, _ in events:
        bit = bits[name]
        if what in (READ, DELETE):
            live |= bit & ~kill
            if not flags & MAYBE:
                must |= bit & ~bound
        elif what == CALL and not flags & MAYBE:
            must |= bits[name + "()"]
        if what in (BIND, DELETE, FORGET) and not flags & MAYBE:
            kill |= bit
            if what == BIND:
                bound |= bit
    return live, must, kill, bound


def _expected(cfg: Cfg, bits: Bits) -> list[int]:
    """Return, for each block, the names that surely exist there: bound, read, or tested for."""
    gen, kill = [], []
    for events in cfg.events:
        there = gone = 0
        for what, name, _, flags, _ in events:
            bit = bits[name]
            if what in (DELETE, FORGET):
                there &= ~bit
                gone |= bit
            elif what in (READ, BIND, GUARD) and not flags & MAYBE:
                there |= bit
        gen.append(there)
        kill.append(gone & ~there)
    top = (1 << len(bits)) - 1
    return forward(cfg, gen, kill, top)
