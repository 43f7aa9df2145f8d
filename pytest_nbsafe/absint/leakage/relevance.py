"""Which notebooks are looked at for leaks: those that name a library that learns."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_nbsafe.libraries import datafiles

_JUDGING = (
    "score", "predict", "evaluate", "cross_val", "_error", "_curve", "_report", "_loss", "accuracy",
    "no_grad", "backward(", "argmax",
)  # fmt: skip
"""What a notebook holds somewhere if it evaluates anything."""


def names_learning(sources: Iterable[str], extra: str = "") -> bool:
    """Return whether a source names a library that learns, or a module of the user's table.

    Where surely nothing is evaluated the answer is no, for nothing can leak. `extra` is the user's
    `[tool.nbsafe.leakage]` as JSON text.
    """
    page, words = "\n".join(sources), datafiles.words("library", "learns")
    if extra:
        import json

        words |= {table.partition(".")[0] for table in json.loads(extra)}
    elif not any(word in page for word in _JUDGING):
        return False
    return any(_names(page, word) for word in words)


def _names(source: str, word: str) -> bool:
    """Return whether a source holds a word: a search for the text first, for most hold none."""
    if word not in source:
        return False
    import re

    return re.search(rf"\b{re.escape(word)}\b", source) is not None
