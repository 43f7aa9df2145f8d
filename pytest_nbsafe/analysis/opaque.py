"""Recognises what may bind names that the text does not show: `exec`, `%run`, `globals()[...]`."""

from __future__ import annotations

import ast

from pytest_nbsafe.analysis.cfg import MAYBE, Builder
from pytest_nbsafe.analysis.scopes import last_word
from pytest_nbsafe.notebook import magics
from pytest_nbsafe.notebook.escapes import parsed

_READING = frozenset({"get", "keys", "values", "items", "copy", "__contains__", "__getitem__"})
_HARMLESS_CALLS = frozenset({
    "print", "display", "len", "sorted", "list", "set", "tuple", "dict", "type", "id", "repr",
    "str", "pprint", "eval", "isinstance", "any", "all", "map", "filter", "iter", "hasattr",
})  # fmt: skip
_SHELL = frozenset({"ip", "ipython", "shell", "ipy"})
_SHELL_CALLS = frozenset({
    "run_cell", "ex", "push", "run_code", "runcode", "safe_execfile", "safe_execfile_ipy",
    "enable_pylab", "run_cell_async",
})  # fmt: skip
_SHELL_NAMES = frozenset({"user_ns", "user_global_ns"})
_MODULES_OF_NAMES = frozenset({"builtins", "__builtins__", "__builtin__", "__main__"})


def star_import(module: str) -> str:
    """Return the cause for `from module import *`."""
    return f"`from {module} import *` may bind any name"


def shows_namespace(b: Builder, value: ast.expr, attribute: str) -> bool:
    """Tell whether `value.attribute` only looks at the namespace, as `globals().get` does."""
    return _namespace_call(b, value) is not None and attribute in _READING


def reads_namespace(b: Builder, node: ast.Subscript) -> bool:
    """Note `globals()['x']` as a read of `x`; tell whether it was one."""
    if _namespace_call(b, node.value) is None:
        return False
    name = _text(node.slice)
    if name is not None:
        b.read(name, node)
    return True


def stores_namespace(b: Builder, target: ast.expr) -> bool:
    """Note `globals()['x'] = ...` as a definition of `x`, or of any name; tell whether it was."""
    if isinstance(target, ast.Attribute):
        if isinstance(target.value, ast.Name) and target.value.id in _MODULES_OF_NAMES:
            note(b, target, f"`{target.value.id}.{target.attr} = ...` binds a builtin name")
            return True
        return False
    if not isinstance(target, ast.Subscript):
        return False
    called = _namespace_call(b, target.value)
    if called is None:
        return False
    name = _text(target.slice)
    if name is not None and not b.function:
        b.bind(name, target, "assign")
    else:
        note(b, target, f"`{called}[...] = ...` may bind any name")
    return True


def check_call(b: Builder, node: ast.Call) -> None:
    """Note a call that may bind names unseen."""
    func = node.func
    if isinstance(func, ast.Name):
        _check_function(b, node, func.id)
    elif isinstance(func, ast.Attribute):
        _check_method(b, node, func)


def note(b: Builder, node: ast.AST, cause: str) -> None:
    """Note something opaque."""
    if not b.quiet:
        b.opaque.append((node, cause))


def _check_function(b: Builder, node: ast.Call, name: str) -> None:
    if name in {"exec", "eval", "execfile"} and name not in b.shadowed:
        if b.function and len(node.args) < 2:
            return  # binds in the function's own scope only
        if name != "execfile" and node.args and _run_literal(b, node):
            return
        note(b, node, f"`{name}(...)` may bind any name")
    if name in _HARMLESS_CALLS:
        return
    for argument in (*node.args, *(k.value for k in node.keywords)):
        called = _namespace_call(b, argument)
        if called is not None:
            note(b, node, f"`{name}({called})` may bind any name")


def _check_method(b: Builder, node: ast.Call, func: ast.Attribute) -> None:
    called = _namespace_call(b, func.value)
    if called is not None:
        if func.attr not in _READING:
            note(b, node, f"`{called}.{func.attr}(...)` may bind any name")
        return
    if not _is_shell(func.value):
        return
    words = [_text(a) or "" for a in node.args[:2]]
    if func.attr == "magic":  # the old spelling: get_ipython().magic("run x.py")
        words = words[0].lstrip("%").split(maxsplit=1) if words else []
    name, arguments = (*words, "", "")[:2]
    cause = ""
    if func.attr in {"run_line_magic", "magic"}:
        cause = magics.line_cause(name, arguments)
    elif func.attr == "run_cell_magic" and name not in magics.PYTHON_CELLS:
        cause = magics.cell_cause(name)
    elif func.attr in _SHELL_CALLS:
        cause = f"`get_ipython().{func.attr}(...)` may bind any name"
    if cause:
        note(b, node, cause)


def _run_literal(b: Builder, node: ast.Call) -> bool:
    """Walk the names in `exec("x = 1")`; tell whether the text was there and parsed."""
    text = _text(node.args[0])
    if text is None:
        return False
    tree = parsed(text.strip())
    if tree is None:
        return False
    names = [n for n in ast.walk(tree) if isinstance(n, (ast.Name, ast.alias, ast.FunctionDef))]
    for name in names:
        if not isinstance(name, ast.Name):
            return False  # more than a few plain names: let it be unknown
        if not isinstance(name.ctx, ast.Load):
            b.bind(name.id, node, "assign")
        else:
            b.read(name.id, node, MAYBE)
    return True


def _namespace_call(b: Builder, node: ast.expr) -> str | None:
    """Return how the node spells the notebook's names: `globals()`, `get_ipython().user_ns`."""
    if isinstance(node, ast.Call) and not node.args and isinstance(node.func, ast.Name):
        name = node.func.id
        if name == "globals" or (name in {"locals", "vars"} and not b.function):
            return f"{name}()"
    if isinstance(node, ast.Attribute) and node.attr in _SHELL_NAMES and _is_shell(node.value):
        return f"get_ipython().{node.attr}"
    return None


def _is_shell(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return last_word(node.func) == "get_ipython"
    return isinstance(node, ast.Name) and node.id in _SHELL


def _text(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return None
