"""Our own modules, imported as they are: pytest would rewrite the asserts of each.

It does so for all files of a plugin, and where Python keeps no compiled files (most images of
containers say so) at every start, which takes longer than the rest of the start.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

_OURS = __name__.partition(".")[0] + "."


class PlainImports:
    """A finder of modules, to be asked before that of pytest."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where one of our modules is found; of others nothing is known."""
        return PathFinder.find_spec(name, path, target) if name.startswith(_OURS) else None


def install() -> None:
    """Put the finder before all others, once."""
    if PlainImports not in sys.meta_path:
        sys.meta_path.insert(0, PlainImports)
