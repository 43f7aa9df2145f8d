"""The client of a kernel, on top of nbclient's: it sends requests and takes in what comes back.

The only home of nbclient, which is loaded with this file: when the first kernel starts.
"""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Callable, Mapping
from typing import Any

import zmq
from jupyter_client.manager import AsyncKernelManager  # noqa: TID253  # loaded late, as said
from nbclient import NotebookClient  # noqa: TID253
from nbclient.exceptions import CellExecutionComplete, DeadKernelError  # noqa: TID253
from nbformat.v4 import new_code_cell, new_notebook  # noqa: TID253

from pytest_nbsafe.kernel.contract import MIME, CellRun
from pytest_nbsafe.runner.executed import UNSENT, Heard
from pytest_nbsafe.runner.installed_kernels import KernelStartFailed, kernel_specs, quiet
from pytest_nbsafe.runner.outputs import Collector
from pytest_nbsafe.runner.provision import KernelFolder
from pytest_nbsafe.trace.results import RunStatus
from pytest_nbsafe.values import dataclass, field

START_LIMIT_S = 60
IOPUB_LIMIT_S = 60
_HEAR_S = 0.05
_RECONNECT_MS = 10
"""How soon a socket tries again to connect to a kernel that is coming up."""


class GarbledMessage(Exception):  # noqa: N818  # what a cell did, not an error of ours
    """The kernel sent what is no message: a cell has replaced what writes them."""


class KernelDied(Exception):  # noqa: N818  # as above
    """The kernel ended while it was asked something."""


@dataclass(slots=True)
class Exchange:
    """What came back for one execute request."""

    collector: Collector = field(default_factory=Collector)
    reply: Mapping[str, Any] | None = None
    event: CellRun | None = None
    status: RunStatus = "ok"
    reason: str = ""
    heard: Heard | None = None
    duration_s: float = 0.0


class Client(NotebookClient):  # type: ignore[misc]  # untyped base
    """Runs single requests; outputs go to a collector, our own messages to the exchange."""

    def __init__(
        self, kernel: str, folder: KernelFolder, hide: Callable[[bytes], bytes] | None
    ) -> None:
        specs = kernel_specs()
        manager = AsyncKernelManager(kernel_name=kernel, kernel_spec_manager=specs, log=quiet())
        folder.apply(manager)
        manager.session.unpack = _unpacker(manager.session.unpack, hide)
        super().__init__(
            new_notebook(cells=[new_code_cell("")]),
            km=manager,
            log=quiet(),
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
        client.start_channels(hb=False)  # its thread may outlive the sockets that it is to make
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
            source.encode()
        except UnicodeEncodeError as error:  # no message can hold it, nor can Python compile it
            exchange.reply = _refused(error)
            return True
        try:
            await self.async_execute_cell(new_code_cell(source), 0)
        except DeadKernelError:
            return False
        except GarbledMessage as error:
            exchange.reason = str(error)
            return False
        return True

    async def evaluate(self, expression: str) -> Mapping[str, Any] | None:
        """Return the reply to a question of ours, which leaves no trace in the kernel.

        Raises:
            KernelDied: it ended meanwhile.
            GarbledMessage: what came is no reply.

        """
        assert self.kc is not None, "it is connected"
        message = self.kc.execute(
            "",
            silent=True,
            store_history=False,
            user_expressions={"answer": expression},
            allow_stdin=False,
        )
        try:
            reply: Mapping[str, Any] | None = await self.async_wait_for_reply(message)
        except DeadKernelError:
            raise KernelDied from None
        return reply

    def _note_reply(self, execute_reply: Mapping[str, Any] | None, **_: Any) -> None:
        self._exchange.reply = execute_reply["content"] if execute_reply else None
        for payload in (self._exchange.reply or {}).get("payload", ()):
            if payload.get("source") == MIME:
                self._exchange.event = json.loads(payload["run"])

    def process_message(self, msg: Mapping[str, Any], cell: Any, cell_index: int) -> None:  # noqa: ARG002  # nbclient's signature
        """Take in a message of the output channel.

        Raises:
            CellExecutionComplete: it was the last one of the request.

        """
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


def _refused(error: UnicodeEncodeError) -> Mapping[str, Any]:
    """Return what Python says of a text that holds half of a pair of surrogates."""
    told = {"ename": type(error).__name__, "evalue": str(error), "traceback": []}
    return {"status": "error", **told, UNSENT: True}


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
