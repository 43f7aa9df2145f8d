"""What no two runs, or no two machines, print alike, and the marks that stand for it."""

from __future__ import annotations

import re
from functools import cache

from pytest_nbsafe import patterns
from pytest_nbsafe.libraries.datafiles import words
from pytest_nbsafe.libraries.wildcards import alternatives
from pytest_nbsafe.trace.outputs.difference import Mode
from pytest_nbsafe.trace.outputs.terminal import rendered

_CALL = patterns.compile(r"[A-Za-z_]\w*\(")
_LEFT_OUT = patterns.compile(r"[A-Za-z_][\w.]*\(\.\.\.\)")
_LINE_END = patterns.compile(r"(?<=\S)[ \t]+$", re.MULTILINE)
_SPACES = patterns.compile(r"[ \t]+")
_SIGNIFICANT_DIGITS = 8
_FOLDER = r"(?:(?<![^\s'\"(<])[^\s'\"(<]{0,200}[/\\])?"
_UNIT = r"(?:ns|us|µs|μs|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b"

# -- lines that say only how long something took, or how far it is ---------------------------------

_TIMING_SIGNS = ("time", "Compiler", "slowest", "loop", "%|", "/s]", "/it]")
_TIMING = patterns.compile(
    r"(?m)^(?:CPU times: |Wall time: |Compiler : |The slowest run took )"
    r"|\bloops?,? (?:each|best of)\b|\bper loop\b"
    r"|\d%\||\d(?:it|s)/(?:s|it)\]|\?it/s\]"
)
_PROFILE_SIGN = "function calls"
_PROFILE = patterns.compile(r"^ *\d+ function calls .*\bin \d+\.\d+ (?:CPU )?seconds", re.MULTILINE)
_OF_PROFILE = patterns.compile(
    rf"{_PROFILE_SIGN} |^ *\d+(?:/\d+)?(?: +\d+\.\d{{3}}){{4}} "
    r"|^ *List reduced from \d+ to \d+ due to restriction"
)
"""Lines of what a profiler prints: rows of numbers are such only where one has said so."""

# -- lines in which the shell itself says what its session had before, or its version has ----------

_OF_THE_SHELL_SIGNS = ("_ext", "%pylab", "namespace from", "backend: ")
_OF_THE_SHELL = patterns.compile(
    r"(?m)^(?:The [\w.]+ extension is already loaded\. To reload it, use:$| +%reload_ext \S+$"
    r"|%pylab is deprecated, use |Populating the interactive namespace from "
    r"|Using \w+ backend: \S+$)"
)

# -- lines that point at a part of the line above, as tracebacks of newer versions of Python do ----

_POINTING = patterns.compile(r"^ *~*\^+~*$")

# -- within a line, in every mode ------------------------------------------------------------------

_CHANCE: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("0x", patterns.compile(r"\b0x[0-9a-fA-F]{8,}\b|(?<=\bat )0x[0-9a-fA-F]{4,}\b"), "0x..."),
    ("...", patterns.compile(r"\.\.\.0?x?[0-9a-fA-F]{8,16}(?=>|&gt;)"), "...0x..."),
    ("", patterns.compile(r"\b(?:1(?:39|40)|9[345])\d{12}(?!\d)"), "(address)"),
    (
        "-",
        patterns.compile(
            r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"
        ),
        "(id)",
    ),
    ("tmp", patterns.compile(r"\btmp[a-z0-9_]{8}\b"), "(temporary)"),
    ("ipykernel_", patterns.compile(rf"{_FOLDER}ipykernel_\d+[/\\]\d+\.py"), "(cell)"),
    ("<ipython", patterns.compile(r"<ipython-input-[\w-]+>"), "(cell)"),
    ("", patterns.compile(r"\b([pP][iI][dD][:= ]{1,3})\d+"), r"\1(id)"),
    ("", patterns.compile(r"\b(localhost|127\.0\.0\.1):\d+"), r"\1:(port)"),
    (
        "",
        patterns.compile(
            r"(?i)\b(took|elapsed|runtime|(?:done|finished|completed|trained|executed|ran) in"
            r"|(?:execution|training|run|wall|cpu|computation|processing|elapsed)[ _]time"
            r"|time (?:taken|elapsed))\b([^\d\n]{0,30})"
            rf"\d[\d.,:]*(?:e[-+]?\d+)? ?(?:{_UNIT})?"
        ),
        r"\1\2(time)",
    ),
    ("±", patterns.compile(rf"\b\d+(?:\.\d+)? ?{_UNIT} ?± ?\d+(?:\.\d+)? ?{_UNIT}"), "(time)"),
    (":", patterns.compile(r"(?<!\d)\d:\d\d:\d\d\.\d{6}"), "(time)"),
    (
        "s/",
        patterns.compile(
            r"\b(?:\d+(?:m?s|us|µs) )?\d+(?:\.\d+)?(?:m?s|us|µs)/(?:step|epoch|sample)\b"
        ),
        "(time)",
    ),
    ("ETA", patterns.compile(r"\bETA: [\d:]+s?"), "(time)"),
    # a magic that writes a file tells whether an earlier run has left one of that name
    ("riting ", patterns.compile(r"(?m)^(?:Over)?[wW]riting (?=\S+$)"), "Writing "),
    ("[", patterns.compile(r"\[(?:=+>?\.*|>\.+|\.{5,})\]"), ""),
    ("", patterns.compile(r"[━█▉▊▋▌▍▎▏]+"), ""),
)
"""What stands in a text that holds such a thing, the thing itself, and its mark."""
_IN_ANGLES = patterns.compile(r"<[A-Za-z][^<>\n]{0,200}>")
_HASH = patterns.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,64}\b")

