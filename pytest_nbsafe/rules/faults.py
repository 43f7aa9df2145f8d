"""Faults that leave no facts to ask rules about: an unreadable file, a missing kernel."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_nbsafe.codes import CODES
from pytest_nbsafe.errors import nearest
from pytest_nbsafe.findings import Finding, Verdict
from pytest_nbsafe.locations import NOTEBOOK, Location
from pytest_nbsafe.sentences import listed


def unreadable(path: str, line: int | None, message: str, hint: str = "") -> Finding:
    """Return NBS901 for a file; `line` is the physical line where reading it broke."""
    return _of_file("NBS901", "proved", path, message, hint, line)


def no_such_kernel(path: str, name: str, installed: Sequence[str] = ()) -> Finding:
    """Return NBS905 for a notebook whose kernel `name` is not among those `installed`."""
    here = f"installed: {listed(sorted(installed))}" if installed else "none is installed"
    message = f"its kernel {name!r} is not installed ({here})"
    kernel = nearest(name, installed) or next(iter(installed), "python3")
    options = f"--nbsafe-kernel={kernel} (nbsafe: --kernel)"
    remedy = f'install it, or choose another: `kernel = "{kernel}"` in [tool.nbsafe], or {options}'
    return _of_file("NBS905", "observed", path, message, remedy)


def kernel_failed(path: str, reason: str) -> Finding:
    """Return NBS905 for a notebook whose kernel is installed but does not start."""
    message = f"the notebook's kernel does not start: {reason}"
    remedy = "start it by hand to see why: jupyter console --kernel NAME"
    return _of_file("NBS905", "observed", path, message, remedy)


def worker_ended(path: str, reason: str) -> Finding:
    """Return NBS903 for a notebook that has twice ended the process that worked on it."""
    message = f"the process that worked on this notebook ended, and again when alone: {reason}"
    remedy = "does it need more memory than a worker has? Try it by itself, without --executor"
    return _of_file("NBS903", "observed", path, message, remedy)


def _of_file(
    code: str, verdict: Verdict, path: str, message: str, remedy: str, line: int | None = None
) -> Finding:
    return Finding(
        code=code,
        severity=CODES[code].severity,
        verdict=verdict,
        path=path,
        location=Location(NOTEBOOK),
        message=message,
        remedy=remedy,
        file_line=line,
    )
