"""What functions defined in cells say."""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import types
from collections.abc import Callable
from typing import Any


class Texts:
    """Texts of the functions that cells define, found again by their code objects.

    The text is the syntax tree without positions, so that a comment or a blank line changes
    nothing, and our hooks are not in it. `kind_of` tells classes that may be put into a set: some
    metaclass of the notebook may say itself how its classes are hashed.
    """

    def __init__(self) -> None:
        self._texts: dict[tuple[str, int, str], str] = {}
        self.kind_of: Callable[[object], type] = type

    def register(self, file: str, nodes: list[Any]) -> None:
        """Keep the texts of a cell's function definitions, as compiled from `file`."""
        for node in nodes:
            if node.name in HASHING:
                self.kind_of = hashable_kind
            text = ast.dump(node, annotate_fields=False).encode("utf-8", "surrogatepass")
            digest = hashlib.blake2b(text, digest_size=16).hexdigest()
            self._texts[file, first_line(node), node.name] = digest

    def beware(self, metaclass: type) -> None:
        """Take note of a metaclass, which may hash and compare its classes in its own way."""
        if not HASHING.isdisjoint(type.__dict__["__dict__"].__get__(metaclass)):
            self.kind_of = hashable_kind

    def text_of(self, code: types.CodeType) -> str:
        """Return the text's digest, empty when the code is not of a registered definition."""
        return self._texts.get((code.co_filename, code.co_firstlineno, code.co_name), "")


HASHING = frozenset({"__hash__", "__eq__"})


def hashable_kind(value: object) -> type:
    """Return a value's class, `object` in place of one that is not of Python's own metaclass."""
    kind = type(value)
    return kind if type(kind) is type else object


def lies_here(file: object) -> bool:
    """Return whether a file lies in the folder where the notebook runs, or below it."""
    folder = _folder(file) if type(file) is str else ""
    if not folder:
        return False
    here = os.getcwd()  # noqa: PTH109  # for each module that is looked at
    return folder == here or folder.startswith(here + os.sep)


@functools.lru_cache(1 << 14)  # all modules of a program, one after the other
def _folder(file: str) -> str:
    """Return the folder of a file, empty where it is one of Python's or of installed packages."""
    folder = os.path.dirname(file)  # noqa: PTH120  # as above
    is_installed = folder.startswith(_LIBRARY) or "site-packages" in folder
    return "" if is_installed else folder


_LIBRARY = os.path.dirname(os.__file__)  # noqa: PTH120  # as above


def first_line(node: Any) -> int:
    """Return the line that the code of a function or class counts as its first."""
    lines: list[int] = [node.lineno, *(decorator.lineno for decorator in node.decorator_list)]
    return min(lines)
