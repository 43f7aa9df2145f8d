"""What the kernel saw of learning: which rows were evaluated, and what had been fitted on them."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_nbsafe.kernel.contract import CellRun, Learned, Part
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Fitted:
    """Something that an evaluation depends on, and the cell and line where it was fitted.

    It was fitted on `rows` rows. Of the rows that are evaluated, `shared` are among them, and
    `alike` are others of equal content, beyond what the source repeats by itself.
    """

    what: str
    role: str
    cell: int
    line: int
    rows: int
    shared: int
    alike: int


@dataclass(frozen=True, slots=True)
class SplitPart:
    """A part that a split made: its function, its cell and line, its number from 0, its rows."""

    what: str
    cell: int
    line: int
    number: int
    rows: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Rows on which a model was judged: by its `score`, a `metric`, or on `folds`.

    `learned` is the model first, then what prepared the rows. `part` is None when nobody knows of
    which split the rows are a part.
    """

    cell: int
    line: int
    what: str
    how: str
    rows: int
    part: SplitPart | None
    learned: tuple[Fitted, ...]


@dataclass(frozen=True, slots=True)
class Copies:
    """`rows` of the `of` rows of a later part have an equal in the first.

    `made` is the cell and line where they were copied, None when nobody knows.
    """

    cell: int
    line: int
    what: str
    rows: int
    of: int
    made: tuple[int, int] | None


def evaluations(event: CellRun, cell: int, run_cells: Mapping[int, int]) -> tuple[Evaluation, ...]:
    """Return what a run of `cell` evaluated; `run_cells` maps the kernel's runs to cells."""

    def part(of: Part | None) -> SplitPart | None:
        if of is None:
            return None
        made_in = run_cells.get(of["run"], 0)
        return SplitPart(of["what"], made_in, of["line"], of["number"], of["rows"])

    def fitted(on: Learned) -> Fitted:
        place = run_cells.get(on["run"], 0), on["line"]
        return Fitted(on["what"], on["role"], *place, on["rows"], on["shared"], on["alike"])

    return tuple(
        Evaluation(
            cell,
            seen["line"],
            seen["what"],
            seen["how"],
            seen["rows"],
            part(seen["part"]),
            tuple(map(fitted, seen["learned"])),
        )
        for seen in event["evaluations"]
    )


def copies(event: CellRun, cell: int, run_cells: Mapping[int, int]) -> tuple[Copies, ...]:
    """Return the copies on both sides that a run of `cell` met."""
    return tuple(
        Copies(
            cell,
            seen["line"],
            seen["what"],
            seen["rows"],
            seen["of"],
            (run_cells.get(seen["run"], 0), seen["made_line"]) if seen["made_line"] else None,
        )
        for seen in event["copies"]
    )
