"""Paths that are there on one machine only: what they look like, and where they are used."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis import syntax, trees
from pytest_nbsafe.analysis.invocations import CellSyntax, Invocation, Text
from pytest_nbsafe.analysis.model import Graph, Span
from pytest_nbsafe.libraries import file_access
from pytest_nbsafe.libraries.file_access import FileAccess
from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.notebook.source import Escape
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class MachinePath:
    """One place where such a path is read, written or gone to; `path` is as the page has it."""

    cell: int
    span: Span
    path: str

    @property
    def root(self) -> str:
        """The folder that must be there: the user's own, a drive, or the first one."""
        parts = re.split(r"[\\/]+", self.path)
        if parts[0].endswith(":") or parts[0].startswith("~"):
            return parts[0]
        return "/".join(parts[: 3 if parts[1:2] and parts[1] in _OF_USERS else 2])


def of(graph: Graph, cells: Collection[int]) -> tuple[MachinePath, ...]:
    """Return the places in these cells that use a path of one machine, by cell and place."""
    paths: list[MachinePath] = []
    handed = _Handed(graph)
    for cell in graph.notebook.code_cells:
        if cell.number in cells:
            paths.extend(_in_escapes(graph, cell))
            paths.extend(_in_code(graph, cell.number, handed))
    return tuple(sorted(paths, key=lambda path: (path.cell, path.span.line, path.span.column)))


# -- what such paths look like ---------------------------------------------------------------------

_OF_USERS = ("home", "Users")
_OWN = patterns.compile(
    r"""/(?:home|Users|mnt|media|Volumes|scratch|gpfs|lustre)/[^/\s]
    | /root/ | ~[\w.\-]*[\\/] | [A-Za-z]:[\\/] | \\\\[A-Za-z][\w.\-]*\\[\w$]""",
    re.VERBOSE,
)
"""What says by itself that it is a path of a user's machine or of one cluster."""
_ABSOLUTE = patterns.compile(r"/[A-Za-z_][\w.\-]*/[^/]")
_EVERYWHERE = patterns.compile(
    r"""/(?:tmp|dev|proc|sys|etc|usr|bin|sbin|lib|var/tmp|content|gdrive|kaggle|databricks|dbfs
        |FileStore|app|home/jovyan|home/app|root/\.|mnt/(?:batch|azureml))(?:/|$)
    | /opt/(?:conda|ml)(?:/|$)
    | ~[\w.\-]*[\\/](?:\.|$) | (?:/home|/Users)/(?:<|\{|\[|your|user(?:name)?/|me/?$|\.\.\.)
    | [A-Za-z]:[\\/](?:path|Windows)\b | /path/ | ~/path/""",
    re.VERBOSE | re.IGNORECASE,
)
"""Folders of a system or of a hosted platform, settings at home, and stand-ins for a path."""
_NO_PATH = patterns.compile(r"[\n<>|\"^]|://.*://|non_?-?exist|not?_(?:such|exist)", re.IGNORECASE)
"""What no path holds, and what a page calls a file that is not there on purpose."""


def _is_own(value: str) -> bool:
    return bool(_OWN.match(value)) and _may_be(value)


def _is_absolute(value: str) -> bool:
    return bool(_OWN.match(value) or _ABSOLUTE.match(value)) and _may_be(value)


def _may_be(value: str) -> bool:
    return len(value) < 300 and not _NO_PATH.search(value) and not _EVERYWHERE.match(value)


# -- in magics and shell lines ---------------------------------------------------------------------

_FILE_MAGICS = frozenset({"cd", "run", "load", "pycat", "pushd", "writefile", "file", "save"})
_SHELL_WORD = patterns.compile(r"(?<![^\s=\"'(])(?:~|/|[A-Za-z]:[\\/])(?:\\ |[^\s\"';|&<>)$*?{])+")
_SPEAKS = patterns.compile(r"\s*(?:echo|printf|git\s+commit)\b")


def _in_escapes(graph: Graph, cell: Cell) -> Iterator[MachinePath]:
    lines = cell.source.split("\n")
    for escape in trees.python_of(graph, cell.number).escapes:
        is_path = _is_absolute if escape.name in _FILE_MAGICS else _is_own
        if not _runs_files(escape):
            continue
        last = len(lines) if _is_script(escape) else escape.line
        for number in range(escape.line, last + 1):
            line = lines[number - 1]
            for word in () if line.lstrip().startswith("#") else _SHELL_WORD.finditer(line):
                if is_path(word[0]):
                    span = Span(number, word.start() + 1, number, word.end() + 1)
                    yield MachinePath(cell.number, span, word[0])


def _runs_files(escape: Escape) -> bool:
    shell = escape.kind in {"shell", "assign-shell"} and not _SPEAKS.match(escape.text)
    return shell or escape.name in _FILE_MAGICS or _is_script(escape)


def _is_script(escape: Escape) -> bool:
    return escape.kind == "opaque-cell" and escape.name in {"bash", "sh", "script", "cmd"}


# -- in code ---------------------------------------------------------------------------------------

