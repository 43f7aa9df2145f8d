"""What the cells bend of Python: taken back between the cells, so that the kernel can go on.

A notebook may replace `json.dumps`, `time.time` or `sys.stdout`. That is for its own cells: IPython
and ipykernel, which live on the same Python, would fail over it and leave a request unanswered.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from .contract import PACKAGE

_MODULES = (
    *("builtins", "ast", "asyncio", "codeop", "collections", "contextlib", "functools", "gc"),
    *("hashlib", "inspect", "io", "itertools", "json", "json.decoder", "json.encoder", "logging"),
    *("os", "os.path", "re", "signal", "socket", "struct", "threading", "time", "tokenize"),
    *("traceback", "types", "uuid", "warnings", "weakref"),
)
"""The modules in which the kernel's own code looks up functions and classes as it runs."""
_MAY_CHANGE = frozenset({"copyright", "credits", "display", "excepthook", "exit", "get_ipython"})
_MAY_CHANGE |= {"quit", "showwarning"}
"""Names that IPython sets for each run, or that are there to be set."""
_GONE: Any = object()


class Known:
    """What some names of a namespace held, to be compared in one go: each cell pays for it."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self._look_up = operator.itemgetter(*values)
        self._held = self._look_up(values)

    def all_stand_in(self, namespace: Mapping[str, Any]) -> bool:
        """Return whether the namespace holds just that."""
        try:
            return bool(self._look_up(namespace) == self._held)  # what is the same is not compared
        except Exception:  # a name is gone, or a thing of the notebook's cannot be compared
            return False


class Bends:
    """What the modules held when we came, and what the cells have put there since."""

    def __init__(self) -> None:
        self._known: list[tuple[dict[str, Any], Known]] = []
        self._bent: list[tuple[dict[str, Any], str, Any]] = []

    def learn(self) -> None:
        """Take note of what is there now: functions and classes, modules, and the streams."""
        modules = {name: sys.modules[name] for name in _MODULES if name in sys.modules}
        self._known = [(vars(module), Known(_functions(module))) for module in modules.values()]
        modules |= {n: module for n, module in sys.modules.items() if n.startswith(PACKAGE)}
        self._known.append((sys.modules, Known(modules)))
        streams = {"stdout": sys.stdout, "stderr": sys.stderr}
        self._known.append((vars(sys), Known(streams)))

    def take_back(self) -> None:
        """Give the kernel what it knows; `bend` gives the cells theirs again."""
        for held, known in self._known:
            if known.all_stand_in(held):
                continue
            for name, value in known.values.items():
                bent = held.get(name, _GONE)
                if bent is not value:
                    self._bent.append((held, name, bent))
                    held[name] = value

    def bend(self) -> None:
        """Let the cells find what they have put there."""
        bends, self._bent = self._bent, []
        for held, name, bent in bends:
            if bent is _GONE:
                held.pop(name, None)
            else:
                held[name] = bent


def _functions(module: ModuleType) -> dict[str, Any]:
    """Return the functions and classes of a module; what else it holds changes as it works."""
    return {
        name: value
        for name, value in vars(module).items()
        if callable(value)
        and name not in _MAY_CHANGE
        and (name[:1] != "_" or name in {"__import__", "__build_class__"})
    }
