"""What cells patch of Python: taken back between the cells, so that the kernel can go on.

A notebook may replace `json.dumps`, `JSONEncoder.encode` or `sys.stdout`. That is for its own
cells: IPython and ipykernel, which live on the same Python, would fail over it and leave a request
unanswered.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .contract import PACKAGE

_MODULES = (
    *("builtins", "ast", "asyncio", "codeop", "collections", "contextlib", "functools", "gc"),
    *("hashlib", "inspect", "io", "itertools", "json", "json.decoder", "json.encoder", "logging"),
    *("os", "os.path", "re", "signal", "socket", "struct", "threading", "time", "tokenize"),
    *("traceback", "types", "uuid", "warnings", "weakref"),
)
"""The modules in which the kernel's own code looks up functions and classes as it runs."""
_CLASSES = {"json.encoder": "JSONEncoder", "json.decoder": "JSONDecoder"}
"""The classes whose methods the kernel's own code calls to write and read messages."""
_MAY_CHANGE = frozenset({"copyright", "credits", "display", "excepthook", "exit", "get_ipython"})
_MAY_CHANGE |= {"quit", "showwarning"}
"""Names that IPython sets for each run, or that are there to be set."""
_KERNELS = frozenset({"input", "getpass"})
"""Names that ipykernel itself sets as long as a cell runs."""
_GONE: Any = object()


if TYPE_CHECKING:  # Python 3.8 cannot evaluate it
    Holder = dict[str, Any] | type
    """What names are looked up in: a namespace, or a class."""


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


class Patches:
    """What the modules held when we came, and what the cells have put there since."""

    def __init__(self) -> None:
        self._known: list[tuple[Holder, Known]] = []
        self._patched: list[tuple[Holder, str, Any]] = []

    def learn(self) -> None:
        """Take note of what is there now: functions and classes, modules, and the streams."""
        modules = {name: sys.modules[name] for name in _MODULES if name in sys.modules}
        self._known = [(vars(module), Known(_functions(module))) for module in modules.values()]
        for name, owner in _CLASSES.items():
            methods = getattr(modules.get(name), owner, None)
            if methods is not None:
                self._known.append((methods, Known(_methods(methods))))
        own = {n: module for n, module in sys.modules.items() if n.startswith(PACKAGE)}
        self._known.append((sys.modules, Known({**modules, **own})))
        streams = {"stdout": sys.stdout, "stderr": sys.stderr}
        self._known.append((vars(sys), Known(streams)))

    def take_back(self) -> None:
        """Give the kernel what it knows; `put_back` gives the cells theirs again."""
        for holder, known in self._known:
            names = _names(holder)
            if known.all_stand_in(names):
                continue
            for name, value in known.values.items():
                patched = names.get(name, _GONE)
                if patched is not value:
                    self._patched.append((holder, name, patched))
                    _put(holder, name, value)

    def modules(self) -> set[str]:
        """Return the names of the modules in which something of the cells' had to be taken back."""
        patched = (
            (_names(holder), name) for holder, name, _ in self._patched if name not in _KERNELS
        )
        return {str(names.get("__name__", "sys.modules")) for names, _ in patched}

    def put_back(self) -> None:
        """Let the cells find what they have put there."""
        patched, self._patched = self._patched, []
        for holder, name, value in patched:
            _put(holder, name, value)


def _names(holder: Holder) -> Mapping[str, Any]:
    return vars(holder) if isinstance(holder, type) else holder


def _put(holder: Holder, name: str, value: Any) -> None:
    """Let a namespace or a class hold a value, or nothing of that name."""
    if isinstance(holder, type):
        if value is not _GONE:
            setattr(holder, name, value)
        elif name in vars(holder):
            delattr(holder, name)
    elif value is _GONE:
        holder.pop(name, None)
    else:
        holder[name] = value


def _methods(owner: type) -> dict[str, Any]:
    return {name: value for name, value in vars(owner).items() if callable(value)}


def _functions(module: ModuleType) -> dict[str, Any]:
    """Return the functions and classes of a module; what else it holds changes as it works."""
    return {
        name: value
        for name, value in vars(module).items()
        if callable(value)
        and name not in _MAY_CHANGE
        and (name[:1] != "_" or name in {"__import__", "__build_class__"})
    }
