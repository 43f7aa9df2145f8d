"""Where the code of cells finds what its hooks call: among the names of Python, unseen by `dir`."""

from __future__ import annotations

import builtins
from collections.abc import Mapping

_OURS = "__nbsafe"
_LISTS = "__dir__"


def offer(hooks: Mapping[str, object]) -> None:
    """Let all code find hooks by their names."""
    vars(builtins).update({**hooks, _LISTS: names})


def names() -> list[str]:
    """Return the names that a plain kernel has there."""
    return [name for name in vars(builtins) if name != _LISTS and not name.startswith(_OURS)]
