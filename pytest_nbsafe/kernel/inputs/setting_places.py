"""Where a text sets what a library holds: `sklearn.set_config(...)`, `logging.root.level = 10`.

Most of what libraries hold can be seen by nobody. But a statement that calls `set_config` of a
module and takes no result is there for what it does, and so is one that puts something into what a
module holds. Where a result is taken, only what a module itself has counts, by a stricter name:
`old = csv.field_size_limit(9)` does, `fig = px.line(df).update_layout()` does not.
"""

from __future__ import annotations

import ast
import dis
import re
import sys
from collections import ChainMap
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from ..adapters import adapter_of, all_of, names, of_module
from ..hashing.function_texts import lies_here
from .held_by_modules import HeldByModules
from .held_functions import functions_read, value_of
from .project_reach import ProjectModule

_SETS = re.compile(
    r"(?:[Rr]e)?[Ss]et(?:[_A-Z]\w*)?|set(?:defaulttimeout|recursionlimit|switchinterval|firstweekday)"
    r"|set(?:locale|context|trace|profile|dlopenflags|itimer|up|rlimit)|(?:un)?register\w*"
    r"|(?:[Ee]n|[Dd]is)able\w*|(?:basic|re|parallel_)?config\w*|basicConfig|use(?:_\w+)?|init(?:_\w+|ialize\w*)?"
    r"|(?:un)?install\w*|(?:un)?patch\w*|capture\w*|(?:add|remove|append|insert|extend|update|pop"
    r"|push|clear|discard|setdefault)(?:[_A-Z]\w*)?|umask|putenv|unsetenv|tzset|stack_size|signal"
    r"|pickle|load_\w*env|autolog|(?:un)?define\w*|declare\w*|(?:un)?freeze|(?:un)?lock|switch_\w+"
    r"|seed\w*|field_size_limit"
)
"""Names of what is called for what it does."""
_NO_SETS = re.compile(
    r"(?:add|remove|append|insert|extend|update|pop|push|clear|discard)(?:[_A-Z]\w*)?"
    r"|config\w+|(?:un)?patch|(?:un)?freeze|(?:un)?lock|init\w*|capture\w*|load_\w*env|define\w*"
    r"|declare\w*"
)
"""Those of them that functions have which give something: `sm.add_constant(x)`."""
_TELL_TOO = frozenset({"field_size_limit", "stack_size"})
"""Names of what sets nothing unless it is given something."""
_SWITCHES = frozenset(
    {"start", "stop", "__enter__", "__exit__", "install", "uninstall", "activate", "deactivate"}
    | {"enable", "disable"}
)
"""Methods of what libraries make, called for what they do elsewhere: `patcher.start()`."""
_REGISTERS = re.compile(r"(?:un)?register\w*")
_TOLD_ELSEWHERE = frozenset({"", "__main__", "builtins", "random"})
_FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_HELD = ("vars", "globals")
_STORE_ATTR = dis.opmap["STORE_ATTR"]
_held_by_modules = HeldByModules()
_STYLES = frozenset({"options", "rcParams", "style", "theme", "rc", "mode"})
"""What libraries call that which is set by putting something into it."""


class SettingPlace(NamedTuple):
    """What sets something: its line, the module that holds it, and whether it is a decorator.

    A decorator stands outside of the function that it is above.
    """

    line: int
    module: str
    decorates: bool = False


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
    defined = [node for node in nodes if isinstance(node, _DEFINITIONS)]
    decorators = {id(each) for node in defined for each in node.decorator_list}
    others = (node for node in nodes if id(node) not in decorators)
    places = dict.fromkeys(place for node in others for place in _set_by(node, names, new))
    return [*dict.fromkeys((*places, *_set_by_held(nodes, names, new)))]


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


