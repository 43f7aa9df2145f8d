"""The two tiers of tests: what runs by default, and what only `-m corpus` runs besides.

A case goes into the corpus tier when others like it run by default and it takes a second or more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

Case = TypeVar("Case")


def sampled(
    cases: Iterable[Case], by_default: Callable[[Case], bool], number: int = 1
) -> list[object]:
    """Return cases as parameters, in the corpus tier unless they are to run by default.

    Of those only each so many-th is, the rest is for `-m long`.
    """
    chosen = [(case, by_default(case)) for case in cases]
    others = by_hand(number, (case for case, is_chosen in chosen if not is_chosen))
    return [pytest.param(case) for case, is_chosen in chosen if is_chosen] + others


def by_hand(number: int, cases: Iterable[Case]) -> list[object]:
    """Return cases as parameters, each so many-th in the corpus tier, the rest for `-m long`."""
    return [
        pytest.param(case, marks=pytest.mark.long if position % number else pytest.mark.corpus)
        for position, case in enumerate(cases)
    ]


def every(number: int, cases: Iterable[Case]) -> list[object]:
    """Return cases as parameters of which each so many-th runs by default, the first one too."""
    return every_row(number, ((case,) for case in cases))


def every_row(number: int, rows: Iterable[tuple[object, ...]]) -> list[object]:
    """Return rows of several arguments in the same way."""
    return [
        pytest.param(*row, marks=pytest.mark.corpus if position % number else ())
        for position, row in enumerate(rows)
    ]


def spread(default: int, corpus: int, cases: Iterable[Case]) -> list[object]:
    """Return cases as parameters: by default each so many-th, more in the corpus tier."""
    return spread_rows(default, corpus, ((case,) for case in cases))


def spread_rows(default: int, corpus: int, rows: Iterable[tuple[object, ...]]) -> list[object]:
    """Return rows of several arguments in the same way."""
    marked: list[object] = []
    for position, row in enumerate(rows):
        mark = pytest.mark.long if position % corpus else pytest.mark.corpus
        marked.append(pytest.param(*row, marks=mark if position % default else ()))
    return marked
