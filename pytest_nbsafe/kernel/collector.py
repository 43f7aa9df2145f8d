"""Python's collector, which looks for circles of objects that nobody refers to."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """Keep the collector from running: what it ends is the notebook's, whose code it may call.

    A walk over the notebook's values would set it off, and it looks at all that there is.
    """
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()
