"""A traced kernel and a plain one, held against each other cell by cell."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runner.kernels import notebook

from pytest_nbsafe.notebook.model import Cell, CellId
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.trace.results import CellResult

_PASSING = re.compile(
    r"0x[0-9a-f]+|ipykernel_\d+|/\d+\.py|pid=\d+|cell_name|-\d{15}"
    r"|\d+(\.\d+)?(e\+\d+)? ?[nmµμu]?s\b"
)


class Pair:
    """A traced kernel and a plain one, which run the same cells."""

    def __init__(self, folder: Path) -> None:
        book = notebook("0")
        self.traced = KernelSession(book, cwd=folder, timeout_s=60)
        self.plain = KernelSession(book, cwd=folder, timeout_s=60, trace=False)
        self.step = 0

    def run(self, *sources: str) -> list[CellResult]:
        """Run cells in both, hold one against the other, and return the traced results."""
        found = []
        for source in sources:
            self.step += 1
            cell = Cell(CellId(f"c{self.step}"), 100 + self.step, "code", source)
            traced, plain = (s.run(cell, self.step) for s in (self.traced, self.plain))
            assert essence(plain) == essence(traced), source
            assert faults(plain) == faults(traced) == [], source
            found.append(traced)
        return found

    def prints(self, *sources: str) -> str:
        """Return what the last of some cells prints."""
        last = self.run(*sources)[-1]
        assert last.status == "ok", last.failure
        return "".join(output.text for output in last.outputs).strip()


@contextmanager
def started(folder: Path) -> Iterator[Pair]:
    """Start both kernels."""
    found = Pair(folder)
    with found.traced, found.plain:
        yield found


def essence(result: CellResult) -> object:
    outputs = [
        (o.kind, o.name, o.text, o.ename, o.evalue, shown(o.traceback)) for o in result.outputs
    ]
    return result.status, [_PASSING.sub("*", repr(output)) for output in outputs]


def faults(result: CellResult) -> list[str]:
    return [incident.message for incident in result.incidents if incident.kind == "tracer"]


def shown(traceback: tuple[str, ...]) -> tuple[str, ...]:
    """Return a traceback, without colours where bytecode tells what to mark (hooks change it)."""
    if sys.version_info >= (3, 11):
        return traceback
    return tuple(re.sub(r"\x1b\[[\d;]*m", "", line) for line in traceback)
