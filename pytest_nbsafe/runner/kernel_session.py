"""One notebook's kernel as the rest sees it: start it, run cells in it, never leave it behind."""

from __future__ import annotations

import atexit
import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from pytest_nbsafe.analysis.model import CellAnalysis
from pytest_nbsafe.environment import Entry, Environment
from pytest_nbsafe.kernel.contract import (
    ASIDE,
    PACKAGE,
    SLOWER,
    STATE,
    SURROUNDINGS,
    Answer,
    HostQuestion,
    Surroundings,
    SurroundingsQuestion,
    Sweep,
    no_answer,
)
from pytest_nbsafe.notebook.model import Cell, Notebook
from pytest_nbsafe.runner import island
from pytest_nbsafe.runner.cell_results import CellResults
from pytest_nbsafe.runner.folder_copies import FolderCopy
from pytest_nbsafe.runner.installed_kernels import check_installed
from pytest_nbsafe.runner.kernel_process import (
    Heard,
    KernelProcess,
    KernelStartFailed,
)
from pytest_nbsafe.runner.listening import Shown, text_of
from pytest_nbsafe.runner.loop import LoopThread
from pytest_nbsafe.runner.temporary_folder import TemporaryFolder
from pytest_nbsafe.trace.events import values
from pytest_nbsafe.trace.results import CellResult, Holding
from pytest_nbsafe.trace.side_runs import Aspects, Counterfactual, touched

DEFAULT_KERNEL = "python3"
FORKS = True
"""Whether kernels are forked where they can be; tests turn it off."""
LIMIT_S = 10.0
"""How long cells may compute on the side: what takes longer is seldom worth the wait."""
SURROUNDINGS_LIMIT_S = 60.0
"""How long a kernel may take to tell what the cells ran in."""
SWEEP_LIMIT_S = 120.0
"""How long a kernel may take to compare all that it holds."""


