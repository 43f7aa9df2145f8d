"""The page of a notebook as a report shows it: its cells and outputs, what links them, the plan."""

from __future__ import annotations

from typing import Literal

from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class PageOutput:
    """An output: its text, or a picture in base64 with its media type."""

    kind: Literal["text", "stderr", "error", "image"]
    text: str
    media: str = ""


@dataclass(frozen=True, slots=True)
class PageRead:
    """A name that a cell reads, and the cell that made it."""

    name: str
    cell: int


@dataclass(frozen=True, slots=True)
class PageCell:
    """One cell of the page.

    `new` are its outputs in the run, `status` how that ended, empty where it did not run; `changed`
    says that they are not those that were saved. `makes` are the names that it binds or changes,
    `differs` those of them that hold something else in the other order. What it reads and makes is
    that of its run, and that of its text where it did not run.
    """

    number: int
    kind: Literal["code", "markdown", "raw"]
    source: str
    count: int | None = None
    saved: tuple[PageOutput, ...] = ()
    new: tuple[PageOutput, ...] = ()
    changed: bool = False
    status: str = ""
    duration_s: float = 0.0
    reads: tuple[PageRead, ...] = ()
    makes: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageStep:
    """A run of the plan: its cell, the count that it stands for, and why it stands there."""

    cell: int
    count: int | None
    reason: str
    session: int = 1
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class PageParting:
    """The first cell that makes something else in the plan than from top to bottom.

    `name` is what differs, `read` what it is made from that differs too; that comes from cell
    `there` in the plan and from cell `here` on the page, where these are not the same. 0 and ""
    stand for none.
    """

    cell: int
    name: str
    read: str = ""
    there: int = 0
    here: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """A notebook's cells in page order, and the plan by which they were run, or would be.

    `parting` is there where both orders ran, and do not give the same.
    """

    cells: tuple[PageCell, ...]
    order: str
    plan: tuple[PageStep, ...]
    parting: PageParting | None = None
