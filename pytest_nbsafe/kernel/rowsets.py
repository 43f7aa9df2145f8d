"""Which rows are the same rows: every row has an origin, which it keeps in whatever is made of it.

Where a table holds a row twice, the second is a copy: it has an origin of its own, and a root.

Memory: 16 bytes a row for each table that is known (its hash, its origin), and as much again for
one that others were looked up in. Beyond `MAX_BYTES` the oldest are forgotten.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import rowids

MAX_BYTES = 400_000_000
_ENOUGH = 16  # rows, below which nothing can be told apart
_SEVERAL = 3
_NEARLY = 0.95
_CHANCE = 3  # times as many equal rows as chance makes are no chance
_VARIED = 8  # values among the sampled ones, below which a column may look like any other
_MOSTLY = 0.9
_FEW = 1_000  # labels, which show whether they are evenly spaced
_ALIKE = 8  # tables that are equal in the sampled rows
_BASES = 200  # tables that others are looked up in
_REPEATED = 0.3  # of a table's rows repeat others: they tell nothing
_SOME = 0.2  # of a table's rows are known: it was made of them
_EXACT = 2.0**53


_SALTS = rowids.mix(np.arange(1, rowids.SAMPLE + 1, dtype=np.uint64))[:, None]


class Rows:
    """The rows of one table.

    `origins`: a number for each row; below zero, where equal rows of the source cannot be told
    apart, it names their group. `hashes` is None where content says nothing. `marks` are
    fingerprints of the columns, `pasts` what each column's values were learned by, as numbers of
    fits. `part` is (split, number). `copied`: some are copies of others, `made` where: (run, line).
    """

    __slots__ = (
        "copied",
        "hashes",
        "made",
        "marks",
        "n",
        "number",
        "origins",
        "part",
        "pasts",
    )

    def __init__(self, number: int, origins: Any) -> None:
        self.number = number
        self.n = len(origins)
        self.origins = origins
        self.hashes: Any = None
        self.marks: list[int] = []
        self.pasts: list[frozenset[int]] = []
        self.part: tuple[int, int] | None = None
        self.copied = False
        self.made: tuple[int, int] | None = None

    @property
    def past(self) -> frozenset[int]:
        """What the values of any column were learned by."""
        return frozenset().union(*set(self.pasts))

    def size_bytes(self) -> int:
        """Return what the arrays of this table occupy, the parts of others included."""
        arrays = (self.origins, self.hashes)
        return sum(array.nbytes for array in arrays if array is not None)

    def forget(self) -> None:
        """Give the memory back; nothing can be told of these rows any more."""
        self.origins = np.empty(0, np.int64)
        self.hashes = None

    @property
    def forgotten(self) -> bool:
        """Whether nothing can be told any more."""
        return len(self.origins) != self.n


class Look:
    """A table at first sight: some of its rows, and what can be told by them."""

    def __init__(self, table: rowids.Table) -> None:
        self.table = table
        self.words = rowids.sampled(table)
        mixed = rowids.mix(self.words) ^ _SALTS[: len(self.words)]
        self.marks: list[int] = np.add.reduce(rowids.mix(mixed), axis=0).tolist()

    @functools.cached_property
    def whole(self) -> int:
        """A fingerprint of all columns together."""
        return hash(tuple(self.marks))

    @functools.cached_property
    def label(self) -> int:
        """A fingerprint of pandas' labels in their order, 0 when they could be anybody's."""
        return _label(self.table)

    @functools.cached_property
    def varied(self) -> list[bool]:
        """Whether each column has enough values to be told from others."""
        return [bool(one) for one in self._distinct >= _VARIED]

    @functools.cached_property
    def strong(self) -> list[bool]:
        """Whether the values of each column occur in no other table: they are fractions."""
        if self.table.n < _ENOUGH:
            return [False] * len(self.marks)
        whole, fractions = self._shares
        many = self._distinct >= _MOSTLY * len(self.words)
        return [bool(one) for one in many & (fractions >= 0.5) & (whole < 0.5)]

    @functools.cached_property
    def telling(self) -> bool:
        """Whether the rows tell themselves apart, and this table from others."""
        if self.table.n < _ENOUGH:
            return False
        rows = np.add.reduce(rowids.mix(self.words * np.uint64(3)), axis=1)
        if len(np.unique(rows)) < _MOSTLY * len(rows):
            return False
        return len(self.marks) > 2 or any(self.strong) or bool((self._shares[0] < 0.5).any())

    @functools.cached_property
    def _distinct(self) -> Any:
        ordered = np.sort(self.words, axis=0)
        return 1 + np.count_nonzero(ordered[1:] != ordered[:-1], axis=0)

    @functools.cached_property
    def _shares(self) -> tuple[Any, Any]:
        return _shares(self.words)


class Registry:
    """All tables that were seen, by what they can be recognised by."""

    def __init__(self) -> None:
        self.tables: list[Rows] = []
        self._count = 0
        self._starts: list[int] = [0]
        self._columns: dict[tuple[int, int], tuple[Rows, frozenset[int]]] = {}
        self._wholes: dict[tuple[int, int], list[Rows]] = {}
        self._labels: dict[tuple[int, int], Rows] = {}
        self._bases: list[_Base] = []
        self._keys: list[_Base] = []
        self._groups = 0
        self._bytes = self._made = 0
        self._copies: list[tuple[int, Any, int]] = []
        self.clock = 0

    # -------------------------------------------------------------- tables

    def identify(self, look: Look, past: frozenset[int] = frozenset()) -> Rows:
        """Return a table's rows: those of a table known before as far as they are the same.

        `past` is what made the values that were not seen before.
        """
        whole = self._whole(look)
        if whole is not None:
            return whole
        rows = self._same_columns(look) or self._same_labels(look)
        if rows is not None:
            rows = self._like(rows)
            rows.pasts = self._pasts(look, past)
            return self._register(rows, look, rowids.hashes(look.table), base=True)
        hashes = rowids.hashes(look.table)
        alike = [base for base in self._bases if base.width == look.table.width]
        found = self._look_up(hashes, alike)
        partly = found is None
        if found is None:
            found = self._by_keys(look)
        origins, known = found if found is not None else (np.zeros(len(hashes), np.int64), past)
        missing = origins == 0
        base = bool(missing.any()) or partly
        rows = self._new(origins)
        self._fill(rows, missing, look, hashes)
        self.tell_apart(rows)
        rows.pasts = self._pasts(look, past | known)
        return self._register(rows, look, hashes, base=base)

    def same(self, source: Rows, look: Look) -> Rows | None:
        """Return the rows of a table that was changed in place, None when they may be others."""
        marks = {mark for mark, varied in zip(look.marks, look.varied, strict=True) if varied}
        if source.forgotten or source.n != look.table.n or not marks & set(source.marks):
            return None
        return self.derive(source, look, frozenset())

    def nameless(self, n: int, hashes: Any = None) -> Rows:
        """Return so many rows of which nothing is known."""
        rows = self._new(np.zeros(n, np.int64))
        if n:
            self._starts.append(self._count + 1)
        rows.origins = np.arange(self._count + 1, self._count + 1 + n)
        self._count += n
        rows.hashes = hashes
        return rows

    def joined(self, several: list[Rows], look: Look) -> Rows:
        """Return the rows of several tables that stand one after the other."""
        rows = self._new(np.concatenate([each.origins for each in several]))
        rows.made = next((each.made for each in several if each.made), None)
        self.tell_apart(rows)
        rows.copied = rows.copied or any(each.copied for each in several)
        past = frozenset().union(*(each.past for each in several))
        rows.pasts = self._pasts(look, past)
        return self._register(rows, look, rowids.hashes(look.table), base=True)

    @staticmethod
    def united(several: list[Rows]) -> Rows:
        """Return the rows of several tables, each once, without their content."""
        found = Rows(0, np.unique(np.concatenate([each.origins for each in several])))
        if any(each.forgotten for each in several):
            found.n += 1
        return found

    def derive(self, source: Rows, look: Look, past: frozenset[int]) -> Rows:
        """Return rows that were made of others one by one; `past` is what made their values."""
        rows = self._like(source)
        known = self._pasts(look, past)
        rows.pasts = [each if each <= source.past else past for each in known]
        hashes = rowids.hashes(look.table)
        if not past <= rows.past and not np.array_equal(hashes, source.hashes):
            rows.pasts = [past] * len(look.marks)  # it chose columns, or changed rows unsampled
        for mark, old, new in zip(look.marks, known, rows.pasts, strict=True):
            if old and old != new:
                self._columns[rows.n, mark] = rows, new
        return self._register(rows, look, hashes, base=True)

    def beside(self, source: Rows, look: Look, past: frozenset[int] = frozenset()) -> Rows:
        """Return what stands beside known rows: their targets, unless these are known too."""
        known = [
            self._columns[look.table.n, mark][0]
            for mark, varied in zip(look.marks, look.varied, strict=True)
            if varied and (look.table.n, mark) in self._columns
        ]
        rows = self._like(next((each for each in known if not each.forgotten), source))
        rows.pasts = self._pasts(look, past)
        return self._register(rows, look, None, base=False)

    def take(self, source: Rows, positions: Any, look: Look) -> Rows:
        """Return the rows of a part, by their positions in the whole, counted from 0."""
        rows = self._new(source.origins[positions])
        rows.part, rows.copied, rows.made = source.part, source.copied, source.made
        self.tell_apart(rows)
        rows.pasts = list(source.pasts)
        hashes = source.hashes[positions] if source.hashes is not None else None
        if len(rows.pasts) != len(look.marks):
            rows.pasts = [source.past] * len(look.marks)
        return self._register(rows, look, hashes, base=False)

    def _new(self, origins: Any) -> Rows:
        self._made += 1
        self.tables.append(Rows(self._made, origins))
        return self.tables[-1]

    def _like(self, source: Rows) -> Rows:
        rows = self._new(source.origins)
        rows.part, rows.copied, rows.made = source.part, source.copied, source.made
        return rows

    def _register(self, rows: Rows, look: Look, hashes: Any, *, base: bool) -> Rows:
        rows.hashes = hashes
        rows.marks = look.marks
        for mark, past in zip(look.marks, rows.pasts, strict=True):
            self._columns.setdefault((rows.n, mark), (rows, past))
        if look.telling:
            self._know_whole(rows, look)
        label = look.label
        if label:
            self._labels.setdefault((rows.n, label), rows)
        if base and hashes is not None and look.telling:
            self._bases.append(_Base(hashes, rows, rows.past, look.table.width))
            self._add_keys(rows, look)
        self._shrink(rows.size_bytes())
        return rows

    def _know_whole(self, rows: Rows, look: Look) -> None:
        """Know a table by all its columns; of equal ones the last, of those that seem so each."""
        known = self._wholes.setdefault((rows.n, look.whole), [])
        others = [k for k in known if not np.array_equal(k.hashes, rows.hashes)]
        known[:] = [*others[-_ALIKE:], rows]

    def _fill(self, rows: Rows, missing: Any, look: Look, hashes: Any) -> None:
        """Give the rows that nobody knows origins of their own; a repeated label tells a copy."""
        count = int(np.count_nonzero(missing))
        if not count:
            return
        self._starts.append(self._count + 1)
        fresh = np.arange(self._count + 1, self._count + 1 + count)
        self._count += count
        rows.origins[missing] = fresh
        index = look.table.index
        if index is None or index.is_unique or index.dtype.kind not in "iu" or not look.telling:
            return
        labels = rowids.words(np.asarray(index), slice(None))
        _, first, back = np.unique(
            hashes + rowids.mix(labels), return_index=True, return_inverse=True
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
        found = origins.copy()
        for start, roots, moment in reversed(self._copies):
            if moment > after:
                copies = (found >= start) & (found < start + len(roots))
                found[copies] = roots[found[copies] - start]
        return found

    def _pasts(self, look: Look, past: frozenset[int]) -> list[frozenset[int]]:
        """Return what made each column: a column that was seen before keeps its past.

        A column of few values may look like another by chance: that never adds to its past.
        """
        found = []
        for mark, varied in zip(look.marks, look.varied, strict=True):
            known = self._columns.get((look.table.n, mark))
            found.append(known[1] if known is not None and (varied or not known[1]) else past)
        return found

    # -------------------------------------------------------------- recognition

    def _whole(self, look: Look) -> Rows | None:
        key = look.table.n, look.whole
        found = [rows for rows in self._wholes.get(key, ()) if look.telling and not rows.forgotten]
        if len(found) < 2:
            return found[0] if found else None
        hashes = rowids.hashes(look.table)  # they differ in rows that no sample shows
        return next((rows for rows in found if np.array_equal(rows.hashes, hashes)), None)

    def _same_columns(self, look: Look) -> Rows | None:
        """Return rows that have a column of fractions in common, or several of varied values."""
        seen: dict[int, list[Rows]] = {}
        for number, mark in enumerate(look.marks):
            rows, _ = self._columns.get((look.table.n, mark), (None, None))
            if rows is None or rows.forgotten or not look.varied[number]:
                continue
            if look.strong[number]:
                return rows
            seen.setdefault(id(rows.origins), []).append(rows)
        most = max(seen.values(), key=len, default=[])
        return most[0] if len(most) >= _SEVERAL else None

    def _same_labels(self, look: Look) -> Rows | None:
        label = look.label
        rows = self._labels.get((look.table.n, label)) if label else None
        return None if rows is None or rows.forgotten else rows

    def _look_up(
        self, hashes: Any, bases: Sequence[_Base], least: float = _SOME
    ) -> tuple[Any, frozenset[int]] | None:
        """Return origins (0: unknown) and past of rows that stand in known tables.

        First come the tables that hold most of them, then those that less was done to, then late
        ones.
        """
        n = len(hashes)
        origins: Any = np.zeros(n, np.int64)
        past: frozenset[int] = frozenset()
        some = hashes[rowids.spread(n)]
        shares = [
            (base.share(some, self), base) for base in reversed(bases) if not base.rows.forgotten
        ]
        ranked = sorted(shares, key=lambda each: (-each[0], len(each[1].past)))
        for share, base in ranked:
            missing = origins == 0
            if not share or not missing.any():
                break
            found = np.where(missing, base.find(hashes), 0)
            count = np.count_nonzero(found)
            if count < min(_NEARLY, _CHANCE * base.chance) * n:
                continue
            if count >= _SOME * n:
                past |= base.past
            origins[missing] = found[missing]
        return (origins, past) if np.count_nonzero(origins) >= max(least * n, 1) else None

    def _by_keys(self, look: Look) -> tuple[Any, frozenset[int]] | None:
        """Return what `_look_up` does, for a table that shares a column with known ones."""
        if not self._keys:
            return None
        for number, strong in enumerate(look.strong):
            some = look.words[:, number]
            if strong and look.table.sparse is None and len(look.marks) == look.table.width:
                bases = [b for b in self._keys if b.share(some, self) >= _MOSTLY]
                found = self._look_up(rowids.column(look.table, number), bases, _MOSTLY)
                if found is not None:
                    return found
        return None

    def _add_keys(self, rows: Rows, look: Look) -> None:
        """Keep a column for each past, so that the rows are known again beside other columns."""
        if len(look.marks) != look.table.width or look.table.width < 2:
            return
        chosen: dict[frozenset[int], int] = {}
        for number, strong in enumerate(look.strong):
            if strong and len(chosen) < 3:
                chosen.setdefault(rows.pasts[number], number)
        for past, number in chosen.items():
            words = rowids.column(look.table, number)
            self._keys.append(_Base(words, rows, past, 1))

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
        found: Any = np.zeros(self._count + 1, bool)
        found[np.maximum(origins, 0)] = True
        found[0] = False
        return found

    def _equal(self, rows: Rows, others: Rows) -> int:
        if rows.hashes is None or others.hashes is None:
            return 0
        if self._sources(rows) & self._sources(others):
            return 0
        mine, theirs = np.unique(rows.hashes), np.unique(others.hashes)
        if len(mine) < _MOSTLY * rows.n or len(theirs) < _MOSTLY * others.n:
            return 0
        chance = by_chance(others.n - len(theirs), others.n)
        equal = int(np.count_nonzero(_within(rows.hashes, theirs)))
        return equal if equal >= max(0.01, _CHANCE * chance) * rows.n and equal > 1 else 0

    def _sources(self, rows: Rows) -> set[int]:
        held = self._flags(self.roots(rows.origins[rows.origins > 0]))
        return set(np.flatnonzero(np.logical_or.reduceat(held, self._starts)).tolist())


class _Base:
    """Rows in which others are looked up, by a hash of each; sorted at the first look."""

    __slots__ = (
        "chance",
        "first",
        "grouped",
        "groups",
        "hashes",
        "known",
        "past",
        "rows",
        "sizes",
        "sorted",
        "width",
    )

    def __init__(self, hashes: Any, rows: Rows, past: frozenset[int], width: int) -> None:
        self.hashes, self.rows, self.past, self.width = hashes, rows, past, width
        self.sorted: Any = None
        self.chance = 0.0
        self.known: Any = None
        self.first = 0
        self.sizes: Any = None
        self.grouped: Any = None
        self.groups: Any = None

    def share(self, some: Any, registry: Registry) -> float:
        """Return the share of some hashes that are found."""
        self._sort(registry)
        return float(np.mean(_within(some, self.sorted))) if len(some) else 0.0

    def find(self, hashes: Any) -> Any:
        """Return the origin or group of each hash, 0 where it is not found."""
        at = np.minimum(np.searchsorted(self.sorted, hashes), len(self.sorted) - 1)
        return np.where(self.sorted[at] == hashes, self.known[at], 0)

    def _sort(self, registry: Registry) -> None:
        if self.sorted is not None:
            return
        order = np.argsort(self.hashes, kind="stable")
        ordered, origins = self.hashes[order], self.rows.origins[order]
        self.hashes = None
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        least, most = np.minimum.reduceat(origins, starts), np.maximum.reduceat(origins, starts)
        sizes: Any = np.diff(np.append(starts, len(ordered)))
        alone = least == most
        roots = registry.roots(origins)
        one = np.minimum.reduceat(roots, starts) == np.maximum.reduceat(roots, starts)
        native = int(np.count_nonzero(~one)) + int((sizes[~one] - 2).sum())
        self.chance = by_chance(native, len(ordered))
        if native > _REPEATED * len(ordered):  # the kind of rows that repeats anyway
            self.sorted, self.known = ordered[:0], origins[:0]
            return
        self.sorted, self.known = ordered[starts], least
        many = np.flatnonzero(~alone & (least > 0))
        mixed = ~alone & (least < 0)
        self.first = registry.group_number(len(many))
        self.known[many] = -(self.first + np.arange(len(many)))
        self.sizes = sizes[many]
        inside: Any = np.repeat(np.isin(np.arange(len(starts)), many), sizes)
        self.grouped = origins[inside]
        self.groups = np.repeat(np.arange(len(many)), self.sizes)
        if mixed.any():
            self.sorted, self.known = self.sorted[~mixed], self.known[~mixed]

    def surely_shared(self, groups: Any, theirs: Any, members: Any) -> int:
        """Return how many rows of this table's groups must be among others of them."""
        if self.sizes is None or not len(self.sizes):
            return 0
        count = len(self.sizes)
        mine = self._counted(groups)
        if not mine.any():
            return 0
        held = members[np.maximum(self.grouped, 0)]
        known = np.bincount(self.groups[held], minlength=count)
        others = np.minimum(known + self._counted(theirs), self.sizes)
        sure = np.clip(mine + others - self.sizes, 0, mine)
        return int(sure.sum())

    def _counted(self, groups: Any) -> Any:
        count = len(self.sizes)
        inside = groups[(groups >= self.first) & (groups < self.first + count)] - self.first
        return np.bincount(inside, minlength=count)


