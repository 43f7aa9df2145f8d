"""A report as plain data and back: for the cache, and from a worker of pytest-xdist.

What comes back may be forged: each field is of its type (a bool is no number), and each word one
that is known, or nothing comes back.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pytest_nbsafe.codes import CODES
from pytest_nbsafe.findings import Outcome, Report


def pack(value: Any) -> Any:
    """Return a report, or a part of one, as lists of text, numbers and None."""
    if isinstance(value, tuple):
        return [pack(item) for item in value]
    names = getattr(type(value), "__match_args__", None)
    return value if names is None else [pack(getattr(value, name)) for name in names]


def unpack(data: Any) -> Report:
    """Return the report that was packed.

    Raises:
        ValueError: the form is another (or TypeError).

    """
    report: Report = _reader(Report)(data)
    if any(finding.code not in CODES for finding in report.findings):
        raise ValueError("no code")
    return report


def unpack_outcomes(data: Any) -> tuple[Outcome, ...]:
    """Return the outcomes that were packed.

    Raises:
        ValueError: the form is another (or TypeError).

    """
    outcomes: tuple[Outcome, ...] = _reader(tuple[Outcome, ...])(data)
    return outcomes


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """Return what turns plain data into a value of this kind: a field's type, or a class."""
    parts = get_args(kind)
    if get_origin(kind) is tuple:
        read = _reader(parts[0])
        return lambda data: tuple([read(item) for item in _list(data)])
    if hasattr(kind, "__match_args__"):
        hints = get_type_hints(kind)
        readers = [_reader(hints[name]) for name in kind.__match_args__]
        return lambda data: kind(
            *[read(item) for read, item in zip(readers, _list(data), strict=True)]
        )
    if type(None) in parts and hasattr(parts[0], "__match_args__"):
        whole = _reader(parts[0])
        return lambda data: None if data is None else whole(data)
    is_word = get_origin(kind) is Literal
    types = {str} if is_word else {*(parts or (kind,))}
    if float in types:
        types.add(int)

    def plain(data: Any) -> Any:
        if type(data) not in types or (is_word and data not in parts):
            raise ValueError(f"no {kind}")
        return data

    return plain


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise ValueError("no list")
    return value
