"""A remedy: what is to be done to a notebook, as edits of its cells."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_nbsafe.fix.notebook_text import CellEdit
from pytest_nbsafe.values import dataclass, field


@dataclass(frozen=True, slots=True)
class Remedy:
    """What mends a finding of this code; `says` tells in words what it does."""

    code: str
    says: str
    edits: Mapping[int, CellEdit] = field(default_factory=dict)
