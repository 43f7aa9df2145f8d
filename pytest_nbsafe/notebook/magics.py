"""What is known of magics by name: which hold Python, which bind or read names, which may do both.

Source: IPython 9's own magics, and the documentation of the extensions that are named here. Those
that need only a name stand in the section `magics` of the data files.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from pytest_nbsafe import patterns
from pytest_nbsafe.libraries.datafiles import section, words
from pytest_nbsafe.values import dataclass

_NAME = r"[^\W\d]\w*"


@dataclass(frozen=True, slots=True)
class PythonMagic:
    """A magic that runs Python: its options without and with a value, and where names go.

    `scope` is `notebook` when names bound in its code reach the notebook, `function` when the
    code runs in a function of its own.
    """

    flags: str = ""
    valued: str = ""
    scope: Literal["notebook", "function"] = "notebook"

    def options_end(self, arguments: str) -> int:
        """Return the offset in `arguments` at which the Python begins."""
        short = "".join(
            (
                rf"-(?=[a-zA-Z])[{self.flags or '-'}]*",
                rf"(?:[{self.valued}][ \t]*\S+)?" if self.valued else "",
                r"(?=\s|$)",
            )
        )
        options = patterns.compile(rf"[ \t]*(?:(?:--[a-zA-Z][\w-]*|--|{short})[ \t]*)*")
        match = options.match(arguments)
        return match.end() if match else 0


PYTHON_LINES = {
    "time": PythonMagic(),
    "timeit": PythonMagic("tcqo", "nrpv", "function"),
    "prun": PythonMagic("rq", "DlsT"),
    "lprun": PythonMagic("rsz", "fmDTu"),
    "mprun": PythonMagic("rc", "fT"),
    "memit": PythonMagic("coh", "rti"),
}
"""Line magics whose argument is a Python statement."""

PYTHON_CELLS = {
    "time": PythonMagic(),
    "timeit": PYTHON_LINES["timeit"],
    "prun": PYTHON_LINES["prun"],
    "memit": PYTHON_LINES["memit"],
    "capture": PythonMagic(),
    "debug": PythonMagic(),
    "snakeviz": PythonMagic(),
    "pyinstrument": PythonMagic(),
}
"""Cell magics whose body is Python that runs here."""

CODE_ON_FIRST_LINE = frozenset({"timeit", "prun", "memit"})
"""Those of `PYTHON_CELLS` whose first line may hold Python too."""

_FOREIGN = frozenset({"R", "octave"})
_SCRIPTS = frozenset({
    "bash", "sh", "script", "perl", "ruby", "python", "python2", "python3", "pypy", "cmd",
})  # fmt: skip


@cache
def automagics() -> frozenset[str]:
    """Return the magics that a one-line cell may call without `%`; rare ones are left out."""
    return words("magics", "automagic")


@cache
def _quiet_lines() -> frozenset[str]:
    return automagics().union(PYTHON_LINES, words("magics", "quiet"))


def line_cause(name: str, arguments: str) -> str:
    """Return why a line magic may bind names that the text does not show; empty if it cannot."""
    if cause := dict(section("magics")).get(name, {}).get("cause"):
        return " ".join(cause)
    if name == "store":
        everything = arguments.split() == ["-r"]
        return "`%store -r` brings back stored names" if everything else ""
    return "" if name in _quiet_lines() else f"`%{name}` is not known and may define names"


def cell_cause(name: str) -> str:
    """Return why an opaque cell may bind names that the text does not show; empty if not."""
    quiet = name in words("magics", "quiet_cells")
    return "" if quiet else f"`%%{name}` is not known and may define names"


def line_binds(name: str, arguments: str) -> tuple[str, ...]:
    """Return the names that a line magic says it binds."""
    if name in {"Rpull", "octave_pull"} or (name == "store" and "-r" in arguments.split()):
        return _names(arguments)
    if name in {"macro", "sc"}:
        return _names(arguments)[:1]
    return _taken_back(name, arguments) + _query_result(name, arguments)


def cell_binds(name: str, arguments: str) -> tuple[str, ...]:
    """Return the names that a cell magic says it binds."""
    if name == "capture":
        return _names(arguments)[:1]
    if name == "bigquery":
        return _names(arguments.split(" --", maxsplit=1)[0])[:1]
    if name in _SCRIPTS:
        return tuple(re.findall(rf"--(?:out|err|proc)[ =]+({_NAME})", arguments))
    return _taken_back(name, arguments) + _query_result(name, arguments)


def reads(name: str, arguments: str) -> tuple[str, ...]:
    """Return the names that a magic hands over to another place, and that must exist."""
    if name in {"Rpush", "octave_push"} or (name == "store" and not re.search("-|>", arguments)):
        return _names(arguments)
    if name in {"lprun", "mprun"}:
        return tuple(re.findall(rf"-f[ \t]+({_NAME})", arguments))
    return _foreign(name, arguments, "-i", "--input")


def deletes(name: str, arguments: str) -> tuple[str, ...]:
    """Return the names that a line magic deletes."""
    return _names(arguments)[:1] if name == "xdel" else ()


def _foreign(name: str, arguments: str, *options: str) -> tuple[str, ...]:
    """Return the names after an option such as `-i X,Y` of a magic of another language."""
    if name not in _FOREIGN:
        return ()
    keys = "|".join(options)
    lists = re.findall(rf"(?:^|\s)(?:{keys})[ =]*([\w,]+)", arguments)
    return tuple(part for names in lists for part in names.split(",") if part.isidentifier())


def _taken_back(name: str, arguments: str) -> tuple[str, ...]:
    """Return the names that another language's magic sets here; `-d` is rpy2's old data frame."""
    return _foreign(name, arguments, "-o", "--output", "-d", "--dataframe")


def _query_result(name: str, arguments: str) -> tuple[str, ...]:
    """Return `result` of `%sql result << SELECT ...`."""
    match = re.match(rf"\s*({_NAME})\s*(?:=\s*)?<<", arguments) if name == "sql" else None
    return (match[1],) if match else ()


def _names(arguments: str) -> tuple[str, ...]:
    return tuple(word for word in re.split(r"[\s,=]+", arguments) if word.isidentifier())
