"""What tables of pandas share: with one another until one is written to, and with who holds a part.

A table does not know who else refers to its index or its arrays.
"""

from __future__ import annotations

import sys
from typing import Any

from ._plain_tables import copies_on_write


def part_of_table(value: Any) -> str:
    """Return which part of a table a value may be that others may hold too, "" for none.

    An "array" is written to as it is, whoever shares it. Of an "index" only the name can change:
    what lies in it is never written to, in pandas 2 either.
    """
    pandas = sys.modules["pandas"]
    if isinstance(value, pandas.api.extensions.ExtensionArray):
        return "array"
    return "index" if isinstance(value, pandas.Index) else ""


def never_written(value: Any) -> list[Any]:
    """Return what an array keeps that stays as it is: what is put into the array replaces it."""
    is_array = part_of_table(value) == "array" and hasattr(value, "_pa_array")
    return [value._pa_array] if is_array else []  # noqa: SLF001  # as it lies


def lazily_copied(value: Any) -> list[Any] | None:
    """Return what a table, an index or an array of such holds, None of what is no such thing.

    Where it is copied before it is written to, two tables may share it and need not know of one
    another: None else. Caches are left out, which they share too.
    """
    pandas = sys.modules["pandas"]
    part = part_of_table(value)
    if part == "array":
        if never_written(value):  # asked for others, pandas 2 warns
            return []
        return [getattr(value, name) for name in _ARRAYS if hasattr(value, name)]
    if isinstance(value, pandas.MultiIndex):
        return [*value.levels, *value.codes, *value.names]
    if part == "index":
        return [] if isinstance(value, pandas.RangeIndex) else [value.array, *value.names]
    if not isinstance(value, (pandas.DataFrame, pandas.Series)):
        return None
    late = copies_on_write(pandas)  # then it warns when it is asked for the option
    if not late and getattr(pandas.options.mode, "copy_on_write", False) is not True:
        return None
    held = [item for name, item in vars(value).items() if name not in OWN_FIELDS]
    return [*held, *value._mgr.axes, *value._mgr.arrays]  # noqa: SLF001  # as it lies


def blocks_of(value: Any) -> list[Any]:
    """Return what a table keeps its arrays in; two that have one of them write to it as to theirs.

    A resampler holds such a table: its block counts once, and so it is not copied.
    """
    return [*getattr(getattr(value, "_mgr", None), "blocks", ())]


def lazy_holders_of(value: Any) -> list[Any]:
    """Return the columns of tables that share memory until one of them is written to.

    `value` may be what pandas itself keeps of who shares memory: weak references.
    """
    if type(value).__name__ != "BlockValuesRefs":
        return []
    return [column for held in value.referenced_blocks if (column := held()) is not None]


_ARRAYS = ("_ndarray", "_data", "_mask", "_codes", "_left", "_right", "_sparse_values")
"""Where the arrays of pandas keep those of numpy."""
_TIES = ("_is_copy", "_cacher", "_item_cache")
"""Where pandas 2 keeps which tables and columns came from one another, and may still be one."""
OWN_FIELDS = frozenset({"_mgr", "_flags", "_typ", "_metadata", *_TIES})
"""What a table or column has that is no part of what it holds."""
