"""NBS407: what a command installs gets the version that the page was made with, or that is here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import metadata

from pytest_nbsafe.analysis import installs
from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.installs import Install, Package
from pytest_nbsafe.fix.notebook_text import CellEdit
from pytest_nbsafe.fix.pieces import piece, with_pieces
from pytest_nbsafe.fix.remedy import Patient, Remedy
from pytest_nbsafe.rules import nbs407_unpinned_install as rule

_BARE = re.compile(r"[A-Za-z][\w.\-]{0,100}(?:\[[\w,.\-]{0,100}\])?")


def remedies(patient: Patient) -> Iterator[Remedy]:
    """Yield a remedy for each command of pip whose packages are bare names of known versions.

    The version is that which the saved output shows, else the one installed here, if the kernel
    is that of this environment.
    """
    if not any(finding.code == "NBS407" for finding in patient.findings):
        return
    for command in installs.of(build(patient.notebook)):
        remedy = _pinned(patient, command) if command.tool == "pip" else None
        if remedy is not None:
            yield remedy


def _pinned(patient: Patient, command: Install) -> Remedy | None:
    cell = patient.notebook.cell(command.cell)
    pins = {}
    for package in rule.loose(command):
        version = rule.installed(cell, package.name) or _here(patient, package)
        written = piece(cell.source, package.span)
        if not version or not _BARE.fullmatch(written):
            return None
        pins[package.span] = f"{written}=={version}"
    if not pins:
        return None
    says = f"cell {cell.number}: installs {', '.join(pins.values())}"
    return Remedy("NBS407", says, {cell.number: CellEdit(with_pieces(cell.source, pins.items()))})


def _here(patient: Patient, package: Package) -> str:
    if not patient.runs_here:
        return ""
    try:
        return metadata.version(package.name)
    except (metadata.PackageNotFoundError, ValueError):
        return ""
