"""One piece of IPython syntax at a time, turned into a line of Python."""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal

from pytest_nbsafe import patterns
from pytest_nbsafe.notebook import magics
from pytest_nbsafe.values import dataclass

if TYPE_CHECKING:
    import symtable

EscapeKind = Literal[
    "line-magic",
    "cell-magic",
    "shell",
    "help",
    "assign-shell",
    "assign-magic",
    "autocall",
    "opaque-cell",
]

_UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What `ast.parse` raises for text that is not Python, across Python's versions."""

_BUILTINS = frozenset(dir(builtins))
_DEEP = 5
_LONG = 400  # of what stands before `?`, so that a long line takes no quadratic time
_HELP = patterns.compile(r"(%{0,2}(?!\d)[\w*]+(?:\.(?!\d)[\w*]+|\[-?[0-9]+\])*)(\?\??)$")


@dataclass(frozen=True, slots=True)
class Escape:
    """One use of IPython's syntax: where it begins (1-based), what it is, its own text.

    `name` is that of the magic, of the function of an auto-call, or of the method that stands
    for it (`system`, `getoutput`, `pinfo`); `text` are the arguments or the command.
    `binds` are the names it binds by itself (the left of `x = !ls`, the `out` of
    `%%capture out`), not those of the Python that it runs, which stays in the text.
    `opaque` is empty, or the cause why it may bind names that nothing shows.
    """

    line: int
    kind: EscapeKind
    name: str
    text: str
    binds: tuple[str, ...] = ()
    opaque: str = ""


@dataclass(frozen=True, slots=True)
class PythonSource:
    """Python that stands for a cell, line for line, or for one escape; and what was escaped."""

    text: str
    escapes: tuple[Escape, ...] = ()


def translate(text: str, line: int, depth: int = 0) -> PythonSource | None:
    """Return the Python of a line that begins with an escape character; None if there is none.

    `text` runs from the escape character to the end of the (continued) line.
    """
    if help_call := help_on(text, line):
        return help_call
    command = assemble(text)
    first, rest = command[:1], command[1:]
    if first == "%":
        return _line_magic(rest, line, depth)
    if first == "!":
        name, rest = ("getoutput", rest[1:]) if rest[:1] == "!" else ("system", rest)
        return PythonSource(shell_call(name, rest), (Escape(line, "shell", name, rest),))
    if first == "?":
        target = rest.removeprefix("?")
        return _help_call(target, command[: len(command) - len(target)], line)
    return _autocall(first, rest, line)


def translate_assigned(text: str, line: int, binds: tuple[str, ...]) -> PythonSource:
    """Return the Python of what stands right of `=`, from its `!` or `%` on."""
    command = assemble(text)
    if command[0] == "!":
        escape = Escape(line, "assign-shell", "getoutput", command[1:], binds)
        return PythonSource(shell_call("getoutput", command[1:]), (escape,))
    name, _, arguments = command[1:].partition(" ")
    cause = magics.line_cause(name, arguments)
    bound = (*binds, *magics.line_binds(name, arguments))
    escape = Escape(line, "assign-magic", name, arguments, bound, cause)
    return PythonSource(_magic_call(name, arguments), (escape,))


def help_on(text: str, line: int) -> PythonSource | None:
    """Return the Python of `name?` and `name??`; None if the text does not end in such."""
    match = _HELP.search(text, max(0, len(text) - _LONG)) if text.endswith("?") else None
    return _help_call(match[1], match[2], line) if match else None


def assemble(text: str) -> str:
    """Return a command that backslashes continue over lines as one line, as IPython joins it."""
    *parts, last = text.split("\n")
    return " ".join([*(part.rstrip()[:-1] for part in parts), last.rstrip()])


def call(method: str, arguments: Iterable[str], values: Iterable[str] = ()) -> str:
    """Return a call of IPython's shell; `values` are expressions handed over for their reads."""
    return f"get_ipython().{method}({', '.join([*map(repr, arguments), *values])})"


def parses(text: str) -> bool:
    """Return whether the text is Python."""
    return parsed(text) is not None


def stored_names(code: str) -> tuple[str, ...]:
    """Return the names that code assigns, in order; empty when it does not parse."""
    tree = parsed(code)
    names = (n for n in ast.walk(tree) if isinstance(n, ast.Name)) if tree else ()
    return tuple(dict.fromkeys(n.id for n in names if isinstance(n.ctx, ast.Store)))


