"""Watches the libraries that learn, from the moment they are imported."""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping
from types import FunctionType
from typing import Any

from ..adapters import adapter_of, answers
from ..functions.stand_in import OURS, watch_tracebacks
from ..tracing.incidents import Watch
from .desk import Desk, Hook, put_on

_NO_LEARNERS = frozenset({"data", "model"})  # of their own interface: nobody knows the arguments
_EVERYWHERE = frozenset({"metric", "fitted"})


def install(learning: Mapping[str, Any], shell: Any, watch: Watch) -> Desk:
    """Watch what `learning` names: classes by their role, functions by their effect."""
    desk = Desk(watch)
    with desk:
        finder = Finder(desk, WatchList(desk, learning))
        for library in [name for name in finder.libraries if name in sys.modules]:
            finder.expect(library)
        for name in sorted(finder.wanted):
            if sys.modules.get(name) is not None:
                finder.watch_list.put_on(sys.modules[name])
        sys.meta_path.insert(0, finder)
        desk.undo.append(lambda: sys.meta_path.remove(finder))
        for method in (Hook.func, Finder.find_spec):
            method.__code__ = method.__code__.replace(co_filename=OURS)
        watch_tracebacks(desk.undo, shell)
    return desk


# ------------------------------------------------------------------ imports


class Finder:
    """Finds nothing itself: it looks on while others import the modules that are wanted."""

    def __init__(self, desk: Desk, watch_list: WatchList) -> None:
        self.desk, self.watch_list = desk, watch_list
        self.libraries = set(watch_list.libraries)
        self.wanted: set[str] = set()

    def expect(self, library: str) -> None:
        """Take note of the modules that are wanted of a library, which is about to be imported."""
        self.libraries.discard(library)
        with self.desk:
            self.wanted |= self.watch_list.modules_of(library)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return what the other finders find, with an eye on a module that is wanted."""
        if name in self.libraries and self.desk.on:
            self.expect(name)
        if name not in self.wanted or not self.desk.on:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None else None
            if spec is not None:
                with self.desk:
                    self._look_on(spec)
                return spec
        return None

    def _look_on(self, spec: Any) -> None:
        loader = spec.loader
        execute = getattr(loader, "exec_module", None)
        if execute is None:
            return

        def exec_module(module: Any) -> None:
            loader.__dict__.pop("exec_module", None)
            execute(module)
            if self.desk.on:
                with self.desk:
                    self.watch_list.put_on(module)

        with contextlib.suppress(AttributeError):  # a built-in loader: nothing there learns
            loader.exec_module = exec_module


# ------------------------------------------------------------------ what is watched


class WatchList:
    """What is watched of each library: functions by their effect, classes by their role."""

    def __init__(self, desk: Desk, learning: Mapping[str, Any]) -> None:
        self.desk = desk
        self.effects: dict[str, str] = learning["functions"]
        self.roles: dict[str, str] = learning["classes"]
        self.libraries = {name.partition(".")[0] for name in (*self.effects, *self.roles)}
        self._functions: dict[str, dict[str, str]] = {}
        self._classes: dict[str, set[str]] = {}
        self._bases: dict[str, str] = {}

    def modules_of(self, library: str) -> set[str]:
        """Return the modules of a library that are to be looked at when they are imported."""
        adapter, inside = adapter_of(library), f"{library}."
        if not getattr(adapter, "LEARNERS_WATCHED", True):
            return set()
        named, effects = getattr(adapter, "WATCHED", ()), getattr(adapter, "WATCHED_EFFECTS", ())
        for name, effect in self.effects.items():
            known = name in named or effect in effects or effect in _EVERYWHERE
            if known and name.startswith(inside):
                module, path = _cut(name)
                self._functions.setdefault(module, {})[path] = effect
        for name, role in self.roles.items():
            if role not in _NO_LEARNERS and name.startswith(inside):
                module, path = _cut(name)
                self._classes.setdefault(module, set()).add(path)
        if hasattr(adapter, "LEARNERS"):
            module, self._bases[module] = adapter.LEARNERS
        modules = {*self._functions, *self._classes, *self._bases}
        return {module for module in modules if f"{module}.".startswith(inside)}

    def put_on(self, module: Any) -> None:
        """Put the watch on a module that has been imported."""
        if not any(answers("HOLDS_ARRAYS")):
            return
        if self.desk.fit_log is None:
            from .fit_log import FitLog

            self.desk.fit_log = FitLog(self.roles, self.desk.watch)
        name = module.__name__
        if name in self._bases:
            _watch_subclasses(self.desk, getattr(module, self._bases[name]))
        self._watch_functions(module, self._functions.get(name, {}))
        self._watch_classes(module, self._classes.get(name, ()))

    def _watch_functions(self, module: Any, effects: Mapping[str, str]) -> None:
        from .watched_calls import FUNCTIONS

        for path, effect in effects.items():
            handler = FUNCTIONS.get(effect)
            *outer, name = path.split(".")
            holder = module.__dict__.get(outer[0]) if outer else module
            if handler is not None and holder is not None:
                function = _function_in(inspect.getattr_static(holder, name, None))
                put_on(self.desk, function, name, handler)

    def _watch_classes(self, module: Any, paths: Iterable[str]) -> None:
        from .watched_calls import folds

        for path in paths:
            kind = module.__dict__.get(path)
            if not isinstance(kind, type):
                continue
            if self.roles[f"{module.__name__}.{path}"] == "splitter":
                for base in kind.__mro__:
                    put_on(self.desk, base.__dict__.get("split"), "split", folds)
            else:
                _watch_class(self.desk, kind)


def _cut(name: str) -> tuple[str, str]:
    """Return the module of a dotted name, and the path in it: a class begins with a capital."""
    words = name.split(".")
    at = next((i for i, word in enumerate(words[:-1]) if word[:1].isupper()), len(words) - 1)
    return ".".join(words[:at]), ".".join(words[at:])


# ------------------------------------------------------------------ classes


def _watch_class(desk: Desk, kind: type) -> None:
    """Watch the methods of a class that learns, wherever it has them from."""
    from .watched_calls import METHODS

    for name, handler in METHODS.items():
        for base in kind.__mro__:
            put_on(desk, _function_in(base.__dict__.get(name)), name, handler)


def _function_in(member: Any) -> Any:
    """Return the function behind what stands in a class: a method that is there only at times."""
    if isinstance(member, (classmethod, staticmethod)):
        return member.__func__
    return member if isinstance(member, FunctionType) else getattr(member, "fn", None)


def _watch_subclasses(desk: Desk, base: Any) -> None:
    """Watch the subclasses of a class, those that are there and those that will be made."""
    own = base.__dict__.get("__init_subclass__")

    def __init_subclass__(cls: Any, /, **kwargs: Any) -> None:  # noqa: N807  # it stands for it
        if own is not None:
            own.__func__(cls, **kwargs)
        else:
            super(base, cls).__init_subclass__(**kwargs)
        if desk.on:
            with desk:
                _watch_class(desk, cls)

    __init_subclass__.__code__ = __init_subclass__.__code__.replace(co_filename=OURS)
    base.__init_subclass__ = classmethod(__init_subclass__)
    if own is None:
        desk.undo.append(lambda: delattr(base, "__init_subclass__"))
    else:
        desk.undo.append(lambda: setattr(base, "__init_subclass__", own))
    for kind in [base, *_below(base)]:
        _watch_class(desk, kind)


def _below(kind: type) -> Iterator[type]:
    subclasses: list[type] = type.__subclasses__(kind)
    for subclass in subclasses:
        yield subclass
        yield from _below(subclass)
