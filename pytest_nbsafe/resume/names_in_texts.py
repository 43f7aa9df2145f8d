"""The names that a text may read: not the words of attributes, keywords, docstrings and columns.

A name that is there now, and was not, changes nothing for `df.mean()` or `df["price"]`. What stands
in any other text may be looked up as a name: `df.query("price > limit")`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from pytest_nbsafe.kernel.contract import HOME, CellRun
from pytest_nbsafe.resume.questions import parsed
from pytest_nbsafe.resume.words import words_of
from pytest_nbsafe.values import dataclass

_OWN_CODE = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
"""What has code of its own, of which the kernel tells attributes among the names."""
_NO_NAMES = {
    ast.keyword: "arg",
    ast.ImportFrom: "module",
    ast.Constant: "kind",
}
"""Where nodes of a tree hold a word that is no name."""
_NO_DATA = frozenset({"type", "abc.ABCMeta", "function", "builtin_function_or_method", "module"})
"""Kinds of values that keep the texts with which they are indexed as names: `Optional["Node"]`."""


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a text that may be names, and keys by the name that they are looked up in.

    `given` are the names of arguments, whose values are data.
    """

    names: frozenset[str]
    keys: Mapping[str, frozenset[str]]
    given: frozenset[str]


def names_read(texts: Sequence[str], event: CellRun) -> set[str]:
    """Return the names that a run of texts may have read if they had been there."""
    before, inputs = event["before"], event["inputs"]
    if inputs is None or any(held["kind"] == HOME for held in before.values()):
        return words_of(*texts)
    names = {*inputs["sought"]}
    for words in map(_words, texts):
        names |= words.names
        for holder, keys in words.keys.items():
            kind = before[holder]["kind"] if holder in before else ""
            is_data = holder in words.given or (kind and kind not in _NO_DATA)
            if not is_data or kind.startswith("typing."):
                names |= keys
    return names


@lru_cache(maxsize=2_000)
def _words(text: str) -> _Words:
    tree = parsed(text)
    if tree is None:
        return _Words(frozenset(words_of(text)), {}, frozenset())
    names, given, keys = set[str](), set[str](), dict[str, frozenset[str]]()
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, within = waiting.pop()
        inner = [*ast.iter_child_nodes(node)]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.arg):
            given.add(node.arg)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            told = frozenset(words_of(*_keys(node.slice)))
            keys[node.value.id] = keys.get(node.value.id, frozenset()) | told
            inner = [node.value, *_but_keys(node.slice)]
        within = within or isinstance(node, _OWN_CODE)
        if within or not isinstance(node, ast.Attribute):
            names.update(words_of(*_texts_of(node)))
        waiting += [(each, within) for each in inner]
    return _Words(frozenset(names), keys, frozenset(given))


def _texts_of(node: ast.AST) -> Iterator[str]:
    """Yield the texts that a node of a tree holds itself, in which names may stand."""
    for field, value in ast.iter_fields(node):
        if _NO_NAMES.get(type(node)) != field:
            yield from (each for each in _listed(value) if isinstance(each, str))


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _keys(node: ast.expr) -> Iterator[str]:
    """Yield the texts by which something is looked up, alone or several."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, (ast.Tuple, ast.List)):
        for part in node.elts:
            yield from _keys(part)


def _but_keys(node: ast.expr) -> Iterator[ast.AST]:
    if isinstance(node, (ast.Tuple, ast.List)):
        for part in node.elts:
            yield from _but_keys(part)
    elif not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        yield node
