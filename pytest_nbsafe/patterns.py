"""Regular expressions that are compiled when they are first asked for something.

`compile` is used, and seen by type checkers, as that of the module `re`. Compiling is slow, and
most expressions stand here for text that few notebooks hold.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from re import compile  # noqa: A004 - it stands in for that one

__all__ = ["compile"]


class _Pattern:
    """An expression that is not compiled yet; it has the methods of one that is."""

    def __init__(self, text: str | bytes, flags: int = 0) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        """Return a method of the compiled expression, and keep it for the next time."""
        compiled: Any = re.compile(self._text, self._flags)
        method = getattr(compiled, name)
        self.__dict__[name] = method
        return method


if not TYPE_CHECKING:
    compile = _Pattern  # noqa: A001
