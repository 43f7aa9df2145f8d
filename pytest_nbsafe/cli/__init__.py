"""The command line: `nbsafe` and its commands."""

from __future__ import annotations

import argparse
import atexit
import gc
import sys
from collections.abc import Callable, Sequence

from pytest_nbsafe.cli.commands import ERRORS, MISUSE, OK
from pytest_nbsafe.cli.parser import parser
from pytest_nbsafe.cli.writing import complain, must_be_writable
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.stopping import StopSignals, Terminated

__all__ = ["ERRORS", "INTERRUPTED", "MISUSE", "OK", "main"]

INTERRUPTED = 130
_BEFORE_COLLECTED = 50_000
"""So many values are made before Python looks for circles that nothing holds any more.

Nearly all that an analysis makes lives until it ends: to look each 700 values, as is usual, takes a
quarter of its time.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 clean, 1 errors found, 2 misuse."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        # A notebook's text may hold what the terminal's encoding has no character for.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    given = parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = given.command
    stop_signals = StopSignals()
    atexit.register(gc.freeze)  # Python would look for circles once more before all is gone
    usual = gc.get_threshold()
    gc.set_threshold(_BEFORE_COLLECTED, *usual[1:])
    try:
        must_be_writable(given)
        return command(given)
    except NbsafeError as error:
        complain(str(error))
        return MISUSE
    except Terminated as request:
        return 128 + request.number
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        gc.set_threshold(*usual)
        stop_signals.leave()
