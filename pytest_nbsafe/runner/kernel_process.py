"""The process of a kernel: started, asked to run code, interrupted and stopped."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pytest_nbsafe.kernel.contract import ENDING
from pytest_nbsafe.runner import leftovers
from pytest_nbsafe.runner.executed import Heard
from pytest_nbsafe.runner.failures import asks_exit
from pytest_nbsafe.runner.installed_kernels import let_fork
from pytest_nbsafe.runner.jupyter_folders import writable_environ
from pytest_nbsafe.runner.kernel_client import Client, Exchange, GarbledMessage, KernelDied
from pytest_nbsafe.runner.provision import KernelFolder, death, environ_with, kill_group

INTERRUPT_LIMIT_S = 5.0
END_LIMIT_S = 1.5
_LOOK_S = 0.005


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
        self._client = client = Client(self._name, self.folder, self._hide)
        if self._slot is not None:
            let_fork(client.km, self._slot)
        await client.async_start_new_kernel(
            cwd=str(cwd),
            env={
                **environ_with({**writable_environ(self.folder.path), **environ}),
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
        exchange, started = Exchange(heard=heard), time.perf_counter()
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
        exchange.duration_s = time.perf_counter() - started
        return exchange

    async def evaluate(self, expression: str) -> Mapping[str, Any] | None:
        """Return the reply to a question of ours, which leaves no trace in the kernel."""
        reply: Mapping[str, Any] | None = await self._client.evaluate(expression)
        return reply

    async def ask(self, expression: str, limit_s: float) -> tuple[Mapping[str, Any] | None, str]:
        """Return the reply to a question, or why there is none.

        A kernel that takes too long is stopped.
        """
        self._busy = True
        reply, cause = None, ""
        try:
            reply = await asyncio.wait_for(self.evaluate(expression), limit_s)
        except asyncio.TimeoutError:
            self.kill()
            cause = "the kernel did not answer, and was stopped"
        except KernelDied:
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

    async def interrupt(self) -> None:
        """Ask what runs to stop, as Ctrl-C does, where it has not ended by itself."""
        if self._client.km.has_kernel:
            await self._client.km.interrupt_kernel()

    async def _interrupt(self, work: asyncio.Future[bool], exchange: Exchange, late: str) -> None:
        """Ask a kernel that takes too long to stop; kill it when it does not."""
        exchange.status = "timed-out"
        exchange.reason = f"{late}; interrupted"
        await self.interrupt()
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
