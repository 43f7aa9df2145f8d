"""Notebooks that something went wrong with: fixtures, changed at random, each known by a number."""

from __future__ import annotations

import io
import json
import tokenize
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

FIXTURES = Path(__file__).parents[2] / "fixtures"
MOST_BYTES = 1_000_000


def notebook(number: int) -> bytes:
    """Return the file of a number: two of three parse as JSON, all but a few as notebooks."""
    random = Random(number)
    page = json.loads(random.choice(_seeds()))
    for _ in range(random.randint(1, 3)):
        _change_sources(page, random)
    if random.random() < 0.4:
        for _ in range(random.randint(1, 4)):
            _change_json(page, random)
    text = json.dumps(page, ensure_ascii=random.random() < 0.5, indent=random.choice([None, 1]))
    content = text.encode("utf-8", "surrogatepass")
    if random.random() < 0.2:
        content = random.choice(_BYTES)(content, random)
    return content[:MOST_BYTES]


def runnable(number: int) -> bytes:
    """Return the file of a number whose cells were changed and nothing else, for a kernel."""
    random = Random(number)
    page = json.loads(random.choice(_seeds()))
    page["metadata"]["kernelspec"] = {"name": "python3", "display_name": "", "language": "python"}
    for _ in range(random.randint(1, 4)):
        _change_sources(page, random, _OF_RUNS)
    return json.dumps(page).encode("utf-8")


def configuration(number: int) -> str:
    """Return the text of an nbsafe.toml: most are understood, some are not TOML."""
    random = Random(number)
    rows = random.choices(_SETTINGS, k=random.randint(0, 3))
    text = "\n".join(rows).replace("VALUE", json.dumps(_value(random), allow_nan=False))
    return text[: random.randrange(len(text))] if text and random.random() < 0.2 else text


def baseline(number: int, name: str) -> bytes:
    """Return the text of a baseline for a notebook: some are understood."""
    random = Random(number)
    entry = {"code": "NBS101", "fingerprint": "0" * 16, "message": _word(random)}
    page: Any = {"version": 1, "notebooks": {name: [entry, entry], _word(random): [entry]}}
    if random.random() < 0.6:
        _change_json(page, random)
    content = json.dumps(page).encode("utf-8")
    return random.choice(_BYTES)(content, random) if random.random() < 0.3 else content


@cache
def _seeds() -> tuple[str, ...]:
    return tuple(
        file.read_text("utf-8") for file in sorted(FIXTURES.rglob("*.ipynb")) if _good(file)
    )


def _good(file: Path) -> bool:
    try:
        page = json.loads(file.read_bytes())
        return page["nbformat"] == 4 and bool(_code_cells(page))
    except (ValueError, KeyError, TypeError):
        return False


@cache
def _statements() -> tuple[str, ...]:
    """Return the lines of all seeds that stand for themselves."""
    found = {
        line
        for seed in _seeds()
        for cell in _code_cells(json.loads(seed))
        for line in _source(cell).splitlines()
        if line.strip() and not line.startswith((" ", "\t"))
    }
    return tuple(sorted(found))


# -- bytes -----------------------------------------------------------------------------------------


def _cut(content: bytes, random: Random) -> bytes:
    return content[: random.randrange(len(content) + 1)]


def _other_bytes(content: bytes, random: Random) -> bytes:
    changed = bytearray(content)
    for _ in range(random.randint(1, 8)):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def _inserted(content: bytes, random: Random) -> bytes:
    at = random.randrange(len(content) + 1)
    piece = random.choice([b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"[" * 50_000, b'{"a":' * 3_000])
    return content[:at] + piece + content[at:]


_BYTES: tuple[Callable[[bytes, Random], bytes], ...] = (
    _cut,
    _other_bytes,
    _inserted,
    lambda content, _: b"\xef\xbb\xbf" + content,
    lambda content, _: content.decode("utf-8", "replace").encode("utf-16"),
    lambda content, _: content.replace(b"\n", b"\r\n"),
    lambda content, _: content.replace(b'"cells"', b'"cells": [], "cells"', 1),
    lambda content, _: content.replace(b'"source"', b'"source": 1, "source"'),
    lambda content, random: content.replace(b"1", random.choice([b"9" * 5_000, b"1e999", b"NaN"])),
    lambda content, random: content.replace(b"4", b"%d" % random.choice([0, 1, 2, 3, 5]), 1),
    lambda _, random: random.choice([b"", b"\n", b"null", b"[]", b"\0" * 99, b"# %%\nx = 1\n"]),
    lambda content, _: b"---\njupyter: {}\n---\n```python\n" + content[:200] + b"\n```\n",
)