def _set_by(
    node: ast.stmt | ast.expr, home: Mapping[str, Any], new: Collection[str]
) -> Iterator[SettingPlace]:
    """Yield what a statement, or a call inside one, sets."""
    line = node.lineno
    if isinstance(node, ast.Expr):
        for value in _done_by(node.value):
            if isinstance(value, ast.Call):
                yield from (SettingPlace(line, m) for m in _called(value, home, _SETS, new))
    elif isinstance(node, ast.Call):
        modules = [*_called_within(node, home, new), *_handed_over(node, home)]
        yield from (SettingPlace(line, module) for module in modules)
    elif isinstance(node, _DEFINITIONS):
        for each in node.decorator_list:
            modules = [*_called(each, home, _REGISTERS, new)]
            modules += _called_within(each, home, new) if isinstance(each, ast.Call) else ()
            yield from (SettingPlace(each.lineno, module, decorates=True) for module in modules)
    else:
        yield from (SettingPlace(line, module) for module in _put_into(node, home))


def _done_by(value: ast.expr) -> Iterator[ast.expr]:
    """Yield the expressions whose results a statement of an expression throws away."""
    if isinstance(value, ast.BoolOp):
        for part in value.values:
            yield from _done_by(part)
    elif isinstance(value, ast.IfExp):
        yield from _done_by(value.body)
        yield from _done_by(value.orelse)
    elif isinstance(value, (ast.ListComp, ast.SetComp)):
        yield from _done_by(value.elt)
    elif isinstance(value, (ast.Tuple, ast.List)):
        for part in value.elts:
            yield from _done_by(part)
    else:
        yield value.value if isinstance(value, ast.Await) else value


def _put_into(node: ast.AST, home: Mapping[str, Any]) -> Iterator[str]:
    """Yield the modules into which, or into what they hold, a statement puts something."""
    targets: list[ast.expr] = []
    if isinstance(node, (ast.Assign, ast.Delete)):
        targets = [*node.targets]
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        targets = [node.target]
    for target in targets:
        for part in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
            if isinstance(part, (ast.Attribute, ast.Subscript)):
                held, words = _root(part, home)
                held = type(held) if "__class__" in words else held
                if _is_shell(held):
                    yield "shell"
                    continue
                place = _library_of(held) or _held_by_modules.module_of(held)
                if place:
                    yield place


def _set_by_held(
    nodes: Collection[ast.AST], home: Mapping[str, Any], new: Collection[str]
) -> Iterator[SettingPlace]:
    """Yield what functions set that values hold, or that are handed over, where they are read."""
    read = functions_read(nodes, home)
    for line, function in (pair for pair in read if type(pair[1]) is not MethodType):
        place, words = str(function.__module__ or ""), [function.__name__]
        is_compared = not _registers(words)
        if _NO_SETS.fullmatch(*words) is None and _sets(place, words, new, is_compared=is_compared):
            yield SettingPlace(line, place)


def _library_of(held: Any) -> str:
    """Return the library whose module, class or function something is, empty where it is none.

    Of a function what is set may be what that has given: `curdoc().theme = "dark"`.
    """
    if type(held) is ModuleType:
        return held.__name__
    if not isinstance(held, (type, FunctionType)):
        return ""
    place = str(held.__module__ or "")
    return "" if place in _TOLD_ELSEWHERE else place


def _handed_over(call: ast.Call, home: Mapping[str, Any]) -> Iterator[str]:
    """Yield the libraries of which a function of the notebook is given what it may set."""
    called = home.get(call.func.id) if isinstance(call.func, ast.Name) else None
    if type(called) is not FunctionType or not _sets_attributes(called.__code__):
        return
    for given in (*call.args, *(keyword.value for keyword in call.keywords)):
        place = _library_of(value_of(given, home))
        if place and not lies_here(getattr(sys.modules.get(place), "__file__", None)):
            yield place


def _sets_attributes(code: CodeType) -> bool:
    return _STORE_ATTR in code.co_code[::2] or "setattr" in code.co_names


