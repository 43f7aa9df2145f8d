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


def must_be_writable(given: argparse.Namespace) -> None:
    """Refuse what cannot be written, before anything runs."""
    from pytest_nbsafe import files

    if given.output is None and sys.stdout is None:
        raise NbsafeError("cannot-write", "standard output is closed", "see --output")
    printed_format(given)
    formats = getattr(given, "formats", ())
    outputs = [("--output", given.output), ("--plot", getattr(given, "plot", None))]
    outputs += (("--format", file) for _, file in formats)
    for option, file in outputs:
        try:
            if file:
                files.must_be_writable(Path(file), with_folders=False)
        except OSError as error:
            raise _cannot_write(file, error, option) from error


def printed_format(given: argparse.Namespace) -> str:
    """Return the one format that goes to standard output, or to the file of --output."""
    first: str
    first, *others = [form for form, file in getattr(given, "formats", ()) if not file] or ["text"]
    if others:
        message = f"{first} and {others[0]} cannot both be printed"
        raise NbsafeError("several-formats", message, f"--format {others[0]}:FILE writes a file")
    return first


def _cannot_write(output: object, error: OSError, option: str = "--output") -> NbsafeError:
    message = f"cannot write {output}: {error.strerror}"
    return NbsafeError("cannot-write", message, f"see {option}")


def show(
    reporters: Mapping[str, Callable[[_Reported, Paint], str]],
    report: _Reported,
    form: str,
    output: Path | None,
) -> None:
    """Write a report in one format, to standard output or a file."""
    from pytest_nbsafe.reports.colour import ansi, plain, wanted

    coloured = output is None and wanted(sys.stdout, os.environ)
    write(reporters[form](report, ansi if coloured else plain), output)


def write(document: str, output: Path | None) -> None:
    """Write a document to standard output, or a file."""
    if output is None:
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
        output.write_text(document, encoding="utf-8", newline="\n")
    except OSError as error:
        raise _cannot_write(output, error) from error


def _discard_output() -> None:
    """Let what is still buffered go nowhere: it must not raise when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
