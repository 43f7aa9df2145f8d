"""statsmodels: results, which keep what they have worked out, and hand that out to be changed."""

from __future__ import annotations

import sys
import types
import warnings
from typing import Any

from ..functions.reach import fields, is_own
from ..hashing import bulk, instances
from ..hashing.hasher import Hasher, UnknownValue
from . import _worked_out

_SHOWN = ("_summary_cache", "_summary_statistics_cache")
CACHES = frozenset({*_SHOWN, "_cache", "_nobs_int", "_tmp_like_exog", "diagn"})
_QUICK = frozenset(
    {"fittedvalues", "wresid", "xnames", "ynames"}
    | {f"resid{kind}" for kind in ("", "_deviance", "_pearson", "_response", "_working")}
)
"""What was worked out and is so again to be compared: a step or two over the rows at most. Of the
rest (regressions without each row in turn) it is not told where a cell changes it in place."""
_LIBRARIES = frozenset({"builtins", "numpy", "scipy", "statsmodels"})
_DEEP = 3


def hash_other(hasher: Hasher, value: Any) -> None:
    """Write results, a model or its data, and what it has worked out that is not so any more."""
    instances.add_instance(hasher, value)
    held = fields(value) or {}
    if type(held.get("_cache")) is dict:
        _changed(hasher, value, held)


def _changed(hasher: Hasher, value: Any, held: dict[str, Any]) -> None:
    """Write what was worked out and then changed, or may have been; numbers cannot change."""
    cache = held["_cache"]
    if any(cache.get(name, cache) is None for name in held.get("_data_in_cache", ())):
        # the data were removed: all that can be shown is what was shown before
        hasher.attributes({name: held.get(name) for name in _SHOWN})
    noted, known = held.get("diagn"), _numbers(held.get(_SHOWN[0]))
    if type(noted) is dict and not known.issuperset(map(repr, noted.values())):
        hasher.all("noted", [noted])
    number = getattr(sys.modules.get("numpy"), "generic", ())
    for name in sorted(_QUICK & {name for name in cache if type(name) is str}):
        if type(cache[name]) not in bulk.PLAIN and not isinstance(cache[name], number):
            content = hasher.apart(cache[name])
            if content != _again(hasher, value, held, name):
                hasher.tag(name)
                hasher.raw(content)


def _numbers(shown: Any) -> set[str]:
    """Return all that was worked out for a summary, in words."""
    found: set[str] = set()
    for each in shown.values() if type(shown) is dict else ():
        found.update(map(repr, each) if hasattr(each, "__iter__") else [repr(each)])
    return found


def _again(hasher: Hasher, value: Any, held: dict[str, Any], name: str) -> bytes:
    """Return the hash of what is worked out of the same by another object, empty if that cannot be.

    The filter is taken in and out by hand: `catch_warnings` would make the notebook's own warnings
    show a second time.
    """
    if _may_call_cells(value, _DEEP):
        return b""
    cache = {key: item for key, item in held["_cache"].items() if key != name}
    other = _worked_out.without(value, type(value), {"_cache": cache})
    quiet: Any = ("ignore", None, Warning, None, 0)
    filters: Any = warnings.filters
    filters.insert(0, quiet)
    try:
        return hasher.apart(getattr(other, name))
    except UnknownValue:
        raise
    except Exception:  # of the library
        return b""
    finally:
        filters.remove(quiet)


def _may_call_cells(value: Any, depth: int) -> bool:
    """Return whether a value holds a function or an object of a cell, or may lead to one."""
    if isinstance(value, (types.FunctionType, types.MethodType)):
        return value.__module__.partition(".")[0] not in _LIBRARIES
    kind = type(value)
    if any(map(is_own, kind.__mro__)):
        return True
    if not depth or not kind.__module__.startswith("statsmodels."):
        return False
    return any(_may_call_cells(each, depth - 1) for each in (fields(value) or {}).values())
