"""A kernel under nbclient: started, asked to run code, interrupted and stopped.

The only home of nbclient, which is imported when the first kernel starts.
"""

from __future__ import annotations

import asyncio
import functools
import json
import os
import queue
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pytest_nbsafe.kernel.contract import ENDING, MIME, CellRun
from pytest_nbsafe.runner import leftovers
from pytest_nbsafe.runner.executed import Heard
from pytest_nbsafe.runner.failures import asks_exit
from pytest_nbsafe.runner.installed_kernels import KernelStartFailed, kernel_specs, let_fork, quiet
from pytest_nbsafe.runner.jupyter_folders import writable_environ
from pytest_nbsafe.runner.outputs import Collector
from pytest_nbsafe.runner.provision import KernelFolder, death, kill_group
from pytest_nbsafe.trace.results import RunStatus
from pytest_nbsafe.values import dataclass, field

START_LIMIT_S = 60
INTERRUPT_LIMIT_S = 5.0
END_LIMIT_S = 1.5
_LOOK_S = 0.005
_HEAR_S = 0.05
_RECONNECT_MS = 10
"""How soon a socket tries again to connect to a kernel that is coming up."""
IOPUB_LIMIT_S = 60
_NO_DEBUGGER_WARNINGS = {"PYDEVD_DISABLE_FILE_VALIDATION": "1"}


class GarbledMessage(Exception):  # noqa: N818  # as above
    """The kernel sent what is no message: a cell has replaced what writes them."""


@dataclass(slots=True)
class Exchange:
    """What came back for one execute request."""

    collector: Collector = field(default_factory=Collector)
    reply: Mapping[str, Any] | None = None
    event: CellRun | None = None
    status: RunStatus = "ok"
    reason: str = ""
    heard: Heard | None = None