# -- within a line, where another machine or version is no difference ------------------------------

_PATH = patterns.compile(r"(?<![\w:/.])(?:[A-Za-z]:\\|/(?=\w+/))[^\s'\",:;()\[\]]+")
_FILE = patterns.compile(r"[/\\]([^/\\]+\.[A-Za-z]\w{0,5})$")
_DTYPE = patterns.compile(r"\bdtype(?:: |=)'?(\w+)(?:\[\w+(?:, \w+)?\])?'?(?=\)*$)", re.MULTILINE)
_KEPT_AS = {"str": "object", "string": "object", "int32": "int64"}
_DTYPE_OF_TEXTS = patterns.compile(r"\bdtype\('O'\)|<StringDtype\([^()<>]{0,60}\)>")
_LONG_FLOAT = patterns.compile(r"(?<![\w.])-?\d+\.\d{6,}(?:[eE][-+]?\d+)?(?![\w.])")
_SET = patterns.compile(r"\b(?:frozen)?set\(\[([^\[\]]*)\]\)")


def lines(text: str, mode: Mode = "lenient") -> list[str]:
    """Return the lines of a text, made equal where chance differs; empty ones are left out."""
    return [line for line in normal(text, mode).split("\n") if line]


def normal(text: str, mode: Mode = "lenient") -> str:
    """Return a text as a terminal leaves it, without what chance decides.

    No expression reaches over the end of a line, so that the whole text is read at once.
    """
    text = rendered(text)
    if any(sign in text for sign in _TIMING_SIGNS):
        text = _without(_TIMING, text)
    if any(sign in text for sign in _OF_THE_SHELL_SIGNS):
        text = _without(_OF_THE_SHELL, text)
    if "^" in text:
        text = _without(_POINTING, text)
    if _PROFILE_SIGN in text and _PROFILE.search(text):
        text = _without(_OF_PROFILE, text)
    for sign, pattern, mark in _CHANCE:
        if not sign or sign in text:
            text = pattern.sub(mark, text)
    if "<" in text:
        text = _IN_ANGLES.sub(_without_hashes, text)
    return _LINE_END.sub("", text) if mode == "exact" else _of_any_machine(text)


def _without(lines_of: re.Pattern[str], text: str) -> str:
    """Return a text without the lines that hold what a pattern finds."""
    return "\n".join(line for line in text.split("\n") if not lines_of.search(line))


def is_picture(text: str) -> bool:
    """Return whether a text only stands for a picture: `<Figure size 640x480 with 1 Axes>`."""
    return _picture().match(text) is not None


def is_nameless(text: str) -> bool:
    """Return whether a text tells only the class of an object: `<m.Class object>`, `Class(...)`."""
    return (text.startswith("<") and text.endswith(">")) or bool(_LEFT_OUT.fullmatch(text))


def is_call(text: str) -> bool:
    """Return whether a text is how an object is made: `Model(depth=3)`."""
    return text.rstrip().endswith(")") and _CALL.match(text) is not None


def _of_any_machine(text: str) -> str:
    if "/" in text or "\\" in text:
        text = _PATH.sub(_file_alone, text)
    if "...," in text:  # as arrays were cut before
        text = text.replace("...,", "...")
    if "dtype(" in text or "<StringDtype" in text:
        text = _DTYPE_OF_TEXTS.sub("dtype: object", text)
    if "dtype" in text:
        text = _DTYPE.sub(lambda match: f"dtype: {_KEPT_AS.get(match[1], match[1])}", text)
    if "(" in text:
        text = _SET.sub(r"{\1}", _wrapped_number().sub(r"\1", text))
    if ".True_" in text or ".False_" in text:
        text = _marked_truth().sub(lambda match: match[0].rpartition(".")[2][:-1], text)
    text = _LONG_FLOAT.sub(_rounded, text)
    return "\n".join(line.strip() for line in _SPACES.sub(" ", text).split("\n"))


def _rounded(number: re.Match[str]) -> str:
    """Return a number with no more digits than are compared; zeros at its end stay."""
    if len(number[0]) <= _SIGNIFICANT_DIGITS + 1:
        return number[0]
    return f"{float(number[0]):.{_SIGNIFICANT_DIGITS}g}"


def _file_alone(path: re.Match[str]) -> str:
    file = _FILE.search(path[0])
    return "/..." if file is None else f"/.../{file[1]}"


def _without_hashes(match: re.Match[str]) -> str:
    return _HASH.sub("(id)", match[0])


@cache
def _picture() -> re.Pattern[str]:
    names = alternatives(words("printing", "pictures"), anything="[^>]*?")
    return re.compile(rf"^[\[(]*<(?:{names})")


@cache
def _wrapped_number() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{alternatives(words('printing', 'scalars'))})\(([^()]*)\)")


@cache
def _marked_truth() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{alternatives(words('printing', 'truths'))})(?!\w)")
