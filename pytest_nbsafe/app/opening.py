"""The command that opens the state before a cell that failed, where that is quick."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path

from pytest_nbsafe import config as configs
from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding, fails
from pytest_nbsafe.trace.results import CellResult

_BY_PROGRAMS = ("parameters", "environ", "cwd")
_HAVE_NOT_FAILED = frozenset({"ok", "skipped", "not-reached"})


def command(path: Path, result: CellResult | None, config: Config) -> str:
    """Return the command that opens the state before a run, empty where that has not failed.

    It is empty, too, where a program gave what no option gives: that state would be another.
    """
    if result is None or result.status in _HAVE_NOT_FAILED:
        return ""
    own = configs.of_notebook(path, {})
    if any(getattr(own, key) != getattr(config, key) for key in _BY_PROGRAMS):
        return ""
    kernel = f" --kernel {shlex.quote(config.kernel or '')}" if config.kernel != own.kernel else ""
    return f"nbsafe checkout {shlex.quote(_from_here(path))} --before {result.cell}{kernel}"


def remark(
    path: Path, results: Iterable[CellResult], findings: Iterable[Finding], config: Config
) -> str:
    """Return a sentence about the first cell that failed and is reported, empty without one."""
    reported = {f.location.cell for f in findings if fails(f, strict=config.strict)}
    for result in results:
        opens = command(path, result, config) if result.cell in reported else ""
        if opens:
            return f"to open the state before cell {result.cell}, which failed: {opens}"
    return ""


def _from_here(path: Path) -> str:
    """Return a path as it is shortest from the working folder."""
    here = Path.cwd()
    return os.path.relpath(path, here) if path.is_relative_to(here) else str(path)
