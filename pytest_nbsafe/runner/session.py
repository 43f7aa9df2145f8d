"""One notebook's kernel: start it, run cells in it, never leave it behind.

The only home of nbclient, which is imported when the first kernel starts.
"""

from __future__ import annotations

import asyncio
import atexit
import functools
import json
import logging
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from pytest_nbsafe.analysis import graph as graphs
from pytest_nbsafe.analysis.model import CellAnalysis
from pytest_nbsafe.kernel.contract import MIME, VERSION, Answer, CellRun, SideRun, no_answer
from pytest_nbsafe.notebook.model import Cell, Notebook
from pytest_nbsafe.runner import counterfactual, island, sweeps
from pytest_nbsafe.runner.failures import as_failure, asks_exit
from pytest_nbsafe.runner.loop import LoopThread
from pytest_nbsafe.runner.outputs import Collector
from pytest_nbsafe.runner.provision import KernelFolder, death, environment, kill_group
from pytest_nbsafe.trace import learning as lessons
from pytest_nbsafe.trace.accesses import touched
from pytest_nbsafe.trace.differences import Aspects, Counterfactual
from pytest_nbsafe.trace.events import records, values
from pytest_nbsafe.trace.model import CellResult, Failure, Incident, RunStatus
from pytest_nbsafe.trace.sessions import Holding
from pytest_nbsafe.values import dataclass, field, replace

DEFAULT_KERNEL = "python3"
START_LIMIT_S = 60
INTERRUPT_LIMIT_S = 5.0
IOPUB_LIMIT_S = 60
FOLLOWED_S = 0.3
"""How long cells may have taken that are followed below the names when they run on the side."""

_log = logging.getLogger("pytest_nbsafe.kernel")
_log.disabled = True  # what goes wrong is in the results; jupyter's own log repeats it


class NoSuchKernel(Exception):  # noqa: N818  # it completes "raise NoSuchKernel"
    """No kernel of this name is installed; `available` are those that are."""

    def __init__(self, name: str, available: tuple[str, ...]) -> None:
        super().__init__(f"no kernel {name!r}; there are: {', '.join(available) or 'none'}")
        self.name = name
        self.available = available


class KernelStartFailed(Exception):  # noqa: N818  # as above
    """The kernel is installed but did not come up; the message says why."""


@dataclass(slots=True)
class _Exchange:
    """What came back for one execute request."""

    collector: Collector = field(default_factory=Collector)
    reply: Mapping[str, Any] | None = None
    event: CellRun | None = None
    status: RunStatus = "ok"
    reason: str = ""


