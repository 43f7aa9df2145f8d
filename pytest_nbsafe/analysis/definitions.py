"""What a scope binds: definite assignment (nbsafety, Alg. 2), and what is left at its end."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_nbsafe.analysis.cfg import (
    BIND,
    DELETE,
    FORGET,
    INDEPENDENT,
    MAYBE,
    MUTATE,
    Cfg,
    Event,
)
from pytest_nbsafe.analysis.dataflow import reverse, solve
from pytest_nbsafe.values import dataclass


class Bits(dict[str, int]):
    """Gives each name its own bit (or the first of `width`), in the order they are asked for."""

    __slots__ = ("width",)

    def __init__(self, width: int = 1) -> None:
        super().__init__()
        self.width = width

    def __missing__(self, name: str) -> int:
        """Return the bit of a new name."""
        bit = 1 << len(self) * self.width
        self[name] = bit
        return bit

    def names(self, bits: int, position: int = 0) -> frozenset[str]:
        """Return the names in a set of bits, by their bits at this position."""
        bits >>= position
        return frozenset(name for name, bit in self.items() if bits & bit)


BOUND_NOW, DELETED_NOW, BOUND, DEAD, CHANGED = range(5)
"""The bits of a name in what is known at an end."""


@dataclass(frozen=True, slots=True)
class Ends:
    """What is known at the normal end of a scope.

    `dead`: surely overwritten, independent of the old value. `bound`: surely bound or deleted on
    the way. `sure`: surely bound at the end. `leaves`: perhaps bound at the end. `removed`:
    surely deleted at the end. `changed`: surely changed in place on the way.
    """

    dead: frozenset[str]
    bound: frozenset[str]
    sure: frozenset[str]
    leaves: frozenset[str]
    removed: frozenset[str]
    changed: frozenset[str]


def surely_bound(cfg: Cfg, bits: Bits) -> list[int]:
    """Return, for the entry of each block, the names bound or deleted on every path to it."""
    gen = []
    for events in cfg.events:
        mask = 0
        for what, name, _, flags, _ in events:
            if not flags & MAYBE and what in (BIND, DELETE, FORGET):
                mask |= bits[name]
        gen.append(mask)
    return forward(cfg, gen, [0] * len(gen), (1 << len(bits)) - 1)


def forward(cfg: Cfg, gen: Sequence[int], kill: Sequence[int], top: int | None = None) -> list[int]:
    """Solve a forward problem, a *must* problem if `top` is given; returns facts at the entries."""
    sources, order = reverse(cfg.successors), list(reversed(cfg.order))
    return solve(sources, cfg.successors, gen, kill, order=order, start=0, top=top)


def ends(cfg: Cfg) -> Ends:
    """Return what the normal end of a scope knows.

    Source: Macke et al. 2021, section 4.3, Alg. 2: DEAD_out = (DEF - USE) | DEAD_in, DEAD_in is
    the intersection over predecessors. Departs: nothing but that U is the scope's own names.
    """
    bits = Bits(width=5)
    masks = [_masks(events, bits) for events in cfg.events]
    top = (1 << len(bits) * bits.width) - 1
    gen, kill = [m[0] for m in masks], [m[1] for m in masks]
    must = forward(cfg, gen, kill, top)[cfg.exit]
    must = gen[cfg.exit] | (must & ~kill[cfg.exit])
    gen, kill = [m[2] for m in masks], [m[3] for m in masks]
    may = forward(cfg, gen, kill)[cfg.exit]
    may = gen[cfg.exit] | (may & ~kill[cfg.exit])
    return Ends(
        dead=bits.names(must, DEAD),
        bound=bits.names(must, BOUND),
        sure=bits.names(must, BOUND_NOW),
        leaves=bits.names(may, BOUND_NOW),
        removed=bits.names(must, DELETED_NOW),
        changed=bits.names(must, CHANGED),
    )


def _masks(events: Sequence[Event], bits: Bits) -> tuple[int, int, int, int]:
    """Return (gen, kill) of the must problem and of the may problem for one block."""
    gen = kill = may = may_not = 0
    for what, name, _, flags, _ in events:
        bound = bits[name] << BOUND_NOW
        deleted = bits[name] << DELETED_NOW
        if what == BIND:
            may |= bound
            kill |= deleted
            gen &= ~deleted
            if not flags & MAYBE:
                gen |= bound | bits[name] << BOUND
                if flags & INDEPENDENT:
                    gen |= bits[name] << DEAD
        elif what in (DELETE, FORGET):
            may &= ~bound
            may_not |= bound
            gen = (gen & ~bound) | deleted | bits[name] << BOUND
            kill |= bound
        elif what == MUTATE and not flags & MAYBE:
            gen |= bits[name] << CHANGED
    return gen, kill & ~gen, may, may_not & ~may
