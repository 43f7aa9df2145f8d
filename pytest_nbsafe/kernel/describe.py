"""A few words on a value, cheap and without running a line of the user's: 3.5, shape, mean."""

from __future__ import annotations

import sys
from typing import Any

_PLAIN = (int, float, complex, bool, type(None))
_TEXTS = (str, bytes)
_HOLDERS = (list, tuple, dict, set, frozenset)
_WIDTH = 60
_FEW = 6
_MANY = 5_000_000
_COLUMNS = 40


def aspects(value: object) -> dict[str, str]:
    """Return what can be said of a value, by aspect (`value`, `length`, `shape`, `mean`...).

    Of a value that is not known there is nothing to say. Never raises.
    """
    try:
        return _plain(value) or _library(value)
    except Exception:
        return {}


def _plain(value: Any) -> dict[str, str]:
    cls = type(value)
    if type(cls) is not type:  # a metaclass may say how its classes are compared
        return {}
    if cls in _PLAIN:
        return {"value": repr(value)}
    if cls in _TEXTS:
        return {"value": _cut(repr(value[: _WIDTH + 1])), "length": str(len(value))}
    if cls in _HOLDERS:
        said = {"length": str(len(value))}
        if len(value) <= _FEW and all(_is_short(v) for v in _items(value)):
            said["value"] = _cut(repr(value))
        return said
    return {}


def _is_short(value: object) -> bool:
    cls = type(value)
    return type(cls) is type and (cls is str or cls in _PLAIN)


def _items(value: Any) -> list[Any]:
    return [*value, *value.values()] if type(value) is dict else list(value)


def _library(value: Any) -> dict[str, str]:
    numpy: Any = sys.modules.get("numpy")
    if (
        numpy is not None
        and issubclass(type(value), numpy.generic)  # `isinstance` would ask for its `__class__`
        and type(value).__module__ == "numpy"
    ):
        return {"value": _cut(str(value))}
    if numpy is not None and type(value) is numpy.ndarray:
        return {"shape": str(value.shape), **_mean("mean", value)}
    pandas: Any = sys.modules.get("pandas")
    if pandas is not None and type(value) is pandas.DataFrame:
        return _frame(value)
    if pandas is not None and type(value) is pandas.Series:
        return {"length": str(len(value)), **_mean("mean", value)}
    torch: Any = sys.modules.get("torch")
    if torch is not None and type(value) is torch.Tensor and value.device.type == "cpu":
        return {"shape": str(tuple(value.shape)), **_mean("mean", value.detach().numpy())}
    return {}


def _frame(frame: Any) -> dict[str, str]:
    names = [column if type(column) in (str, int) else "?" for column in frame.columns[:_COLUMNS]]
    said = {"shape": str(frame.shape), "columns": _cut(", ".join(map(str, names)))}
    if frame.size <= _MANY:
        for index, name in enumerate(names):
            said.update(_mean(f"mean of {name!r}", frame.iloc[:, index]))
    return said


def _mean(aspect: str, values: Any) -> dict[str, str]:
    """Return the mean of numbers, nothing of anything else."""
    kind = getattr(values.dtype, "kind", "")
    if kind not in "biuf" or not kind or not 0 < values.size <= _MANY:
        return {}
    return {aspect: f"{float(values.mean()):.6g}"}


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."