# -- JSON ------------------------------------------------------------------------------------------


def _change_json(page: Any, random: Random) -> None:
    """Change one place in a tree of JSON: another value, another key, a copy, none."""
    places = list(_places(page))
    if not places:
        return
    parent, key = random.choice(places)
    change = random.randrange(4)
    if change == 0:
        parent[key] = _value(random)
    elif change == 1:
        del parent[key]
    elif isinstance(parent, dict):
        parent[_word(random)] = parent.pop(key) if change == 2 else parent[key]
    else:
        parent.insert(key, parent[key])


def _places(tree: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    rest = [tree]
    while rest:
        parent = rest.pop()
        keys = list(parent) if isinstance(parent, dict) else range(len(parent))
        found.extend((parent, key) for key in keys)
        rest.extend(parent[key] for key in keys if isinstance(parent[key], dict | list))
    return found


def _value(random: Random) -> Any:
    """Return a value that nobody expects, of any type."""
    deep: Any = []
    for _ in range(random.choice([3, 300])):
        deep = [deep] if random.random() < 0.5 else {"a": deep}
    simple = [None, True, 0, -1, 2, 3, 10**30, 1.5, "", "code", [], {}, [None], ["\n"], [[1]], deep]
    return random.choice(
        [*simple, _word(random), {"tags": [_word(random)]}, [{"cell_type": "code"}]]
    )


def _word(random: Random) -> str:
    """Return a text that means something somewhere, or does something to a terminal."""
    return random.choice(
        [
            *("nbformat", "cells", "source", "metadata", "cell_type", "outputs", "tags", "id"),
            *("raises-exception", "skip-execution", "parameters", "nbsafe-skip", "nbsafe: ignore"),
            *("execution_count", "output_type", "text/plain", "data", "name", "language"),
            *("\x1b[31mred\x1b]0;title\x07", "a\0b", "\ud800", "\u202eabc", "a\nb\r\tc", "é" * 3),
            *("x" * 5_000, "../../x", "%s{}%(a)s", "<script>", "']]>", "NBS101", "[" * 999),
        ]
    )


# -- sources ---------------------------------------------------------------------------------------


def _code_cells(page: Any) -> list[dict[str, Any]]:
    return [cell for cell in page["cells"] if cell["cell_type"] == "code"]


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


Change = Callable[[str, Random], str]


def _change_sources(page: Any, random: Random, changes: tuple[Change, ...] = ()) -> None:
    """Change the text of one code cell, its count, or where it stands."""
    cell = random.choice(_code_cells(page))
    cell["source"] = random.choice(changes or _CHANGES)(_source(cell), random)
    if random.random() < 0.3:
        cell["execution_count"] = random.choice([None, 1, 2, 99])
    if random.random() < 0.2:
        cell["metadata"] = {"tags": [_word(random)]}
    if random.random() < 0.3:
        random.shuffle(page["cells"])


def _tokens(source: str) -> list[str]:
    try:
        return [token.string for token in tokenize.generate_tokens(io.StringIO(source).readline)]
    except (SyntaxError, tokenize.TokenError, ValueError):
        return source.split()


def _tokens_swapped(source: str, random: Random) -> str:
    tokens = _tokens(source)
    for _ in range(2 if tokens else 0):
        one, other = random.randrange(len(tokens)), random.randrange(len(tokens))
        tokens[one], tokens[other] = tokens[other], tokens[one]
    return " ".join(tokens)


def _token_dropped(source: str, random: Random) -> str:
    token = random.choice(_tokens(source) or [""])
    return source.replace(token, "", 1)


def _token_repeated(source: str, random: Random) -> str:
    token = random.choice(_tokens(source) or [""]) or "("
    times = random.choice([2, 50, 1_000, 10_000])
    return source.replace(token, (token + random.choice(["", " ", "\n"])) * times, 1)


def _line_replaced(source: str, random: Random) -> str:
    lines = source.split("\n")
    lines[random.randrange(len(lines))] = random.choice(_statements())
    return "\n".join(lines)


def _statements_mixed_in(source: str, random: Random) -> str:
    lines = source.split("\n")
    for _ in range(random.randint(1, 6)):
        lines.insert(random.randrange(len(lines) + 1), random.choice(_statements()))
    return "\n".join(lines)


def _in_a_block(source: str, random: Random) -> str:
    heads = ("if x:", "for x in y:", "while x:", "with x as y:", "def f(x=y):", "class A(x):")
    more = ("async def f():", "try:", "match x:\n case {'a': [b, *c]} | A(b=c) if b:")
    head = random.choice([*heads, *more])
    body = "\n".join(f"    {line}" for line in source.split("\n"))
    return f"{head}\n{body}" + ("\nfinally:\n    pass" if head == "try:" else "")


_NESTS = (
    "[{} for a in b if (c := a)]",
    "{{a: {} for a, *b in c}}",
    "(lambda a, *b, c=d, **e: {})",
    "f'{{{}!r:>{{w}}}}'",
    "({}).a",
    "f({}, *a, **b)",
    "({})[a:b, ...]",
    "(await {})",
    "(x := {})",
    "({} if a else b)",
    "df.groupby({}).transform(f)",
    "scaler.fit_transform({})",
)


def _nested(source: str, random: Random) -> str:
    expression = "x"
    for _ in range(random.choice([1, 3, 10, 40, 150])):
        expression = random.choice(_NESTS).format(expression)
    return f"{source}\nx = {expression}"


def _chained(source: str, random: Random) -> str:
    links = random.choice([".a", "(1)", "[0]", ".f(x)", " + x", " and x", " if x else x", ", x"])
    return f"{source}\nx = x{links * random.choice([5, 100, 1_000, 5_000])}"


def _with_magic(source: str, random: Random) -> str:
    magics = (
        *("%matplotlib inline", "%%time", "%%bash", "%%writefile a.py", "%run ./a.py", "!pip x"),
        *("%", "!", "?", "??x", "x?", "%%", "%%html\n<b>", "%cd {x}", "a = !ls $x", "a = %pwd"),
        *("!" + "{" * 5_000, "%" + "$" * 5_000, "%load_ext a", "%%capture out", "%autoreload 2"),
    )
    magic = random.choice(magics)
    return f"{magic}\n{source}" if random.random() < 0.7 else f"{source}\n{magic}"


def _with_comment(source: str, random: Random) -> str:
    comments = (
        *("# nbsafe: ignore", "# nbsafe: ignore[NBS101]", "# nbsafe: ignore[", "# nbsafe:"),
        *("# nbsafe: ignore[NBS999]", "# nbsafe: ignore[stale-output] because", "#nbsafe:ignore[]"),
        *(
            "# nbsafe: ignore" + "[" * 5_000,
            "# nbsafe: skip",
            "# nbsafe: \x1b[31m",
            "# noqa",
            "#\0",
        ),
    )
    lines = source.split("\n")
    at = random.randrange(len(lines))
    lines[at] = f"{lines[at]}  {random.choice(comments)}"
    return "\n".join(lines)


def _with_character(source: str, random: Random) -> str:
    strange = ["\0", "\x0c", "\r", "\u2028", "\x1b[31m", "\ud800", "\u202e", "\t", "\\", "'", '"""']
    at = random.randrange(len(source) + 1)
    return source[:at] + random.choice([*strange, "π", "\uff41", "9" * 5_000]) + source[at:]


_OF_RUNS: tuple[Change, ...] = (
    _tokens_swapped,
    _token_dropped,
    _line_replaced,
    _statements_mixed_in,
    _in_a_block,
    _nested,
    _with_comment,
)
_CHANGES = (*_OF_RUNS, _token_repeated, _chained, _with_magic, _with_character)


# -- configuration ---------------------------------------------------------------------------------

_SETTINGS = (
    'order = "inferred"',
    "order = VALUE",
    "notes = true",
    "strict = true",
    'select = ["NBS1"]',
    "select = VALUE",
    "ignore = VALUE",
    "timeout = VALUE",
    "notebook-timeout = VALUE",
    "jobs = VALUE",
    "max-notebook-mb = VALUE",
    "kernel = VALUE",
    "baseline = VALUE",
    'baseline = "baseline.json"',
    'baseline = "input.ipynb"',
    'leakage = "static"',
    "leakage = VALUE",
    "[leakage.sklearn]\nlearns = VALUE",
    "libraries = VALUE",
    "[libraries.pandas.leakage]\nlearns = VALUE",
    '[per-file-ignores]\n"*.ipynb" = VALUE',
    "per-file-ignores = VALUE",
    "contract = VALUE",
    '[[contract]]\nname = "a"\nsql = "SELECT cell, source FROM cells"',
    '[[contract]]\nname = "a"\nsql = VALUE',
    "VALUE = 1",
    "\x00",
)
