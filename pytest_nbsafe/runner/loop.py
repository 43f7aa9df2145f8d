"""One private event loop in a thread of its own, driven from ordinary code."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
WAKE_S = 0.2
"""How often a wait looks up, since an interrupt may arrive in another thread, and ends no wait."""


class LoopThread:
    """An event loop that the caller's own loop, running or not, never meets."""

    def __init__(self) -> None:
        # zmq cannot use the proactor loop, the default on Windows
        self._loop = (
            asyncio.SelectorEventLoop() if sys.platform == "win32" else asyncio.new_event_loop()
        )
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="nbsafe-kernel", daemon=True
        )
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], meanwhile: Callable[[], None] | None = None) -> T:
        """Run a coroutine to its end and return its result; an interrupt cancels it.

        What there is to do `meanwhile` is done in the thread that waits for it.
        """
        # What an interrupt leaves of the locks that `concurrent.futures.wait` takes in Python may
        # be held for ever, and then the loop waits for it. A queue in C is left as it was.
        ended: SimpleQueue[Future[T]] = SimpleQueue()
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            future.add_done_callback(ended.put)
            if meanwhile is not None:
                meanwhile()
            while not _comes(ended):
                pass
            return future.result()
        finally:
            future.cancel()  # has an effect only when the wait was interrupted

    def close(self) -> None:
        """Cancel what is left, stop the loop and join its thread."""
        if self._loop.is_closed():
            return
        self.run(_cancel_others())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def _comes(ended: SimpleQueue[Future[T]]) -> bool:
    """Return whether something has ended, after some time at the latest."""
    try:
        ended.get(timeout=WAKE_S)
    except Empty:
        return False
    return True


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
