"""A console on a kernel that waits, where there is one to be had."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_nbsafe.reports import escape
from pytest_nbsafe.sentences import many

if TYPE_CHECKING:
    from pytest_nbsafe.app.checkout import CheckedOut

_CONSOLE = "jupyter_console"
_POLL_S = 3600.0


def described(notebook: Path, where: str, state: CheckedOut, *, stays: bool) -> str:
    """Return what a user needs to know of a state that was checked out, whose kernel `stays`."""
    runs = f"{many(state.runs, 'run')} above it, {state.reused} of them reused"
    lines = [f"{escape.line(str(notebook))}, {where}: {runs}, in {state.took_s:.1f} s"]
    lines += [f"cell {cell} failed: {escape.line(why)}" for cell, why in state.failed.items()]
    lines += [escape.line(remark) for remark in state.remarks]
    if stays:
        lines.append(f"to look into it: jupyter console --existing {state.kernel.connection}")
        lines.append("there, %nbsafe --before CELL or --after CELL brings it to another state")
    else:
        lines.append("no terminal is here, so its kernel ends now (--kernel-only keeps it)")
    return "\n".join((*lines, ""))


@contextmanager
def _interrupts(state: CheckedOut) -> Iterator[None]:
    """Let Ctrl-C stop what runs in a kernel; a console does not do that to one it did not start."""
    before = signal.signal(signal.SIGINT, lambda *_: state.kernel.interrupt())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def has_user() -> bool:
    """Return whether there is somebody to use a console."""
    return sys.stdin is not None and sys.stdin.isatty()


def attach(state: CheckedOut, *, waits: bool) -> None:
    """Open a console on a kernel, if there is one and somebody to use it; else wait for Ctrl-C.

    Without a terminal nobody would end the wait: then it `waits` only if that is asked for.
    """
    with suppress(KeyboardInterrupt):
        if has_user() and not waits and importlib.util.find_spec(_CONSOLE) is not None:
            state.visits.reopens = True
            with _interrupts(state):
                subprocess.run(
                    [sys.executable, "-m", _CONSOLE, "--existing", str(state.kernel.connection)],
                    check=False,
                )
        elif has_user() or waits:
            while not threading.Event().wait(_POLL_S):
                pass
