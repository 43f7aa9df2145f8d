"""Which cells were last run in the same kernel session, told apart where counts repeat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median

from pytest_nbsafe.notebook.model import Cell


def split(cells: Iterable[Cell]) -> Mapping[int, int]:
    """Return the session, from 1, of every cell that has a count; the cells are in page order.

    Counts that never repeat are one session: the file shows no second one. Else a cell joins the
    session of the cell before it on the page, unless that holds its count already; then the
    session without this count that ends nearest above; else a new one. The session that stands
    higher on the page, by the median of its cells, is taken to have come first.

    Departs from the Archaeology paper, section 5.1, which grows the sessions from an alignment
    at the most frequent count by the likelihood of each gap-jump: a simple split comes first.
    """
    sessions: list[list[Cell]] = []
    for cell in cells:
        if cell.count is None:
            continue
        open_to_it = [s for s in sessions if all(cell.count != other.count for other in s)]
        if open_to_it:
            max(open_to_it, key=lambda session: session[-1].number).append(cell)
        else:
            sessions.append([cell])
    sessions.sort(key=lambda session: (median(c.number for c in session), session[0].number))
    return {cell.number: index for index, session in enumerate(sessions, 1) for cell in session}
