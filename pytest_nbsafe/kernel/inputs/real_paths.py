"""Where a path leads to."""

from __future__ import annotations

import os


def real_path(path: str) -> str:
    """Return where a path leads to, as far as the system tells: a link in `/proc` may not be read.

    Python tells so of the program of a process that has ended.
    """
    try:
        return os.path.realpath(path)
    except OSError:
        return path
