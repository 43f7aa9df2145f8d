"""What the analysis answers: one leak, at the line that learned from rows it should not know."""

from __future__ import annotations

from typing import Literal

from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Leak:
    """One leak in one order of cells; `code` says which kind.

    `certain`: it holds on every path, else on some. `cell` and `span` are where the leak comes
    from: the call or statement that learned from the rows, mixed them, or chose by their score.

    For the message: `what` learned or was used (a class or function, `StandardScaler`, `median`,
    or a column), `rows` are the name of what it was given, `test` the name of what is evaluated,
    `model` the estimator that is evaluated; each is "" where it has no name.

    `steps` are (cell, line, cause), in the order in which they happen. `verdict` is what a run says
    of it: "confirmed", "observed" when only the run shows it, "" when nothing was seen.
    """

    code: str
    certain: bool
    cell: int
    span: Span
    what: str = ""
    rows: str = ""
    test: str = ""
    model: str = ""
    steps: tuple[tuple[int, int, str], ...] = ()
    verdict: Literal["", "confirmed", "observed"] = ""
