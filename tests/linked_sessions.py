"""Saved notebooks linked to the sessions they were saved from, and how well orders explain them.

A record is a notebook of hashed names: its counts, what each cell defines and reads, and which
cell's run had really made each name that a cell read. Cells count from 0 here, as in the files.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import percent

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.model import Graph

LOST = ("gone", "renamed")
"""Edges whose definer is no longer on the page, or has lost the name since."""


@dataclass(frozen=True)
class Linked:
    """A saved notebook and its true history.

    `edges` maps (reader, name) to the definer, or to None where the definer is lost. `sessions`
    are those of the cells whose run is known, `steps` the true runs as (session, count, cell),
    None where the code is no longer on the page.
    """

    repository: str
    path: str
    counts: Sequence[int | None]
    defines: Sequence[Sequence[str]]
    reads: Sequence[Sequence[str]]
    deferred: Sequence[Sequence[str]]
    edges: Mapping[tuple[int, str], int | None]
    sessions: Mapping[int, int]
    steps: Sequence[tuple[int, int, int | None]]
    complete: bool = True
    pairs: frozenset[object] = field(default_factory=frozenset)

    @property
    def of_several(self) -> bool:
        """Whether its cells were run in more than one session."""
        return len({session for session, _, _ in self.steps}) > 1

    @property
    def strict(self) -> bool:
        """Whether it is of one session, all of it known, and no count stands twice."""
        known = [count for count in self.counts if count is not None]
        return self.complete and not self.of_several and len(set(known)) == len(known)


def load(path: Path) -> Iterator[Linked]:
    """Yield the records of a file of JSON lines."""
    for line in path.read_text(encoding="utf-8").splitlines():
        yield _linked(json.loads(line))


def _linked(entry: dict[str, Any]) -> Linked:
    def names(key: str) -> list[list[str]]:
        return [cell or [] for cell in entry[key]]

    started = [(s["file"], s["id"], s["start"]) for s in entry["sessions"]]
    sessions = {int(cell): session for cell, session in entry["assign"].items()}
    return Linked(
        entry["repo"],
        entry["path"],
        entry["counts"],
        names("defs"),
        names("uses"),
        names("deferred"),
        {
            (reader, name): definer if kind == "ok" else None
            for reader, name, definer, kind, *_ in entry["edges"]
            if kind in ("ok", *LOST)
        },
        sessions,
        [(session, count, cell) for session, count, cell, _ in entry["steps"]],
        complete=entry["coverage"] == 1,
        pairs=frozenset((started[s], entry["counts"][cell]) for cell, s in sessions.items()),
    )


def one_version(records: Iterable[Linked]) -> list[Linked]:
    """Keep one of the saves of a notebook: of one path, or that share half of their runs."""
    kept: list[Linked] = []
    for record in sorted(records, key=lambda r: (-len(r.edges), -len(r.steps), r.path)):
        if not any(_same(record, other) for other in kept):
            kept.append(record)
    return kept


def _same(one: Linked, other: Linked) -> bool:
    if one.repository != other.repository:
        return False
    shared = len(one.pairs & other.pairs)
    return one.path == other.path or 2 * shared >= min(len(one.pairs), len(other.pairs))


def graph_of(record: Linked, *, flowing: bool = False) -> Graph:
    """Return the graph of a notebook that reads and defines just what the record says.

    `flowing`: what a cell defines is made from all that it reads, else from nothing.
    """
    blocks = []
    cells = zip(record.counts, record.defines, record.reads, record.deferred, strict=True)
    for count, defines, reads, deferred in cells:
        body = [f"x{name}" for name in reads]
        if deferred:
            body.append("lambda: (" + " ".join(f"x{name}," for name in deferred) + ")")
        made = "(" + "".join(f"x{name}, " for name in reads) + ")" if flowing else "0"
        body += [f"x{name} = {made}" for name in defines]
        head = "# %%" if count is None else f"# %% [{count}]"
        blocks.append("\n".join([head, *(body or ["pass"])]))
    return build(percent.parse("\n".join(blocks) + "\n", path="linked.ipynb"))


def makers(record: Linked, cells: Iterable[int]) -> dict[tuple[int, str], int | None]:
    """Return who last bound each name that a cell reads, in its last run, if the cells run so."""
    made: dict[str, int] = {}
    answers: dict[tuple[int, str], int | None] = {}
    for cell in cells:
        answers.update(((cell, name), made.get(name)) for name in record.reads[cell])
        made.update(dict.fromkeys(record.defines[cell], cell))
    return answers


def adjusted_rand(truth: Sequence[int], guess: Sequence[int]) -> float:
    """Return how well a partition agrees with the true one: 1 wholly, 0 as by chance."""

    def pairs(labels: Iterable[object]) -> float:
        return sum(n * (n - 1) / 2 for n in Counter(labels).values())

    if len(truth) < 2:
        return 1.0
    both, one, other = pairs(zip(truth, guess, strict=True)), pairs(truth), pairs(guess)
    chance = one * other / (len(truth) * (len(truth) - 1) / 2)
    most = (one + other) / 2
    return 1.0 if most == chance else (both - chance) / (most - chance)
