"""Which rows are the same rows: every row has an origin, which it keeps in whatever is made of it.

Where a table holds a row twice, the second is a copy: it has an origin of its own, and a root.

Memory: 16 bytes a row for each table that is known (its hash, its origin), and as much again for
one that others were looked up in. Beyond `MAX_BYTES` the oldest are forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import row_hashes
from .table_rows import MOSTLY, Glimpse, KnownRows, Past, Rows, by_chance, within

MAX_BYTES = 400_000_000
_SEVERAL = 3
_NEARLY = 0.95
_CHANCE = 3  # times as many equal rows as chance makes are no chance
_ALIKE = 8  # tables that are equal in the sampled rows
_BASES = 200  # tables that others are looked up in
_NONE = Past()
_SOME = 0.2  # of a table's rows are known: it was made of them


class RowOrigins:
    """All tables that were seen, by what they can be recognised by."""

    def __init__(self) -> None:
        self.tables: list[Rows] = []
        self._count = 0
        self._starts: list[int] = [0]
        self._columns: dict[tuple[int, int], tuple[Rows, Past]] = {}
        self._wholes: dict[tuple[int, int], list[Rows]] = {}
        self._labels: dict[tuple[int, int], Rows] = {}
        self._bases: list[KnownRows] = []
        self._keys: list[KnownRows] = []
        self._groups = 0
        self._bytes = self._last_number = 0
        self._copies: list[tuple[int, Any, int]] = []
        self.clock = 0

    # -------------------------------------------------------------- tables

    def identify(self, glimpse: Glimpse, past: Past = _NONE) -> Rows:
        """Return a table's rows: those of a table known before as far as they are the same.

        `past` is what made the values that were not seen before.
        """
        whole = self._whole(glimpse)
        if whole is not None:
            return whole
        rows = self._same_columns(glimpse) or self._same_labels(glimpse)
        if rows is not None:
            rows = self._like(rows)
            rows.pasts = self._pasts(glimpse, past)
            return self._register(rows, glimpse, row_hashes.hashes(glimpse.table), base=True)
        hashes = row_hashes.hashes(glimpse.table)
        alike = [base for base in self._bases if base.width == glimpse.table.width]
        in_bases = self._look_up(hashes, alike)
        partly = in_bases is None
        looked_up = in_bases or self._by_keys(glimpse)
        origins, known = looked_up or (np.zeros(len(hashes), np.int64), past)
        missing = origins == 0
        base = bool(missing.any()) or partly
        rows = self._new(origins)
        self._fill(rows, missing, glimpse, hashes)
        self.tell_apart(rows)
        rows.pasts = self._pasts(glimpse, past | known)
        return self._register(rows, glimpse, hashes, base=base)

    def same(self, source: Rows, glimpse: Glimpse) -> Rows | None:
        """Return the rows of a table that was changed in place, None when they may be others."""
        pairs = zip(glimpse.marks, glimpse.varied)  # noqa: B905  # Python 3.9 has no `strict`
        marks = {mark for mark, varied in pairs if varied}
        if source.forgotten or source.n != glimpse.table.n or not marks & set(source.marks):
            return None
        return self.derive(source, glimpse, _NONE)

    def joined(self, several: list[Rows], glimpse: Glimpse) -> Rows:
        """Return the rows of several tables that stand one after the other."""
        rows = self._new(np.concatenate([each.origins for each in several]))
        rows.copied_at = next((each.copied_at for each in several if each.copied_at), 0)
        self.tell_apart(rows)
        rows.copied = rows.copied or any(each.copied for each in several)
        past = Past(frozenset().union(*(each.past for each in several)))
        rows.pasts = self._pasts(glimpse, past)
        return self._register(rows, glimpse, row_hashes.hashes(glimpse.table), base=True)

    @staticmethod
    def united(several: list[Rows]) -> Rows:
        """Return the rows of several tables, each once, without their content."""
        united = Rows(0, np.unique(np.concatenate([each.origins for each in several])))
        if any(each.forgotten for each in several):
            united.n += 1
        return united

    def derive(self, source: Rows, glimpse: Glimpse, past: Past) -> Rows:
        """Return rows that were made of others one by one; `past` is what made their values."""
        rows = self._like(source)
        known = self._pasts(glimpse, past)
        rows.pasts = [each if each <= source.past else past for each in known]
        hashes = row_hashes.hashes(glimpse.table)
        if not past <= rows.past and not np.array_equal(hashes, source.hashes):
            rows.pasts = [past] * len(glimpse.marks)  # it chose columns, or changed rows unsampled
        for mark, old, new in zip(glimpse.marks, known, rows.pasts):  # noqa: B905  # as in `same`
            if old and old != new:
                self._columns[rows.n, mark] = rows, new
        return self._register(rows, glimpse, hashes, base=True)

    def beside(self, source: Rows, glimpse: Glimpse, past: Past = _NONE) -> Rows:
        """Return what stands beside known rows: their targets, unless these are known too."""
        known = [
            self._columns[glimpse.table.n, mark][0]
            for mark, varied in zip(glimpse.marks, glimpse.varied)  # noqa: B905  # as in `same`
            if varied and (glimpse.table.n, mark) in self._columns
        ]
        rows = self._like(next((each for each in known if not each.forgotten), source))
        rows.pasts = self._pasts(glimpse, past)
        return self._register(rows, glimpse, None, base=False)

    def take(self, source: Rows, positions: Any, glimpse: Glimpse) -> Rows:
        """Return the rows of a part, by their positions in the whole, counted from 0."""
        rows = self._new(source.origins[positions])
        rows.part, rows.copied, rows.copied_at = source.part, source.copied, source.copied_at
        self.tell_apart(rows)
        rows.pasts = list(source.pasts)
        hashes = source.hashes[positions] if source.hashes is not None else None
        if len(rows.pasts) != len(glimpse.marks):
            rows.pasts = [source.past] * len(glimpse.marks)
        return self._register(rows, glimpse, hashes, base=False)

    def _new(self, origins: Any) -> Rows:
        self._last_number += 1
        self.tables.append(Rows(self._last_number, origins))
        return self.tables[-1]

    def _like(self, source: Rows) -> Rows:
        rows = self._new(source.origins)
        rows.part, rows.copied, rows.copied_at = source.part, source.copied, source.copied_at
        return rows

    def _register(self, rows: Rows, glimpse: Glimpse, hashes: Any, *, base: bool) -> Rows:
        rows.hashes = hashes
        rows.marks = glimpse.marks
        for mark, past in zip(glimpse.marks, rows.pasts):  # noqa: B905  # as in `same`
            self._columns.setdefault((rows.n, mark), (rows, past))
        if glimpse.telling:
            self._know_whole(rows, glimpse)
        label = glimpse.label
        if label:
            self._labels.setdefault((rows.n, label), rows)
        if base and hashes is not None and glimpse.telling:
            self._bases.append(KnownRows(hashes, rows, rows.past, glimpse.table.width))
            self._add_keys(rows, glimpse)
        self._shrink(rows.size_bytes())
        return rows

    def _know_whole(self, rows: Rows, glimpse: Glimpse) -> None:
        """Know a table by all its columns; of equal ones the last, of those that seem so each."""
        known = self._wholes.setdefault((rows.n, glimpse.whole), [])
        others = [k for k in known if not np.array_equal(k.hashes, rows.hashes)]
        known[:] = [*others[-_ALIKE:], rows]

    def _fill(self, rows: Rows, missing: Any, glimpse: Glimpse, hashes: Any) -> None:
        """Give the rows that nobody knows origins of their own; a repeated label tells a copy."""
        count = int(np.count_nonzero(missing))
        if not count:
            return
        self._starts.append(self._count + 1)
        fresh = np.arange(self._count + 1, self._count + 1 + count)
        self._count += count
        rows.origins[missing] = fresh
        index = glimpse.table.index
        if index is None or index.is_unique or index.dtype.kind not in "iu" or not glimpse.telling:
            return
        labels = row_hashes.words(np.asarray(index), slice(None))
        _, first, back = np.unique(
            hashes + row_hashes.mix(labels), return_index=True, return_inverse=True
        )
        rows.origins = rows.origins[first][back.reshape(-1)]

    def tell_apart(self, rows: Rows) -> None:
        """Give copies of a row origins of their own."""
        known = np.count_nonzero(rows.origins > 0)
        if known == np.count_nonzero(self._flags(rows.origins)):
            return
        _, first = np.unique(rows.origins, return_index=True)
        later: Any = rows.origins > 0
        later[first] = False
        count = int(np.count_nonzero(later))
        self._copies.append((self._count + 1, self.roots(rows.origins[later]), self.clock))
        rows.origins = rows.origins.copy()
        rows.origins[later] = np.arange(self._count + 1, self._count + 1 + count)
        self._count += count
        rows.copied = True

    def roots(self, origins: Any, after: int = -1) -> Any:
        """Return what origins are copies of, of copies that were made after some moment."""
        origins_of = origins.copy()
        for start, roots, moment in reversed(self._copies):
            if moment > after:
                copies = (origins_of >= start) & (origins_of < start + len(roots))
                origins_of[copies] = roots[origins_of[copies] - start]
        return origins_of

    def _pasts(self, glimpse: Glimpse, past: Past) -> list[Past]:
        """Return what made each column: a column that was seen before keeps its past.

        A column of few values may glimpse like another by chance: that never adds to its past.
        """
        pasts = []
        for mark, varied in zip(glimpse.marks, glimpse.varied):  # noqa: B905  # as in `same`
            known = self._columns.get((glimpse.table.n, mark))
            pasts.append(known[1] if known is not None and (varied or not known[1]) else past)
        return pasts

    # -------------------------------------------------------------- recognition

    def _whole(self, glimpse: Glimpse) -> Rows | None:
        key = glimpse.table.n, glimpse.whole
        alike = [
            rows for rows in self._wholes.get(key, ()) if glimpse.telling and not rows.forgotten
        ]
        if len(alike) < 2:
            return alike[0] if alike else None
        hashes = row_hashes.hashes(glimpse.table)  # they differ in rows that no sample shows
        return next((rows for rows in alike if np.array_equal(rows.hashes, hashes)), None)

    def _same_columns(self, glimpse: Glimpse) -> Rows | None:
        """Return rows that have a column of fractions in common, or several of varied values."""
        by_origins: dict[int, list[Rows]] = {}
        for number, mark in enumerate(glimpse.marks):
            rows, _ = self._columns.get((glimpse.table.n, mark), (None, None))
            if rows is None or rows.forgotten or not glimpse.varied[number]:
                continue
            if glimpse.strong[number]:
                return rows
            by_origins.setdefault(id(rows.origins), []).append(rows)
        most = max(by_origins.values(), key=len, default=[])
        return most[0] if len(most) >= _SEVERAL else None

    def _same_labels(self, glimpse: Glimpse) -> Rows | None:
        label = glimpse.label
        rows = self._labels.get((glimpse.table.n, label)) if label else None
        return None if rows is None or rows.forgotten else rows

    def _look_up(
        self, hashes: Any, bases: Sequence[KnownRows], least: float = _SOME
    ) -> tuple[Any, Past] | None:
        """Return origins (0: unknown) and past of rows that stand in known tables.

        First come the tables that hold most of them, then those that less was done to, then late
        ones.
        """
        n = len(hashes)
        origins: Any = np.zeros(n, np.int64)
        past: Past = _NONE
        some = hashes[row_hashes.spread(n)]
        shares = [
            (base.share(some, self), base) for base in reversed(bases) if not base.rows.forgotten
        ]
        ranked = sorted(shares, key=lambda each: (-each[0], len(each[1].past)))
        for share, base in ranked:
            missing = origins == 0
            if not share or not missing.any():
                break
            origins_here = np.where(missing, base.find(hashes), 0)
            count = np.count_nonzero(origins_here)
            if count < min(_NEARLY, _CHANCE * base.chance) * n:
                continue
            if count >= _SOME * n:
                past |= base.past
            origins[missing] = origins_here[missing]
        return (origins, past) if np.count_nonzero(origins) >= max(least * n, 1) else None

    def _by_keys(self, glimpse: Glimpse) -> tuple[Any, Past] | None:
        """Return what `_look_up` does, for a table that shares a column with known ones."""
        if not self._keys:
            return None
        for number, strong in enumerate(glimpse.strong):
            some = glimpse.words[:, number]
            if (
                strong
                and glimpse.table.sparse is None
                and len(glimpse.marks) == glimpse.table.width
            ):
                bases = [b for b in self._keys if b.share(some, self) >= MOSTLY]
                looked_up = self._look_up(row_hashes.column(glimpse.table, number), bases, MOSTLY)
                if looked_up is not None:
                    return looked_up
        return None

    def _add_keys(self, rows: Rows, glimpse: Glimpse) -> None:
        """Keep a column for each past, so that the rows are known again beside other columns."""
        if len(glimpse.marks) != glimpse.table.width or glimpse.table.width < 2:
            return
        chosen: dict[Past, int] = {}
        for number, strong in enumerate(glimpse.strong):
            if strong and len(chosen) < 3:
                chosen.setdefault(rows.pasts[number], number)
        for past, number in chosen.items():
            words = row_hashes.column(glimpse.table, number)
            self._keys.append(KnownRows(words, rows, past, 1))

    def _shrink(self, added: int) -> None:
        """Forget the oldest tables when all together have become too large."""
        self._bytes += added
        if self._bytes > MAX_BYTES:
            half = len(self.tables) // 2
            for rows in self.tables[:half]:
                rows.forget()
            self.tables = self.tables[half:]
            self._bytes = sum(rows.size_bytes() for rows in self.tables)
            self._bases = [base for base in self._bases if not base.rows.forgotten]
            self._keys = [base for base in self._keys if not base.rows.forgotten]
        del self._bases[:-_BASES], self._keys[:-_BASES]

    # -------------------------------------------------------------- comparison

    def group_number(self, count: int) -> int:
        """Return the first of so many new numbers of groups."""
        self._groups += count
        return self._groups - count + 1

    def shared(self, rows: Rows, others: Rows, moment: int | None = None) -> int:
        """Return how many of the rows are surely among the others.

        What was copied after a moment counts as the row that it was copied of. Of equal rows of a
        source, which cannot be told apart, as many are as must be: all when the others hold the
        whole group, else what does not fit into the rest of it.
        """
        known = rows.origins[rows.origins > 0]
        members = self._flags(others.origins)
        within = members[known]
        if moment is not None and self._copies:
            within |= members[self.roots(known, moment)]
        count = int(np.count_nonzero(within))
        groups = -rows.origins[rows.origins < 0]
        if not len(groups):
            return count
        theirs = -others.origins[others.origins < 0]
        for base in self._bases + self._keys:
            count += base.surely_shared(groups, theirs, members)
        return count

    def alike(self, rows: Rows, others: Rows, moment: int) -> int:
        """Return how many rows have an equal among the others without being among them.

        These are copies, and rows of another source unless its rows are of the kind that repeats.
        """
        return self._copied(rows, others, moment) or self._equal(rows, others)

    def _copied(self, rows: Rows, others: Rows, moment: int) -> int:
        if not self._copies:
            return 0
        known = rows.origins[rows.origins > 0]
        members = self._flags(others.origins)
        same = members[known] | members[self.roots(known, moment)]
        equal = self._flags(self.roots(others.origins))[self.roots(known)]
        return int(np.count_nonzero(equal & ~same))

    def _flags(self, origins: Any) -> Any:
        """Return for every origin that there is whether it is one of these."""
        flags: Any = np.zeros(self._count + 1, bool)
        flags[np.maximum(origins, 0)] = True
        flags[0] = False
        return flags

    def _equal(self, rows: Rows, others: Rows) -> int:
        if rows.hashes is None or others.hashes is None:
            return 0
        if self._sources(rows) & self._sources(others):
            return 0
        mine, theirs = np.unique(rows.hashes), np.unique(others.hashes)
        if len(mine) < MOSTLY * rows.n or len(theirs) < MOSTLY * others.n:
            return 0
        chance = by_chance(others.n - len(theirs), others.n)
        equal = int(np.count_nonzero(within(rows.hashes, theirs)))
        return equal if equal >= max(0.01, _CHANCE * chance) * rows.n and equal > 1 else 0

    def _sources(self, rows: Rows) -> set[int]:
        held = self._flags(self.roots(rows.origins[rows.origins > 0]))
        return set(np.flatnonzero(np.logical_or.reduceat(held, self._starts)).tolist())
