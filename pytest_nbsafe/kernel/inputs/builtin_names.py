"""What a run puts among the names of Python (`builtins`), where code finds it without a mention."""

from __future__ import annotations

import builtins

from ..identity import identity
from ..tracing import offered

_OF_SHELL = frozenset({"_", "display", "get_ipython", "input"})
"""Names that IPython and ipykernel set there for each run."""


_OF_LIBRARIES = "__pybind11_"
"""How the names begin by which compiled libraries find each other there; no code asks for them."""


class BuiltinNames:
    """What the names of Python held when a run began."""

    def __init__(self) -> None:
        self._held = _held()

    def start(self) -> None:
        """Take note that a run begins."""
        self._held = _held()

    def are_changed(self) -> bool:
        """Return whether a name holds another object by now, came or went."""
        return _held() != self._held


def _held() -> dict[str, int]:
    """Return which object each name holds, but for those of the shell, ours and of libraries."""
    held = vars(builtins)
    names = (n for n in offered.names() if n not in _OF_SHELL and not n.startswith(_OF_LIBRARIES))
    return {name: identity(held[name]) for name in names}
