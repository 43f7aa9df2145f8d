"""One notebook's kernel as the rest sees it: start it, run cells in it, never leave it behind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from pytest_nbsafe.analysis.model import CellAnalysis
from pytest_nbsafe.environment import Entry, Environment
from pytest_nbsafe.kernel.contract import Answer, HostQuestion, SurroundingsQuestion
from pytest_nbsafe.notebook.model import Cell, Notebook
from pytest_nbsafe.runner.cell_results import CellResults
from pytest_nbsafe.runner.executed import Heard
from pytest_nbsafe.runner.folder_copies import FolderCopies
from pytest_nbsafe.runner.kernel import Kernel, Launch
from pytest_nbsafe.runner.listening import Shown, text_of
from pytest_nbsafe.runner.live_kernel import LiveKernel
from pytest_nbsafe.runner.temporary_folder import TemporaryFolder
from pytest_nbsafe.trace.events import values
from pytest_nbsafe.trace.results import CellResult, Holding
from pytest_nbsafe.trace.side_runs import Aspects, Counterfactual, touched

DEFAULT_KERNEL = "python3"
FORKS = True
"""Whether kernels are forked where they can be; tests turn it off."""
LIMIT_S = 10.0
"""How long cells may compute on the side: what takes longer is seldom worth the wait."""


class KernelSession:
    """A kernel for one notebook; use it as a context manager, or call `close`.

    `kernel` overrides the notebook's own kernel name. `timeout_s` is the limit for one cell, None
    or 0 for no limit. `trace`, `learning`, `environ`, `paths`, `temporary`, `copies`, `slot` and
    `measured` are as in `Launch`; incidents are always watched. `analyses` saves analysing the
    notebook again, where the caller has done so. `surroundings` is what the kernel is asked of the
    environment. Cells on the side may take `margin_s` longer than their limit. `shows` is told what
    the others show. `make_kernel` makes the kernel of a launch.
    """

    def __init__(
        self,
        notebook: Notebook,
        *,
        kernel: str | None = None,
        timeout_s: float | None = None,
        cwd: Path,
        trace: bool = True,
        learning: Mapping[str, Any] | None = None,
        analyses: Mapping[int, CellAnalysis] | None = None,
        environ: Mapping[str, str] | None = None,
        paths: tuple[Sequence[str], Sequence[str]] = ((), ()),
        surroundings: SurroundingsQuestion | None = None,
        temporary: TemporaryFolder | None = None,
        margin_s: float = 5.0,
        shows: Shown | None = None,
        copies: FolderCopies | None = None,
        slot: int | None = 0,
        measured: bool = False,
        make_kernel: Callable[[Launch], Kernel] = LiveKernel,
    ) -> None:
        name = kernel or notebook.kernel_name or DEFAULT_KERNEL
        over = environ or {}
        is_python = notebook.language == "python"
        launch = Launch(
            name,
            cwd,
            trace,
            learning,
            over,
            paths,
            temporary,
            copies,
            slot,
            python=is_python,
            measured=measured,
        )
        self.kernel = make_kernel(launch)
        self._surroundings = surroundings
        self._timeout_s = timeout_s or None
        self._hurried_s: float | None = None
        self._margin_s = margin_s
        self._trace = trace
        self._shows = shows
        self._results = CellResults(notebook, analyses, trace=trace)
        self._is_up = False

    @property
    def alive(self) -> bool:
        """Whether the kernel can run another cell."""
        return self._is_up and self.kernel.alive

    @property
    def python(self) -> str:
        """The version of Python that the kernel runs, "" where that is not known."""
        return self.kernel.python

    def start(self) -> None:
        """Start the kernel and ship the island.

        Raises:
            NoSuchKernel: no kernel of that name is installed.
            KernelStartFailed: it did not come up.

        """
        self.kernel.start()
        self._is_up = True
        self._results.fault = self.kernel.fault

    def expect(self, cells: Sequence[Cell]) -> None:
        """Take note of the cells that will be run from now on."""
        self.kernel.expect([cell.source for cell in cells])

    def run(self, cell: Cell, step: int) -> CellResult:
        """Run one cell and return what came of it, whatever that is."""
        executed = self.kernel.execute(cell.source, self._limit_s, self._heard(cell))
        return self._results.of_run(cell, step, executed)

    @property
    def _limit_s(self) -> float | None:
        """How long the next cell may take, None for no limit."""
        return min((s for s in (self._timeout_s, self._hurried_s) if s is not None), default=None)

    def counterfactual(
        self,
        cells: Sequence[Cell],
        *,
        limit_s: float = LIMIT_S,
        stir: bool = False,
        here: bool = False,
        follow: bool = True,
        at: int | None = None,
    ) -> Counterfactual:
        """Return what the cells would do if they ran now, one after another.

        The kernel stays as it is. They run in a forked child, which may write no file, use no
        network and start no process: a cell that would is not run, and the cause says so. The
        steps of the results count from 1, or on from those before the child was held. With `stir`
        random numbers are other ones. Cells that run `here` do so in this kernel, under the same
        rules, and nothing runs in it after them. With `follow` cells are followed below the names,
        but not those with too much to follow.
        With `at` they run in the child that was held at that number of runs, which it was held for.
        """
        if not here and not FORKS:
            return Counterfactual(cause="kernels are not forked", elsewhere=True)
        way: Literal["fork", "here", "held"] = "here" if here else "fork"
        question: HostQuestion = {
            "cells": [cell.source for cell in cells],
            "limit_s": limit_s,
            "stir": stir,
            "follow": self._trace and not stir and follow,
            "way": way if at is None else "held",
            "at": at or 0,
        }
        answer = self.kernel.aside(question, self._margin_s)
        if answer["cause"]:
            return Counterfactual(
                cause=answer["cause"], elsewhere=answer["elsewhere"], cost_s=answer["cost_s"]
            )
        results = self._results.of_side_runs(answer["runs"], cells, answer["raw"], 1 + (at or 0))
        parts = tuple(
            touched(run["accesses"]) if run["accesses"] is not None else None
            for run in answer["runs"]
        )
        return Counterfactual(
            results, shown=answer["shown"], touched=parts, cost_s=answer["cost_s"]
        )

    def look(self, names: Sequence[str]) -> Mapping[str, Aspects]:
        """Return a few words on what names hold now."""
        return self._aside("look", [" ".join(names)])["shown"]

    def hold(self, at: int) -> bool:
        """Keep what the kernel is now under a number, once; return whether it could be kept."""
        return FORKS and not self._aside("hold", [], at)["cause"]

    def _aside(self, way: Literal["look", "hold"], cells: list[str], at: int = 0) -> Answer:
        question: HostQuestion = {
            "cells": cells,
            "limit_s": LIMIT_S,
            "stir": False,
            "follow": False,
            "way": way,
            "at": at,
        }
        return self.kernel.aside(question, self._margin_s)

    def hurry(self, limit_s: float) -> None:
        """Let no cell take longer, until something else is said."""
        self._hurried_s = limit_s

    def environment(self) -> Environment | None:
        """Return what the cells ran in, None where nothing asks for it, or nothing answers."""
        asked = self._surroundings
        told = self.kernel.surroundings(asked) if asked is not None and self.alive else None
        return told and Environment(
            told["python"],
            told["platform"],
            packages=tuple(Entry(*pair) for pair in told["packages"].items()),
            files=tuple(Entry(*pair) for pair in told["files"].items()),
            variables=tuple(told["variables"]),
        )

    def sweep(self, *, names: bool = True) -> Holding | None:
        """Return what the kernel holds now, or only what no name shows; None without an answer."""
        sweep = self.kernel.sweep(names=names) if self.alive else None
        return sweep and Holding(values(sweep["names"]), sweep["beside"], sweep["shared"])

    def close(self) -> None:
        """Stop the kernel and remove what was made for it; safe to call twice."""
        self._is_up = False
        self.kernel.close()

    def _heard(self, cell: Cell) -> Heard | None:
        """Return what passes on the texts that a cell shows, None where nobody listens."""
        shows = self._shows
        if shows is None:
            return None

        def heard(kind: str, content: Mapping[str, Any]) -> None:
            text = text_of(kind, content)
            if text:
                shows(cell.number, text)

        return heard

    def __enter__(self) -> KernelSession:  # noqa: PYI034  # typing.Self needs Python 3.11
        if not self._is_up:
            self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
