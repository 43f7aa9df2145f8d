"""Notebooks of other languages: they are run, but their text is not read."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.notebook.model import Notebook

PYTHON = "python"
_OF_A_RUN = frozenset(
    {"NBS401", "NBS402", "NBS404", "NBS409", "NBS901", "NBS903", "NBS904", "NBS905", "NBS907"}
)
"""What a run shows, whatever the language."""


def note(notebook: Notebook, config: Config) -> str:
    """Return why a notebook is not analysed, "" where it is."""
    if notebook.language == PYTHON:
        return ""
    because = f"its language is {notebook.language}, not Python"
    if config.static:
        return f"not analysed: {because}"
    if not _has_kernel(notebook, config):
        name = config.kernel or notebook.kernel_name
        which = f"its kernel {name!r} is not installed" if name else "it names no kernel"
        return f"not analysed: {because}; not run: {which}"
    return f"run, but not analysed: {because}"


def runs(notebook: Notebook, config: Config) -> bool:
    """Return whether the cells of a notebook can be run as far as its language goes."""
    return notebook.language == PYTHON or (not config.static and _has_kernel(notebook, config))


def told(findings: Iterable[Finding], notebook: Notebook | None) -> tuple[Finding, ...]:
    """Return the findings that hold in the language of a notebook."""
    if notebook is None or notebook.language == PYTHON:
        return tuple(findings)
    return tuple(finding for finding in findings if finding.code in _OF_A_RUN)


def _has_kernel(notebook: Notebook, config: Config) -> bool:
    from pytest_nbsafe.runner.installed_kernels import NoSuchKernel, check_installed

    name = config.kernel or notebook.kernel_name
    if not name:
        return False
    try:
        check_installed(name)
    except NoSuchKernel:
        return False
    return True
