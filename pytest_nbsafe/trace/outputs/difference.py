"""The values that a comparison of outputs works with, and the one it answers with."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pytest_nbsafe.values import dataclass

Mode = Literal["lenient", "exact"]
"""`lenient`: numbers within a tolerance, white space, order in sets and dicts, machine paths and
standard error are no difference. `exact`: they are; only what no two runs share is left out."""
Kind = Literal["changed", "missing", "new", "other kind", "unknown"]
Form = Literal["text", "error", "table", "picture", "drawing", "data", "code"]


class Part(NamedTuple):
    """The smallest thing that is compared: a line, a cell of a table, a value of a document.

    `place` is said to the reader; parts of one `group` (a column, a list) vary together. Where
    `group` is empty the text itself says what is alike.
    """

    place: str
    text: str
    group: str = ""


class Change(NamedTuple):
    """A part that differs; None where one side has no such part."""

    saved: Part | None
    new: Part | None


@dataclass(frozen=True, slots=True)
class Difference:
    """The first output that differs, and how.

    `place` says which output ("printed text", "display 2"), `detail` what differs in one line,
    `saved` and `new` the first line of each that differs. An `unknown` one may be no difference.
    """

    kind: Kind
    form: Form
    place: str
    detail: str
    saved: str = ""
    new: str = ""
