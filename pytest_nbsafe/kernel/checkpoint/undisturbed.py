"""Loading values leaves random numbers and warnings as they were, and no file read."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from .. import open_log
from ..adapters import answers


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Keep what runs inside from changing the sources of random numbers, and from warning.

    The filter is taken in and out by hand: `catch_warnings` would make the notebook's own
    warnings show a second time.
    """
    random: Any = sys.modules.get("random")
    state = random.getstate() if random is not None else None
    restorers = answers("keep_random")
    quiet: Any = ("ignore", None, Warning, None, 0)
    filters: Any = warnings.filters
    filters.insert(0, quiet)
    try:
        with open_log.unnoticed():
            yield
    finally:
        with contextlib.suppress(ValueError):
            filters.remove(quiet)
        if random is not None:
            random.setstate(state)
        for restore in restorers:
            restore()
