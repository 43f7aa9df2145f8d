"""A session as it was recorded: the cells of its page, and what was run one after another."""

from __future__ import annotations

from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """One run of a session: which cell, with which text.

    `line` is where the file tells of it (the count, in a `history.sqlite`). `skip` says why it is
    not run again, empty when it is.
    """

    cell: str
    source: str
    line: int
    skip: str = ""


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """A session: `page` are its cells in page order, `steps` the runs in the order they ran.

    `notes` tell what was mended or left out before it is run again. `before` is run first, in
    every kernel, and belongs to no cell. `elsewhere`: the file does not lie where the session ran.
    """

    path: str
    page: tuple[str, ...]
    steps: tuple[RecordedStep, ...]
    notes: tuple[str, ...] = ()
    before: str = ""
    elsewhere: bool = False
