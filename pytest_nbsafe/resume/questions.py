"""What a kernel is asked, as a key: two texts that mean the same are one question.

The text of a cell counts as Python reads it, so that a comment, a blank line or another way to
write a string asks nothing new. Where more than the meaning may show in what the cell gives (a
magic, a semicolon that silences the last line, a text that reads its own source), each character
counts; what stands in comments makes no text such a one.
"""

from __future__ import annotations

import ast
import functools
import io
import json
import tokenize
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_nbsafe import patterns
from pytest_nbsafe.resume.text_patterns import is_literal
from pytest_nbsafe.store.list_hash import hashed

_HISTORY = patterns.compile(r"\b(?:In|Out|_i{1,3}|_[hd]h|_\d+|_i\d+|__?_?)\b")
"""Names that IPython binds anew with each run."""
_HISTORY_MAGIC = patterns.compile(
    r"^[ \t]*%(?:hist(?:ory)?|recall|rerun|rep|macro|save|edit|pastebin|notebook)\b", 8
)
"""Magics that read the texts of earlier runs; 8 is `re.MULTILINE`."""
_RUNS_TEXT = patterns.compile(
    r"\b(?:exec|eval|globals|locals|vars|dir|user_ns|user_global_ns|__main__)\b"
)
"""Texts that may read names that stand in no place of a name."""
_TEXTS = 1024
"""So many texts are known by their keys: each is asked about anew whenever a cell runs."""
_IN_TEXT = patterns.compile(r"@[ \t]*(\w+)")


@functools.lru_cache(_TEXTS)
def of_cell(source: str) -> str:
    """Return the key of a cell's text."""
    return hashed("run", _meaning(source))


def of_cells(kind: str, sources: Sequence[str], options: Mapping[str, Any]) -> str:
    """Return the key of texts that run on the side, each character of them counting."""
    return hashed(kind, json.dumps([list(sources), options], sort_keys=True))


def asks_history(source: str) -> bool:
    """Return whether a text may read what IPython keeps of earlier runs.

    What it binds itself without reading it (`for _ in range(3)`) asks for nothing.
    """
    if _HISTORY_MAGIC.search(source):
        return True
    if not _HISTORY.search(source):
        return False
    tree = None if _RUNS_TEXT.search(source) else parsed(source)
    if tree is None:
        return True
    return any(_HISTORY.fullmatch(name) for node in ast.walk(tree) for name in _read_by(node))


def _read_by(node: ast.AST) -> Iterator[str]:
    """Yield the name that a node of a tree reads, those in texts (`"v > @_"`) too."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target.id
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from _IN_TEXT.findall(node.value)


def _meaning(source: str) -> str:
    """Return what stands for a text: its tree, or the text itself where each character counts."""
    if _is_literal(source):
        return f"text {source}"
    tree = parsed(source)
    try:
        return f"text {source}" if tree is None else f"tree {ast.dump(tree)}"
    except RecursionError:  # a sum of a thousand parts
        return f"text {source}"


def _is_literal(source: str) -> bool:
    """Return whether each character of a text may count, but for what its comments say."""
    if not is_literal(source):
        return False
    return "#" not in source or is_literal(_without_comments(source))


def _without_comments(source: str) -> str:
    """Return a text of Python without its comments, any other as it is."""
    lines = source.split("\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                line, start = token.start
                lines[line - 1] = lines[line - 1][:start]
    except (tokenize.TokenError, SyntaxError):
        return source
    return "\n".join(lines)


def parsed(source: str) -> ast.Module | None:
    """Return the tree of a text of plain Python, None for any other."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