_WRAPPERS = patterns.compile(
    r"(?:^|\.)(?:join|Path|PurePath|PosixPath|WindowsPath|str|abspath|realpath|expanduser"
    r"|normpath|joinpath|fspath|resolve|sorted|list|format)$"
)


def _in_code(graph: Graph, cell: int, handed: _Handed) -> Iterator[MachinePath]:
    shown = syntax.of(graph, cell)
    for text in shown.texts:
        if _is_absolute(text.value) and _is_used(shown, text, handed):
            yield MachinePath(cell, text.span, text.value)
    yield from _homes(shown)


def _is_used(shown: CellSyntax, text: Text, handed: _Handed) -> bool:
    """Tell whether a path is read or written: by the call around it, or through its name."""
    calls = [_called(shown.invocations[index]) for index in text.calls]
    if any(map(handed.known.no_paths.search, calls)):
        return False
    own = _is_own(text.value)
    using = [i for i, call in zip(text.calls, calls, strict=True) if not _WRAPPERS.search(call)]
    if using:
        return own or _is_the_file_of(shown.invocations[using[-1]], text.value, handed.known)
    name = re.split(r"[.\[]", text.bound, maxsplit=1)[0]
    if own and (text.bound.startswith(("os.environ[", "self.")) or "pathlib.Path" in calls):
        return True
    return bool(name) and name in (handed.anywhere if own else handed.to_files)


def _is_the_file_of(call: Invocation, value: str, known: FileAccess) -> bool:
    """Tell whether a text in a call is what it reads or writes: the first argument, mostly."""
    called = _called(call)
    first = call.arguments[0].text if call.arguments else ""
    is_first = first in {"", repr(value)} or called == "sys.path.insert"
    return is_first and bool(known.paths.search(called))


# -- names that are handed over ------------------------------------------------------------------

_JOINING = frozenset({"str", "Path", "sorted", "list", "join", "glob", "abspath"})
"""Functions that make a path of what they are given."""
_INTERPOLATED = patterns.compile(r"[{$]\s*([^\W\d]\w*)")


class _Handed:
    """The names of a notebook that lead to a call that may take them for a path, when asked for.

    `anywhere` are those handed to any call that does not speak or cut, to the environment, or to
    a magic; `to_files` those that are the first argument of a call that surely takes a path.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def known(self) -> FileAccess:
        """Which calls take a path, and which do not."""
        return file_access.load(self.graph.notebook.libraries)

    @cached_property
    def anywhere(self) -> frozenset[str]:
        """Names that are enough for a path that is a user's own."""
        names: set[str] = set()
        for cell, analysis in self.graph.cells.items():
            shown = syntax.of(self.graph, cell)
            for escape in shown.escapes:
                names.update(_INTERPOLATED.findall(escape.text))
            for statement in analysis.statements:
                names |= statement.mutates.get("os", frozenset())
            for call in filter(self._takes, shown.invocations):
                names.update(name for argument in call.arguments for name in argument.names)
        return self._with_sources(names)

    @cached_property
    def to_files(self) -> frozenset[str]:
        """Names that are enough for any absolute path."""
        return self._with_sources(
            {
                name
                for cell in self.graph.cells
                for call in syntax.of(self.graph, cell).invocations
                if self._takes(call) and self.known.paths.search(_called(call))
                for argument in call.arguments[:1]
                for name in argument.names
            }
        )

    def _takes(self, call: Invocation) -> bool:
        called = _called(call)
        return not (self.known.no_paths.search(called) or _WRAPPERS.search(called))

    def _with_sources(self, names: set[str]) -> frozenset[str]:
        """Return the names and those that they are made from."""
        sources: dict[str, set[str]] = {}
        for analysis in self.graph.cells.values():
            for statement in analysis.statements:
                if not statement.calls - _JOINING:
                    for target, made_from in statement.writes.items():
                        sources.setdefault(target, set()).update(made_from)
        reached, todo = set(names), list(names)
        while todo:
            new = sources.get(todo.pop(), set()) - reached
            reached |= new
            todo.extend(new)
        return frozenset(reached)


def _called(call: Invocation) -> str:
    return call.target or call.callee


# -- the home folder -------------------------------------------------------------------------------

_HOME = frozenset({"pathlib.Path.home", "os.path.expanduser"})


def _homes(shown: CellSyntax) -> Iterator[MachinePath]:
    """Yield where the home folder is asked for, and something that is no setting is taken."""
    for call in shown.invocations:
        bare = call.target == "pathlib.Path.home" or _texts(call) == ["'~'"]
        if call.target in _HOME and bare and not _leads_to_settings(call, shown.texts):
            yield MachinePath(shown.cell, call.span, "~")


def _texts(call: Invocation) -> list[str]:
    return [argument.text for argument in call.arguments]


def _leads_to_settings(call: Invocation, texts: Iterable[Text]) -> bool:
    end = (call.span.end_line, call.span.end_column)
    after = [t for t in texts if t.span.line == end[0] and t.span.column >= end[1]]
    return not after or after[0].value.startswith(".")