def _is_shell(held: Any) -> bool:
    """Return whether something is the shell of the kernel, or gives it."""
    shell = held.__self__ if type(held) is MethodType else held
    return any(base.__name__ == "InteractiveShell" for base in type(shell).__mro__)


def _called_within(call: ast.Call, home: Mapping[str, Any], new: Collection[str]) -> Iterator[str]:
    """Yield the module that a call sets something of whose result is taken, if it does.

    It is a function of a module, or a method of an object that a module holds.
    """
    path: list[str] = []
    node = call.func
    while isinstance(node, ast.Attribute):
        path.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return
    name, place = node.id, ""
    held = home[name] if name in home else sys.modules.get(name)
    while type(held) is ModuleType and path:
        name, place = path.pop(), held.__name__
        held = vars(held).get(name)
    if type(held) is ModuleType:
        return
    is_function = not path and isinstance(held, _FUNCTIONS)
    words = {path[0]} if path else {name, str(getattr(held, "__name__", ""))}
    if is_function or isinstance(held, type):
        words = {word for word in words if _NO_SETS.fullmatch(word) is None}
    if not any(map(_may_set, words)):  # before all modules are looked through
        return
    if not place:
        place = str(held.__module__ or "") if is_function else _held_by_modules.module_of(held)
    is_compared = isinstance(held, dict) if path else not _registers(words)
    given = _TELL_TOO.isdisjoint(words) or bool(call.args or call.keywords)
    if given and _sets(place, words, new, is_compared=is_compared):
        yield place


def _called(
    call: ast.expr, home: Mapping[str, Any], sets: re.Pattern[str], new: Collection[str]
) -> Iterator[str]:
    """Yield the module that a call sets something of, if it does."""
    held, words = _root(call, home)
    if type(held) is ModuleType:
        place = held.__name__
    elif isinstance(held, (*_FUNCTIONS, type)):
        place = str(getattr(held, "__module__", None) or "")
        words = [*words, str(getattr(held, "__name__", ""))]
    else:
        place = type(held).__module__
        if sets is _SETS and words and words[0] in _SWITCHES and place not in _TOLD_ELSEWHERE:
            yield place
        return
    if place in _TOLD_ELSEWHERE or not any(_is_setter(place, word, sets) for word in words):
        return
    registers = sets is _REGISTERS or _registers(words)
    if registers or place.partition(".")[0] in new or not _is_compared(place):
        yield place


def _sets(place: str, words: Iterable[str], new: Collection[str], *, is_compared: bool) -> bool:
    """Return whether what has one of these words for a name sets something of a library.

    It does not count if it `is_compared` where the settings of the library are.
    """
    if place in _TOLD_ELSEWHERE or not any(_is_setter(place, word, _SETS) for word in words):
        return False
    if is_compared and _is_compared(place) and place.partition(".")[0] not in new:
        return False
    return not lies_here(getattr(sys.modules.get(place), "__file__", None))


def _registers(words: Iterable[str]) -> bool:
    return any(map(_REGISTERS.fullmatch, words))


def _is_setter(place: str, word: str, sets: re.Pattern[str]) -> bool:
    setters = getattr(of_module(place), "SETTERS", ())
    return sets.fullmatch(word) is not None or (sets is _SETS and word in setters)


def _may_set(word: str) -> bool:
    """Return whether what is called by a name may be called for what it does, in some library."""
    return _SETS.fullmatch(word) is not None or any(word in own for own in all_of("SETTERS"))


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
            is_by_name = isinstance(inner, ast.Name) and len(node.args) == 1
            if is_by_name and inner.id == "type":  # type: ignore[attr-defined]  # a name
                return type(_root(node.args[0], home)[0]), words
            is_view = is_by_name and inner.id in _HELD  # type: ignore[attr-defined]  # a name
            node = node.args[0] if is_view else inner
        else:
            return None, words
    return home[node.id] if node.id in home else sys.modules.get(node.id), words
