"""A request to end is heeded once, and by nobody who has another use for the signal."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator

import pytest

from pytest_nbsafe.stopping import StopSignals, Terminated

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


@pytest.fixture(autouse=True)
def default_handlers() -> Iterator[None]:
    """Handle signals as Python does, though who runs the tests may ignore that they hang up."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    for number in before:
        signal.signal(number, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_it_is_heeded_once() -> None:
    stop_signals = StopSignals()
    try:
        with pytest.raises(Terminated, match="stopped by SIGTERM") as caught:
            signal.raise_signal(signal.SIGTERM)
        assert caught.value.number == signal.SIGTERM
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGHUP)
    finally:
        stop_signals.leave()
    assert signal.getsignal(signal.SIGTERM) == signal.getsignal(signal.SIGHUP) == signal.SIG_DFL


def test_what_others_handle_is_left_to_them() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        stop_signals = StopSignals()
        signal.raise_signal(signal.SIGHUP)
        stop_signals.leave()
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


def test_another_thread_heeds_nothing() -> None:
    thread = threading.Thread(target=StopSignals)
    thread.start()
    thread.join()
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_one_that_comes_with_an_interrupt_is_no_complaint_of_python() -> None:
    stop_signals = StopSignals(also_interrupts=True)
    complaints: list[object] = []
    both = {signal.SIGINT, signal.SIGTERM}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "unraisablehook", complaints.append)
        try:
            signal.pthread_sigmask(signal.SIG_BLOCK, both)
            for number in both:  # to this thread: another one would not hold it back
                signal.pthread_kill(threading.get_ident(), number)
            with pytest.raises(KeyboardInterrupt):
                signal.pthread_sigmask(signal.SIG_UNBLOCK, both)
        finally:
            stop_signals.leave()
    assert complaints == []


def test_none_follows_an_interrupt() -> None:
    stop_signals = StopSignals(also_interrupts=True)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
    finally:
        stop_signals.leave()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
