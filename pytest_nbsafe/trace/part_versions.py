"""Below the names: whether what changed is the part of a name that was read (`df['a']`).

Lineage follows names; a suspicion that it has is looked at again by parts: as they were seen, where
the cells ran on the side and were followed, else as the text shows them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, partial
from itertools import pairwise

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.analysis.parts import Parts, apart, reader_of
from pytest_nbsafe.trace.lineage import Descent, Link, Version, replay
from pytest_nbsafe.trace.results import Record, Timestamp
from pytest_nbsafe.trace.side_runs import NOTHING_SEEN, SeenParts


class PartVersions:
    """The parts of a notebook's names, and the versions that a replay of records made of them."""

    def __init__(
        self, graph: Graph, records: Sequence[Record], parts_seen: SeenParts = NOTHING_SEEN
    ) -> None:
        self._reader = reader_of(graph)
        self._seen = parts_seen
        self._versions = cache(partial(_versions, records))

    def is_other_part(self, newer: Descent) -> bool:
        """Return whether a parent was changed only in parts that were not read of it."""
        read = self._read(newer.link)
        return all(apart(self._changed(version), read) for version in self.since(newer))

    def is_apart(self, cell: int, way: Sequence[Descent]) -> bool:
        """Return whether what a cell reads has nothing to do with the newer parent of a name.

        So it is when a name on the way was made from its parent in another part than was read of
        it, or where the parent itself `is_other_part`.
        """
        first = way[0]
        entered = self._changed_at(first.name, first.link.cell, first.link.line)
        return apart(self._read_at(first.name, cell), entered) or any(
            apart(
                self._read(upper.link),
                self._changed_at(upper.link.parent, lower.link.cell, lower.link.line),
            )
            for upper, lower in pairwise(way)
        )

    def since(self, descent: Descent) -> list[Version]:
        """Return the versions of a parent from its present one back to when it was read."""
        versions = self._versions().get(descent.link.parent, [])
        first = bisect_right(versions, descent.link.read_at, key=_at)
        return versions[first : bisect_right(versions, descent.parent.at, key=_at)][::-1]

    def left_since(self, descent: Descent, steps: AbstractSet[int]) -> Iterator[Version]:
        """Yield what each of these later runs than the one that read it has left, newest first."""
        step = 0
        for version in self.since(descent):
            if version.at[0] != step and descent.link.read_at[0] < version.at[0]:
                step = version.at[0]
                if step in steps:
                    yield version

    def last_made(self, cell: int, name: str) -> Version | None:
        """Return the newest version of a name that a cell made, None where it made none."""
        versions = reversed(self._versions().get(name, ()))
        return next((version for version in versions if version.cell == cell), None)

    def reaching(self, cell: int, version: Version, maker: int = 0) -> Version | None:
        """Return the newest version of a name, from this one back, that changed what a cell reads.

        With `maker`, of those that this cell made. None when none of them did.
        """
        read = self._read_at(version.name, cell)
        return next(
            (
                older
                for older in reversed(self._versions().get(version.name, ()))
                if older.at <= version.at
                and maker in {0, older.cell}
                and not apart(self._changed(older), read)
            ),
            None,
        )

    def is_read_of(self, cell: int, name: str, changer: int, line: int) -> bool:
        """Return whether a cell may read the part of a name that another changes on a line."""
        return not apart(self._changed_at(name, changer, line), self._read_at(name, cell))

    def _read(self, link: Link) -> Parts:
        return self._read_at(link.parent, link.cell, link.line)

    def _changed(self, version: Version) -> Parts:
        return self._changed_at(version.name, version.cell, version.line)

    def _read_at(self, name: str, cell: int, line: int = 0) -> Parts:
        return self._seen.read(name, cell, line) or self._reader.read(name, cell, line)

    def _changed_at(self, name: str, cell: int, line: int) -> Parts:
        return self._seen.changed(name, cell, line) or self._reader.changed(name, cell, line)


def _at(version: Version) -> Timestamp:
    return version.at


def _versions(records: Sequence[Record]) -> dict[str, list[Version]]:
    """Return the versions of each name, in the order in which they were made."""
    by_name: dict[str, list[Version]] = {}
    for version in replay(records).versions:
        by_name.setdefault(version.name, []).append(version)
    return by_name
