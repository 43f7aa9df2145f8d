"""What the text of a cell says itself, and its saved output shows otherwise.

`print("accuracy:", ...)` prints these words with any version of any library, and `Model(depth=3)`
is shown with no other depth: what was saved is then not of this text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis import trees
from pytest_nbsafe.analysis.model import Graph, kept
from pytest_nbsafe.judge.printed_beside import prints_anyway
from pytest_nbsafe.notebook.model import Output

_TELLING = 4
"""How many letters and digits of a text are not found elsewhere by chance."""
_NOT_PYTHON = patterns.compile(r"<[^<>]*>")
_Value = str | float | bytes | complex | None


def is_of_other_text(
    graph: Graph, cell: int, saved: Sequence[Output], new: Sequence[Output]
) -> bool:
    """Return whether the saved output of a cell can only be of another text than it has now."""
    before, after = (_stream(each) for each in (saved, new))
    if before.strip():
        words = (each for each in prints_anyway(graph, cell) if _is_telling(each))
        if any(each in after and each not in before for each in words):
            return True
    results = [[o.text for o in each if o.kind == "execute_result"] for each in (saved, new)]
    pairs = zip(*results, strict=False)
    return any(_is_set_otherwise(_settings(graph), old, now) for old, now in pairs)


def _stream(outputs: Sequence[Output]) -> str:
    return "".join(o.text for o in outputs if o.kind == "stream" and o.name == "stdout")


def _is_telling(words: str) -> bool:
    return sum(map(str.isalnum, words)) >= _TELLING


def _is_set_otherwise(
    written: Mapping[tuple[str, str], frozenset[_Value]], saved: str, new: str
) -> bool:
    """Return whether two objects are shown with another value of what a text sets for the new."""
    before, after = (dict(_shown_settings(text)) for text in (saved, new))
    return any(
        value in written.get(key, ()) and before[key] not in written[key]
        for key, value in after.items()
        if key in before and before[key] != value
    )


def _shown_settings(text: str) -> Iterator[tuple[tuple[str, str], _Value]]:
    """Yield class, name and value of what an object is shown to be set to: `Model(depth=3)`."""
    try:
        tree = ast.parse(_NOT_PYTHON.sub("...", text.strip()), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    yield from _set_in(tree)


def _set_in(tree: ast.AST) -> Iterator[tuple[tuple[str, str], _Value]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        maker = node.func.attr if isinstance(node.func, ast.Attribute) else None
        maker = node.func.id if isinstance(node.func, ast.Name) else maker
        for keyword in node.keywords:
            if maker and keyword.arg and isinstance(keyword.value, ast.Constant):
                value = keyword.value.value
                if not isinstance(value, type(...)):
                    yield (maker, keyword.arg), value


@kept
def _settings(graph: Graph) -> Mapping[tuple[str, str], frozenset[_Value]]:
    """Return the values that the text of the notebook sets, by class and name."""
    settings: dict[tuple[str, str], set[_Value]] = {}
    for cell in graph.cells:
        for key, value in _set_in(trees.of(graph, cell)):
            settings.setdefault(key, set()).add(value)
    return {key: frozenset(values) for key, values in settings.items()}
