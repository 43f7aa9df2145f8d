"""Where a text sets what a library holds: `sklearn.set_config(...)`, `logging.root.level = 10`.

Most of what libraries hold can be seen by nobody. But a statement that calls `set_config` of a
module and takes no result is there for what it does, and so is one that puts something into what a
module holds.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import ChainMap
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NamedTuple

from ..adapters import adapter_of, names, of_module
from .project_reach import ProjectModule

_SETS = re.compile(
    r"(?:re)?set(?:[_A-Z]\w*)?|set(?:defaulttimeout|recursionlimit|switchinterval|firstweekday)"
    r"|set(?:locale|context|trace|profile|dlopenflags|itimer|up|rlimit)|(?:un)?register\w*"
    r"|(?:en|dis)able\w*|(?:basic|re|parallel_)?config\w*|basicConfig|use(?:_\w+)?|init(?:_\w+|ialize\w*)?"
    r"|(?:un)?install\w*|(?:un)?patch\w*|capture\w*|(?:add|remove|append|insert|extend|update|pop"
    r"|push|clear|discard|setdefault)(?:[_A-Z]\w*)?|umask|putenv|unsetenv|tzset|stack_size|signal"
    r"|pickle|load_\w*env|autolog|(?:un)?freeze|(?:un)?lock|switch_\w+|seed\w*"
)
"""Names of what is called for what it does."""
_SWITCHES = frozenset(
    {"start", "stop", "__enter__", "__exit__", "install", "uninstall", "activate", "deactivate"}
    | {"enable", "disable"}
)
"""Methods of what libraries make, called for what they do elsewhere: `patcher.start()`."""
_REGISTERS = re.compile(r"(?:un)?register\w*")
_TOLD_ELSEWHERE = frozenset({"", "__main__", "builtins", "random"})
_HELD = ("vars", "globals")
_STYLES = frozenset({"options", "rcParams", "style", "theme", "rc", "mode"})
"""What libraries call that which is set by putting something into it."""


class SettingPlace(NamedTuple):
    """A statement that sets something: its line, and the module that holds it."""

    line: int
    module: str


def setting_places(
    text: str, home: Mapping[str, Any], new: Collection[str] = ()
) -> list[SettingPlace]:
    """Return where a text sets what modules hold, in functions too; names are looked up at home.

    The settings of some libraries are compared: of those the ones are told that are `new`.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    nodes = [node for node in ast.walk(tree) if isinstance(node, (ast.stmt, ast.expr))]
    names = ChainMap(home, dict(_imported(nodes)))  # type: ignore[arg-type]  # it is only read
    return [
        SettingPlace(node.lineno, module) for node in nodes for module in _set_by(node, names, new)
    ]


def _imported(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, Any]]:
    """Yield what a text imports, in functions too, by the names that it is given there."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                yield name, sys.modules.get(alias.name if alias.asname else name)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            held = getattr(sys.modules.get(node.module or ""), "__dict__", {})
            yield from ((a.asname or a.name, held[a.name]) for a in node.names if a.name in held)


def may_set(module: ProjectModule) -> bool:
    """Return whether a module of the project may set something of a library when it is imported."""
    return module.code is None or any(n in _STYLES or _SETS.fullmatch(n) for n in module.all_names)


def _set_by(node: ast.AST, home: Mapping[str, Any], new: Collection[str]) -> Iterator[str]:
    """Yield the modules that a statement sets something of."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield from _called(node.value, home, _SETS, new)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        for decorator in node.decorator_list:
            yield from _called(decorator, home, _REGISTERS, new)
    targets: list[ast.expr] = []
    if isinstance(node, (ast.Assign, ast.Delete)):
        targets = [*node.targets]
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        targets = [node.target]
    for target in targets:
        for part in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
            if isinstance(part, (ast.Attribute, ast.Subscript)):
                held, _ = _root(part, home)
                if type(held) is ModuleType:
                    yield held.__name__


def _called(
    call: ast.expr, home: Mapping[str, Any], sets: re.Pattern[str], new: Collection[str]
) -> Iterator[str]:
    """Yield the module that a call sets something of, if it does."""
    held, words = _root(call, home)
    if type(held) is ModuleType:
        place = held.__name__
    elif isinstance(held, (FunctionType, BuiltinFunctionType, type)):
        place = str(getattr(held, "__module__", None) or "")
        words = [*words, str(getattr(held, "__name__", ""))]
    else:
        place = type(held).__module__
        if sets is _SETS and words and words[0] in _SWITCHES and place not in _TOLD_ELSEWHERE:
            yield place
        return
    if place in _TOLD_ELSEWHERE or not any(_is_setter(place, word, sets) for word in words):
        return
    registers = sets is _REGISTERS or any(map(_REGISTERS.fullmatch, words))
    if registers or place.partition(".")[0] in new or not _is_compared(place):
        yield place


def _is_setter(place: str, word: str, sets: re.Pattern[str]) -> bool:
    setters = getattr(of_module(place), "SETTERS", ())
    return sets.fullmatch(word) is not None or (sets is _SETS and word in setters)


def _is_compared(place: str) -> bool:
    """Return whether the settings of a library are looked at themselves."""
    library = place.partition(".")[0]
    return library in names and hasattr(adapter_of(library), "settings")


def _root(node: ast.expr, home: Mapping[str, Any]) -> tuple[Any, list[str]]:
    """Return what the name holds that an expression begins with, and the attributes behind it."""
    words: list[str] = []
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            words.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call):
            inner = node.func
            is_view = isinstance(inner, ast.Name) and inner.id in _HELD and len(node.args) == 1
            node = node.args[0] if is_view else inner
        else:
            return None, words
    return home[node.id] if node.id in home else sys.modules.get(node.id), words
