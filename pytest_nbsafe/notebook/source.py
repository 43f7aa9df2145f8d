"""IPython's syntax turned into Python that parses, line for line, without IPython."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pytest_nbsafe import patterns
from pytest_nbsafe.notebook import magics
from pytest_nbsafe.notebook.escapes import (
    Escape,
    PythonSource,
    call,
    cell_call,
    free_names,
    help_on,
    parses,
    stored_names,
    translate,
    translate_assigned,
)
from pytest_nbsafe.values import replace

__all__ = ["Escape", "PythonSource", "to_python"]


_MAY_ESCAPE = patterns.compile(
    r"""
    ^[ \t\f]*(?: [%!?,;/] | >>> | \.{3,}: | (?:\[(?:nav|ins)\]\ )?In\ \[ )  # begins a line
    | =[ \t]*[%!]                           # x = !ls
    | \?[ \t]*$                             # x?
    | \A(?:[ \t\f]*\n)*[ \t]+[^\s#]         # the first line is indented
    """,
    re.VERBOSE | re.MULTILINE,
)


def to_python(source: str) -> PythonSource:
    """Return the Python of a cell, with its number of lines kept.

    A magic, shell or help line becomes the call that IPython makes of it, with the names that
    it reads as further arguments; names that need not exist (`$HOME`) are read under a test
    `'HOME' in globals()`. Where a magic runs Python (`%time`, `%%capture`), that Python stays.
    Code in `%%timeit` runs in a function: of it only the names read from outside are kept, each
    at its place. The body of any other cell magic becomes blank lines. What is not Python with
    or without IPython is left as it is: to say so is the analysis' task, as it is for Python 2,
    which has the same escapes.

    Source: IPython.core.inputtransformer2 (9.x); `tests/notebook/test_source.py` compares.
    """
    if "\r" in source:
        source = source.replace("\r\n", "\n")
    if bare := _automagic(source):
        return bare
    if not _MAY_ESCAPE.search(source):
        return PythonSource(source)
    lines, escapes = _cell(source.split("\n"), 1, 0)
    return PythonSource("\n".join(lines), tuple(escapes))


Lines = tuple[list[str], list[Escape]]
"""Lines of Python, as many as there were, and what was escaped in them."""


def _cell(lines: list[str], first: int, depth: int) -> Lines:
    """Transform a whole cell (or the body of a cell magic) that begins at line `first`."""
    lines = _without_prompts(_dedented(lines))
    top = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if lines[top].startswith("%%") and not re.match(r"%%\w+\?", lines[top]):
        python, escapes = _cell_magic(lines[top:], first + top, depth)
        return [*lines[:top], *python], escapes
    return _statements("\n".join(lines), first)


# Indentation and prompts


_DOCTEST = patterns.compile(r"\s*>>>")
_DOCTEST_PROMPT = patterns.compile(r"^\s*(?:>>>|\.\.\.)[ \t]?")
_PROMPT = patterns.compile(r"^(?:(?:(?:\[nav\]|\[ins\])? )?In \[\d+\]: |\s*\.{3,}: ?)")
_TRIPLE = patterns.compile(r"(?<!\\)(\"\"\"|''')")


def _dedented(lines: list[str]) -> list[str]:
    """Take off the indentation that all lines share, as IPython does for a pasted block."""
    first = next((line for line in lines if line.strip()), "")
    if first[:1] not in {" ", "\t"}:
        return lines
    import textwrap

    return textwrap.dedent("\n".join(lines)).split("\n")


def _without_prompts(lines: list[str]) -> list[str]:
    if any(map(_DOCTEST.match, lines)):
        lines = _without_doctest(lines)
    top = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if any(map(_PROMPT.match, lines[top : top + 2])):
        lines = [_PROMPT.sub("", line, count=1) for line in lines]
    return lines


def _without_doctest(lines: list[str]) -> list[str]:
    """Strip `>>>` and `...` where a `>>>` stands outside of a triple-quoted string."""
    inside = _in_strings(lines)
    if not any(_DOCTEST.match(line) for line, held in zip(lines, inside, strict=True) if not held):
        return lines
    bare = [
        line if held else _DOCTEST_PROMPT.sub("", line, count=1)
        for line, held in zip(lines, inside, strict=True)
    ]
    return bare if any(inside) else _dedented(bare)


def _in_strings(lines: Iterable[str]) -> list[bool]:
    """Return for each line whether it begins inside a triple-quoted string of its own.

    A string that a line with a prompt opens is part of the pasted block, whose lines are stripped.
    """
    inside: list[bool] = []
    quote, pasted = "", False
    for line in lines:
        inside.append(bool(quote) and not pasted)
        for mark in _TRIPLE.findall(line):
            if not quote:
                quote, pasted = mark, bool(_DOCTEST_PROMPT.match(line))
            elif quote == mark:
                quote = ""
    return inside


# Cell magics


_NESTED = 20
"""Cell magics within cell magics are followed this far; nobody writes more than three."""


def _cell_magic(lines: list[str], first: int, depth: int) -> Lines:
    name, _, arguments = lines[0][2:].rstrip().partition(" ")
    known = magics.PYTHON_CELLS.get(name)
    if not known or depth > _NESTED:
        binds, cause = magics.cell_binds(name, arguments), magics.cell_cause(name)
        escape = Escape(first, "opaque-cell", name, arguments, binds, cause)
        return [cell_call(name, arguments), *[""] * (len(lines) - 1)], [escape]
    binds = magics.cell_binds(name, arguments)
    escape = Escape(first, "cell-magic", name, arguments, binds)
    body, escapes = _cell(lines[1:], first + 1, depth + 1) if lines[1:] else ([], [])
    code = arguments[known.options_end(arguments) :] if name in magics.CODE_ON_FIRST_LINE else ""
    if known.scope == "function":
        python = _outside_reads(name, arguments, code, body)
    else:
        python = [cell_call(name, arguments), *body]
        if code and parses(f"{python[0]}; {code}"):
            python[0] = f"{python[0]}; {code}"
    return python, [escape, *escapes]


def _outside_reads(name: str, arguments: str, code: str, body: list[str]) -> list[str]:
    """Return lines that read what code in a function reads from outside, each at its place.

    One call spans all lines, so that names may stand at any column: `y = f(x)` becomes
    `    f,x,`. Its bindings stay in that function, and so are gone; so is what the code changes
    in place. What does not parse stays, for the analysis to find.
    """
    head = call("run_cell_magic", (name, arguments, ""))
    places = free_names("\n".join([code, *body]))
    if places is None:
        return [head, *body]
    lines = [head[:-1] + ", ", *[""] * len(body)]
    for place in places:
        row = min(place.line, len(lines)) - 1  # a lone \r, f-strings before 3.12: past the end
        column = place.offset if row else 0
        lines[row] = lines[row].ljust(column) + place.name + ","
    lines[-1] += ")"
    return lines


# Statements: lines that begin with an escape, assignments, and help


_START = patterns.compile(r"[ \t\f]*")
_OPERATOR = patterns.compile(r"//|/=|%=|!=")
_CONTINUED = patterns.compile(r"(?:[^\n]*\\\n(?!\Z))*[^\n]*")
_ASSIGNED = patterns.compile(r"[ \t]*(?:%[^\W\d]|!(?!=))")
_TOKEN = patterns.compile(
    r"""
    (?P<quoted>
        \"\"\"[^\\]*?(?:\\.[^\\]*?)*?(?:\"\"\"|\Z)
      | '''[^\\]*?(?:\\.[^\\]*?)*?(?:'''|\Z)
      | "[^"\\\n]*(?:\\.[^"\\\n]*)*"?
      | '[^'\\\n]*(?:\\.[^'\\\n]*)*'?
      | \#[^\n]*
    )
    | (?P<joined>\\\n?)
    | (?P<end>\n)
    | (?P<open>[(\[{])
    | (?P<close>[)\]}])
    | (?P<assign>(?<![=!<>:+\-*/%&|^@~])=(?!=))
    """,
    re.VERBOSE | re.DOTALL,
)


def _statements(text: str, first: int) -> Lines:
    """Transform the escapes in Python text whose first line is line `first` of the cell."""
    out: list[str] = []
    escapes: list[Escape] = []
    at = 0
    while at < len(text):
        begin, end, translation = _next_escape(text, at, first)
        out.append(text[at:begin])
        if translation:
            out += (translation.text, "\n" * text.count("\n", begin, end))
            escapes += translation.escapes
        else:
            out.append(text[begin:end])
        first += text.count("\n", at, end)
        at = end
    return "".join(out).split("\n"), escapes


def _next_escape(text: str, at: int, line: int) -> tuple[int, int, PythonSource | None]:
    """Read one logical line; return the span of the escape in it and its Python, if any."""
    begin = _end(_START, text, at)
    mark = text[begin : begin + 1]
    if mark and mark in "%!?,;/" and not _OPERATOR.match(text, begin):
        end = _end(_CONTINUED, text, begin)
        return begin, end, translate(_for_help(text, begin, end), line)
    end, assigned, bare = _logical_line(text, begin)
    if assigned:
        stop = _end(_CONTINUED, text, assigned)
        if text[stop - 1] == "?" and (help_call := help_on(_for_help(text, begin, stop), line)):
            return begin, stop, help_call
        start = _end(_START, text, assigned)
        line += text.count("\n", begin, start)
        binds = stored_names(text[begin:assigned] + "0")
        return start, stop, translate_assigned(text[start:stop], line, binds)
    content = text[begin:end].removesuffix("\n")
    if bare and content.endswith("?") and (help_call := help_on(content, line)):
        return begin, begin + len(content), help_call
    return begin, end, None


def _for_help(text: str, begin: int, end: int) -> str:
    """Return text[begin:end], with a last `?` hidden behind a space if it is no help mark."""
    piece = text[begin:end]
    if not piece.endswith("?"):
        return piece
    held = any(t["quoted"] and t.end() == len(piece) for t in _TOKEN.finditer(piece))
    return piece + " " if held else piece


def _logical_line(text: str, begin: int) -> tuple[int, int, bool]:
    """Return where a logical line ends, after which `=` an escape stands (0: none), and its tail.

    The tail is whether the line ends outside of any string and comment.
    """
    depth, held, first = 0, begin, True
    for token in _TOKEN.finditer(text, begin):
        kind = token.lastgroup
        if kind == "quoted":
            held = token.end()
        elif kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
        elif depth:
            continue
        elif kind == "end":
            return token.end(), 0, held < token.start()
        elif kind == "assign" and first:
            first = False
            if _ASSIGNED.match(text, token.end()):
                return token.end(), token.end(), True
    return len(text), 0, held < len(text) and not depth


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


# A line of its own that calls a magic without `%`


_WORDS = patterns.compile(r"\s*([^\W\d]\w*)(?:[ \t]+([^\s=,].*?))?\s*")


def _automagic(source: str) -> PythonSource | None:
    """Return the Python of a one-line cell such as `pip install x` or `ls`; None if it is none.

    A name of the notebook goes before a magic, so a bare `ls` reads that name if it is there.
    """
    words = _WORDS.fullmatch(source)
    if not words or words[1] not in magics.automagics():
        return None
    name, arguments = words[1], words[2] or ""
    if arguments and parses(source.strip()) and not re.match(r"-[a-zA-Z]", arguments):
        return None
    translation = translate(f"%{name} {arguments}".rstrip(), 1)
    if not translation:
        return None
    python = translation.text
    if not arguments:
        python = f"{name} if {name!r} in globals() else {python}"
    blank = source.count("\n", 0, words.start(1)), source.count("\n", words.start(1))
    escapes = tuple(replace(escape, line=blank[0] + 1) for escape in translation.escapes)
    return PythonSource("\n" * blank[0] + python + "\n" * blank[1], escapes)
