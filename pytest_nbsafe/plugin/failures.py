"""How a failed item of a notebook shows: the finding, and no line of pytest's or of ours."""

from __future__ import annotations

import bdb
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from _pytest._code.code import (
    ReprEntryNative,
    ReprExceptionInfo,
    ReprFileLocation,
    ReprTraceback,
)

from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.findings import Outcome
from pytest_nbsafe.reports import escape
from pytest_nbsafe.reports.colour import MARKUP, Paint, Role, plain

if TYPE_CHECKING:
    from _pytest._io import TerminalWriter


def told_alone(error: NbsafeError) -> BaseException:
    """Return a failure that says what is wrong and shows no code.

    It is raised `from None`: a cause pytest would show, too.
    """
    return pytest.fail.Exception(escape.line(str(error)), pytrace=False)


class FailedError(Exception):
    """Carries a failed outcome from `runtest` to `repr_failure`."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


class UnreachableError(FailedError, bdb.BdbQuit):
    """The same under `--pdb`: as the end of a debugger it does not start one, in our own code."""


NO_PDB = (
    "--pdb cannot reach into the kernel of a notebook: run it in Jupyter (jupyter lab, or "
    "jupyter console) up to this cell and type %debug."
)


class FailureRepr(ReprExceptionInfo):
    """A report in colour on this terminal, plain in JUnit and across pytest-xdist.

    `message` is what the short summary shows, `render` returns the lines. xdist sends only what
    the parent class holds, so the plain text stands there; pytest has no public class for it.
    """

    def __init__(
        self, path: str, line: int, message: str, render: Callable[[Paint], list[str]]
    ) -> None:
        entry = ReprEntryNative(["\n".join(render(plain)), "\n"])
        traceback = ReprTraceback([entry], None, style="native")
        super().__init__(traceback, ReprFileLocation(path, line, message))
        self._render = render

    def toterminal(self, tw: TerminalWriter) -> None:
        """Write the report in the terminal's own markup."""

        def paint(text: str, role: Role) -> str:
            return tw.markup(text, **dict.fromkeys(MARKUP[role], True))

        for line in self._render(paint):
            tw.line(line)
