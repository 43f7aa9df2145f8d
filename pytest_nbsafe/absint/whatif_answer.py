"""The answer to a what-if: which sequences of cells go stale, which are safe, what must run."""

from __future__ import annotations

from pytest_nbsafe.findings import Step
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class StaleSequence:
    """A sequence whose last run reads an outdated name, and the cells that it leaves out."""

    sequence: tuple[int, ...]
    cell: int
    line: int
    name: str
    left_out: tuple[int, ...]
    cause: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class RerunCell:
    """A cell to run again, and why."""

    cell: int
    cause: str


@dataclass(frozen=True, slots=True)
class Renamed:
    """What follows if a cell bound a name under another one, and no other cell followed suit.

    The `undefined` cells would read a name that no cell defines; those in `elsewhere` read this
    cell's by the page, and would read another's: (reader, definer). The
    `isolated` cells would share no name with others.
    """

    undefined: tuple[int, ...]
    elsewhere: tuple[tuple[int, int], ...]
    isolated: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What follows when cell `run` runs again, or only the value of `change` changes.

    `makes` are the names that become new, `first` the cells to run before it so that it begins
    with what it read then. `stale` has, for each cell and name, a shortest sequence that ends in
    a stale read, up to `depth` runs after the first (None: however many); what follows from an
    earlier stale read of the same sequence is left out. `safe` are sequences that bring a cell at
    the end of the chain up to date without a stale read. `rerun`, in that order, brings everything
    up to date; the `fresh` cells may be run at once, as they read what is new and nothing outdated.
    The `isolated` cells share no name with others. `leaks` is for the sequences that end in a data
    leak. `unknown` are the places whose effect the text does not show. `gave_up` says why the
    search ended early, empty when it is complete.
    """

    run: int
    change: str | None
    depth: int | None
    makes: tuple[str, ...]
    first: tuple[int, ...]
    stale: tuple[StaleSequence, ...]
    safe: tuple[tuple[int, ...], ...]
    rerun: tuple[RerunCell, ...]
    fresh: tuple[int, ...]
    isolated: tuple[int, ...]
    renamed: Renamed | None
    leaks: tuple[StaleSequence, ...]
    unknown: tuple[Step, ...]
    gave_up: str
