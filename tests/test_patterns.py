"""No regular expression of the package takes more than linear time, whatever a notebook holds.

Every expression is found in the source, and matched by a counting matcher against texts made from
its own parts, once with texts of one length and once with four times that: the steps may grow
four times as well, with some room, and not sixteen times.
"""

import ast
import math
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from backtracking import Counter, attacks, steps
from tiers import spread

PACKAGE = Path(__file__).parents[1] / "pytest_nbsafe"
_ANYWHERE = frozenset({"sub", "subn", "split", "search", "findall", "finditer"})
_FROM_HERE = frozenset({"match", "fullmatch"})
_SHORT, _FACTOR, _MOST = 25, 4, 50_000
_MADE_OF_WORDS = "name|other"
"""Stands for what an expression is built from at run time: words of the libraries' data."""


class Expression(NamedTuple):
    """A regular expression of the package, and whether it is tried at every place of a text."""

    place: str
    text: str
    flags: int
    anywhere: bool


def _text(node: ast.AST, constants: Mapping[str, str]) -> str | None:
    """Return the text of a literal; None for what is none.

    Formatted parts are replaced by what the file's `constants` of that name are, others by words.
    """
    if isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.Name):
        return constants.get(node.value.id)
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        return node.value if isinstance(node.value, str) else node.value.decode("latin-1")
    if isinstance(node, ast.JoinedStr):
        parts = [_text(part, constants) or _MADE_OF_WORDS for part in node.values]
        return "".join(parts)
    if isinstance(node, ast.BinOp):
        left, right = _text(node.left, constants), _text(node.right, constants)
        return None if left is None or right is None else left + right
    return None


def _assigned(tree: ast.Module) -> Iterator[ast.Assign]:
    return (node for node in tree.body if isinstance(node, ast.Assign))


def _name(node: ast.Assign) -> str:
    return node.targets[0].id if isinstance(node.targets[0], ast.Name) else ""


def _constants(tree: ast.Module) -> dict[str, str]:
    """Return the texts that names of a module stand for."""
    return {
        _name(node): text for node in _assigned(tree) if (text := _text(node.value, {})) is not None
    }


def _flags(call: ast.Call, tree: ast.Module) -> int:
    """Return the flags of a call: by their names, as a number, or as a constant of the module."""
    for given in call.args[1:]:
        named = given.id if isinstance(given, ast.Name) else None
        for node in (given, *(n.value for n in _assigned(tree) if _name(n) == named)):
            if isinstance(node, ast.Constant) and isinstance(node.value, int):
                return node.value
    names = {node.attr for node in ast.walk(call) if isinstance(node, ast.Attribute)}
    names &= set(re.RegexFlag.__members__)
    return int(sum((re.RegexFlag[name] for name in names), re.RegexFlag(0)))


def _uses(source: str, name: str) -> set[str]:
    return set(re.findall(rf"\b{re.escape(name)}(?:\(\))?\.(\w+)", source))


def expressions() -> Iterator[Expression]:
    """Yield every regular expression that the package's source holds."""
    for file in sorted(PACKAGE.rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        if not re.search(r"\b(?:re|patterns)\.", source):
            continue
        tree = ast.parse(source)
        constants = _constants(tree)
        names = {
            id(node.value): _name(node)
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and _name(node)
        }
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            method, owner = node.func.attr, node.func.value
            if not (isinstance(owner, ast.Name) and owner.id in {"re", "patterns"} and node.args):
                continue
            if method not in {"compile", *_ANYWHERE, *_FROM_HERE}:
                continue
            text = _text(node.args[0], constants)
            place = f"{file.relative_to(PACKAGE)}:{node.lineno}"
            if text is None:
                continue
            used = {method}
            if method == "compile":
                used = _uses(source, names.get(id(node), "")) & {*_ANYWHERE, *_FROM_HERE}
            yield Expression(place, text, _flags(node, tree), not used or not used <= _FROM_HERE)


def _deep(do: Callable[[], tuple[float, str]]) -> tuple[float, str]:
    """Run something with a stack for as many frames as a text has characters."""
    results: list[tuple[float, str]] = []
    size = threading.stack_size(256 * 1024 * 1024)
    thread = threading.Thread(target=lambda: results.append(do()))
    deep = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    thread.start()
    thread.join()
    threading.stack_size(size)
    sys.setrecursionlimit(deep)
    return results[0]


def growth(expression: Expression) -> tuple[float, str]:
    """Return how many times more steps four times the text takes, at most, and that text.

    Where that is many, the text is made longer once more: what repeats within a limit comes to it.
    """
    worst = (0.0, "")
    lengths = [_SHORT * _FACTOR**power for power in range(3)]
    texts = (attacks(expression.text, expression.flags, length) for length in lengths)
    for short, long, longer in zip(*texts, strict=True):
        ratio = _rise(expression, short, long)
        if ratio >= 2 * _FACTOR:
            ratio = min(ratio, _rise(expression, long, longer))
        worst = max(worst, (ratio, long))
        if worst[0] >= 2 * _FACTOR:
            break
    return worst


def _rise(expression: Expression, short: str, long: str) -> float:
    few, many = (
        steps(expression.text, expression.flags, text, _MOST, anywhere=expression.anywhere)
        for text in (short, long)
    )
    return math.inf if many > _MOST else many / max(few, _SHORT)


BOUNDED = {
    "notebook/escapes.py": "what stands before a `?` is cut to its last 400 characters",
    "trace/drift.py": "what is repeated is at most 200 characters long",
}
"""Files with an expression that repeats within a limit, which a long text does not raise."""
ALL = tuple(expressions())


def test_the_expressions_are_found() -> None:
    assert len(ALL) > 100
    assert sum(expression.anywhere for expression in ALL) > 40


def _ratio(text: str) -> float:
    return _deep(lambda: growth(Expression("", text, 0, anywhere=True)))[0]


@pytest.mark.parametrize("text", [r"(?:a+)+b", r"\s+x", r"a*a*b", r"(?:a|a)*b", r"\w+\("])
def test_the_measure_tells_what_is_slow(text: str) -> None:
    assert _ratio(text) >= 2 * _FACTOR


@pytest.mark.parametrize("text", [r"\w+", r"x\s+y", r"^\s*x", r"\b[a-z]+\d", r"a[^b\n]{0,9}b"])
def test_the_measure_tells_what_is_not(text: str) -> None:
    assert _ratio(text) < 2 * _FACTOR


@pytest.mark.parametrize("pattern", [r"(a*)b\1", r"(?:ab|a.)*c", r"\ba\w*?b$", r"(?<!a)b+[^c]"])
@pytest.mark.parametrize("text", ["aab aa", "abacabad", "a1b ab", "bb abb bbb"])
def test_the_matcher_finds_what_re_finds(pattern: str, text: str) -> None:
    counter = Counter(pattern, 0, text, _MOST)
    for at in range(len(text) + 1):
        match = re.compile(pattern).match(text, at)
        assert counter.ends(at) == ([match.end()] if match else [])


@pytest.mark.parametrize("expression", spread(6, 2, ALL), ids=lambda expression: expression.place)
def test_time_grows_with_the_text_and_no_faster(expression: Expression) -> None:
    ratio, text = _deep(lambda: growth(expression))
    bounded = expression.place.partition(":")[0] in BOUNDED
    assert ratio < 2 * _FACTOR or bounded, (expression.text, text)