class KernelSession:
    """A kernel for one notebook; use it as a context manager, or call `close`.

    `kernel` overrides the notebook's own kernel name. `timeout_s` is the limit for one cell, None
    or 0 for no limit. `trace` switches lineage and fingerprints; incidents are always watched.
    `learning` says what is watched of the libraries that learn, None leaves them alone.
    `analyses` saves analysing the notebook again, where the caller has done so. `environ` is laid
    over the environment. `paths` are folders whose modules can be imported, before those that are
    installed and after them. `surroundings` is what the kernel is asked of the environment.
    Temporary files go to `temporary`, which is emptied at the end. Cells on the side may take
    `margin_s` longer than their limit. `shows` is told what the others show.
    With a `copy` it runs in that, and what it tells is told as if it ran in `cwd`. With a `slot`
    it may start as a fork; kernels of one slot have the hash seed of Python in common.
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
        copy: FolderCopy | None = None,
        slot: int | None = 0,
    ) -> None:
        self._kernel = kernel or notebook.kernel_name or DEFAULT_KERNEL
        self._cwd = copy.folder if copy else cwd
        self._root = copy.root if copy else ""
        self._environ = {**(temporary.environ if temporary else {}), **(environ or {})}
        self._temporary = temporary
        self._hides = [own.hide for own in (copy, temporary) if own is not None]
        self._paths = ([*map(copy.of, paths[0])], [*map(copy.of, paths[1])]) if copy else paths
        self._surroundings = surroundings
        self._timeout_s = timeout_s or None
        self._hurried_s: float | None = None
        self._margin_s = margin_s
        self._trace = trace
        self._learning = learning
        self._shows = shows
        self._slot = slot
        self._results = CellResults(notebook, analyses, trace=trace)
        self._loop: LoopThread | None = None
        self._process: KernelProcess | None = None
        self._owner = os.getpid()
        self.python = ""

    @property
    def alive(self) -> bool:
        """Whether the kernel can run another cell."""
        return self._process is not None and self._process.alive

    def start(self) -> None:
        """Start the kernel and ship the island.

        Raises:
            NoSuchKernel: no kernel of that name is installed.
            KernelStartFailed: it did not come up.

        """
        check_installed(self._kernel)
        self._loop = LoopThread()
        hide = self._hide if self._hides else None
        self._process = process = KernelProcess(self._kernel, hide, self._slot)
        atexit.register(self.close)
        try:
            self._loop.run(self._start(process))
        except Exception as error:
            last_line = process.last_line()
            self.close()
            message = f"kernel {self._kernel!r} did not start: {error}{last_line}"
            raise KernelStartFailed(message) from error
        except BaseException:
            self.close()
            raise

    async def _start(self, process: KernelProcess) -> None:
        await process.launch(self._cwd, self._environ)
        installer = island.installer(  # it comes up
            trace=self._trace, learning=self._learning, paths=self._paths, root=self._root
        )
        await process.connect()
        reply = await process.evaluate(installer)
        content: Any = reply["content"] if reply else {"status": "error", "evalue": "no answer"}
        content = content.get("user_expressions", {}).get("answer", content)
        if content["status"] == "ok":
            self.python = content["data"]["text/plain"].strip("'")
        else:
            fault = f"the tracer could not be installed: {content.get('evalue', '')}"
            self._results.fault = fault

    def run(self, cell: Cell, step: int) -> CellResult:
        """Run one cell and return what came of it, whatever that is."""
        loop, process = self._running()
        started = time.perf_counter()
        exchange = loop.run(process.execute(cell.source, self._limit_s, self._heard(cell)))
        duration_s = time.perf_counter() - started
        return self._results.of_run(cell, step, exchange, duration_s)

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
    ) -> Counterfactual:
        """Return what the cells would do if they ran now, one after another.

        The kernel stays as it is. They run in a forked child, which may write no file, use no
        network and start no process: a cell that would is not run, and the cause says so. The
        steps of the results count from 1. With `stir` random numbers are other ones. Cells that
        run `here` do so in this kernel, under the same rules, and nothing runs in it after them.
        With `follow` cells are followed below the names, but not those with too much to follow.
        """
        if not here and not FORKS:
            return Counterfactual(cause="kernels are not forked", elsewhere=True)
        question: HostQuestion = {
            "cells": [cell.source for cell in cells],
            "limit_s": limit_s,
            "stir": stir,
            "follow": self._trace and not stir and follow,
            "way": "here" if here else "fork",
        }
        _, process = self._running()
        answer = self._answer(question)
        if here:
            process.alive = False
        if answer["cause"]:
            return Counterfactual(
                cause=answer["cause"], elsewhere=answer["elsewhere"], cost_s=answer["cost_s"]
            )
        results = self._results.of_side_runs(answer["runs"], cells, answer["raw"])
        parts = tuple(
            touched(run["accesses"]) if run["accesses"] is not None else None
            for run in answer["runs"]
        )
        return Counterfactual(
            results, shown=answer["shown"], touched=parts, cost_s=answer["cost_s"]
        )

    def look(self, names: Sequence[str]) -> Mapping[str, Aspects]:
        """Return a few words on what names hold now."""
        question: HostQuestion = {
            "cells": [" ".join(names)],
            "limit_s": LIMIT_S,
            "stir": False,
            "follow": False,
            "way": "look",
        }
        return self._answer(question)["shown"]

    def hurry(self, limit_s: float) -> None:
        """Let no cell take longer, until something else is said."""
        self._hurried_s = limit_s

    def environment(self) -> Environment | None:
        """Return what the cells ran in, None where nothing asks for it, or nothing answers."""
        if self._loop is None or not self.alive or self._surroundings is None:
            return None
        reply, _ = self._ask(SURROUNDINGS, json.dumps(self._surroundings), SURROUNDINGS_LIMIT_S)
        told = cast("Surroundings | None", _payload(reply))
        return told and Environment(
            told["python"],
            told["platform"],
            packages=tuple(Entry(*pair) for pair in told["packages"].items()),
            files=tuple(Entry(*pair) for pair in told["files"].items()),
            variables=tuple(told["variables"]),
        )

    def sweep(self, *, names: bool = True) -> Holding | None:
        """Return what the kernel holds now, or only what no name shows; None without an answer."""
        if self._loop is None or not self.alive:
            return None
        reply, _ = self._ask(STATE, names, SWEEP_LIMIT_S)
        sweep = cast("Sweep | None", _payload(reply))
        return sweep and Holding(values(sweep["names"]), sweep["beside"], sweep["shared"])

    def close(self) -> None:
        """Stop the kernel and remove what was made for it; safe to call twice."""
        loop, self._loop = self._loop, None
        if loop is None or self._process is None or os.getpid() != self._owner:
            return
        atexit.unregister(self.close)
        try:
            loop.run(self._process.stop())
        except BaseException:  # Ctrl-C while it is being stopped
            self._process.kill()
            raise
        finally:
            self._process.alive = False
            loop.close()
            self._process.folder.close()
            if self._temporary is not None:
                self._temporary.empty(self._process.processes_ended)

    def _hide(self, message: bytes) -> bytes:
        """Return a part of a message of the kernel without what is of this run alone."""
        for hide in self._hides:
            message = hide(message)
        return message

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

    def _running(self) -> tuple[LoopThread, KernelProcess]:
        assert self._loop is not None, "start the session before running a cell"
        assert self._process is not None, "a loop comes with its process"
        assert self._process.alive, "the kernel is gone"
        return self._loop, self._process

    def _ask(
        self, module: str, question: object, limit_s: float
    ) -> tuple[Mapping[str, Any] | None, str]:
        """Return the reply of the kernel to a question to one of the island's modules."""
        loop, process = self._running()
        expression = f"__import__('{module}', fromlist=['ask']).ask({question!r})"
        return loop.run(process.ask(expression, limit_s))

    def _answer(self, asked: HostQuestion) -> Answer:
        """Return what became of cells on the side; why nothing did, where there is no answer."""
        children = len(asked["cells"]) + 1 if asked["way"] == "fork" else 1  # at most
        limit_s = asked["limit_s"] * SLOWER * children + self._margin_s
        reply, cause = self._ask(ASIDE, json.dumps(asked), limit_s)
        answer = cast("Answer | None", _payload(reply))
        if cause or answer is not None:
            return answer or {**no_answer(cause), "cost_s": asked["limit_s"]}
        outcome = reply["content"].get("user_expressions", {}).get("answer", {}) if reply else {}
        if outcome.get("status") == "error":
            cause = f": {outcome['ename']}: {outcome['evalue']}"
        return no_answer(f"the kernel did not answer{cause}")

    def __enter__(self) -> KernelSession:  # noqa: PYI034  # typing.Self needs Python 3.11
        if self._loop is None:
            self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _payload(reply: Mapping[str, Any] | None) -> object:
    """Return what our code in the kernel has sent along with its reply, None if nothing."""
    for payload in reply["content"].get("payload") or () if reply else ():
        if payload.get("source") == PACKAGE:
            return json.loads(payload["answer"])
    return None
