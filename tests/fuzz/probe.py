"""What must hold of every answer: no fault of ours, the same twice, within bounds."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from pytest_nbsafe import cli
from pytest_nbsafe.analysis import cell as cell_analysis
from pytest_nbsafe.app.check import check
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.notebook import load

MOST_STEPS = 5_000_000
"""Calls of Python functions; the worst of 20,000 inputs took 1,390,949."""
_LONGEST = 20_000
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e]")


class TooManyStepsError(BaseException):
    """An analysis went on for too long; nothing of ours may catch this."""


class Steps:
    """How many Python functions were called."""

    number = 0


@contextlib.contextmanager
def counted() -> Iterator[Steps]:
    """Count the calls of Python functions, and end what makes too many; never a time."""
    steps = Steps()

    def profile(_frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            steps.number += 1
            if steps.number > MOST_STEPS:
                raise TooManyStepsError

    cell_analysis._analysed.cache_clear()
    sys.setprofile(profile)
    try:
        yield steps
    finally:
        sys.setprofile(None)


def sockets() -> list[str]:
    """Return the sockets that this process has open; none where the system does not tell."""
    found = []
    for entry in Path("/proc/self/fd").glob("*"):
        with contextlib.suppress(OSError):  # the folder itself, which is open only for the look
            found.append(str(entry.readlink()))
    return sorted(name for name in found if name.startswith("socket:"))


def command(*arguments: str) -> tuple[int, str, str]:
    """Return the exit code of a command, and what it wrote, times left out."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main(arguments)
    return code, re.sub(r"[\d.]+ ?s\b", "TIME", out.getvalue()), err.getvalue()


def probe(path: Path) -> int:
    """Ask every static command about a file, and return how many steps the slowest took."""
    most = 0
    for arguments in (("check", "--notes", "--no-cache"), ("order",), ("whatif", "--run", "2")):
        with counted() as steps:
            answer = command(*arguments, str(path))
        most = max(most, steps.number)
        _is_printable(*answer)
        if arguments[0] == "check":
            assert command(*arguments, str(path)) == answer
    _is_within_the_cells(path)
    return most


def _is_printable(code: int, written: str, complaint: str) -> None:
    assert code in {0, 1, 2}
    for text in (written, complaint):
        assert _CONTROL.search(text) is None, repr(_CONTROL.search(text))
        assert "Traceback" not in text or "pytest_nbsafe" not in text
    assert len(complaint.splitlines()) <= 1
    assert max(map(len, written.splitlines()), default=0) <= _LONGEST


def _is_within_the_cells(path: Path) -> None:
    """Every finding stands in a line that its cell has, and is told in one line."""
    try:
        findings = check([path], {"notes": True, "cache": False}).findings
    except NbsafeError:
        return
    try:
        cells = load.read(path).cells
    except load.Unreadable:
        assert [finding.code for finding in findings] == ["NBS901"]
        return
    lines = {0: 1} | {cell.number: len(_lines(cell.source)) for cell in cells}
    for finding in findings:
        where = finding.location
        assert 1 <= where.line <= lines[where.cell], finding
        assert where.column >= 1, finding
        assert where.end_line is None or where.end_line <= lines[where.cell], finding
        for step in finding.steps:
            assert 1 <= step.line <= lines[step.cell], finding
        json.dumps([finding.fingerprint, finding.anchor])


def _lines(source: str) -> list[str]:
    return re.split(r"\r\n|\r|\n", source)
