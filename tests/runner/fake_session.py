"""A session without a kernel: tests of plans say what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.trace.results import CellResult
from pytest_nbsafe.trace.side_runs import Aspects, Counterfactual


class FakeSession:
    """It is up, runs nothing on the side, and takes note of nothing."""

    def __init__(self) -> None:
        self.alive = True
        self.python = ""

    def start(self) -> None: ...

    def close(self) -> None: ...

    def run(self, cell: Cell, step: int) -> CellResult:
        raise NotImplementedError

    def counterfactual(
        self, cells: Sequence[Cell], *, limit_s: float, stir: bool, here: bool, at: int | None
    ) -> Counterfactual:
        raise NotImplementedError

    def hold(self, at: int) -> bool:
        raise NotImplementedError

    def look(self, names: Sequence[str]) -> Mapping[str, Aspects]:
        return {name: {"value": "was"} for name in names}

    def environment(self) -> None: ...

    def expect(self, cells: Sequence[Cell]) -> None: ...

    def hurry(self, limit_s: float) -> None: ...
