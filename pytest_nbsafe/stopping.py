"""A request to end (SIGTERM, SIGHUP) ends a run as Ctrl-C does: kernels stop, their files go."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Terminated(KeyboardInterrupt):
    """The process was asked to end, by the signal `number`."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by {signal.Signals(number).name}")
        self.number = number


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    """Handle a signal by going on."""


class StopSignals:
    """Lets a request to end raise `Terminated`, once, until `leave` is called.

    A signal that somebody else handles or ignores (nohup) is left to them, and so are all where
    this is made in another thread than the main one. With `also_interrupts` a request that follows
    Ctrl-C is ignored too, so that what Ctrl-C has begun to clean up goes on.
    """

    def __init__(self, *, also_interrupts: bool = False) -> None:
        self._heeded = [n for n in _SIGNALS if signal.getsignal(n) == signal.SIG_DFL]
        try:
            self._handle_by(self._end)
            is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
            if also_interrupts and is_default:
                signal.signal(signal.SIGINT, self._interrupt)
        except ValueError:  # another thread
            self._heeded = []

    def ignore(self) -> None:
        """Let what is being cleaned up be cleaned up."""
        self._handle_by(_do_nothing)  # SIG_IGN: Python complains of signals already under way

    def leave(self) -> None:
        """Let a request end the process as it does by default."""
        self._handle_by(signal.SIG_DFL)
        if signal.getsignal(signal.SIGINT) == self._interrupt:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _end(self, number: int, _frame: FrameType | None) -> NoReturn:
        self.ignore()
        raise Terminated(number)

    def _interrupt(self, number: int, frame: FrameType | None) -> NoReturn:
        self.ignore()
        signal.default_int_handler(number, frame)

    def _handle_by(
        self, handler: signal.Handlers | Callable[[int, FrameType | None], None]
    ) -> None:
        for number in self._heeded:
            signal.signal(number, handler)
