"""The install commands of a notebook, in its magics, its shell lines and its calls."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis import syntax, trees
from pytest_nbsafe.analysis.invocations import Text
from pytest_nbsafe.analysis.model import Graph, Span
from pytest_nbsafe.libraries.datafiles import section
from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.values import dataclass

_INSTALL = patterns.compile(r"\binstall\b")
_BY_CALL = patterns.compile(r"\b(?:system|popen|subprocess|pip)\b")


@dataclass(frozen=True, slots=True)
class Package:
    """One package that a command installs; `name` is "" when the command does not say it.

    `pinned`: two runs of the command install the same thing, or something that is pinned elsewhere
    (a local path, an archive at an address); an upper bound counts too.
    """

    name: str
    pinned: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Install:
    """One command that installs packages; `tool` is "pip" or "conda"."""

    cell: int
    tool: str
    packages: tuple[Package, ...]


@dataclass(frozen=True, slots=True)
class _Word:
    """One word of a command line, without quotes, and where it stands."""

    text: str
    span: Span


def of(graph: Graph) -> tuple[Install, ...]:
    """Return the commands of a notebook that install packages, by cell and line."""
    cells = (cell for cell in graph.notebook.code_cells if _INSTALL.search(cell.source))
    return tuple(
        install
        for cell in cells
        for words in _commands(graph, cell)
        for install in _read(cell, words)
    )


# -- where commands stand --------------------------------------------------------------------------

_SHELLS = frozenset({"bash", "sh", "script", "cmd", "!", "sx", "system"})
_RUNNERS = frozenset({
    "os.system", "os.popen", "pip.main", "pip._internal.main", "pip._internal.cli.main.main",
    "subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output",
    "subprocess.Popen", "subprocess.getoutput", "subprocess.getstatusoutput",
})  # fmt: skip
_TOKEN = patterns.compile(
    r"""
      (?P<comment>(?<!\S)\#[^\n]*)
    | (?P<end>&&|\|\||[;|&\n])
    | \\\n
    | (?P<word>(?:"[^"\n]*"|'[^'\n]*'|\\[^\n]|[^\s;|&"'\\]|["'])+)
    """,
    re.VERBOSE,
)


def _commands(graph: Graph, cell: Cell) -> Iterator[list[_Word]]:
    """Yield the words of each shell command of a cell, also those of calls that run one."""
    lines = cell.source.split("\n")
    shell_lines: dict[int, None] = {}
    for escape in trees.python_of(graph, cell.number).escapes:
        if escape.kind != "opaque-cell":
            shell_lines[escape.line] = None
        elif escape.name in _SHELLS:
            yield from _split("\n".join(lines[escape.line :]), escape.line + 1)
    for first in shell_lines:
        last = first
        while lines[last - 1].endswith("\\") and last < len(lines):
            last += 1
        yield from _split("\n".join(lines[first - 1 : last]), first)
    if _BY_CALL.search(cell.source):
        yield from _called(graph, cell)


def _split(text: str, first: int) -> Iterator[list[_Word]]:
    """Yield the words of each simple command in a piece of a cell that begins at line `first`."""
    starts = [0, *(end.end() for end in re.finditer("\n", text))]
    words: list[_Word] = []
    for token in _TOKEN.finditer(text):
        if token["end"]:
            yield words
            words = []
        elif token["word"]:
            row = bisect_right(starts, token.start()) - 1
            column = token.start() - starts[row] + 1
            span = Span(first + row, column, first + row, column + len(token["word"]))
            words.append(_Word(re.sub(r"[\"']", "", token["word"]), span))
    yield words


def _called(graph: Graph, cell: Cell) -> Iterator[list[_Word]]:
    """Yield the words of commands that calls such as `subprocess.run` run.

    A list's words are its texts: what is no text (`sys.executable`) is left out.
    """
    shown = syntax.of(graph, cell.number)
    runners = {i: call for i, call in enumerate(shown.invocations) if call.target in _RUNNERS}
    for index, call in runners.items():
        texts = [text for text in shown.texts if index in text.calls]
        if call.target.startswith("pip."):
            texts = [Text("pip", call.span), *texts]
        if len(texts) == 1:
            spans = _split(texts[0].value, 1)
            yield from ([_Word(word.text, texts[0].span) for word in words] for words in spans)
        else:
            yield [_Word(text.value, text.span) for text in texts]


# -- what a command installs -----------------------------------------------------------------------

_TOOL = patterns.compile(r"(?:\S*[/\\]|[!%]*)(pip|conda|mamba|micromamba)[\d.]*(?:\.exe)?")


@cache
def _valued(tool: str) -> frozenset[str]:
    """Return the options of a tool that take a value."""
    return frozenset(dict(section("installs"))[tool]["valued"])


_PINS_ALL = frozenset({"-c", "--constraint"})
_HEAD = patterns.compile(r"([A-Za-z][\w.\-]*)\s*(\[[^\]]*\])?\s*(.*)", re.DOTALL)
_BRANCHES = r"(?:refs/heads/)?(?:main|master|HEAD|develop|dev|trunk|latest)"
_MOVING = patterns.compile(rf"/archive/{_BRANCHES}\.|@{_BRANCHES}(?:#|$)")
_REVISION = patterns.compile(r"@[^/@]+(?:/[^/@]+)*$")


def _read(cell: Cell, words: Sequence[_Word]) -> Iterator[Install]:
    """Yield the install command that the words of a simple command are, if they are one."""
    texts = [word.text for word in words]
    if "install" not in texts:
        return
    at = texts.index("install")
    before = [text for text in texts[:at] if not text.startswith("-")]
    tool = _TOOL.fullmatch(before[-1]) if before else None
    if tool is None or before[0].lstrip("!%") in {"echo", "print", "printf"}:
        return
    kind = "pip" if tool[1] == "pip" else "conda"
    packages = tuple(_packages(words[at + 1 :], kind))
    if packages:
        yield Install(cell.number, kind, packages)


def _packages(words: Sequence[_Word], tool: str) -> Iterator[Package]:
    constrained = tool == "pip" and any(word.text.partition("=")[0] in _PINS_ALL for word in words)
    skip = False
    for position, word in enumerate(words):
        text = word.text
        after = words[position + 1].text if position + 1 < len(words) else ""
        if skip or text.startswith(("-", ">", "<", "=", "1>", "2>", "&>")):
            skip = not skip and (text in _valued(tool) or text in {">", ">>", "1>", "2>", "=="})
        elif "{" not in text and "$" not in text and "%" not in text and text:
            pinned = constrained or after.startswith("=") or after == "@"
            yield _package(text, tool, word.span, pinned=pinned)


def _package(text: str, tool: str, span: Span, *, pinned: bool) -> Package:
    head = _HEAD.fullmatch(text.rpartition("::")[2])
    if "://" in text or text.startswith("git+"):
        name, _, address = text.rpartition("@ ") if "@ " in text else ("", "", text)
        name = name.partition("[")[0].strip() or _repository(address)
        return Package(name, pinned or _is_fixed(address), span)
    is_path = "/" in text or "\\" in text or text.endswith((".whl", ".gz", ".zip", ".bz2"))
    if head is None or is_path:
        return Package("", pinned=True, span=span)
    name, extras, wanted = head[1], head[2] or "", head[3]
    if tool == "conda":
        pinned = pinned or "version" in extras or wanted.startswith("=")
    return Package(name, pinned or any(mark in wanted for mark in ("==", "~=", "<", "@")), span)


def _repository(address: str) -> str:
    """Return the last part of an address, without `.git`, a revision, or what is behind a `#`."""
    address = re.sub(r"//[^/@]*@", "//", address.partition("#")[0], count=1)  # ssh://git@host
    path = address.partition("@")[0]
    name = path.rstrip("/").rpartition("/")[2].removesuffix(".git")
    return name if re.fullmatch(r"[\w.\-]+", name) else ""


def _is_fixed(address: str) -> bool:
    """Tell whether an address names a revision, or a file: a branch moves, and so does its tip."""
    if _MOVING.search(address):
        return False
    return not address.startswith("git+") or bool(
        _REVISION.search(address.partition("#")[0].partition("://")[2].partition("/")[2])
    )


def names(installs: Iterable[Install]) -> frozenset[str]:
    """Return the names of all packages that are installed, as they are written."""
    return frozenset(p.name for install in installs for p in install.packages if p.name)
