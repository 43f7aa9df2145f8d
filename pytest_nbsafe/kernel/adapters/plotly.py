"""plotly: figures, whose parts come in any order, and which call functions at a change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..functions.reach import fields
from ..hashing import instances
from ..hashing.hasher import Handler, Hasher, qualified

_CALLED = frozenset(
    f"_{when}_callbacks" for when in ("change", "click", "hover", "select", "unhover")
)
_LISTS = "_compound_array_props"


def _figure(hasher: Hasher, value: Any) -> None:
    held = fields(value) or {}
    hasher.tag(f"figure {qualified(type(value))}")
    hasher.add(_sorted(value.to_dict()))
    hasher.add(held.get("_grid_ref"))
    _called(hasher, [held.get("_layout_obj"), *(held.get("_data_objs") or ())])


def _sorted(value: Any) -> Any:
    """Return parts of a figure with their names in order."""
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value, key=str)}
    return [*map(_sorted, value)] if isinstance(value, (list, tuple)) else value


def _part(hasher: Hasher, value: Any) -> None:
    instances.add_instance(hasher, value)
    _called(hasher, [value])


def _called(hasher: Hasher, parts: list[Any]) -> None:
    """Write what parts of a figure call, and where in them."""
    for place, held in _held_by(parts, ""):
        called = {name: held[name] for name in _CALLED if held.get(name)}
        if called:
            hasher.tag(f"at {place}")
            hasher.attributes(called)


def _held_by(parts: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what parts of a figure hold, and where, and the parts in them that are there so far."""
    for number, part in enumerate(parts):
        held = fields(part)
        if isinstance(part, (list, tuple)):
            yield from _held_by(part, f"{place} {number}")
        elif held is not None:
            yield f"{place} {number}", held
            inside = {**(held.get("_compound_props") or {}), **(held.get(_LISTS) or {})}
            for name in sorted(inside, key=str):
                yield from _held_by([inside[name]], f"{place} {number} {name}")


HASHED: dict[str, dict[str, Handler]] = {
    "plotly.basedatatypes": {"BaseFigure": _figure, "BasePlotlyType": _part},
}
