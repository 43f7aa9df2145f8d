"""The leak cases of fixtures/leakage and what their marks say; see fixtures/README.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import percent

from pytest_nbsafe.codes import CODES

FOLDER = Path(__file__).parents[2] / "fixtures" / "leakage"

_CASE = re.compile(r"^#! case *(.*)\n", re.MULTILINE)
_MARK = re.compile(r"(\(?)(NBS\d+)(\??)\)?( confirmed)?")
_PATH = re.compile(r"^#! path (NBS\d+)\n((?:#!  .*\n?)+)", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """One notebook in percent text, and where it stands; its title is "" where the code is."""

    file: Path
    line: int
    title: str
    text: str

    def __str__(self) -> str:
        """Return what the case is called in a test's name."""
        return f"{self.file.parent.name}/{self.file.stem}" + (
            f":{self.title or self.line}" if self.line else ""
        )


@dataclass(frozen=True)
class Mark:
    """What one mark says: a leak, how sure it is, and whether a finding of its own tells it."""

    code: str
    cell: int
    line: int
    certain: bool
    own: bool
    confirmed: bool

    @property
    def of_leak(self) -> bool:
        """Whether it is a leak that weighs, and no note beside it."""
        return self.code.startswith("NBS3") and CODES[self.code].severity != "note"

    @property
    def leak(self) -> str:
        """The leak as "NBS301? 3:1"; the question mark says that it may be one."""
        return f"{self.code}{'' if self.certain else '?'} {self.cell}:{self.line}"

    def finding(self, *, ran: bool = False) -> str:
        """Return the finding as "NBS301 3:1 proved error", of the text or of a run."""
        severity = CODES[self.code].severity
        if not self.certain:
            severity = "warning" if severity == "error" else severity
        verdict = "proved" if self.certain else "suspected"
        verdict = "confirmed" if ran and self.confirmed else verdict
        return f"{self.code} {self.cell}:{self.line} {verdict} {severity}"


def cases(file: Path) -> Iterator[Case]:
    """Yield the cases of a file: it is one, or holds several after what all of them begin with."""
    text = file.read_text(encoding="utf-8")
    starts = list(_CASE.finditer(text))
    if not starts:
        yield Case(file, 0, "", text)
        return
    opening = text[: starts[0].start()]
    ends = [*(start.start() for start in starts[1:]), len(text)]
    for start, end in zip(starts, ends, strict=True):
        line = text.count("\n", 0, start.start()) + 1
        yield Case(file, line, start[1], opening + text[start.end() : end].rstrip("\n") + "\n")


def marks(text: str) -> list[Mark]:
    """Return what the marks of a notebook say, in the order of its lines."""
    return [
        Mark(code, cell.number, number, not doubt, not joined, bool(confirmed))
        for cell in percent.parse(text).cells
        for number, line in enumerate(cell.source.split("\n"), 1)
        if not line.startswith("#!")
        for joined, code, doubt, confirmed in _MARK.findall(line.partition("#!")[2])
    ]


def paths(text: str) -> dict[str, list[str]]:
    """Return the paths that a notebook says its leaks have, each by its code."""
    return {
        match[1]: [line.removeprefix("#!").strip() for line in match[2].splitlines()]
        for match in _PATH.finditer(text)
    }
