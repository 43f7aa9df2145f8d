"""Measures of counts and orders, and the sessions of a simulated user that they are true of."""

from __future__ import annotations

import percent
import pytest

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.order.corpus_measures import together
from pytest_nbsafe.order.measures import Measures, measures


def of(*cells: str) -> Measures:
    """Return the measures of "count: source" lines; no count is `-`."""
    blocks = []
    for cell in cells:
        count, source = cell.split(": ", 1)
        head = "# %%" if count == "-" else f"# %% [{count}]"
        blocks.append(f"{head}\n{source}\n")
    return measures(build(percent.parse("".join(blocks), path="a.ipynb")))


def of_counts(counts: str) -> Measures:
    return of(*(f"{count}: a{place} = 1" for place, count in enumerate(counts.split())))


@pytest.mark.parametrize(
    ("counts", "sessions", "runs", "executed"),
    [
        ("1 6 4 5 2 4 6 1 2 3 4", 3, 16, 11),  # the example of the paper
        ("1 2 3", 1, 3, 3),
        ("5 - 7", 1, 7, 2),
        ("- -", 0, 0, 0),
        ("4 4", 2, 8, 2),
    ],
)
def test_least_sessions_and_runs(counts: str, sessions: int, runs: int, executed: int) -> None:
    measured = of_counts(counts)
    assert (sessions, runs, executed) == (measured.sessions, measured.runs, measured.executed)


def test_the_ratio_of_the_paper() -> None:
    assert of_counts("1 6 4 5 2 4 6 1 2 3 4").ratio == pytest.approx(11 / 16)
    assert of_counts("-").ratio is None


def test_gaps_and_jumps() -> None:
    measured = of_counts("1 6 7 - 4 5")
    assert (measured.gaps, measured.missing, measured.jumps) == (1, 2, 2)
    assert measured.gap_jumps == ((1, -3, 1), (1, 1, 2), (3, 3, 1))


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ("1 2 3", True),
        ("1 - 2", True),
        ("2 3", False),
        ("2 1", False),
        ("1 1", False),
        ("-", False),
    ],
)
def test_what_was_run_from_top_to_bottom_alone_is_plain(counts: str, *, expected: bool) -> None:
    assert expected is of_counts(counts).is_plain


def test_dependent_and_ambiguous_cells() -> None:
    measured = of("1: a = 1", "2: print(a)", "3: b = 1", "4: b = 2", "5: print(b, a)", "6: len([])")
    assert (measured.dependent, measured.ambiguous) == (2, 1)


def test_cells_that_an_order_leaves_without_a_name() -> None:
    measured = of("9: df = 1", "1: print(df)", "2: print(gone)")
    said = {name: (m.unbound, m.out_of_order) for name, m in measured.orders.items()}
    assert said["base"] == said["recorded"] == said["archaeology"] == (2, 1)
    assert said["top-down"] == said["dependency"] == said["inferred"] == (1, 0)


def test_notebooks_together() -> None:
    whole = together([of_counts("1 2 3"), of_counts("2 1"), of_counts("1 1"), of_counts("-")])
    assert (whole.notebooks, whole.executed_notebooks, whole.cells) == (4, 3, 7)
    assert whole.plain == pytest.approx(1 / 3)
    assert [(number, round(share, 2)) for number, share in whole.sessions] == [(1, 0.67), (2, 0.33)]
    assert [(gap, jump) for gap, jump, _ in whole.gap_jumps] == [(1, 1), (1, -1)]
    assert (whole.runs_median, whole.runs_most) == (2, 3)


def test_no_notebooks_have_no_shares() -> None:
    whole = together([])
    assert (whole.plain, whole.ratio, whole.gap_jumps) == (0, (0, 0, 0), ())
