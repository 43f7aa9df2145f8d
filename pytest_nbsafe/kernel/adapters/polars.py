"""polars: frames and series. Its threads do not live through a fork."""

from __future__ import annotations

import sys
from typing import Any

from ..aspects import COLUMNS, MANY, table
from ..hashing.hasher import TOO_LARGE, Handler, Hasher, UnknownValue, qualified
from . import Table, of_columns
from .numpy import add_content

MAY_BE_FORKED = False
_NESTED = frozenset({"List", "Array", "Struct", "Object"})
_NUMBERS = frozenset(
    f"{kind}{bits}" for kind in ("Int", "UInt", "Float") for bits in (8, 16, 32, 64)
)


def aspects(value: Any) -> dict[str, str]:
    """Return the shape, the columns and their means."""
    polars = sys.modules["polars"]
    if type(value) is polars.Series:
        return {"length": str(len(value)), **_mean("mean", value)}
    if type(value) is not polars.DataFrame:
        return {}
    words = table(value.shape, value.columns)
    for column in value.get_columns()[:COLUMNS]:
        words.update(_mean(f"mean of {column.name!r}", column))
    return words


def _mean(aspect: str, series: Any) -> dict[str, str]:
    if not series.dtype.is_numeric() or not 0 < len(series) - series.null_count() <= MANY:
        return {}
    return {aspect: f"{float(series.mean()):.6g}"}


# ------------------------------------------------------------------ chance


def drawers() -> dict[Any, int] | None:
    """Return what draws rows and values in compiled code, and what seeds that."""
    polars = sys.modules["polars"]
    if not hasattr(polars, "set_random_seed"):
        return None
    samples = (polars.DataFrame.sample, polars.Series.sample, polars.Expr.sample)
    shuffles = (polars.Series.shuffle, polars.Expr.shuffle)
    return {polars.set_random_seed: 0, **dict.fromkeys(samples, 0), **dict.fromkeys(shuffles, 1)}


# ------------------------------------------------------------------ rows


def table_of(value: Any) -> Table | None:
    """Return a frame or a series as a table."""
    polars = sys.modules["polars"]
    if isinstance(value, polars.DataFrame):
        return of_columns(value.get_columns())
    return of_columns([value]) if isinstance(value, polars.Series) else None


def values(column: Any, rows: Any) -> Any:
    """Return some rows of a series."""
    picked = column if isinstance(rows, slice) else column[rows.tolist()]
    is_number = picked.dtype.is_numeric() or str(picked.dtype) == "Boolean"
    return picked.to_numpy() if is_number else picked.to_list()


# ------------------------------------------------------------------ memory


def places_of(value: Any) -> list[tuple[int, int]]:
    """Return where the numbers of a frame or a series lie, which may be made of arrays."""
    polars = sys.modules["polars"]
    columns = value.get_columns() if isinstance(value, polars.DataFrame) else [value]
    places = []
    for column in columns if isinstance(value, (polars.DataFrame, polars.Series)) else ():
        for part in column.to_physical().get_chunks():
            if part.dtype.base_type().__name__ in _NUMBERS and not part.null_count():
                shown = part.to_numpy(allow_copy=False)
                places.append((shown.__array_interface__["data"][0], shown.nbytes))
    return places


# ------------------------------------------------------------------ hashing


def _frame(hasher: Hasher, value: Any) -> None:
    hasher.tag(f"polars frame {qualified(type(value))} {value.shape!r}")
    for column in value.get_columns():
        _series(hasher, column)


def _series(hasher: Hasher, value: Any) -> None:
    """Write a series: numbers as they are stored, texts and moments by a hash of each.

    These hashes are the same in all processes that have one version of the library.
    """
    hasher.tag(f"polars series {value.dtype!r} {len(value)}")
    hasher.add(value.name)
    if value.estimated_size() > hasher.size:
        raise UnknownValue(TOO_LARGE)
    kind = value.dtype.base_type().__name__
    if kind in _NESTED:
        hasher.all("values", value.to_list())
        return
    if value.null_count():
        add_content(hasher, value.is_null().to_numpy())
    if kind in _NUMBERS:
        full = value.fill_null(0) if value.null_count() else value
        add_content(hasher, full.to_numpy())
    else:
        is_coded = kind in {"Categorical", "Enum"}  # by numbers that another process has not
        plain = value.cast(sys.modules["polars"].String) if is_coded else value
        add_content(hasher, plain.hash().to_numpy())


def _lazy(_hasher: Hasher, _value: object) -> None:
    """Give up a frame that is not computed yet: what it reads may have changed by then."""
    raise UnknownValue("a lazy frame is not compared")


HASHED: dict[str, dict[str, Handler]] = {
    "polars": {"DataFrame": _frame, "Series": _series, "LazyFrame": _lazy},
}
