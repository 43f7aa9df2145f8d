"""A front end of a kernel that was checked out: what a user types there, and what is shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jupyter_client.blocking import BlockingKernelClient

from pytest_nbsafe.app.checkout import CheckedOut

_LIMIT_S = 60.0


class FrontEnd:
    """Runs cells, and tells what came of each."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def run(self, source: str) -> str:
        """Return what a cell prints, or the name of its error and what it says."""
        texts: list[str] = []

        def hear(message: Any) -> None:
            content = message["content"]
            if message["msg_type"] == "stream":
                texts.append(content["text"])
            elif message["msg_type"] not in {"status", "execute_input"}:
                texts.append(f"<{message['msg_type']}>")

        reply = self._client.execute_interactive(
            source, allow_stdin=False, output_hook=hear, timeout=_LIMIT_S
        )["content"]
        if reply["status"] == "error":
            return f"{reply['ename']}: {reply['evalue']}"
        self.payload = reply["payload"]
        return "".join(texts).strip()

    def starts(self, source: str) -> None:
        """Send what is run meanwhile, and wait until it is."""
        self._client.execute(source)
        while self._client.get_iopub_msg(timeout=_LIMIT_S)["msg_type"] != "execute_input":
            pass

    def value(self, expression: str) -> str:
        """Return the repr of an expression, which the kernel does not take for a run."""
        asked = {"answer": expression}
        reply = self._client.execute("", user_expressions=asked, reply=True, timeout=_LIMIT_S)
        answer = reply["content"]["user_expressions"]["answer"]
        return str(answer["data"]["text/plain"] if "data" in answer else answer["ename"])


@contextmanager
def front_end(state: CheckedOut) -> Iterator[FrontEnd]:
    """Give a front end of a kernel that waits."""
    client: Any = BlockingKernelClient()
    client.load_connection_file(str(state.kernel.connection))
    client.start_channels(hb=False)
    try:
        client.wait_for_ready(timeout=_LIMIT_S)
        yield FrontEnd(client)
    finally:
        client.stop_channels()
