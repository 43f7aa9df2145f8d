"""A front end in the kernel: what it runs is noted, and `%nbsafe` asks for another state."""

from __future__ import annotations

import inspect
import json
from typing import Any

from .. import bootstrap
from ..checkpoint_contract import VisitorAsks, VisitorTold, VisitQuestion
from ..contract import CellRun
from .keep import kept_by_now
from .moving import moved
from .undisturbed import undisturbed

_MAGIC = "nbsafe"
_ABOUT = "kernel_info_request"
"""What a front end asks first; IPython draws a random number to pick a tip for it."""
_ALONE = f"%{_MAGIC} stands alone in its cell"
_GONE = "nobody answers: the `nbsafe checkout` that has opened this kernel has ended"


def ask(question: str) -> None:
    """Let front ends in."""
    _Visit(bootstrap.tracers[-1], json.loads(question))
    bootstrap.answer("true")


def _undisturbing(handler: Any) -> Any:
    """Return a handler of messages that leaves the sources of random numbers as they were."""

    async def undisturbing(*args: Any) -> None:
        with undisturbed():
            answer = handler(*args)
            if inspect.isawaitable(answer):
                await answer

    return undisturbing


class _Visit:
    """What front ends have run since the host was last told."""

    def __init__(self, tracer: Any, asked: VisitQuestion) -> None:
        self._tracer = tracer
        self._asked = asked
        self._runs: list[tuple[str, CellRun]] = []
        self._text, self._begun = "", 0
        self._is_moving = self._is_moved = False
        self._publish = tracer.publish
        tracer.publish = self._published
        shell = tracer.shell
        shell.events.register("pre_run_cell", self._begins)
        shell.register_magic_function(self.magic, "line", _MAGIC)
        for channel in ("shell_handlers", "control_handlers"):
            handlers = getattr(shell.kernel, channel, {})
            if _ABOUT in handlers:
                handlers[_ABOUT] = _undisturbing(handlers[_ABOUT])

    def _begins(self, info: Any) -> None:
        if len(self._tracer.sources) == 1 and not self._is_moving:  # else it is nested
            self._text = str(info.raw_cell)
            self._begun += 1
            self._is_moved = False

    def _published(self, run: CellRun) -> None:
        if not self._is_moving and not self._is_moved:
            self._runs.append((self._text, run))
        self._publish(run)

    def magic(self, line: str) -> None:
        """Bring this kernel to another state of the notebook: `%nbsafe --before 5`, `--after 5`."""
        from multiprocessing.connection import Client

        sources = self._tracer.sources
        if not sources or sources[0].raw.strip() != f"%{_MAGIC} {line}".strip():
            print(_ALONE)  # noqa: T201  # to who has typed it
            return
        runs, is_complete = self._runs, self._begun == len(self._runs) + 1
        self._runs, self._begun = [], 1
        try:
            key = bytes.fromhex(self._asked["key"])
            with Client(self._asked["address"], authkey=key) as host:
                asks: VisitorAsks = {
                    "line": line,
                    "kept": kept_by_now(),
                    "runs": runs,
                    "is_complete": is_complete,
                }
                host.send_bytes(json.dumps(asks).encode())
                self._obey(host)
        except (OSError, EOFError):
            print(_GONE)  # noqa: T201

    def _obey(self, host: Any) -> None:
        """Do what the host says until it has no more to say."""
        while True:
            told: VisitorTold = json.loads(host.recv_bytes())
            if told["move"] is not None:
                self._is_moving = True
                answer = moved(self._tracer, told["move"])
                self._is_moving, self._is_moved, self._begun = False, True, 0
                host.send_bytes(json.dumps(answer, default=str).encode())
                continue
            print(told["say"])  # noqa: T201
            if told["leaves"]:
                way_out = {"source": "ask_exit", "keepkernel": True}
                self._tracer.shell.payload_manager.write_payload(way_out)
            return