class KernelSession:
    """A kernel for one notebook; use it as a context manager, or call `close`.

    `kernel` overrides the notebook's own kernel name. `timeout_s` is the limit for one cell, None
    or 0 for no limit. `trace` switches lineage and fingerprints; incidents are always watched.
    `learning` says what is watched of the libraries that learn, None leaves them alone.
    `analyses` saves analysing the notebook again, where the caller has done so. `environ` is laid
    over the environment.
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
    ) -> None:
        self._environ = environ or {}
        self._notebook = notebook
        self._kernel = kernel or notebook.kernel_name or DEFAULT_KERNEL
        self._timeout_s = timeout_s or None
        self._cwd = cwd
        self._trace = trace
        self._learning = learning
        self._analyses = analyses
        self._run_cells: dict[int, int] = {}
        self._took: dict[int, float] = {}
        self._loop: LoopThread | None = None
        self._folder: KernelFolder | None = None
        self._client: Any = None
        self._pid: int | None = None
        self._owner = os.getpid()
        self._alive = False
        self._busy = False
        self._fault = ""

    @property
    def alive(self) -> bool:
        """Whether the kernel can run another cell."""
        return self._alive

    @property
    def run_cells(self) -> Mapping[int, int]:
        """The kernel's run numbers and the cells they ran."""
        return self._run_cells

    def start(self) -> None:
        """Start the kernel and ship the island.

        Raises:
            NoSuchKernel: no kernel of that name is installed.
            KernelStartFailed: it did not come up.

        """
        _check_installed(self._kernel)
        self._loop = LoopThread()
        self._folder = KernelFolder()
        atexit.register(self.close)
        try:
            self._loop.run(self._start())
        except Exception as error:
            said = self._said()
            self.close()
            message = f"kernel {self._kernel!r} did not start: {error}{said}"
            raise KernelStartFailed(message) from error
        except BaseException:
            self.close()
            raise

    def run(self, cell: Cell, step: int) -> CellResult:
        """Run one cell and return what came of it, whatever that is."""
        assert self._loop is not None, "start the session before running a cell"
        assert self._alive, "the kernel is gone"
        exchange = _Exchange()
        started = time.perf_counter()
        self._busy = True
        self._loop.run(self._execute(cell, exchange))
        self._busy = False
        duration_s = time.perf_counter() - started
        self._took[cell.number] = duration_s
        return self._result(cell, step, exchange, duration_s)

    def counterfactual(
        self,
        cells: Sequence[Cell],
        *,
        limit_s: float = counterfactual.LIMIT_S,
        stir: bool = False,
        here: bool = False,
        follow: bool = True,
    ) -> Counterfactual:
        """Return what the cells would do if they ran now, one after another.

        The kernel stays as it is. They run in a forked child, which may write no file, use no
        network and start no process: a cell that would is not run, and the cause says so. The
        steps of the results count from 1. With `stir` random numbers are other ones. Cells that
        run `here` do so in this kernel, under the same rules, and nothing runs in it after them.
        """
        if not here and not counterfactual.FORKS:
            return Counterfactual(cause="kernels are not forked", elsewhere=True)
        way: counterfactual.Way = "here" if here else "fork"
        sources = [cell.source for cell in cells]
        follow = follow and not stir and self._is_quick(cells)
        asked = counterfactual.question(sources, limit_s, stir=stir, follow=follow, way=way)
        answer = self._asked(asked, limit_s)
        self._alive = self._alive and not here
        if answer["cause"]:
            at = answer["cell"]
            about = cells[at - 1].number if at else 0
            return Counterfactual((), answer["cause"], about, elsewhere=answer["elsewhere"])
        known, self._run_cells = self._run_cells, dict(self._run_cells)
        try:
            runs = zip(answer["runs"], cells, strict=False)
            last = len(answer["runs"])
            results = tuple(
                self._side_result(run, cell, step, answer["raw"] if step == last else "")
                for step, (run, cell) in enumerate(runs, 1)
            )
        finally:
            self._run_cells = known  # the kernel itself has not run them
        seen = [run["accesses"] for run in answer["runs"]]
        parts = tuple(touched(found) if found is not None else None for found in seen)
        return Counterfactual(results, shown=answer["shown"], was=answer["was"], touched=parts)

    def _is_quick(self, cells: Sequence[Cell]) -> bool:
        """Return whether cells can be followed below the names, which makes loops much slower."""
        return self._trace and sum(self._took.get(c.number, 0.0) for c in cells) < FOLLOWED_S

    def look(self, names: Sequence[str]) -> Mapping[str, Aspects]:
        """Return a few words on what names hold now."""
        limit_s = counterfactual.LIMIT_S
        asked = counterfactual.question([" ".join(names)], limit_s, way="look")
        return self._asked(asked, limit_s)["was"]

    def hurry(self, limit_s: float) -> None:
        """Let no cell take longer from now on."""
        self._timeout_s = min(self._timeout_s or limit_s, limit_s)

    def sweep(self, *, names: bool = True) -> Holding | None:
        """Return what the kernel holds now, or only what no name shows; None without an answer."""
        if self._loop is None or not self._alive:
            return None
        self._busy = True
        found = self._loop.run(self._look(names=names))
        self._busy = False
        return found

    def close(self) -> None:
        """Stop the kernel and remove what was made for it; safe to call twice."""
        loop, self._loop = self._loop, None
        if loop is None or os.getpid() != self._owner:
            return
        atexit.unregister(self.close)
        try:
            loop.run(self._stop())
        finally:
            self._alive = False
            loop.close()
            if self._folder is not None:
                self._folder.close()

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

    # ------------------------------------------------------------ start and stop

    async def _start(self) -> None:
        assert self._folder is not None, "start makes the folder first"
        self._client = client = _client_class()(self._kernel, self._folder)
        await client.async_start_new_kernel(
            cwd=str(self._cwd),
            env=environment({**os.environ, **self._environ}),
            stdout=self._folder.log,
            stderr=self._folder.log,
        )
        self._pid = getattr(client.km.provisioner, "pid", None)
        installer = island.installer(trace=self._trace, learning=self._learning)  # it comes up
        await client.async_start_new_kernel_client()
        client.widen()
        self._alive = True
        message = client.kc.execute(
            "",
            silent=True,
            store_history=False,
            user_expressions={"island": installer},
        )
        reply = await client.async_wait_for_reply(message)
        content: Any = reply["content"] if reply else {"status": "error", "evalue": "no answer"}
        content = content.get("user_expressions", {}).get("island", content)
        if content["status"] != "ok":
            self._fault = f"the tracer could not be installed: {content.get('evalue', '')}"

    async def _stop(self) -> None:
        client = self._client
        if client is None or client.km is None:
            return
        now = self._busy or not self._alive
        if now:
            kill_group(self._pid)
        try:
            if client.km.has_kernel:
                await client.km.shutdown_kernel(now=now)
        finally:
            await client.km.cleanup_resources()
            if client.kc is not None:
                client.kc.stop_channels()
            client.km = client.kc = None

    # ------------------------------------------------------------ one run

    async def _execute(self, cell: Cell, exchange: _Exchange) -> None:
        work = asyncio.ensure_future(self._client.exchange(cell.source, exchange))
        done, _ = await asyncio.wait({work}, timeout=self._timeout_s)
        if not done:
            await self._interrupt(work, exchange)
            return
        if await work:
            self._note_exit(exchange)
            return
        self._alive = False
        exchange.status = "died"
        exchange.reason = f"{death(await self._exit_code())}{self._said()}"

    def _note_exit(self, exchange: _Exchange) -> None:
        if exchange.reply is not None and asks_exit(exchange.reply):
            self._alive = False
            exchange.status = "died"
            exchange.reason = "the cell asked the kernel to shut down (exit or quit)"

    async def _interrupt(self, work: asyncio.Future[bool], exchange: _Exchange) -> None:
        """Ask a kernel that takes too long to stop; kill it when it does not."""
        exchange.status = "timed-out"
        exchange.reason = f"not done after {self._timeout_s:g} s; interrupted"
        await self._client.km.interrupt_kernel()
        done, _ = await asyncio.wait({work}, timeout=INTERRUPT_LIMIT_S)
        if done and await work:
            return
        self._alive = False
        if done:
            exchange.reason = f"not done after {self._timeout_s:g} s; the interrupt ended it"
            return
        exchange.reason = f"not done after {self._timeout_s:g} s, deaf to the interrupt; killed"
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        kill_group(self._pid)

    def _asked(self, question: str, limit_s: float) -> Answer:
        assert self._loop is not None, "start the session before asking it"
        assert self._alive, "the kernel is gone"
        self._busy = True
        answer = self._loop.run(self._ask(question, limit_s))
        self._busy = False
        return answer

    async def _ask(self, question: str, limit_s: float) -> Answer:
        """Ask the kernel to run cells on the side; one that does not answer is stopped."""
        from nbclient.exceptions import DeadKernelError

        client = self._client
        message = client.kc.execute(
            "",
            silent=True,
            store_history=False,
            user_expressions={"answer": question},
            allow_stdin=False,
        )
        try:
            waiting = client.async_wait_for_reply(message)
            reply = await asyncio.wait_for(waiting, limit_s + counterfactual.MARGIN_S)
        except asyncio.TimeoutError:
            self._alive = False
            kill_group(self._pid)
            return no_answer("the kernel did not answer, and was stopped")
        except DeadKernelError:
            self._alive = False
            return no_answer(f"{death(await self._exit_code())}{self._said()}")
        return counterfactual.answer(reply)

    async def _look(self, *, names: bool) -> Holding | None:
        """Ask what the kernel holds; one that takes too long is stopped."""
        from nbclient.exceptions import DeadKernelError

        client = self._client
        message = client.kc.execute(
            "",
            silent=True,
            store_history=False,
            user_expressions={"answer": sweeps.question(names=names)},
            allow_stdin=False,
        )
        try:
            waiting = client.async_wait_for_reply(message)
            reply = await asyncio.wait_for(waiting, sweeps.LIMIT_S)
        except (asyncio.TimeoutError, DeadKernelError):
            self._alive = False
            kill_group(self._pid)
            return None
        return sweeps.answer(reply)

    def _side_result(self, run: SideRun, cell: Cell, step: int, raw: str) -> CellResult:
        shown = counterfactual.collector(run, raw)
        return self._result(cell, step, _Exchange(shown, run["reply"], run["event"]), 0.0)

    async def _exit_code(self) -> int | None:
        code = await self._client.km.provisioner.poll()
        return code if isinstance(code, int) else None

    def _said(self) -> str:
        line = self._folder.last_line() if self._folder else ""
        return f"; it said: {line}" if line else ""

    def _result(self, cell: Cell, step: int, exchange: _Exchange, duration_s: float) -> CellResult:
        event = exchange.event
        if event is not None:
            self._run_cells[event["run"]] = cell.number
        failure = self._failure(exchange, event)
        status = exchange.status
        if status == "ok" and failure is not None:
            status = "raised"
        result = CellResult(
            step,
            cell.number,
            status,
            failure=failure,
            reason=exchange.reason,
            outputs=exchange.collector.outputs(),
            incidents=self._incidents(exchange),
            duration_s=duration_s,
        )
        return self._traced(result, event) if event is not None else result

    def _failure(self, exchange: _Exchange, event: CellRun | None) -> Failure | None:
        if exchange.reply is None:
            return None
        return as_failure(exchange.reply, event, self._run_cells)

    def _traced(self, result: CellResult, event: CellRun) -> CellResult:
        result = replace(
            result,
            cpu_s=event["cpu_s"],
            evaluations=lessons.evaluations(event, result.cell, self._run_cells),
            copies=lessons.copies(event, result.cell, self._run_cells),
        )
        if not self._trace:
            return result
        return replace(
            result,
            reads=values(event["before"]),
            after=values(event["after"]),
            records=records(event, result.step, result.cell, self._known(), self._run_cells),
        )

    def _known(self) -> Mapping[int, CellAnalysis]:
        if self._analyses is None:
            self._analyses = graphs.build(self._notebook).cells
        return self._analyses

    def _incidents(self, exchange: _Exchange) -> tuple[Incident, ...]:
        event = exchange.event
        seen = (
            [Incident(i["kind"], i["line"], i["message"]) for i in event["incidents"]]
            if event
            else []
        )
        if self._fault:
            seen.append(Incident("tracer", 0, self._fault))
            self._fault = ""
        elif event is None and exchange.reply is not None:
            seen.append(Incident("tracer", 0, "the tracer did not report this run"))
        return tuple(seen)


