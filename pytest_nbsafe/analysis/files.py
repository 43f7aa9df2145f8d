"""Which files the statements of a notebook write and read, where the text names them.

What is read from a file was made by the cell that wrote it. Only paths that stand in the text are
followed (a string, or a name that the notebook binds to one string and nothing else); the symbol
is the path in quotes. A module that a magic writes is read where it is imported or run.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator, Mapping

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis import syntax, trees
from pytest_nbsafe.analysis.model import Graph, Span
from pytest_nbsafe.analysis.scopes import last_word
from pytest_nbsafe.analysis.state import StateUse, What
from pytest_nbsafe.libraries import file_access
from pytest_nbsafe.libraries.file_access import FileAccess
from pytest_nbsafe.notebook.escapes import Escape
from pytest_nbsafe.notebook.model import Notebook

_KEYWORDS = frozenset({"path", "filename", "fname", "file", "path_or_buf", "filepath_or_buffer"})
_OPENS = frozenset({"open"})


_CALLED = patterns.compile(r"\b(\w+)\(")
_MODE = patterns.compile(r"['\"][wax]")
_WRITTEN_CELL = patterns.compile(r"\s*%%(?:write)?file\s")
_APPENDS = frozenset({"-a", "--append"})


def _may_use(source: str, known: FileAccess) -> bool:
    """Return whether a cell's text speaks of a call that uses a file."""
    called = frozenset(_CALLED.findall(source))
    return not called.isdisjoint(_OPENS | known.reads | known.writes)


def _may_make(source: str, known: FileAccess) -> bool:
    """Return whether a cell's text speaks of a file that is made, or opened to be written."""
    if _WRITTEN_CELL.match(source):
        return True
    called = _CALLED.findall(source)
    opened = "open" in called and _MODE.search(source) is not None
    return opened or not known.writes.isdisjoint(called)


def may_write(notebook: Notebook) -> bool:
    """Return whether the text of a cell speaks of a file that it makes, or writes to."""
    known = file_access.load(notebook.libraries)
    return any(_may_make(cell.source, known) for cell in notebook.code_cells)


def accesses(graph: Graph) -> Iterator[tuple[int, StateUse]]:
    """Yield what cells do with files that their text names, if any cell writes one."""
    if may_write(graph.notebook):
        yield from uses(graph)


def uses(graph: Graph) -> Iterator[tuple[int, StateUse]]:
    """Yield what cells do with files that their text names."""
    return ((cell, use) for cell, use in all_uses(graph) if use.symbol)


def all_uses(graph: Graph) -> Iterator[tuple[int, StateUse]]:
    """Yield what cells do with files; the symbol is empty where the text does not name the file."""
    notebook, known = graph.notebook, file_access.load(graph.notebook.libraries)
    cells = [number for number in graph.cells if _may_use(notebook.cell(number).source, known)]
    constants = _constants(graph)
    for cell in cells:
        span_of = syntax.span_of(graph, cell)
        for function, node in trees.inside(trees.of(graph, cell)):
            for part, name in _own(node):
                for call in _calls(part):
                    what, path = _use(call, constants, known)
                    if what is not None:
                        holder = name if call is part and what != "read" else ""
                        yield cell, StateUse(path, span_of(call), what, function, holder)

    yield from _by_magics(graph)


def _by_magics(graph: Graph) -> Iterator[tuple[int, StateUse]]:
    """Yield what is done with the files that magics write from the text of a cell."""
    cells = {cell: graph.notebook.cell(cell).source for cell in graph.cells}
    written: set[str] = set()
    for cell in (cell for cell, source in cells.items() if _WRITTEN_CELL.match(source)):
        for escape in syntax.of(graph, cell).escapes[:1]:
            *options, path = escape.text.split() or [""]
            symbol = symbol_of(path.strip("'\""))
            if symbol and not set("{$") & set(path):
                written.add(symbol)
                what: What = "set" if _APPENDS.isdisjoint(options) else "change"
                yield cell, StateUse(symbol, _line(escape), what)
    for cell in graph.cells if written else ():
        for imported in syntax.imports(graph, cell):
            inner = f"{imported.module}.{imported.attribute}".replace(".", "/")
            outer = imported.module.replace(".", "/")
            places = (f"{path}{end}" for path in (inner, outer) for end in (".py", "/__init__.py"))
            for symbol in sorted(written.intersection(map(symbol_of, places))):
                function = imported.function.partition(".")[0]
                yield cell, StateUse(symbol, imported.span, "read", function)
        for escape in syntax.of(graph, cell).escapes:
            symbol = symbol_of(escape.text.partition(" ")[0]) if escape.name == "run" else ""
            if symbol in written:
                yield cell, StateUse(symbol, _line(escape), "read")


