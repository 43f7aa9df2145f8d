"""What an analysis asks of the modules that its code imports; who answers is in `modules`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from pytest_nbsafe.analysis.imports import Import
from pytest_nbsafe.analysis.model import Function
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Star:
    """What `from module import *` binds: these names, and no others where that is `exact`."""

    module: str
    names: tuple[str, ...]
    exact: bool


class Imported(Protocol):
    """Knows the modules of the repository that some code may import."""

    def star(self, module: str, level: int) -> Star | None:
        """Return what `from module import *` binds, None where it is not known."""

    def functions(self, imports: Iterable[Import]) -> Mapping[str, Function]:
        """Return the imported functions that change what they are given, by the name for them.

        The function `f` of a module that is imported as `m` is called `m:f`.
        """
