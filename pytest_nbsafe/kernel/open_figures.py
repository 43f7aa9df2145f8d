"""Figures that are open, which no name need show: `pyplot` draws in the last, or writes it.

matplotlib keeps them by their numbers in one dictionary, which all of `pyplot`, and what draws by
way of it (pandas, seaborn), asks first. A dictionary that tells of it stands in its place.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from .adapters import answers
from .contract import ASKED, CHANGED

_ASKING = (
    "__contains__", "__delitem__", "__getitem__", "__iter__", "__len__", "__reversed__",
    "__setitem__", "clear", "get", "items", "keys", "move_to_end", "pop", "popitem", "setdefault",
    "update", "values",
)  # fmt: skip
"""All that asks such a dictionary for something, or changes it."""


class OpenFigures:
    """Whether a run asked which figures are open, and those that were, or are."""

    def __init__(self) -> None:
        self._is_asked = False
        self._began: list[weakref.ref[Any]] = []

    def start(self) -> None:
        """Take note that a run begins."""
        self.meet()
        self._began = [weakref.ref(figure) for figure in _open_now()]
        self._is_asked = False

    def meet(self) -> None:
        """Be told from now on, if matplotlib is there."""
        registry = _registry()
        if registry is not None and not isinstance(registry.figs, _Watched):
            registry.figs = _Watched(OrderedDict.items(registry.figs))
            registry.figs.note = self._note
            self._is_asked = True  # what was done until now, nobody has seen

    def told(self) -> str:
        """Return whether the run asked for figures, or may have changed some that stay open."""
        self.meet()
        if not self._is_asked:
            return ""
        return CHANGED if self._began or _open_now() else ASKED

    def all(self) -> list[Any]:
        """Return the figures that were open when the run began, or are now."""
        began = [figure for ref in self._began if (figure := ref()) is not None]
        return [*began, *_open_now()]

    def _note(self) -> None:
        self._is_asked = True


class _Watched(OrderedDict):  # type: ignore[type-arg]  # Python 3.8 has no other
    """The open figures by their numbers; tells who asks."""

    note: Callable[[], None]


def _asking(name: str) -> Callable[..., Any]:
    method = getattr(OrderedDict, name)

    def ask(self: _Watched, *arguments: Any, **options: Any) -> Any:
        note = vars(self).get("note")
        if note is not None:
            note()
        return method(self, *arguments, **options)

    return ask


for _name in _ASKING:
    setattr(_Watched, _name, _asking(_name))


def _registry() -> Any:
    """Return the class that holds the open figures, None where there is none."""
    found = answers("figure_registry")
    return found[0] if found and isinstance(getattr(found[0], "figs", None), OrderedDict) else None


def _open_now() -> list[Any]:
    registry = _registry()
    managers = OrderedDict.values(registry.figs) if registry is not None else ()
    return [manager.canvas.figure for manager in managers]
