"""Hooks of the interpreter itself (`sys.monitoring`, Python 3.12), free once they have told.

A line or the entry of a function tells once and is then switched off, at that place alone. Code is
left as it was compiled, so that nothing shows, not even to a compiler that reads it.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any

from ..functions.reach import inside

_MONITORING: Any = getattr(sys, "monitoring", None)
_NAME = "nbsafe"
_TOOL_IDS = (4, 3)  # 0 to 2 and 5 are meant for debuggers, coverage, profilers and optimizers


class Monitor:
    """Calls `begin` with the hook of a line, and `enter` with that of a function, when it runs.

    `tool` is the number that the interpreter knows us by, -1 where there is none to be had.
    """

    def __init__(self, begin: Callable[[int], None], enter: Callable[[int], None]) -> None:
        self.begin = begin
        self.enter = enter
        self.tool = -1
        self._lines: dict[int, Mapping[int, int]] = {}
        self._functions: dict[int, int] = {}
        self._codes: dict[int, weakref.ref[CodeType]] = {}

    @property
    def alive(self) -> bool:
        """Whether hooks can be set: nobody has taken our place away."""
        return self.tool >= 0 and _MONITORING.get_tool(self.tool) == _NAME

    def install(self) -> None:
        """Take a place among the interpreter's tools, if one is free."""
        if _MONITORING is None:
            return
        self.tool = next((n for n in _TOOL_IDS if _MONITORING.get_tool(n) is None), -1)
        if self.tool < 0:
            return
        _MONITORING.use_tool_id(self.tool, _NAME)
        events, disable = _MONITORING.events, _MONITORING.DISABLE

        def line(code: CodeType, number: int) -> Any:
            hook = self._lines.get(id(code), {}).get(number, -1)
            if hook >= 0:
                self.begin(hook)
            return disable

        def start(code: CodeType, _offset: int) -> Any:
            hook = self._functions.get(id(code), -1)
            if hook >= 0:
                self.enter(hook)
            return disable

        _MONITORING.register_callback(self.tool, events.LINE, line)
        _MONITORING.register_callback(self.tool, events.PY_START, start)

    def watch(
        self, code: CodeType, lines: Mapping[int, int], functions: Mapping[tuple[str, int], int]
    ) -> None:
        """Set the hooks of a statement's lines, and of functions by their name and first line."""
        self._lines.clear()  # of the statement before
        if lines:
            self._lines[id(code)] = lines
            _MONITORING.set_local_events(self.tool, code, _MONITORING.events.LINE)
        if functions:
            for inner in inside(code):
                hook = functions.get((inner.co_name, inner.co_firstlineno), -1)
                if hook >= 0:
                    self._functions[id(inner)] = hook
                    self._codes[hook] = weakref.ref(inner)
                    self._arm(inner)

    def rearm(self, hook: int) -> None:
        """Let a function tell again."""
        if not self.alive:
            return
        known = self._codes.get(hook)
        code = known() if known is not None else None
        if code is not None:
            self._arm(code)

    def _arm(self, code: CodeType) -> None:
        _MONITORING.set_local_events(self.tool, code, 0)  # else what was switched off stays so
        _MONITORING.set_local_events(self.tool, code, _MONITORING.events.PY_START)
