"""How likely steps of a session are: shares measured on notebooks linked to their histories.

Measured on saves of notebooks of 48 repositories, 64 of them with repeated counts. The tables are
small on purpose: one fitted on half of the repositories serves the other half nearly as well.
"""

from __future__ import annotations

from collections.abc import Sequence

_NEXT_TO_IT: Sequence[tuple[float, float]] = (
    (-4, 0.48),
    (0, 0.19),
    (1, 0.97),
    (3, 0.82),
    (float("inf"), 0.75),
)
"""The cell above ran in the same session: up to which difference of counts, and how likely."""
_FURTHER_ON: Sequence[tuple[float, float]] = (
    (0, 0.03),
    (1, 0.29),
    (9, 0.08),
    (float("inf"), 0.02),
)
"""The session was last seen further up the page."""
_AS_MANY = 0.18
"""The session was last seen further up, by as many cells as counts."""
_STARTS: Sequence[tuple[float, float]] = (
    (1, 0.91),
    (3, 0.32),
    (9, 0.11),
    (float("inf"), 0.05),
)
"""A session that no cell above belongs to, by the count."""
JOINS = 1.0


def joining(counts: int, places: int, *, next_to_it: bool) -> float:
    """Return the odds that a cell is of the session whose last cell is so far away."""
    if next_to_it:
        return _odds(_NEXT_TO_IT, counts)
    if counts == places != 1:
        return _AS_MANY / (1 - _AS_MANY)
    return _odds(_FURTHER_ON, counts)


def starting(count: int) -> float:
    """Return the odds that a cell with this count is the first of its session on the page."""
    return _odds(_STARTS, count)


def _odds(table: Sequence[tuple[float, float]], value: int) -> float:
    share = next(share for most, share in table if value <= most)
    return share / (1 - share)


# -- what a cell read, and which runs the counts lost ----------------------------------------------

_NEAR = 5
"""A cell that ran so soon after its reader, in counts, has hardly been edited in between."""
_FAR = 15
"""A cell that ran alone so long after its reader was run again for a reason: most of the names that
it binds for cells before are new in it, and what made them is gone."""
_FAR_WITH_MANY_NAMES = 50
"""The same of a cell that sets up many names: mostly one more was added, and this is another."""
MANY_NAMES = 12
RECORDED = 0.998
"""The only cell that binds a name ran before the reader, in its session."""
ONE_OF_SEVERAL = 0.96
"""The last of several cells that bind it, and the page says so, too."""
AGAINST_THE_PAGE = 0.85
"""The last of several, though another stands nearer above the reader."""
FROM_BELOW = 0.5
"""The last of several, which stands below the reader, though others stand above."""
OTHER_SESSION = 0.75
"""A cell of another session, which this one must have run, too."""
NEVER_RUN = 0.97
"""A cell without a count, whose outputs were cleared."""
_SOON_AGAIN = 0.92
_LATER = 0.88
EDITED_SINCE = 0.3
_IN_SEQUENCE = 0.97
"""Run again right after the cell above it, as when several cells are run once more, unchanged."""
_IN_ANOTHER_SESSION = 0.93
_WITHOUT_A_SLOT = 0.85
_FILLED = 0.24
"""A free count that a cell takes only because counts are missing there."""


def filled() -> float:
    """Return how likely a free count is of the cell that Algorithm 1 gives it."""
    return _FILLED


def ran_before(
    later: int | None,
    *,
    slot: bool,
    in_sequence: bool = False,
    is_counted: bool = True,
    doubtful: bool = False,
    sets_up: bool = False,
) -> float:
    """Return how likely a cell made a name in a run that left no count.

    `later` is by how many counts its own run came after the reader's, None where that was in
    another session; `slot`: a count is free for the run; `in_sequence`: its own run came right
    after that of the cell above; `is_counted`: it has a count; `doubtful`: the page tells another
    definer; `sets_up`: it binds `MANY_NAMES` and needs none, as imports and settings do.
    """
    if doubtful:
        return FROM_BELOW
    if not is_counted:
        return NEVER_RUN
    if later is None:
        return _IN_ANOTHER_SESSION if slot else _WITHOUT_A_SLOT
    if in_sequence:
        return _IN_SEQUENCE
    if later <= _NEAR:
        return _SOON_AGAIN
    share = EDITED_SINCE if is_much_later(later, sets_up=sets_up) else _LATER
    return share if slot else share * _WITHOUT_A_SLOT


def is_much_later(later: int, *, sets_up: bool = False) -> bool:
    """Return whether a cell ran again so late that it has as likely as not been edited before."""
    return later > (_FAR_WITH_MANY_NAMES if sets_up else _FAR)