def parsed(text: str) -> ast.Module | None:
    """Return the tree of a piece of Python, None when it is none; nothing is warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except _UNPARSABLE:
            return None


# Help, shell and auto-call


def _help_call(target: str, mark: str, line: int) -> PythonSource:
    if not target:
        return PythonSource(call("show_usage", ()), (Escape(line, "help", "show_usage", ""),))
    method = "pinfo2" if mark == "??" else "psearch" if "*" in target else "pinfo"
    python = call("run_line_magic", (method, target))
    return PythonSource(python, (Escape(line, "help", method, target),))


def shell_call(method: str, command: str) -> str:
    """Return the call that runs a shell command, with the names it interpolates."""
    return call(method, (command,), map(_guarded, interpolated(command)))


def _autocall(first: str, rest: str, line: int) -> PythonSource | None:
    name, _, arguments = rest.partition(" ")
    if first == ",":
        inside = '"' + '", "'.join(arguments.split()) + '"'
    elif first == ";":
        inside = f'"{arguments}"'
    else:
        inside = ", ".join(arguments.split())
    if first == "/" and not name:
        return None
    return PythonSource(f"{name}({inside})", (Escape(line, "autocall", name, arguments),))


# Line magics


def _line_magic(content: str, line: int, depth: int) -> PythonSource:
    name, _, arguments = content.partition(" ")
    known = magics.PYTHON_LINES.get(name)
    if known and known.scope == "notebook":
        start = known.options_end(arguments)
        inner = _statement(arguments[start:], 2 + len(name) + start, line, depth)
        if inner:
            escape = Escape(line, "line-magic", name, arguments)
            return PythonSource(inner.text, (escape, *inner.escapes))
    binds = magics.line_binds(name, arguments)
    escape = Escape(line, "line-magic", name, arguments, binds, magics.line_cause(name, arguments))
    python = _bound(binds, _magic_call(name, arguments))
    for deleted in magics.deletes(name, arguments):
        python += f"; del {deleted}"
    return PythonSource(python, (escape,))


def _statement(code: str, width: int, line: int, depth: int) -> PythonSource | None:
    """Return the Python statement that a magic such as `%time` runs; None if it is none.

    `width` columns stand before it; they are filled, so that it stays at its own column.
    """
    if code[:1] in {"%", "!"} and depth < _DEEP:
        return translate(code, line, depth + 1)
    if not code:
        return None
    padded = "0;" + " " * (width - 2) + code
    python = next((text for text in (padded, code) if parses(text)), None)
    return None if python is None else PythonSource(python)


def _magic_call(name: str, arguments: str) -> str:
    """Return the call of a magic, with all names that its arguments read."""
    values = list(magics.reads(name, arguments))
    if known := magics.PYTHON_LINES.get(name):
        places = free_names(arguments[known.options_end(arguments) :])
        values += (place.name for place in places or ())
    else:
        values += map(_guarded, interpolated(arguments))
    return call("run_line_magic", (name, arguments), dict.fromkeys(values))


def cell_call(name: str, arguments: str) -> str:
    """Return the call that stands for a cell magic, with the names it binds and reads."""
    values = [*magics.reads(name, arguments), *map(_guarded, interpolated(arguments))]
    python = call("run_cell_magic", (name, arguments, ""), dict.fromkeys(values))
    return _bound(magics.cell_binds(name, arguments), python)


def _bound(names: tuple[str, ...], python: str) -> str:
    return " = ".join([*names, python])


# Names that escapes read


_DOLLAR = patterns.compile(r"\$(?:\$|([^\W\d]\w*))")


def interpolated(text: str) -> tuple[str, ...]:
    """Return the names that `{expression}` and `$name` read in a command, in order.

    Source: IPython's DollarFormatter; a `$` between single quotes, `$$` and `$1` are no names.
    Departs: IPython interpolates nothing when one expression fails, here only that one is left.
    """
    import string

    names: dict[str, None] = {}
    try:
        pieces = list(string.Formatter().parse(text))
    except ValueError:
        return ()
    for literal, expression, _, _ in pieces:
        names.update(dict.fromkeys(_dollar_names(literal)))
        names.update((place.name, None) for place in free_names(expression or "") or ())
    return tuple(name for name in names if name not in _BUILTINS)


def _dollar_names(text: str) -> Iterator[str]:
    after, done = text.count("'"), 0
    for match in _DOLLAR.finditer(text):
        after -= text.count("'", done, match.end())
        done = match.end()
        if match[1] and after % 2 == 0:
            yield match[1]


def _guarded(name: str) -> str:
    """Return a read that a missing name does not fail, as IPython leaves such text as it is."""
    return f"{name} if {name!r} in globals() else None"


@dataclass(frozen=True, slots=True)
class NamePlace:
    """A name read at a place of some text: 1-based line, 0-based offset in it."""

    name: str
    line: int
    offset: int


def free_names(code: str) -> tuple[NamePlace, ...] | None:
    """Return where code, run in a function of its own, reads names from outside.

    None when it is not Python.
    """
    import symtable

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(code)
            wanted = _outside(symtable.symtable(code, "<cell>", "exec"))
        except _UNPARSABLE:
            return None
    lines = code.split("\n")
    places = (
        NamePlace(node.id, node.lineno, _characters(lines, node))
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in wanted
    )
    return tuple(sorted(places, key=lambda place: (place.line, place.offset)))


def _outside(top: symtable.SymbolTable) -> set[str]:
    bound = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    read = {s.get_name() for s in top.get_symbols() if s.is_referenced()}
    for table in _inside(top):
        read.update(
            s.get_name() for s in table.get_symbols() if s.is_global() and s.is_referenced()
        )
    return read - bound


def _inside(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        yield child
        yield from _inside(child)


def _characters(lines: list[str], node: ast.Name) -> int:
    """Return the offset of a name in characters; `ast` counts bytes of UTF-8."""
    if node.lineno > len(lines):
        return 0
    before = lines[node.lineno - 1].encode("utf-8", "replace")[: node.col_offset]
    return len(before.decode("utf-8", "replace"))
