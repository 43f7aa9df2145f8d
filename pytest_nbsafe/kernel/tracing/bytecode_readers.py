"""What reads the code of functions, or counts it, and must find no hooks: compilers, profilers.

Where one is there, functions have no hooks from then on, and those that had some have none either.
"""

from __future__ import annotations

import ast
import functools
import gc
import linecache
import re
from types import CodeType, FunctionType

from ..adapters import answers, of_module
from ..functions.reach import FUTURE, codes_by_place
from .instrument import FLAGS
from .names import statements

_MODULES = frozenset({"dis", "opcode", "bytecode", "cProfile", "profile", "line_profiler", "yappi"})
_MAGICS = frozenset({"prun", "lprun"})
_CODE = "__code__"
_WORDS = re.compile(rf"\b(?:{'|'.join(sorted({*_MODULES, *_MAGICS, _CODE}))})\b|\.co_[a-z]")
_OF_CODE = "co_"


class BytecodeReaders:
    """Whether a text of the kernel's notebook may read code: once one does, others may too."""

    def __init__(self) -> None:
        self._met = False

    def are_met(self, text: str, tree: ast.AST) -> bool:
        """Return whether this text, or one before it, reads code, or brings what does."""
        reads = _WORDS.search(text) is not None and any(map(_shows_code, ast.walk(tree)))
        self._met = reads or ("import" in text and imports_compiler(tree)) or self.were_met()
        return self._met

    def were_met(self) -> bool:
        """Return whether any were met so far."""
        return self._met or any(answers("READS_BYTECODE"))

    def may_be_met(self, text: str) -> bool:
        """Return whether they were met, or this text has a word of theirs."""
        return self._met or _WORDS.search(text) is not None


def _shows_code(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return not _MODULES.isdisjoint(alias.name.partition(".")[0] for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").partition(".")[0] in _MODULES
    if isinstance(node, ast.Attribute):
        return node.attr == _CODE or node.attr.startswith(_OF_CODE)
    return isinstance(node, ast.Constant) and node.value in {_CODE, *_MAGICS}


def imports_compiler(tree: ast.AST) -> bool:
    """Tell whether a text imports what compiles functions: any plain one may then be compiled."""
    for node in statements(tree):
        if isinstance(node, ast.Import):
            roots = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            roots = [node.module or ""]
        else:
            continue
        if any(getattr(of_module(root), "READS_BYTECODE", False) for root in roots):
            return True
    return False


def unhook() -> None:
    """Give every function that has a hook the code that its text compiles to, for who reads it."""
    clean_codes = functools.lru_cache(None)(_clean_codes)
    for function in gc.get_objects():
        if type(function) is FunctionType and FLAGS in function.__code__.co_names:
            code = function.__code__
            codes = clean_codes(code.co_filename, code.co_flags & FUTURE)
            clean = codes.get((code.co_name, code.co_firstlineno))
            if clean is not None and clean.co_freevars == code.co_freevars:
                function.__code__ = clean


def _clean_codes(file: str, future: int) -> dict[tuple[str, int], CodeType]:
    """Return the code of a cell's functions by name and first line, compiled without hooks."""
    flags = future | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    try:
        whole = compile("".join(linecache.getlines(file)), file, "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError):
        return {}
    return codes_by_place(whole)
