"""A remedy: what is to be done to a notebook, as edits of its cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_nbsafe.findings import Finding
from pytest_nbsafe.fix.notebook_text import CellEdit
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.values import dataclass, field


@dataclass(frozen=True, slots=True)
class Patient:
    """A notebook, what was found in it, and what may be done about that.

    `runs_here`: its kernel is the one that this environment has, so that packages are the same.
    `unsafe`: what changes results may be done as well.
    """

    notebook: Notebook
    findings: Sequence[Finding]
    runs_here: bool = False
    unsafe: bool = False


@dataclass(frozen=True, slots=True)
class Remedy:
    """What mends a finding of this code; `says` tells in words what it does."""

    code: str
    says: str
    edits: Mapping[int, CellEdit] = field(default_factory=dict)
