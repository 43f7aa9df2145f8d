"""Which modules of the project take part in a run, and what their functions ask for.

What a run may call is found by name: of the names that stand in the code that ran, those that a
module of the project gives to something of its own lead to the code of that, and so on. What
values hold is looked through for functions and objects of such modules, as long as it is not too
much: then all of them take part.
"""

from __future__ import annotations

import dis
import gc
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from ..functions.reach import inside, is_own, kept_by, names_of_code
from .mentions import Mention, mentions

_MOST = 5_000


class ProjectModule:
    """A module of the project: the names that it looks up when it is imported, and its functions.

    `all_names` are those that stand in any of it. Where its code was not seen (`code` is None), it
    counts as taking part.
    """

    def __init__(self, name: str, file: str, digest: str, code: CodeType | None) -> None:
        self.name, self.file, self.digest, self.code = name, file, digest, code
        self.names = set(_loaded(code)) if code is not None else set()
        self.all_names = set(names_of_code(code)) if code is not None else set()
        self.codes: dict[str, list[CodeType]] = {}
        for inner in inside(code) if code is not None else ():
            self.codes.setdefault(inner.co_name, []).append(inner)

    def given(self, own: Mapping[str, Any]) -> set[str]:
        """Return the names that the module gives to something of the project, or to a value."""
        namespace = vars(sys.modules[self.name]) if self.name in sys.modules else {}
        given = {
            name
            for name, value in [*namespace.items()]
            if name[:2] != "__" and _is_projects(value, own)
        }
        return {*given, *self.codes, *self.name.split(".")}


def taking_part(
    modules: Mapping[str, ProjectModule],
    names: Collection[str],
    home: Mapping[str, Any],
    executed: Collection[str],
) -> tuple[list[ProjectModule], Mapping[CodeType, ProjectModule]]:
    """Return the modules that take part in a run of code with these names, and which of their code.

    `modules` are those of the project that are loaded, by name; the code of the files in `executed`
    has run as a whole.
    """
    involved, more = _behind(names, home, modules)
    involved |= {
        name for name, module in modules.items() if module.code is None or module.file in executed
    }
    given = {name: module.given(modules) for name, module in modules.items()}
    waiting = {*names, *more}
    known: set[str] = set()
    codes: dict[CodeType, ProjectModule] = {}
    joined: set[str] = set()
    while waiting or involved - joined:
        for name in involved - joined:
            joined.add(name)
            waiting |= modules[name].names
            waiting |= {word for word in modules[name].codes if word[:2] == "__"}
        known |= waiting
        fresh, waiting = waiting, set()
        for name, module in modules.items():
            if given[name].isdisjoint(fresh) and name not in involved:
                continue
            involved.add(name)
            for word in module.codes.keys() & fresh:
                for code in module.codes[word]:
                    if code not in codes:
                        codes[code] = module
                        waiting |= {*code.co_names} - known
    return [modules[name] for name in sorted(involved)], codes


def mentioned(codes: Mapping[CodeType, ProjectModule]) -> list[Mention]:
    """Return what code of modules mentions."""
    return [
        mention
        for code, module in codes.items()
        for inner in (code, *inside(code))
        for mention in mentions(inner, vars(sys.modules.get(module.name, sys)))
    ]


def _loaded(code: CodeType) -> Iterator[str]:
    """Yield the names that code looks up or imports, not those that it binds."""
    steps = [*dis.get_instructions(code)]
    for step, after in zip(steps, [*steps[1:], None]):  # noqa: B905  # Python 3.9 has no `strict`
        if after is not None and after.opname == "MAKE_FUNCTION":
            continue  # the name of the function, before Python 3.11
        if step.opname.startswith(("LOAD_", "IMPORT_")) and type(step.argval) is str:
            yield from step.argval.split(".")


def _behind(
    names: Iterable[str], home: Mapping[str, Any], modules: Mapping[str, ProjectModule]
) -> tuple[set[str], set[str]]:
    """Return the modules whose functions and objects some names hold, and names in their code."""
    involved: set[str] = set()
    more: set[str] = set()
    try:
        for item in _walk([home[name] for name in names if name in home], home):
            kind = type(item)
            if kind is ModuleType:
                involved |= {item.__name__} & modules.keys()
            elif kind is FunctionType:
                if item.__globals__ is home:
                    more.update(item.__code__.co_names)
                elif places := _places(item) & modules.keys():
                    involved |= places
                    more |= {item.__name__, item.__code__.co_name}
            else:
                owner = item if issubclass(kind, type) else kind
                for base in type.__getattribute__(owner, "__mro__"):
                    place = type.__getattribute__(base, "__module__")
                    if type(place) is str and place in modules:
                        involved.add(place)
                        more.add(type.__getattribute__(base, "__name__"))
    except _TooMuch:
        return set(modules), more
    return involved, more


class _TooMuch(Exception):  # noqa: N818  # it is an answer
    """There is more to be looked at than is worth the time."""


def _walk(waiting: list[Any], home: Mapping[str, Any]) -> Iterator[Any]:
    """Yield values and what they hold, each once; the names in code of cells lead further.

    Raises:
        _TooMuch: it does not end.

    """
    known: dict[int, Any] = {}  # kept alive: numbers of objects that are gone come again
    while waiting:
        item = waiting.pop()
        if id(item) in known:
            continue
        known[id(item)] = item
        yield item
        kind = type(item)
        is_container = any(kind is each for each in _CONTAINERS)
        if len(known) > _MOST or (is_container and len(item) > _MOST):
            raise _TooMuch
        if kind is FunctionType:
            waiting += kept_by(item)
            if item.__globals__ is home:
                waiting += [home[name] for name in names_of_code(item.__code__) if name in home]
        elif issubclass(kind, type):
            if is_own(item):
                waiting += type.__getattribute__(item, "__dict__").values()
        elif kind is not ModuleType and gc.is_tracked(item):
            waiting += gc.get_referents(item)


_CONTAINERS = (list, tuple, dict, set, frozenset)


def _places(function: FunctionType) -> set[Any]:
    """Return the modules that a function is of: one that wraps another says that it is of its."""
    return {function.__module__, function.__globals__.get("__name__")}


def _is_projects(value: Any, own: Mapping[str, Any]) -> bool:
    """Tell whether a value is of the project: of a module of it, or no thing of a library's."""
    kind = type(value)
    if kind is ModuleType:
        return value.__name__ in own
    if kind is FunctionType:
        return not _places(value).isdisjoint(own)
    if issubclass(kind, type):
        place = type.__getattribute__(value, "__module__")
        return type(place) is str and place in own
    return kind is not BuiltinFunctionType
