"""rdkit: molecules, of which pickle leaves out properties, and digits of where atoms are."""

from __future__ import annotations

import sys
from typing import Any

from ..functions.reach import fields
from ..hashing.hasher import Handler, Hasher, UnknownValue, qualified
from ..hashing.instances import add_instance

OWNERS = frozenset(
    {"Mol", "RWMol", "ExplicitBitVect", "SparseBitVect", "DiscreteValueVect", "RealValueVect"}
    | {"IntSparseIntVect", "LongSparseIntVect", "UIntSparseIntVect", "ULongSparseIntVect"}
)
"""An atom is a look at its molecule, and so is a bond, a conformer, a ring."""
_KEPT_WHOLE = ("rdkit.DataStructs.", "rdkit.Geometry.")
"""Modules of compiled classes whose pickles hold all that their objects do."""
_COMPILED = "Boost.Python"
_MOLECULES = "rdkit.Chem.rdchem"
_KEPT_HERE = frozenset({"Mol", "RWMol"})


def _molecule(hasher: Hasher, value: Any) -> None:
    """Write a molecule, but not what was worked out of it as a whole, which a look may do."""
    hasher.tag(f"molecule {qualified(type(value))}")
    hasher.attributes(fields(value) or {})
    said = value.GetPropNames(includePrivate=True, includeComputed=False)
    known = value.GetPropNames(includePrivate=True, includeComputed=True)
    worked_out = set(known).difference(said)
    if worked_out:
        value = _library().Mol(value)
        for name in worked_out:
            value.ClearProp(name)
    hasher.raw(value.ToBinary(_all_of_it()))


def hash_other(hasher: Hasher, value: Any) -> None:
    """Write what is no molecule; what holds some in compiled code is not known."""
    kinds = type(value).__mro__
    is_compiled = any(kind.__module__ == _COMPILED for kind in kinds)
    if is_compiled and not type(value).__module__.startswith(_KEPT_WHOLE):
        raise UnknownValue(f"what pickle leaves out of {qualified(type(value))} is not known")
    add_instance(hasher, value)


def reduced(value: Any) -> Any:
    """Return how a molecule is pickled with all that is said of it."""
    kind = type(value)
    if kind.__module__ != _MOLECULES or kind.__name__ not in _KEPT_HERE:
        return NotImplemented
    make, _content, *state = value.__reduce__()
    return (make, (value.ToBinary(_all_of_it()),), *state)


def _all_of_it() -> int:
    """Return what is to be written of a molecule; older versions know no exact places."""
    options = _library().PropertyPickleOptions
    return int(options.AllProps) | int(getattr(options, "CoordsAsDouble", 0))


def _library() -> Any:
    return sys.modules[_MOLECULES]


HASHED: dict[str, dict[str, Handler]] = {_MOLECULES: {"Mol": _molecule}}
