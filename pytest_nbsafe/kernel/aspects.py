"""A few words on a value, cheap and without running a line of the user's: 3.5, shape, mean."""

from __future__ import annotations

from typing import Any

from .adapters import of_module

_PLAIN = (int, float, complex, bool, type(None))
_TEXTS = (str, bytes)
_HOLDERS = (list, tuple, dict, set, frozenset)
_WIDTH = 60
_FEW = 6
COLUMNS = 40
MANY = 5_000_000


def aspects(value: object) -> dict[str, str]:
    """Return what can be said of a value, by aspect (`value`, `length`, `shape`, `mean`...).

    Of a value that is not known there is nothing to say. Never raises.
    """
    try:
        adapter = of_module(type.__getattribute__(type(value), "__module__"))
        return _plain(value) or (adapter.aspects(value) if hasattr(adapter, "aspects") else {})
    except Exception:
        return {}


def _plain(value: Any) -> dict[str, str]:
    cls = type(value)
    if type(cls) is not type:  # a metaclass may say how its classes are compared
        return {}
    if cls in _PLAIN:
        return {"value": repr(value)}
    if cls in _TEXTS:
        return {"value": cut(repr(value[: _WIDTH + 1])), "length": str(len(value))}
    if cls in _HOLDERS:
        words = {"length": str(len(value))}
        items = [*value, *value.values()] if cls is dict else list(value)
        if len(value) <= _FEW and all(map(_is_short, items)):
            words["value"] = cut(repr(value))
        return words
    return {}


def _is_short(value: object) -> bool:
    cls = type(value)
    return type(cls) is type and (cls is str or cls in _PLAIN)


def mean(aspect: str, values: Any) -> dict[str, str]:
    """Return the mean of numbers, nothing of anything else."""
    kind = getattr(values.dtype, "kind", "")
    if kind not in "biuf" or not kind or not 0 < values.size <= MANY:
        return {}
    return {aspect: f"{float(values.mean()):.6g}"}


def table(shape: tuple[int, ...], columns: list[str]) -> dict[str, str]:
    """Return the shape and the first columns of a table."""
    return {"shape": str(shape), "columns": cut(", ".join(columns[:COLUMNS]))}


def cut(text: str) -> str:
    """Return the beginning of a text that is long."""
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."
