"""One kernel as it is: started, asked, stopped, and what it sends back left as it came."""

from __future__ import annotations

import atexit
import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from pytest_nbsafe.kernel.checkpoint_contract import (
    CARRY,
    COLLECT,
    KEEP,
    RESTORE,
    VISIT,
    CarriedLog,
    CarryQuestion,
    CollectQuestion,
    Keeping,
    KeepQuestion,
    Kept,
    Restored,
    RestoreQuestion,
    VisitQuestion,
)
from pytest_nbsafe.kernel.contract import (
    ASIDE,
    FETCHING,
    MEASURING,
    NUMBERS,
    PACKAGE,
    SLOWER,
    STATE,
    SURROUNDINGS,
    Answer,
    Fetched,
    HostQuestion,
    Measurement,
    Surroundings,
    SurroundingsQuestion,
    Sweep,
    no_answer,
)
from pytest_nbsafe.runner import island, kernel_coverage
from pytest_nbsafe.runner.executed import Executed, Heard
from pytest_nbsafe.runner.installed_kernels import KernelStartFailed, check_installed
from pytest_nbsafe.runner.kernel import Launch, Visited

if TYPE_CHECKING:  # what is heavy to load is, once a kernel really starts
    from pytest_nbsafe.runner.kernel_process import KernelProcess
    from pytest_nbsafe.runner.loop import LoopThread

SURROUNDINGS_LIMIT_S = 60.0
"""How long a kernel may take to tell what the cells ran in."""
SWEEP_LIMIT_S = 120.0
"""How long a kernel may take to compare all that it holds."""

_DO_LIMIT_S = 30.0
CHECKPOINT_MARGIN_S = 60.0
"""How long a kernel may take to answer beyond what it was given to keep values."""

FETCH_LIMIT_S = 600.0
"""How long an expression may take that a test asks for."""
MEASURING_LIMIT_S = 60.0
"""How long a kernel may take to write what was measured."""


