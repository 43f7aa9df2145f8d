"""Watches the libraries that learn, from the moment they are imported."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..adapter_lookup import adapter_of, answers
from ..functions.stand_in import OURS
from ..tracing.incidents import Watch
from .call_site import CallSite
from .class_watch import function_in, watch_class, watch_subclasses
from .desk import Desk, Hook, put_on
from .import_watch import Finder
from .tracebacks import watch_tracebacks

_NO_LEARNERS = frozenset({"data", "model"})  # of their own interface: nobody knows the arguments
_EVERYWHERE = frozenset({"metric", "fitted"})


def install(learning: Mapping[str, Any], shell: Any, watch: Watch) -> Desk:
    """Watch what `learning` names: classes by their role, functions by their effect."""
    desk = Desk(watch)
    try:
        _install(desk, learning, shell)
    except Exception as error:
        desk.fail(error)
    return desk


def _install(desk: Desk, learning: Mapping[str, Any], shell: Any) -> None:
    watch_list = WatchList(desk, learning)
    finder = Finder(desk, watch_list.libraries(), watch_list.of_library)
    for library in [name for name in finder.libraries if name in sys.modules]:
        finder.expect(library)
    for name in list(finder.wanted):
        module = sys.modules.get(name)
        if module is not None:
            finder.wanted[name](module)
    sys.meta_path.insert(0, finder)
    desk.undo.append(lambda: sys.meta_path.remove(finder))
    for method in (Hook.func, Finder.find_spec):
        method.__code__ = method.__code__.replace(co_filename=OURS)
    watch_tracebacks(desk.undo, shell)


class WatchList:
    """What is watched of each library: functions by their effect, classes by their role."""

    def __init__(self, desk: Desk, learning: Mapping[str, Any]) -> None:
        self.desk = desk
        self.roles: dict[str, str] = learning["classes"]
        self._site = CallSite(desk.watch)
        self._functions = _by_library(learning["functions"])
        self._classes = _by_library(learning["classes"])

    def libraries(self) -> set[str]:
        """Return the libraries of which something may be watched."""
        return {*self._functions, *self._classes}

    def of_library(self, library: str) -> dict[str, Callable[[Any], None]]:
        """Return the modules to look at, and what is done with each when it has been imported."""
        adapter = adapter_of(library)
        if not getattr(adapter, "LEARNERS_WATCHED", True):
            return {}
        named, effects = getattr(adapter, "WATCHED", ()), getattr(adapter, "WATCHED_EFFECTS", ())
        functions: dict[str, dict[str, str]] = {}
        for name, effect in self._functions.get(library, {}).items():
            if name in named or effect in effects or effect in _EVERYWHERE:
                module, path = _cut(name)
                functions.setdefault(module, {})[path] = effect
        classes: dict[str, set[str]] = {}
        for name, role in self._classes.get(library, {}).items():
            if role not in _NO_LEARNERS:
                module, path = _cut(name)
                classes.setdefault(module, set()).add(path)
        base, base_class = getattr(adapter, "LEARNERS", ("", ""))

        def put_watch_on(module: Any) -> None:
            if not any(answers("HOLDS_ARRAYS")):
                return
            self._open_log()
            name = module.__name__
            if name == base:
                watch_subclasses(self.desk, getattr(module, base_class))
            self._watch_functions(module, functions.get(name, {}))
            self._watch_classes(module, classes.get(name, ()))

        return dict.fromkeys({*functions, *classes, *filter(None, [base])}, put_watch_on)

    def _open_log(self) -> None:
        if self.desk.fit_log is None:
            from .fit_log import FitLog

            self.desk.fit_log = FitLog(self.roles, self._site)

    def _watch_functions(self, module: Any, effects: Mapping[str, str]) -> None:
        from .watched_calls import FUNCTIONS

        for path, effect in effects.items():
            handler = FUNCTIONS.get(effect)
            *outer, name = path.split(".")
            holder = module.__dict__.get(outer[0]) if outer else module
            if handler is not None and holder is not None:
                function = function_in(inspect.getattr_static(holder, name, None))
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
                watch_class(self.desk, kind)


def _by_library(words: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return what full names are known for, by the library that each begins with."""
    found: dict[str, dict[str, str]] = {}
    for name, word in words.items():
        found.setdefault(name.partition(".")[0], {})[name] = word
    return found


def _cut(name: str) -> tuple[str, str]:
    """Return the module of a dotted name, and the path in it: a class begins with a capital."""
    words = name.split(".")
    at = next((i for i, word in enumerate(words[:-1]) if word[:1].isupper()), len(words) - 1)
    return ".".join(words[:at]), ".".join(words[at:])
