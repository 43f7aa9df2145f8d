"""What becomes of an object: is a change told, is none told, is it kept in files and equal then."""

from __future__ import annotations

import ast
import functools
import re
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kept_here import kept_here, question

from pytest_nbsafe.kernel.checkpoint import blobs, pickling
from pytest_nbsafe.kernel.hashing.function_texts import Texts
from pytest_nbsafe.kernel.hashing.snapshot import Snapshot

ANOTHER = "another after it is loaded"


@dataclass(frozen=True)
class Case:
    """An object `x`: how it is made, changed and used; `want` says what may become of it.

    That is any of `kept`, `again` (its cell is run again) and `unknown` (it is not compared).
    """

    name: str
    want: str
    make: str
    change: str
    use: str


def read_cases(path: Path) -> list[Case]:
    """Return the cases of a text: `# name: want`, what makes `x`, `> change`, `? use`."""
    cases = []
    for block in re.split("^# ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, *lines = block.strip().split("\n")
        name, _, want = head.partition(": ")
        change, use = ([t[2:] for t in lines if t.startswith(mark)] for mark in ("> ", "? "))
        make = [line for line in lines if line[:2] not in {"> ", "? "}]
        texts = ("\n".join(part) for part in (make, change, use))
        cases.append(Case(name, want or "kept", *texts))
    return cases


@dataclass(frozen=True)
class Verdict:
    """`told` or `missed`, `quiet` or `noisy`, or else `unknown`; `kept` or why not."""

    change: str
    no_change: str
    files: str
    cause: str = ""

    def outcome(self) -> str:
        """Return what became of it, in the words of `Case.want`."""
        if "unknown" in {self.change, self.no_change}:
            return "unknown"
        return self.files if self.files in {"kept", ANOTHER} else "again"


def judge(case: Case, folder: Path, module: types.ModuleType) -> Verdict:
    """Make, look at, use, keep, load and change the object in a module that stands for `__main__`.

    Raises:
        ImportError: its library is not installed.

    """
    home, texts = vars(module), Texts()
    _run(case.make, home, texts)
    look = functools.partial(_hash_of, "x", home, texts)
    first = look()
    shown = _shown(case.use, home, texts)
    used = look()
    kept, *_ = kept_here(home, texts, question(str(folder), "x"))
    again = look()
    files = kept["cause"] or "kept"
    if kept["files"]:
        stream, *buffers = (blobs.read(str(folder), file) for file in kept["files"])
        loaded = {**home, **pickling.load(stream, buffers)}
        if _shown(case.use, loaded, texts) != shown:
            files = ANOTHER
    try:
        _run(case.change, home, texts)
        changed = look()
    except StopIteration:
        changed = ""
    known = all((first, used, again))
    return Verdict(
        ("told" if changed != again else "missed") if known else "unknown",
        ("quiet" if first == used == again else "noisy") if known else "unknown",
        files,
        Snapshot(texts, home).fingerprint(home["x"])["cause"],
    )


def _run(source: str, home: dict[str, Any], texts: Texts) -> None:
    """Run a text as a cell is run: the functions in it are told by their text."""
    tree, name = ast.parse(source), f"<{len(source)} {hash(source)}>"
    functions = (ast.FunctionDef, ast.ClassDef)
    texts.register(name, [node for node in ast.walk(tree) if isinstance(node, functions)])
    exec(compile(tree, name, "exec"), home)


def _hash_of(name: str, home: dict[str, Any], texts: Texts) -> str:
    return Snapshot(texts, home).fingerprint(home[name])["hash"]


def _shown(use: str, home: dict[str, Any], texts: Texts) -> str:
    """Return what the use of an object gives, as far as that can be compared."""
    given = eval(use or "None", home)
    found = Snapshot(texts, home).fingerprint(given)["hash"]
    return found or ("" if " at 0x" in repr(given) else repr(given))


def standing_for_main() -> types.ModuleType:
    """Return a module in which cases find what they need of the standard library."""
    module = types.ModuleType("__main__")
    for name in (*MODULES, *("concurrent.futures", "email.message", "http.cookies")):
        __import__(name)
        vars(module)[name.partition(".")[0]] = sys.modules[name.partition(".")[0]]
    exec("import datetime as dt, xml.etree.ElementTree as ET", vars(module))
    return module


MODULES = (
    "abc", "argparse", "array", "ast", "calendar", "cmd", "collections", "configparser",
    "contextvars", "csv", "dataclasses", "decimal", "difflib", "enum", "fractions", "functools",
    "graphlib", "heapq", "io", "ipaddress", "itertools", "json", "logging", "pathlib", "pprint",
    "queue", "random", "re", "sched", "sqlite3", "statistics", "string", "sys", "textwrap",
    "threading", "time", "types", "typing", "uuid", "weakref", "zipfile", "zlib", "zoneinfo",
)  # fmt: skip
