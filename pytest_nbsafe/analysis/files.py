"""Which files the statements of a notebook write and read, where the text names them.

What is read from a file was made by the cell that wrote it. Only paths that stand in the text are
followed (a string, or a name that the notebook binds to one string and nothing else); the symbol
is the path in quotes.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis import syntax, trees
from pytest_nbsafe.analysis.state import Access, What

if TYPE_CHECKING:
    from pytest_nbsafe.analysis.graph import Graph

_WRITES = frozenset({
    "to_csv", "to_parquet", "to_excel", "to_json", "to_pickle", "to_feather", "to_hdf", "to_stata",
    "write_csv", "write_parquet", "save", "savez", "savez_compressed", "savetxt", "save_npz",
    "dump", "savemat", "imwrite", "imsave", "write_text", "write_bytes", "tofile", "save_model",
})  # fmt: skip
_READS = frozenset({
    "read_csv", "read_table", "read_parquet", "read_excel", "read_json", "read_pickle",
    "read_feather", "read_hdf", "read_stata", "scan_csv", "scan_parquet", "load", "loadtxt",
    "genfromtxt", "load_npz", "loadmat", "imread", "read_text", "read_bytes", "fromfile",
    "load_model",
})  # fmt: skip
_KEYWORDS = frozenset({"path", "filename", "fname", "file", "path_or_buf", "filepath_or_buffer"})
_OPENS = frozenset({"open"})
_USES = patterns.compile(rf"\b(?:{'|'.join(sorted(_WRITES | _READS | _OPENS))})\(")
_MAKES = patterns.compile(rf"\b(?:{'|'.join(sorted(_WRITES))})\(|\bopen\(.*['\"][wax]")


def accesses(graph: Graph) -> Iterator[tuple[int, Access]]:
    """Yield what cells do with files that their text names, if any cell writes one."""
    if not any(_MAKES.search(cell.source) for cell in graph.notebook.code_cells):
        return
    cells = [number for number in graph.cells if _USES.search(graph.notebook.cell(number).source)]
    constants = _constants(graph)
    for cell in cells:
        span_of = syntax.span_of(graph, cell)
        for function, node in trees.inside(trees.of(graph, cell)):
            for part, name in _own(node):
                for call in _calls(part):
                    what, path = _use(call, constants)
                    if path:
                        holder = name if call is part and what != "read" else ""
                        yield cell, Access(path, span_of(call), what, function, holder)


def _constants(graph: Graph) -> dict[str, str]:
    """Return the names that every cell binds to one and the same string."""
    found: dict[str, set[str | None]] = {}
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
            found.setdefault(name, set()).update(known)
    return {
        name: next(iter(texts)) or ""
        for name, texts in found.items()
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
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, ast.Call):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _calls(child)


def _use(call: ast.Call, constants: Mapping[str, str]) -> tuple[What, str]:
    """Return what a call does with which file, "" for none that is known."""
    function = call.func
    name = getattr(function, "attr", None) or getattr(function, "id", "")
    given: list[ast.expr] = [*call.args]
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call):
        given = [*function.value.args, *given]  # Path('notes.txt').write_text(...)
    given += [keyword.value for keyword in call.keywords if keyword.arg in _KEYWORDS]
    path = next((p for p in (_path(each, constants) for each in given) if p), "")
    if name in _OPENS or name in _WRITES:
        mode = _mode(call)
        if mode & set("a+"):
            return "change", path
        return ("set" if name in _WRITES or mode & set("wx") else "read"), path
    return "read", path if name in _READS else ""


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
    if not isinstance(text, str) or not text or "\n" in text:
        return ""
    return repr(posixpath.normpath(text.replace("\\", "/")))