def _line(escape: Escape) -> Span:
    return Span(escape.line, 1, escape.line, 2)


def _constants(graph: Graph) -> dict[str, str]:
    """Return the names that every cell binds to one and the same string."""
    values: dict[str, set[str | None]] = {}
    for cell, analysis in graph.cells.items():
        simple: dict[str, set[str | None]] = {}
        for node in trees.of(graph, cell).body:
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                target, value = node.targets[0], node.value
                if isinstance(target, ast.Name) and isinstance(value, ast.Constant):
                    text = value.value if isinstance(value.value, str) else None
                    simple.setdefault(target.id, set()).add(text)
        for name in analysis.defines:
            places = sum(definition.name == name for definition in analysis.definitions)
            known = simple.get(name, set()) if places == len(simple.get(name, ())) else {None}
            values.setdefault(name, set()).update(known)
    return {
        name: next(iter(texts)) or ""
        for name, texts in values.items()
        if len(texts) == 1 and None not in texts
    }


def _own(node: ast.stmt) -> Iterator[tuple[ast.AST, str]]:
    """Yield the expressions of a statement, or of its header, and the name that holds each."""
    if isinstance(node, (ast.With, ast.AsyncWith)):
        for item in node.items:
            target = item.optional_vars
            yield item.context_expr, target.id if isinstance(target, ast.Name) else ""
    elif isinstance(node, ast.Assign):
        target = node.targets[0]
        yield node.value, target.id if isinstance(target, ast.Name) else ""
    elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield child, ""


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls in an expression, but for those in a function that is only made here."""
    left = [node]  # not by recursion: a text that is nested deeply has no limit here
    while left:
        part = left.pop()
        if isinstance(part, ast.Call):
            yield part
        if not isinstance(part, ast.Lambda):
            left.extend(reversed(list(ast.iter_child_nodes(part))))


def _use(
    call: ast.Call, constants: Mapping[str, str], known: FileAccess
) -> tuple[What | None, str]:
    """Return what a call does with which file, "" for none that is known; None for no file."""
    function = call.func
    name = last_word(function)
    given: list[ast.expr] = [*call.args]
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call):
        given = [*function.value.args, *given]  # Path('notes.txt').write_text(...)
    given += [keyword.value for keyword in call.keywords if keyword.arg in _KEYWORDS]
    path = next((p for p in (_path(each, constants) for each in given) if p), "")
    if name in _OPENS or name in known.writes:
        mode = _mode(call)
        if mode & set("a+"):
            return "change", path
        return ("set" if name in known.writes or mode & set("wx") else "read"), path
    return ("read", path) if name in known.reads else (None, "")


def _mode(call: ast.Call) -> frozenset[str]:
    """Return the letters of the mode that a file is opened in, none where it is not told."""
    modes = [*call.args[:2], *(k.value for k in call.keywords if k.arg == "mode")]
    return frozenset(
        letter
        for mode in modes
        if isinstance(mode, ast.Constant)
        and isinstance(mode.value, str)
        and len(mode.value) <= 3
        and set(mode.value) <= set("rwaxbt+U")
        for letter in mode.value
    )


def _path(node: ast.expr, constants: Mapping[str, str]) -> str:
    """Return the symbol of the file that an expression names, "" when it names none."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"Path", "open"}:
        return _path(node.args[0], constants) if node.args else ""
    text = None
    if isinstance(node, ast.Constant):
        text = node.value
    elif isinstance(node, ast.Name):
        text = constants.get(node.id)
    return symbol_of(text) if isinstance(text, str) else ""


def symbol_of(path: str) -> str:
    """Return the symbol of the file at a path, "" where it is none."""
    is_path = path and "\n" not in path
    return repr(posixpath.normpath(path.replace("\\", "/"))) if is_path else ""
