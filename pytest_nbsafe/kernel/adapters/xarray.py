"""xarray: arrays with named dimensions, and sets of them.

Nothing is loaded for it: of an array that lies in a file, or is not computed yet, nothing is known.
"""

from __future__ import annotations

import sys
from typing import Any

from ..aspects import cut, mean
from ..functions.reach import fields
from ..hashing.hasher import Handler, Hasher, UnknownValue, qualified

_LABELS = frozenset({"PandasIndexingAdapter", "PandasMultiIndexingAdapter"})


def aspects(value: Any) -> dict[str, str]:
    """Return the shape and the mean of an array, the names and sizes of a set."""
    xarray = sys.modules["xarray"]
    if type(value) is xarray.Dataset:
        sizes = ", ".join(f"{name}: {size}" for name, size in value.sizes.items())
        return {"sizes": cut(sizes), "names": cut(", ".join(map(str, value.data_vars)))}
    if type(value) not in (xarray.DataArray, xarray.Variable):
        return {}
    held = _held(getattr(value, "variable", value))
    return {"shape": str(value.shape), **(mean("mean", held) if _is_array(held) else {})}


def table_of(value: Any) -> Any:
    """Return the array of one that is in memory: its first dimension are the rows."""
    is_one = isinstance(value, sys.modules["xarray"].DataArray)
    held = _held(value.variable) if is_one else None
    return held if _is_array(held) else None


def _held(variable: Any) -> Any:
    """Return what a variable keeps, as it keeps it: to ask for its values would load them."""
    return getattr(variable, "_data", None)


def _is_array(held: Any) -> bool:
    return type(held) is sys.modules["numpy"].ndarray


# ------------------------------------------------------------------ hashing


def _variable(hasher: Hasher, value: Any) -> None:
    """Write a variable; of a dimension's labels, which are kept as an index, that index."""
    hasher.tag(f"variable {qualified(type(value))}")
    hasher.all("dimensions", list(value.dims))
    hasher.add(_attributes(value))
    held = _held(value)
    if type(held).__name__ in _LABELS:
        hasher.tag(f"labels {value.dtype}")
        hasher.add([held.array, getattr(held, "level", None)])
    elif _is_array(held):
        hasher.add(held)
    else:
        raise UnknownValue("an array that is not loaded is not compared")


def _attributes(value: Any) -> dict[Any, Any]:
    """Return what was noted, and how it is to be stored; to ask for it makes empty dictionaries."""
    noted, stored = (getattr(value, name, None) or {} for name in ("_attrs", "_encoding"))
    return {"noted": noted, "stored": stored} if stored else noted


def _array(hasher: Hasher, value: Any) -> None:
    hasher.tag(f"labelled array {qualified(type(value))}")
    hasher.add(value.name)
    hasher.add(value.variable)
    _by_name(hasher, {name: value.coords[name].variable for name in value.coords})


def _set(hasher: Hasher, value: Any) -> None:
    hasher.tag(f"set of arrays {qualified(type(value))}")
    hasher.add(_attributes(value))
    hasher.unordered("coordinates", list(value.coords))
    _by_name(hasher, dict(value.variables))


def _tree(hasher: Hasher, value: Any) -> None:
    """Write the whole tree that a part of one leads to, and which part that is."""
    root, names = value, []
    while root._parent is not None:  # noqa: SLF001  # a class of cells may say otherwise
        names.append(root._name)  # noqa: SLF001  # as above
        root = root._parent  # noqa: SLF001  # as above
    hasher.all(f"tree of sets {qualified(type(value))}", names)
    _part(hasher, root)


def _part(hasher: Hasher, value: Any) -> None:
    """Write what lies in a part of a tree and below it, to which the order of the parts belongs."""
    hasher.add(value._name)  # noqa: SLF001  # as above
    hasher.add(_attributes(value))
    hasher.attributes(fields(value) or {})
    inside, coordinates = value._data_variables, value._node_coord_variables  # noqa: SLF001  # those above are not its own
    hasher.unordered("coordinates", list(coordinates))
    _by_name(hasher, {**inside, **coordinates})
    hasher.all("parts", list(value._children))  # noqa: SLF001  # as above
    for part in value._children.values():  # noqa: SLF001  # as above
        _part(hasher, part)


def _by_name(hasher: Hasher, variables: dict[Any, Any]) -> None:
    """Write variables by their names, whatever their order."""
    hasher.unordered("variables", list(variables))
    for name in sorted(variables, key=repr):
        hasher.add(variables[name])


HASHED: dict[str, dict[str, Handler]] = {
    "xarray": {"DataArray": _array, "DataTree": _tree, "Dataset": _set, "Variable": _variable},
}