class KernelProcess:
    """The process of one kernel, and the client that talks to it, all on one event loop.

    `alive` says whether it can run another cell. `folder` holds its files, and is there as long
    as this object is not closed. `hide` takes out of its messages what is not to be shown.
    With a `slot` it may be forked, and it may speak another language than `python`: see `Launch`.
    `processes_ended` says, once it is stopped, how many processes it had left.
    """

    def __init__(
        self,
        name: str,
        hide: Callable[[bytes], bytes] | None = None,
        slot: int | None = None,
        *,
        python: bool = True,
    ) -> None:
        self._python = python
        self.alive = False
        self.pid: int | None = None
        self.folder = KernelFolder()
        self.processes_ended = 0
        self._name = name
        self._hide = hide
        self._slot = slot
        self._client: Any = None
        self._busy = False

    @property
    def is_idle(self) -> bool:
        """Whether it can answer at once."""
        return self.alive and not self._busy

    async def launch(self, cwd: Path, environ: Mapping[str, str]) -> None:
        """Start the process, which takes a while to come up."""
        self._client = client = _client_class()(self._name, self.folder, self._hide)
        if self._slot is not None:
            let_fork(client.km, self._slot)
        await client.async_start_new_kernel(
            cwd=str(cwd),
            env={
                **os.environ,
                **writable_environ(self.folder.path),
                **environ,
                **_NO_DEBUGGER_WARNINGS,
                leftovers.MARK: str(self.folder.path),
            },
            stdout=self.folder.log,
            stderr=self.folder.log,
        )
        self.pid = getattr(client.km.provisioner, "pid", None)

    async def connect(self) -> None:
        """Wait until the process is up, and connect to it.

        Raises:
            KernelStartFailed: it ended, or does not answer.

        """
        await self._client.meet()
        self.alive = True

    async def stop(self) -> None:
        """Stop the process, at once when it is at work or does not answer."""
        client = self._client
        if client is None or client.km is None:
            return
        if not self.is_idle:
            kill_group(self.pid)
        try:
            if client.km.has_kernel:
                if self.is_idle:
                    await self._end()
                await client.km.shutdown_kernel(now=True)
        finally:
            self.alive = False
            await client.km.cleanup_resources()
            if client.kc is not None:
                client.kc.stop_channels()
            client.km = client.kc = None
            self.processes_ended = leftovers.end(str(self.folder.path), self.pid)

    async def _end(self) -> None:
        """Ask the process to end, over one channel and then the other, and wait for it a while."""
        if not self._python:
            await self._client.km.request_shutdown()
            await self._ends(END_LIMIT_S)
            return
        asked = asyncio.ensure_future(
            self.evaluate(f"__import__('{ENDING}', fromlist=['_']).ask()")
        )
        try:
            if await self._ends(END_LIMIT_S):
                return
        finally:
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)
        await self._client.km.request_shutdown()
        await self._ends(END_LIMIT_S)

    async def _ends(self, limit_s: float) -> bool:
        """Wait for the process to end, looking more often than jupyter_client does."""
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline:
            if not await self._client.km.is_alive():
                return True
            await asyncio.sleep(_LOOK_S)
        return False

    async def execute(
        self, source: str, timeout_s: float | None, heard: Heard | None = None
    ) -> Exchange:
        """Run the source of a cell and return what came back; None for no limit."""
        self._busy = True
        exchange = Exchange(heard=heard)
        work = asyncio.ensure_future(self._client.exchange(source, exchange))
        done, _ = await asyncio.wait({work}, timeout=timeout_s)
        if not done:
            await self._interrupt(work, exchange, f"not done after {timeout_s:g} s")
        elif await work:
            self._note_exit(exchange)
        else:
            exchange.status = "died"
            exchange.reason = exchange.reason or await self._death()
            self.kill()
        self._busy = False
        return exchange

    async def evaluate(self, expression: str) -> Mapping[str, Any] | None:
        """Return the reply to a question of ours, which leaves no trace in the kernel."""
        client = self._client
        message = client.kc.execute(
            "",
            silent=True,
            store_history=False,
            user_expressions={"answer": expression},
            allow_stdin=False,
        )
        reply: Mapping[str, Any] | None = await client.async_wait_for_reply(message)
        return reply

    async def ask(self, expression: str, limit_s: float) -> tuple[Mapping[str, Any] | None, str]:
        """Return the reply to a question, or why there is none.

        A kernel that takes too long is stopped.
        """
        from nbclient.exceptions import DeadKernelError

        self._busy = True
        reply, cause = None, ""
        try:
            reply = await asyncio.wait_for(self.evaluate(expression), limit_s)
        except asyncio.TimeoutError:
            self.kill()
            cause = "the kernel did not answer, and was stopped"
        except DeadKernelError:
            cause = await self._death()
        except GarbledMessage as error:
            self.kill()
            cause = str(error)
        self._busy = False
        return reply, cause

    def _note_exit(self, exchange: Exchange) -> None:
        if exchange.reply is not None and asks_exit(exchange.reply):
            self.alive = False
            exchange.status = "died"
            exchange.reason = "the cell asked the kernel to shut down (exit or quit)"

    async def _interrupt(self, work: asyncio.Future[bool], exchange: Exchange, late: str) -> None:
        """Ask a kernel that takes too long to stop; kill it when it does not."""
        exchange.status = "timed-out"
        exchange.reason = f"{late}; interrupted"
        await self._client.km.interrupt_kernel()
        done, _ = await asyncio.wait({work}, timeout=INTERRUPT_LIMIT_S)
        if done and await work:
            return
        self.alive = False
        if done:
            exchange.reason = f"{late}; the interrupt ended it"
            return
        exchange.reason = f"{late}, and did not react to the interrupt; it was killed"
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        self.kill()

    def kill(self) -> None:
        """End the process at once, and whatever it started."""
        self.alive = False
        kill_group(self.pid)

    async def _death(self) -> str:
        """Return how the process ended, and the last that it said."""
        self.alive = False
        code = await self._client.km.provisioner.poll()
        return f"{death(code if isinstance(code, int) else None)}{self.last_line()}"

    def last_line(self) -> str:
        """Return the last that the process printed itself, as the end of a sentence."""
        line = self.folder.last_line()
        return f"; it said: {line}" if line else ""


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

        def __init__(
            self, kernel: str, folder: KernelFolder, hide: Callable[[bytes], bytes] | None
        ) -> None:
            specs = kernel_specs()
            manager = AsyncKernelManager(kernel_name=kernel, kernel_spec_manager=specs, log=quiet)
            folder.apply(manager)
            manager.session.unpack = _unpacker(manager.session.unpack, hide)
            super().__init__(
                new_notebook(cells=[new_code_cell("")]),
                km=manager,
                log=quiet,
                allow_errors=True,
                timeout=None,
                startup_timeout=START_LIMIT_S,
                iopub_timeout=IOPUB_LIMIT_S,
                record_timing=False,
                coalesce_streams=False,
                on_cell_executed=self._note_reply,
            )
            self._exchange = Exchange()

        async def meet(self) -> None:
            """Connect to a kernel that is coming up, as soon as it answers on both channels."""
            assert self.km is not None, "it was given one"
            self.km.context.setsockopt(zmq.RECONNECT_IVL, _RECONNECT_MS)
            self.kc = client = self.km.client()
            client.start_channels()
            client.allow_stdin = False  # which starting the channels has allowed
            # a full queue would drop messages
            client.iopub_channel.socket.setsockopt(zmq.RCVHWM, 0)
            deadline = time.monotonic() + START_LIMIT_S
            while not await self._answers(client):
                if not await self.km.is_alive():
                    raise KernelStartFailed("it ended before it answered")
                if time.monotonic() > deadline:
                    raise KernelStartFailed(f"no answer in {START_LIMIT_S} s")

        async def _answers(self, client: Any) -> bool:
            """Return whether the kernel answers a request, and is heard to be idle after it."""
            request = client.kernel_info()
            try:
                await client.get_shell_msg(timeout=1)
                while True:
                    message = await client.get_iopub_msg(timeout=_HEAR_S)
                    if message["parent_header"].get("msg_id") == request and _is_idle(message):
                        return True
            except queue.Empty:  # it is not up, or its output channel not yet connected
                return False

        async def exchange(self, source: str, exchange: Exchange) -> bool:
            """Run source; False when the kernel died over it."""
            self._exchange = exchange
            try:
                await self.async_execute_cell(new_code_cell(source), 0)
            except DeadKernelError:
                return False
            except GarbledMessage as error:
                exchange.reason = str(error)
                return False
            return True

        def _note_reply(self, execute_reply: Mapping[str, Any] | None, **_: Any) -> None:
            self._exchange.reply = execute_reply["content"] if execute_reply else None
            for payload in (self._exchange.reply or {}).get("payload", ()):
                if payload.get("source") == MIME:
                    self._exchange.event = json.loads(payload["run"])

        def process_message(self, msg: Mapping[str, Any], cell: Any, cell_index: int) -> None:  # noqa: ARG002  # nbclient's signature
            kind, content = msg["msg_type"], msg["content"]
            if kind == "status":
                if _is_idle(msg):
                    raise CellExecutionComplete
            elif kind == "display_data" and MIME in content.get("data", {}):
                self._exchange.event = content["data"][MIME]
            else:
                self._exchange.collector.add(kind, content)
                if self._exchange.heard is not None:
                    self._exchange.heard(kind, content)

    return Client


def _is_idle(message: Mapping[str, Any]) -> bool:
    return bool(message["content"].get("execution_state") == "idle")


def _unpacker(
    unpack: Callable[[bytes], Any], hide: Callable[[bytes], bytes] | None
) -> Callable[[bytes], dict[str, Any]]:
    """Return what reads the parts of a message, without what is to be hidden."""

    def read(part: bytes) -> dict[str, Any]:
        try:
            value = unpack(hide(part) if hide is not None else part)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise GarbledMessage("the kernel sent what is no message: did the cell replace json?")
        return value

    return read
