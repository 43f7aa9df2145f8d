"""The door of the room: which notebooks are looked at for leaks, and one leak as the answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.libraries import datafiles
from pytest_nbsafe.values import dataclass

_JUDGING = (
    "score", "predict", "evaluate", "cross_val", "_error", "_curve", "_report", "_loss", "accuracy",
    "no_grad", "backward(", "argmax", "validation_",
)  # fmt: skip
"""What a notebook holds somewhere if it evaluates anything."""


OF_THE_PAGE = frozenset({"NBS314", "NBS321", "NBS323", "NBS324"})
"""Codes that judge a whole page: only all of its runs tell, and more runs tell nothing new."""


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


@dataclass(frozen=True, slots=True)
class Leak:
    """One leak in one order of cells; `code` says which kind.

    `certain`: it holds on every path, else on some. `cell` and `span` are where the leak comes
    from: the call or statement that learned from the rows, mixed them, or chose by their score.

    For the message: `what` learned or was used (a class or function, `StandardScaler`, `median`,
    or a column), `rows` are the name of what it was given, `test` the name of what is evaluated,
    `model` the estimator that is evaluated; each is "" where it has no name.

    `steps` are (cell, line, cause), in the order in which they happen. `verdict` is what a run says
    of it: "confirmed", "observed" when only the run shows it, "" when nothing was seen.
    """

    code: str
    certain: bool
    cell: int
    span: Span
    what: str = ""
    rows: str = ""
    test: str = ""
    model: str = ""
    steps: tuple[tuple[int, int, str], ...] = ()
    verdict: Literal["", "confirmed", "observed"] = ""
