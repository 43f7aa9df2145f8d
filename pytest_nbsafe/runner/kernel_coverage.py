"""Where coverage of this program is measured, that of its kernels is, too: as if it were its own.

coverage.py does not look into other processes, and what it writes for them has to be combined by
whoever started it. What a kernel measures is therefore added to what is measured here, at its end.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from pathlib import Path
from typing import Any

from pytest_nbsafe.kernel.contract import Measurement

_OPTIONS = ("branch", "cover_pylib", "include", "omit", "relative_files")
_SOURCES = ("source", "source_dirs", "source_pkgs")
_HUSHED = ("no-data-collected", "module-not-imported")
"""What coverage.py would warn of in the end though a kernel has imported it."""


def is_measured() -> bool:
    """Return whether coverage of this program is measured."""
    return _running() is not None


def measurement(kernel_folder: Path) -> Measurement | None:
    """Return how a kernel is to measure, None where nothing is measured here."""
    coverage = _running()
    if coverage is None:
        return None
    options = {}
    for name in (*_OPTIONS, *_SOURCES):
        with contextlib.suppress(_modules().exceptions.CoverageException):  # older ones lack some
            options[f"run:{name}"] = coverage.get_option(f"run:{name}")
    folder = _modules().files.relative_directory()
    return {
        "folder": folder or str(Path.cwd()),
        "file": str(kernel_folder / "coverage"),
        "options": options,
    }


def add(measured: Measurement) -> None:
    """Add what a kernel has measured, if it has."""
    coverage = _running()
    if coverage is None or not Path(measured["file"]).exists():
        return
    data = _modules().CoverageData(basename=measured["file"])
    data.read()
    if data:
        hushed = coverage.get_option("run:disable_warnings") or []
        coverage.set_option("run:disable_warnings", [*hushed, *_HUSHED])
    with warnings.catch_warnings():  # it tells again at its end what is worth it
        warnings.simplefilter("ignore")
        total = coverage.get_data()
        # Line by line: what `update` adds is not in the hash by which files are told apart that
        # pytest-cov combines.
        if data.has_arcs():
            total.add_arcs({file: data.arcs(file) for file in data.measured_files()})
        else:
            total.add_lines({file: data.lines(file) for file in data.measured_files()})
    data.close()


def _running() -> Any:
    """Return what measures this program, None if nothing does."""
    modules = _modules()
    return modules.Coverage.current() if modules is not None else None


def _modules() -> Any:
    return sys.modules.get("coverage")
