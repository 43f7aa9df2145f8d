"""Takes the hooks out of functions again, for a compiler that reads their bytecode."""

from __future__ import annotations

import ast
import gc
import linecache
from types import CodeType, FunctionType

from ..adapter_lookup import answers
from ..functions.reach import FUTURE, codes_by_place
from .instrument import FLAGS


def is_wanted() -> bool:
    """Tell whether such a compiler is there."""
    return any(answers("READS_BYTECODE"))


def unhook() -> None:
    """Give every function that has a hook the code that its text compiles to."""
    known: dict[tuple[str, int], dict[tuple[str, int], CodeType]] = {}
    for function in gc.get_objects():
        if type(function) is FunctionType and FLAGS in function.__code__.co_names:
            _unhook(function, known)


def _unhook(
    function: FunctionType, known: dict[tuple[str, int], dict[tuple[str, int], CodeType]]
) -> None:
    code = function.__code__
    key = (code.co_filename, code.co_flags & FUTURE)
    if key not in known:
        known[key] = _clean(*key)
    clean = known[key].get((code.co_name, code.co_firstlineno))
    if clean is not None and clean.co_freevars == code.co_freevars:
        function.__code__ = clean


def _clean(file: str, future: int) -> dict[tuple[str, int], CodeType]:
    """Return the code of a cell's functions by name and first line, compiled without hooks."""
    flags = future | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    try:
        whole = compile("".join(linecache.getlines(file)), file, "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError):
        return {}
    return codes_by_place(whole)
