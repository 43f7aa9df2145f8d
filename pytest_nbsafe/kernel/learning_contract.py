"""What a kernel tells of learning: what was fitted and judged on which rows, and what it knows."""

from __future__ import annotations

from typing import TypedDict

NOTHING = "-"
"""Stands for it that nothing is known of the objects in a name."""


class Learned(TypedDict):
    """Something fitted in this kernel that an evaluation depends on.

    `what` is its class (or the function), `role` the word of the knowledge base for it. It was
    fitted in `run` at `line` on `rows` rows. Of the rows that are evaluated, `shared` are among
    them.
    """

    what: str
    role: str
    run: int
    line: int
    rows: int
    shared: int


class Evaluation(TypedDict):
    """Rows that a model was judged on, at a line of the cell.

    `how` is `score`, `metric` (a function judged its predictions) or `folds` (cross-validation).
    `part` is the number, from 0, of the part of a split that the rows are of, None when of none.
    `learned` is the model first, then what prepared the rows, in the order in which it was fitted.
    """

    line: int
    what: str
    how: str
    rows: int
    part: int | None
    learned: list[Learned]


class Copies(TypedDict):
    """Rows that stand on both sides, beyond what the source repeats by itself.

    `line` is the split (`what` its function) or the evaluation. `rows` of the `of` rows of the
    later part have an equal in the first. They were made in `run` at `made_line`, 0 when unknown.
    """

    line: int
    what: str
    rows: int
    of: int
    run: int
    made_line: int


class LogNote(TypedDict):
    """What stands for all that was known of learning after a run, but where it was learned.

    `places` are those that the run has added, in their order: what was fitted there (or nothing),
    run and line.
    `holds` gives what stands for that which is known of the objects in a name: `NOTHING`, or empty
    where nobody can tell; of names that it may have changed, or where that is new.
    """

    state: str
    places: list[tuple[str, int, int]]
    holds: dict[str, str]
