"""The measures of many notebooks together, as in sections 4 and 6 of the Archaeology paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pytest_nbsafe.order.measures import COMPARED, Measures
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class OrderShare:
    """Of 1,000 executed cells, how many are unbound and out of order in an order of the cells."""

    order: str
    unbound: float
    out_of_order: float


@dataclass(frozen=True, slots=True)
class CorpusMeasures:
    """Shares and quantiles over the notebooks that have an executed cell.

    `sessions` are (at least so many, share of the notebooks), `gap_jumps` (gap, jump, share of
    all), the most frequent first. `ratio` holds the quartiles of executed cells for each run there
    must have been. `dependent` is the share of notebooks with a dependent cell, `unambiguous` of
    those without an ambiguous one; the rest have an average share of `ambiguous` cells.
    """

    notebooks: int
    executed_notebooks: int
    cells: int
    plain: float
    sessions: tuple[tuple[int, float], ...]
    runs_median: float
    runs_most: int
    ratio: tuple[float, float, float]
    gap_jumps: tuple[tuple[int, int, float], ...]
    dependent: float
    unambiguous: float
    ambiguous: float
    dependent_cells: float
    ambiguous_cells: float
    orders: tuple[OrderShare, ...]


def together(measured: Sequence[Measures]) -> CorpusMeasures:
    """Return the measures of notebooks together; all zero where none was executed."""
    ran = [m for m in measured if m.executed]
    cells = sum(m.executed for m in ran)
    sessions = Counter(m.sessions for m in ran)
    jumps: Counter[tuple[int, int]] = Counter()
    for one in ran:
        jumps.update({(gap, jump): number for gap, jump, number in one.gap_jumps})
    doubtful = [m.ambiguous / m.executed for m in ran if m.ambiguous]
    ratios = sorted(m.ratio for m in ran if m.ratio is not None)
    runs = sorted(m.runs for m in ran)
    return CorpusMeasures(
        notebooks=len(measured),
        executed_notebooks=len(ran),
        cells=cells,
        plain=_share(sum(m.is_plain for m in ran), len(ran)),
        sessions=tuple((n, _share(sessions[n], len(ran))) for n in sorted(sessions)),
        runs_median=_quantile(runs, 0.5),
        runs_most=max(runs, default=0),
        ratio=(_quantile(ratios, 0.25), _quantile(ratios, 0.5), _quantile(ratios, 0.75)),
        gap_jumps=tuple(
            (*pair, _share(number, jumps.total()))
            for pair, number in sorted(jumps.items(), key=lambda item: (-item[1], item[0]))
        ),
        dependent=_share(sum(m.dependent > 0 for m in ran), len(ran)),
        unambiguous=_share(sum(m.ambiguous == 0 for m in ran), len(ran)),
        ambiguous=_share(sum(doubtful), len(doubtful)),
        dependent_cells=_per_thousand((m.dependent for m in ran), cells),
        ambiguous_cells=_per_thousand((m.ambiguous for m in ran), cells),
        orders=tuple(
            OrderShare(
                name,
                _per_thousand((m.orders[name].unbound for m in ran), cells),
                _per_thousand((m.orders[name].out_of_order for m in ran), cells),
            )
            for name in COMPARED
        ),
    )


def _share(part: float, whole: int) -> float:
    return part / whole if whole else 0.0


def _per_thousand(numbers: Iterable[int], cells: int) -> float:
    return 1000 * _share(sum(numbers), cells)


def _quantile(values: Sequence[float], share: float) -> float:
    """Return the value that such a share of the sorted values lies below, between two of them."""
    if not values:
        return 0.0
    place = share * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (place - low) * (values[high] - values[low])