def by_chance(repeated: int, n: int) -> float:
    """Return the share of other rows that equal one of n rows, of which some repeat others.

    Source: the birthday problem. Rows drawn from D kinds repeat n / 2D of themselves, and hold the
    kind of a new row with n / D. Departs: kinds are not equally likely; hence `_CHANCE`.
    """
    return 2 * repeated / n if n else 0.0


def _within(values: Any, ordered: Any) -> Any:
    """Return for each value whether it stands among sorted ones."""
    if not len(ordered):
        return np.zeros(len(values), bool)
    at = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    return ordered[at] == values


def _shares(words: Any) -> tuple[Any, Any]:
    """Return for each column the share of words that are whole numbers, and of fractions."""
    with np.errstate(all="ignore"):
        numbers = words.view(np.float64)
        size = np.abs(numbers)
        whole = np.mean((numbers == np.floor(numbers)) & (size < _EXACT), axis=0)
        fractions = np.mean((numbers != np.floor(numbers)) & (size > 1e-9), axis=0)
    return whole, fractions


def _label(table: rowids.Table) -> int:
    index = table.index
    if index is None or type(index).__name__ != "Index" or index.dtype.kind not in "iu":
        return 0
    labels = np.asarray(index)
    if len(labels) < _ENOUGH or len(np.unique(np.diff(labels[:_FEW]))) < 3:
        return 0
    return rowids.fingerprint(rowids.words(labels, slice(None)))
