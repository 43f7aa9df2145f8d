"""What functions defined in cells say, and which notebook names they mention."""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .hooks import attributes_of, code_of

if TYPE_CHECKING:
    from .snapshot import Hasher


class Texts:
    """Texts of the functions that cells define, found again by their code objects.

    The text is the syntax tree without positions, so that a comment or a blank line changes
    nothing, and our hooks are not in it. `kind_of` tells classes that may be put into a set: some
    metaclass of the notebook may say itself how its classes are hashed.
    """

    def __init__(self) -> None:
        self._texts: dict[tuple[str, int, str], str] = {}
        self.kind_of: Callable[[object], type] = type

    def register(self, file: str, nodes: list[Any], line_offset: int = 0) -> None:
        """Keep the texts of a cell's function definitions, as compiled from `file`."""
        for node in nodes:
            lines = [node.lineno] + [decorator.lineno for decorator in node.decorator_list]
            key = (file, min(lines) + line_offset, node.name)
            if node.name in HASHING:
                self.kind_of = hashable_kind
            self._texts[key] = digest_of(node)

    def beware(self, metaclass: type) -> None:
        """Take note of a metaclass, which may hash and compare its classes in its own way."""
        if not HASHING.isdisjoint(type.__dict__["__dict__"].__get__(metaclass)):
            self.kind_of = hashable_kind

    def text_of(self, code: types.CodeType) -> str:
        """Return the text's digest, empty when the code is not of a registered definition."""
        return self._texts.get((code.co_filename, code.co_firstlineno, code.co_name), "")

    def add_function(
        self, hasher: Hasher, function: types.FunctionType, home: dict[str, Any]
    ) -> None:
        """Write a function: one of a library by its name, one of a cell by what it says."""
        code = code_of(function)
        wraps = "__wrapped__" in function.__dict__ and function.__module__ == "__main__"
        inside = "<locals>" in function.__qualname__ or wraps
        if function.__globals__ is not home and not inside:
            hasher.tag(f"function {function.__module__}.{function.__qualname__}")
            if lies_here(code.co_filename):
                self.add_code(hasher, code)
            return
        hasher.tag(f"function {function.__qualname__}")
        self.add_code(hasher, code)
        defaults = function.__defaults__, function.__kwdefaults__
        closure, attributes = function.__closure__ or (), attributes_of(function)
        if any((*defaults, closure, attributes)):
            hasher.all("defaults", list(defaults))
            hasher.all("closure", list(closure))
            hasher.attributes(attributes)

    def add_code(self, hasher: Hasher, code: types.CodeType) -> None:
        """Write a code object: by its text where that is known."""
        text = self.text_of(code)
        if text:
            hasher.tag(f"text {text}")
            return
        hasher.tag(f"code {code.co_name}")
        hasher.raw(code.co_code)
        consts = [const for const in code.co_consts if not _is_unordered(const)]
        sets = [sorted(map(repr, c)) for c in code.co_consts if _is_unordered(c)]
        hasher.all("parts", [consts, sets])
        for names in (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars):
            hasher.all("names", list(names))


HASHING = frozenset({"__hash__", "__eq__"})


def hashable_kind(value: object) -> type:
    """Return a value's class, `object` in place of one that is not of Python's own metaclass."""
    kind = type(value)
    return kind if type(kind) is type else object


def _is_unordered(const: object) -> bool:
    return isinstance(const, frozenset)


def lies_here(file: object) -> bool:
    """Return whether a file lies in the folder where the notebook runs, or below it."""
    folder = _folder(file) if type(file) is str else ""
    if not folder:
        return False
    here = os.getcwd()  # noqa: PTH109  # for each module that is looked at
    return folder == here or folder.startswith(here + os.sep)


@functools.lru_cache(1_024)
def _folder(file: str) -> str:
    """Return the folder of a file, empty where it is one of Python's or of installed packages."""
    folder = os.path.dirname(file)  # noqa: PTH120  # as above
    is_installed = folder.startswith(_LIBRARY) or "site-packages" in folder
    return "" if is_installed else folder


_LIBRARY = os.path.dirname(os.__file__)  # noqa: PTH120  # as above


def digest_of(node: ast.AST) -> str:
    """Return a hash of a definition's syntax, positions left out."""
    text = ast.dump(node, annotate_fields=False)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def mentioned(value: object, home: dict[str, Any]) -> Iterator[str]:
    """Yield the notebook's names that a function or class of a cell mentions when it runs."""
    waiting: list[object] = [value]
    seen: set[int] = set()
    while waiting and len(seen) < 1_000:
        item = waiting.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))  # `isinstance` would ask a proxy what it stands for
        if type(item) is types.MethodType:
            waiting.append(item.__func__)
        elif type(item) is types.FunctionType:
            if item.__globals__ is home:
                waiting.append(code_of(item))
            held = closure_of(item)
            waiting.extend(x for x in held if isinstance(x, (types.FunctionType, types.MethodType)))
        elif type(item) is types.CodeType:
            yield from (name for name in item.co_names if name in home)
            waiting.extend(const for const in item.co_consts if isinstance(const, types.CodeType))
        elif issubclass(type(item), (staticmethod, classmethod, property)):
            names = ("fget", "fset") if issubclass(type(item), property) else ("__func__",)
            waiting.extend(getattr(item, name) for name in names)
        elif type(item) is type and item.__module__ == "__main__":
            waiting.extend(vars(item).values())
            waiting.extend(item.__bases__)
        elif type(item).__module__ == "__main__":
            waiting.append(type(item))
        elif hasattr(type(item), "__wrapped__") or type(item).__name__ == "_lru_cache_wrapper":
            waiting.append(_wrapped(item))


def _wrapped(item: Any) -> object:
    """Return what a wrapper of compiled code wraps; one written in Python is not asked."""
    if type(item).__name__ == "_lru_cache_wrapper":
        return getattr(item, "__wrapped__", None)
    found = [vars(base).get("__wrapped__") for base in type(item).__mro__]
    held: Any = next(filter(None, found), None)
    kind = type(held)
    if kind is not types.GetSetDescriptorType and kind is not types.MemberDescriptorType:
        return None
    try:
        return held.__get__(item)
    except (AttributeError, ValueError):  # nothing is wrapped yet
        return None


def closure_of(function: types.FunctionType) -> Iterator[Any]:
    """Yield what a function holds of the places it was made in."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # it is empty as yet
            continue
