"""The loop in a thread of its own: what interrupts a wait leaves no lock behind."""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
import sys
import threading

import pytest

from pytest_nbsafe.runner import loop


class Interrupted(BaseException):
    pass


@pytest.fixture
def thread() -> loop.LoopThread:
    return loop.LoopThread()


def test_what_a_coroutine_gives_or_raises(thread: loop.LoopThread) -> None:
    assert thread.run(asyncio.sleep(0, "given")) == "given"

    async def failing() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        thread.run(failing())
    thread.close()
    thread.close()


def test_what_there_is_to_do_meanwhile_is_done_while_it_runs(thread: loop.LoopThread) -> None:
    done = threading.Event()
    assert thread.run(asyncio.to_thread(done.wait, 20), done.set)
    with pytest.raises(KeyError, match="mine"):
        thread.run(asyncio.sleep(20), lambda: dict[str, None]()["mine"])
    thread.close()


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")  # it began none
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # in a callback
@pytest.mark.skipif(sys.platform == "win32", reason="a timer of POSIX")
def test_interrupts_at_any_moment(thread: loop.LoopThread, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as the limits of pytest-timeout, which raise wherever the main thread stands."""
    monkeypatch.setattr(loop, "WAKE_S", 0.0001)  # it looks up as often as it can

    def interrupt(*_: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    moments = random.Random(1)
    try:
        for _ in range(300):
            with contextlib.suppress(Interrupted):
                signal.setitimer(signal.ITIMER_REAL, moments.uniform(0.001, 0.004))
                thread.run(asyncio.sleep(5))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    ends = threading.Thread(target=thread.close, daemon=True)
    ends.start()
    ends.join(20)
    assert not ends.is_alive()