class LiveKernel:
    """A process, started as `launch` says; `process` is None before."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._loop: LoopThread | None = None
        self.process: KernelProcess | None = None
        self._copy = launch.copies.fresh() if launch.copies is not None else None
        self._hides = [own.hide for own in (self._copy, launch.temporary) if own is not None]
        own = launch.temporary.environ if launch.temporary is not None else {}
        self._environ = {**own, **launch.environ}
        self._owner = os.getpid()
        self._measurement: Measurement | None = None
        self.python = ""
        self.fault = ""

    @property
    def alive(self) -> bool:
        """Whether it can run another cell."""
        return self.process is not None and self.process.alive

    def start(self) -> None:
        """Start the process and ship the island.

        Raises:
            NoSuchKernel: no kernel of that name is installed.
            KernelStartFailed: it did not come up.

        """
        from pytest_nbsafe.runner import forked_kernels

        name, slot = self._launch.kernel, self._launch.slot
        if slot is not None:  # it comes up while what talks to kernels is loaded here
            forked_kernels.begin(name, self._environ, slot)
        check_installed(name)
        from pytest_nbsafe.runner.kernel_process import KernelProcess
        from pytest_nbsafe.runner.loop import LoopThread

        self._loop = LoopThread()
        hide = self._hide if self._hides else None
        self.process = process = KernelProcess(name, hide, slot, python=self._launch.python)
        atexit.register(self.close)
        try:
            self._loop.run(self._start(process))
        except Exception as error:
            last_line = process.last_line()
            self.close()
            message = f"kernel {name!r} did not start: {error}{last_line}"
            raise KernelStartFailed(message) from error
        except BaseException:
            self.close()
            raise

    async def _start(self, process: KernelProcess) -> None:
        launch, copy = self._launch, self._copy
        await process.launch(copy.folder if copy else launch.cwd, self._environ)
        if launch.measured:
            self._measurement = kernel_coverage.measurement(process.folder.path)
        first, last = launch.paths
        installer = island.installer(  # it comes up
            trace=launch.trace,
            learning=launch.learning,
            paths=([*map(copy.of, first)], [*map(copy.of, last)]) if copy else launch.paths,
            root=copy.root if copy else "",
            inputs=launch.inputs,
            measurement=self._measurement,
        )
        await process.connect()
        if not launch.python:
            return
        reply = await process.evaluate(installer)
        content: Any = reply["content"] if reply else {"status": "error", "evalue": "no answer"}
        content = content.get("user_expressions", {}).get("answer", content)
        if content["status"] == "ok":
            self.python = content["data"]["text/plain"].strip("'")
        else:
            self.fault = f"the tracer could not be installed: {content.get('evalue', '')}"

    def execute(
        self,
        source: str,
        limit_s: float | None,
        heard: Heard | None,
        meanwhile: Callable[[], None] | None = None,
    ) -> Executed:
        """Run the source of a cell, None for no limit; `heard` is told what it shows.

        What there is to do `meanwhile` is done here while the kernel is at work.
        """
        loop, process = self._running()
        came = loop.run(process.execute(source, limit_s, heard), meanwhile)
        shown = came.collector.outputs(), came.collector.displays()
        about = came.reply, came.event, *shown, came.duration_s
        return Executed(came.status, came.reason, *about)

    def aside(self, asked: HostQuestion, margin_s: float) -> Answer:
        """Return what became of cells on the side; why nothing did, where there is no answer.

        After cells that ran in the kernel itself it runs no others.
        """
        if not self._launch.python:
            return no_answer("only Python is run on the side")
        children = len(asked["cells"]) + 1 if asked["way"] == "fork" else 1  # at most
        limit_s = asked["limit_s"] * SLOWER * children + margin_s
        _, process = self._running()
        reply, cause = self._ask(ASIDE, json.dumps(asked), limit_s)
        if asked["way"] == "here":
            process.alive = False
        answer = cast("Answer | None", _payload(reply))
        if cause or answer is not None:
            return answer or {**no_answer(cause), "cost_s": asked["limit_s"]}
        outcome = reply["content"].get("user_expressions", {}).get("answer", {}) if reply else {}
        if outcome.get("status") == "error":
            cause = f": {outcome['ename']}: {outcome['evalue']}"
        return no_answer(f"the kernel did not answer{cause}")

    def surroundings(self, asked: SurroundingsQuestion) -> Surroundings | None:
        """Return what the cells ran in, None where nothing answers."""
        if not self.alive or not self._launch.python:
            return None
        reply, _ = self._ask(SURROUNDINGS, json.dumps(asked), SURROUNDINGS_LIMIT_S)
        return cast("Surroundings | None", _payload(reply))

    def sweep(self, *, names: bool) -> Sweep | None:
        """Return all that it holds, or only what no name shows; None where nothing answers."""
        if not self.alive or not self._launch.python:
            return None
        reply, _ = self._ask(STATE, names, SWEEP_LIMIT_S)
        return cast("Sweep | None", _payload(reply))

    def fetch(self, expression: str) -> Fetched:
        """Return what an expression gives in the kernel, the list of the names for ""."""
        cause = "the kernel is gone" if not self.alive else ""
        if self._launch.python and not cause:
            reply, cause = self._ask(FETCHING, expression, FETCH_LIMIT_S)
            answer = _payload(reply)
            if answer is not None:
                return cast("Fetched", answer)
        cause = cause or "the kernel did not answer"
        return {"pickled": "", "kind": "", "shown": "", "cause": cause}

    def visited(self, asked: VisitQuestion) -> Visited:
        """Let front ends in."""
        if self._launch.python:
            self._answer(VISIT, asked, _DO_LIMIT_S)
        loop, process = self._running()
        return Visited(process.folder.connection_file, lambda: loop.run(process.interrupt()))

    def expect(self, sources: Sequence[str]) -> None:
        """Do nothing: whatever runs has been run before."""

    def unbind(self, names: Sequence[str]) -> None:
        """Remove names of the notebook, if it is up."""
        if names and self.alive:
            self._do(f"[shell.user_ns.pop(name, None) for name in {[*names]!r}]")

    def import_again(self, names: Sequence[str]) -> None:
        """Import modules, as a run did that is not made again: those that can be."""
        text = (
            f"import contextlib, importlib\nfor name in {[*names]!r}:\n"
            "    with contextlib.suppress(Exception): importlib.import_module(name)"
        )
        self._do(f"exec({text!r}, {{}})")

    def count_from(self, number: int, shown: Mapping[str, int]) -> None:
        """Let the next run have a number, as the front end shows it, if it is up.

        What libraries have `shown` is numbered on from there, by the words of their counters.
        """
        if self.alive:
            self._do(f"setattr(shell, 'execution_count', {number})")
        if shown:
            self._answer(NUMBERS, shown, _DO_LIMIT_S)

    def _do(self, expression: str) -> None:
        loop, process = self._running()
        shell = "__import__('IPython').get_ipython()"
        # what it gives would be shown by the formatters of the notebook: nothing is given
        loop.run(process.ask(f"(lambda shell: ({expression}, None)[1])({shell})", _DO_LIMIT_S))

    def keep(self, asked: KeepQuestion) -> Keeping:
        """Begin to write values into files, in the background."""
        answer, cause = self._answer(KEEP, asked, CHECKPOINT_MARGIN_S)
        return cast("Keeping", answer or {"ticket": 0, "cause": cause})

    def collect(self, asked: CollectQuestion) -> Kept:
        """Return which values are kept by now."""
        answer, cause = self._answer(COLLECT, asked, asked["wait_s"] + CHECKPOINT_MARGIN_S)
        lost: Kept = {"done": True, "covariables": [], "cause": cause, "cost_s": 0.0}
        return cast("Kept", answer or lost)

    def restore(self, asked: RestoreQuestion, limit_s: float) -> list[Restored]:
        """Load values from files and bind their names; each item tells of its own."""
        answer, cause = self._answer(RESTORE, asked, limit_s)
        lost: list[Restored] = [
            {"names": item["names"], "fingerprints": {}, "cause": cause}
            for item in asked["covariables"]
        ]
        return cast("list[Restored]", answer or lost)

    def carry(self, asked: CarryQuestion) -> CarriedLog:
        """Keep what is known of learning, or bring it along; return what is kept, or the cause."""
        answer, cause = self._answer(CARRY, asked, CHECKPOINT_MARGIN_S)
        return cast("CarriedLog", answer or {"cause": cause, "arrays": None})

    def close(self) -> None:
        """Stop the kernel and remove what was made for it; safe to call twice."""
        loop, self._loop = self._loop, None
        if loop is None or self.process is None or os.getpid() != self._owner:
            return
        atexit.unregister(self.close)
        try:
            if self._measurement is not None and self.process.is_idle:
                loop.run(self.process.ask(_question(MEASURING, None), MEASURING_LIMIT_S))
                kernel_coverage.add(self._measurement)
            loop.run(self.process.stop())
        except BaseException:  # Ctrl-C while it is being stopped
            self.process.kill()
            raise
        finally:
            self.process.alive = False
            loop.close()
            self.process.folder.close()
            if self._launch.temporary is not None:
                self._launch.temporary.empty(self.process.processes_ended)

    def _hide(self, message: bytes) -> bytes:
        """Return a part of a message of the kernel without what is of this run alone."""
        for hide in self._hides:
            message = hide(message)
        return message

    def _running(self) -> tuple[LoopThread, KernelProcess]:
        assert self._loop is not None, "start the kernel before running a cell"
        assert self.process is not None, "a loop comes with its process"
        assert self.process.alive, "the kernel is gone"
        return self._loop, self.process

    def _ask(
        self, module: str, question: object, limit_s: float
    ) -> tuple[Mapping[str, Any] | None, str]:
        """Return the reply of the kernel to a question to one of the island's modules."""
        loop, process = self._running()
        return loop.run(process.ask(_question(module, question), limit_s))

    def _answer(self, module: str, asked: object, limit_s: float) -> tuple[object, str]:
        """Return the answer to a question that is sent as JSON, or why there is none."""
        if not self.alive:
            return None, "the kernel is gone"
        reply, cause = self._ask(module, json.dumps(asked), limit_s)
        answer = _payload(reply)
        return answer, "" if answer is not None else cause or "the kernel did not answer"


def _question(module: str, question: object) -> str:
    """Return the expression that puts a question to one of the island's modules."""
    return f"__import__('{module}', fromlist=['ask']).ask({question!r})"


def _payload(reply: Mapping[str, Any] | None) -> object:
    """Return what our code in the kernel has sent along with its reply, None if nothing."""
    for payload in reply["content"].get("payload") or () if reply else ():
        if payload.get("source") == PACKAGE:
            return json.loads(payload["answer"])
    return None
