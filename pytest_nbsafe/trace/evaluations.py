"""What the kernel saw of learning: which rows were evaluated, and what had been fitted on them."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_nbsafe.kernel.contract import CellRun
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Fitted:
    """Something that an evaluation depends on, and the cell and line where it was fitted.

    It was fitted on `rows` rows; of the rows that are evaluated, `shared` are among them.
    """

    what: str
    role: str
    cell: int
    line: int
    rows: int
    shared: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Rows on which a model was judged: by its `score`, a `metric`, or on `folds`.

    `learned` is the model first, then what prepared the rows. `part` is the number, from 0, of the
    part that the rows are of their split, None when nobody knows of which split.
    """

    cell: int
    line: int
    what: str
    how: str
    rows: int
    part: int | None
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
    return tuple(
        Evaluation(
            cell,
            judged["line"],
            judged["what"],
            judged["how"],
            judged["rows"],
            judged["part"],
            tuple(
                Fitted(
                    on["what"],
                    on["role"],
                    run_cells.get(on["run"], 0),
                    on["line"],
                    on["rows"],
                    on["shared"],
                )
                for on in judged["learned"]
            ),
        )
        for judged in event["evaluations"]
    )


def copies(event: CellRun, cell: int, run_cells: Mapping[int, int]) -> tuple[Copies, ...]:
    """Return the copies on both sides that a run of `cell` met."""
    return tuple(
        Copies(
            cell,
            met["line"],
            met["what"],
            met["rows"],
            met["of"],
            (run_cells.get(met["run"], 0), met["made_line"]) if met["made_line"] else None,
        )
        for met in event["copies"]
    )
