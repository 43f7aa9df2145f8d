"""Tables in which something was looked up: pandas notes what lies where, which counts as memory."""

from __future__ import annotations

from typing import Any

from ..adapters import says


class TableLookups:
    """The names of tables in which something had been looked up when a run began."""

    def __init__(self, home: dict[str, Any]) -> None:
        self._home = home
        self._began: set[str] = set()

    def start(self) -> None:
        """Take note that a run begins."""
        self._began = self._now()

    def came(self) -> bool:
        """Return whether the run was the first to look something up in a table."""
        return not self._now() <= self._began

    def _now(self) -> set[str]:
        return {name for name, value in list(self._home.items()) if says("knows_places", value)}
