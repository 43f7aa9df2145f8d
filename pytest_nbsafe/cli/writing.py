"""What the command line writes: reports, and what is said beside them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pytest_nbsafe.errors import NbsafeError

if TYPE_CHECKING:
    from pytest_nbsafe.reports.colour import Paint

_Reported = TypeVar("_Reported")
_LONGEST = 500
"""A longer complaint, about a path perhaps, is cut in its middle."""


def complain(message: str) -> None:
    """Write one line; what names in it would do to a terminal is spelled."""
    say(f"error: {message}")


def say(message: str) -> None:
    """Write one line beside the report."""
    from pytest_nbsafe.reports.escape import sentence

    if sys.stderr is not None:
        print(f"nbsafe: {sentence(message, _LONGEST)}", file=sys.stderr)


def must_be_writable(output: Path | None) -> None:
    """Refuse a file that cannot be written, before anything runs."""
    from pytest_nbsafe import files

    if output is None:
        if sys.stdout is None:
            raise NbsafeError("cannot-write", "standard output is closed", "see --output")
        return
    try:
        files.must_be_writable(output, with_folders=False)
    except OSError as error:
        raise _cannot_write(output, error) from error


def _cannot_write(output: object, error: OSError) -> NbsafeError:
    message = f"cannot write {output}: {error.strerror}"
    return NbsafeError("cannot-write", message, "see --output")


def show(
    reporters: Mapping[str, Callable[[_Reported, Paint], str]],
    report: _Reported,
    given: argparse.Namespace,
) -> None:
    """Write a report in the format that was asked for, where it was asked for."""
    from pytest_nbsafe.reports.colour import ansi, plain, wanted

    coloured = given.output is None and wanted(sys.stdout, os.environ)
    write(reporters[given.format](report, ansi if coloured else plain), given)


def write(document: str, given: argparse.Namespace) -> None:
    """Write a document to standard output, or the file that was given."""
    if given.output is None:
        try:
            sys.stdout.write(document)
            sys.stdout.flush()
        except BrokenPipeError:
            # Whoever read has heard enough.
            _discard_output()
        except OSError as error:  # a full disk
            _discard_output()
            raise _cannot_write("to standard output", error) from error
        return
    try:
        given.output.write_text(document, encoding="utf-8", newline="\n")
    except OSError as error:
        raise _cannot_write(given.output, error) from error


def _discard_output() -> None:
    """Let what is still buffered go nowhere: it must not raise when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
