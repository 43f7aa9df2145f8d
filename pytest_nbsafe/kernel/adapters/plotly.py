"""plotly: figures, whose parts come in any order."""

from __future__ import annotations

from typing import Any

from ..hashing.hasher import Handler, Hasher, qualified


def _figure(hasher: Hasher, value: Any) -> None:
    hasher.tag(f"figure {qualified(type(value))}")
    hasher.add(_sorted(value.to_dict()))


def _sorted(value: Any) -> Any:
    """Return parts of a figure with their names in order."""
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value, key=str)}
    return [*map(_sorted, value)] if isinstance(value, (list, tuple)) else value


HASHED: dict[str, dict[str, Handler]] = {"plotly.basedatatypes": {"BaseFigure": _figure}}
