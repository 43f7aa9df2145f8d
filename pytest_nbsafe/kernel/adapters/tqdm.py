"""tqdm: progress bars."""

from __future__ import annotations

import sys
from typing import Any

SETTERS = frozenset({"pandas"})


def own_locks() -> list[Any]:
    """Return the lock that all bars of all processes share; a bar holds it only while it draws."""
    holder = getattr(sys.modules.get("tqdm.std"), "TqdmDefaultWriteLock", None)
    return [getattr(holder, "mp_lock", None)]
