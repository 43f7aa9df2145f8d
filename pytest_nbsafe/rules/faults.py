"""Faults that leave no facts to ask rules about: an unreadable file, a missing kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pytest_nbsafe.codes import CODES
from pytest_nbsafe.errors import nearest
from pytest_nbsafe.findings import Finding, Verdict
from pytest_nbsafe.locations import NOTEBOOK, Location
from pytest_nbsafe.sentences import listed


class UnreadableNotebook:
    """The file is not a notebook that can be read.

    Why it matters: nothing of it was checked, though it ends in .ipynb and others will open it. An
    unresolved merge conflict and a truncated upload are the usual reasons.

    Limits: told before any rule is asked; the line is where the JSON breaks.
    """

    code: ClassVar[str] = "NBS901"
    bad: ClassVar[str] = """\
{"cells": [
<<<<<<< HEAD
"""
    good: ClassVar[str] = """\
{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
"""


class MissingKernel:
    """The notebook's kernel is not installed, or does not start.

    Why it matters: nothing of the notebook could be run, so nothing passed.

    Limits: told when a run is asked for, and by the kernel's name alone.
    """

    code: ClassVar[str] = "NBS905"
    bad: ClassVar[str] = """\
"kernelspec": {"name": "conda-env-of-somebody-else-py"}
"""
    good: ClassVar[str] = """\
"kernelspec": {"name": "python3"}
"""


def unreadable(path: str, line: int | None, message: str, hint: str = "") -> Finding:
    """Return NBS901 for a file; `line` is the physical line where reading it broke."""
    return _of_file("NBS901", "proved", path, message, hint, line)


def no_such_kernel(path: str, name: str, installed: Sequence[str] = ()) -> Finding:
    """Return NBS905 for a notebook whose kernel `name` is not among those `installed`."""
    near = nearest(name, installed)
    here = f"installed: {listed(sorted(installed))}" if installed else "none is installed"
    choice = near or next(iter(installed), "python3")
    message = f"the notebook asks for the kernel {name!r}, which is not installed ({here})"
    return _of_file(
        "NBS905", "observed", path, message, f"install it, or choose another: {_choose(choice)}"
    )


def _choose(kernel: str) -> str:
    return f'`kernel = "{kernel}"` in [tool.nbsafe], or --nbsafe-kernel={kernel} (nbsafe: --kernel)'


def kernel_failed(path: str, reason: str) -> Finding:
    """Return NBS905 for a notebook whose kernel is installed but does not start."""
    message = f"the notebook's kernel does not start: {reason}"
    return _of_file(
        "NBS905",
        "observed",
        path,
        message,
        "start it by hand to see why: jupyter console --kernel NAME",
    )


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