# ---------------------------------------------------------------- nbclient


@functools.cache
def _client_class() -> type[Any]:
    """Return our subclass of nbclient's client; made on first use, for the import is heavy."""
    import zmq
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionComplete, DeadKernelError
    from nbformat.v4 import new_code_cell, new_notebook

    class Client(NotebookClient):  # type: ignore[misc]  # untyped base
        """Runs single requests; outputs go to a collector, our own messages to the exchange."""

        def __init__(self, kernel: str, folder: KernelFolder) -> None:
            manager = AsyncKernelManager(kernel_name=kernel, log=_log)
            folder.apply(manager)
            super().__init__(
                new_notebook(cells=[new_code_cell("")]),
                km=manager,
                log=_log,
                allow_errors=True,
                timeout=None,
                startup_timeout=START_LIMIT_S,
                iopub_timeout=IOPUB_LIMIT_S,
                record_timing=False,
                coalesce_streams=False,
                on_cell_executed=self._note_reply,
            )
            self._exchange = _Exchange()

        def widen(self) -> None:
            """Let the output channel queue without a limit: a full queue drops messages."""
            assert self.kc is not None, "the client is connected"
            self.kc.iopub_channel.socket.setsockopt(zmq.RCVHWM, 0)

        async def exchange(self, source: str, exchange: _Exchange) -> bool:
            """Run source; False when the kernel died over it."""
            self._exchange = exchange
            try:
                await self.async_execute_cell(new_code_cell(source), 0)
            except DeadKernelError:
                return False
            return True

        def _note_reply(self, execute_reply: Mapping[str, Any] | None, **_: Any) -> None:
            self._exchange.reply = execute_reply["content"] if execute_reply else None
            for payload in (self._exchange.reply or {}).get("payload", ()):
                if payload.get("source") == MIME:
                    self._note_event(json.loads(payload["run"]))

        def _note_event(self, event: Mapping[str, Any]) -> None:
            if event.get("version") == VERSION:
                self._exchange.event = cast("CellRun", event)

        def process_message(self, msg: Mapping[str, Any], cell: Any, cell_index: int) -> None:  # noqa: ARG002  # nbclient's signature
            kind, content = msg["msg_type"], msg["content"]
            if kind == "status":
                if content["execution_state"] == "idle":
                    raise CellExecutionComplete
            elif kind == "display_data" and MIME in content.get("data", {}):
                self._note_event(content["data"][MIME])
            else:
                self._exchange.collector.add(kind, content)

    return Client


def _check_installed(name: str) -> None:
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.kernelspec import NoSuchKernel as Unknown

    manager = KernelSpecManager(log=_log)
    try:
        manager.get_kernel_spec(name)
    except (Unknown, ValueError) as error:
        raise NoSuchKernel(name, tuple(sorted(manager.find_kernel_specs()))) from error
